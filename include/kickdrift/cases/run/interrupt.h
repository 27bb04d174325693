#ifndef KICKDRIFT_CASES_RUN_INTERRUPT_H
#define KICKDRIFT_CASES_RUN_INTERRUPT_H

#include <array>
#include <csignal>

namespace KickDrift
{
/**
 * While an object of this class exists, signals by which users, terminals, batch systems and limits
 * end programs (SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGPIPE) do not end
 * this one but are noted. The same signal once more ends it at once, except for SIGXFSZ and
 * SIGPIPE, which come with every attempt to write. Signals that were ignored before (SIGHUP by
 * `nohup`) remain so.
 */
class Interrupt
{
public:
  Interrupt();
  Interrupt(const Interrupt &) = delete;
  ~Interrupt();

  /// Has a signal come?
  static bool is_noted();

private:
  static constexpr std::array<int, 8> signals = {
      {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGPIPE}};

  std::array<struct sigaction, signals.size()> before;
};
} // namespace KickDrift

#endif
