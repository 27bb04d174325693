// What the same physics costs in the loop that most deal.II programs have: FEValues::reinit for
// every cell in every step, quadrature point by quadrature point. St. Venant-Kirchhoff, lumped
// masses, the meshes bar/10 and general/20 of stepping.cc.

#include "run_benchmarks.h"

#include "stepping_cases.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/lac/vector.h>

#include <benchmark/benchmark.h>

namespace
{
using namespace dealii;

/// Leapfrog for displacements and velocities of a DoFHandler.
class TypicalSolver
{
public:
  /// @param by_component use that a shape function has one component only; else FEValuesExtractors
  TypicalSolver(const KickDrift::MeshedBody<3> &meshed_body, const double step,
                const bool by_component)
      : body(meshed_body),
        step(step),
        by_component(by_component),
        quadrature(2),
        lambda(meshed_body.body->material(meshed_body.body->cells()[0])->lame().first),
        mu(meshed_body.body->material(meshed_body.body->cells()[0])->lame().second)
  {
    const unsigned int n_dofs = body.dof_handler.n_dofs();
    displacement.reinit(n_dofs);
    velocity.reinit(n_dofs);
    force.reinit(n_dofs);
    inverse_mass.reinit(n_dofs);
    for (unsigned int i = 0; i < n_dofs; ++i)
      velocity[i] = 0.01 * std::cos(0.1 * i);
    FEValues<3> fe_values(*body.mapping, body.dof_handler.get_fe(), quadrature,
                          update_values | update_JxW_values);
    std::vector<types::global_dof_index> dofs(body.dof_handler.get_fe().n_dofs_per_cell());
    for (const auto &cell : body.dof_handler.active_cell_iterators())
    {
      fe_values.reinit(cell);
      cell->get_dof_indices(dofs);
      for (unsigned int i = 0; i < dofs.size(); ++i)
        for (const unsigned int q : fe_values.quadrature_point_indices())
          inverse_mass[dofs[i]] += fe_values.shape_value(i, q) * fe_values.JxW(q);
    }
    for (double &entry : inverse_mass)
      entry = 1 / entry;
  }

  void
  advance()
  {
    displacement.add(step, velocity);
    force = 0;
    const auto &fe = body.dof_handler.get_fe();
    FEValues<3> fe_values(*body.mapping, fe, quadrature, update_gradients | update_JxW_values);
    const FEValuesExtractors::Vector displacements(0);
    std::vector<Tensor<2, 3>> gradients(quadrature.size());
    std::vector<types::global_dof_index> dofs(fe.n_dofs_per_cell());
    Vector<double> cell_force(fe.n_dofs_per_cell());
    const Tensor<2, 3> identity = unit_symmetric_tensor<3>();
    for (const auto &cell : body.dof_handler.active_cell_iterators())
    {
      fe_values.reinit(cell);
      fe_values[displacements].get_function_gradients(displacement, gradients);
      cell_force = 0;
      for (const unsigned int q : fe_values.quadrature_point_indices())
      {
        const Tensor<2, 3> F = identity + gradients[q];
        const SymmetricTensor<2, 3> E = symmetrize(0.5 * (transpose(F) * F - identity));
        const SymmetricTensor<2, 3> S = lambda * trace(E) * unit_symmetric_tensor<3>() + 2 * mu * E;
        const Tensor<2, 3> P = F * S;
        for (const unsigned int i : fe_values.dof_indices())
          cell_force[i] -=
              (by_component ? P[fe.system_to_component_index(i).first] * fe_values.shape_grad(i, q)
                            : scalar_product(fe_values[displacements].gradient(i, q), P)) *
              fe_values.JxW(q);
      }
      cell->get_dof_indices(dofs);
      for (unsigned int i = 0; i < dofs.size(); ++i)
        force[dofs[i]] += cell_force[i];
    }
    for (unsigned int i = 0; i < velocity.size(); ++i)
      velocity[i] += step * inverse_mass[i] * force[i];
    benchmark::DoNotOptimize(velocity.begin());
  }

private:
  const KickDrift::MeshedBody<3> &body;
  const double step;
  const bool by_component;
  const QGauss<3> quadrature;
  const double lambda, mu;
  Vector<double> displacement, velocity, force, inverse_mass;
};

void
typical_loop(benchmark::State &state, const std::string &mesh, const bool by_component)
{
  KickDrift::Benchmarks::SteppingCase the_case(mesh, mesh == "bar" ? 10 : 20,
                                               {"Stepping/Clocks=one"});
  TypicalSolver solver(the_case.model->bodies[0], the_case.longest_step(), by_component);
  const unsigned int n_cells = the_case.model->n_cells();
  std::int64_t n_kicks = 0;
  for (auto _ : state)
  {
    solver.advance();
    n_kicks += n_cells;
  }
  state.SetItemsProcessed(n_kicks);
  state.counters["cells"] = n_cells;
}
} // namespace

int
main(int argc, char **argv)
{
  for (const std::string mesh : {"bar", "general"})
    for (const bool by_component : {false, true})
      benchmark::RegisterBenchmark(
          ((by_component ? "by_component/" : "by_extractors/") + mesh).c_str(),
          [=](benchmark::State &state) { typical_loop(state, mesh, by_component); })
          ->Unit(benchmark::kMillisecond);
  return run_benchmarks(argc, argv);
}
