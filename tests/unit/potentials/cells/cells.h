#ifndef KICKDRIFT_TESTS_UNIT_POTENTIALS_CELLS_CELLS_H
#define KICKDRIFT_TESTS_UNIT_POTENTIALS_CELLS_CELLS_H

// Small meshes for the tests of the strain-energy kicks, made without deal.II's elements.

#include <kickdrift/potentials/cells/cell_kicks.h>
#include <kickdrift/potentials/materials/built_in_materials.h>
#include <kickdrift/potentials/materials/template_material.h>

#include <array>
#include <cmath>
#include <functional>
#include <random>

namespace PotentialsTest
{
using namespace KickDrift;
using dealii::Point;
using dealii::Tensor;

enum class Shape
{
  box,
  affine,
  general,
  simplex
};

const std::array<Shape, 4> all_shapes = {
    {Shape::box, Shape::affine, Shape::general, Shape::simplex}};

/// Nodes and connectivity; the unit of the connectivity is one cell.
template <int dim>
struct Mesh
{
  unsigned int nodes_per_cell = 0;
  std::vector<Point<dim>> points;
  std::vector<unsigned int> nodes;

  unsigned int
  n_cells() const
  {
    return nodes.size() / nodes_per_cell;
  }
};

inline double
uniform(std::mt19937 &random, const double low, const double high)
{
  return std::uniform_real_distribution<double>(low, high)(random);
}

template <int dim>
Tensor<1, dim>
random_vector(std::mt19937 &random, const double size)
{
  Tensor<1, dim> v;
  for (unsigned int d = 0; d < dim; ++d)
    v[d] = uniform(random, -size, size);
  return v;
}

/// Corner of a cell in a block of n cells along each axis.
template <int dim>
unsigned int
block_node(const unsigned int cell, const unsigned int corner, const unsigned int n)
{
  unsigned int node = 0, stride = 1, rest = cell;
  for (unsigned int d = 0; d < dim; ++d)
  {
    node += stride * (rest % n + (corner >> d & 1));
    rest /= n;
    stride *= n + 1;
  }
  return node;
}

/// Simplices that fill the unit cube, as corners, positively oriented.
template <int dim>
std::vector<std::array<unsigned int, dim + 1>>
simplices_of_cube()
{
  if constexpr (dim == 2)
    return {{{0, 1, 3}}, {{0, 3, 2}}};
  else
    return {{{0, 1, 3, 7}}, {{0, 3, 2, 7}}, {{0, 2, 6, 7}},
            {{0, 6, 4, 7}}, {{0, 4, 5, 7}}, {{0, 5, 1, 7}}};
}

/// A block of n^dim cells (simplices: more), randomly distorted as far as the shape allows.
template <int dim>
Mesh<dim>
block(const Shape shape, const unsigned int n, std::mt19937 &random)
{
  Mesh<dim> mesh;
  const unsigned int n_points = std::lround(std::pow(n + 1, dim));
  const unsigned int n_blocks = std::lround(std::pow(n, dim));
  std::array<std::vector<double>, dim> ticks;
  for (auto &axis : ticks)
    for (unsigned int i = 0; i <= n; ++i)
      axis.push_back(i == 0 ? 0 : axis.back() + uniform(random, 0.6, 1.4));
  Tensor<2, dim> shear;
  for (unsigned int d = 0; d < dim; ++d)
    shear[d] = random_vector<dim>(random, 0.3);
  for (unsigned int p = 0; p < n_points; ++p)
  {
    Point<dim> x;
    unsigned int rest = p;
    for (unsigned int d = 0; d < dim; ++d, rest /= n + 1)
      x[d] = ticks[d][rest % (n + 1)];
    if (shape != Shape::box)
      x += shear * x;
    if (shape == Shape::general || shape == Shape::simplex)
      x += random_vector<dim>(random, 0.12);
    mesh.points.push_back(x);
  }
  const bool simplices = shape == Shape::simplex;
  mesh.nodes_per_cell = simplices ? dim + 1 : 1 << dim;
  for (unsigned int c = 0; c < n_blocks; ++c)
    if (simplices)
      for (const auto &corners : simplices_of_cube<dim>())
        for (const unsigned int corner : corners)
          mesh.nodes.push_back(block_node<dim>(c, corner, n));
    else
      for (unsigned int corner = 0; corner < 1u << dim; ++corner)
        mesh.nodes.push_back(block_node<dim>(c, corner, n));
  return mesh;
}

/// Reference gradients of the shape functions at a point of the unit cell, by differences.
template <int dim>
double
shape_value(const unsigned int nodes_per_cell, const unsigned int a, const Point<dim> &xi)
{
  if (nodes_per_cell == dim + 1)
  {
    double first = 1;
    for (unsigned int d = 0; d < dim; ++d)
      first -= xi[d];
    return a == 0 ? first : xi[a - 1];
  }
  double value = 1;
  for (unsigned int d = 0; d < dim; ++d)
    value *= a >> d & 1 ? xi[d] : 1 - xi[d];
  return value;
}

template <int dim>
Point<dim>
quadrature_point(const unsigned int nodes_per_cell, const unsigned int q)
{
  Point<dim> xi;
  for (unsigned int d = 0; d < dim; ++d)
    xi[d] = nodes_per_cell == dim + 1 ? 1. / (dim + 1)
                                      : 0.5 + ((q >> d & 1) ? 0.5 : -0.5) / std::sqrt(3.);
  return xi;
}

/// Shape functions are at most linear in each coordinate, so that differences are exact.
template <int dim>
Tensor<1, dim>
shape_gradient(const unsigned int nodes_per_cell, const unsigned int a, const Point<dim> &xi)
{
  Tensor<1, dim> gradient;
  for (unsigned int d = 0; d < dim; ++d)
  {
    Point<dim> low = xi, high = xi;
    low[d] -= 0.5;
    high[d] += 0.5;
    gradient[d] = shape_value(nodes_per_cell, a, high) - shape_value(nodes_per_cell, a, low);
  }
  return gradient;
}

template <int dim>
CellData<dim>
cell_data(const Mesh<dim> &mesh, const double density)
{
  const unsigned int n = mesh.nodes_per_cell;
  CellData<dim> data;
  data.nodes_per_cell = n;
  data.points_per_cell = n == dim + 1 ? 1 : n;
  data.nodes = mesh.nodes;
  for (unsigned int c = 0; c < mesh.n_cells(); ++c)
  {
    std::vector<double> masses(n, 0.);
    for (unsigned int q = 0; q < data.points_per_cell; ++q)
    {
      const auto xi = quadrature_point<dim>(n, q);
      Tensor<2, dim> J;
      for (unsigned int a = 0; a < n; ++a)
        J += outer_product(Tensor<1, dim>(mesh.points[mesh.nodes[c * n + a]]),
                           shape_gradient(n, a, xi));
      const double reference_volume =
          n == dim + 1 ? (dim == 2 ? 0.5 : 1. / 6) : 1. / data.points_per_cell;
      data.inverse_jacobians.push_back(invert(J));
      data.weights.push_back(determinant(J) * reference_volume);
      for (unsigned int a = 0; a < n; ++a)
        masses[a] += density * data.weights.back() * shape_value(n, a, xi);
    }
    data.masses.insert(data.masses.end(), masses.begin(), masses.end());
  }
  return data;
}

template <int dim>
NodeTable<dim>
node_table(const Mesh<dim> &mesh, const CellData<dim> &data)
{
  std::vector<double> masses(mesh.points.size(), 0.);
  for (unsigned int i = 0; i < data.nodes.size(); ++i)
    masses[data.nodes[i]] += data.masses[i];
  NodeTable<dim> nodes;
  for (unsigned int p = 0; p < mesh.points.size(); ++p)
    nodes.add(mesh.points[p], masses[p]);
  return nodes;
}

/// Mesh, nodes and kicks together.
template <int dim>
struct Body
{
  Body(const Mesh<dim> &mesh, const std::shared_ptr<const Material<dim>> &material)
      : mesh(mesh),
        data(cell_data(mesh, material->density())),
        nodes(node_table(mesh, data)),
        families(make_cell_kicks(data, material))
  {
  }

  /// Lumped masses of the cell that is kick k of a family.
  std::vector<double>
  own_masses(const CellKicks<dim> &kicks, const unsigned int k) const
  {
    const unsigned int n = data.nodes_per_cell;
    const double *first = &data.masses[std::size_t(kicks.cell(k)) * n];
    return {first, first + n};
  }

  void
  displace(const std::function<Tensor<1, dim>(const Point<dim> &)> &displacement)
  {
    for (unsigned int i = 0; i < nodes.size(); ++i)
      nodes.set_displacement(i, displacement(nodes.reference(i)));
  }

  Mesh<dim> mesh;
  CellData<dim> data;
  NodeTable<dim> nodes;
  std::vector<std::shared_ptr<CellKicks<dim>>> families;
};

/// What a user might write: St. Venant-Kirchhoff without the help of the vectorised law.
template <int dim>
class UserMaterial : public StVenantKirchhoff<dim>
{
public:
  using StVenantKirchhoff<dim>::StVenantKirchhoff;
  BuiltInLaw
  built_in_law() const override
  {
    return BuiltInLaw::none;
  }
};

/**
 * Also of a user, written for four cells at once: W = mu/2 (tr C - 3 - 2 ln J) + lambda/2 (J-1)^2,
 * a neo-Hookean material with another law for changes of volume.
 */
template <int dim>
class WrittenOnce : public TemplateMaterial<dim, WrittenOnce<dim>>
{
public:
  template <typename Number>
  Number
  energy_law(const Tensor<2, dim, Number> &H) const
  {
    using std::log1p;
    // J - 1, so that nothing cancels at small strains
    Number j = trace(H) + determinant(H);
    if constexpr (dim == 3)
      j += 0.5 * (trace(H) * trace(H) - trace(H * H));
    return 0.5 * mu * (scalar_product(H, H) + 2. * (trace(H) - log1p(j))) + 0.5 * lambda * j * j;
  }

  template <typename Number>
  Tensor<2, dim, Number>
  stress_law(const Tensor<2, dim, Number> &H) const
  {
    const Tensor<2, dim, Number> F = deformation_gradient(H);
    const Number J = determinant(F);
    const Number pressure = lambda * (J - 1.) * J - mu;
    return mu * F + pressure * transpose(invert(F));
  }

  double
  density() const override
  {
    return 1.3;
  }
  double
  wave_speed() const override
  {
    return std::sqrt((lambda + 2 * mu) / density());
  }

private:
  template <typename Number>
  static Tensor<2, dim, Number>
  deformation_gradient(Tensor<2, dim, Number> H)
  {
    for (unsigned int d = 0; d < dim; ++d)
      H[d][d] += 1.;
    return H;
  }

  // of E = 2.1, nu = 0.3
  static constexpr double lambda = 2.1 * 0.3 / (1.3 * 0.4), mu = 2.1 / 2.6;
};

template <int dim>
std::vector<std::shared_ptr<const Material<dim>>>
all_materials()
{
  return {std::make_shared<LinearElastic<dim>>(1.3, 2.1, 0.3),
          std::make_shared<StVenantKirchhoff<dim>>(1.3, 2.1, 0.3),
          std::make_shared<NeoHookean<dim>>(1.3, 2.1, 0.3),
          std::make_shared<UserMaterial<dim>>(1.3, 2.1, 0.3), std::make_shared<WrittenOnce<dim>>()};
}

template <int dim>
Tensor<2, dim>
rotation(const double angle)
{
  Tensor<2, dim> R;
  if (dim == 3)
    R[dim - 1][dim - 1] = 1;
  R[0][0] = R[1][1] = std::cos(angle);
  R[1][0] = std::sin(angle);
  R[0][1] = -R[1][0];
  if (dim == 3)
  {
    Tensor<2, dim> tilt; // about the first axis
    tilt[0][0] = 1;
    tilt[1][1] = tilt[dim - 1][dim - 1] = std::cos(0.7);
    tilt[dim - 1][1] = std::sin(0.7);
    tilt[1][dim - 1] = -tilt[dim - 1][1];
    R = tilt * R;
  }
  return R;
}
} // namespace PotentialsTest

#endif
