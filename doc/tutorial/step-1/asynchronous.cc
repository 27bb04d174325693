// Step 1, after: the solver of synchronous.cc, in which every cell now has a time step of its own.
// `diff synchronous.cc asynchronous.cc` shows what is new: comments marked with (+) explain it.
//
// Usage: asynchronous [time step ratio]     (default 0.5)

// (+) Bodies that move, and the materials of the library.
#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/potentials/materials/built_in_materials.h>

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/lac/dynamic_sparsity_pattern.h>
#include <deal.II/lac/sparse_matrix.h>
#include <deal.II/lac/vector.h>
#include <deal.II/numerics/data_out.h>
#include <deal.II/numerics/vector_tools.h>

#include <fstream>
#include <iomanip>
#include <iostream>

using namespace dealii;

// The material: steel-like, in units in which the pressure wave has a speed of about one. Plane
// strain.
constexpr double density = 1, youngs_modulus = 0.8, poissons_ratio = 0.25;
constexpr double lambda =
    youngs_modulus * poissons_ratio / ((1 + poissons_ratio) * (1 - 2 * poissons_ratio));
constexpr double mu = youngs_modulus / (2 * (1 + poissons_ratio));

// The blow: velocities along x within the left part of the plate.
class Blow : public Function<2>
{
public:
  Blow() : Function<2>(2) {}

  double
  value(const Point<2> &x, const unsigned int component) const override
  {
    return component == 0 ? 0.01 * std::exp(-std::pow((x[0] + 0.7) / 0.08, 2)) : 0.;
  }
};

class Elastodynamics
{
public:
  explicit Elastodynamics(double time_step_ratio);
  void run();

private:
  void make_mesh();
  void setup_system();
  void assemble();
  void set_initial_state();
  void advance_to(double new_time);
  double energy() const;
  void output(unsigned int frame);
  void write_final_state() const;

  const double time_step_ratio;
  Triangulation<2> triangulation;
  const MappingQ1<2> mapping;
  const FESystem<2> fe;
  DoFHandler<2> dof_handler;
  IndexSet clamped;
  SparsityPattern sparsity;
  SparseMatrix<double> stiffness;
  Vector<double> mass, displacement, velocity, force; // mass: the diagonal of a lumped matrix
  double time = 0;
  std::vector<std::pair<double, std::string>> frames;
  // (+) The bodies (here one) and the loop that moves them.
  std::unique_ptr<KickDrift::Dynamics<2>> dynamics;
};

// Linear elements, lumped masses: what explicit dynamics usually has.
Elastodynamics::Elastodynamics(const double time_step_ratio)
    : time_step_ratio(time_step_ratio), fe(FE_Q<2>(1), 2), dof_handler(triangulation)
{
}

// The plate is 2 x 0.8 with a hole of radius 0.04. Its left side has boundary id 0.
void
Elastodynamics::make_mesh()
{
  GridGenerator::plate_with_a_hole(triangulation, 0.04, 0.2, 0.2, 0.2, 0.8, 0.8, Point<2>(), 1, 2,
                                   1., 1, true);
  triangulation.refine_global(3);
  std::cout << triangulation.n_active_cells() << " cells" << std::endl;
}

void
Elastodynamics::setup_system()
{
  dof_handler.distribute_dofs(fe);
  clamped = DoFTools::extract_boundary_dofs(dof_handler, ComponentMask(), {0});
  DynamicSparsityPattern pattern(dof_handler.n_dofs());
  DoFTools::make_sparsity_pattern(dof_handler, pattern);
  sparsity.copy_from(pattern);
  stiffness.reinit(sparsity);
  for (auto *vector : {&mass, &displacement, &velocity, &force})
    vector->reinit(dof_handler.n_dofs());
}

// The stiffness matrix as in step-8, and the row sums of the mass matrix.
void
Elastodynamics::assemble()
{
  const QGauss<2> quadrature(2);
  FEValues<2> fe_values(mapping, fe, quadrature,
                        update_values | update_gradients | update_JxW_values);
  const FEValuesExtractors::Vector displacements(0);
  const unsigned int n = fe.n_dofs_per_cell();
  FullMatrix<double> cell_stiffness(n, n);
  std::vector<types::global_dof_index> dofs(n);
  for (const auto &cell : dof_handler.active_cell_iterators())
  {
    fe_values.reinit(cell);
    cell->get_dof_indices(dofs);
    cell_stiffness = 0;
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
        mass[dofs[i]] += density * fe_values.shape_value(i, q) * fe_values.JxW(q);
      }
    stiffness.add(dofs, cell_stiffness);
  }
}

void
Elastodynamics::set_initial_state()
{
  VectorTools::interpolate(mapping, dof_handler, Blow(), velocity);
  for (const auto dof : clamped)
    velocity[dof] = 0;

  // (+) The body takes mesh, numbering and mapping from what is there already, and the state from
  // the solver's own vectors. A restraint takes velocities along a direction away from a node.
  // Every cell is asked for its critical step; start() gives it the clock that fits.
  using Material = KickDrift::LinearElastic<2>;
  const auto material = std::make_shared<Material>(density, youngs_modulus, poissons_ratio);
  KickDrift::StepperParameters parameters;
  parameters.time_step_ratio = time_step_ratio;
  dynamics = std::make_unique<KickDrift::Dynamics<2>>(parameters);
  auto &plate = dynamics->add_body(dof_handler, mapping, material);
  plate.set_velocity(velocity);
  plate.restrain({0});
  dynamics->start();
  const auto [kicks_now, kicks_at_smallest_step] = dynamics->stepper().levels().kick_rates();
  std::cout << "Kicks saved: " << 1 - kicks_now / kicks_at_smallest_step << std::endl;
}

// (+) This was the loop of central differences. The nodes are at times of their own now; the
// vectors show all of them at one time, without disturbing the run.
void
Elastodynamics::advance_to(const double new_time)
{
  dynamics->advance_to(new_time);
  dynamics->bodies()[0].get_displacement(displacement);
  dynamics->bodies()[0].get_velocity(velocity);
}

double
Elastodynamics::energy() const
{
  double kinetic = 0;
  for (unsigned int i = 0; i < velocity.size(); ++i)
    kinetic += mass[i] * velocity[i] * velocity[i] / 2;
  return kinetic + stiffness.matrix_norm_square(displacement) / 2;
}

void
Elastodynamics::output(const unsigned int frame)
{
  using Interpretation = DataComponentInterpretation::DataComponentInterpretation;
  const std::vector<Interpretation> vectors(2, Interpretation::component_is_part_of_vector);
  DataOut<2> data_out;
  data_out.attach_dof_handler(dof_handler);
  for (const auto &[name, vector] :
       {std::pair<std::string, const Vector<double> *>{"displacement", &displacement},
        {"velocity", &velocity}})
    data_out.add_data_vector(*vector, std::vector<std::string>(2, name), DataOut<2>::type_dof_data,
                             vectors);
  data_out.build_patches(mapping);
  const std::string name = "plate_" + std::to_string(frame) + ".vtu";
  std::ofstream file(name);
  data_out.write_vtu(file);
  frames.emplace_back(time, name);
  std::ofstream pvd("plate.pvd");
  DataOutBase::write_pvd_record(pvd, frames);
  std::cout << "time " << time << ": energy " << energy() << std::endl;
}

// The displacements at the end, to compare with those of other programs.
void
Elastodynamics::write_final_state() const
{
  std::ofstream file("displacement.txt");
  file << std::setprecision(16);
  displacement.print(file, 16);
}

void
Elastodynamics::run()
{
  make_mesh();
  setup_system();
  assemble();
  set_initial_state();
  output(0);
  for (unsigned int frame = 1; frame <= 8; ++frame)
  {
    const double new_time = 0.25 * frame;
    advance_to(new_time);
    time = new_time;
    output(frame);
  }
  write_final_state();
}

int
main(int argc, char **argv)
{
  Elastodynamics(argc > 1 ? std::stod(argv[1]) : 0.5).run();
}
