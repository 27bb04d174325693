#ifndef KICKDRIFT_CONTACT_RESPONSE_KICK_TRACES_H
#define KICKDRIFT_CONTACT_RESPONSE_KICK_TRACES_H

#include <kickdrift/nodes/node_table.h>

#include <limits>
#include <vector>

namespace KickDrift
{
class Archive;

/// Remembers what kicks have done to nodes between the instants at which their contacts were
/// answered.
template <int spacedim>
class KickTraces
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// @p nodes must outlive the traces.
  explicit KickTraces(const NodeTable<spacedim> &nodes) : nodes(nodes), traces(nodes.size()) {}

  /// A contact of @p node is looked at; kicks of @p time have been done. Returns false if that was
  /// known.
  bool
  enter_instant(const unsigned int node, const double time)
  {
    Trace &trace = traces[node];
    if (trace.time == time)
      return false;
    trace.interval = time - trace.time;
    const Vector velocity = nodes.momentary_velocity(node);
    trace.increment = velocity - trace.velocity;
    trace.time = time;
    trace.velocity = velocity;
    return true;
  }

  /// At the instant that was entered, kicks have added @p increment: the node was not looked at
  /// just before them.
  void
  set_increment(const unsigned int node, const Vector &increment)
  {
    traces[node].increment = increment;
  }

  /// A contact has changed the velocity of @p node at the instant that was entered.
  void
  leave_instant(const unsigned int node)
  {
    traces[node].velocity = nodes.momentary_velocity(node);
  }

  /// What kicks have added to the velocity of a node since the instant before [length/time].
  Vector
  increment(const unsigned int node) const
  {
    return traces[node].increment;
  }

  /// How long ago the instant before was; infinite if there was none [time].
  double
  interval(const unsigned int node) const
  {
    return traces[node].interval;
  }

  /// Write to, or read from, a checkpoint what changes during a run.
  void serialize(Archive &archive);

private:
  struct Trace
  {
    double time = -std::numeric_limits<double>::infinity();
    double interval = std::numeric_limits<double>::infinity(); ///< since the instant before
    Vector velocity;                                           ///< when the instant was left
    Vector increment;                                          ///< by kicks, over the interval
  };

  const NodeTable<spacedim> &nodes;
  std::vector<Trace> traces; ///< by node
};
} // namespace KickDrift

#endif
