#ifndef KICKDRIFT_POTENTIALS_SHELLS_LOOP_SUBDIVISION_H
#define KICKDRIFT_POTENTIALS_SHELLS_LOOP_SUBDIVISION_H

#include <kickdrift/base/compressed_rows.h>
#include <kickdrift/potentials/shells/shell_mesh.h>

#include <deal.II/base/tensor.h>

#include <array>
#include <vector>

namespace KickDrift
{
/// How a node moves the centre of a triangle of a subdivision surface: shape function and its
/// derivatives by the coordinates of the triangle's middle child.
struct LoopWeight
{
  /// Of the mesh; behind its nodes come LoopWeights::mirrors.
  unsigned int node;
  double value;                 ///< N [-]
  std::array<double, 2> first;  ///< N,1 and N,2 [-]
  std::array<double, 3> second; ///< N,11, N,22 and N,12 [-]
};

/// What the mirror image of a node c has beside x_c: the vector n n.(x_a + x_b - 2 x_c).
struct LoopMirror
{
  dealii::Tensor<1, 3> normal;       ///< n, of the plane of reflection
  std::array<unsigned int, 3> nodes; ///< a, b, the ends of an edge in the plane, and c
};

/// What loop_weights() finds.
struct LoopWeights
{
  CompressedRows<LoopWeight> rows; ///< by triangle, nodes ascending
  std::vector<LoopMirror> mirrors; ///< their nodes are all in the rows that they are in
};

/**
 * The surface of Loop's subdivision at the centres of triangles: a row of weights per triangle.
 *
 * After one subdivision the middle child of a triangle has three regular corners, whatever the
 * valences of its parent are, and its centre is that of its parent. So its twelve control points,
 * which are linear in the nodes, and the quartic box splines are all that is needed (regular patch:
 * Cirak, Ortiz & Schröder, Int. J. Numer. Meth. Engng 47 (2000) 2039-2072).
 *
 * Beyond free edges from a to b, with the corner c off them, there are ghost nodes
 * x_a + x_b - x_c, which have no state of their own.
 *
 * Beyond edges that keep their normals ghosts are mirror images instead,
 * x_c + n n.(x_a + x_b - 2 x_c), with the normal n of the plane: of all nodes around the ends of
 * such edges, so that these have as many neighbours as in the surface with its image, but not
 * where they meet edges of other kinds or corners. The second term is no node's: it is what mirrors
 * are, vectors that are numbered behind the nodes.
 *
 * Throws ShellExceptions::ExcFan.
 */
LoopWeights loop_weights(const ShellMesh &mesh);
} // namespace KickDrift

#endif
