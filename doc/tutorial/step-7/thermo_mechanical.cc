// Step 7: coupling by vectors.
//
// A layer of metal is heated in its middle at once: it is under pressure there, and waves run to
// both sides. This program solves the heat equation and hands thermal stresses over as nodal
// forces. A wall reflects one of the waves; its impulses come back as a vector. D'Alembert knows
// both.

#include <kickdrift/contact/geometry/obstacles.h>
#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/potentials/materials/built_in_materials.h>

#include <deal.II/base/function_parser.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/lac/sparse_direct.h>
#include <deal.II/numerics/data_out.h>
#include <deal.II/numerics/matrix_tools.h>
#include <deal.II/numerics/vector_tools.h>

#include <fstream>
#include <iostream>

using namespace dealii;

// Density, Young's modulus and the heating are one. Modulus times thermal expansion is a pressure.
constexpr double pressure_by_temperature = 1e-3;

// The integrals of the pressure times the divergence of each test function.
Vector<double>
thermal_forces(const DoFHandler<2> &dof_handler, const DoFHandler<2> &heat_dofs,
               const Vector<double> &temperature)
{
  Vector<double> forces(dof_handler.n_dofs());
  const QGauss<2> quadrature(2);
  FEValues<2> values(dof_handler.get_fe(), quadrature, update_gradients | update_JxW_values);
  FEValues<2> heat_values(heat_dofs.get_fe(), quadrature, update_values);
  std::vector<double> temperatures(quadrature.size());
  std::vector<types::global_dof_index> dofs(values.dofs_per_cell);
  auto heat_cell = heat_dofs.begin_active();
  for (const auto &cell : dof_handler.active_cell_iterators())
  {
    values.reinit(cell);
    heat_values.reinit(heat_cell++);
    heat_values.get_function_values(temperature, temperatures);
    cell->get_dof_indices(dofs);
    for (const unsigned int q : values.quadrature_point_indices())
      for (const unsigned int i : values.dof_indices())
        forces(dofs[i]) += pressure_by_temperature * temperatures[q] * values.JxW(q) *
                           values[FEValuesExtractors::Vector(0)].divergence(i, q);
  }
  return forces;
}

int
main()
{
  // Cells are shorter in the middle. The long sides have boundary ids 2 and 3.
  std::vector<std::vector<double>> cells{std::vector<double>(140, 0.1), {0.1, 0.1, 0.1, 0.1, 0.1}};
  std::fill_n(cells[0].begin() + 30, 80, 0.05);
  Triangulation<2> triangulation;
  GridGenerator::subdivided_hyper_rectangle(triangulation, cells, {}, Point<2>(10, 0.5), true);
  const MappingQ1<2> mapping;
  const FESystem<2> fe(FE_Q<2>(1), 2);
  DoFHandler<2> dof_handler(triangulation), heat_dofs(triangulation);
  dof_handler.distribute_dofs(fe);
  heat_dofs.distribute_dofs(FE_Q<2>(1));

  // An implicit Euler step of the heat equation for each interval of the coupling.
  const double interval = 0.05, diffusivity = 2e-4;
  SparsityPattern sparsity(heat_dofs.n_dofs(), heat_dofs.max_couplings_between_dofs());
  DoFTools::make_sparsity_pattern(heat_dofs, sparsity);
  sparsity.compress();
  SparseMatrix<double> mass(sparsity), matrix(sparsity);
  MatrixCreator::create_mass_matrix(heat_dofs, QGauss<2>(2), mass);
  MatrixCreator::create_laplace_matrix(heat_dofs, QGauss<2>(2), matrix);
  matrix *= diffusivity * interval;
  matrix.add(1., mass);
  SparseDirectUMFPACK inverse;
  inverse.initialize(matrix);
  Vector<double> temperature(heat_dofs.n_dofs()), right_side(temperature);
  VectorTools::interpolate(heat_dofs, FunctionParser<2>("exp(-((x-5)/0.8)^2)"), temperature);

  // The layer is guided along its long sides, and touches a wall with its right one.
  KickDrift::Dynamics<2> dynamics;
  const auto metal = std::make_shared<KickDrift::LinearElastic<2>>(1., 1., 0.);
  auto &layer = dynamics.add_body(dof_handler, mapping, metal);
  layer.restrain({2, 3}, fe.component_mask(FEValuesExtractors::Scalar(1)));
  const auto wall = std::make_shared<KickDrift::HalfSpace<2>>(Point<2>(10, 0), Point<2>(-1, 0));
  dynamics.enable_contact(KickDrift::ContactParameters(), {{"wall", wall, {}}});

  // Two waves of speed 1 have half of the thermal strain each. The free end and the wall send back
  // what seem to be waves from beyond; the wall turns the momentum of one of them round.
  FunctionParser<2> waves("5e-4*(exp(-((x-t-5)/0.8)^2)-exp(-((x+t-5)/0.8)^2)"
                          "-exp(-((x-t+5)/0.8)^2)-exp(-((x+t-15)/0.8)^2)); 0");
  Vector<double> velocity(dof_handler.n_dofs()), impulse(velocity), difference(velocity);
  for (unsigned int n = 1; n <= 160; ++n)
  {
    layer.set_forces(thermal_forces(dof_handler, heat_dofs, temperature)); // until the next ones
    dynamics.advance_to(n * interval);
    mass.vmult(right_side, temperature);
    inverse.vmult(temperature, right_side);
    if (n % 40 != 0)
      continue;

    layer.get_velocity(velocity);
    layer.get_contact_impulse(impulse);
    waves.set_time(dynamics.time());
    VectorTools::interpolate(dof_handler, waves, difference);
    difference -= velocity;
    double momentum = 0;
    for (unsigned int node = 0; node < dynamics.state().size(); ++node)
      momentum += dynamics.state().mass(node) * dynamics.state().velocity(node)[0];
    std::cout << "time " << dynamics.time() << ": difference to D'Alembert "
              << difference.linfty_norm() / velocity.linfty_norm() << ", momentum " << momentum
              << ", from the wall " << impulse.mean_value() * impulse.size() << " of "
              << -5e-4 * 0.8 * std::sqrt(numbers::PI) << ", energy error "
              << dynamics.energy().total() / dynamics.energy().kinetic << '\n';
    DataOut<2> data_out;
    data_out.add_data_vector(dof_handler, velocity, std::vector<std::string>(2, "velocity"),
                             {2, DataComponentInterpretation::component_is_part_of_vector});
    data_out.add_data_vector(heat_dofs, temperature, "temperature");
    data_out.build_patches(mapping);
    std::ofstream file("layer_" + std::to_string(n) + ".vtu");
    data_out.write_vtu(file);
  }
}
