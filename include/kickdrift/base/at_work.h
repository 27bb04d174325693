#ifndef KICKDRIFT_BASE_AT_WORK_H
#define KICKDRIFT_BASE_AT_WORK_H

#include <atomic>

namespace KickDrift
{
/**
 * Marks an object as being at work as long as this lives, so that it can refuse what is asked of it
 * meanwhile: by functions of a user that it calls, or by another thread.
 */
class AtWork
{
public:
  /// @p flag belongs to the object, and must outlive this.
  explicit AtWork(std::atomic<bool> &flag) : flag(flag), is_alone(!flag.exchange(true)) {}
  AtWork(const AtWork &) = delete;

  ~AtWork()
  {
    if (is_alone)
      flag = false;
  }

  /// Was the object idle before?
  bool
  begins() const
  {
    return is_alone;
  }

private:
  std::atomic<bool> &flag;
  const bool is_alone;
};
} // namespace KickDrift

#endif
