#ifndef KICKDRIFT_BENCHMARKS_SYNCHRONOUS_LOOP_H
#define KICKDRIFT_BENCHMARKS_SYNCHRONOUS_LOOP_H

#include <potentials/cell_packs.h>

#include <kickdrift/deal_ii/body.h>

namespace KickDrift
{
namespace Benchmarks
{
/**
 * The rival: leapfrog written by hand around the library's kernels, with nothing else in the loop.
 * It has the body's numbering of cells and nodes and the same data, so that what it does not have
 * is what the stepper costs.
 */
class SynchronousLoop
{
public:
  /// @param nodes copied; @p body must have one material and one kind of cells without a simplex.
  SynchronousLoop(const NodeTable<3> &nodes, const Body<3> &body, double step);

  void advance(unsigned int n_steps);

  unsigned int
  n_cells() const
  {
    return packs.size();
  }

private:
  NodeTable<3> nodes;
  const double step;
  double time;
  std::shared_ptr<const Material<3>> material;
  CellKernels::Kernel kernel;
  CellKernels::LawData law;
  CellBatches packs;
};
} // namespace Benchmarks
} // namespace KickDrift

#endif
