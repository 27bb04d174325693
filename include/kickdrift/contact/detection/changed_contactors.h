#ifndef KICKDRIFT_CONTACT_DETECTION_CHANGED_CONTACTORS_H
#define KICKDRIFT_CONTACT_DETECTION_CHANGED_CONTACTORS_H

#include <atomic>
#include <vector>

namespace KickDrift
{
/**
 * Contactors about which something has changed during an instant that others may read: each once,
 * so that all of it is taken over before the next one. Several threads may note contactors at once,
 * each those of its own.
 */
class ChangedContactors
{
public:
  /// @p n contactors, none of which has changed.
  void
  start(const unsigned int n)
  {
    is_noted.assign(n, 0);
    noted.resize(n);
    n_noted = 0;
  }

  /// Something about @p contactor has changed.
  void
  note(const unsigned int contactor)
  {
    if (is_noted[contactor])
      return;
    is_noted[contactor] = 1;
    noted[n_noted++] = contactor;
  }

  /// Call @p f (contactor) for all of them, in no particular order; then there are none.
  template <typename Function>
  void
  take(const Function &f)
  {
    for (unsigned int i = 0; i < n_noted; ++i)
    {
      f(noted[i]);
      is_noted[noted[i]] = 0;
    }
    n_noted = 0;
  }

private:
  std::vector<char> is_noted;      ///< by contactor
  std::vector<unsigned int> noted; ///< n_noted of them
  std::atomic<unsigned int> n_noted{0};
};
} // namespace KickDrift

#endif
