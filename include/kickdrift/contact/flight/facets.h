// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_FLIGHT_FACETS_H
#define KICKDRIFT_CONTACT_FLIGHT_FACETS_H

#include <kickdrift/contact/surface/surface.h>

#include <deal.II/base/array_view.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace KickDrift
{
/**
 * A surface of simplices: segments in the plane, triangles in space, with what lies beside them.
 *
 * Corners are nodes, and the middles of quadrilaterals, which are divided into four triangles each
 * that meet there. So all corners fly straight where nodes do, and everything about a facet in
 * flight is a polynomial of time.
 */
template <int spacedim>
class Facets
{
public:
  static constexpr unsigned int none = -1; ///< no facet, no corner

  /// A point where facets meet: a node, or the mean of four.
  struct Corner
  {
    std::array<unsigned int, 4> nodes; ///< indices into nodes()
    unsigned int n_nodes;              ///< 1 or 4
  };

  /// A segment or a triangle.
  struct Facet
  {
    /// Ordered as the nodes of SurfaceFace: the normal points outwards.
    std::array<unsigned int, spacedim> corners;
    /// In the plane beyond corner k, in space across the edge from corner k to the next one; none
    /// where the surface ends.
    std::array<unsigned int, spacedim> neighbours;
    std::array<unsigned int, spacedim> edges; ///< in space, that from corner k to the next one
    unsigned int face;                        ///< of the surface
    unsigned int body;                        ///< of the surface
  };

  /// In space: where two facets meet, from its first corner to its second one as facets[0] has it.
  struct Edge
  {
    std::array<unsigned int, 2> corners; ///< its ends
    std::array<unsigned int, 2> facets;  ///< the second is none at the end of a surface
    unsigned int body;                   ///< of the surface
  };

  /// @param n_nodes of the table
  /// @param more_nodes that nodes() shall have, too
  Facets(const Surface<spacedim> &surface, unsigned int n_nodes,
         const std::vector<unsigned int> &more_nodes = {});

  /// Nodes first, in the order of nodes().
  const std::vector<Corner> &
  corners() const
  {
    return all_corners;
  }

  /// In the order of the faces.
  const std::vector<Facet> &
  facets() const
  {
    return all_facets;
  }

  /// Each once.
  const std::vector<Edge> &
  edges() const
  {
    return all_edges;
  }

  /// Nodes of the surface, those that are contactors only and more_nodes included, ascending; the
  /// corners with the same numbers are these.
  const std::vector<unsigned int> &
  nodes() const
  {
    return surface_nodes;
  }

  /// A body with a facet at one side of an edge and two at the other, which meet in the middle of
  /// it; so it is where a mesh is refined on one side only.
  std::optional<unsigned int> body_with_hanging_node() const;

  /// Index into nodes(); none for nodes that are elsewhere.
  unsigned int
  place_of_node(const unsigned int node) const
  {
    return node < places.size() ? places[node] : none;
  }

  /// Nodes of the face of a facet, indices into nodes().
  dealii::ArrayView<const unsigned int>
  nodes_of_facet(const unsigned int facet) const
  {
    return nodes_on_face(all_facets[facet].face);
  }

  /// Number of faces of the surface.
  unsigned int
  n_faces() const
  {
    return nodes_of_face.size();
  }

  /// Nodes of a face, indices into nodes().
  dealii::ArrayView<const unsigned int>
  nodes_on_face(const unsigned int face) const
  {
    return {nodes_of_face[face].nodes.data(), nodes_of_face[face].n_nodes};
  }

  /// The first facet of a face; those of the next face follow on its own. For the number of faces
  /// the number of facets.
  unsigned int
  first_facet(const unsigned int face) const
  {
    return first_facets[face];
  }

  /// Has the face of @p facet this node, an index into nodes()?
  bool
  has_node(const unsigned int facet, const unsigned int place) const
  {
    const auto view = nodes_of_facet(facet);
    return std::find(view.begin(), view.end(), place) != view.end();
  }

  /// Facets whose faces have a node, an index into nodes().
  const std::vector<unsigned int> &
  facets_of_node(const unsigned int place) const
  {
    return of_nodes[place].facets;
  }

  /// Corners that are joined to a corner by an edge.
  const std::vector<unsigned int> &
  corners_beside(const unsigned int corner) const
  {
    return beside[corner];
  }

  /// Edges that end at a corner.
  const std::vector<unsigned int> &
  edges_of_corner(const unsigned int corner) const
  {
    return edges_at[corner];
  }

  /// Edges some corner of which moves with a node, an index into nodes().
  const std::vector<unsigned int> &
  edges_of_node(const unsigned int place) const
  {
    return of_nodes[place].edges;
  }

private:
  struct OfNode
  {
    std::vector<unsigned int> facets, edges;
  };

  void add(const SurfaceFace<spacedim> &face, unsigned int number);
  void connect();

  std::vector<Corner> all_corners;
  std::vector<Facet> all_facets;
  std::vector<Edge> all_edges;
  std::vector<unsigned int> surface_nodes, places;
  std::vector<Corner> nodes_of_face;
  std::vector<unsigned int> first_facets; ///< by face, and behind the last
  std::vector<OfNode> of_nodes;
  std::vector<std::vector<unsigned int>> beside, edges_at; ///< by corner
};
} // namespace KickDrift

#endif
