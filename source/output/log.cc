#include <kickdrift/output/log.h>

namespace KickDrift
{
namespace
{
const std::string sign_of_warnings = "Warning: ";
}

Log::Log(std::ostream &text, std::ostream &warnings) : std::ostream(nullptr), buffer(text, warnings)
{
  rdbuf(&buffer);
}

Log::~Log()
{
  flush();
}

Log::Buffer::int_type
Log::Buffer::overflow(const int_type letter)
{
  if (traits_type::eq_int_type(letter, traits_type::eof()))
    return traits_type::not_eof(letter);
  const char c = traits_type::to_char_type(letter);
  if (line)
    line->put(c);
  else
  {
    beginning += c;
    if (sign_of_warnings.compare(0, beginning.size(), beginning) != 0)
      send_to(text);
    else if (beginning.size() == sign_of_warnings.size())
      send_to(warnings);
  }
  if (c == '\n')
    line = nullptr;
  return letter;
}

int
Log::Buffer::sync()
{
  if (!beginning.empty())
    send_to(text);
  text.flush();
  warnings.flush();
  return 0; // one that is closed does not silence the other
}

void
Log::Buffer::send_to(std::ostream &stream)
{
  // on a terminal, what has been said before comes first
  if (&stream == &warnings)
    text.flush();
  line = &stream;
  stream << beginning;
  beginning.clear();
}
} // namespace KickDrift
