#include <kickdrift/base/archive_checks.h>
#include <kickdrift/contact/layer_contact.h>
#include <kickdrift/stepping/threads.h>

#include <deal.II/base/numbers.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace KickDrift
{
namespace
{
// Fewer than these are left to one thread.
constexpr unsigned int fewest_pairs_to_share = 64;
// Cells beside stiff layers share a class in which omega times the step is at most this; the two
// resonate at pi.
constexpr double largest_phase = 2;
// Promotions last for so many steps of the cell or of the layer.
constexpr double hold = 4;

/// As many as any pair may need; those of quadratic layers have many layers each.
unsigned int
n_levels(const LayerParameters &layers)
{
  constexpr unsigned int classes_of_cells = 24, most_quadratic = 24;
  const unsigned int n = layers.depth + classes_of_cells;
  return layers.shape == LayerShape::quadratic ? std::min(n, most_quadratic) : n;
}

/// Where one node of a rigid body is kicked, all have another velocity.
template <int spacedim>
void
add_rigid_bodies(const NodeTable<spacedim> &nodes, std::vector<unsigned int> &kicked)
{
  if (nodes.rigid_bodies.empty())
    return;
  std::set<unsigned int> bodies;
  for (const unsigned int node : kicked)
    if (nodes.is_rigid(node))
      bodies.insert(nodes.rigid_bodies.body_of(node));
  for (const unsigned int body : bodies)
  {
    const auto &own = nodes.rigid_bodies.nodes_of(body);
    kicked.insert(kicked.end(), own.begin(), own.end());
  }
}
} // namespace

template <int spacedim>
LayerContact<spacedim>::LayerContact(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper,
                                     Surface<spacedim> surface, const ContactParameters &parameters,
                                     std::vector<Obstacle<spacedim>> all_obstacles)
    : SurfaceContact<spacedim>(nodes, stepper, std::move(surface), parameters,
                               std::move(all_obstacles), parameters.exclude),
      profile(parameters.layers.shape, n_levels(parameters.layers)),
      primitives(nodes, contact_surface, obstacles, exclusions),
      bounds(nodes, contact_surface),
      impulses(nodes, profile, partners)
{
  AssertThrow(!primitives.surface_nodes().empty(), ExcEmptySurface());
  AssertThrow(!parameters.projection, ExcNotWithLayers("'Contact/Reference/Projection' = true"));
  AssertThrow(parameters.solver == ContactSolver::sequential,
              ExcNotWithLayers("'Contact/Reference/Solver' = coupled"));
  stepper.watch(primitives.surface_nodes(), WatchedKicks::divided);
  stepper.attach(*this);
  stepper.keep_spare_classes(); // for cells beside layers that are loaded
}

template <int spacedim>
void
LayerContact<spacedim>::start()
{
  this->check_start();
  const TimeLevels &levels = stepper.levels();
  double shortest = std::numeric_limits<double>::infinity();
  for (unsigned int id = 0; id < levels.n_kicks(); ++id)
    shortest = std::min(shortest, levels.natural_step(id));
  clock.unit = std::ldexp(0.5 * shortest, -int(parameters.layers.depth));
  impulses.start();
  bounds.start();
  choose_full_thickness();
  find_crossings();
  find_near_pairs();
  update_list(stepper.time());
  started = true;
}

template <int spacedim>
double
LayerContact<spacedim>::next_time() const
{
  return queue.empty() ? next_search : std::min(next_search, clock.time(queue.front().tick));
}

template <int spacedim>
void
LayerContact<spacedim>::process(const double time)
{
  AssertThrow(started, ContactExceptions::ExcNotStarted());
  const auto begin = std::chrono::steady_clock::now();
  if (time >= next_search)
  {
    // what moves by itself was looked at for a short time only
    constexpr double soon = 0.4;
    const std::vector<double> all = ways(time);
    if (std::any_of(all.begin(), all.end(),
                    [&](const double way) { return !(way < soon * reach); }))
      update_list(time);
    else
      find_next_search(time);
  }
  if (!queue.empty() && clock.time(queue.front().tick) <= time)
    kick(queue.front().tick, time);
  spent += std::chrono::steady_clock::now() - begin;
}

template <int spacedim>
void
LayerContact<spacedim>::find_due(const std::int64_t tick)
{
  due.clear();
  while (!queue.empty() && queue.front().tick == tick)
  {
    const unsigned int pair = queue.front().pair;
    std::pop_heap(queue.begin(), queue.end());
    queue.pop_back();
    if (listed[pair].next_tick == tick)
      due.push_back(pair);
  }
  std::sort(due.begin(), due.end());
  due.erase(std::unique(due.begin(), due.end()), due.end());
}

template <int spacedim>
void
LayerContact<spacedim>::kick(const std::int64_t tick, const double time)
{
  find_due(tick);
  if (due.empty())
    return;
  primitives.enter_instant(time);
  gaps.resize(due.size());
  Threads *const threads = due.size() < fewest_pairs_to_share ? nullptr : stepper.threads().get();
  const unsigned int n_threads = threads ? threads->size() : 1;
  const auto measure = [&](const unsigned int thread)
  {
    for (std::size_t i = due.size() * thread / n_threads; i < due.size() * (thread + 1) / n_threads;
         ++i)
      gaps[i] = gap_of(listed[due[i]], time);
  };
  if (threads)
    threads->run(measure);
  else
    measure(0);

  // every tick belongs to one class
  const unsigned int own_class = LayerClock::class_at(tick);
  const double step = clock.step(own_class);
  impulses.stats.tests += due.size();
  kicked.clear();
  for (unsigned int i = 0; i < due.size(); ++i)
  {
    LayerPair &pair = listed[due[i]];
    Gap &gap = gaps[i];
    choose_thickness(pair, gap, time);
    AssertThrow(gap.distance > 0,
                ExcTouching(text(pair.primitives), gap.distance + pair.end(), time));
    const unsigned int level = pair.top - own_class;
    set_target_velocity(pair, time, step, gap);
    if (impulses.give(pair, gap, level, time, step, primitives.partners(pair.primitives)))
    {
      kicked.insert(kicked.end(), gap.stencil.nodes.begin(),
                    gap.stencil.nodes.begin() + gap.stencil.n_nodes);
      if (level == 0)
        promote(pair, gap, time);
    }
    else if (gap.distance >= pair.thickness)
    {
      pair.touches = 0;
      impulses.leave(pair, gap.distance);
    }
  }
  add_rigid_bodies(nodes, kicked);
  bounds.check(dealii::make_array_view(kicked), time);
  recheck_broken(time);

  for (unsigned int i = 0; i < due.size(); ++i)
  {
    LayerPair &pair = listed[due[i]];
    const unsigned int level = pair.top - own_class;
    if (level < pair.level && stays_above(pair, gaps[i], approach(pair, time), step, level + 1))
    {
      pair.level = level;
      impulses.leave(pair, gaps[i].distance, level + 1);
    }
    schedule(due[i], gaps[i], time, tick);
  }
}

template <int spacedim>
void
LayerContact<spacedim>::nodes_kicked(const dealii::ArrayView<const unsigned int> some_nodes,
                                     const double time)
{
  if (!started)
    return;
  const auto begin = std::chrono::steady_clock::now();
  bounds.check(some_nodes, time);
  recheck_broken(time);
  spent += std::chrono::steady_clock::now() - begin;
}

template <int spacedim>
void
LayerContact<spacedim>::set_target_velocity(const LayerPair &pair, const double time,
                                            const double step, Gap &gap) const
{
  if (pair.primitives.kind != LayerPairKind::node_obstacle ||
      !primitives.obstacle_moves(pair.primitives.second))
    return;
  // the mean over the interval that the kick stands for, so that work is force times way
  const double before = std::max(0., time - 0.5 * step), after = time + 0.5 * step;
  gap.stencil.target_velocity = (primitives.obstacle_displacement(pair.primitives.second, after) -
                                 primitives.obstacle_displacement(pair.primitives.second, before)) /
                                (after - before);
}

template <int spacedim>
void
LayerContact<spacedim>::promote(const LayerPair &pair, const Gap &gap, const double time)
{
  const TimeLevels &levels = stepper.levels();
  if (!levels.has_classes() || levels.has_one_step())
    return;
  const double square = gap.stencil.inverse_mass(nodes) * pair.stiffness *
                        profile.curvature(gap.distance / pair.thickness);
  const double longest = largest_phase / std::sqrt(square);
  for (unsigned int i = 0; i < gap.stencil.n_nodes; ++i)
    for (const unsigned int id : stepper.supports().kicks_of_node(gap.stencil.nodes[i]))
    {
      const double own = levels.natural_step(id);
      const unsigned int natural = levels.classes().of_kick[id];
      // changing to and fro in step with the contact would pump energy: a finer class is kept as
      // long as the contact lasts
      unsigned int wanted = std::min(natural, levels.clock_of_kick(id));
      if (own > longest)
        wanted = std::min(wanted, coarsest_class_below(longest, levels.classes()));
      if (wanted < natural)
        stepper.promote(id, wanted, time + hold * std::max(own, clock.step(pair.top)));
    }
}

template <int spacedim>
template <typename Function>
void
LayerContact<spacedim>::for_each_awake(const double time, const Function &f) const
{
  const std::int64_t tick = clock.tick_at(time);
  for (const LayerPair &pair : listed)
    if (pair.next_tick - tick <= (std::int64_t(2) << pair.top))
    {
      Gap gap = gap_of(pair, time);
      if (gap.distance < pair.thickness || pair.touches > 0)
        f(pair, gap);
    }
}

template <int spacedim>
template <typename Function>
void
LayerContact<spacedim>::for_each_pending(const double time, const Function &f) const
{
  const std::int64_t tick = clock.tick_at(time);
  for_each_awake(time,
                 [&](const LayerPair &pair, Gap &gap)
                 {
                   const bool moves = pair.primitives.kind == LayerPairKind::node_obstacle &&
                                      primitives.obstacle_moves(pair.primitives.second);
                   Pending pending;
                   for (unsigned int m = 0; m <= pair.top && m < profile.n_levels(); ++m)
                   {
                     const double force =
                         impulses.factor(pair, m) * impulses.force(pair, gap.distance, m);
                     if (!(force > 0))
                       continue;
                     const double end = clock.time(LayerClock::covered_until(tick, pair.top - m));
                     pending.impulse += force * (time - end);
                     if (moves)
                       pending.obstacle_work +=
                           force * gap.stencil.normal *
                           (primitives.obstacle_displacement(pair.primitives.second, time) -
                            primitives.obstacle_displacement(pair.primitives.second, end));
                   }
                   f(pair, gap, pending);
                 });
}

template <int spacedim>
void
LayerContact<spacedim>::pending_impulses(
    const double time, const typename EventSource<spacedim>::OnImpulse &on_impulse) const
{
  if (!started)
    return;
  for_each_pending(time,
                   [&](const LayerPair &, const Gap &gap, const Pending &pending)
                   {
                     for (unsigned int i = 0; i < gap.stencil.n_nodes; ++i)
                       on_impulse(gap.stencil.nodes[i],
                                  gap.stencil.share(i, pending.impulse, Vector()));
                   });
}

template <int spacedim>
ContactStatistics<spacedim>
LayerContact<spacedim>::synchronised_statistics() const
{
  ContactStatistics<spacedim> result = statistics();
  pending_impulses(stepper.time(), [&](const unsigned int node, const Vector &impulse)
                   { result.impulse[node] += impulse; });
  return result;
}

template <int spacedim>
ContactPairs<spacedim>
LayerContact<spacedim>::synchronised_pairs() const
{
  ContactPairs<spacedim> result = partners;
  for_each_pending(stepper.time(),
                   [&](const LayerPair &pair, const Gap &gap, const Pending &pending)
                   {
                     const auto [a, b] = primitives.partners(pair.primitives);
                     if (pending.impulse != 0)
                       result.book(a, b, pending.impulse * gap.stencil.normal);
                   });
  return result;
}

template <int spacedim>
void
LayerContact<spacedim>::add_energy(EnergyBalance &balance) const
{
  balance.restitution_loss += statistics().restitution_loss;
  balance.friction_loss += statistics().friction_loss;
  balance.prescribed_work += statistics().obstacle_work;
  for_each_pending(stepper.time(),
                   [&](const LayerPair &pair, const Gap &gap, const Pending &pending)
                   {
                     balance.layer_energy += impulses.energy(pair, gap.distance);
                     balance.prescribed_work += pending.obstacle_work;
                     balance.restitution_loss += impulses.loss_until(pair, gap.distance);
                   });
}

template <int spacedim>
void
LayerContact<spacedim>::serialize(Archive &archive)
{
  archive.section("layer contact");
  archive(impulses, partners, bounds, listed, next_search);
  archive.fixed(frames_at_search, paths_at_search, obstacles_at_search);
  if (!archive.is_reading())
    return;
  for (const LayerPair &pair : listed)
  {
    check_state(is_enumerator(pair.primitives.kind, LayerPairKind::node_obstacle) &&
                    primitives.is_known(pair.primitives) && pair.top < 62 &&
                    pair.level <= pair.top && pair.level < profile.n_levels() &&
                    pair.thickness > 0 && pair.begin >= pair.thickness && pair.stiffness > 0 &&
                    pair.next_tick > 0 && LayerClock::class_at(pair.next_tick) <= pair.top &&
                    LayerClock::class_at(pair.next_tick) + pair.level >= pair.top,
                "layer contact");
  }
  rebuild_queue();
}

template class LayerContact<2>;
template class LayerContact<3>;
} // namespace KickDrift
