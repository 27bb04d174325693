#include <kickdrift/output/progress.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ostream>

#include <unistd.h>

namespace KickDrift
{
namespace
{
constexpr double seconds_between_refreshes = 0.2; // in place
constexpr double seconds_between_lines = 10;

double
steady_seconds()
{
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}
} // namespace

std::string
duration_text(const double seconds)
{
  char text[64];
  if (!(seconds < 1e9)) // also not-a-number
    return "unknown";
  if (seconds < 59.95)
    std::snprintf(text, sizeof(text), "%.1f s", seconds);
  else
  {
    const long whole = std::lround(seconds);
    if (whole < 3600)
      std::snprintf(text, sizeof(text), "%ld min %02ld s", whole / 60, whole % 60);
    else
      std::snprintf(text, sizeof(text), "%ld h %02ld min", whole / 3600, whole % 3600 / 60);
  }
  return text;
}

Progress::Style
Progress::detect_style(const bool quiet)
{
  return quiet ? Style::quiet : isatty(STDOUT_FILENO) ? Style::terminal : Style::lines;
}

Progress::Progress(std::ostream &out, const double begin, const double end, const Style style,
                   const std::function<double()> &clock)
    : out(out),
      begin(begin),
      end(end),
      style(style),
      clock(clock ? clock : steady_seconds),
      start(this->clock()),
      last_write(start)
{
}

Progress::~Progress()
{
  if (width > 0)
    out << std::endl;
}

void
Progress::resume(const double time, const std::uint64_t kicks)
{
  start = last_write = clock();
  first_fraction = fraction(time);
  first_kicks = kicks;
  last_tenth = 10 * first_fraction;
}

void
Progress::update(const double time, const std::uint64_t kicks, const double energy_error)
{
  if (style == Style::quiet)
    return;
  const double now = clock();
  const unsigned int tenth = 10 * fraction(time);
  if (!is_due(now, tenth))
    return;
  write(line(now, time, kicks, energy_error));
  last_write = now;
  last_tenth = tenth;
}

void
Progress::finish(const double time, const std::uint64_t kicks, const double energy_error)
{
  if (style == Style::quiet)
    return;
  if (style == Style::terminal || last_tenth < 10)
    write(line(clock(), time, kicks, energy_error));
  if (width > 0)
    out << std::endl;
  width = 0;
}

bool
Progress::is_due(const double now, const unsigned int tenth) const
{
  if (style == Style::terminal)
    return now - last_write >= seconds_between_refreshes;
  return tenth > last_tenth || now - last_write >= seconds_between_lines;
}

double
Progress::fraction(const double time) const
{
  return end > begin ? std::clamp((time - begin) / (end - begin), 0., 1.) : 1.;
}

std::string
Progress::line(const double now, const double time, const std::uint64_t kicks,
               const double error) const
{
  const double elapsed = now - start, done = fraction(time);
  const double rate = elapsed > 0 ? (kicks - first_kicks) / elapsed : 0;
  const double remaining = elapsed * (1 - done) / (done - first_fraction);
  char text[160];
  std::snprintf(text, sizeof(text), "t = %-11.5g %5.1f %%  %.2e kicks/s  energy error % .1e  ",
                time, 100 * done, rate, error);
  return text + (done < 1 ? duration_text(remaining) + " left" : "took " + duration_text(elapsed));
}

void
Progress::write(const std::string &text)
{
  if (style == Style::lines)
  {
    out << text << std::endl;
    return;
  }
  out << '\r' << text;
  if (text.size() < width) // hide the rest of the longer line before
    out << std::string(width - text.size(), ' ');
  out << std::flush;
  width = text.size();
}
} // namespace KickDrift
