#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_CELL_KERNELS_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_CELL_KERNELS_H

// Shared between translation units that are compiled for different instruction sets. Only plain
// data may live here: an inline function or template instance would be emitted by several of them,
// and the linker would keep whichever it likes, perhaps one that the machine cannot run.

namespace KickDrift
{
namespace CellKernels
{
/// Cells that a kernel works on at once.
constexpr unsigned int n_lanes = 4;

/// What the Jacobian of a cell looks like, and so what has to be stored.
enum class Geometry
{
  simplex, ///< constant gradients: J^-1 and volume
  box,     ///< tensor-product cell, diagonal J: its inverse and the weight of a point
  affine,  ///< tensor-product cell, constant J: J^-1 and the weight of a point
  general  ///< tensor-product cell: J^-1 and weight of each point
};

enum class Law
{
  by_material, ///< asks LawData at every point, for a pack of cells at once
  linear_elastic,
  st_venant_kirchhoff,
  neo_hookean
};

/// Laws with history, and where dilatation is averaged any law.
enum class HistoryLaw
{
  by_material, ///< asks HistoryData at every point, for a pack of cells at once
  plastic      ///< the return mapping of PlasticMaterial
};

/// Where the kernels with history take the strains.
enum class Scheme
{
  at_points,      ///< as the other kernels
  mean_dilatation ///< at the points, with the dilatation averaged over the cell
};

enum class HourglassKind
{
  none, ///< cells have enough points
  physical,
  flanagan_belytschko
};

/// Hourglass control of cells with one point (one_point.h).
struct HourglassData
{
  HourglassKind kind;
  double normal;   ///< modulus of normal strains; Flanagan-Belytschko: of everything
  double shear;    ///< modulus of torsion
  double rotation; ///< 1 if the modes are to be turned with the cell, 0 for linear materials
};

/**
 * Laws that remember. A state of a pack has shape (n_state, n_lanes); only the lanes in the bit
 * mask are looked at and written.
 */
struct HistoryData
{
  unsigned int n_state; ///< numbers per point

  // by_material; gradients, stresses and energies as in LawData
  void (*update)(const void *material, unsigned int lanes, const double *displacement_gradients,
                 double time, const double *old_state, double *new_state, double *stresses);
  void (*stress)(const void *material, unsigned int lanes, const double *displacement_gradients,
                 const double *state, double *stresses);
  void (*energy)(const void *material, unsigned int lanes, const double *displacement_gradients,
                 const double *state, double *energies, double *dissipation);

  // plastic: linear hardening, unless there is a function
  double yield_stress;
  double hardening; ///< modulus
  /**
   * Let the lanes in @p yielding flow, and tell all @p lanes the time. @p history has shape (4,
   * n_lanes), PlasticHistory, of which the yield stress and the time are updated. Writes increments
   * of the equivalent plastic strain and flow stresses, shape (n_lanes).
   */
  void (*flow)(const void *material, unsigned int lanes, unsigned int yielding,
               const double *trial_stress, const double *stiffness, double time, double *history,
               double *increment, double *flow_stress);
};

/// Parameters of the law.
struct LawData
{
  double lambda;
  double mu;
  const void *material; ///< handed to the functions below

  // Displacement gradients and stresses have shape (dim, dim, n_lanes), energies (n_lanes). Only
  // the lanes in the bit mask are looked at and written.
  void (*stress)(const void *material, unsigned int lanes, const double *displacement_gradients,
                 double *stresses);
  void (*energy)(const void *material, unsigned int lanes, const double *displacement_gradients,
                 double *energies);
  HourglassData hourglass;
  HistoryData history;
};

struct Energies
{
  double strain;
  double hourglass;
  double dissipation; ///< so far
};

/**
 * States of the points of cells: what is known, and what kicks propose. A kick goes from the
 * committed state, whatever was proposed before, so that it can be evaluated any number of times.
 */
struct History
{
  /// Shape (n_batches, n_points, n_state, n_lanes), aligned to 32 bytes.
  const double *committed;
  double *proposed;          ///< likewise; null: nothing is to be written
  const unsigned int *slots; ///< by slot here, slot in these tables; null: the same
  double time;               ///< of the kick
};

/// State of a pack, shape (n_points, n_state, n_lanes), aligned to 32 bytes.
struct PackHistory
{
  const double *old_state;
  double *new_state; ///< null: the state is held as it is
  double time;
};

/// More numbers per point are refused.
constexpr unsigned int max_state = 32;

/// Cells in packs of n_lanes; slot s is lane s % n_lanes of pack s / n_lanes.
struct Batches
{
  /// Shape (n_batches, n_geometry, n_lanes), aligned to 32 bytes.
  const double *geometry;
  /// Indices of node lines, shape (n_batches, n_lanes, nodes per cell).
  const unsigned int *nodes;
  /// Bit l of entry p: lane l of pack p is not to be kicked. Null: none.
  const unsigned char *absent;
  const History *history; ///< for kernels with history only
};

/// A cell that is due.
struct DueSlot
{
  unsigned int slot;
  double time;
  double step;
};

/// To be called after each of several kicks with the number of the kick; function may be null.
struct AfterKick
{
  void (*function)(const void *context, unsigned int kick);
  const void *context;
};

/// A pack of which only some nodes of some cells are to be kicked.
struct PartOfPack
{
  unsigned int batch;
  unsigned long long nodes; ///< bit l * nodes_per_cell + a: node a of the cell in lane l
};

/**
 * What is known about one kind of cell with one law. A node line is what NodeState is: displacement
 * (3), time, velocity (3), inverse mass.
 */
struct Kernel
{
  unsigned int n_geometry; ///< numbers per cell

  /// Kick the slots [begin, end) whose nodes are all at the time of the kick. Are all forces
  /// finite?
  bool (*kick)(const Batches &batches, unsigned int begin, unsigned int end, double *node_lines,
               double step, const LawData &law);

  /// Kick only some nodes of the cells of some packs, with the bits that kick() would give. Are all
  /// forces finite?
  bool (*kick_parts)(const Batches &batches, const PartOfPack *parts, unsigned int n_parts,
                     double *node_lines, double step, const LawData &law);

  /**
   * Null in kernels with history. Drift the nodes of cells to the cells' times and kick them, one
   * after the other, in the order of their times; the result is to the last bit that of drift() and
   * kick() for each of them.
   * @return number of the first one whose force is not finite; @p n_due if there is none
   */
  unsigned int (*kick_in_sequence)(const Batches &batches, const DueSlot *due, unsigned int n_due,
                                   double *node_lines, const LawData &law, const AfterKick &after);

  /**
   * dV/du of one pack. Displacements and result have shape (nodes, dim, n_lanes), aligned to 32
   * bytes. Lanes not in the bit mask are computed with zero displacement or garbage. @p history is
   * for kernels with history only.
   */
  void (*gradient)(const double *geometry, const LawData &law, unsigned int lanes,
                   const double *displacements, const PackHistory &history, double *result);

  /// Energies of the slots [begin, end) that are there, shape (end - begin).
  void (*energies)(const Batches &batches, unsigned int begin, unsigned int end,
                   const double *node_lines, const LawData &law, Energies *result);
};

/// All kernels, compiled for one instruction set.
struct KernelSet
{
  const char *name;

  /// Drift nodes to a time; a node may be listed several times.
  void (*drift)(double *node_lines, const unsigned int *nodes, unsigned int n_nodes, double time);

  /// With one point the geometry must not be simplex.
  Kernel (*kernel)(unsigned int dim, Geometry geometry, Law law, bool one_point);
};

/// Kernels with history, compiled for one instruction set. There are none for Geometry::affine,
/// which is a special case of general.
struct HistoryKernelSet
{
  /// Simplices have Scheme::at_points only.
  Kernel (*kernel)(unsigned int dim, Geometry geometry, HistoryLaw law, Scheme scheme);
};

namespace baseline
{
extern const KernelSet kernels;
extern const HistoryKernelSet history_kernels;
} // namespace baseline
namespace avx2
{
extern const KernelSet kernels;
extern const HistoryKernelSet history_kernels;
} // namespace avx2
namespace avx512
{
extern const KernelSet kernels;
extern const HistoryKernelSet history_kernels;
} // namespace avx512

/**
 * The kernels for the best instruction set of this machine, or the one that the environment
 * variable KICKDRIFT_ISA asks for. Throws dealii::ExceptionBase if that is unknown or cannot run
 * here.
 */
const KernelSet &select_kernels();

/// The same for kernels with history.
const HistoryKernelSet &select_history_kernels();
} // namespace CellKernels
} // namespace KickDrift

#endif
