#ifndef KICKDRIFT_SOURCE_POTENTIALS_SHELLS_SHELL_PACKS_H
#define KICKDRIFT_SOURCE_POTENTIALS_SHELLS_SHELL_PACKS_H

#include "../cells/batches/cell_schedule.h"
#include "kernels/shell_kernel_set.h"

namespace KickDrift
{
/// What critical steps of shells from closed forms are shortened by, for round-off.
constexpr double round_off_margin = 1e-8;

/// Kicks of a shell, arranged and given as those of cells are: in packs, by the vectorised kernels.
class ShellPacks
{
public:
  /// @param n_nodes of the kernel
  ShellPacks(CellKernels::ShellKernel kind, unsigned int n_nodes);

  /**
   * Add a kick; its number is that of those before it.
   * @param numbers what the kernel stores, see shell_cells.h
   * @param nodes of the table, not more than the kernel has; in place of those that are missing
   * comes the first one, on which the numbers must let nothing act
   */
  void add(const std::vector<double> &numbers, std::vector<unsigned int> nodes);

  /// To be called after the last add().
  void
  finish()
  {
    schedule.finish();
  }

  void use_threads(const std::shared_ptr<Threads> &threads, const NodeTable<3> &nodes);

  /// @param n_kicked the first clocks; the others never come
  void
  assign(const std::vector<unsigned int> &clock_of_kick, const unsigned int n_clocks,
         const unsigned int n_kicked)
  {
    schedule.assign(clock_of_kick, n_clocks, n_kicked);
  }
  void
  change_clock(const unsigned int k, const unsigned int clock)
  {
    schedule.change_clock(k, clock);
  }

  /// Are all forces finite?
  bool
  kick(NodeTable<3> &nodes, const unsigned int clock, const double time, const double step)
  {
    return schedule.kick(clock, due(nodes, time, step));
  }
  /// See CellSchedule::kick_in_sequence().
  unsigned int
  kick_in_sequence(NodeTable<3> &nodes, const dealii::ArrayView<const DueClock> &clocks,
                   const std::function<void(unsigned int)> &after)
  {
    return schedule.kick_in_sequence(clocks, due(nodes, 0, 0), after);
  }

  /// Some kicks, wherever they are.
  CellSchedule::Copies
  copies(const std::vector<unsigned int> &kicks) const
  {
    return schedule.copies(kicks);
  }
  /// Give those, whose nodes are drifted.
  void
  kick(const CellSchedule::Copies &copies, NodeTable<3> &nodes, const double step) const
  {
    kernel.kick(copies.batches.view({}), 0, copies.batches.size(),
                reinterpret_cast<double *>(nodes.data()), step, no_law);
  }

  /// By kick [energy].
  std::vector<double> energies(const NodeTable<3> &nodes) const;

  double
  drift_share() const
  {
    return sampler.drift_share();
  }

  /// [bytes]
  std::size_t
  memory_consumption() const
  {
    return schedule.memory_consumption();
  }

private:
  CellKick due(NodeTable<3> &nodes, double time, double step);

  const CellKernels::KernelSet &kernels;
  CellKernels::Kernel kernel;
  CellKernels::LawData no_law{}; ///< the kernels have their own
  CellSchedule schedule;
  unsigned int n_nodes;
  DriftSampler sampler;
};
} // namespace KickDrift

#endif
