#ifndef KICKDRIFT_STEPPING_KICKS_KICK_SUBSET_H
#define KICKDRIFT_STEPPING_KICKS_KICK_SUBSET_H

#include <kickdrift/nodes/node_table.h>

namespace KickDrift
{
/// Some kicks of a family, given together whatever their clocks are: see Kicks::subset().
template <int spacedim>
class KickSubset
{
public:
  virtual ~KickSubset() = default;

  /**
   * Subtract step * inverse mass * dV/dx of these kicks from the velocities of their nodes, which
   * are all at @p time. Nothing is remembered of it: a history stays what it is. The bits of the
   * result depend on nothing but the nodes.
   */
  virtual void kick(NodeTable<spacedim> &nodes, double time, double step) const = 0;
};
} // namespace KickDrift

#endif
