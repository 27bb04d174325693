#include <kickdrift/base/messages.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/utilities.h>

#include <cstdio>
#include <iomanip>
#include <new>
#include <sstream>

namespace KickDrift
{
namespace
{
/// Without the middle if it is long: the place is at the beginning, what is allowed at the end.
std::string
shortened(const std::string &message)
{
  constexpr std::size_t longest = 1000, beginning = 600, ending = 300;
  if (message.size() <= longest)
    return message;
  // not within a character in UTF-8
  const auto cut = [&message](std::size_t at)
  {
    for (unsigned int i = 0; i < 3 && (static_cast<unsigned char>(message[at]) & 0xc0) == 0x80; ++i)
      --at;
    return at;
  };
  const std::size_t begin = cut(beginning), end = cut(message.size() - ending);
  return message.substr(0, begin) + "... (" + std::to_string(end - begin) +
         " characters left out) ..." + message.substr(end);
}
} // namespace

std::string
message_of(const std::exception &exception)
{
  std::ostringstream text;
  if (const auto *error = dynamic_cast<const dealii::ExceptionBase *>(&exception))
    error->print_info(text);
  else if (dynamic_cast<const std::bad_alloc *>(&exception))
    text << "There is not enough memory.";
  else
    text << exception.what();
  // deal.II indents its messages and breaks their lines.
  std::istringstream words(text.str());
  std::string message, word;
  while (words >> word)
    message += (message.empty() ? "" : " ") + word;
  return shortened(message);
}

std::string
number_text(const double number, const unsigned int digits)
{
  std::ostringstream text;
  text << std::setprecision(digits) << number;
  return text.str();
}

std::string
exact_text(const double number)
{
  char text[32];
  std::snprintf(text, sizeof(text), "%.17g", number);
  return text;
}

std::string
shell_quoted(const std::string &word)
{
  const std::string plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./=:,";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos)
    return word;
  std::string quoted = "\"";
  for (const char c : word)
    quoted += (std::string("\"\\$`").find(c) == std::string::npos ? "" : "\\") + std::string(1, c);
  return quoted + "\"";
}
} // namespace KickDrift
