#ifndef KICKDRIFT_DEAL_II_EXISTENCE_H
#define KICKDRIFT_DEAL_II_EXISTENCE_H

#include <deal.II/base/subscriptor.h>

#include <atomic>

namespace KickDrift
{
/// Tells whether an object of deal.II still exists. Unlike dealii::SmartPointer, which only looks
/// in Debug mode, it does so in Release mode, too.
class Existence
{
public:
  /// Watch @p object.
  explicit Existence(const dealii::Subscriptor &object) : object(object)
  {
    object.subscribe(&exists);
  }
  /// Watch the same object, if it still exists.
  Existence(const Existence &other) : object(other.object)
  {
    if (other)
      object.subscribe(&exists);
  }
  Existence &operator=(const Existence &) = delete;

  ~Existence()
  {
    if (exists)
      object.unsubscribe(&exists);
  }

  /// Does the object exist?
  explicit operator bool() const { return exists; }

private:
  const dealii::Subscriptor &object;
  std::atomic<bool> exists{false}; ///< set by the object
};
} // namespace KickDrift

#endif
