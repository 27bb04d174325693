#include <kickdrift/base/eigenvalues.h>

#include "critical_step.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace KickDrift
{
template <int dim>
Tangent<dim>
tangent_at(const Material<dim> &material, const dealii::Tensor<2, dim> &gradient)
{
  // Small enough for an error of 1e-10, large enough for materials that cancel in H = F - I.
  const double increment = material.is_linear() ? 1. : 3e-6;
  Tangent<dim> tangent;
  for (unsigned int j = 0; j < dim; ++j)
    for (unsigned int l = 0; l < dim; ++l)
    {
      dealii::Tensor<2, dim> H;
      H[j][l] = increment;
      const auto difference = material.stress(gradient + H) - material.stress(gradient - H);
      for (unsigned int i = 0; i < dim; ++i)
        for (unsigned int k = 0; k < dim; ++k)
          tangent[dim * i + k][dim * j + l] = difference[i][k] / (2 * increment);
    }
  for (unsigned int i = 0; i < dim * dim; ++i)
    for (unsigned int j = 0; j < i; ++j)
      tangent[i][j] = tangent[j][i] = 0.5 * (tangent[i][j] + tangent[j][i]);
  return tangent;
}

namespace
{
/// Reference gradient of shape function @p node on the unit cube at Gauss point @p point.
template <int dim>
dealii::Tensor<1, dim>
tensor_reference_gradient(const unsigned int node, const unsigned int point)
{
  dealii::Tensor<1, dim> gradient;
  for (unsigned int k = 0; k < dim; ++k)
  {
    gradient[k] = node >> k & 1 ? 1. : -1.;
    for (unsigned int l = 0; l < dim; ++l)
      if (l != k)
      {
        const bool same_side = (node >> l & 1) == (point >> l & 1);
        gradient[k] *= 0.5 * (1 + (same_side ? 1 : -1) / std::sqrt(3.));
      }
  }
  return gradient;
}

template <int dim>
dealii::Tensor<1, dim>
simplex_reference_gradient(const unsigned int node)
{
  dealii::Tensor<1, dim> gradient;
  for (unsigned int k = 0; k < dim; ++k)
    gradient[k] = node == 0 ? -1. : node == k + 1 ? 1. : 0.;
  return gradient;
}
} // namespace

template <int dim>
void
add_stiffness(const std::vector<dealii::Tensor<1, dim>> &gradients, const double weight,
              const Tangent<dim> &tangent, std::vector<double> &stiffness)
{
  const unsigned int n_nodes = gradients.size(), n = dim * n_nodes;
  // Stress of the unit displacement of every degree of freedom.
  std::array<std::array<double, (1 << dim) * dim>, dim * dim> stress;
  for (unsigned int ik = 0; ik < dim * dim; ++ik)
    for (unsigned int b = 0; b < n_nodes; ++b)
      for (unsigned int j = 0; j < dim; ++j)
      {
        double sum = 0;
        for (unsigned int l = 0; l < dim; ++l)
          sum += tangent[ik][dim * j + l] * gradients[b][l];
        stress[ik][dim * b + j] = weight * sum;
      }
  for (unsigned int a = 0; a < n_nodes; ++a)
    for (unsigned int i = 0; i < dim; ++i)
      for (unsigned int k = 0; k < dim; ++k)
      {
        const double gradient = gradients[a][k];
        const auto &row = stress[dim * i + k];
        double *K = &stiffness[(dim * a + i) * n];
        for (unsigned int bj = dim * a; bj < n; ++bj)
          K[bj] += gradient * row[bj];
      }
}

template <int dim>
Lame
reference_lame(const Material<dim> &material)
{
  if (material.built_in_law() != BuiltInLaw::none)
    return {material.lame().first, material.lame().second};
  const auto tangent = reference_tangent(material);
  Lame moduli;
  constexpr unsigned int n_pairs = dim * (dim - 1);
  for (unsigned int i = 0; i < dim; ++i)
    for (unsigned int j = 0; j < dim; ++j)
      if (i != j)
      {
        moduli.lambda += tangent[dim * i + i][dim * j + j] / n_pairs;
        moduli.mu += tangent[dim * i + j][dim * i + j] / n_pairs;
      }
  return moduli;
}

template <int dim>
const std::vector<dealii::Tensor<1, dim>> &
reference_gradients(const unsigned int nodes_per_cell, const unsigned int point)
{
  using Table = std::array<std::vector<dealii::Tensor<1, dim>>, 1 << dim>; // by point
  static const Table tensor = []
  {
    Table table;
    for (unsigned int q = 0; q < table.size(); ++q)
      for (unsigned int a = 0; a < 1 << dim; ++a)
        table[q].push_back(tensor_reference_gradient<dim>(a, q));
    return table;
  }();
  static const std::vector<dealii::Tensor<1, dim>> simplex = []
  {
    std::vector<dealii::Tensor<1, dim>> gradients;
    for (unsigned int a = 0; a < dim + 1; ++a)
      gradients.push_back(simplex_reference_gradient<dim>(a));
    return gradients;
  }();
  return nodes_per_cell == dim + 1 ? simplex : tensor[point];
}

template <int dim>
std::vector<dealii::Tensor<1, dim>>
shape_gradients(const unsigned int nodes_per_cell, const unsigned int point,
                const dealii::Tensor<2, dim> &inverse_jacobian)
{
  std::vector<dealii::Tensor<1, dim>> gradients = reference_gradients<dim>(nodes_per_cell, point);
  for (auto &gradient : gradients)
    gradient = gradient * inverse_jacobian;
  return gradients;
}

template <int dim>
dealii::Tensor<2, dim>
trace_of_blocks(const Tangent<dim> &tangent)
{
  dealii::Tensor<2, dim> sum;
  for (unsigned int k = 0; k < dim; ++k)
    for (unsigned int l = 0; l < dim; ++l)
      for (unsigned int i = 0; i < dim; ++i)
        sum[k][l] += tangent[dim * i + k][dim * i + l];
  return sum;
}

double
critical_step_of(std::vector<double> matrix, const std::vector<double> &masses,
                 const unsigned int dim)
{
  const unsigned int n = dim * masses.size();
  std::vector<double> scale(masses.size());
  for (unsigned int a = 0; a < masses.size(); ++a)
    scale[a] = masses[a] > 0 ? 1 / std::sqrt(masses[a]) : 0.;
  for (unsigned int i = 0; i < n; ++i)
    for (unsigned int j = i; j < n; ++j)
      matrix[j * n + i] = matrix[i * n + j] *= scale[i / dim] * scale[j / dim];
  const double square_of_frequency = largest_eigenvalue(matrix, n);
  // The margin covers differences in the tangent and round-off in the eigenvalue.
  return square_of_frequency > 0 ? (1 - 1e-8) * 2 / std::sqrt(square_of_frequency)
                                 : std::numeric_limits<double>::infinity();
}

double
lanczos_step(const unsigned int n,
             const std::function<void(const std::vector<double> &, std::vector<double> &)> &apply)
{
  const unsigned int n_steps = std::min(n, 7u);
  std::vector<double> diagonal, off_diagonal, x(n), last(n, 0.), y(n);
  for (unsigned int i = 0; i < n; ++i)
    x[i] = std::sin(1. + 2.4 * i * i); // no symmetry of a cell has this vector as eigenvector
  double norm = std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.));
  double coupling = 0;
  for (unsigned int step = 0;; ++step)
  {
    for (double &entry : x)
      entry /= norm;
    apply(x, y);
    diagonal.push_back(std::inner_product(x.begin(), x.end(), y.begin(), 0.));
    for (unsigned int i = 0; i < n; ++i)
      y[i] -= diagonal.back() * x[i] + coupling * last[i];
    coupling = norm = std::sqrt(std::inner_product(y.begin(), y.end(), y.begin(), 0.));
    if (step + 1 == n_steps || !(norm > 1e-8 * std::abs(diagonal[0])))
      break;
    off_diagonal.push_back(norm);
    last.swap(x);
    x.swap(y);
  }
  const double value = largest_eigenvalue(diagonal, off_diagonal);
  // Residual of the Ritz vector: the last coupling times its last component. The components are
  // found from the last one upwards, the direction in which they grow.
  double after = 0, component = 1, norm_square = 1;
  for (unsigned int i = off_diagonal.size(); i > 0; --i)
  {
    const double next_coupling = i < off_diagonal.size() ? off_diagonal[i] : 0;
    const double before =
        ((value - diagonal[i]) * component - next_coupling * after) / off_diagonal[i - 1];
    after = component;
    component = before;
    norm_square += before * before;
  }
  const double bound = value + coupling / std::sqrt(norm_square);
  return bound <= 0 ? std::numeric_limits<double>::infinity() : 2 / std::sqrt(bound);
}

template Tangent<2> tangent_at(const Material<2> &, const dealii::Tensor<2, 2> &);
template Tangent<3> tangent_at(const Material<3> &, const dealii::Tensor<2, 3> &);
template Lame reference_lame(const Material<2> &);
template Lame reference_lame(const Material<3> &);
template void add_stiffness(const std::vector<dealii::Tensor<1, 2>> &, double, const Tangent<2> &,
                            std::vector<double> &);
template void add_stiffness(const std::vector<dealii::Tensor<1, 3>> &, double, const Tangent<3> &,
                            std::vector<double> &);
template std::vector<dealii::Tensor<1, 2>> shape_gradients(unsigned int, unsigned int,
                                                           const dealii::Tensor<2, 2> &);
template std::vector<dealii::Tensor<1, 3>> shape_gradients(unsigned int, unsigned int,
                                                           const dealii::Tensor<2, 3> &);
template const std::vector<dealii::Tensor<1, 2>> &reference_gradients(unsigned int, unsigned int);
template const std::vector<dealii::Tensor<1, 3>> &reference_gradients(unsigned int, unsigned int);
template dealii::Tensor<2, 2> trace_of_blocks(const Tangent<2> &);
template dealii::Tensor<2, 3> trace_of_blocks(const Tangent<3> &);
} // namespace KickDrift
