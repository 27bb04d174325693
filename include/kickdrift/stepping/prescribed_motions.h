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
  /// @param follow kicks with these ids change their natural steps, which then are those of the
  /// motions of their nodes
  void start(const TimeLevels &levels, const SupportIndex<spacedim> &supports,
             const std::vector<unsigned int> &follow = {});

  /// How far one of @p some_nodes is taken from where it is at @p begin until @p end, at most, as
  /// far as some times in between tell [length].
  double largest_way(const std::vector<unsigned int> &some_nodes, double begin, double end) const;

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
  void kick(double time, const TimeLevels &levels, const SupportIndex<spacedim> &supports,
            EventSource<spacedim> *events);

  /// Write to, or read from, a checkpoint what has changed since start().
  void serialize(Archive &archive);

private:
  struct Motion
  {
    std::vector<unsigned int> nodes;
    std::vector<Vector> directions;
    Displacement displacement;
    Clock clock;
    unsigned int followed = no_kick; ///< kick whose natural step is that of the motion
  };

  static constexpr unsigned int no_kick = -1;

  void kick(Motion &motion, const SupportIndex<spacedim> &supports, EventSource<spacedim> *events);
  /// The interval that begins now is that of the kick that the motion follows, if it has come to an
  /// end of one.
  static void follow(Motion &motion, const TimeLevels &levels);
  /// Mean velocity over the interval that begins now [length/time].
  Vector mean_velocity(const Motion &motion, unsigned int node) const;

  NodeTable<spacedim> &nodes;
  std::vector<Motion> motions;
};
} // namespace KickDrift

#endif
