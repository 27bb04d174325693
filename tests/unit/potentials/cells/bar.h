#ifndef KICKDRIFT_TESTS_UNIT_POTENTIALS_CELLS_BAR_H
#define KICKDRIFT_TESTS_UNIT_POTENTIALS_CELLS_BAR_H

// The lowest frequency of a cantilever, from an assembled banded stiffness matrix.

#include "cells.h"

namespace PotentialsTest
{
/// A square bar along x, 10 times as long as wide, with 10 n x n x n cubes, each one cell or six
/// tetrahedra. Nodes are numbered from one cross-section to the next.
inline Mesh<3>
bar(const bool simplices, const unsigned int n)
{
  Mesh<3> mesh;
  mesh.nodes_per_cell = simplices ? 4 : 8;
  const double h = 1. / n;
  const unsigned int m = n + 1;
  for (unsigned int i = 0; i <= 10 * n; ++i)
    for (unsigned int j = 0; j < m; ++j)
      for (unsigned int k = 0; k < m; ++k)
        mesh.points.emplace_back(h * i, h * j, h * k);
  const auto node = [&](const unsigned int i, const unsigned int j, const unsigned int k,
                        const unsigned int corner)
  { return ((i + (corner & 1)) * m + j + (corner >> 1 & 1)) * m + k + (corner >> 2); };
  for (unsigned int i = 0; i < 10 * n; ++i)
    for (unsigned int j = 0; j < n; ++j)
      for (unsigned int k = 0; k < n; ++k)
        if (simplices)
          for (const auto &corners : simplices_of_cube<3>())
            for (const unsigned int corner : corners)
              mesh.nodes.push_back(node(i, j, k, corner));
        else
          for (unsigned int corner = 0; corner < 8; ++corner)
            mesh.nodes.push_back(node(i, j, k, corner));
  return mesh;
}

/// Symmetric positive definite matrix, lower half of the band.
class BandMatrix
{
public:
  BandMatrix(const unsigned int size, const unsigned int half_width)
      : n(size), width(half_width), entries(std::size_t(size) * (half_width + 1), 0.)
  {
  }
  /// @pre column <= row <= column + half_width
  double &
  operator()(const unsigned int row, const unsigned int column)
  {
    return entries[std::size_t(row) * (width + 1) + (column + width - row)];
  }
  /// Replace the matrix by its Cholesky factor.
  void
  factorise()
  {
    for (unsigned int i = 0; i < n; ++i)
      for (unsigned int j = i > width ? i - width : 0; j <= i; ++j)
      {
        const unsigned int first = i > width ? i - width : 0;
        const double *a = &(*this)(i, first), *b = &(*this)(j, std::max(first, first_of(j)));
        a += std::max(first, first_of(j)) - first;
        double sum = (*this)(i, j);
        for (unsigned int k = std::max(first, first_of(j)); k < j; ++k)
          sum -= *a++ * *b++;
        (*this)(i, j) = i == j ? std::sqrt(sum) : sum / (*this)(j, j);
      }
  }
  /// Solve with the factor.
  void
  solve(std::vector<double> &x)
  {
    for (unsigned int i = 0; i < n; ++i)
    {
      for (unsigned int j = first_of(i); j < i; ++j)
        x[i] -= (*this)(i, j) * x[j];
      x[i] /= (*this)(i, i);
    }
    for (unsigned int i = n; i-- > 0;)
    {
      x[i] /= (*this)(i, i);
      for (unsigned int j = first_of(i); j < i; ++j)
        x[j] -= (*this)(i, j) * x[i];
    }
  }

private:
  unsigned int
  first_of(const unsigned int row) const
  {
    return row > width ? row - width : 0;
  }

  unsigned int n, width;
  std::vector<double> entries;
};

/// Adds a stiffness matrix of some nodes, shape (3 nodes, 3 nodes) by rows.
using AddStiffness =
    std::function<void(const std::vector<unsigned int> &nodes, const std::vector<double> &matrix)>;

/// Stiffness of all kicks of a family that is linear, from forces of unit displacements.
inline void
add_kicks(const Kicks<3> &kicks, NodeTable<3> nodes, const AddStiffness &add)
{
  std::vector<Tensor<1, 3>> forces;
  for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
  {
    const auto support = kicks.support(k);
    const unsigned int n = 3 * support.size();
    std::vector<double> matrix(n * n);
    for (unsigned int j = 0; j < n; ++j)
    {
      nodes[support[j / 3]].displacement[j % 3] = 1;
      kicks.force(nodes, k, 0., forces);
      nodes[support[j / 3]].displacement[j % 3] = 0;
      for (unsigned int i = 0; i < n; ++i)
        matrix[i * n + j] = -forces[i / 3][i % 3];
    }
    add(support, matrix);
  }
}

/**
 * Lowest angular frequency of a bar of n cubes across that is clamped at x = 0, by inverse
 * iteration.
 */
inline double
lowest_frequency(const NodeTable<3> &nodes, const unsigned int n,
                 const std::function<void(const AddStiffness &)> &assemble)
{
  const unsigned int layer = (n + 1) * (n + 1), clamped = 3 * layer;
  const unsigned int size = 3 * nodes.size() - clamped;
  BandMatrix matrix(size, std::min(size - 1, 3 * (2 * layer + 2 * (n + 1) + 3)));
  assemble(
      [&](const std::vector<unsigned int> &support, const std::vector<double> &local)
      {
        const auto dof = [&](const unsigned int i) { return 3 * support[i / 3] + i % 3; };
        for (unsigned int i = 0; i < 3 * support.size(); ++i)
          for (unsigned int j = 0; j < 3 * support.size(); ++j)
            if (dof(j) <= dof(i) && dof(j) >= clamped)
              matrix(dof(i) - clamped, dof(j) - clamped) += local[i * 3 * support.size() + j];
      });
  matrix.factorise();
  const auto mass = [&](const unsigned int i) { return nodes.mass((i + clamped) / 3); };
  std::vector<double> x(size);
  for (unsigned int i = 0; i < size; ++i)
    x[i] = i % 3 == 1 ? std::pow(nodes.reference((i + clamped) / 3)[0], 2) : 0.01 * (i % 7);
  double square = 0;
  for (unsigned int step = 0; step < 12; ++step)
  {
    double before = 0, after = 0;
    std::vector<double> y(size);
    for (unsigned int i = 0; i < size; ++i)
    {
      y[i] = mass(i) * x[i];
      before += x[i] * y[i];
    }
    std::vector<double> solution = y;
    matrix.solve(solution);
    for (unsigned int i = 0; i < size; ++i)
      after += solution[i] * y[i];
    square = before / after;
    const double scale = square;
    for (unsigned int i = 0; i < size; ++i)
      x[i] = scale * solution[i];
  }
  return std::sqrt(square);
}
} // namespace PotentialsTest

#endif
