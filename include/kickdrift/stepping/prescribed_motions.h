#ifndef KICKDRIFT_STEPPING_PRESCRIBED_MOTIONS_H
#define KICKDRIFT_STEPPING_PRESCRIBED_MOTIONS_H

#include <kickdrift/stepping/event_source.h>
#include <kickdrift/stepping/kicks/support_index.h>

#include <algorithm>
#include <functional>

namespace KickDrift
{
/// Motions of restrained nodes that are given as functions of time, see Stepper::prescribe().
template <int spacedim>
class PrescribedMotions
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;
  /// Displacement of a node at a time [length].
  using Displacement = std::function<Vector(unsigned int node, double time)>;

  /// @p nodes must outlive the object.
  explicit PrescribedMotions(NodeTable<spacedim> &nodes) : nodes(nodes) {}

  /// Add a motion. Throws StepperExceptions::ExcNoSuchNode or
  /// Restraints::ExcNotRestrained.
  void add(const std::vector<unsigned int> &nodes, const std::vector<Vector> &directions,
           Displacement displacement);

  /// Choose the clocks, and give the nodes the velocities of their first intervals. Throws
  /// StepperExceptions::ExcNoKickOnPrescribedNodes.
  void start(const TimeLevels &levels, const SupportIndex<spacedim> &supports);

  /// Time at which kick() is due; TournamentTree::never if nothing is prescribed.
  double
  next_time() const
  {
    double result = TournamentTree::never;
    for (const Motion &motion : motions)
      result = std::min(result, motion.clock.time());
    return result;
  }

  /// Set the velocities of all nodes whose intervals begin at @p time; @p events, if any, are told
  /// of those that are watched.
  void kick(double time, const SupportIndex<spacedim> &supports, EventSource<spacedim> *events);

  /// Write to, or read from, a checkpoint what has changed since start().
  void serialize(Archive &archive);

private:
  struct Motion
  {
    std::vector<unsigned int> nodes;
    std::vector<Vector> directions;
    Displacement displacement;
    Clock clock;
  };

  void kick(Motion &motion, const SupportIndex<spacedim> &supports, EventSource<spacedim> *events);
  /// Mean velocity over the interval that begins now [length/time].
  Vector mean_velocity(const Motion &motion, unsigned int node) const;

  NodeTable<spacedim> &nodes;
  std::vector<Motion> motions;
};
} // namespace KickDrift

#endif
