#ifndef KICKDRIFT_POTENTIALS_SHELLS_LOOP_SUBDIVISION_H
#define KICKDRIFT_POTENTIALS_SHELLS_LOOP_SUBDIVISION_H

#include <kickdrift/base/compressed_rows.h>
#include <kickdrift/potentials/shells/shell_mesh.h>

namespace KickDrift
{
/// How a node moves the centre of a triangle of a subdivision surface: shape function and its
/// derivatives by the coordinates of the triangle's middle child.
struct LoopWeight
{
  /// Of the mesh; behind its nodes come the mirrors: see loop_weights().
  unsigned int node;
  double value;                 ///< N [-]
  std::array<double, 2> first;  ///< N,1 and N,2 [-]
  std::array<double, 3> second; ///< N,11, N,22 and N,12 [-]
};

/**
 * The surface of Loop's subdivision at the centres of triangles: a row of weights per triangle,
 * nodes ascending.
 *
 * After one subdivision the middle child of a triangle has three regular corners, whatever the
 * valences of its parent are, and its centre is that of its parent. So its twelve control points,
 * which are linear in the nodes, and the quartic box splines are all that is needed (regular patch:
 * Cirak, Ortiz & Schröder, Int. J. Numer. Meth. Engng 47 (2000) 2039-2072).
 *
 * Beyond free edges from a to b, with the corner c off them, there are ghost nodes
 * x_a + x_b - x_c, which have no state of their own.
 *
 * Beyond edges that keep their normals the ghost is the mirror image of c instead,
 * x_c + n n.(x_a + x_b - 2 x_c), with the normal n of the plane. The second term is no node's: it
 * is what mirrors are, vectors that are numbered behind the nodes, as
 * ShellMesh::edges_with_normals() are. The nodes a, b, c of a mirror are all in the row.
 *
 * Throws ShellExceptions::ExcFan.
 */
CompressedRows<LoopWeight> loop_weights(const ShellMesh &mesh);
} // namespace KickDrift

#endif
