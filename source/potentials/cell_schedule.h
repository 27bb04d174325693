#ifndef KICKDRIFT_POTENTIALS_CELL_SCHEDULE_H
#define KICKDRIFT_POTENTIALS_CELL_SCHEDULE_H

#include "cell_packs.h"

#include <kickdrift/stepping/kicks.h>

#include <map>
#include <unordered_map>

namespace KickDrift
{
/**
 * Cells of one kind, arranged so that those that fire together lie together.
 *
 * Slots are sorted by clock, then by index, without gaps: with few clocks a clock owns many full
 * packs, with a clock per cell it owns a single lane of a pack, and nothing is stored twice.
 * Clocks with more than a pack of cells are cut into chunks whose nodes stay in the cache: each
 * node is drifted once per chunk, then the cells are kicked.
 *
 * A cell that leaves its clock keeps its slot, which is masked out, and is copied into the packs of
 * the visitors of its new clock, which are in the order of the cells whatever their history.
 */
class CellSchedule
{
public:
  CellSchedule(unsigned int n_geometry, unsigned int nodes_per_cell);

  /// Add a cell; all are on clock 0 until assign() is called.
  void add(const double *geometry, const unsigned int *cell_nodes);

  /// To be called after the last add().
  void finish();

  void assign(const std::vector<unsigned int> &clock_of_cell, unsigned int n_clocks);

  void change_clock(unsigned int cell, unsigned int clock);

  /// Drift the nodes of the cells of @p clock to @p time and kick them.
  void kick(const CellKernels::KernelSet &kernels, const CellKernels::Kernel &kernel,
            const CellKernels::LawData &law, unsigned int clock, double *node_lines, double time,
            double step) const;

  /// Kicks::kick_in_turn().
  void kick_in_turn(const CellKernels::KernelSet &kernels, const CellKernels::Kernel &kernel,
                    const CellKernels::LawData &law, const dealii::ArrayView<const DueClock> &due,
                    double *node_lines, const std::function<void(unsigned int)> &after) const;

  unsigned int
  slot(const unsigned int cell) const
  {
    return slot_of_cell.empty() ? cell : slot_of_cell[cell];
  }

  /// All cells, wherever they visit.
  const CellPacks &
  packs() const
  {
    return home;
  }

  std::size_t memory_consumption() const;

private:
  /// Where the cells of a clock begin; the next entry says where they end.
  struct Begin
  {
    unsigned int slot;
    unsigned int chunk;
  };

  struct Visitors
  {
    Visitors(const CellPacks &empty) : packs(empty) {}
    std::vector<unsigned int> cells; ///< ascending
    CellPacks packs;
    bool packs_are_current = false;
  };

  unsigned int home_clock(unsigned int cell) const;
  void set_absent(unsigned int cell, bool absent);
  void list_chunk_nodes();
  void kick_home(const CellKernels::KernelSet &kernels, const CellKernels::Kernel &kernel,
                 const CellKernels::LawData &law, unsigned int clock, double *node_lines,
                 double time, double step) const;
  const Visitors *current_visitors(unsigned int clock) const;

  unsigned int nodes_per_cell;
  CellPacks no_packs;
  CellPacks home;
  std::vector<unsigned int> slot_of_cell;  ///< empty: cell k is in slot k
  std::vector<Begin> begin_of_clock;       ///< shape (n_clocks + 1)
  std::vector<unsigned int> begin_of_list; ///< by chunk, shape (n_chunks + 1)
  std::vector<unsigned int> node_list;     ///< of each chunk, without repetition
  std::vector<unsigned char> absent;       ///< by pack, a bit per lane; empty: all are at home
  std::unordered_map<unsigned int, unsigned int> clock_of_absent;
  mutable std::map<unsigned int, Visitors> visitors_of_clock; ///< packs are made when first needed
};
} // namespace KickDrift

#endif
