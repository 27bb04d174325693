#include <kickdrift/contact/massless/zones.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace KickDrift
{
namespace
{
/// Sets that are united, of things with numbers.
class UnitedSets
{
public:
  explicit UnitedSets(const unsigned int n) : parents(n)
  {
    std::iota(parents.begin(), parents.end(), 0u);
  }

  /// The smallest number of the set.
  unsigned int
  first(unsigned int thing)
  {
    while (parents[thing] != thing)
      thing = parents[thing] = parents[parents[thing]];
    return thing;
  }

  void
  unite(const unsigned int a, const unsigned int b)
  {
    const unsigned int p = first(a), q = first(b);
    parents[std::max(p, q)] = std::min(p, q);
  }

private:
  std::vector<unsigned int> parents;
};
} // namespace

template <int spacedim>
MasslessZones<spacedim>::MasslessZones(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper,
                                       Surface<spacedim> all_faces, const std::vector<char> &wanted,
                                       MasslessSetting<spacedim> all_setting)
    : nodes(nodes),
      stepper(stepper),
      marked(std::move(all_faces)),
      setting(std::move(all_setting)),
      // critical steps are those of the masses that nodes have before
      lenders((stepper.find_critical_steps(), nodes), stepper),
      books{{}, setting.pairs, {}, {}},
      is_refused(marked.faces.size(), 0)
{
  std::vector<unsigned int> faces;
  for (unsigned int f = 0; f < marked.faces.size(); ++f)
    if (wanted[f])
      faces.push_back(f);
  std::vector<MasslessLoan> loans;
  faces = accept(std::move(faces), loans);
  for (const MasslessLoan &loan : loans)
    nodes.lend_mass(loan.node, loan.receiver);
  books.copy = nodes;
  books.stats.impulse.resize(nodes.size());
  books.stats.friction_impulse.resize(nodes.size());
  parts.resize(divide(faces));
  clocks.resize(parts.size());
  marked.mark_contactors();
  for (unsigned int k = 0; k < parts.size(); ++k)
    parts[k] = make_zone(k);
}

template <int spacedim>
std::vector<unsigned int>
MasslessZones<spacedim>::nodes_of(const std::vector<unsigned int> &faces) const
{
  std::vector<unsigned int> result;
  for (const unsigned int f : faces)
  {
    const auto &face = marked.faces[f];
    result.insert(result.end(), face.nodes.begin(), face.nodes.begin() + face.n_nodes);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

template <int spacedim>
std::vector<unsigned int>
MasslessZones<spacedim>::accept(std::vector<unsigned int> faces, std::vector<MasslessLoan> &loans)
{
  std::vector<unsigned int> refused;
  do
  {
    loans = lenders.find(nodes_of(faces), refused);
    const auto keeps_mass = [&](const unsigned int f)
    {
      const auto &face = marked.faces[f];
      return std::any_of(face.nodes.begin(), face.nodes.begin() + face.n_nodes,
                         [&](const unsigned int node)
                         { return std::binary_search(refused.begin(), refused.end(), node); });
    };
    for (const unsigned int f : faces)
      is_refused[f] = keeps_mass(f);
    faces.erase(std::remove_if(faces.begin(), faces.end(), keeps_mass), faces.end());
  } while (!refused.empty());
  return faces;
}

template <int spacedim>
bool
MasslessZones<spacedim>::can_touch(const unsigned int body, const unsigned int other) const
{
  return body != other && !setting.exclusions.excluded(body, other) &&
         marked.without_zone.count({std::min(body, other), std::max(body, other)}) == 0;
}

template <int spacedim>
unsigned int
MasslessZones<spacedim>::divide(const std::vector<unsigned int> &faces)
{
  // what shares cells or other kicks, whose energy is one
  UnitedSets sets(faces.size());
  std::map<unsigned int, unsigned int> first_of_kick;
  std::map<unsigned int, std::vector<unsigned int>> faces_of_body;
  for (unsigned int i = 0; i < faces.size(); ++i)
  {
    const auto &face = marked.faces[faces[i]];
    faces_of_body[face.body].push_back(i);
    for (unsigned int n = 0; n < face.n_nodes; ++n)
      if (nodes.is_massless(face.nodes[n]))
        for (const unsigned int id : lenders.kicks_of_node(face.nodes[n]))
          sets.unite(i, first_of_kick.emplace(id, i).first->second);
  }
  // what can touch: all faces of both bodies; a body is asked about those that nobody has met yet
  std::vector<unsigned int> bodies, met;
  for (const auto &entry : faces_of_body)
    bodies.push_back(entry.first);
  while (!bodies.empty())
  {
    if (met.empty())
    {
      met.push_back(bodies.back());
      bodies.pop_back();
    }
    const unsigned int body = met.back();
    met.pop_back();
    for (unsigned int b = 0; b < bodies.size();)
      if (can_touch(body, bodies[b]))
      {
        for (const unsigned int other : {body, bodies[b]})
          for (const unsigned int i : faces_of_body[other])
            sets.unite(faces_of_body[body][0], i);
        met.push_back(bodies[b]);
        bodies[b] = bodies.back();
        bodies.pop_back();
      }
      else
        ++b;
  }
  unsigned int n_zones = 0;
  std::map<unsigned int, unsigned int> zone_of_set;
  for (unsigned int i = 0; i < faces.size(); ++i)
  {
    const auto [entry, is_new] = zone_of_set.emplace(sets.first(i), n_zones);
    n_zones += is_new;
    marked.faces[faces[i]].zone = entry->second;
  }
  return n_zones;
}

template <int spacedim>
std::unique_ptr<MasslessZone<spacedim>>
MasslessZones<spacedim>::make_zone(const unsigned int k)
{
  std::vector<unsigned int> own, ids;
  std::vector<SurfaceFace<spacedim>> faces;
  for (unsigned int f = 0; f < marked.faces.size(); ++f)
    if (marked.faces[f].zone == k)
    {
      own.push_back(f);
      faces.push_back(marked.faces[f]);
    }
  std::vector<MasslessLoan> loans;
  for (const unsigned int node : nodes_of(own))
    if (nodes.is_massless(node))
    {
      loans.push_back({node, nodes.loans.carrier(node)});
      const auto of_node = lenders.kicks_of_node(node);
      ids.insert(ids.end(), of_node.begin(), of_node.end());
    }
  if (loans.empty())
    return {};
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  MasslessTargets<spacedim> targets(std::move(faces), setting.obstacles, setting.exclusions,
                                    marked.body_names.size(), setting.pairs, marked.without_zone);
  return std::make_unique<Zone>(nodes, stepper, std::move(targets), std::move(loans),
                                std::move(ids), books, setting.parameters);
}

template <int spacedim>
std::vector<std::vector<unsigned int>>
MasslessZones<spacedim>::groups() const
{
  std::vector<std::vector<unsigned int>> result;
  for (const auto &zone : parts)
    result.push_back(zone ? zone->ids() : std::vector<unsigned int>());
  return result;
}

template <int spacedim>
void
MasslessZones<spacedim>::start()
{
  for (const auto &zone : parts)
    if (zone)
      zone->start();
}

template <int spacedim>
unsigned int
MasslessZones<spacedim>::n_massless() const
{
  unsigned int n = 0;
  for (const auto &zone : parts)
    n += zone ? zone->n_massless() : 0;
  return n;
}

template <int spacedim>
std::vector<MasslessRefusal>
MasslessZones<spacedim>::refusals() const
{
  std::map<unsigned int, unsigned int> of_body;
  for (unsigned int f = 0; f < is_refused.size(); ++f)
    if (is_refused[f])
      ++of_body[marked.faces[f].body];
  std::vector<MasslessRefusal> result;
  for (const auto &[body, n] : of_body)
    result.push_back({body, n});
  return result;
}

template <int spacedim>
void
MasslessZones<spacedim>::add_to(ContactStatistics<spacedim> &others) const
{
  const ContactStatistics<spacedim> &own = books.stats;
  others.tests += own.tests;
  others.max_penetration = std::max(others.max_penetration, own.max_penetration);
  others.friction_loss += own.friction_loss;
  others.obstacle_work += own.obstacle_work;
  others.impulse.resize(nodes.size());
  others.friction_impulse.resize(nodes.size());
  for (unsigned int node = 0; node < nodes.size(); ++node)
  {
    others.impulse[node] += own.impulse[node];
    others.friction_impulse[node] += own.friction_impulse[node];
  }
  for (const auto &zone : parts)
    if (zone)
      zone->add_pending(others);
}

template <int spacedim>
void
MasslessZones<spacedim>::add_to(ContactPairs<spacedim> &others) const
{
  others.add(books.pairs);
  for (const auto &zone : parts)
    if (zone)
      zone->add_pending(others);
}

template <int spacedim>
std::vector<unsigned int>
MasslessZones<spacedim>::support(const unsigned int k) const
{
  return parts[k] ? parts[k]->support(0) : std::vector<unsigned int>();
}

template <int spacedim>
void
MasslessZones<spacedim>::assign_clocks(const std::vector<unsigned int> &clock_of_kick,
                                       const unsigned int n_clocks)
{
  clocks = clock_of_kick;
  for (unsigned int k = 0; k < parts.size(); ++k)
    if (parts[k])
      parts[k]->assign_clocks({clocks[k]}, n_clocks);
}

template <int spacedim>
void
MasslessZones<spacedim>::change_clock(const unsigned int k, const unsigned int clock)
{
  clocks[k] = clock;
  if (parts[k])
    parts[k]->change_clock(0, clock);
}

template <int spacedim>
template <typename Function>
void
MasslessZones<spacedim>::for_each_on_clock(const unsigned int clock, const Function &f) const
{
  for (unsigned int k = 0; k < parts.size(); ++k)
    if (clocks[k] == clock && parts[k])
      f(*parts[k]);
}

template <int spacedim>
void
MasslessZones<spacedim>::kick(NodeTable<spacedim> &nodes, const unsigned int clock,
                              const double time, const double step) const
{
  for_each_on_clock(clock, [&](const Zone &zone) { zone.kick(nodes, clock, time, step); });
}

template <int spacedim>
void
MasslessZones<spacedim>::force(const NodeTable<spacedim> &nodes, const unsigned int k,
                               const double time, std::vector<Vector> &force) const
{
  parts[k]->force(nodes, 0, time, force);
}

template <int spacedim>
void
MasslessZones<spacedim>::book(const NodeTable<spacedim> &nodes, const unsigned int clock,
                              const double time)
{
  for_each_on_clock(clock, [&](Zone &zone) { zone.book(nodes, clock, time); });
}

template <int spacedim>
void
MasslessZones<spacedim>::add_energy(const NodeTable<spacedim> &nodes, EnergyBalance &balance) const
{
  balance.friction_loss += books.stats.friction_loss;
  for (const auto &zone : parts)
    if (zone)
      zone->add_energy(nodes, balance);
}

template <int spacedim>
void
MasslessZones<spacedim>::serialize(Archive &archive)
{
  archive(books.stats, books.pairs, books.done);
  for (const auto &zone : parts)
    if (zone)
      archive(*zone);
}

template class MasslessZones<2>;
template class MasslessZones<3>;
} // namespace KickDrift
