// Which layers are awake, and when the rest must be looked at.

#include <kickdrift/contact/layer_contact.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace KickDrift
{
namespace
{
// What is above a layer by this share of its thickness is above it: rounding does not matter.
constexpr double clearly = 1 + 1e-9;
// No pair sleeps for more periods of its first layer.
constexpr std::int64_t longest_sleep = std::int64_t(1) << 20;
// The mean velocity of an obstacle over a step is so far from any in it, as a share and in
// differences of those over the halves.
constexpr double share_of_speed = 0.05, differences = 2;
} // namespace

template <int spacedim>
typename LayerContact<spacedim>::Approach
LayerContact<spacedim>::approach(const LayerPair &pair, const double time) const
{
  const auto [a, b] = primitives.partners(pair.primitives);
  Approach result;
  if (a == b)
    result.deviation = 2 * bounds.deviation(a);
  else if (pair.primitives.kind != LayerPairKind::node_obstacle)
  {
    result.velocity = bounds.velocity(a) - bounds.velocity(b);
    result.deviation = bounds.deviation(a) + bounds.deviation(b);
  }
  else
  {
    result.velocity = bounds.velocity(a);
    result.deviation = bounds.deviation(a);
    const unsigned int obstacle = pair.primitives.second;
    if (primitives.obstacle_moves(obstacle))
    {
      const double step = clock.step(pair.top);
      const Vector here = primitives.obstacle_displacement(obstacle, time);
      const Vector half = primitives.obstacle_displacement(obstacle, time + 0.5 * step) - here;
      const Vector way = primitives.obstacle_displacement(obstacle, time + step) - here;
      result.velocity -= way / step;
      result.deviation +=
          (share_of_speed * way.norm() + differences * (2 * half - way).norm()) / step;
      result.is_short = true;
    }
  }
  result.in_any_direction = result.velocity.norm() + result.deviation;
  return result;
}

template <int spacedim>
bool
LayerContact<spacedim>::stays_above(const LayerPair &pair, const Gap &gap, const Approach &approach,
                                    const double interval, const unsigned int level) const
{
  const double thickness = clearly * pair.thickness * profile.thickness(level);
  return gap.distance - approach.in_any_direction * interval >= thickness ||
         gap.slab - approach.across(gap.stencil.normal) * interval >= thickness;
}

/// The last kick of the first layer before the pair can be within it, at least the next one.
template <int spacedim>
std::int64_t
LayerContact<spacedim>::next_look(const LayerPair &pair, const Gap &gap, const Approach &approach,
                                  const double time, const std::int64_t tick) const
{
  const std::int64_t first = LayerClock::next_of_class(tick, pair.top);
  if (approach.is_short)
    return first;
  const auto until = [&](const double distance, const double rate)
  {
    const double rest = distance - clearly * pair.thickness;
    return rest <= 0 ? 0. : rate > 0 ? rest / rate : std::numeric_limits<double>::infinity();
  };
  const double interval = std::max(until(gap.distance, approach.in_any_direction),
                                   until(gap.slab, approach.across(gap.stencil.normal)));
  const double periods = std::floor((interval - (clock.time(first) - time)) / clock.step(pair.top));
  const std::int64_t n = periods < 1               ? 0
                         : periods < longest_sleep ? static_cast<std::int64_t>(periods)
                                                   : longest_sleep;
  return first + (n << (pair.top + 1));
}

/// Wake as many layers as needed, from those that are awake on; the pair is due again at the next
/// kick of one of them.
template <int spacedim>
void
LayerContact<spacedim>::schedule(const unsigned int index, const Gap &gap, const double time,
                                 const std::int64_t tick)
{
  LayerPair &pair = listed[index];
  const Approach rates = approach(pair, time);
  std::int64_t next;
  while (true)
  {
    next = pair.level == 0 ? next_look(pair, gap, rates, time, tick)
                           : LayerClock::next_of_class(tick, pair.top - pair.level);
    const double interval = clock.time(next) - time;
    const bool is_last = pair.level == pair.top || pair.level + 1 == profile.n_levels();
    if (is_last)
      check_depth(pair, gap, interval, time);
    if (is_last || stays_above(pair, gap, rates, interval, pair.level + 1))
      break;
    ++pair.level;
  }
  if (pair.level > 0)
    next = LayerClock::next_of_classes(tick, pair.top - pair.level, pair.top);
  set_next_tick(index, next);
}

/// Throw if a pair whose last layer is awake could be within the one that is missing before its
/// next kick.
template <int spacedim>
void
LayerContact<spacedim>::check_depth(const LayerPair &pair, const Gap &gap, const double interval,
                                    const double time) const
{
  const auto [first, second] = primitives.nodes_of(pair.primitives);
  const Vector &normal = gap.stencil.normal;
  double slowest = std::numeric_limits<double>::infinity(), fastest = -slowest;
  for (const unsigned int node : first)
    slowest = std::min(slowest, normal * nodes.velocity(node));
  for (const unsigned int node : second)
    fastest = std::max(fastest, normal * nodes.velocity(node));
  if (second.size() == 0)
  {
    Gap of_obstacle = gap;
    set_target_velocity(pair, time, interval, of_obstacle);
    fastest = normal * of_obstacle.stencil.target_velocity;
  }
  const double speed = std::max(0., fastest - slowest);
  const double missing = 0.5 * pair.thickness * profile.thickness(pair.level);
  AssertThrow(gap.distance - speed * interval >= missing,
              ExcTooDeep(text(pair.primitives), gap.distance + pair.end(), time, speed));
}

template <int spacedim>
void
LayerContact<spacedim>::recheck_broken(const double time)
{
  if (bounds.broken().empty())
    return;
  std::vector<char> is_broken(bounds.n_bodies() + obstacles.size(), 0);
  for (const auto &broken : bounds.broken())
    is_broken[broken.body] = 1;
  bounds.forget();
  const std::int64_t tick = clock.tick_at(time);
  for (unsigned int i = 0; i < listed.size(); ++i)
  {
    const auto [a, b] = primitives.partners(listed[i].primitives);
    // those that are due now will be looked at when they are kicked
    if ((!is_broken[a] && !is_broken[b]) || clock.time(listed[i].next_tick) <= time)
      continue;
    const Gap gap = gap_of(listed[i], time);
    AssertThrow(gap.distance > 0,
                ExcTouching(text(listed[i].primitives), gap.distance + listed[i].end(), time));
    schedule(i, gap, time, tick);
  }
  find_next_search(time);
}

template <int spacedim>
void
LayerContact<spacedim>::set_next_tick(const unsigned int pair, const std::int64_t tick)
{
  listed[pair].next_tick = tick;
  queue.push_back({tick, pair});
  std::push_heap(queue.begin(), queue.end());
  constexpr std::size_t worth_it = 1000;
  if (queue.size() > 4 * listed.size() + worth_it)
    rebuild_queue();
}

template <int spacedim>
void
LayerContact<spacedim>::rebuild_queue()
{
  queue.clear();
  for (unsigned int i = 0; i < listed.size(); ++i)
    queue.push_back({listed[i].next_tick, i});
  std::make_heap(queue.begin(), queue.end());
}

template <int spacedim>
std::pair<double, double>
LayerContact<spacedim>::stopped_speeds() const
{
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;
  for (const unsigned int node : primitives.surface_nodes())
  {
    const double inverse_mass = 2 * nodes[node].inverse_mass;
    double stiffness = parameters.layers.stiffness;
    if (stiffness == 0)
      stiffness = profile.stiffness_for_step(parameters.layers.ratio,
                                             clock.step(class_of_node[node]), inverse_mass);
    const unsigned int body = bounds.body_of(node);
    const double speed = stopped_speed(0.5 * thickness(body, body), stiffness, inverse_mass);
    smallest = std::min(smallest, speed);
    largest = std::max(largest, speed);
  }
  return {smallest, largest};
}

template <int spacedim>
double
LayerContact<spacedim>::largest_approach_speed() const
{
  double largest = 0;
  const double time = stepper.time();
  const unsigned int n_bodies = bounds.n_bodies();
  for (unsigned int a = 0; a < n_bodies; ++a)
  {
    for (unsigned int b = 0; b <= a; ++b)
      if (!exclusions.excluded(a, b))
        largest = std::max(largest, bounds.rate(a, b));
    for (unsigned int o = 0; o < obstacles.size(); ++o)
      if (!exclusions.excluded(a, n_bodies + o))
      {
        const double step = clock.step(parameters.layers.depth);
        const Vector way = primitives.obstacle_displacement(o, time + step) -
                           primitives.obstacle_displacement(o, time);
        largest = std::max(largest, (bounds.velocity(a) - way / step).norm() + bounds.deviation(a));
      }
  }
  return largest;
}

template <int spacedim>
std::string
LayerContact<spacedim>::text(const PrimitivePair &pair) const
{
  const auto &names = partners.names();
  const auto [a, b] = primitives.partners(pair);
  const auto [first, second] = primitives.nodes_of(pair);
  std::ostringstream out;
  if (pair.kind == LayerPairKind::edges)
    out << "The edges of nodes " << first[0] << " and " << first[1] << " of '" << names[a]
        << "' and of nodes " << second[0] << " and " << second[1] << " of '" << names[b] << "'";
  else
  {
    out << "Node " << first[0] << " of '" << names[a] << "' at (" << nodes.position(first[0])
        << ") and ";
    if (pair.kind == LayerPairKind::node_obstacle)
      out << "obstacle '" << names[b] << "'";
    else
    {
      out << "the face of nodes";
      for (const unsigned int node : second)
        out << " " << node;
      out << " of '" << names[b] << "'";
    }
  }
  return out.str();
}

template class LayerContact<2>;
template class LayerContact<3>;
} // namespace KickDrift
