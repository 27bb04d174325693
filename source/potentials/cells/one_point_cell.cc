#include "one_point_cell.h"

#include <cmath>

namespace KickDrift
{
using CellKernels::Geometry;
using CellKernels::HourglassData;
using CellKernels::HourglassKind;

namespace
{
unsigned int
n_axes(const unsigned int mode)
{
  return (mode & 1) + (mode >> 1 & 1) + (mode >> 2 & 1);
}

/// The rotation in A = QU, by Newton's iteration for the polar decomposition.
template <int dim>
dealii::Tensor<2, dim>
rotation_of(const dealii::Tensor<2, dim> &A)
{
  dealii::Tensor<2, dim> Q = A;
  for (unsigned int i = 0; i < 100; ++i)
  {
    const dealii::Tensor<2, dim> next = 0.5 * (Q + transpose(invert(Q)));
    const double change = (next - Q).norm();
    Q = next;
    if (change < 1e-14)
      break;
  }
  return Q;
}
} // namespace

template <int dim>
double
OnePointCell<dim>::value(const unsigned int mode, const unsigned int node)
{
  return n_axes(mode & ~node) % 2 == 0 ? 1 : -1;
}

template <int dim>
OnePointCell<dim>::OnePointCell(const CellData<dim> &cells, const unsigned int k) : volume(0)
{
  AssertThrow(cells.nodes_per_cell == n_nodes,
              dealii::ExcMessage("One-point integration with hourglass control is for "
                                 "quadrilaterals and hexahedra; triangles and tetrahedra have one "
                                 "point and no hourglass modes anyway."));
  const std::size_t first = std::size_t(k) * n_nodes;
  dealii::Tensor<2, dim> jacobian; // at the centre: what varies cancels in the sum over the points
  for (unsigned int q = 0; q < n_nodes; ++q)
  {
    const double weight = cells.weights[first + q];
    const auto gradients = shape_gradients<dim>(n_nodes, q, cells.inverse_jacobians[first + q]);
    for (unsigned int a = 0; a < n_nodes; ++a)
      mean_gradients[a] += weight * gradients[a];
    volume += weight;
    const auto J = invert(cells.inverse_jacobians[first + q]);
    jacobian += J / n_nodes;
    for (unsigned int mode = 0; mode < n_modes; ++mode)
      if (is_mixed(mode))
      {
        // The derivative along one of the mode's axes is the product of the others, which is
        // 3^(-1/2) each at the points; the unit cell is half as long as [-1,1].
        const unsigned int axis = mode & 1 ? 0 : 1;
        const unsigned int others = mode & ~(1u << axis);
        const double product = value(others, q) * std::pow(3., -0.5 * n_axes(others));
        for (unsigned int x = 0; x < dim; ++x)
          positions[mode][x] += 0.5 * std::pow(3., n_axes(others)) * product * J[x][axis];
      }
  }
  for (auto &gradient : mean_gradients)
    gradient /= volume;
  inverse_jacobian = invert(jacobian);
  axes = rotation_of(jacobian);
  for (unsigned int i = 0; i < dim; ++i)
    for (unsigned int x = 0; x < dim; ++x)
      lengths[i] += axes[x][i] * jacobian[x][i];
}

template <int dim>
OnePointCell<dim>::OnePointCell(const Geometry geometry, const std::vector<double> &numbers)
{
  constexpr double scale = 1. / (1 << (dim - 1));
  auto number = numbers.begin();
  const auto read = [&](dealii::Tensor<1, dim> &vector)
  {
    for (unsigned int x = 0; x < dim; ++x)
      vector[x] = *number++;
  };
  std::array<dealii::Tensor<1, dim>, n_modes> of_modes; // gradients
  if (geometry == Geometry::box)
    for (unsigned int x = 0; x < dim; ++x)
      of_modes[1u << x][x] = *number++;
  else
    for (unsigned int mode = 1; mode < n_modes; ++mode)
      if (geometry == Geometry::general || !is_mixed(mode))
        read(of_modes[mode]);
  for (unsigned int a = 0; a < n_nodes; ++a)
    for (unsigned int mode = 1; mode < n_modes; ++mode)
      mean_gradients[a] += value(mode, a) * of_modes[mode];
  volume = *number++;
  if (geometry == Geometry::box)
  {
    for (unsigned int x = 0; x < dim; ++x)
    {
      axes[x][x] = 1;
      lengths[x] = scale / of_modes[1u << x][x];
    }
    return;
  }
  ++number; // mean square of the gradients
  for (unsigned int x = 0; x < dim; ++x)
    read(axes[x]);
  for (unsigned int i = 0; i < dim; ++i)
    lengths[i] = scale / *number++;
  if (geometry == Geometry::general)
    for (unsigned int mode = 0; mode < n_modes; ++mode)
      if (is_mixed(mode))
        read(positions[mode]);
}

template <int dim>
std::array<double, OnePointCell<dim>::n_nodes>
OnePointCell<dim>::hourglass_form(const unsigned int mode) const
{
  std::array<double, n_nodes> form;
  for (unsigned int a = 0; a < n_nodes; ++a)
    form[a] = value(mode, a) - mean_gradients[a] * positions[mode];
  return form;
}

template <int dim>
dealii::Tensor<1, dim>
OnePointCell<dim>::mean_gradient_of_mode(const unsigned int mode) const
{
  dealii::Tensor<1, dim> sum;
  for (unsigned int a = 0; a < n_nodes; ++a)
    sum += value(mode, a) * mean_gradients[a];
  return sum / n_nodes;
}

template <int dim>
std::vector<double>
OnePointCell<dim>::numbers(const Geometry geometry) const
{
  constexpr double scale = 1. / (1 << (dim - 1));
  std::vector<double> result;
  const auto append = [&](const dealii::Tensor<1, dim> &vector)
  {
    for (unsigned int x = 0; x < dim; ++x)
      result.push_back(vector[x]);
  };
  if (geometry == Geometry::box)
    for (unsigned int x = 0; x < dim; ++x)
      result.push_back(scale * inverse_jacobian[x][x]);
  else if (geometry == Geometry::affine)
    for (unsigned int x = 0; x < dim; ++x)
      append(scale * inverse_jacobian[x]);
  else
    for (unsigned int mode = 1; mode < n_modes; ++mode)
      append(mean_gradient_of_mode(mode));
  result.push_back(volume);
  if (geometry == Geometry::box)
    return result;
  double square = 0;
  for (const auto &gradient : mean_gradients)
    square += gradient.norm_square() / n_nodes;
  result.push_back(square);
  for (unsigned int x = 0; x < dim; ++x)
    append(axes[x]);
  for (unsigned int i = 0; i < dim; ++i)
    result.push_back(scale / lengths[i]);
  if (geometry == Geometry::general)
    for (unsigned int mode = 0; mode < n_modes; ++mode)
      if (is_mixed(mode))
        append(positions[mode]);
  return result;
}

template <int dim>
void
OnePointCell<dim>::add_hourglass_stiffness(const HourglassData &control,
                                           std::vector<double> &stiffness) const
{
  constexpr unsigned int n = dim * n_nodes;
  constexpr double scale = 1. / (1 << (dim - 1));
  // The energy is a sum of terms k/2 (w.u)^2.
  const auto add_term = [&](const double k, const std::array<double, n> &w)
  {
    for (unsigned int i = 0; i < n; ++i)
      for (unsigned int j = 0; j < n; ++j)
        stiffness[i * n + j] += k * w[i] * w[j];
  };
  // w.u += factor * (hourglass vector of the mode).direction
  const auto add_form = [&](const unsigned int mode, const dealii::Tensor<1, dim> &direction,
                            const double factor, std::array<double, n> &w)
  {
    const auto form = hourglass_form(mode);
    for (unsigned int a = 0; a < n_nodes; ++a)
      for (unsigned int c = 0; c < dim; ++c)
        w[dim * a + c] += factor * form[a] * direction[c];
  };
  const auto axis = [&](const unsigned int i) { return transpose(axes)[i]; };
  double square = 0;
  for (const auto &gradient : mean_gradients)
    square += gradient.norm_square() / n_nodes;
  for (unsigned int mode = 0; mode < n_modes; ++mode)
    for (unsigned int i = 0; is_mixed(mode) && i < dim; ++i)
    {
      std::array<double, n> w = {};
      add_form(mode, axis(i), 1, w);
      if (control.kind == HourglassKind::flanagan_belytschko)
        add_term(control.normal * volume * square, w);
      else if (mode >> i & 1)
        add_term(control.normal * volume * std::pow(scale / lengths[i], 2) *
                     std::pow(3., 1. - n_axes(mode)),
                 w);
    }
  if (dim == 3 && control.kind == HourglassKind::physical)
    for (unsigned int k = 0; k < dim; ++k)
    {
      const unsigned int i = (k + 1) % dim, j = (k + 2) % dim;
      std::array<double, n> w = {};
      add_form((n_modes - 1) & ~(1u << i), axis(i), scale / lengths[j], w);
      add_form((n_modes - 1) & ~(1u << j), axis(j), scale / lengths[i], w);
      add_term(control.shear * volume / 3, w);
    }
}

template <int dim>
HourglassData
hourglass_data(const HourglassControl &control, const Material<dim> &material)
{
  AssertThrow(control.coefficient >= 0,
              dealii::ExcMessage("The hourglass coefficient is " +
                                 std::to_string(control.coefficient) +
                                 "; it must be positive, or 0 for the usual one."));
  const auto [lambda, mu] = reference_lame(material);
  AssertThrow(mu > 0 && lambda + mu > 0,
              dealii::ExcMessage("Hourglass control needs a material with shear stiffness; the "
                                 "shear modulus in the reference state is " +
                                 std::to_string(mu) + "."));
  const double rotation = material.is_linear() ? 0 : 1;
  if (control.form == HourglassControl::Form::flanagan_belytschko)
  {
    const double coefficient = control.coefficient > 0 ? control.coefficient : 0.05;
    return {HourglassKind::flanagan_belytschko, coefficient * 2 * mu, 0, rotation};
  }
  const double coefficient = control.coefficient > 0 ? control.coefficient : 1;
  const double modulus = dim == 3 ? mu * (3 * lambda + 2 * mu) / (lambda + mu)
                                  : 4 * mu * (lambda + mu) / (lambda + 2 * mu);
  return {HourglassKind::physical, coefficient * modulus, coefficient * mu, rotation};
}

template struct OnePointCell<2>;
template struct OnePointCell<3>;
template HourglassData hourglass_data(const HourglassControl &, const Material<2> &);
template HourglassData hourglass_data(const HourglassControl &, const Material<3> &);
} // namespace KickDrift
