#ifndef KICKDRIFT_POTENTIALS_SHELLS_SHELL_MESH_H
#define KICKDRIFT_POTENTIALS_SHELLS_SHELL_MESH_H

#include <kickdrift/potentials/shells/shell_section.h>

#include <deal.II/base/numbers.h>
#include <deal.II/base/point.h>
#include <deal.II/base/types.h>

#include <array>
#include <limits>
#include <vector>

namespace KickDrift
{
/**
 * Triangles in space that form a surface, with its edges: all the same way round, none degenerate,
 * no more than two at an edge.
 *
 * Nodes that no triangle has are let pass.
 */
class ShellMesh
{
public:
  /// Corners of a triangle, anticlockwise seen from the side to which its normal points.
  using Triangle = std::array<unsigned int, 3>;

  /// Marks what is not there.
  static constexpr unsigned int none = std::numeric_limits<unsigned int>::max();

  /// An edge with the triangles that meet at it.
  struct Edge
  {
    /// From the first to the second, as the first triangle goes round.
    std::array<unsigned int, 2> nodes;
    std::array<unsigned int, 2> triangles; ///< the second is none at a free edge
    std::array<unsigned int, 2> opposite;  ///< corners of these triangles off the edge
    bool keeps_normal = false;             ///< see keep_normals()

    /// Does only one triangle have it?
    bool
    is_free() const
    {
      return triangles[1] == none;
    }

    /// Is there anything against which the first triangle bends?
    bool
    carries_moment() const
    {
      return !is_free() || keeps_normal;
    }
  };

  /**
   * Triangles that do not go round like their neighbours are turned. Which of the two ways a
   * connected part goes is what most of its triangles had; the first one decides if there are as
   * many.
   * @param positions reference positions of the nodes [length]
   * Throws ShellExceptions::ExcCorners, ExcDegenerate, ExcThreeTriangles or ExcOneSided.
   */
  ShellMesh(std::vector<dealii::Point<3>> positions, std::vector<Triangle> triangles);

  /**
   * Free edges at which the normal keeps the direction that it has in the reference state: beyond
   * them the surface goes on as its mirror image, in a plane through the middle of the edge that
   * moves with it but does not turn. That is the plane to which the triangle at the edge is square,
   * or a plane of symmetry, which a curved shell crosses at right angles, but its triangles do not.
   * @param edges their ends, in any order
   * @param symmetries normals of planes of symmetry, of any length but zero; each edge has the one
   * that its triangle is most nearly square to, within 45 degrees
   * Throws ShellExceptions::ExcNotFree.
   */
  void keep_normals(const std::vector<std::array<unsigned int, 2>> &edges,
                    const std::vector<dealii::Tensor<1, 3>> &symmetries = {});

  /// Edges given to keep_normals(), ascending.
  const std::vector<unsigned int> &
  edges_with_normals() const
  {
    return kept;
  }

  /// Normals of their planes of reflection, of unit length, in the same order.
  const std::vector<dealii::Tensor<1, 3>> &
  mirror_normals() const
  {
    return normals_of_kept;
  }

  /// Reference positions of the nodes [length].
  const std::vector<dealii::Point<3>> &
  positions() const
  {
    return all_positions;
  }

  /// The triangles in the order given, turned where needed.
  const std::vector<Triangle> &
  triangles() const
  {
    return all_triangles;
  }

  /// Was a triangle turned?
  bool
  is_turned(const unsigned int triangle) const
  {
    return turned[triangle];
  }

  /// Number of triangles that have been turned.
  unsigned int n_turned() const;

  /// Every edge once.
  const std::vector<Edge> &
  edges() const
  {
    return all_edges;
  }

  /// Edge of a triangle from its corner @p i to the next.
  const Edge &
  edge(const unsigned int triangle, const unsigned int i) const
  {
    return all_edges[edges_of_triangle[triangle][i]];
  }

  /// Corner of the neighbour across the edge from corner @p i to the next; none if it is free.
  unsigned int opposite(unsigned int triangle, unsigned int i) const;

  /// Area of a triangle [length^2].
  double area(unsigned int triangle) const;

private:
  void find_edges();
  void turn_triangles();
  dealii::Tensor<1, 3> mirror_normal(const Edge &edge,
                                     const std::vector<dealii::Tensor<1, 3>> &symmetries) const;
  bool goes_from(unsigned int triangle, unsigned int first, unsigned int second) const;

  std::vector<dealii::Point<3>> all_positions;
  std::vector<Triangle> all_triangles;
  std::vector<bool> turned;
  std::vector<Edge> all_edges;
  std::vector<std::array<unsigned int, 3>> edges_of_triangle;
  std::vector<unsigned int> kept;                    ///< edges
  std::vector<dealii::Tensor<1, 3>> normals_of_kept; ///< of their planes
};
} // namespace KickDrift

#endif
