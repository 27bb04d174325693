#ifndef KICKDRIFT_SOURCE_POTENTIALS_SHELLS_KERNELS_SHELL_CELLS_H
#define KICKDRIFT_SOURCE_POTENTIALS_SHELLS_KERNELS_SHELL_CELLS_H

// Strain energies of shells with their derivatives, for four kicks at once: the formulas of
// MembraneTriangle, BendingKicks and LoopKicks. Every class here has the same interface:
//   Cell(geometry, displacements)   what the displacements do to the surface
//   energy()
//   gradient_of_energy(result)      write the nodal dV/du

#include "../../cells/batches/kernels/batch.h"
#include "vectors.h"

namespace KickDrift
{
namespace CellKernels
{
namespace KICKDRIFT_ISA
{
/// What the shells' cells read and write.
template <int n_nodes>
struct ShellCell
{
  const double *geometry;
  const double *displacements;

  KICKDRIFT_INLINE Lanes
  number(const int i) const
  {
    return load(geometry + n_lanes * i);
  }
  /// Number @p i and the two behind it.
  KICKDRIFT_INLINE Vector
  vector(const int i) const
  {
    return load_vector(geometry + n_lanes * i);
  }
  /// Displacement of a node beyond that of the first one.
  KICKDRIFT_INLINE Vector
  relative(const int node) const
  {
    return load_vector(displacements + 3 * n_lanes * node) - load_vector(displacements);
  }
};

/**
 * MembraneTriangle. Stored: the axes (3, 3), g_11, g_12, g_22, and the law of plane stress times
 * area: lambda, 2 mu.
 */
class MembraneCell : ShellCell<3>
{
public:
  static constexpr int n_nodes = 3;
  static constexpr int n_geometry = 11;

  KICKDRIFT_INLINE
  MembraneCell(const double *geometry, const double *displacements)
      : ShellCell<3>{geometry, displacements}
  {
    const Vector axis_1 = vector(0), axis_2 = vector(3), u_1 = relative(1), u_2 = relative(2);
    const Vector h_1 = number(6) * u_1, h_2 = number(7) * u_1 + number(8) * u_2;
    F_1 = axis_1 + h_1;
    F_2 = axis_2 + h_2;
    E_11 = dot(axis_1, h_1) + 0.5 * dot(h_1, h_1);
    E_22 = dot(axis_2, h_2) + 0.5 * dot(h_2, h_2);
    E_12 = 0.5 * (dot(axis_1, h_2) + dot(axis_2, h_1) + dot(h_1, h_2));
    const Lanes of_trace = number(9) * (E_11 + E_22), shear = number(10);
    S_11 = of_trace + shear * E_11;
    S_22 = of_trace + shear * E_22;
    S_12 = shear * E_12;
  }

  KICKDRIFT_INLINE Lanes
  energy() const
  {
    return 0.5 * (S_11 * E_11 + S_22 * E_22) + S_12 * E_12;
  }

  KICKDRIFT_INLINE void
  gradient_of_energy(double *result) const
  {
    const Vector p_1 = S_11 * F_1 + S_12 * F_2, p_2 = S_12 * F_1 + S_22 * F_2;
    const Vector on_1 = number(6) * p_1 + number(7) * p_2, on_2 = number(8) * p_2;
    store_vector(result, -(on_1 + on_2));
    store_vector(result + 3 * n_lanes, on_1);
    store_vector(result + 6 * n_lanes, on_2);
  }

private:
  Vector F_1, F_2;
  Lanes E_11, E_22, E_12, S_11, S_22, S_12;
};

/**
 * A triangle with hinges at its edges 0, 1, ...: nodes are its corners and those across the edges.
 * Stored: positions of all nodes but the first from there (3 each), cosine and sine of the angle of
 * each hinge at rest, and Q by rows from the diagonal on.
 */
template <int n_hinges>
class HingeCell : ShellCell<3 + n_hinges>
{
public:
  static constexpr int n_nodes = 3 + n_hinges;
  static constexpr int n_geometry =
      3 * (n_nodes - 1) + 2 * n_hinges + n_hinges * (n_hinges + 1) / 2;

  KICKDRIFT_INLINE
  HingeCell(const double *geometry, const double *displacements)
      : ShellCell<n_nodes>{geometry, displacements}
  {
    Vector place[n_nodes];
    KICKDRIFT_UNROLL
    for (int a = 1; a < n_nodes; ++a)
      place[a] = this->vector(3 * (a - 1)) + this->relative(a);
    edge[0] = place[1];
    edge[1] = place[2] - place[1];
    edge[2] = -place[2];
    normal = cross(place[1], place[2]);
    KICKDRIFT_UNROLL
    for (int h = 0; h < n_hinges; ++h)
    {
      const Vector across = h == 0 ? place[3] : place[3 + h] - place[h];
      other_normal[h] = cross(across, edge[h]);
      square[h] = dot(edge[h], edge[h]);
      length[h] = square_root(square[h]);
      along_edge[h] = dot(across, edge[h]);
      // both times the lengths of the normals
      const Lanes cosine = dot(normal, other_normal[h]);
      const Lanes sine = -length[h] * dot(normal, across);
      const Lanes rest_cosine = this->number(angles + 2 * h),
                  rest_sine = this->number(angles + 2 * h + 1);
      change[h] = arc_tangent(sine * rest_cosine - cosine * rest_sine,
                              cosine * rest_cosine + sine * rest_sine);
    }
    KICKDRIFT_UNROLL
    for (int g = 0; g < n_hinges; ++g)
    {
      moment[g] = stiffness(g, 0) * change[0];
      KICKDRIFT_UNROLL
      for (int h = 1; h < n_hinges; ++h)
        moment[g] += stiffness(g, h) * change[h];
    }
  }

  KICKDRIFT_INLINE Lanes
  energy() const
  {
    Lanes sum = moment[0] * change[0];
    KICKDRIFT_UNROLL
    for (int h = 1; h < n_hinges; ++h)
      sum += moment[h] * change[h];
    return 0.5 * sum;
  }

  /// Derivatives of angles are along the normals of the triangles.
  KICKDRIFT_INLINE void
  gradient_of_energy(double *result) const
  {
    Lanes along_normal[3] = {all(0.), all(0.), all(0.)};
    Vector sums[3];
    KICKDRIFT_UNROLL
    for (int h = 0; h < n_hinges; ++h)
    {
      const int next = (h + 1) % 3;
      const Lanes square_of_other = dot(other_normal[h], other_normal[h]);
      const Lanes inverse = moment[h] / (length[h] * square_of_other);
      // moment over length, and that over the square of the other normal
      const Lanes factor = inverse * square_of_other;
      const Vector other = inverse * other_normal[h];
      const Lanes lever = dot(edge[h], edge[next]);
      along_normal[h] -= factor * lever;
      along_normal[next] += factor * (lever + square[h]);
      along_normal[(h + 2) % 3] -= factor * square[h];
      const Vector on_first = (square[h] - along_edge[h]) * other, on_next = along_edge[h] * other;
      sums[h] = h == 0 ? on_first : sums[h] + on_first;
      if (h == 2)
        sums[0] = sums[0] + on_next;
      else
        sums[next] = on_next;
      store_vector(result + 3 * n_lanes * (3 + h), -square[h] * other);
    }
    if (n_hinges == 1)
      sums[2] = {all(0.), all(0.), all(0.)};
    const Vector unit = 1. / dot(normal, normal) * normal;
    KICKDRIFT_UNROLL
    for (int a = 0; a < 3; ++a)
      store_vector(result + 3 * n_lanes * a, sums[a] + along_normal[a] * unit);
  }

private:
  static constexpr int angles = 3 * (n_nodes - 1);

  KICKDRIFT_INLINE Lanes
  stiffness(const int g, const int h) const
  {
    const int row = g < h ? g : h, column = g < h ? h : g;
    return this->number(angles + 2 * n_hinges + row * n_hinges - row * (row - 1) / 2 + column -
                        row);
  }

  Vector edge[3], normal, other_normal[n_hinges];
  Lanes square[n_hinges], length[n_hinges], along_edge[n_hinges]; ///< of edges
  Lanes change[n_hinges], moment[n_hinges];
};

/**
 * The centre of a triangle of a Loop surface. Stored at rest: tangents a_1, a_2, second derivatives
 * x,11, x,22, x,12 (3 each), curvatures b_11, b_22, b_12; the law of stretching times area by rows
 * from the diagonal on, for strains 11, 22, twice 12; the stiffness of bending over that of
 * stretching; N,1 N,2 N,11 N,22 N,12 of all nodes but the first, which has minus their sum.
 */
template <int n>
class LoopCell : ShellCell<n>
{
public:
  static constexpr int n_nodes = n;
  static constexpr int n_geometry = 25 + 5 * (n - 1);

  KICKDRIFT_INLINE
  LoopCell(const double *geometry, const double *displacements)
      : ShellCell<n>{geometry, displacements}
  {
    const Vector axis[2] = {this->vector(0), this->vector(3)};
    Vector change[5];
    KICKDRIFT_UNROLL
    for (int i = 0; i < 5; ++i)
      change[i] = weight(1, i) * this->relative(1);
    for (int a = 2; a < n; ++a)
    {
      const Vector u = this->relative(a);
      KICKDRIFT_UNROLL
      for (int i = 0; i < 5; ++i)
        change[i] = change[i] + weight(a, i) * u;
    }
    tangent[0] = axis[0] + change[0];
    tangent[1] = axis[1] + change[1];
    const Vector area = cross(tangent[0], tangent[1]);
    inverse_jacobian = 1. / square_root(dot(area, area));
    normal = inverse_jacobian * area;

    strain[0] = dot(axis[0], change[0]) + 0.5 * dot(change[0], change[0]);
    strain[1] = dot(axis[1], change[1]) + 0.5 * dot(change[1], change[1]);
    strain[2] = dot(axis[0], change[1]) + dot(axis[1], change[0]) + dot(change[0], change[1]);
    KICKDRIFT_UNROLL
    for (int i = 0; i < 3; ++i)
    {
      second[i] = this->vector(6 + 3 * i) + change[2 + i];
      bending[i] = this->number(15 + i) - dot(second[i], normal);
    }
    bending[2] = 2. * bending[2];
    const Lanes ratio = this->number(24);
    KICKDRIFT_UNROLL
    for (int i = 0; i < 3; ++i)
    {
      stress[i] = law(i, 0) * strain[0] + law(i, 1) * strain[1] + law(i, 2) * strain[2];
      moment[i] =
          ratio * (law(i, 0) * bending[0] + law(i, 1) * bending[1] + law(i, 2) * bending[2]);
    }
  }

  KICKDRIFT_INLINE Lanes
  energy() const
  {
    return 0.5 * (stress[0] * strain[0] + stress[1] * strain[1] + stress[2] * strain[2] +
                  moment[0] * bending[0] + moment[1] * bending[1] + moment[2] * bending[2]);
  }

  KICKDRIFT_INLINE void
  gradient_of_energy(double *result) const
  {
    const Lanes twice_mixed = 2. * moment[2];
    const Vector p = moment[0] * second[0] + moment[1] * second[1] + twice_mixed * second[2];
    const Vector in_plane = inverse_jacobian * (p - dot(p, normal) * normal);
    const Vector by_first =
        stress[0] * tangent[0] + stress[2] * tangent[1] - cross(tangent[1], in_plane);
    const Vector by_second =
        stress[2] * tangent[0] + stress[1] * tangent[1] - cross(in_plane, tangent[0]);
    Vector sum = {all(0.), all(0.), all(0.)};
    for (int a = 1; a < n; ++a)
    {
      const Lanes bent =
          moment[0] * weight(a, 2) + moment[1] * weight(a, 3) + twice_mixed * weight(a, 4);
      const Vector on_node = weight(a, 0) * by_first + weight(a, 1) * by_second - bent * normal;
      sum = sum + on_node;
      store_vector(result + 3 * n_lanes * a, on_node);
    }
    store_vector(result, -sum);
  }

private:
  KICKDRIFT_INLINE Lanes
  law(const int i, const int j) const
  {
    const int row = i < j ? i : j, column = i < j ? j : i;
    return this->number(18 + 3 * row - row * (row - 1) / 2 + column - row);
  }
  KICKDRIFT_INLINE Lanes
  weight(const int node, const int derivative) const
  {
    return this->number(25 + 5 * (node - 1) + derivative);
  }

  Vector tangent[2], second[3], normal;
  Lanes inverse_jacobian;
  Lanes strain[3], bending[3], stress[3], moment[3];
};
} // namespace KICKDRIFT_ISA
} // namespace CellKernels
} // namespace KickDrift

#endif
