#ifndef KICKDRIFT_TESTS_UNIT_DEAL_II_TEST_BODY_H
#define KICKDRIFT_TESTS_UNIT_DEAL_II_TEST_BODY_H

#include <kickdrift/deal_ii/body.h>

#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>

#include <functional>
#include <memory>
#include <string>

namespace KickDriftTests
{
using namespace dealii;

/// Is @p part somewhere in @p text, a message for instance?
inline bool
contains(const std::string &text, const std::string &part)
{
  return text.find(part) != std::string::npos;
}

/// A material of which only the density matters.
template <int dim>
class Ballast : public KickDrift::Material<dim>
{
public:
  using Gradient = typename KickDrift::Material<dim>::Gradient;

  explicit Ballast(const double rho) : rho(rho) {}
  double
  density() const override
  {
    return rho;
  }
  double
  energy_density(const Gradient &H) const override
  {
    return 0.5 * H.norm_square();
  }
  Gradient
  stress(const Gradient &H) const override
  {
    return H;
  }
  double
  wave_speed() const override
  {
    return 1. / std::sqrt(rho);
  }

private:
  double rho;
};

enum class Shape
{
  box,
  ball
};

/// A mesh with all that a body needs around it; distorted, sheared and rotated unless it is plain.
template <int dim>
struct TestMesh
{
  explicit TestMesh(const bool simplices, const Shape shape = Shape::box, const bool plain = false,
                    const bool scalar = false)
  {
    if (shape == Shape::box)
      make_box(simplices);
    else
      make_ball(simplices);
    if (!plain)
      GridTools::transform([](const Point<dim> &p) { return move(p); }, triangulation);
    if (simplices)
      setup(FE_SimplexP<dim>(1), scalar);
    else
      setup(FE_Q<dim>(1), scalar);
    if (simplices)
      mapping = std::make_unique<MappingFE<dim>>(FE_SimplexP<dim>(1));
    else
      mapping = std::make_unique<MappingQ<dim>>(1);
    dof_handler.reinit(triangulation);
    dof_handler.distribute_dofs(*element);
  }

  KickDrift::Body<dim>
  body(const double density = 2.5) const
  {
    return {dof_handler, *mapping, "test", std::make_shared<Ballast<dim>>(density)};
  }

  Triangulation<dim> triangulation;
  std::unique_ptr<FiniteElement<dim>> element;
  std::unique_ptr<Mapping<dim>> mapping;
  DoFHandler<dim> dof_handler;

private:
  /// Not affine, so that hexahedra are warped; then rotated.
  static Point<dim>
  move(const Point<dim> &p)
  {
    Point<dim> q = p;
    q[0] += 0.2 * p[1] + 0.1 * std::sin(2 * p[1] * p[dim - 1]) + 5;
    q[1] += 0.15 * std::sin(3 * p[0]) - 2;
    const double c = std::cos(0.7), s = std::sin(0.7);
    Point<dim> r = q;
    r[0] = c * q[0] - s * q[1];
    r[1] = s * q[0] + c * q[1];
    if (dim == 3)
    {
      const double x = r[0];
      r[0] = c * x - s * r[dim - 1];
      r[dim - 1] = s * x + c * r[dim - 1];
    }
    return r;
  }

  void
  make_box(const bool simplices)
  {
    Point<dim> lower, upper;
    std::vector<unsigned int> n = {3, 2, 4};
    n.resize(dim);
    for (unsigned int d = 0; d < dim; ++d)
      upper[d] = 1 + 0.5 * d;
    if (simplices)
      GridGenerator::subdivided_hyper_rectangle_with_simplices(triangulation, n, lower, upper);
    else
      GridGenerator::subdivided_hyper_rectangle(triangulation, n, lower, upper, true);
  }

  void
  make_ball(const bool simplices)
  {
    Triangulation<dim> ball, flat;
    GridGenerator::hyper_ball(ball);
    ball.refine_global(1);
    ball.reset_all_manifolds();
    ball.set_all_manifold_ids(numbers::flat_manifold_id);
    GridGenerator::flatten_triangulation(ball, flat);
    if (simplices)
      GridGenerator::convert_hypercube_to_simplex_mesh(flat, triangulation);
    else
      triangulation.copy_triangulation(flat);
  }

  void
  setup(const FiniteElement<dim> &base, const bool scalar)
  {
    if (scalar)
      element = base.clone();
    else
      element = std::make_unique<FESystem<dim>>(base, dim);
  }
};

/// Text of the exception that @p action throws; empty if it throws none.
inline std::string
message_of(const std::function<void()> &action)
{
  try
  {
    action();
  }
  catch (const ExceptionBase &error)
  {
    // deal.II breaks long lines.
    std::ostringstream stream;
    error.print_info(stream);
    std::istringstream words(stream.str());
    std::string result, word;
    while (words >> word)
      result += (result.empty() ? "" : " ") + word;
    return result;
  }
  return "";
}
} // namespace KickDriftTests

#endif
