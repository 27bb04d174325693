#ifndef KICKDRIFT_BASE_LIFETIME_H
#define KICKDRIFT_BASE_LIFETIME_H

#include <memory>

namespace KickDrift
{
/**
 * A member of objects that others refer to: tells these others whether the object still exists.
 *
 * Unlike with dealii::Subscriptor objects may be destroyed in any order, as long as nobody uses
 * those that are gone, and use is detected in Release mode, too.
 */
class Lifetime
{
public:
  /// Whether the object that was watched still exists.
  class Watch
  {
  public:
    /// Of an object that never existed.
    Watch() = default;

    /// Has the object been destroyed?
    bool
    has_ended() const
    {
      return token.expired();
    }

  private:
    friend class Lifetime;
    explicit Watch(const std::shared_ptr<const char> &token) : token(token) {}

    std::weak_ptr<const char> token;
  };

  Lifetime() : token(std::make_shared<const char>()) {}
  /// A copy is another object.
  Lifetime(const Lifetime &) : Lifetime() {}
  /// Objects to which others are assigned stay what they are.
  Lifetime &
  operator=(const Lifetime &)
  {
    return *this;
  }

  /// Watch the object of which this is a member.
  Watch
  watch() const
  {
    return Watch(token);
  }

private:
  std::shared_ptr<const char> token;
};
} // namespace KickDrift

#endif
