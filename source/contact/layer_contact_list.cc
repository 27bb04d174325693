// Which pairs are near enough to be watched.

#include <kickdrift/contact/layer_contact.h>
#include <kickdrift/stepping/threads.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>

namespace KickDrift
{
namespace
{
// Layers of pairs that start too near begin at this share of their distance.
constexpr double share_of_distance = 0.9;
// Bodies may start where layers begin.
constexpr double round_off = 1e-9;
// Thickness of layers as a share of the shortest edge of a face.
constexpr double share_of_edge = 1. / 6;
// Pairs are listed up to this share of the shortest edge beyond their layers.
constexpr double reach_in_edges = 0.5;
// What moves by itself is looked at anew after so many steps of the finest cells.
constexpr double steps_of_looks = 64;

/// The class of LayerClock whose step is not above @p step; negative if there is none.
int
class_of_step(const LayerClock &clock, const double step)
{
  constexpr int coarsest = 50;
  const double ratio = step / clock.step(0) * (1 + 1e-12);
  return std::isfinite(ratio) ? std::min(std::ilogb(ratio), coarsest) : coarsest;
}
} // namespace

template <int spacedim>
void
LayerContact<spacedim>::choose_full_thickness()
{
  const double shortest = primitives.edge_lengths().first;
  eta = parameters.layers.thickness;
  if (eta == 0)
    eta = share_of_edge * shortest;
  AssertThrow(std::isfinite(eta),
              dealii::ExcMessage("The surface for contact has no faces to take the thickness of "
                                 "penalty layers from: set 'Contact/Layers/Thickness'."));
  reach = std::isfinite(shortest) ? reach_in_edges * shortest : eta;
}

template <int spacedim>
double
LayerContact<spacedim>::thickness(const unsigned int partner, const unsigned int other) const
{
  if (parameters.layers.thickness > 0)
    return 2 * eta;
  return std::max(2 * eta,
                  0.5 * (contact_surface.thickness(partner) + contact_surface.thickness(other)));
}

template <int spacedim>
double
LayerContact<spacedim>::full_thickness(const PrimitivePair &pair) const
{
  const auto bodies = primitives.partners(pair);
  return thickness(bodies[0], bodies[1]);
}

template <int spacedim>
double
LayerContact<spacedim>::largest_thickness() const
{
  double largest = 2 * eta;
  for (unsigned int body = 0; body < contact_surface.body_names.size(); ++body)
    largest = std::max(largest, thickness(body, body));
  return largest;
}

template <int spacedim>
void
LayerContact<spacedim>::find_node_classes()
{
  const TimeLevels &levels = stepper.levels();
  class_of_node.assign(nodes.size(), parameters.layers.depth);
  for (const unsigned int node : primitives.surface_nodes())
  {
    double shortest = std::numeric_limits<double>::infinity();
    for (const unsigned int id : stepper.supports().kicks_of_node(node))
      shortest = std::min(shortest, levels.natural_step(id));
    if (std::isfinite(shortest))
      class_of_node[node] = std::max(0, class_of_step(clock, shortest));
  }
}

template <int spacedim>
std::vector<PrimitivePair>
LayerContact<spacedim>::search(const double time, const double range,
                               const Configuration configuration)
{
  primitives.enter_instant(time);
  primitives.fit(time, configuration);
  Threads *const threads = stepper.threads().get();
  std::vector<std::vector<PrimitivePair>> found(threads ? threads->size() : 1);
  const auto find = [&](const unsigned int thread)
  { primitives.find(time, range, thread, found.size(), found[thread], configuration); };
  if (threads)
    threads->run(find);
  else
    find(0);
  std::vector<PrimitivePair> result;
  for (const auto &part : found)
    result.insert(result.end(), part.begin(), part.end());
  std::sort(result.begin(), result.end());
  return result;
}

template <int spacedim>
void
LayerContact<spacedim>::find_near_pairs()
{
  const double time = stepper.time(), range = largest_thickness() / share_of_distance;
  std::map<PrimitivePair, double> distances;
  for (const Configuration configuration : {Configuration::present, Configuration::reference})
    for (const PrimitivePair &pair : search(time, range, configuration))
    {
      const double distance = primitives.gap(pair, time, configuration).distance;
      AssertThrow(distance > 0, ExcTouching(text(pair), distance, time));
      const auto entry = distances.emplace(pair, distance).first;
      entry->second = std::min(entry->second, distance);
    }
  near.clear();
  for (const auto &[pair, distance] : distances)
  {
    // what moves with the pair's own body should not be at its edge all the time
    const auto bodies = primitives.partners(pair);
    const double begin = thickness(bodies[0], bodies[1]);
    if (distance < (bodies[0] == bodies[1] ? begin / share_of_distance : (1 - round_off) * begin))
      near.push_back({pair, distance});
  }
  near_by_pair = near;
  std::stable_sort(near.begin(), near.end(),
                   [](const NearPair &a, const NearPair &b) { return a.distance < b.distance; });
}

template <int spacedim>
void
LayerContact<spacedim>::find_crossings()
{
  const double time = stepper.time();
  primitives.fit(time);
  crossing_texts.clear();
  for (const auto &crossing : primitives.crossings_of_shells(time))
  {
    std::ostringstream text;
    text << "The edge of nodes " << crossing.edge[0] << " and " << crossing.edge[1] << " of '"
         << contact_surface.body_names[bounds.body_of(crossing.edge[0])] << "' at ("
         << nodes.position(crossing.edge[0]) << ") passes through a face of '"
         << contact_surface.body_names[contact_surface.faces[crossing.face].body] << "'";
    crossing_texts.push_back(text.str());
  }
}

template <int spacedim>
void
LayerContact<spacedim>::check_crossings() const
{
  AssertThrow(crossing_texts.empty(), ExcCrossing(crossing_texts.front()));
}

template <int spacedim>
void
LayerContact<spacedim>::check_distances() const
{
  for (const NearPair &pair : near)
  {
    const auto bodies = primitives.partners(pair.primitives);
    AssertThrow(bodies[0] == bodies[1],
                ExcTooNear(text(pair.primitives), pair.distance, thickness(bodies[0], bodies[1])));
  }
}

template <int spacedim>
double
LayerContact<spacedim>::thickness_of(const PrimitivePair &pair) const
{
  const auto entry =
      std::lower_bound(near_by_pair.begin(), near_by_pair.end(), pair,
                       [](const NearPair &a, const PrimitivePair &b) { return a.primitives < b; });
  const double full = full_thickness(pair);
  return entry != near_by_pair.end() && entry->primitives == pair
             ? std::min(full, share_of_distance * entry->distance)
             : full;
}

template <int spacedim>
double
LayerContact<spacedim>::ratio_of(const PrimitivePair &pair) const
{
  // a node has one obstacle in front of it, but several faces and edges
  return parameters.layers.ratio * (pair.kind == LayerPairKind::node_obstacle ? 2 : 1);
}

/// Without stiffness if all nodes are held.
template <int spacedim>
LayerPair
LayerContact<spacedim>::new_pair(const PrimitivePair &primitive_pair) const
{
  LayerPair pair;
  pair.primitives = primitive_pair;
  pair.begin = pair.thickness = thickness_of(primitive_pair);
  unsigned int finest = -1;
  double inverse_mass = 0;
  for (const auto &side : primitives.nodes_of(primitive_pair))
  {
    double largest = 0;
    for (const unsigned int node : side)
    {
      if (nodes.restraints.n_directions(node) < spacedim)
        largest = std::max(largest, nodes[node].inverse_mass);
      finest = std::min(finest, class_of_node[node]);
    }
    inverse_mass += largest;
  }
  pair.top = finest;
  if (!(inverse_mass > 0))
    return pair;
  pair.stiffness = parameters.layers.stiffness;
  const double ratio = ratio_of(primitive_pair);
  if (pair.stiffness == 0)
    pair.stiffness = profile.stiffness_for_step(ratio, clock.step(finest), inverse_mass);
  else
  {
    const double step = profile.step_for_stiffness(ratio, pair.stiffness, inverse_mass);
    const int own_class = class_of_step(clock, step);
    AssertThrow(own_class >= 0, ExcTooStiff(pair.stiffness, step));
    pair.top = own_class;
  }
  return pair;
}

template <int spacedim>
void
LayerContact<spacedim>::update_list(const double time)
{
  ++impulses.layer_stats.searches;
  for (unsigned int body = 0; body < bounds.n_bodies(); ++body)
    bounds.shrink(body, time);
  find_node_classes();
  std::vector<LayerPair> before;
  before.swap(listed);
  std::vector<unsigned int> added;
  auto old = before.begin();
  n_held = 0;
  for (const PrimitivePair &found :
       search(time, largest_thickness() + reach, Configuration::present))
  {
    for (; old != before.end() && old->primitives < found; ++old)
      impulses.leave(*old, old->thickness);
    if (old != before.end() && old->primitives == found)
    {
      listed.push_back(*old++);
      continue;
    }
    const LayerPair pair = new_pair(found);
    if (pair.stiffness > 0)
    {
      added.push_back(listed.size());
      listed.push_back(pair);
    }
    else
      ++n_held;
  }
  for (; old != before.end(); ++old)
    impulses.leave(*old, old->thickness);
  const std::int64_t tick = clock.tick_at(time);
  queue.clear();
  for (const unsigned int pair : added)
  {
    Gap gap = gap_of(listed[pair], time);
    AssertThrow(gap.distance > 0, ExcTouching(text(listed[pair].primitives), gap.distance, time));
    choose_thickness(listed[pair], gap, time);
    schedule(pair, gap, time, tick);
  }
  rebuild_queue();

  frames_at_search.resize(bounds.n_bodies());
  paths_at_search.resize(bounds.n_bodies());
  for (unsigned int body = 0; body < bounds.n_bodies(); ++body)
  {
    frames_at_search[body] = bounds.displacement(body, time);
    paths_at_search[body] = bounds.path(body, time);
  }
  obstacles_at_search.resize(obstacles.size());
  for (unsigned int o = 0; o < obstacles.size(); ++o)
    obstacles_at_search[o] = primitives.obstacle_displacement(o, time);
  find_next_search(time);
}

/// How far bodies, and then obstacles, may have moved since the last search at most, bodies without
/// their common motion if there are no obstacles.
template <int spacedim>
std::vector<double>
LayerContact<spacedim>::ways(const double time) const
{
  std::vector<double> result;
  Vector mean;
  const unsigned int n_bodies = bounds.n_bodies();
  for (unsigned int body = 0; body < n_bodies && obstacles.empty(); ++body)
    mean += (bounds.displacement(body, time) - frames_at_search[body]) / n_bodies;
  for (unsigned int body = 0; body < n_bodies; ++body)
    result.push_back((bounds.displacement(body, time) - frames_at_search[body] - mean).norm() +
                     bounds.path(body, time) - paths_at_search[body]);
  for (unsigned int o = 0; o < obstacles.size(); ++o)
    result.push_back(way_of_obstacle(o, time));
  return result;
}

template <int spacedim>
double
LayerContact<spacedim>::way_of_obstacle(const unsigned int obstacle, const double time) const
{
  return primitives.obstacle_moves(obstacle)
             ? (primitives.obstacle_displacement(obstacle, time) - obstacles_at_search[obstacle])
                   .norm()
             : 0.;
}

/// The list is good while no two have come more than the reach.
template <int spacedim>
void
LayerContact<spacedim>::find_next_search(const double time)
{
  const std::vector<double> all = ways(time);
  const unsigned int n_bodies = bounds.n_bodies();
  Vector mean;
  for (unsigned int body = 0; body < n_bodies && obstacles.empty(); ++body)
    mean += bounds.velocity(body) / n_bodies;
  next_search = std::numeric_limits<double>::infinity();
  for (unsigned int body = 0; body < n_bodies; ++body)
  {
    const double rate = (bounds.velocity(body) - mean).norm() + bounds.deviation(body);
    if (rate > 0)
      next_search = std::min(next_search, time + (0.5 * reach - all[body]) / rate);
  }
  for (unsigned int o = 0; o < obstacles.size(); ++o)
    if (primitives.obstacle_moves(o))
    {
      // it will be where its function says: looked at several times up to the next look
      constexpr unsigned int n_samples = 4;
      double interval = steps_of_looks * clock.step(parameters.layers.depth);
      const auto leaves = [&]
      {
        for (unsigned int i = 1; i <= n_samples; ++i)
          if (way_of_obstacle(o, time + interval * i / n_samples) > 0.5 * reach)
            return true;
        return false;
      };
      while (interval > clock.step(parameters.layers.depth) && leaves())
        interval /= 2;
      next_search = std::min(next_search, time + interval);
    }
  next_search = std::max(next_search, time);
}

template class LayerContact<2>;
template class LayerContact<3>;
} // namespace KickDrift
