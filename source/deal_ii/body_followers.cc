// Vertices of a body that are no nodes but follow those of this or other bodies.

#include <kickdrift/base/messages.h>
#include <kickdrift/deal_ii/body.h>
#include <kickdrift/deal_ii/cell_geometry.h>

#include <algorithm>

namespace KickDrift
{
using namespace dealii;

template <int dim, int spacedim>
void
Body<dim, spacedim>::follow(const DoFIndex dof, const std::vector<Master> &masters)
{
  AssertIndexRange(dof, local_node_of_dof.size());
  const unsigned int node = local_node_of_dof[dof];
  AssertThrow(offset == numbers::invalid_unsigned_int, ExcTieTooLate(body_name, body_name));
  for (const Master &master : masters)
    AssertThrow(master.body->offset == numbers::invalid_unsigned_int,
                ExcTieTooLate(body_name, master.body->name()));
  const std::string where = point_text(local_position(node));
  AssertThrow(integration != StrainIntegration::nodal, ExcTieNodal(body_name));
  AssertThrow(masters_of(node).empty() && node < n_nodes(), ExcTiedTwice(body_name, where));

  std::vector<Master> found;
  for (const Master &master : masters)
    collect_masters(master, found);
  for (const Master &master : found)
    AssertThrow(master.body != this || local_node_of_dof[master.dof] != node,
                ExcTieCircle(body_name, where));
  tied.emplace(node, masters);
  for (const Master &master : found)
    master.body->received[master.body->local_node_of_dof[master.dof]] +=
        master.weight * (masses[node] + received[node]);
  received[node] = 0;
}

template <int dim, int spacedim>
bool
Body<dim, spacedim>::hangs(const DoFIndex dof) const
{
  const unsigned int node = local_node_of_dof[dof];
  return node >= n_nodes() && node - n_nodes() < n_hanging;
}

template <int dim, int spacedim>
bool
Body<dim, spacedim>::is_tied(const DoFIndex dof) const
{
  return !hangs(dof) && !masters_of(local_node_of_dof[dof]).empty();
}

template <int dim, int spacedim>
const std::vector<typename Body<dim, spacedim>::Master> &
Body<dim, spacedim>::masters_of(const unsigned int local_node) const
{
  static const std::vector<Master> none;
  if (local_node >= n_nodes())
    return followers[local_node - n_nodes()].masters;
  const auto entry = tied.find(local_node);
  return entry == tied.end() ? none : entry->second;
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::collect_masters(const Master &master, std::vector<Master> &found)
{
  const auto &next = master.body->masters_of(master.body->local_node_of_dof[master.dof]);
  for (const Master &other : next)
    collect_masters({other.body, other.dof, master.weight * other.weight}, found);
  if (!next.empty())
    return;
  const auto same = std::find_if(found.begin(), found.end(),
                                 [&](const Master &other)
                                 { return other.body == master.body && other.dof == master.dof; });
  if (same == found.end())
    found.push_back(master);
  else
    same->weight += master.weight;
}

template <int dim, int spacedim>
std::vector<Parent>
Body<dim, spacedim>::parents_of(const Follower &follower) const
{
  std::vector<Master> found;
  for (const Master &master : follower.masters)
    collect_masters(master, found);
  std::vector<Parent> parents;
  for (const Master &master : found)
    parents.push_back({master.body->node_of_dof(master.dof), master.weight});
  return parents;
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::for_each_follower(
    const std::function<void(const DoFIndex *dofs, const std::vector<Parent> &parents)> &f) const
{
  check_mesh();
  const unsigned int n_components = dofs->get_fe().n_components();
  for (unsigned int i = 0; i < followers.size(); ++i)
    f(&follower_dofs[i * n_components], parents_of(followers[i]));
}

template <int dim, int spacedim>
std::set<const Body<dim, spacedim> *>
Body<dim, spacedim>::masters() const
{
  std::set<const Body *> bodies;
  const auto add = [&](const std::vector<Master> &masters)
  {
    std::vector<Master> found;
    for (const Master &master : masters)
    {
      bodies.insert(master.body);
      collect_masters(master, found);
    }
    for (const Master &master : found)
      bodies.insert(master.body);
  };
  for (const Follower &follower : followers)
    add(follower.masters);
  for (const auto &entry : tied)
    add(entry.second);
  return bodies;
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::take_out_tied_nodes()
{
  if (tied.empty())
    return;
  const unsigned int n_before = n_nodes(), n_free = n_before - tied.size(),
                     n_components = dofs->get_fe().n_components();
  std::vector<unsigned int> renumbered(n_before + followers.size());
  unsigned int n = 0, n_tied = 0;
  std::vector<DoFIndex> free_dofs;
  for (unsigned int node = 0; node < n_before; ++node)
  {
    const auto entry = tied.find(node);
    const auto first_dof = node_dofs.begin() + std::size_t(node) * n_components;
    auto &list = entry == tied.end() ? free_dofs : follower_dofs;
    list.insert(list.end(), first_dof, first_dof + n_components);
    if (entry != tied.end())
    {
      renumbered[node] = n_free + n_hanging + n_tied++;
      followers.push_back({positions[node], std::move(entry->second), masses[node]});
      continue;
    }
    renumbered[node] = n;
    positions[n] = positions[node];
    masses[n] = masses[node];
    received[n] = received[node];
    volumes[n] = volumes[node];
    ++n;
  }
  for (unsigned int i = 0; i < n_hanging; ++i)
    renumbered[n_before + i] = n_free + i;
  positions.resize(n_free);
  masses.resize(n_free);
  received.resize(n_free);
  volumes.resize(n_free);
  node_dofs = std::move(free_dofs);
  tied.clear();
  for (unsigned int &node : local_node_of_dof)
    if (node != numbers::invalid_unsigned_int)
      node = renumbered[node];
}

template <int dim, int spacedim>
std::vector<typename Body<dim, spacedim>::TiedNode>
Body<dim, spacedim>::tied_nodes(const std::set<types::boundary_id> &ids) const
{
  std::set<unsigned int> chosen;
  std::vector<unsigned int> nodes;
  for (const auto &boundary_face : faces)
  {
    const auto &owner = cell(boundary_face.active_cell_index);
    if (!ids.empty() && ids.count(owner->face(boundary_face.face)->boundary_id()) == 0)
      continue;
    local_nodes(owner, nodes);
    for (const unsigned int v : outward_face_vertices<dim, spacedim>(owner, boundary_face.face))
      if (nodes[v] >= n_nodes() + n_hanging)
        chosen.insert(nodes[v] - n_nodes());
  }
  std::vector<TiedNode> result;
  for (const unsigned int i : chosen)
    result.push_back({followers[i].reference, parents_of(followers[i])});
  return result;
}

template <int dim, int spacedim>
typename Body<dim, spacedim>::TiedNode
Body<dim, spacedim>::tied_node(const DoFIndex dof) const
{
  const Follower &follower = followers[local_node_of_dof[dof] - n_nodes()];
  return {follower.reference, parents_of(follower)};
}

template <int dim, int spacedim>
unsigned int
Body<dim, spacedim>::component_of_dof(const DoFIndex dof) const
{
  const unsigned int node = local_node_of_dof[dof], n_components = dofs->get_fe().n_components();
  const auto first = node < n_nodes()
                         ? node_dofs.begin() + std::size_t(node) * n_components
                         : follower_dofs.begin() + std::size_t(node - n_nodes()) * n_components;
  return std::find(first, first + n_components, dof) - first;
}

template <int dim, int spacedim>
std::vector<typename Body<dim, spacedim>::MassFraction>
Body<dim, spacedim>::mass_fractions() const
{
  std::vector<MassFraction> result;
  std::map<unsigned int, double> of_others;
  for (unsigned int n = 0; n < n_nodes(); ++n)
    result.push_back(
        {first_node() + n, received[n] > 0 ? masses[n] / (masses[n] + received[n]) : 1});
  for (const Follower &follower : followers)
  {
    std::vector<Master> found;
    for (const Master &master : follower.masters)
      collect_masters(master, found);
    for (const Master &master : found)
    {
      const Body &other = *master.body;
      const unsigned int node = other.local_node_of_dof[master.dof];
      of_others[other.index(node)] +=
          master.weight * follower.mass / (other.masses[node] + other.received[node]);
    }
  }
  for (const auto &[node, fraction] : of_others)
    if (fraction > 0)
      result.push_back({node, fraction});
  return result;
}

template class Body<2>;
template class Body<3>;
} // namespace KickDrift
