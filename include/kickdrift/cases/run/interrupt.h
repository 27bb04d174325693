#ifndef KICKDRIFT_CASES_RUN_INTERRUPT_H
#define KICKDRIFT_CASES_RUN_INTERRUPT_H

#include <csignal>

namespace KickDrift
{
/**
 * While an object of this class exists, SIGINT (Ctrl-C) and SIGTERM do not end the program but are
 * noted; a second one ends it at once.
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
  struct sigaction before_int, before_term;
};
} // namespace KickDrift

#endif
