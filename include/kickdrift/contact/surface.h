#ifndef KICKDRIFT_CONTACT_SURFACE_H
#define KICKDRIFT_CONTACT_SURFACE_H

#include <kickdrift/nodes/node_table.h>

#include <deal.II/base/array_view.h>
#include <deal.II/base/types.h>

#include <array>
#include <string>
#include <vector>

namespace KickDrift
{
/// A boundary face of a body: a segment in 2D, a triangle or bilinear quadrilateral in 3D.
template <int spacedim>
struct SurfaceFace
{
  static constexpr unsigned int max_nodes = spacedim == 2 ? 2 : 4;

  /**
   * Nodes in deal.II's vertex order (quadrilaterals lexicographic: 0-1 along xi, 2-3 opposite),
   * ordered such that the normal points out of the body: (x1-x0) turned by -90 degrees in 2D,
   * (x1-x0) x (x2-x0) in 3D.
   */
  std::array<unsigned int, max_nodes> nodes;
  unsigned int n_nodes;
  unsigned int body;
  dealii::types::boundary_id boundary_id;
};

/// A point of the surface that is tested against targets: a boundary node, or a point of a boundary
/// face, given by the shape values of its nodes.
struct Contactor
{
  static constexpr unsigned int max_nodes = 4;

  /// A boundary node.
  Contactor(const unsigned int node, const unsigned int body, const double length)
      : nodes{{node}}, weights{{1.}}, n_nodes(1), body(body), length(length)
  {
  }

  /// Where it is at the times of its nodes [length].
  template <int spacedim>
  dealii::Point<spacedim>
  position(const NodeTable<spacedim> &table) const
  {
    if (n_nodes == 1)
      return table.position(nodes[0]);
    dealii::Tensor<1, spacedim> sum;
    for (unsigned int i = 0; i < n_nodes; ++i)
      sum += weights[i] * table.position(nodes[i]);
    return dealii::Point<spacedim>(sum);
  }

  dealii::ArrayView<const unsigned int>
  node_view() const
  {
    return {nodes.data(), n_nodes};
  }

  std::array<unsigned int, max_nodes> nodes;
  std::array<double, max_nodes> weights; ///< sum to one [-]
  unsigned int n_nodes;
  unsigned int body;
  double length; ///< characteristic length (m/rho)^(1/dim) [length]
};

/// Faces and contactors of all bodies.
template <int spacedim>
struct Surface
{
  std::vector<SurfaceFace<spacedim>> faces;
  std::vector<Contactor> contactors;
  std::vector<std::string> body_names;
};
} // namespace KickDrift

#endif
