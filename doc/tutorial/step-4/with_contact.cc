// Step 4, after: the solver of without_contact.cc, in which bodies touch and every cell has a time
// step of its own. `diff without_contact.cc with_contact.cc` shows what is new: comments marked
// with (+) explain it.
//
// Start it with as many processes as you like, `mpirun -n 3 ./with_contact`: all digits of what the
// library computes are the same.

// (+) Bodies that move, the materials of the library, and processes that work together.
#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/parallel/ranks.h>
#include <kickdrift/potentials/materials/built_in_materials.h>

#include <deal.II/base/function.h>
#include <deal.II/base/mpi.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/la_parallel_vector.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>
#include <deal.II/lac/trilinos_sparsity_pattern.h>
#include <deal.II/numerics/data_out.h>
#include <deal.II/numerics/vector_tools.h>

#include <deque>
#include <iomanip>
#include <iostream>

using namespace dealii;

constexpr double density = 1, youngs_modulus = 1, poissons_ratio = 0.25;
constexpr double lambda =
    youngs_modulus * poissons_ratio / ((1 + poissons_ratio) * (1 - 2 * poissons_ratio));
constexpr double mu = youngs_modulus / (2 * (1 + poissons_ratio));

using ParallelVector = LinearAlgebra::distributed::Vector<double>;

// What the solver has for each of its bodies.
class Solid
{
public:
  explicit Solid(const std::string &name);
  void setup();
  double energy() const;
  void output(unsigned int frame) const;

  const std::string name;
  parallel::distributed::Triangulation<2> triangulation;
  const MappingQ1<2> mapping;
  const FESystem<2> fe;
  DoFHandler<2> dof_handler;
  AffineConstraints<double> constraints; // hanging nodes, and those that are held
  ParallelVector displacement, velocity;
  KickDrift::DynamicBody<2> *body = nullptr; // (+)

private:
  void assemble();

  TrilinosWrappers::SparseMatrix stiffness;
  ParallelVector mass, force; // mass: the diagonal of a lumped matrix
};

Solid::Solid(const std::string &name)
    : name(name), triangulation(MPI_COMM_WORLD), fe(FE_Q<2>(1), 2), dof_handler(triangulation)
{
}

// Boundary 2 of the block is its lower side; the disc has no such boundary.
void
Solid::setup()
{
  dof_handler.distribute_dofs(fe);
  const IndexSet &owned = dof_handler.locally_owned_dofs();
  IndexSet relevant;
  DoFTools::extract_locally_relevant_dofs(dof_handler, relevant);
  constraints.reinit(relevant);
  DoFTools::make_hanging_node_constraints(dof_handler, constraints);
  DoFTools::make_zero_boundary_constraints(dof_handler, 2, constraints);
  constraints.close();
  for (auto *vector : {&displacement, &velocity, &mass, &force})
    vector->reinit(owned, relevant, MPI_COMM_WORLD);
  TrilinosWrappers::SparsityPattern pattern(owned, MPI_COMM_WORLD);
  DoFTools::make_sparsity_pattern(dof_handler, pattern, constraints, false);
  pattern.compress();
  stiffness.reinit(pattern);
  assemble();
}

// The stiffness matrix, and the row sums of the mass matrix.
void
Solid::assemble()
{
  const QGauss<2> quadrature(2);
  FEValues<2> fe_values(mapping, fe, quadrature,
                        update_values | update_gradients | update_JxW_values);
  const FEValuesExtractors::Vector displacements(0);
  const unsigned int n = fe.n_dofs_per_cell();
  FullMatrix<double> cell_stiffness(n, n);
  Vector<double> cell_mass(n);
  std::vector<types::global_dof_index> dofs(n);
  for (const auto &cell : dof_handler.active_cell_iterators())
  {
    if (!cell->is_locally_owned())
      continue;
    fe_values.reinit(cell);
    cell->get_dof_indices(dofs);
    cell_stiffness = 0;
    cell_mass = 0;
    for (const unsigned int q : fe_values.quadrature_point_indices())
      for (unsigned int i = 0; i < n; ++i)
      {
        const auto strain_i = fe_values[displacements].symmetric_gradient(i, q);
        for (unsigned int j = 0; j < n; ++j)
        {
          const auto strain_j = fe_values[displacements].symmetric_gradient(j, q);
          cell_stiffness(i, j) +=
              (lambda * trace(strain_i) * trace(strain_j) + 2 * mu * (strain_i * strain_j)) *
              fe_values.JxW(q);
        }
        cell_mass(i) += density * fe_values.shape_value(i, q) * fe_values.JxW(q);
      }
    constraints.distribute_local_to_global(cell_stiffness, dofs, stiffness);
    constraints.distribute_local_to_global(cell_mass, dofs, mass);
  }
  stiffness.compress(VectorOperation::add);
  mass.compress(VectorOperation::add);
}

double
Solid::energy() const
{
  ParallelVector free(displacement), product(displacement);
  constraints.set_zero(free); // the matrix has put their parts elsewhere
  stiffness.vmult(product, free);
  double twice = free * product;
  product = velocity;
  product.scale(mass);
  twice += product * velocity;
  return twice / 2;
}

void
Solid::output(const unsigned int frame) const
{
  ParallelVector with_ghosts[2] = {displacement, velocity};
  for (ParallelVector &vector : with_ghosts)
    vector.update_ghost_values();
  using Interpretation = DataComponentInterpretation::DataComponentInterpretation;
  const std::vector<Interpretation> vectors(2, Interpretation::component_is_part_of_vector);
  DataOut<2> data_out;
  data_out.attach_dof_handler(dof_handler);
  data_out.add_data_vector(with_ghosts[0], std::vector<std::string>(2, "displacement"),
                           DataOut<2>::type_dof_data, vectors);
  data_out.add_data_vector(with_ghosts[1], std::vector<std::string>(2, "velocity"),
                           DataOut<2>::type_dof_data, vectors);
  Vector<float> process(triangulation.n_active_cells());
  process = triangulation.locally_owned_subdomain();
  data_out.add_data_vector(process, "process");
  data_out.build_patches(mapping);
  data_out.write_vtu_with_pvtu_record("./", name, frame, MPI_COMM_WORLD, 2);
}

class Impact
{
public:
  void run();

private:
  void make_meshes();
  void set_initial_state();
  void advance_to(double new_time);
  void output(unsigned int frame);

  std::deque<Solid> solids;
  double time = 0;
  // (+) The bodies and the loop that moves them.
  std::unique_ptr<KickDrift::Dynamics<2>> dynamics;
};

// A disc of radius 0.5 stands 0.02 above a block of 2 x 1. Cells near the origin, where they will
// meet, are refined once, and once more.
void
Impact::make_meshes()
{
  Solid &disc = solids.emplace_back("disc");
  GridGenerator::hyper_ball(disc.triangulation, Point<2>(0, 0.52), 0.5);
  Solid &block = solids.emplace_back("block");
  GridGenerator::subdivided_hyper_rectangle(block.triangulation, {4, 2}, Point<2>(-1, -1),
                                            Point<2>(1, 0), true);
  for (Solid &solid : solids)
  {
    solid.triangulation.refine_global(3);
    for (const double radius : {0.3, 0.15})
    {
      for (const auto &cell : solid.triangulation.active_cell_iterators())
        if (cell->is_locally_owned() && cell->center().norm() < radius)
          cell->set_refine_flag();
      solid.triangulation.execute_coarsening_and_refinement();
    }
    solid.setup();
  }
}

void
Impact::set_initial_state()
{
  Solid &disc = solids[0];
  VectorTools::interpolate(disc.mapping, disc.dof_handler,
                           Functions::ConstantFunction<2>(std::vector<double>{0., -0.1}),
                           disc.velocity);

  // (+) Every process calls the same functions. Meshes, numbering and vectors are the solver's own;
  // of each vector a process reads and writes what it owns. What the solver's constraints hold is
  // held, and nodes hang where they hang there.
  using Material = KickDrift::LinearElastic<2>;
  const auto material = std::make_shared<Material>(density, youngs_modulus, poissons_ratio);
  KickDrift::StepperParameters parameters;
  parameters.ranks = KickDrift::Ranks::of_launcher();
  dynamics = std::make_unique<KickDrift::Dynamics<2>>(parameters);
  for (Solid &solid : solids)
  {
    solid.body = &dynamics->add_body(solid.dof_handler, solid.mapping, material, solid.name);
    solid.body->set_velocity(solid.velocity);
    solid.body->restrain(solid.constraints);
  }
  dynamics->enable_contact(KickDrift::ContactParameters());
}

// (+) This was the loop of central differences. The nodes are at times of their own now; the
// vectors show all of them at one time, without disturbing the run.
void
Impact::advance_to(const double new_time)
{
  dynamics->advance_to(new_time);
  for (Solid &solid : solids)
  {
    solid.body->get_displacement(solid.displacement);
    solid.body->get_velocity(solid.velocity);
  }
}

void
Impact::output(const unsigned int frame)
{
  double energy = 0;
  for (Solid &solid : solids)
  {
    solid.output(frame);
    energy += solid.energy();
  }
  const KickDrift::EnergyBalance balance = dynamics->energy(); // (+)
  if (Utilities::MPI::this_mpi_process(MPI_COMM_WORLD) == 0)
    std::cout << "time " << time << ": energy " << std::setprecision(8) << energy
              << ", by the library " << balance.kinetic + balance.strain << ", with contact "
              << std::setprecision(17) << balance.total() << std::endl;
}

void
Impact::run()
{
  make_meshes();
  set_initial_state();
  output(0);
  for (unsigned int frame = 1; frame <= 8; ++frame)
  {
    const double new_time = 0.5 * frame;
    advance_to(new_time);
    time = new_time;
    output(frame);
  }
}

int
main(int argc, char **argv)
{
  const Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  Impact().run();
}
