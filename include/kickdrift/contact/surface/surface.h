#ifndef KICKDRIFT_CONTACT_SURFACE_SURFACE_H
#define KICKDRIFT_CONTACT_SURFACE_SURFACE_H

#include <kickdrift/nodes/node_table.h>

#include <deal.II/base/array_view.h>
#include <deal.II/base/tensor.h>
#include <deal.II/base/types.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace KickDrift
{
/// A boundary face of a body: a segment in 2D, a triangle or bilinear quadrilateral in 3D.
template <int spacedim>
struct SurfaceFace
{
  static constexpr unsigned int max_nodes = spacedim == 2 ? 2 : 4; ///< most nodes that a face has

  /**
   * Nodes in deal.II's vertex order (quadrilaterals lexicographic: 0-1 along xi, 2-3 opposite),
   * ordered such that the normal points out of the body: (x1-x0) turned by -90 degrees in 2D,
   * (x1-x0) x (x2-x0) in 3D.
   */
  std::array<unsigned int, max_nodes> nodes;
  unsigned int n_nodes;                   ///< number of nodes that are used
  unsigned int body;                      ///< index of the body
  dealii::types::boundary_id boundary_id; ///< of the mesh
};

/// Which nodes of a face in space are the ends of its edge @p e, of as many as it has nodes, in
/// order around it.
inline std::array<unsigned int, 2>
ends_of_edge(const unsigned int n_nodes, const unsigned int e)
{
  constexpr unsigned int around[4] = {0, 1, 3, 2}; // nodes of quadrilaterals are lexicographic
  const unsigned int next = (e + 1) % n_nodes;
  return n_nodes == 4 ? std::array<unsigned int, 2>{{around[e], around[next]}}
                      : std::array<unsigned int, 2>{{e, next}};
}

/// Outward unit normal of a face in its middle for any positions of the nodes; zero if it has no
/// area.
template <int spacedim, typename PositionOfNode>
dealii::Tensor<1, spacedim>
unit_normal(const SurfaceFace<spacedim> &face, const PositionOfNode &position)
{
  const auto at = [&](const unsigned int i) { return position(face.nodes[i]); };
  dealii::Tensor<1, spacedim> normal;
  if constexpr (spacedim == 2)
  {
    const dealii::Tensor<1, spacedim> along = at(1) - at(0);
    normal[0] = along[1];
    normal[1] = -along[0];
  }
  else if (face.n_nodes == 3)
    normal = dealii::cross_product_3d(at(1) - at(0), at(2) - at(0));
  else
    normal = dealii::cross_product_3d(at(3) - at(0), at(2) - at(1));
  const double norm = normal.norm();
  return norm > 0 ? normal / norm : normal;
}

/// A point of the surface that is tested against targets: a boundary node, or a point of a boundary
/// face, given by the shape values of its nodes.
struct Contactor
{
  static constexpr unsigned int max_nodes = 4; ///< most nodes that carry a contactor
  static constexpr unsigned int no_face = -1;  ///< the contactor is no point of a face

  /// A boundary node.
  Contactor(const unsigned int node, const unsigned int body, const double length)
      : nodes{{node}}, weights{{1.}}, n_nodes(1), body(body), length(length)
  {
  }

  /// Where it is at @p time in free flight [length].
  template <int spacedim>
  dealii::Point<spacedim>
  position_at(const NodeTable<spacedim> &table, const double time) const
  {
    if (n_nodes == 1)
      return table.position_at(nodes[0], time);
    dealii::Tensor<1, spacedim> sum;
    for (unsigned int i = 0; i < n_nodes; ++i)
      sum += weights[i] * table.position_at(nodes[i], time);
    return dealii::Point<spacedim>(sum);
  }

  /// The nodes that carry it.
  dealii::ArrayView<const unsigned int>
  node_view() const
  {
    return {nodes.data(), n_nodes};
  }

  std::array<unsigned int, max_nodes> nodes; ///< nodes that carry it
  std::array<double, max_nodes> weights;     ///< sum to one [-]
  unsigned int n_nodes;                      ///< number of nodes that are used
  unsigned int body;                         ///< index of the body
  double length;                             ///< characteristic length (m/rho)^(1/dim) [length]
  unsigned int face = no_face;               ///< that it is a point of, index into Surface::faces
};

/// Faces and contactors of all bodies.
template <int spacedim>
struct Surface
{
  std::vector<SurfaceFace<spacedim>> faces; ///< faces of the boundary
  std::vector<Contactor> contactors;        ///< points that are tested against targets
  std::vector<std::string> body_names;      ///< by index of the body
  /// Of shells, by index of the body; zero, or missing at the end, if it has an inside [length].
  std::vector<double> thicknesses;
  /// Bodies that are tied, one of which has faces with nodes of the other: they do not see each
  /// other. The smaller number first.
  std::set<std::pair<unsigned int, unsigned int>> tied;
  /// What would close bodies where they are tied: no targets, but part of what bounds their inside.
  std::vector<SurfaceFace<spacedim>> closures;
  static constexpr double share_of_first_distance = 0.9; ///< see own_offset() [-]
  unsigned int n_turned = 0; ///< of the closures, those that lie beside tied faces
  /// Of a shell, whose faces are its middle surface, seen from both sides; zero of other partners
  /// (obstacles count on after the bodies) [length].
  double
  thickness(const unsigned int partner) const
  {
    return partner < thicknesses.size() ? thicknesses[partner] : 0.;
  }

  /// Is there a shell?
  bool
  has_shells() const
  {
    return std::any_of(thicknesses.begin(), thicknesses.end(),
                       [](const double t) { return t > 0; });
  }

  /// How far apart the faces and contactors of two partners are where these touch: those of shells
  /// lie within them. Zero without shells [length].
  double
  offset(const unsigned int partner, const unsigned int other) const
  {
    return 0.5 * (thickness(partner) + thickness(other));
  }

  /// offset() of two places on one body, which were @p first away from each other in the reference
  /// configuration: no more than a share of that, since neighbours on a shell may be not much
  /// further from each other than it is thick [length].
  double
  own_offset(const unsigned int body, const double first) const
  {
    return std::min(thickness(body), share_of_first_distance * first);
  }
};

/**
 * Add contactors within the faces: the centres of n^2 equal parts of every quadrilateral or
 * triangle, of n equal parts of every segment. Their length is the smallest of those of the face's
 * nodes; faces with a node that is no contactor get none.
 */
template <int spacedim>
void add_face_points(Surface<spacedim> &surface, unsigned int n);

} // namespace KickDrift

#endif
