#include <kickdrift/cases/messages.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/utilities.h>

#include <sstream>

namespace KickDrift
{
std::string
message_of(const std::exception &exception)
{
  std::ostringstream text;
  if (const auto *error = dynamic_cast<const dealii::ExceptionBase *>(&exception))
    error->print_info(text);
  else
    text << exception.what();
  // deal.II indents its messages and breaks their lines.
  std::istringstream words(text.str());
  std::string message, word;
  while (words >> word)
    message += (message.empty() ? "" : " ") + word;
  return message;
}

std::string
number_text(const double number)
{
  std::ostringstream text;
  text << number;
  return text.str();
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
