#include <kickdrift/contact/surface/exclusions.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <set>

namespace KickDrift
{
namespace
{
template <int spacedim>
std::set<unsigned int>
nodes_on_faces(const Surface<spacedim> &surface)
{
  std::set<unsigned int> nodes;
  for (const auto &face : surface.faces)
    nodes.insert(face.nodes.begin(), face.nodes.begin() + face.n_nodes);
  return nodes;
}

} // namespace

bool
Exclusions::excluded_boundary(const unsigned int body, const dealii::types::boundary_id id) const
{
  return std::any_of(boundaries.begin(), boundaries.end(),
                     [&](const auto &boundary) {
                       return partners.is_among(body, boundary.first) &&
                              std::to_string(id) == boundary.second;
                     });
}

template <int spacedim>
Exclusions::Exclusions(const std::vector<std::pair<std::string, std::string>> &exclude,
                       const std::vector<std::string> &names, Surface<spacedim> &surface,
                       const std::map<std::string, std::string> &group_of_body)
    : partners(names, group_of_body), tied(surface.tied)
{
  const std::string parameter = "Contact/Exclude";
  const auto is_body = [&](const Reference &one)
  { return one.kind != Reference::Kind::partner || one.number < surface.body_names.size(); };
  const auto before = nodes_on_faces(surface);
  for (const auto &[first, second] : exclude)
  {
    if (second.empty())
    {
      no_self = true;
      continue;
    }
    const Reference one = partners.find(first, parameter);
    if (second.find_first_not_of("0123456789") != std::string::npos)
      pairs.emplace_back(one, partners.find(second, parameter));
    else
    {
      AssertThrow(is_body(one), dealii::ExcMessage(parameter + ": obstacle '" + first +
                                                   "' has no boundary ids."));
      boundaries.emplace_back(one, second);
      // checked before any face goes: parts may be named more than once
      const auto is_named = [&](const auto &face)
      { return partners.is_among(face.body, one) && std::to_string(face.boundary_id) == second; };
      // closures: tied faces, which touch nothing
      AssertThrow(std::any_of(surface.faces.begin(), surface.faces.end(), is_named) ||
                      std::any_of(surface.closures.begin(), surface.closures.end(), is_named),
                  dealii::ExcMessage(parameter + " names boundary id " + second + ", which body '" +
                                     first + "' does not have; the faces of a shell have none."));
    }
  }
  if (boundaries.empty())
    return;

  auto &faces = surface.faces;
  faces.erase(std::remove_if(faces.begin(), faces.end(),
                             [&](const auto &face)
                             { return excluded_boundary(face.body, face.boundary_id); }),
              faces.end());

  // nodes that have lost all their faces go, particles that never had any stay
  const auto after = nodes_on_faces(surface);
  auto &contactors = surface.contactors;
  const auto has_lost = [&](const Contactor &c)
  { return before.count(c.nodes[0]) > 0 && after.count(c.nodes[0]) == 0; };
  contactors.erase(std::remove_if(contactors.begin(), contactors.end(), has_lost),
                   contactors.end());
}

template Exclusions::Exclusions(const std::vector<std::pair<std::string, std::string>> &,
                                const std::vector<std::string> &, Surface<2> &,
                                const std::map<std::string, std::string> &);
template Exclusions::Exclusions(const std::vector<std::pair<std::string, std::string>> &,
                                const std::vector<std::string> &, Surface<3> &,
                                const std::map<std::string, std::string> &);
} // namespace KickDrift
