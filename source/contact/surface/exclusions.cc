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

template <int spacedim>
void
remove_boundary(Surface<spacedim> &surface, const unsigned int body, const std::string &id)
{
  const auto is_excluded = [&](const auto &face)
  { return face.body == body && std::to_string(face.boundary_id) == id; };
  auto &faces = surface.faces;
  const auto end = std::remove_if(faces.begin(), faces.end(), is_excluded);
  AssertThrow(end != faces.end(),
              dealii::ExcMessage("Contact/Exclude names boundary id " + id + ", which body '" +
                                 surface.body_names[body] + "' does not have."));
  faces.erase(end, faces.end());
}
} // namespace

template <int spacedim>
Exclusions::Exclusions(const std::vector<std::pair<std::string, std::string>> &exclude,
                       const std::vector<std::string> &names, Surface<spacedim> &surface)
{
  const auto number_of = [&](const std::string &name) -> unsigned int
  {
    const auto it = std::find(names.begin(), names.end(), name);
    AssertThrow(
        it != names.end(),
        dealii::ExcMessage("Contact/Exclude names an unknown body or obstacle '" + name + "'."));
    return it - names.begin();
  };
  const auto before = nodes_on_faces(surface);
  for (const auto &[first, second] : exclude)
    if (second.empty())
      for (unsigned int b = 0; b < surface.body_names.size(); ++b)
        pairs.emplace(b, b);
    else if (second.find_first_not_of("0123456789") == std::string::npos)
    {
      const unsigned int body = number_of(first);
      AssertThrow(
          body < surface.body_names.size(),
          dealii::ExcMessage("Contact/Exclude: obstacle '" + first + "' has no boundary ids."));
      remove_boundary(surface, body, second);
    }
    else
    {
      pairs.emplace(number_of(first), number_of(second));
      pairs.emplace(number_of(second), number_of(first));
    }

  // nodes that have lost all their faces go, particles that never had any stay
  const auto after = nodes_on_faces(surface);
  auto &contactors = surface.contactors;
  const auto has_lost = [&](const Contactor &c)
  { return before.count(c.nodes[0]) > 0 && after.count(c.nodes[0]) == 0; };
  contactors.erase(std::remove_if(contactors.begin(), contactors.end(), has_lost),
                   contactors.end());
}

template Exclusions::Exclusions(const std::vector<std::pair<std::string, std::string>> &,
                                const std::vector<std::string> &, Surface<2> &);
template Exclusions::Exclusions(const std::vector<std::pair<std::string, std::string>> &,
                                const std::vector<std::string> &, Surface<3> &);
} // namespace KickDrift
