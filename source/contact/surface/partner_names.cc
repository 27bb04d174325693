#include <kickdrift/contact/surface/partner_names.h>

#include <deal.II/base/exceptions.h>

namespace KickDrift
{
namespace
{
constexpr unsigned int several = -1; ///< partners have the same name
} // namespace

PartnerNames::PartnerNames(const std::vector<std::string> &names,
                           const std::map<std::string, std::string> &group_of_body)
{
  constexpr unsigned int none = -1;
  for (const std::string &name : names)
  {
    if (const auto entry = numbers.emplace(name, groups.size()); !entry.second)
      entry.first->second = several;
    const auto group = group_of_body.find(name);
    groups.push_back(
        group == group_of_body.end()
            ? none
            : group_numbers.emplace(group->second, group_numbers.size()).first->second);
  }
}

PartnerNames::Reference
PartnerNames::find(const std::string &name, const std::string &parameter) const
{
  using Kind = Reference::Kind;
  if (name.empty())
    return {};
  const auto partner = numbers.find(name);
  AssertThrow(partner == numbers.end() || partner->second != several,
              dealii::ExcMessage(parameter + " names '" + name +
                                 "', but several bodies or obstacles have this name."));
  if (partner != numbers.end())
    return {Kind::partner, partner->second};
  const auto group = group_numbers.find(name);
  AssertThrow(group != group_numbers.end(),
              dealii::ExcMessage(parameter + " names an unknown body or obstacle '" + name + "'."));
  return {Kind::group, group->second};
}
} // namespace KickDrift
