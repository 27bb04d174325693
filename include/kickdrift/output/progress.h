#ifndef KICKDRIFT_OUTPUT_PROGRESS_H
#define KICKDRIFT_OUTPUT_PROGRESS_H

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>

namespace KickDrift
{
/**
 * Tells the user how far a run is: simulated time, percent, kicks per second, energy error and
 * remaining time. One line in place on a terminal; elsewhere plain lines, one whenever another
 * tenth is done and otherwise at most every ten seconds.
 */
class Progress
{
public:
  /// How progress is shown.
  enum class Style
  {
    terminal,
    lines,
    quiet
  };

  /// terminal if standard output is one, else lines; quiet if asked for.
  static Style detect_style(const bool quiet = false);

  /**
   * @param begin,end simulated time between which the percentage is counted [time]
   * @param clock wall time in seconds; the system's steady clock if empty
   */
  Progress(std::ostream &out, const double begin, const double end, const Style style,
           const std::function<double()> &clock = {});

  /// Ends the line in place, if any.
  ~Progress();

  /// A resumed run continues here: work before does not count for the speed.
  void resume(const double time, const std::uint64_t kicks);

  /// Cheap enough to be called often; writes only when it is time to.
  void update(const double time, const std::uint64_t kicks, const double energy_error);

  /// Write the last state and end the line.
  void finish(const double time, const std::uint64_t kicks, const double energy_error);

private:
  bool is_due(const double now, const unsigned int tenth) const;
  double fraction(const double time) const;
  std::string line(const double now, const double time, const std::uint64_t kicks,
                   const double error) const;
  void write(const std::string &text);

  std::ostream &out;
  double begin, end;
  Style style;
  std::function<double()> clock;
  double start, last_write;
  double first_fraction = 0;
  std::uint64_t first_kicks = 0;
  unsigned int last_tenth = 0;
  std::size_t width = 0; ///< of the line in place, 0 if there is none
};

/// A duration in words: `4.2 s`, `3 min 20 s`, `2 h 05 min`.
std::string duration_text(const double seconds);
} // namespace KickDrift

#endif
