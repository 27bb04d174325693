#include <kickdrift/base/archive_checks.h>
#include <kickdrift/stepping/prescribed_motions.h>

#include <cmath>

namespace KickDrift
{
template <int spacedim>
void
PrescribedMotions<spacedim>::add(const std::vector<unsigned int> &restrained,
                                 const std::vector<Vector> &directions, Displacement displacement)
{
  for (const unsigned int node : restrained)
  {
    AssertThrow(node < nodes.size(),
                StepperExceptions::ExcNoSuchNode("Motion is prescribed for", node, nodes.size()));
    for (const Vector &direction : directions)
      AssertThrow(nodes.restraints.is_restrained_along(node, direction),
                  typename Restraints<spacedim>::ExcNotRestrained(node));
  }
  motions.push_back({restrained, directions, std::move(displacement), Clock()});
}

template <int spacedim>
void
PrescribedMotions<spacedim>::start(const TimeLevels &levels, const SupportIndex<spacedim> &supports,
                                   const std::vector<unsigned int> &follow)
{
  std::vector<char> is_followed(levels.n_kicks(), 0);
  for (const unsigned int id : follow)
    is_followed[id] = 1;
  for (Motion &motion : motions)
  {
    std::vector<char> moves(nodes.size(), 0);
    for (const unsigned int node : motion.nodes)
      moves[node] = 1;
    double step = std::numeric_limits<double>::infinity();
    for (unsigned int id = 0; id < levels.n_kicks(); ++id)
      for (const unsigned int node : supports.nodes_of_kick(id))
        if (moves[node] && levels.step(id) < step)
        {
          step = levels.step(id);
          motion.followed = is_followed[id] && levels.has_classes() ? id : no_kick;
        }
    AssertThrow(std::isfinite(step), StepperExceptions::ExcNoKickOnPrescribedNodes());
    motion.clock = {0.5 * step, 0, 2};
    if (levels.has_classes())
    {
      const double tick = levels.classes().half_tick();
      motion.clock = {tick, 0, std::llround(step / tick)};
    }

    // the motion is under way at the start: its kinetic energy is no work
    for (const unsigned int node : motion.nodes)
      nodes.set_velocity(
          node, nodes.restraints.set_initial_support_velocity(
                    node, motion.directions, mean_velocity(motion, node), nodes.velocity(node)));
  }
}

template <int spacedim>
double
PrescribedMotions<spacedim>::largest_way(const std::vector<unsigned int> &some_nodes,
                                         const double begin, const double end) const
{
  constexpr unsigned int n_samples = 8;
  std::vector<char> is_one(nodes.size(), 0);
  for (const unsigned int node : some_nodes)
    is_one[node] = 1;
  double result = 0;
  for (const Motion &motion : motions)
    for (unsigned int i = 1; i <= n_samples; ++i)
    {
      const double time = begin + (end - begin) * i / n_samples;
      for (const unsigned int node : motion.nodes)
        if (is_one[node])
          result = std::max(
              result, (motion.displacement(node, time) - motion.displacement(node, begin)).norm());
    }
  return result;
}

template <int spacedim>
void
PrescribedMotions<spacedim>::kick(const double time, const TimeLevels &levels,
                                  const SupportIndex<spacedim> &supports,
                                  EventSource<spacedim> *const events)
{
  for (Motion &motion : motions)
    if (motion.clock.time() == time)
    {
      if (motion.followed != no_kick)
        follow(motion, levels);
      kick(motion, supports, events);
    }
}

template <int spacedim>
void
PrescribedMotions<spacedim>::follow(Motion &motion, const TimeLevels &levels)
{
  const std::int64_t stride =
      std::llround(levels.natural_step(motion.followed) / levels.classes().half_tick());
  if (motion.clock.tick % stride == 0)
    motion.clock.stride = stride;
}

template <int spacedim>
void
PrescribedMotions<spacedim>::kick(Motion &motion, const SupportIndex<spacedim> &supports,
                                  EventSource<spacedim> *const events)
{
  const double time = motion.clock.time();
  std::vector<unsigned int> watched;
  for (const unsigned int node : motion.nodes)
  {
    nodes[node].drift(time);
    nodes.set_velocity(node, nodes.restraints.set_support_velocity(
                                 node, motion.directions, mean_velocity(motion, node),
                                 nodes.velocity(node), nodes.mass(node)));
    if (supports.is_watched(node))
      watched.push_back(node);
  }
  motion.clock.advance();
  if (events && !watched.empty())
    events->nodes_kicked(dealii::make_array_view(watched), time);
}

template <int spacedim>
typename PrescribedMotions<spacedim>::Vector
PrescribedMotions<spacedim>::mean_velocity(const Motion &motion, const unsigned int node) const
{
  const double step = motion.clock.step();
  // from where the node is, not from where it should be: rounding does not accumulate
  return (motion.displacement(node, motion.clock.time() + step) - nodes.displacement(node)) / step;
}

template <int spacedim>
void
PrescribedMotions<spacedim>::serialize(Archive &archive)
{
  archive.section("prescribed motions");
  for (Motion &motion : motions)
  {
    if (motion.followed != no_kick)
    {
      archive(motion.clock.stride);
      check_state(motion.clock.stride > 0 && motion.clock.stride % 2 == 0, "prescribed motions");
    }
    archive(motion.clock);
  }
}

template class PrescribedMotions<2>;
template class PrescribedMotions<3>;
} // namespace KickDrift
