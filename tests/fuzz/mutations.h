#ifndef KICKDRIFT_TESTS_FUZZ_MUTATIONS_H
#define KICKDRIFT_TESTS_FUZZ_MUTATIONS_H

#include <cstdint>
#include <random>
#include <string>
#include <vector>

/// What the input is made of.
enum class Format
{
  text,  ///< lines of words; numbers are replaced by extreme ones
  binary ///< words of 4 and 8 bytes are replaced by extreme ones
};

/// Makes damaged inputs out of good ones. What it makes follows from its arguments alone.
class Mutator
{
public:
  /// @p pieces : whole inputs that lines, words and halves are taken from.
  Mutator(Format format, std::vector<std::string> pieces);

  /// Input @p index of the sequence @p seed, made of @p original.
  std::string mutate(const std::string &original, std::uint64_t seed, std::uint64_t index);

  /// Which of @p n things input @p index of the sequence @p seed is made of.
  static std::size_t choice(std::uint64_t seed, std::uint64_t index, std::size_t n);

private:
  void change(std::string &input);
  void change_bytes(std::string &input);
  void change_words(std::string &input);
  void change_lines(std::string &input);
  void change_number_in_memory(std::string &input);
  void splice(std::string &input);
  std::size_t any(std::size_t n); ///< From 0 to n - 1.
  std::string extreme_text();
  const std::string &piece();

  const Format format;
  const std::vector<std::string> pieces;
  std::mt19937_64 random;
};

#endif
