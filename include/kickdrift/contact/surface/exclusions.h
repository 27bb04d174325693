#ifndef KICKDRIFT_CONTACT_SURFACE_EXCLUSIONS_H
#define KICKDRIFT_CONTACT_SURFACE_EXCLUSIONS_H

#include <kickdrift/contact/surface/partner_names.h>
#include <kickdrift/contact/surface/surface.h>

#include <algorithm>
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
   * Bodies that are tied do not see each other.
   *
   * @param exclude pairs as in ContactParameters::exclude
   * @param names of the bodies, then of the obstacles
   * @param group_of_body names that bodies may share, see PartnerNames
   *
   * Throws if an unknown name or boundary id is given.
   */
  template <int spacedim>
  Exclusions(const std::vector<std::pair<std::string, std::string>> &exclude,
             const std::vector<std::string> &names, Surface<spacedim> &surface,
             const std::map<std::string, std::string> &group_of_body = {});

  /// Do the two not see each other? Numbers as those of the names.
  bool
  excluded(const unsigned int body, const unsigned int target) const
  {
    if (no_self && body == target)
      return true;
    if (!tied.empty() && tied.count({std::min(body, target), std::max(body, target)}) > 0)
      return true;
    for (const auto &[first, second] : pairs)
      if (partners.are(body, target, first, second))
        return true;
    return false;
  }

  /// Does this part of a body's boundary take no part?
  bool excluded_boundary(unsigned int body, dealii::types::boundary_id id) const;

private:
  using Reference = PartnerNames::Reference;

  PartnerNames partners;
  bool no_self = false;
  std::set<std::pair<unsigned int, unsigned int>> tied; ///< see Surface
  std::vector<std::pair<Reference, Reference>> pairs;
  std::vector<std::pair<Reference, std::string>> boundaries; ///< with their ids
};
} // namespace KickDrift

#endif
