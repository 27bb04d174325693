#ifndef KICKDRIFT_POTENTIALS_LOADS_NODAL_FORCES_H
#define KICKDRIFT_POTENTIALS_LOADS_NODAL_FORCES_H

#include <kickdrift/potentials/loads/loads.h>

#include <limits>

namespace KickDrift
{
/**
 * Forces on single nodes that somebody sets from time to time, such as another solver, and that are
 * held in between: a kick per node, zero until they are set.
 *
 * What has been kicked until a time stays what it was: new forces act from the next kicks on. The
 * last kick before stands for an interval that ends a little later, so they come late by half a
 * step at most.
 */
template <int spacedim>
class NodalForces : public LoadsWithWork<spacedim>
{
public:
  /// A vector in space.
  using Vector = typename Loads<spacedim>::Vector;

  /// @param name under which the kicks are counted
  NodalForces(std::string name, const std::vector<unsigned int> &nodes);

  /**
   * Forces after @p time, the present one; minus infinity: from the beginning, if there have been
   * no kicks yet [time].
   * @param forces shape (n_kicks()) [force]
   */
  void set(std::vector<Vector> forces, double time);

  void serialize(Archive &archive) override;

private:
  void add_forces(const NodeTable<spacedim> &nodes, unsigned int k, double time,
                  Vector *forces) const override;

  std::vector<Vector> forces;                                    ///< shape (n_kicks)
  std::vector<Vector> before;                                    ///< the same until change_time
  double change_time = -std::numeric_limits<double>::infinity(); ///< when they were set [time]
};
} // namespace KickDrift

#endif
