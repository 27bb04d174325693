#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_CELL_SCHEDULE_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_CELL_SCHEDULE_H

#include "cell_run.h"

#include <kickdrift/stepping/kicks/kicks.h>

#include <map>
#include <memory>
#include <unordered_map>

namespace KickDrift
{
/**
 * Cells of one kind, arranged so that those kicked together lie together.
 *
 * Slots are sorted by clock, then by index, without gaps: with few clocks a clock owns many full
 * packs, with a clock per cell it owns a single lane of a pack, and nothing is stored twice.
 * The cells of clocks with more than a pack of them are a run, which threads share.
 *
 * A cell that leaves its clock keeps its slot, which is masked out, and is copied into the packs of
 * the visitors of its new clock, which are in the order of the cells whatever their history.
 */
class CellSchedule
{
public:
  CellSchedule(unsigned int n_geometry, unsigned int nodes_per_cell);

  /// Expect so many cells.
  void
  reserve(const unsigned int n_cells)
  {
    natural.reserve(n_cells);
  }

  /// Add a cell; all are on clock 0 until assign() is called.
  void add(const double *geometry, const unsigned int *cell_nodes);

  /// To be called after the last add().
  void finish();

  /// Share the cells of clocks with many of them among @p threads; to be called before assign(),
  /// which asks for @p positions.
  void
  use_threads(std::shared_ptr<Threads> threads, NodePositions positions)
  {
    team = std::move(threads);
    node_positions = std::move(positions);
  }

  /**
   * @param n_kicked the first clocks; the others never come
   * @param is_elsewhere by cell; those of which nothing but the nodes is needed any more are on
   * the last clock, which never comes. Empty: none
   */
  void assign(const std::vector<unsigned int> &clock_of_cell, unsigned int n_clocks,
              unsigned int n_kicked, const std::vector<char> &is_elsewhere = {});

  void change_clock(unsigned int cell, unsigned int clock);

  /// Drift the nodes of the cells of @p clock to @p time and kick them. Are all forces finite?
  bool kick(unsigned int clock, const CellKick &cell_kick) const;

  /// Kicks::kick_in_sequence(); the firing's own time and step are not looked at. Returns the
  /// number of the first in @p due with a force that is not finite, after which there are no more;
  /// their number if all forces are finite.
  unsigned int kick_in_sequence(const dealii::ArrayView<const DueClock> &due,
                                const CellKick &cell_kick,
                                const std::function<void(unsigned int)> &after) const;

  /// Copies of cells, wherever they are.
  struct Copies
  {
    CellBatches batches;
    std::vector<unsigned int> home_slots; ///< by slot in the batches, padding included
  };
  Copies copies(const std::vector<unsigned int> &cells) const;

  /// What kick() has proposed for the history of the cells of @p clock counts from now on.
  void commit(unsigned int clock, CellHistory &history) const;

  unsigned int
  slot(const unsigned int cell) const
  {
    return slot_of_cell.empty() ? cell : slot_of_cell[cell];
  }

  /// The cell in a slot; takes a search.
  unsigned int cell(unsigned int slot) const;

  /// All cells, wherever they visit.
  const CellBatches &
  batches() const
  {
    return natural;
  }

  std::size_t memory_consumption() const;

private:
  /// Where the cells of a clock begin; the next entry says where they end.
  struct Begin
  {
    unsigned int slot;
    unsigned int run; ///< clocks with few cells have none, nor has one that never comes
  };

  struct MigratedCells
  {
    MigratedCells(const CellBatches &empty) : copies{empty, {}} {}
    std::vector<unsigned int> cells; ///< ascending
    Copies copies;
    bool copies_are_current = false;
  };

  BatchRange
  range(const unsigned int clock) const
  {
    return {natural, begin_of_clock[clock].slot, begin_of_clock[clock + 1].slot};
  }
  bool
  has_run(const unsigned int clock) const
  {
    return begin_of_clock[clock].run < begin_of_clock[clock + 1].run;
  }
  unsigned int n_shares(unsigned int clock) const;
  std::vector<unsigned int> choose_axes() const;
  /// Cells lie by clock: note where each begins.
  void find_clocks(const std::vector<unsigned int> &clock_of_cell, unsigned int n_clocks,
                   unsigned int n_kicked);
  void make_runs();
  unsigned int home_clock(unsigned int cell) const;
  void set_absent(unsigned int cell, bool absent);
  bool kick_home(unsigned int clock, const CellKick &cell_kick) const;
  /// Those that are no run.
  bool kick_few(const CellBatches &batches, const CellKernels::Batches &view, unsigned int begin,
                unsigned int end, const CellKick &cell_kick) const;
  const MigratedCells *current_migrated(unsigned int clock) const;

  unsigned int nodes_per_cell;
  CellBatches no_batches;
  CellBatches natural;
  std::vector<unsigned int> slot_of_cell; ///< empty: cell k is in slot k
  std::vector<Begin> begin_of_clock;      ///< shape (n_clocks + 1)
  std::vector<CellRun> runs;
  std::shared_ptr<Threads> team; ///< null: only the calling thread
  NodePositions node_positions;
  std::vector<unsigned char> absent; ///< by pack, a bit per lane; empty: all are at home
  std::unordered_map<unsigned int, unsigned int> clock_of_absent;
  mutable std::map<unsigned int, MigratedCells>
      migrated_of_clock; ///< packs are made when first needed
};
} // namespace KickDrift

#endif
