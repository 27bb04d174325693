#ifndef KICKDRIFT_OUTPUT_LOG_H
#define KICKDRIFT_OUTPUT_LOG_H

#include <ostream>
#include <streambuf>
#include <string>

namespace KickDrift
{
/**
 * What a program tells its user. Lines that begin with "Warning: " go to a stream of their own, so
 * that they are seen whatever becomes of all others.
 */
class Log : public std::ostream
{
public:
  /// Both must outlive the log. Text goes on at once, but for the first letters of what may become
  /// a warning.
  Log(std::ostream &text, std::ostream &warnings);
  ~Log() override;

private:
  class Buffer : public std::streambuf
  {
  public:
    Buffer(std::ostream &text, std::ostream &warnings) : text(text), warnings(warnings) {}

  protected:
    int_type overflow(int_type letter) override;
    int sync() override;

  private:
    /// Send the beginning of the line, and all that follows of it, on.
    void send_to(std::ostream &stream);

    std::ostream &text, &warnings;
    std::ostream *line = nullptr; ///< where the present line goes; null: not known yet
    std::string beginning;        ///< of the present line, as long as that is not known
  };

  Buffer buffer;
};
} // namespace KickDrift

#endif
