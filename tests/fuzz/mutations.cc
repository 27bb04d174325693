#include "mutations.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace
{
using Range = std::pair<std::size_t, std::size_t>; ///< begin and end

/// Maximal ranges of characters that are not in @p separators.
std::vector<Range>
ranges_between(const std::string &text, const char *separators)
{
  std::vector<Range> ranges;
  for (std::size_t begin = 0; (begin = text.find_first_not_of(separators, begin)) != text.npos;)
  {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    ranges.emplace_back(begin, end);
    begin = end;
  }
  return ranges;
}

std::string
text_of(const std::string &text, const Range &range)
{
  return text.substr(range.first, range.second - range.first);
}

void
replace(std::string &text, const Range &range, const std::string &by)
{
  text.replace(range.first, range.second - range.first, by);
}

void
exchange(std::string &text, Range a, Range b)
{
  if (b < a)
    std::swap(a, b);
  const std::string first = text_of(text, a), second = text_of(text, b);
  replace(text, b, first);
  replace(text, a, second);
}

bool
is_number(const std::string &word)
{
  return word.find_first_of("0123456789") != word.npos &&
         word.find_first_not_of("0123456789+-.eE") == word.npos;
}

constexpr const char *word_separators = " \t\n\r,;:/=()";

std::mt19937_64
generator(const std::uint64_t seed, const std::uint64_t index)
{
  return std::mt19937_64(seed * 0x9e3779b97f4a7c15ull + index);
}
} // namespace

Mutator::Mutator(const Format format, std::vector<std::string> pieces)
    : format(format), pieces(std::move(pieces))
{
}

std::size_t
Mutator::choice(const std::uint64_t seed, const std::uint64_t index, const std::size_t n)
{
  return generator(~seed, index)() % n;
}

std::string
Mutator::mutate(const std::string &original, const std::uint64_t seed, const std::uint64_t index)
{
  random = generator(seed, index);
  std::string input = original;
  // mostly a single change: others would hide what comes behind the first mistake
  const std::size_t n_changes = any(2) ? 1 : 1 + any(4);
  for (std::size_t i = 0; i < n_changes; ++i)
    change(input);
  return input;
}

std::size_t
Mutator::any(const std::size_t n)
{
  return n == 0 ? 0 : random() % n;
}

const std::string &
Mutator::piece()
{
  return pieces[any(pieces.size())];
}

void
Mutator::change(std::string &input)
{
  if (input.empty())
    input = piece();
  const std::size_t kind = any(20);
  if (kind == 0)
    splice(input);
  else if (kind == 1)
    input.resize(any(input.size()));
  else if (kind < 5)
    change_bytes(input);
  else if (format == Format::binary)
    change_number_in_memory(input);
  else if (kind < 14)
    change_words(input);
  else
    change_lines(input);
}

void
Mutator::change_bytes(std::string &input)
{
  const std::size_t at = any(input.size()), length = 1 + any(std::size_t(1) << any(8));
  const std::string part = input.substr(at, length);
  switch (any(6))
  {
  case 0:
    input[at] ^= 1 << any(8);
    break;
  case 1:
    input[at] = static_cast<char>(any(256));
    break;
  case 2:
    input.erase(at, length);
    break;
  case 3:
    input.insert(any(input.size()), part);
    break;
  case 4:
    input.replace(at, length, std::string(part.size(), any(2) ? '\0' : '\xff'));
    break;
  default: // very long
    for (std::size_t n = any(50) == 0 ? 100000 / part.size() : any(20); n > 0; --n)
      input.insert(at, part);
  }
}

void
Mutator::change_words(std::string &input)
{
  const auto words = ranges_between(input, word_separators);
  if (words.empty())
    return change_bytes(input);
  const Range word = words[any(words.size())];
  const std::string &other = piece();
  const auto others = ranges_between(other, word_separators);
  std::vector<Range> word_numbers;
  switch (any(8))
  {
  case 0:
    return replace(input, word, "");
  case 1:
    return replace(input, word, text_of(input, word) + " " + text_of(input, word));
  case 2:
    return exchange(input, word, words[any(words.size())]);
  case 3:
    return replace(input, word, others.empty() ? "" : text_of(other, others[any(others.size())]));
  default:
    for (const Range &range : words)
      if (is_number(text_of(input, range)))
        word_numbers.push_back(range);
    if (!word_numbers.empty())
      replace(input, word_numbers[any(word_numbers.size())], extreme_text());
  }
}

void
Mutator::change_lines(std::string &input)
{
  const auto lines = ranges_between(input, "\n");
  if (lines.empty())
    return change_bytes(input);
  const Range line = lines[any(lines.size())];
  const std::string &other = piece();
  const auto others = ranges_between(other, "\n");
  switch (any(4))
  {
  case 0:
    return replace(input, line, "");
  case 1:
    return replace(input, line, text_of(input, line) + "\n" + text_of(input, line));
  case 2:
    return exchange(input, line, lines[any(lines.size())]);
  default:
    if (!others.empty())
      replace(input, line,
              text_of(input, line) + "\n" + text_of(other, others[any(others.size())]));
  }
}

void
Mutator::change_number_in_memory(std::string &input)
{
  static const std::vector<double> numbers = {0.,
                                              -0.,
                                              -1.,
                                              1e308,
                                              -1e308,
                                              5e-324,
                                              std::numeric_limits<double>::infinity(),
                                              -std::numeric_limits<double>::infinity(),
                                              std::nan("")};
  static const std::vector<std::uint64_t> integers = {
      0,          1,          2,          3,           7,          255,           1000,
      0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, ~0ull >> 1, ~0ull / 2 + 1, ~0ull / 8 + 1,
      ~0ull};
  const std::size_t size = any(2) ? 4 : 8;
  if (input.size() < size)
    return;
  // numbers lie where what comes before them ends, strings among it: at any byte
  const std::size_t at = any(input.size() - size + 1);
  if (any(3) == 0)
    std::memcpy(&input[at], &numbers[any(numbers.size())], size);
  else
    std::memcpy(&input[at], &integers[any(integers.size())], size);
}

void
Mutator::splice(std::string &input)
{
  const std::string &other = piece();
  input = input.substr(0, any(input.size() + 1)) + other.substr(any(other.size() + 1));
}

std::string
Mutator::extreme_text()
{
  static const std::vector<std::string> texts = {
      "0",          "-0",          "1",          "-1",         "2",
      "3",          "7",           "0.5",        "1e-300",     "5e-324",
      "1e300",      "-1e300",      "1e308*10",   "1e309",      "nan",
      "-nan",       "inf",         "-inf",       "2147483647", "2147483648",
      "4294967295", "-2147483649", "4294967296", "1000000000", "9223372036854775807",
      "1e-16",      "1e16",        "1e400",      "",           "18446744073709551616",
      "0x10",       "1/0",         "00000001",   "1e",         "t"};
  return texts[any(texts.size())];
}
