// Step 5: loads and supports.
//
// A bridge of concrete is clamped at its left end and lies on a pillar at its right one. It bends
// under its weight, a vehicle drives over it, and the ground shakes below the pillar. When all of
// this has died out, the pillar carries 3/8 of the weight, as books on beams say.

#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/potentials/materials/built_in_materials.h>

#include <deal.II/base/function_parser.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/numerics/data_out.h>
#include <deal.II/numerics/vector_tools.h>

#include <fstream>
#include <iostream>

using namespace dealii;

int
main()
{
  // Metres, kilograms, seconds. The ends have boundary ids 0 and 1, the upper side has 3. Cells at
  // the ends are refined, and have shorter time steps than the others.
  const double length = 10, height = 1, density = 2500, g = 9.81;
  Triangulation<2> triangulation;
  GridGenerator::subdivided_hyper_rectangle(triangulation, {40, 4}, Point<2>(),
                                            Point<2>(length, height), true);
  for (const auto &cell : triangulation.active_cell_iterators())
    if (std::abs(cell->center()[0] - length / 2) > 0.45 * length)
      cell->set_refine_flag();
  triangulation.execute_coarsening_and_refinement();
  const MappingQ1<2> mapping;
  const FESystem<2> fe(FE_Q<2>(1), 2);
  DoFHandler<2> dof_handler(triangulation);
  dof_handler.distribute_dofs(fe);

  KickDrift::Dynamics<2> dynamics;
  auto &bridge = dynamics.add_body(
      dof_handler, mapping, std::make_shared<KickDrift::LinearElastic<2>>(density, 30e9, 0.2));

  // Loads and motions are functions of space and time, of any of deal.II's classes. The vehicle
  // drives at 50 m/s. The pillar leaves the end of the bridge free to move along it.
  const auto vehicle = std::make_shared<FunctionParser<2>>("0; -1e5*exp(-(x-50*t)^2)");
  const auto shaking = std::make_shared<FunctionParser<2>>("0; if(t<0.2, -1e-3*sin(5*pi*t)^2, 0)",
                                                           "pi=3.14159265358979");
  const ComponentMask vertical = fe.component_mask(FEValuesExtractors::Scalar(1));
  bridge.load(KickDrift::gravity(Tensor<1, 2>({0, -g})));
  bridge.load({KickDrift::BodyLoad<2>::Type::traction, vehicle}, {3});
  bridge.restrain({0});
  bridge.move({1}, shaking, vertical);

  // By the mass, per second, so that the bridge comes to rest; and by the stiffness, in seconds, so
  // that short waves die out.
  bridge.damp(30.);
  bridge.set_viscosity({1e-5, 0, 0});

  // A look at the run, every millisecond. What supports give is counted as impulse since the start:
  // nothing is missed, however rarely somebody looks.
  Vector<double> displacement(dof_handler.n_dofs()), reaction(dof_handler.n_dofs()), middle(2);
  std::map<double, std::pair<double, double>> history; // deflection, impulse of the pillar
  const auto look = [&](const double time)
  {
    bridge.get_displacement(displacement);
    VectorTools::point_value(mapping, dof_handler, displacement, Point<2>(length / 2, 0), middle);
    bridge.get_reaction(reaction);
    double impulse = 0;
    for (const auto dof : DoFTools::extract_boundary_dofs(dof_handler, vertical, {1}))
      impulse += reaction(dof);
    history[time] = {middle(1), impulse};
  };
  dynamics.call_every(1e-3, look);

  // More rarely the stress along the bridge, and what has become of the work of the loads.
  const auto output = [&](const double time)
  {
    Vector<double> stress_along(triangulation.n_active_cells());
    const auto stress = bridge.stress();
    for (unsigned int cell = 0; cell < stress.size(); ++cell)
      stress_along(cell) = stress[cell][0][0];
    DataOut<2> data_out;
    data_out.add_data_vector(dof_handler, displacement, std::vector<std::string>(2, "displacement"),
                             {2, DataComponentInterpretation::component_is_part_of_vector});
    data_out.add_data_vector(stress_along, "stress_xx");
    data_out.build_patches(mapping);
    std::ofstream file("bridge_" + std::to_string(std::lround(1e3 * time)) + ".vtu");
    data_out.write_vtu(file);
    const KickDrift::EnergyBalance energy = dynamics.energy();
    std::cout << "time " << time << ": kinetic " << energy.kinetic << ", strain " << energy.strain
              << ", damped " << energy.damping_loss + energy.viscous_loss << ", work "
              << energy.external_work + energy.prescribed_work << ", error "
              << dynamics.energy_audit().error() << std::endl;
  };
  dynamics.call_every(0.1, output);

  // A run that goes wrong ends here, and not with pictures that look right.
  dynamics.stop_at_energy_error(0.01);
  dynamics.advance_to(0.5);

  // From the file any program that has set up the same goes on with the same bits.
  dynamics.save_to_file("bridge.state");
  dynamics.advance_to(0.6);
  bridge.get_displacement(displacement);
  const Vector<double> first(displacement);
  dynamics.load_from_file("bridge.state");
  dynamics.advance_to(0.6);
  bridge.get_displacement(displacement);
  std::cout << "second time the same: " << (displacement == first ? "yes" : "no") << std::endl;

  // Between two looks the mean force is the difference of the impulses over the time.
  std::ofstream file("bridge.txt");
  for (auto now = history.begin(), next = std::next(now); next != history.end(); ++now, ++next)
    file << next->first << ' ' << next->second.first << ' '
         << (next->second.second - now->second.second) / (next->first - now->first) << '\n';
  const auto before = history.lower_bound(0.4999), last = std::prev(history.end());
  std::cout << "the pillar carries "
            << (last->second.second - before->second.second) / (last->first - before->first)
            << ", 3/8 of the weight is " << 3. / 8 * density * g * length * height << std::endl;
}
