#include <kickdrift/base/archive_checks.h>
#include <kickdrift/stepping/rigid_steps.h>

#include <deal.II/base/symmetric_tensor.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace KickDrift
{
using dealii::Tensor;

namespace
{
constexpr double infinity = std::numeric_limits<double>::infinity();
// Way of the fastest node in a critical step, as a share of the width of a body.
constexpr double way_per_step = 4e-3;
// Angle by which a body turns in a critical step.
constexpr double turn_per_step = 0.25;
// The shares of the longest step below which loads and drives are not followed.
constexpr double shortest_for_loads = 1. / 256, shortest_for_drives = 0x1p-40;
// Errors of impulses, and changes of loads that are taken for steady, as shares of the loads.
constexpr double load_tolerance = 0.01;
// Times at which loads are looked at where they should be steady, and where they are not.
constexpr unsigned int n_for_steady = 17, n_for_impulse = 9;
// Loads that are steady are looked at for this share of the resolution.
constexpr double steady_share = 0.5;
constexpr unsigned int most_kicks_of_load = 64;

/// Neither rounding nor the unit of time matters: end times and save times may be extended.
double
rounded(const double resolution)
{
  if (!std::isfinite(resolution))
    return resolution;
  int exponent = 0;
  const double mantissa = std::frexp(resolution, &exponent);
  return std::ldexp(std::round(std::ldexp(mantissa, 24)), exponent - 24);
}

/// Outermost nodes along a direction, first and last.
template <int spacedim>
std::pair<unsigned int, unsigned int>
ends_along(const NodeTable<spacedim> &nodes, const std::vector<unsigned int> &some,
           const Tensor<1, spacedim> &direction)
{
  const auto ends =
      std::minmax_element(some.begin(), some.end(),
                          [&](const unsigned int a, const unsigned int b)
                          { return (nodes.reference(a) - nodes.reference(b)) * direction < 0; });
  return {*ends.first, *ends.second};
}

/// Directions along which extents are taken: principal axes of the nodes, and those of coordinates
/// (a cube may have any principal axes).
template <int spacedim>
std::vector<Tensor<1, spacedim>>
axes_of(const NodeTable<spacedim> &nodes, const std::vector<unsigned int> &some)
{
  Tensor<1, spacedim> mean;
  for (const unsigned int node : some)
    mean += nodes.reference(node) - dealii::Point<spacedim>();
  mean /= some.size();
  dealii::SymmetricTensor<2, spacedim> moments;
  for (const unsigned int node : some)
  {
    const Tensor<1, spacedim> arm = nodes.reference(node) - dealii::Point<spacedim>() - mean;
    moments += symmetrize(outer_product(arm, arm));
  }
  std::vector<Tensor<1, spacedim>> result;
  for (const auto &principal : eigenvectors(moments))
    result.push_back(principal.second);
  for (unsigned int d = 0; d < spacedim; ++d)
    result.push_back(dealii::Point<spacedim>::unit_vector(d));
  return result;
}

/// Sum of |a - b|, or of |a| without b.
double
sum_of_sizes(const std::vector<double> &a, const std::vector<double> *b = nullptr)
{
  double sum = 0;
  for (unsigned int i = 0; i < a.size(); ++i)
    sum += std::abs(b ? a[i] - (*b)[i] : a[i]);
  return sum;
}

/// Do all forces agree with those in the middle?
bool
are_steady(const std::vector<std::vector<double>> &forces)
{
  const auto &middle = forces[forces.size() / 2];
  const double allowed = load_tolerance * sum_of_sizes(middle);
  return std::all_of(forces.begin(), forces.end(),
                     [&](const std::vector<double> &some)
                     { return sum_of_sizes(some, &middle) <= allowed; });
}

/// Does a kick in the middle give the impulse of the whole interval?
bool
are_kicked_well(const std::vector<std::vector<double>> &forces)
{
  const auto &middle = forces[forces.size() / 2];
  std::vector<double> mean(middle.size(), 0.);
  double size = 0;
  for (const auto &some : forces)
  {
    for (unsigned int i = 0; i < mean.size(); ++i)
      mean[i] += some[i] / forces.size();
    size += sum_of_sizes(some) / forces.size();
  }
  return sum_of_sizes(mean, &middle) <= load_tolerance * size;
}
} // namespace

template <int spacedim>
void
RigidSteps<spacedim>::add(const std::vector<unsigned int> &body_nodes,
                          const std::vector<unsigned int> &ids, const double resolution)
{
  Body body{body_nodes, ids, {}, infinity, rounded(resolution), 0, {}};
  for (const Tensor<1, spacedim> &axis : axes_of(nodes, body_nodes))
  {
    const auto [first, last] = ends_along(nodes, body_nodes, axis);
    body.width = std::min(body.width, (nodes.reference(last) - nodes.reference(first)) * axis);
    body.ends.push_back(first);
    body.ends.push_back(last);
  }
  std::sort(body.ends.begin(), body.ends.end());
  body.ends.erase(std::unique(body.ends.begin(), body.ends.end()), body.ends.end());
  if (nodes.is_rigid(body_nodes[0]))
    body.mass = nodes.rigid_bodies.motion(nodes.rigid_bodies.body_of(body_nodes[0])).mass().mass;
  bodies.push_back(std::move(body));
}

/// Speed and spin of a free body from velocities of its nodes: it may not have taken them over yet.
template <int spacedim>
void
RigidSteps<spacedim>::find_start(Body &body) const
{
  if (body.mass == 0)
    return;
  const double n = body.nodes.size();
  Tensor<1, 3> centre, mean;
  for (const unsigned int node : body.nodes)
  {
    body.speed = std::max(body.speed, nodes.velocity(node).norm());
    centre += in_space<spacedim>(nodes.position(node)) / n;
    mean += in_space<spacedim>(nodes.velocity(node)) / n;
  }
  Tensor<2, 3> moments;
  Tensor<1, 3> momentum;
  double trace = 0;
  for (const unsigned int node : body.nodes)
  {
    const Tensor<1, 3> r = in_space<spacedim>(nodes.position(node)) - centre;
    momentum += dealii::cross_product_3d(r, in_space<spacedim>(nodes.velocity(node)) - mean);
    moments -= dealii::outer_product(r, r);
    trace += r.norm_square();
  }
  constexpr double of_lines = 1e-12; // nodes on one line do not tell how they turn about it
  for (unsigned int d = 0; d < 3; ++d)
    moments[d][d] += (1 + of_lines) * trace;
  if (trace > 0)
    body.spin = (dealii::invert(moments) * momentum).norm();
}

/// The same from the motion of the body: velocities of its nodes are those along chords.
template <int spacedim>
void
RigidSteps<spacedim>::find_motion(Body &body) const
{
  const RigidMotion &motion = nodes.rigid_bodies.motion(nodes.rigid_bodies.body_of(body.nodes[0]));
  const Tensor<1, 3> velocity = motion.velocity(), spin = motion.angular_velocity();
  const Tensor<1, 3> centre(motion.mass().centre);
  double square = 0;
  for (const unsigned int node : body.nodes)
  {
    const Tensor<1, 3> arm = motion.rotation(in_space<spacedim>(nodes.reference(node)) - centre);
    square = std::max(square, (velocity + dealii::cross_product_3d(spin, arm)).norm_square());
  }
  body.speed = std::sqrt(square);
  body.spin = spin.norm();
}

template <int spacedim>
double
RigidSteps<spacedim>::fastest() const
{
  double result = 0;
  for (const Body &body : bodies)
    result = std::max(result, body.speed);
  return result;
}

template <int spacedim>
double
RigidSteps<spacedim>::limit(const Body &body, const double fastest) const
{
  const double own =
      std::min({body.from_rest, body.ahead, way_per_step * body.width / fastest, body.resolution});
  return std::min({std::max(own, shortest_of_cells), longest_of_cells, turn_per_step / body.spin});
}

/// A load that acts evenly moves the body by F/(2M) H^2 in a step from rest; one that turns it
/// moves its nodes about as far.
template <int spacedim>
double
RigidSteps<spacedim>::limit_from_rest(const Body &body, const double force) const
{
  return force > 0 ? 2 * std::sqrt(way_per_step * body.width * body.mass / force) : infinity;
}

template <int spacedim>
void
RigidSteps<spacedim>::find_loads()
{
  std::unordered_map<unsigned int, unsigned int> body_of_node;
  for (unsigned int b = 0; b < bodies.size(); ++b)
    if (bodies[b].mass > 0) // what is driven takes no loads
      for (const unsigned int node : bodies[b].nodes)
        body_of_node.emplace(node, b);
  std::vector<double> force(bodies.size(), 0.);
  std::vector<dealii::Tensor<1, spacedim>> forces;
  for (unsigned int f = 0; f < families->size() && !body_of_node.empty(); ++f)
  {
    const KickFamily<spacedim> &family = (*families)[f];
    if (family.kicks->kind() != KickKind::other || family.role == KickRole::damping)
      continue;
    std::vector<std::vector<unsigned int>> kicks(bodies.size());
    for (unsigned int k = 0; k < family.kicks->n_kicks(); ++k)
    {
      const auto support = family.kicks->support(k);
      const auto is_of_body = [&](const unsigned int node) { return body_of_node.count(node) > 0; };
      if (std::none_of(support.begin(), support.end(), is_of_body))
        continue;
      family.kicks->checked_force(nodes, k, nodes[support[0]].time, support.size(), forces);
      for (unsigned int i = 0; i < support.size(); ++i)
        if (is_of_body(support[i]))
        {
          const unsigned int b = body_of_node.at(support[i]);
          force[b] += forces[i].norm();
          if (kicks[b].empty() || kicks[b].back() != k)
            kicks[b].push_back(k);
        }
    }
    if (family.role == KickRole::follower) // others have steps of their own
      for (unsigned int b = 0; b < bodies.size(); ++b)
        if (const unsigned int n = kicks[b].size())
        {
          const unsigned int chosen = std::min(n, most_kicks_of_load);
          Load load{f, {}, double(chosen) / n};
          for (unsigned int i = 0; i < chosen; ++i)
            load.kicks.push_back(kicks[b][std::uint64_t(i) * n / chosen]);
          bodies[b].loads.push_back(std::move(load));
        }
  }
  for (unsigned int b = 0; b < bodies.size(); ++b)
    bodies[b].from_rest = limit_from_rest(bodies[b], force[b]);
}

/// Forces at times in the midst of equal parts of an interval, by time; @p largest : of their sums.
template <int spacedim>
void
RigidSteps<spacedim>::sample(const Body &body, const double begin, const double duration,
                             std::vector<std::vector<double>> &forces, double &largest) const
{
  std::vector<dealii::Tensor<1, spacedim>> of_kick;
  for (unsigned int i = 0; i < forces.size(); ++i)
  {
    const double time = begin + duration * (i + 0.5) / forces.size();
    double sum = 0;
    forces[i].clear();
    for (const Load &load : body.loads)
    {
      const KickFamily<spacedim> &family = (*families)[load.family];
      for (const unsigned int k : load.kicks)
      {
        if (!family.is_given(k))
          continue;
        family.kicks->checked_force(nodes, k, time, family.kicks->support(k).size(), of_kick);
        for (const auto &force : of_kick)
        {
          sum += force.norm() / load.share;
          for (unsigned int d = 0; d < spacedim; ++d)
            forces[i].push_back(force[d]);
        }
      }
    }
    largest = std::max(largest, sum);
  }
}

template <int spacedim>
void
RigidSteps<spacedim>::follow_loads(Body &body, const Interval &interval) const
{
  double step = interval.longest, shortest = interval.for_loads;
  const double begin = interval.begin;
  if (body.loads.empty() || step <= step_ratio * shortest_of_cells)
  {
    body.ahead = infinity;
    return;
  }
  if (begin + step > body.steady_until)
  {
    const double span =
        std::max(step, std::isfinite(body.resolution) ? steady_share * body.resolution
                                                      : interval.longest_ever);
    std::vector<std::vector<double>> forces(n_for_steady);
    double largest = 0;
    sample(body, begin, span, forces, largest);
    const bool is_steady = are_steady(forces);
    body.steady_until = is_steady ? begin + span : -infinity;
    body.under_loads = limit_from_rest(body, largest);
    forces.resize(n_for_impulse);
    shortest = std::max(shortest, step_ratio * shortest_of_cells);
    for (; !is_steady && step > shortest; step /= 2)
    {
      largest = 0;
      sample(body, begin, step, forces, largest);
      body.under_loads = limit_from_rest(body, largest);
      if (are_kicked_well(forces))
        break;
    }
  }
  body.ahead = std::min(std::max(step, shortest) / step_ratio, body.under_loads);
}

/// The longest interval in which the drive takes no node too far from where it begins.
template <int spacedim>
void
RigidSteps<spacedim>::follow_drive(Body &body, const Interval &interval) const
{
  const double allowed = step_ratio * way_per_step * body.width;
  const double shortest = std::max(interval.for_drives, step_ratio * shortest_of_cells);
  double step = interval.longest, way = 0;
  for (;; step /= 2)
  {
    way = motions->largest_way(body.ends, interval.begin, interval.begin + step);
    if (way <= allowed || step <= shortest)
      break;
  }
  body.ahead = step / step_ratio;
  body.speed = way / step;
  body.spin = 2 * body.speed / body.width; // some node has half the width as arm, or more
}

template <int spacedim>
void
RigidSteps<spacedim>::look_ahead(Body &body, const Interval &interval) const
{
  if (body.mass == 0)
    follow_drive(body, interval);
  else
    follow_loads(body, interval);
}

template <int spacedim>
void
RigidSteps<spacedim>::start(std::vector<double> &steps, const KickFamilies<spacedim> &all_families,
                            const PrescribedMotions<spacedim> &all_motions, const double fixed,
                            const double ratio)
{
  if (empty())
    return;
  families = &all_families;
  motions = &all_motions;
  step_ratio = ratio;
  is_fixed = fixed > 0;
  if (is_fixed)
  {
    for (const unsigned int id : ids())
      steps[id] = fixed / ratio;
    return;
  }
  double shortest = infinity, longest = 0;
  for (unsigned int id = 0; id < steps.size(); ++id)
    if ((*families)[families->family_of(id)].kicks->kind() == KickKind::strain &&
        std::isfinite(steps[id]))
    {
      shortest = std::min(shortest, steps[id]);
      longest = std::max(longest, steps[id]);
    }
  if (longest > 0)
  {
    shortest_of_cells = shortest;
    longest_of_cells = longest;
  }
  find_loads();
  for (Body &body : bodies)
    find_start(body);
  const double speed_of_free = fastest();
  for (Body &body : bodies)
  {
    const double step = ratio * limit(body, speed_of_free);
    if (std::isfinite(step))
      look_ahead(body, {nodes[body.nodes[0]].time, step, shortest_for_loads * step,
                        shortest_for_drives * step, step});
  }
  const double speed = fastest();
  for (const Body &body : bodies)
    for (const unsigned int id : body.ids)
      steps[id] = limit(body, speed);
}

template <int spacedim>
std::vector<unsigned int>
RigidSteps<spacedim>::ids() const
{
  std::vector<unsigned int> result;
  for (const Body &body : bodies)
    result.insert(result.end(), body.ids.begin(), body.ids.end());
  return result;
}

template <int spacedim>
unsigned int
RigidSteps<spacedim>::n_spare_classes() const
{
  constexpr unsigned int enough = 16; // to be 65536 times as fast; kicked() refuses what is not
  return empty() ? 0 : enough;
}

template <int spacedim>
unsigned int
RigidSteps<spacedim>::followed(const Body &body, const double fastest,
                               const StepClasses &classes) const
{
  return followed_class(std::min(body.followed, classes.n_classes - 1),
                        step_ratio * limit(body, fastest), classes);
}

template <int spacedim>
typename RigidSteps<spacedim>::Interval
RigidSteps<spacedim>::next_interval(const Clock &clock, const StepClasses &classes) const
{
  const std::int64_t last = clock.tick - clock.stride;
  const double longest = classes.step(classes.n_classes - 1);
  return {(last / clock.stride + 1) * clock.stride * clock.unit,
          // up to twice as long, if there is a reserve
          reserve_of_longer_steps * std::min(2 * clock.step(), longest),
          shortest_for_loads * longest, classes.step(0), longest};
}

template <int spacedim>
bool
RigidSteps<spacedim>::kicked(const unsigned int clock, const TimeLevels &levels)
{
  if (is_fixed)
    return false;
  const StepClasses &classes = levels.classes();
  bool any = false;
  for (Body &body : bodies)
    if (levels.clock_of_kick(body.ids[0]) == clock)
    {
      any = true;
      look_ahead(body, next_interval(levels.clocks()[clock], classes));
      if (body.mass == 0)
        continue;
      find_motion(body);
      const double angle = body.spin * classes.step(0);
      AssertThrow(angle <= RigidBodies<spacedim>::largest_turn,
                  StepperExceptions::ExcRigidTurn(
                      nodes.rigid_bodies.name(nodes.rigid_bodies.body_of(body.nodes[0])), angle));
    }
  if (!any)
    return false;
  const double speed = fastest();
  return std::any_of(bodies.begin(), bodies.end(),
                     [&](const Body &body)
                     { return followed(body, speed, classes) != body.followed; });
}

template <int spacedim>
void
RigidSteps<spacedim>::put(std::vector<double> &steps, const TimeLevels &levels)
{
  if (is_fixed)
    return;
  const double speed = fastest();
  for (Body &body : bodies)
  {
    body.followed = followed(body, speed, levels.classes());
    for (const unsigned int id : body.ids)
      steps[id] = limit(body, speed);
  }
}

template <int spacedim>
void
RigidSteps<spacedim>::serialize(Archive &archive)
{
  for (Body &body : bodies)
  {
    archive(body.speed, body.spin, body.ahead, body.under_loads, body.steady_until, body.followed);
    check_state(body.speed >= 0 && body.spin >= 0 && body.ahead > 0 && body.under_loads > 0,
                "steps of rigid bodies");
  }
}

template class RigidSteps<2>;
template class RigidSteps<3>;
} // namespace KickDrift
