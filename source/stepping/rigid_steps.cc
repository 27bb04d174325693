#include <kickdrift/base/archive_checks.h>
#include <kickdrift/stepping/rigid_steps.h>

#include <deal.II/base/symmetric_tensor.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace KickDrift
{
namespace
{
// Way of the fastest node in a critical step, as a share of the width of a body.
constexpr double way_per_step = 4e-3;
// Angle by which a body turns in a critical step.
constexpr double turn_per_step = 0.25;
// See TimeLevels::follow().
constexpr double reserve = 1.2;
} // namespace

template <int spacedim>
void
RigidSteps<spacedim>::add(const std::vector<unsigned int> &body_nodes,
                          const std::vector<unsigned int> &ids, const double resolution)
{
  dealii::Tensor<1, spacedim> mean;
  for (const unsigned int node : body_nodes)
    mean += nodes.reference(node) - dealii::Point<spacedim>();
  mean /= body_nodes.size();
  dealii::SymmetricTensor<2, spacedim> moments;
  double square = 0;
  for (const unsigned int node : body_nodes)
  {
    const dealii::Tensor<1, spacedim> arm =
        nodes.reference(node) - dealii::Point<spacedim>() - mean;
    moments += symmetrize(outer_product(arm, arm));
    square = std::max(square, arm.norm_square());
  }
  moments /= body_nodes.size();
  const auto principal = eigenvalues(moments); // descending
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // a power of two, which rounding of the resolution does not change
  constexpr double rounding = 1e-6;
  const double step = std::isfinite(resolution)
                          ? std::exp2(std::floor(std::log2(resolution) + rounding))
                          : infinity;
  bodies.push_back({body_nodes, ids, 2 * std::sqrt(std::max(0., principal[spacedim - 1])),
                    std::sqrt(square), step, infinity});
}

template <int spacedim>
void
RigidSteps<spacedim>::look_at(Body &body) const
{
  dealii::Tensor<1, spacedim> mean;
  for (const unsigned int node : body.nodes)
    mean += nodes.velocity(node);
  mean /= body.nodes.size();
  double square = 0, deviation = 0;
  for (const unsigned int node : body.nodes)
  {
    square = std::max(square, nodes.velocity(node).norm_square());
    deviation = std::max(deviation, (nodes.velocity(node) - mean).norm_square());
  }
  body.speed = std::sqrt(square);
  body.spin = std::sqrt(deviation) / body.radius;
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
      std::min({body.from_rest, way_per_step * body.width / fastest, body.resolution});
  return std::min({std::max(own, shortest_of_cells), longest_of_cells, turn_per_step / body.spin});
}

/// A load that acts evenly moves the body by F/(2M) H^2 in a step from rest; one that turns it
/// moves its nodes about as far.
template <int spacedim>
void
RigidSteps<spacedim>::find_loads(const KickFamilies<spacedim> &families)
{
  std::unordered_map<unsigned int, unsigned int> body_of_node;
  std::vector<double> force(bodies.size(), 0.), mass(bodies.size(), 0.);
  for (unsigned int b = 0; b < bodies.size(); ++b)
    for (const unsigned int node : bodies[b].nodes)
      if (nodes.is_rigid(node)) // what is driven takes no loads
      {
        body_of_node.emplace(node, b);
        mass[b] = nodes.rigid_bodies.motion(nodes.rigid_bodies.body_of(node)).mass().mass;
      }
  std::vector<dealii::Tensor<1, spacedim>> forces;
  for (unsigned int f = 0; f < families.size() && !body_of_node.empty(); ++f)
  {
    const Kicks<spacedim> &kicks = *families[f].kicks;
    if (kicks.kind() != KickKind::other || families[f].role == KickRole::damping)
      continue;
    for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
    {
      const auto support = kicks.support(k);
      if (std::none_of(support.begin(), support.end(),
                       [&](const unsigned int node) { return body_of_node.count(node) > 0; }))
        continue;
      kicks.force(nodes, k, nodes[support[0]].time, forces);
      for (unsigned int i = 0; i < support.size(); ++i)
      {
        const auto body = body_of_node.find(support[i]);
        if (body != body_of_node.end())
          force[body->second] += forces[i].norm();
      }
    }
  }
  for (unsigned int b = 0; b < bodies.size(); ++b)
    if (force[b] > 0)
      bodies[b].from_rest = 2 * std::sqrt(way_per_step * bodies[b].width * mass[b] / force[b]);
}

/// The longest step, of the resolution and its halves, in which the drive takes no node too far.
template <int spacedim>
void
RigidSteps<spacedim>::find_drive(Body &body, const PrescribedMotions<spacedim> &motions) const
{
  const double start = nodes[body.nodes[0]].time, allowed = way_per_step * body.width;
  double step = body.resolution;
  constexpr unsigned int most_halvings = 40;
  for (unsigned int i = 0; std::isfinite(step) && i < most_halvings; ++i, step /= 2)
  {
    const double way = motions.largest_way(body.nodes, start, start + step);
    if (way > 0 && i == 0)
      body.from_rest = step;
    if (way <= allowed)
      break;
    body.from_rest = step / 2;
  }
}

template <int spacedim>
void
RigidSteps<spacedim>::start(std::vector<double> &steps, const KickFamilies<spacedim> &families,
                            const PrescribedMotions<spacedim> &motions, const double fixed)
{
  if (empty())
    return;
  is_fixed = fixed > 0;
  if (is_fixed)
  {
    for (const unsigned int id : ids())
      steps[id] = fixed;
    return;
  }
  double shortest = std::numeric_limits<double>::infinity(), longest = 0;
  for (unsigned int id = 0; id < steps.size(); ++id)
    if (families[families.family_of(id)].kicks->kind() == KickKind::strain &&
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
  find_loads(families);
  for (Body &body : bodies)
  {
    find_drive(body, motions);
    look_at(body);
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
  constexpr unsigned int enough = 16;
  return empty() ? 0 : enough;
}

/// The class that TimeLevels::follow() gives the body.
template <int spacedim>
unsigned int
RigidSteps<spacedim>::followed(const Body &body, const double step, const StepClasses &classes)
{
  const unsigned int before = std::min(body.followed, classes.n_classes - 1);
  const unsigned int finer = coarsest_class_below(step, classes);
  return finer < before ? finer : std::max(before, coarsest_class_below(step / reserve, classes));
}

template <int spacedim>
bool
RigidSteps<spacedim>::kicked(const unsigned int clock, const TimeLevels &levels)
{
  if (is_fixed)
    return false;
  bool any = false;
  for (Body &body : bodies)
    if (levels.clock_of_kick(body.ids[0]) == clock)
    {
      any = true;
      look_at(body);
    }
  if (!any)
    return false;
  const double speed = fastest(), ratio = levels.largest_step_ratio();
  const StepClasses &classes = levels.classes();
  return std::any_of(bodies.begin(), bodies.end(),
                     [&](const Body &body)
                     {
                       const double step = ratio * limit(body, speed);
                       return followed(body, step, classes) != body.followed;
                     });
}

template <int spacedim>
void
RigidSteps<spacedim>::put(std::vector<double> &steps, const TimeLevels &levels)
{
  const double speed = fastest(), ratio = levels.largest_step_ratio();
  for (Body &body : bodies)
  {
    const double critical = limit(body, speed);
    body.followed = followed(body, ratio * critical, levels.classes());
    for (const unsigned int id : body.ids)
      steps[id] = critical;
  }
}

template <int spacedim>
void
RigidSteps<spacedim>::serialize(Archive &archive)
{
  for (Body &body : bodies)
  {
    archive(body.speed, body.spin, body.followed);
    check_state(body.speed >= 0 && body.spin >= 0, "steps of rigid bodies");
  }
}

template class RigidSteps<2>;
template class RigidSteps<3>;
} // namespace KickDrift
