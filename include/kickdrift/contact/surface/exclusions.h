#ifndef KICKDRIFT_CONTACT_SURFACE_EXCLUSIONS_H
#define KICKDRIFT_CONTACT_SURFACE_EXCLUSIONS_H

#include <kickdrift/contact/surface/surface.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace KickDrift
{
/// Who takes no part in contact, or does not see whom.
class Exclusions
{
public:
  Exclusions() = default;

  /**
   * Takes faces with excluded boundary ids, and nodes that have no others, out of @p surface.
   *
   * @param exclude pairs as in ContactParameters::exclude
   * @param names of the bodies, then of the obstacles
   *
   * Throws if an unknown name or boundary id is given.
   */
  template <int spacedim>
  Exclusions(const std::vector<std::pair<std::string, std::string>> &exclude,
             const std::vector<std::string> &names, Surface<spacedim> &surface);

  /// Do the two not see each other? Numbers as those of the names.
  bool
  excluded(const unsigned int body, const unsigned int target) const
  {
    return !pairs.empty() && pairs.count({body, target}) > 0;
  }

private:
  std::set<std::pair<unsigned int, unsigned int>> pairs; ///< both ways
};
} // namespace KickDrift

#endif
