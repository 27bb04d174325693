#include <kickdrift/base/archive_checks.h>
#include <kickdrift/cases/run/contact_resolution.h>

#include <algorithm>

namespace KickDrift
{
namespace
{
// A face looks at the contact if its normal is within 60 degrees of the direction that the impulse
// comes from.
constexpr double least_cosine = 0.5;
// A node counts as pressed if it gets this share of the largest impulse of its body.
constexpr double least_share = 1e-3;
constexpr unsigned int most_names = 3;

/// All nodes of faces, ascending.
template <int dim>
std::vector<unsigned int>
nodes_of_faces(const Surface<dim> &surface)
{
  std::vector<unsigned int> nodes;
  for (const auto &face : surface.faces)
    nodes.insert(nodes.end(), face.nodes.begin(), face.nodes.begin() + face.n_nodes);
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

unsigned int
index_of(const std::vector<unsigned int> &sorted, const unsigned int node)
{
  return std::lower_bound(sorted.begin(), sorted.end(), node) - sorted.begin();
}
} // namespace

template <int dim>
ContactResolution<dim>::ContactResolution(const Model<dim> &model)
    : surface(model.contact->surface()),
      surface_nodes(nodes_of_faces(surface)),
      before(surface_nodes.size()),
      bodies(surface.body_names.size())
{
  std::vector<std::pair<unsigned int, unsigned int>> faces, nodes;
  for (unsigned int f = 0; f < surface.faces.size(); ++f)
    for (unsigned int i = 0; i < surface.faces[f].n_nodes; ++i)
    {
      const unsigned int index = index_of(surface_nodes, surface.faces[f].nodes[i]);
      faces.emplace_back(index, f);
      nodes.emplace_back(surface.faces[f].body, index);
    }
  faces_of_node = CompressedRows<unsigned int>::from_pairs(faces, surface_nodes.size());
  indices_of_body = CompressedRows<unsigned int>::from_pairs(nodes, bodies.size());
  if (model.dynamics.has_eroding_surface())
    for (unsigned int body = 0; body < bodies.size(); ++body)
      bodies[body].resolved |= model.parameters.bodies[body].failure_strain > 0;
}

template <int dim>
void
ContactResolution<dim>::look(const NodeTable<dim> &nodes, const ContactStatistics<dim> &statistics)
{
  std::vector<Vector> impulse(surface_nodes.size());
  for (unsigned int i = 0; i < surface_nodes.size(); ++i)
  {
    const unsigned int node = surface_nodes[i];
    const Vector now = statistics.impulse[node] - statistics.friction_impulse[node];
    impulse[i] = now - before[i];
    before[i] = now;
  }
  for (unsigned int body = 0; body < bodies.size(); ++body)
    if (!bodies[body].resolved)
      look_at(body, nodes, impulse);
}

template <int dim>
void
ContactResolution<dim>::look_at(const unsigned int body, const NodeTable<dim> &nodes,
                                const std::vector<Vector> &impulse)
{
  double largest = 0;
  for (const unsigned int i : indices_of_body.row(body))
    largest = std::max(largest, impulse[i].norm());
  const auto is_pressed = [&](const unsigned int node)
  { return impulse[index_of(surface_nodes, node)].norm() > least_share * largest; };
  const auto position = [&](const unsigned int node) { return nodes.position(node); };
  for (const unsigned int i : indices_of_body.row(body))
  {
    const double size = impulse[i].norm();
    if (!(size > least_share * largest))
      continue;
    bool all_pressed = true, any = false;
    for (const unsigned int f : faces_of_node.row(i))
    {
      const auto &face = surface.faces[f];
      if (unit_normal(face, position) * impulse[i] > -least_cosine * size)
        continue;
      any = true;
      all_pressed = all_pressed &&
                    std::all_of(face.nodes.begin(), face.nodes.begin() + face.n_nodes, is_pressed);
    }
    bodies[body].touching |= any;
    bodies[body].resolved |= any && all_pressed;
  }
}

template <int dim>
std::vector<std::string>
ContactResolution<dim>::unresolved_bodies() const
{
  std::vector<std::string> names;
  for (unsigned int body = 0; body < bodies.size(); ++body)
    if (bodies[body].touching && !bodies[body].resolved)
      names.push_back(surface.body_names[body]);
  return names;
}

template <int dim>
void
ContactResolution<dim>::serialize(Archive &archive)
{
  archive.section("resolution of contact");
  archive.fixed(before, bodies);
  for (const Seen &seen : bodies)
    check_state(seen.touching <= 1 && seen.resolved <= 1, "resolution of contact");
}

std::string
text_of_unresolved(const std::vector<std::string> &bodies)
{
  if (bodies.empty())
    return "";
  std::string text = bodies.size() == 1 ? "Contact of body " : "Contact of the bodies ";
  for (unsigned int i = 0; i < bodies.size() && i < most_names; ++i)
    text += (i > 0 ? ", '" : "'") + bodies[i] + "'";
  if (bodies.size() > most_names)
    text += " and " + std::to_string(bodies.size() - most_names) + " others";
  return text + " was at no save time two cells wide: local indentation is not resolved there, and "
                "contact forces may be far too high. Refine the mesh where it touches, or take "
                "forces there as those of the mesh.";
}

template class ContactResolution<2>;
template class ContactResolution<3>;
} // namespace KickDrift
