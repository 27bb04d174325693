// The surface of a scene, found from its cells, without the library.
#ifndef KICKDRIFT_TESTS_SCENES_SKIN_H
#define KICKDRIFT_TESTS_SCENES_SKIN_H

#include "scenes/scene.h"

namespace Scenes
{
/// A segment or triangle, by vertices of the scene, with the outside on its right, or where its
/// normal points to.
template <int dim>
using Facet = std::array<unsigned int, dim>;

/// The surface of a connected piece.
template <int dim>
struct PieceSkin
{
  unsigned int body;                ///< index
  unsigned int first_vertex;        ///< of the scene
  unsigned int n_vertices;          ///< the following ones
  std::vector<unsigned int> nodes;  ///< vertices on the surface
  std::vector<unsigned int> probes; ///< these nodes, and middles of faces (see Skin)
  /// The facets; and with the other diagonals of faces that have four corners: the bilinear face
  /// lies between both, so that what is behind both is behind it.
  std::array<std::vector<Facet<dim>>, 2> facets;
  bool has_quads = false;                         ///< do the two differ?
  std::vector<std::array<unsigned int, 2>> edges; ///< of the mesh, on the surface
  double thickness;                               ///< [length]
};

template <int dim>
struct Skin
{
  std::vector<PieceSkin<dim>> pieces;
  unsigned int n_vertices = 0; ///< of the scene
  /// Corners of the faces of all pieces, whose middles are numbered behind the vertices: where
  /// sides are flush no node and no edge is inside of the other piece, but middles are. That of a
  /// bilinear face is on it, and flies straight.
  std::vector<std::vector<unsigned int>> faces;
  std::vector<unsigned int> momentum_of_piece; ///< pieces of a rigid body have one in common
  unsigned int n_momenta = 0;                  ///< number of them
  std::vector<bool> is_driven;                 ///< by number of momentum
  std::vector<Plane<dim>> planes;
  double size; ///< L [length]

  explicit Skin(const Scene<dim> &scene);
};

/// Vertices and then middles of faces.
template <int dim>
std::vector<Vec<dim>> with_middles(const Skin<dim> &skin, std::vector<Vec<dim>> vertices);

/// All vertices at the start, body by body, part by part [length].
template <int dim>
std::vector<Vec<dim>> positions(const Scene<dim> &scene);
} // namespace Scenes

#endif
