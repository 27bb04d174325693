#ifndef KICKDRIFT_CONTACT_LAYERS_LAYER_PRIMITIVES_H
#define KICKDRIFT_CONTACT_LAYERS_LAYER_PRIMITIVES_H

#include <kickdrift/contact/geometry/obstacles.h>
#include <kickdrift/contact/search/hierarchy.h>
#include <kickdrift/contact/surface/contact_point.h>
#include <kickdrift/contact/surface/exclusions.h>
#include <kickdrift/contact/surface/surface.h>
#include <kickdrift/nodes/node_table.h>

#include <array>
#include <limits>
#include <utility>
#include <vector>

namespace KickDrift
{
/// Which primitives of surfaces keep away from each other.
enum class LayerPairKind : unsigned int
{
  node_face,
  edges, ///< two edges of faces, in 3D
  node_obstacle
};

/// Two primitives, by their numbers in LayerPrimitives; of two edges the smaller number first.
struct PrimitivePair
{
  LayerPairKind kind;  ///< what they are
  unsigned int first;  ///< node or edge
  unsigned int second; ///< face, edge or obstacle

  bool ///< By kind, first and second.
  operator<(const PrimitivePair &other) const
  {
    if (kind != other.kind)
      return kind < other.kind;
    return first != other.first ? first < other.first : second < other.second;
  }
  bool ///< Are they the same?
  operator==(const PrimitivePair &other) const
  {
    return kind == other.kind && first == other.first && second == other.second;
  }
};

/// Where two primitives are closest to each other.
template <int spacedim>
struct PrimitiveGap
{
  double distance = 0; ///< of the two closest points [length]
  /// Width of the slab across the normal between the nodes of the two; of faces that are not plane
  /// it may be less than the distance, and negative [length].
  double slab = 0;
  /// Nodes with their coefficients; the normal points from the second to the first. Zero if the
  /// distance is.
  ContactStencil<spacedim> stencil;
};

/// Nodes, faces and edges of surfaces, and obstacles, that are to keep away from each other: which
/// pairs are near, and how near.
template <int spacedim>
class LayerPrimitives
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// Where nodes are.
  enum class Configuration
  {
    present,  ///< in free flight at a time
    reference ///< undeformed
  };

  /// All must outlive it; what is excluded altogether has been taken out of the surface.
  LayerPrimitives(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
                  const std::vector<Obstacle<spacedim>> &obstacles, const Exclusions &exclusions);

  /// Length of the shortest edge of a face in the reference state, and the mean of all; infinity if
  /// there are none [length].
  std::pair<double, double> edge_lengths() const;

  /// Nodes of the surface, each once.
  const std::vector<unsigned int> &
  surface_nodes() const
  {
    return nodes_of_surface;
  }

  /// Bodies of the two; obstacles count on after the bodies.
  std::array<unsigned int, 2> partners(const PrimitivePair &pair) const;

  /// Nodes of the first and of the second; an obstacle has none.
  std::array<dealii::ArrayView<const unsigned int>, 2> nodes_of(const PrimitivePair &pair) const;

  /// Are the numbers of such primitives there? Those read from a checkpoint need not be.
  bool is_known(const PrimitivePair &pair) const;

  /// Closest points of the two. Round-off is in proportion to the size of the primitives, not to
  /// where they are.
  PrimitiveGap<spacedim> gap(const PrimitivePair &pair, double time,
                             Configuration configuration = Configuration::present) const;

  /// Bring the search up to date with where nodes are at @p time.
  void fit(double time, Configuration configuration = Configuration::present);

  /**
   * Append all pairs nearer than @p range [length] that may meet: not of one body with a common
   * node, not excluded. After fit() for the same time; for the thread number @p thread of
   * @p n_threads. Obstacles are left out in the reference configuration, as are pairs of two
   * bodies.
   */
  void find(double time, double range, unsigned int thread, unsigned int n_threads,
            std::vector<PrimitivePair> &result,
            Configuration configuration = Configuration::present) const;

  /// Nodes of an edge, and a face that it passes through.
  struct Crossing
  {
    std::array<unsigned int, 2> edge; ///< nodes
    unsigned int face;                ///< index into Surface::faces
  };

  /// Edges that pass through faces, where one of the two belongs to a shell and they may meet: what
  /// crosses so need not be near in any of its pairs. After fit() for the same time.
  std::vector<Crossing> crossings_of_shells(double time) const;

  /// Several threads will ask about @p time: displacements of obstacles are found now.
  void enter_instant(double time);

  /// Displacement of an obstacle [length].
  Vector obstacle_displacement(unsigned int obstacle, double time) const;

  /// Does it move by itself?
  bool
  obstacle_moves(const unsigned int obstacle) const
  {
    return bool(obstacles[obstacle].displacement);
  }

  /// Number of obstacles.
  unsigned int
  n_obstacles() const
  {
    return obstacles.size();
  }

private:
  /// An edge of a face.
  struct Edge
  {
    std::array<unsigned int, 2> nodes; ///< the smaller number first
    unsigned int body;                 ///< index of the body
  };

  void find_primitives();
  dealii::Point<spacedim> position(unsigned int node, double time,
                                   Configuration configuration) const;
  void add_if_near(const PrimitivePair &pair, double time, double range,
                   Configuration configuration, std::vector<PrimitivePair> &result) const;
  bool may_meet(unsigned int body, unsigned int other, Configuration configuration) const;
  std::vector<Box<spacedim>> meeting_places(double range, Configuration configuration) const;

  const NodeTable<spacedim> &nodes;
  const Surface<spacedim> &surface;
  const std::vector<Obstacle<spacedim>> &obstacles;
  const Exclusions &exclusions;
  std::vector<unsigned int> nodes_of_surface;
  std::vector<unsigned int> body_of_node; ///< by entry of nodes_of_surface
  std::vector<Edge> edges;                ///< in 3D
  Hierarchy<spacedim> face_search, edge_search;
  std::vector<Box<spacedim>> body_boxes; ///< around all primitives of each body
  bool is_built = false;
  std::vector<Vector> displacements; ///< of obstacles at the instant [length]
  double instant = std::numeric_limits<double>::quiet_NaN(); ///< see enter_instant() [time]
};
} // namespace KickDrift

#endif
