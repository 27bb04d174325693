#ifndef KICKDRIFT_CONTACT_SURFACE_SURFACE_PATCHES_H
#define KICKDRIFT_CONTACT_SURFACE_SURFACE_PATCHES_H

#include <kickdrift/contact/geometry/box.h>
#include <kickdrift/contact/surface/surface.h>
#include <kickdrift/nodes/node_table.h>

#include <deal.II/base/array_view.h>

#include <limits>
#include <vector>

namespace KickDrift
{
class Archive;

/**
 * Patches of neighbouring faces that look the same way, and for each of them a box that its nodes
 * do not leave unnoticed.
 *
 * Whoever changes the velocity of a node asks check() whether the node stays in the boxes of its
 * patches until its velocity may change again, at the latest. Between two changes nodes fly
 * straight and boxes are convex, so both ends of the flight are enough; how fast nodes are does not
 * matter. A box that is about to be left is broken and must be fitted anew at that instant. Boxes
 * have a margin, and reach ahead to where the patch flies.
 *
 * Nodes of the contactors that belong to no face (particles) form patches without faces.
 */
template <int spacedim>
class SurfacePatches
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// Both must outlive it.
  SurfacePatches(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface);

  /// Form the patches and fit all boxes. @p longest_waits : by node of the table, the longest time
  /// between two checks of it; may be infinite [time].
  void start(double time, const std::vector<double> &longest_waits);

  /// Times between checks have changed: all boxes are broken, and must be renewed before a check
  /// that was due with the old times. By node of the table [time].
  void set_longest_waits(const std::vector<double> &longest_waits);

  /// Number of patches; zero before start().
  unsigned int
  size() const
  {
    return patches.size();
  }

  /// Body of a patch.
  unsigned int
  body(const unsigned int patch) const
  {
    return patches[patch].body;
  }

  /// Faces of a patch.
  const std::vector<unsigned int> &
  faces(const unsigned int patch) const
  {
    return patches[patch].faces;
  }

  /// Nodes of a patch.
  const std::vector<unsigned int> &
  nodes_of(const unsigned int patch) const
  {
    return patches[patch].nodes;
  }

  /// Patches that a node belongs to: those of its faces.
  dealii::ArrayView<const unsigned int>
  patches_of_node(const unsigned int node) const
  {
    return {entries.data() + offsets[node], offsets[node + 1] - offsets[node]};
  }

  /// A patch that has all these nodes; there must be one.
  unsigned int patch_of(dealii::ArrayView<const unsigned int> nodes) const;

  /// Where all nodes of a patch are until its box is broken [length].
  const Box<spacedim> &
  box(const unsigned int patch) const
  {
    return boxes[patch];
  }

  /// Largest of the lengths of the contactors on the nodes of a patch [length].
  double
  contactor_length(const unsigned int patch) const
  {
    return patches[patch].contactor_length;
  }

  /// Does a node whose velocity has changed at @p time stay in the boxes of its patches until the
  /// next check? If not, check_boxes() is needed.
  bool
  stays(const unsigned int node, const NodeState &state, const double time) const
  {
    // the start of the flight is the end of one that has been checked
    const Limits &limits = limits_of_node[node];
    const double ahead = time + limits.wait - state.time;
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      const double u = state.displacement[d] + ahead * state.velocity[d];
      if (!(u >= limits.lower[d] && u <= limits.upper[d]))
        return false;
    }
    return true;
  }

  /// Break those boxes that a node leaves, whose velocity has changed at @p time.
  void check_boxes(unsigned int node, double time);

  /// When the first box will be left by nodes that nothing kicks; infinity if none will [time].
  double
  next_exit() const
  {
    return first_exit;
  }

  /// Boxes that have been left by nodes that nothing kicks are broken.
  void check_exits(double time);

  /// Patches whose boxes are broken.
  const std::vector<unsigned int> &
  broken() const
  {
    return broken_patches;
  }

  /// Fit all broken boxes at @p time.
  void renew(double time);

  /// Write to, or read from, a checkpoint what changes during a run.
  void serialize(Archive &archive);

private:
  struct Patch
  {
    unsigned int body;
    std::vector<unsigned int> faces, nodes;
    double contactor_length = 0; ///< see contactor_length() [length]
    double shortest_wait = 0;    ///< of the nodes between checks [time]
    bool has_unkicked = false;   ///< are there nodes that nothing kicks?
  };

  /// How far a node may go before it has to be looked at: all that a check needs in one place.
  struct alignas(64) Limits
  {
    double lower[spacedim], upper[spacedim]; ///< of its displacement [length]
    double wait;                             ///< see waits [time]
  };

  /// A face, or a node without faces, that is to be put into a patch.
  struct Item
  {
    unsigned int index;
    dealii::Point<spacedim> center;
    Vector normal;
    double size; ///< [length]
  };
  using Items = typename std::vector<Item>::iterator;

  void form_patches(double time);
  /// Cut what is in the range until every part can be a patch; @p add gets these parts.
  template <typename Add>
  void divide(Items begin, Items end, const Add &add) const;
  void add_patch(unsigned int body, std::vector<unsigned int> faces,
                 std::vector<unsigned int> nodes);
  void index_nodes();
  void fit(unsigned int patch, double time);
  dealii::Point<spacedim> end_of_flight(unsigned int node, double until) const;
  void find_limits(unsigned int node);
  void break_box(unsigned int patch);
  void find_first_exit();

  const NodeTable<spacedim> &nodes;
  const Surface<spacedim> &surface;
  std::vector<Patch> patches;
  std::vector<std::size_t> offsets;   ///< by node of the table, into entries
  std::vector<unsigned int> entries;  ///< see patches_of_node()
  std::vector<double> waits;          ///< by node of the table, until the next check at most [time]
  std::vector<Box<spacedim>> boxes;   ///< by patch
  std::vector<Limits> limits_of_node; ///< by node of the table
  std::vector<double> exits;          ///< by patch, see next_exit() [time]
  double first_exit = std::numeric_limits<double>::infinity(); ///< [time]
  std::vector<char> is_broken;                                 ///< by patch
  std::vector<unsigned int> broken_patches;
};
} // namespace KickDrift

#endif
