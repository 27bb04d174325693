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
PrescribedMotions<spacedim>::start(const TimeLevels &levels, const SupportIndex<spacedim> &supports)
{
  for (Motion &motion : motions)
  {
    std::vector<char> moves(nodes.size(), 0);
    for (const unsigned int node : motion.nodes)
      moves[node] = 1;
    double step = std::numeric_limits<double>::infinity();
    for (unsigned int id = 0; id < levels.n_kicks(); ++id)
      for (const unsigned int node : supports.nodes_of_kick(id))
        if (moves[node])
          step = std::min(step, levels.step(id));
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
void
PrescribedMotions<spacedim>::kick(const double time, const SupportIndex<spacedim> &supports,
                                  EventSource<spacedim> *const events)
{
  for (Motion &motion : motions)
    if (motion.clock.time() == time)
      kick(motion, supports, events);
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
    archive(motion.clock);
}

template class PrescribedMotions<2>;
template class PrescribedMotions<3>;
} // namespace KickDrift
