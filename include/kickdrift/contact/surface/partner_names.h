#ifndef KICKDRIFT_CONTACT_SURFACE_PARTNER_NAMES_H
#define KICKDRIFT_CONTACT_SURFACE_PARTNER_NAMES_H

#include <kickdrift/contact/geometry/obstacles.h>
#include <kickdrift/contact/surface/surface.h>

#include <map>
#include <string>
#include <vector>

namespace KickDrift
{
/// Names of the bodies of a surface, then of the obstacles: of the partners in their order.
template <int spacedim>
std::vector<std::string>
partner_names(const Surface<spacedim> &surface, const std::vector<Obstacle<spacedim>> &obstacles)
{
  std::vector<std::string> names = surface.body_names;
  for (const auto &obstacle : obstacles)
    names.push_back(obstacle.name);
  return names;
}

/**
 * Names by which rules for contact refer to partners: bodies and obstacles, which each have a name,
 * and groups of bodies, which share another one. A rule for a group is one rule, however many
 * bodies it has.
 */
class PartnerNames
{
public:
  /// What a name stands for.
  struct Reference
  {
    /// Which numbers it is compared with.
    enum class Kind
    {
      any,     ///< none: it is everybody
      partner, ///< those of the partners
      group    ///< those of their groups
    };

    Kind kind = Kind::any;   ///< of the number
    unsigned int number = 0; ///< of the partner or group
  };

  PartnerNames() = default;

  /**
   * @param names of the bodies, then of the obstacles
   * @param group_of_body by name of the body; those without a group need not be there
   */
  PartnerNames(const std::vector<std::string> &names,
               const std::map<std::string, std::string> &group_of_body);

  /// What @p name stands for, empty: everybody. Throws dealii::ExcMessage, naming the @p parameter,
  /// for unknown names.
  Reference find(const std::string &name, const std::string &parameter) const;

  /// Is partner @p number among those that @p reference stands for?
  bool
  is_among(const unsigned int number, const Reference &reference) const
  {
    return reference.kind == Reference::Kind::any ||
           (reference.kind == Reference::Kind::partner ? number : groups[number]) ==
               reference.number;
  }

  /// Are these two, in either order, those that two references stand for?
  bool
  are(const unsigned int a, const unsigned int b, const Reference &first,
      const Reference &second) const
  {
    return (is_among(a, first) && is_among(b, second)) ||
           (is_among(b, first) && is_among(a, second));
  }

private:
  std::map<std::string, unsigned int> numbers;       ///< of the partners
  std::map<std::string, unsigned int> group_numbers; ///< of the groups
  std::vector<unsigned int> groups;                  ///< by number of the partner
};
} // namespace KickDrift

#endif
