#ifndef KICKDRIFT_STEPPING_CLOCKS_PATIENCE_H
#define KICKDRIFT_STEPPING_CLOCKS_PATIENCE_H

#include <kickdrift/base/archive.h>

#include <vector>

namespace KickDrift
{
/**
 * How long kicks wait before they follow critical steps that have become longer.
 *
 * The energy that leapfrog keeps is not quite that of the body: it depends on the step. A kick that
 * gets a longer step where its cell is stretched and a shorter one where it is compressed, again
 * and again in the rhythm of a vibration, takes energy out of it with each change, or brings some,
 * always the same way. So a kick goes to a finer class at once, but to a coarser one only after its
 * step has allowed for that without a break for as long as its patience, and each time it has to
 * come back its patience is doubled: changes become as rare as the logarithm of time.
 */
class Patience
{
public:
  /// None has any: all follow at once.
  Patience() = default;

  /// @param first patience of each kick; zero for those that follow at once [time]
  explicit Patience(std::vector<double> first);

  /// The class for a kick in class @p own whose step allows for class @p wanted at time @p now.
  /// Others that share its class may still keep it from a coarser one: it waits no longer then.
  unsigned int follow(unsigned int kick, unsigned int own, unsigned int wanted, double now);

  /// The kick has gone to a coarser class.
  void leave(unsigned int kick);

  /// Are there kicks that wait for a coarser class?
  bool
  is_waiting() const
  {
    return n_waiting > 0;
  }

  /// Write to, or read from, a checkpoint what has changed.
  void serialize(Archive &archive);

private:
  std::vector<double> patience; ///< by kick; empty: none has any [time]
  std::vector<double> since;    ///< by kick, when its step began to allow for more [time]
  std::vector<char> has_left;   ///< by kick, has it been in a coarser class than it may need?
  unsigned int n_waiting = 0;
};
} // namespace KickDrift

#endif
