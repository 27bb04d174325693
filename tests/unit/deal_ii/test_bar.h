#ifndef KICKDRIFT_TESTS_UNIT_DEAL_II_TEST_BAR_H
#define KICKDRIFT_TESTS_UNIT_DEAL_II_TEST_BAR_H

#include "test_body.h"

#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/potentials/materials/built_in_materials.h>

#include <deal.II/base/function_lib.h>
#include <deal.II/base/function_parser.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace KickDriftTests
{
using namespace KickDrift;

/// A bar along x, of 10 x 1 x 1 or 10 x 1, whose cells get shorter towards its upper end at 0.
template <int dim>
struct TestBar
{
  explicit TestBar(const bool is_refined = false, const StepperParameters &stepping = {},
                   std::shared_ptr<const Material<dim>> material = nullptr)
      : dynamics(stepping), dofs(triangulation)
  {
    Point<dim> corner;
    std::vector<unsigned int> n(dim, 2);
    n[0] = 20;
    for (unsigned int d = 0; d < dim; ++d)
      corner[d] = d == 0 ? 10 : 1;
    GridGenerator::subdivided_hyper_rectangle(triangulation, n, Point<dim>(), corner, true);
    if (is_refined)
    {
      for (const auto &cell : triangulation.active_cell_iterators())
        if (cell->center()[0] > 4 && cell->center()[0] < 6)
          cell->set_refine_flag();
      triangulation.execute_coarsening_and_refinement();
    }
    else
      GridTools::transform(
          [](const Point<dim> &x)
          {
            auto moved = x;
            moved[0] = 10 * std::pow(x[0] / 10, 2.);
            return moved;
          },
          triangulation);
    dofs.distribute_dofs(FESystem<dim>(FE_Q<dim>(1), dim));
    if (!material)
      material = std::make_shared<LinearElastic<dim>>(2., 1., 0.);
    body = &dynamics.add_body(dofs, mapping, material);
  }

  Tensor<1, dim>
  momentum() const
  {
    const auto &nodes = dynamics.state();
    Tensor<1, dim> sum;
    for (unsigned int node = 0; node < nodes.size(); ++node)
      sum += nodes.mass(node) * nodes.velocity(node);
    return sum;
  }

  static constexpr double area = 1, mass = 20;

  Dynamics<dim> dynamics;
  Triangulation<dim> triangulation;
  const MappingQ1<dim> mapping;
  DoFHandler<dim> dofs;
  DynamicBody<dim> *body;
};

template <int dim>
std::shared_ptr<Function<dim>>
function(const std::string &expressions, const unsigned int n_components = dim)
{
  const auto result = std::make_shared<FunctionParser<dim>>(n_components);
  result->initialize(FunctionParser<dim>::default_variable_names() + ",t", expressions,
                     {{"pi", numbers::PI}}, true);
  return result;
}
} // namespace KickDriftTests

#endif
