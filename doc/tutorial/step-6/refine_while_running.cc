// Step 6: refining while it runs.
//
// A rigid disc is pressed into a rubber block and ploughs along its surface. Only near the disc
// cells have to be small, so the mesh follows it: refined in front of the disc, coarsened behind.
// With any number of processes, `mpirun -n 3 ./refine_while_running`, it prints the same digits.

#include <kickdrift/contact/geometry/obstacles.h>
#include <kickdrift/deal_ii/mesh_transfer.h>
#include <kickdrift/potentials/materials/built_in_materials.h>

#include <deal.II/base/conditional_ostream.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/numerics/data_out.h>

#include <iomanip>
#include <iostream>

using namespace dealii;

// The lowest point of the disc, which comes down within the first 8 units of time.
Point<2>
tip(const double time)
{
  const double angle = numbers::PI * std::min(time / 8, 1.);
  return {-1.2 + 0.1 * time, 0.001 - 0.03 * (1 - std::cos(angle))};
}

// Cells near the disc are refined up to twice, those far away coarsened, further away the coarser
// they are: so none of them has to wait for neighbours, which may belong to other processes.
void
change_mesh(Triangulation<2> &triangulation, const double time)
{
  for (const auto &cell : triangulation.active_cell_iterators())
    if (cell->is_locally_owned())
    {
      const double distance = cell->center().distance(tip(time));
      if (distance < 0.4 && cell->level() < 2)
        cell->set_refine_flag();
      else if (distance > 1 - 0.25 * cell->level() && cell->level() > 0)
        cell->set_coarsen_flag();
    }
  triangulation.execute_coarsening_and_refinement();
}

int
main(int argc, char **argv)
{
  const Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  ConditionalOStream out(std::cout, Utilities::MPI::this_mpi_process(MPI_COMM_WORLD) == 0);

  // The block is 4 x 1, with boundary id 2 at its lower side.
  parallel::distributed::Triangulation<2> triangulation(MPI_COMM_WORLD);
  GridGenerator::subdivided_hyper_rectangle(triangulation, {32, 8}, Point<2>(-2, -1),
                                            Point<2>(2, 0), true);
  for (unsigned int level = 0; level < 2; ++level)
    change_mesh(triangulation, 0);
  const MappingQ1<2> mapping;
  DoFHandler<2> dof_handler(triangulation);
  std::unique_ptr<KickDrift::Dynamics<2>> dynamics;

  // What depends on the mesh is set up for each one as for the first: functions of time know the
  // time since then.
  const auto rubber = std::make_shared<KickDrift::NeoHookean<2>>(1., 1., 0.3);
  const auto disc = std::make_shared<KickDrift::Ball<2>>(tip(0) + Point<2>(0, 0.4), 0.4);
  const auto motion = [](const double time) { return tip(time) - tip(0); };
  const auto set_up = [&]
  {
    dof_handler.distribute_dofs(FESystem<2>(FE_Q<2>(1), 2));
    dynamics = std::make_unique<KickDrift::Dynamics<2>>(MPI_COMM_WORLD);
    auto &block = dynamics->add_body(dof_handler, mapping, rubber);
    block.restrain({2});
    KickDrift::ContactParameters contact;
    contact.friction = 0.2;
    dynamics->enable_contact(contact, {{"disc", disc, motion}});
  };
  set_up();

  const auto momentum = [&]
  {
    Tensor<1, 2> sum;
    const KickDrift::NodeTable<2> &nodes = dynamics->state();
    for (unsigned int node = 0; node < nodes.size(); ++node)
      sum += nodes.mass(node) * nodes.velocity(node);
    return sum;
  };

  const auto output = [&](const unsigned int frame)
  {
    LinearAlgebra::distributed::Vector<double> displacement(
        dof_handler.locally_owned_dofs(), DoFTools::extract_locally_relevant_dofs(dof_handler),
        MPI_COMM_WORLD);
    dynamics->bodies()[0].get_displacement(displacement);
    displacement.update_ghost_values();
    Vector<double> stress_yy(triangulation.n_active_cells());
    const auto stress = dynamics->bodies()[0].stress();
    for (unsigned int cell = 0; cell < stress.size(); ++cell)
      stress_yy(cell) = stress[cell][1][1];
    DataOut<2> data_out;
    data_out.add_data_vector(dof_handler, displacement, std::vector<std::string>(2, "displacement"),
                             {2, DataComponentInterpretation::component_is_part_of_vector});
    data_out.add_data_vector(stress_yy, "stress_yy");
    data_out.build_patches(mapping);
    data_out.write_vtu_with_pvtu_record("./", "block", frame, MPI_COMM_WORLD, 2, 1);
  };

  for (unsigned int frame = 1; frame <= 24; ++frame)
  {
    dynamics->advance_to(frame);
    output(frame);
    const Tensor<1, 2> before = momentum();

    // This takes what moves to the next mesh; time, energies and contact go on.
    const KickDrift::MeshTransfer<2> transfer(*dynamics);
    change_mesh(triangulation, frame);
    set_up();
    transfer.to(*dynamics);
    dynamics->start();

    const KickDrift::EnergyBalance energy = dynamics->energy();
    out << std::setprecision(14) << "time " << frame << ": cells "
        << triangulation.n_global_active_cells() << ", kicks per time "
        << dynamics->stepper().levels().kick_rates().first << ", momentum " << before << " -> "
        << momentum() << ", energy " << energy.kinetic + energy.strain << ", lost by changes "
        << energy.transfer_loss << ", error " << energy.total() << std::endl;
  }
}
