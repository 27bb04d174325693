// Bodies on meshes that are divided among processes: test_parallel_meshes SCENARIO, started by
// mpirun. Every process checks what it sees and returns 0 if that is right.

#include <kickdrift/base/messages.h>
#include <kickdrift/deal_ii/mesh_transfer.h>
#include <kickdrift/meshes/hanging_nodes.h>
#include <kickdrift/potentials/materials/built_in_materials.h>
#include <kickdrift/potentials/materials/plasticity.h>

#include <deal.II/base/mpi.h>
#include <deal.II/distributed/fully_distributed_tria.h>
#include <deal.II/distributed/shared_tria.h>
#include <deal.II/distributed/tria.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/grid/tria_description.h>
#include <deal.II/lac/la_parallel_vector.h>

#include "parallel/scenarios.h"

#include <array>
#include <cmath>
#include <functional>
#include <iostream>
#include <map>
#include <stdexcept>

using namespace KickDrift;
using namespace dealii;
using KickDriftTests::expect;

namespace
{
/// A bar along x that begins at @p begin, finer at that end or at the other one.
template <int dim>
void
make_bar(Triangulation<dim> &triangulation, const double begin, const bool finer_at_end)
{
  Point<dim> lower, upper;
  std::vector<unsigned int> n(dim, 2);
  for (unsigned int d = 1; d < dim; ++d)
    upper[d] = 1;
  lower[0] = begin;
  upper[0] = begin + 2;
  n[0] = 4;
  GridGenerator::subdivided_hyper_rectangle(triangulation, n, lower, upper, true);
  const double fine = finer_at_end ? begin + 2 : begin;
  for (const double distance : {0.6, 0.3})
  {
    for (const auto &cell : triangulation.active_cell_iterators())
      if (cell->is_locally_owned() && std::abs(cell->center()[0] - fine) < distance &&
          cell->center()[1] < 0.75)
        cell->set_refine_flag();
    triangulation.execute_coarsening_and_refinement();
  }
}

/// The velocity at the start, of component @p c at @p place.
template <int dim>
double
initial_velocity(const Point<dim> &place, const unsigned int c, const double speed)
{
  // places of a vertex differ by rounding, according to the cell that the mapping starts from
  Point<dim> x;
  for (unsigned int d = 0; d < dim; ++d)
    x[d] = std::round(1e6 * place[d]) / 1e6;
  return c == 0 ? speed + 0.02 * std::cos(x[0]) : 0.03 * x[0] * x[1];
}

/// Where a degree of freedom is, and what component it is of.
template <int dim>
struct Place
{
  Point<dim> point;
  unsigned int component;
};

/// The places of the degrees of freedom of all cells that are not artificial.
template <int dim>
std::map<types::global_dof_index, Place<dim>>
places_of(const Mapping<dim> &mapping, const DoFHandler<dim> &dof_handler)
{
  const auto &fe = dof_handler.get_fe();
  std::map<types::global_dof_index, Place<dim>> result;
  std::vector<types::global_dof_index> dofs(fe.n_dofs_per_cell());
  for (const auto &cell : dof_handler.active_cell_iterators())
    if (!cell->is_artificial())
    {
      cell->get_dof_indices(dofs);
      for (unsigned int i = 0; i < dofs.size(); ++i)
        result.insert({dofs[i],
                       {mapping.transform_unit_to_real_cell(cell, fe.unit_support_point(i)),
                        fe.system_to_component_index(i).first}});
    }
  return result;
}

/// Two bars that fly at each other, with loads of all kinds and damping; the first one is held at
/// its far end.
template <int dim>
struct Bars
{
  /// Makes empty triangulations.
  using Maker = std::function<std::unique_ptr<Triangulation<dim>>()>;
  /// Gives a bar that begins somewhere, with its finer cells at one of its ends.
  using Filler = std::function<void(Triangulation<dim> &, double, bool)>;

  Bars(
      const Maker &make, std::shared_ptr<Ranks> ranks,
      const Filler &fill = [](auto &mesh, const double begin, const bool finer_at_end)
      { make_bar<dim>(mesh, begin, finer_at_end); },
      const FiniteElement<dim> &element = FE_Q<dim>(1))
      : ranks(ranks), element(element.clone())
  {
    mapping = element.reference_cell().template get_default_mapping<dim>(1);
    for (unsigned int i = 0; i < 2; ++i)
    {
      meshes[i] = make();
      fill(*meshes[i], i == 0 ? 0. : 2.05, i == 0);
      dofs[i] = std::make_unique<DoFHandler<dim>>(*meshes[i]);
    }
    set_up();
  }

  /// On the meshes as they are.
  void
  set_up()
  {
    StepperParameters parameters;
    parameters.ranks = ranks;
    auto new_dynamics = std::make_unique<Dynamics<dim>>(parameters);
    const auto material = std::make_shared<J2Plasticity<dim>>(1., 1., 0.3, 0.02, 0.1);
    for (unsigned int i = 0; i < 2; ++i)
    {
      dofs[i]->distribute_dofs(FESystem<dim>(*element, dim));
      const auto places = places_of(*mapping, *dofs[i]);
      IndexSet relevant(dofs[i]->n_dofs());
      for (const auto &[dof, place] : places)
        relevant.add_index(dof);
      velocity[i].reinit(dofs[i]->locally_owned_dofs(), relevant, meshes[i]->get_communicator());
      for (const auto &[dof, place] : places)
        if (velocity[i].in_local_range(dof))
          velocity[i](dof) = initial_velocity(place.point, place.component, i == 0 ? 0 : -0.1);
      constraints[i].reinit(relevant);
      DoFTools::make_hanging_node_constraints(*dofs[i], constraints[i]);
      if (i == 0)
        DoFTools::make_zero_boundary_constraints(*dofs[i], 0, constraints[i]);
      constraints[i].close();
      forces[i] = velocity[i];
      for (const auto &[dof, place] : places)
        if (forces[i].in_local_range(dof))
          forces[i](dof) = 1e-4 * initial_velocity(place.point, 1, 0);
      auto &body = new_dynamics->add_body(*dofs[i], *mapping, material);
      bodies[i] = &body;
      body.set_velocity(velocity[i]);
      body.restrain(constraints[i]);
      using Load = BodyLoad<dim>;
      using Constant = Functions::ConstantFunction<dim>;
      body.load(gravity<dim>(0.01 * Point<dim>::unit_vector(1)));
      body.load({Load::Type::body_force, std::make_shared<Constant>(0.01, dim)});
      body.load({Load::Type::traction, std::make_shared<Constant>(0.01, dim), false,
                 [](const double t) { return t; }},
                {i});
      body.load({Load::Type::pressure, std::make_shared<Constant>(0.01), false,
                 [](const double t) { return 1 + t; }},
                {i});
      body.damp(0.05 * (1 + i));
      body.set_viscosity({0.01, 0, 0});
      body.set_forces(forces[i]);
    }
    new_dynamics->enable_contact(ContactParameters());
    new_dynamics->stop_at_energy_error(1); // looked at by all
    dynamics = std::move(new_dynamics);
  }

  const std::shared_ptr<Ranks> ranks;
  const std::unique_ptr<FiniteElement<dim>> element;

  std::unique_ptr<Mapping<dim>> mapping;
  std::unique_ptr<Triangulation<dim>> meshes[2];
  std::unique_ptr<DoFHandler<dim>> dofs[2];
  AffineConstraints<double> constraints[2];
  LinearAlgebra::distributed::Vector<double> velocity[2], forces[2];
  std::unique_ptr<Dynamics<dim>> dynamics;
  DynamicBody<dim> *bodies[2];
};

template <int dim>
void
expect_equal(const NodeTable<dim> &seen, const NodeTable<dim> &expected)
{
  expect(seen.size() == expected.size(), "as many nodes");
  for (unsigned int n = 0; n < seen.size(); ++n)
    expect(seen.reference(n) == expected.reference(n) &&
               seen.displacement(n) == expected.displacement(n) &&
               seen.velocity(n) == expected.velocity(n) && seen.mass(n) == expected.mass(n),
           "equal bits at node " + std::to_string(n));
}

/// What is seen of bars, on all processes or on one.
template <int dim>
struct Seen
{
  /// Of a place and a component, in millionths.
  using Key = std::array<long, dim + 1>;
  static Key
  key(const Point<dim> &point, const unsigned int component)
  {
    Key result{};
    for (unsigned int d = 0; d < dim; ++d)
      result[d] = std::lround(1e6 * point[d]);
    result[dim] = component;
    return result;
  }

  NodeTable<dim> nodes;
  double energy;
  std::map<Key, double> stress_xx, impulse, reaction; ///< of this process
};

template <int dim>
Seen<dim>
look_at(const Bars<dim> &bars)
{
  Seen<dim> seen{bars.dynamics->state(), bars.dynamics->energy().total(), {}, {}, {}};
  for (unsigned int i = 0; i < 2; ++i)
  {
    const auto &body = bars.dynamics->bodies()[i];
    const auto stress = body.stress();
    expect(stress.size() == bars.meshes[i]->n_active_cells(), "a stress for each cell");
    for (const auto &cell : bars.meshes[i]->active_cell_iterators())
      if (cell->is_locally_owned())
        seen.stress_xx[Seen<dim>::key(cell->center(), i)] = stress[cell->active_cell_index()][0][0];
    auto impulse = bars.velocity[i], reaction = bars.velocity[i];
    body.get_contact_impulse(impulse);
    body.get_reaction(reaction);
    for (const auto &[dof, place] : places_of(*bars.mapping, *bars.dofs[i]))
      if (impulse.in_local_range(dof))
      {
        const auto key = Seen<dim>::key(place.point, place.component);
        seen.impulse[key] = impulse(dof);
        seen.reaction[key] = reaction(dof);
      }
  }
  return seen;
}

/// The state after the bars have met, while forces change; they go back in between.
template <int dim>
Seen<dim>
run(Bars<dim> &bars)
{
  bars.dynamics->advance_to(0.7);
  for (unsigned int i = 0; i < 2; ++i)
  {
    bars.forces[i] *= -2;
    bars.bodies[i]->set_forces(bars.forces[i]);
  }
  const std::string state = bars.dynamics->save();
  bars.dynamics->advance_to(1);
  const auto before = bars.dynamics->state();
  const double energy = bars.dynamics->energy().total();
  bars.dynamics->load(state);
  bars.dynamics->advance_to(1);
  expect_equal(bars.dynamics->state(), before);
  expect(bars.dynamics->energy().total() == energy, "equal bits of energy after going back");
  bars.dynamics->advance_to(1.5);
  expect(bars.dynamics->contact_statistics().collisions > 10, "the bars meet");
  return look_at(bars);
}

template <int dim>
void
expect_equal(const Seen<dim> &seen, const Seen<dim> &expected)
{
  expect_equal(seen.nodes, expected.nodes);
  expect(seen.energy == expected.energy, "equal bits of energy");
  const auto is_part = [](const auto &part, const auto &whole, const std::string &what)
  {
    for (const auto &[key, value] : part)
      expect(whole.count(key) == 1 && whole.at(key) == value, "equal bits of " + what);
  };
  is_part(seen.stress_xx, expected.stress_xx, "stresses");
  is_part(seen.impulse, expected.impulse, "contact impulses");
  is_part(seen.reaction, expected.reaction, "reactions");
  double largest = 0;
  for (const auto &entry : expected.impulse)
    largest = std::max(largest, std::abs(entry.second));
  expect(largest > 0, "impulses");
}
/// What a plain mesh on this process alone gives.
template <int dim>
Seen<dim>
expected_state()
{
  Bars<dim> plain(
      []
      {
        return std::make_unique<Triangulation<dim>>(
            Triangulation<dim>::limit_level_difference_at_vertices);
      },
      nullptr);
  return run(plain);
}

/// A ring or hollow ball that is finer on one side.
template <int dim>
void
make_shell(Triangulation<dim> &mesh)
{
  GridGenerator::hyper_shell(mesh, Point<dim>(), 0.5, 1., dim == 2 ? 8 : 6);
  mesh.refine_global(1);
  // where each process has all cells they are to refine them alike
  const bool is_divided =
      dynamic_cast<const parallel::DistributedTriangulationBase<dim> *>(&mesh) != nullptr;
  for (const double distance : {1., 0.35})
  {
    for (const auto &cell : mesh.active_cell_iterators())
      if ((cell->is_locally_owned() || !is_divided) &&
          cell->center().distance(Point<dim>::unit_vector(0)) < distance)
        cell->set_refine_flag();
    mesh.execute_coarsening_and_refinement();
  }
}

/// The largest distance of a hanging vertex from the middle of what deal.II says it hangs on.
template <int dim>
double
largest_distance_from_middle(const Triangulation<dim> &mesh)
{
  DoFHandler<dim> dofs(mesh);
  dofs.distribute_dofs(FE_Q<dim>(1));
  AffineConstraints<double> constraints;
  DoFTools::make_hanging_node_constraints(dofs, constraints);
  constraints.close();
  std::map<types::global_dof_index, Point<dim>> vertices;
  for (const auto &cell : dofs.active_cell_iterators())
    for (const unsigned int v : cell->vertex_indices())
      vertices[cell->vertex_dof_index(v, 0)] = cell->vertex(v);
  double worst = 0;
  for (const auto &line : constraints.get_lines())
  {
    Tensor<1, dim> middle;
    for (const auto &[dof, weight] : line.entries)
      middle += weight * vertices.at(dof);
    worst = std::max(worst, (middle - vertices.at(line.index)).norm());
  }
  return worst;
}

/// Hanging nodes that refinement has put onto curves come between the others, to the same bits on a
/// divided mesh as on @p alone, which each process has for itself: those of ghost cells, too.
template <int dim>
void
expect_straightened(Triangulation<dim> &mesh, Triangulation<dim> &alone)
{
  make_shell(mesh);
  make_shell(alone);
  expect(mesh.n_global_active_cells() == alone.n_active_cells(), "the same mesh");
  expect(largest_distance_from_middle(alone) > 1e-3, "hanging nodes on curves");
  straighten_hanging_nodes(mesh);
  straighten_hanging_nodes(alone);
  expect(largest_distance_from_middle(alone) < 1e-15, "hanging nodes between others");
  for (const auto &cell : mesh.active_cell_iterators())
    if (!cell->is_artificial())
    {
      const auto same = alone.create_cell_iterator(cell->id());
      for (const unsigned int v : cell->vertex_indices())
        expect(cell->vertex(v) == same->vertex(v), "equal bits of a vertex");
    }
}

template <int dim>
void
distributed()
{
  parallel::distributed::Triangulation<dim> shell(MPI_COMM_WORLD), alone(MPI_COMM_SELF);
  expect_straightened<dim>(shell, alone);
  using Mesh = parallel::distributed::Triangulation<dim>;
  Bars<dim> bars([] { return std::make_unique<Mesh>(MPI_COMM_WORLD); }, Ranks::of_launcher());
  // what goes in comes out
  for (unsigned int i = 0; i < 2; ++i)
  {
    auto seen = bars.velocity[i];
    seen = 0.;
    bars.dynamics->bodies()[i].get_velocity(seen);
    for (const auto dof : bars.dofs[i]->locally_owned_dofs())
      if (!bars.constraints[i].is_constrained(dof))
        expect(seen(dof) == bars.velocity[i](dof), "the velocity that was set");
      else if (bars.constraints[i].get_constraint_entries(dof)->empty())
        expect(seen(dof) == 0, "no velocity where the bar is held");
    bars.constraints[i].distribute(bars.velocity[i]);
    for (const auto dof : bars.dofs[i]->locally_owned_dofs())
      expect(std::abs(seen(dof) - bars.velocity[i](dof)) < 1e-15, "hanging nodes between others");
  }
  const auto seen_of_bars = run(bars);
  expect_equal(seen_of_bars, expected_state<dim>());
  const auto &state = seen_of_bars.nodes;

  // a vector of the mesh, by its own numbers: positions lead to the nodes
  auto u = bars.velocity[1];
  bars.dynamics->bodies()[1].get_displacement(u);
  const auto places = places_of(*bars.mapping, *bars.dofs[1]);
  unsigned int n_found = 0;
  for (const auto dof : bars.dofs[1]->locally_owned_dofs())
    for (unsigned int n = 0; n < state.size(); ++n)
      if (const auto &place = places.at(dof); state.reference(n).distance(place.point) < 1e-12)
      {
        expect(u(dof) == state.displacement(n)[place.component],
               "the displacement of node " + std::to_string(n));
        ++n_found;
      }
  expect(n_found > 0 || bars.dofs[1]->n_locally_owned_dofs() == 0, "nodes of this process");
}

/// Bars are refined while they touch. (How far p4est makes meshes coarser depends on how they are
/// divided.)
template <int dim>
Seen<dim>
run_with_change(Bars<dim> &bars)
{
  bars.dynamics->advance_to(0.8);
  const double energy = bars.dynamics->energy().total();
  const MeshTransfer<dim> transfer(*bars.dynamics);
  for (unsigned int i = 0; i < 2; ++i)
  {
    for (const auto &cell : bars.meshes[i]->active_cell_iterators())
      if (cell->is_locally_owned() && (i == 0 || cell->center()[1] > 0.5))
        cell->set_refine_flag();
    bars.meshes[i]->execute_coarsening_and_refinement();
  }
  bars.set_up();
  const TransferReport report = transfer.to(*bars.dynamics);
  expect(report.largest_correction < 0.1, "small corrections");
  bars.dynamics->start();
  expect(bars.dynamics->time() == 0.8, "time goes on");
  expect(std::abs(bars.dynamics->energy().total() - energy) < 1e-14, "energy goes on");
  bars.dynamics->advance_to(1.5);
  return look_at(bars);
}

template <int dim>
void
transferred()
{
  using Mesh = parallel::distributed::Triangulation<dim>;
  Bars<dim> bars([] { return std::make_unique<Mesh>(MPI_COMM_WORLD); }, Ranks::of_launcher());
  Bars<dim> alone([] { return std::make_unique<Mesh>(MPI_COMM_SELF); }, nullptr);
  expect_equal(run_with_change(bars), run_with_change(alone));
}

template <int dim>
void
shared()
{
  using Mesh = parallel::shared::Triangulation<dim>;
  for (const bool allow_artificial_cells : {false, true})
  {
    Mesh shell(MPI_COMM_WORLD, Mesh::limit_level_difference_at_vertices, allow_artificial_cells,
               Mesh::partition_zorder);
    Triangulation<dim> alone(Mesh::limit_level_difference_at_vertices);
    expect_straightened<dim>(shell, alone);
  }
  Bars<dim> bars(
      []
      {
        return std::make_unique<Mesh>(MPI_COMM_WORLD, Mesh::limit_level_difference_at_vertices,
                                      true, Mesh::partition_zorder);
      },
      Ranks::of_launcher(),
      [](Triangulation<dim> &mesh, const double begin, const bool finer_at_end)
      {
        // all processes have all cells, and refine them alike
        Triangulation<dim> whole(Triangulation<dim>::limit_level_difference_at_vertices);
        make_bar<dim>(whole, begin, finer_at_end);
        std::vector<Point<dim>> vertices;
        std::vector<dealii::CellData<dim>> cells;
        SubCellData subcells;
        std::tie(vertices, cells, subcells) = GridTools::get_coarse_mesh_description(whole);
        mesh.create_triangulation(vertices, cells, subcells);
        for (unsigned int level = 0; level + 1 < whole.n_levels(); ++level)
        {
          for (const auto &cell : whole.cell_iterators_on_level(level))
            if (cell->has_children())
              mesh.create_cell_iterator(cell->id())->set_refine_flag();
          mesh.execute_coarsening_and_refinement();
        }
      });
  expect_equal(run(bars), expected_state<dim>());
}

/// Triangles or tetrahedra, which only fullydistributed meshes divide.
template <int dim>
void
fully_distributed()
{
  const auto fill_plain = [](Triangulation<dim> &mesh, const double begin, bool)
  {
    std::vector<unsigned int> n(dim, 3);
    Point<dim> lower, upper;
    lower[0] = begin;
    for (unsigned int d = 0; d < dim; ++d)
      upper[d] = lower[d] + (d == 0 ? 2 : 1);
    GridGenerator::subdivided_hyper_rectangle_with_simplices(mesh, n, lower, upper);
    for (const auto &cell : mesh.active_cell_iterators())
      for (const auto &face : cell->face_iterators())
        if (face->at_boundary() && face->center()[0] > begin + 1e-10)
          face->set_boundary_id(1);
  };
  const auto fill = [&](Triangulation<dim> &mesh, const double begin, bool)
  {
    const auto serial = [&](Triangulation<dim> &whole) { fill_plain(whole, begin, false); };
    const auto divide = [](Triangulation<dim> &whole, MPI_Comm comm, unsigned int)
    { GridTools::partition_triangulation_zorder(Utilities::MPI::n_mpi_processes(comm), whole); };
    mesh.create_triangulation(
        TriangulationDescription::Utilities::create_description_from_triangulation_in_groups<dim,
                                                                                             dim>(
            serial, divide, MPI_COMM_WORLD, 1));
  };
  using Mesh = parallel::fullydistributed::Triangulation<dim>;
  Bars<dim> bars([] { return std::make_unique<Mesh>(MPI_COMM_WORLD); }, Ranks::of_launcher(), fill,
                 FE_SimplexP<dim>(1));
  Bars<dim> plain([] { return std::make_unique<Triangulation<dim>>(); }, nullptr, fill_plain,
                  FE_SimplexP<dim>(1));
  expect_equal(run(bars), run(plain));
}

/// The first process, and all others: two groups that know nothing of each other.
void
groups()
{
  const bool is_first = Utilities::MPI::this_mpi_process(MPI_COMM_WORLD) == 0;
  MPI_Comm group;
  MPI_Comm_split(MPI_COMM_WORLD, is_first, 0, &group);
  {
    using Mesh = parallel::distributed::Triangulation<2>;
    Bars<2> bars([group] { return std::make_unique<Mesh>(group); }, Ranks::of(group));
    expect_equal(run(bars), expected_state<2>());
    Dynamics<2> by_communicator(group);
    by_communicator.add_body(*bars.dofs[0], *bars.mapping,
                             std::make_shared<NeoHookean<2>>(1., 1., 0.3));
    by_communicator.advance_to(0.1);
  }
  MPI_Comm_free(&group);
}

/// What is thrown, "" if nothing is.
std::string
message(const std::function<void()> &work)
{
  try
  {
    work();
  }
  catch (const std::exception &exception)
  {
    return message_of(exception);
  }
  return "";
}

void
expect_message(const std::function<void()> &work, const std::string &text)
{
  const std::string seen = message(work);
  expect(seen.find(text) != std::string::npos, "'" + text + "', not '" + seen + "'");
}

struct Square
{
  explicit Square(const std::function<void(Triangulation<2> &)> &change = {})
      : mesh(MPI_COMM_WORLD), mapping(1), dofs(mesh)
  {
    GridGenerator::subdivided_hyper_cube(mesh, 4);
    if (change)
      change(mesh);
    dofs.distribute_dofs(FESystem<2>(FE_Q<2>(1), 2));
  }

  parallel::distributed::Triangulation<2> mesh;
  MappingQ<2> mapping;
  DoFHandler<2> dofs;
  const std::shared_ptr<Material<2>> material = std::make_shared<NeoHookean<2>>(1., 1., 0.3);
};

void
mistakes()
{
  const bool are_many = Utilities::MPI::n_mpi_processes(MPI_COMM_WORLD) > 1;
  StepperParameters parameters;
  parameters.ranks = Ranks::of_launcher();
  Square square;
  if (are_many)
  {
    Dynamics<2> alone;
    expect_message([&] { alone.add_body(square.dofs, square.mapping, square.material, "plate"); },
                   "'plate': its mesh is divided among");
    expect_message([&] { Body<2>(square.dofs, square.mapping, "plate", square.material); },
                   "MeshReplica");
  }
  Dynamics<2> dynamics(parameters);
  auto &body = dynamics.add_body(square.dofs, square.mapping, square.material, "plate");
  Vector<double> too_short(square.dofs.n_dofs() - 1);
  expect_message([&] { body.set_velocity(too_short); }, "the vector has 49 entries");
  AffineConstraints<double> constraints;
  constraints.add_line(7);
  constraints.set_inhomogeneity(7, 0.1);
  constraints.close();
  expect_message([&] { body.restrain(constraints); }, "DoF 7 is tied");
  if (Utilities::MPI::this_mpi_process(MPI_COMM_WORLD) == 0)
  {
    constraints.clear();
    constraints.add_line(square.dofs.n_dofs());
    constraints.close();
  }
  expect_message([&] { body.restrain(constraints); }, "a constraint of DoF 50, but");
  square.mesh.refine_global();
  expect_message([&] { dynamics.start(); }, "has been changed");

  // what every process has to do alike
  const bool is_first = Utilities::MPI::this_mpi_process(MPI_COMM_WORLD) == 0;
  const Square left;
  for (const std::string difference : {"", "density", "restraint", "velocity", "contact",
                                       "friction", "obstacle", "exclusion", "tables"})
  {
    const auto differs = [&](const std::string &name) { return is_first && difference == name; };
    Dynamics<2> unlike(parameters);
    auto &plate = unlike.add_body(
        left.dofs, left.mapping,
        std::make_shared<NeoHookean<2>>(differs("density") ? 2. : 1., 1., 0.3), "plate");
    if (!differs("restraint"))
      plate.restrain({0});
    if (differs("velocity"))
      unlike.nodes().set_velocity(7, Point<2>(0.1, 0));
    if (differs("tables"))
      unlike.nodes().add(Point<2>(3, 0), 1.);
    ContactParameters own;
    own.friction = differs("friction") ? 0.1 : 0;
    if (differs("exclusion"))
      own.exclude = {{"plate", "wall"}};
    if (!differs("contact"))
      unlike.enable_contact(own, {{"wall",
                                   std::make_shared<HalfSpace<2>>(
                                       Point<2>(0, differs("obstacle") ? -2 : -1), Point<2>(0, 1)),
                                   {},
                                   {}}});
    if (difference.empty() || !are_many)
      unlike.advance_to(0.1);
    else
      expect_message([&] { unlike.start(); }, "different models");
  }

  // one cell of one process is inverted; the others hear of it
  Square bad(
      [](Triangulation<2> &mesh)
      {
        for (const auto &cell : mesh.active_cell_iterators())
          for (const unsigned int v : cell->vertex_indices())
            if (cell->vertex(v).distance(Point<2>(1, 1)) < 1e-10)
              cell->vertex(v) = Point<2>(0.6, 0.6);
      });
  Dynamics<2> other(parameters);
  expect_message([&] { other.add_body(bad.dofs, bad.mapping, bad.material, "plate"); },
                 "is inverted");
}

const std::map<std::string, std::function<void()>> scenarios = {
    {"distributed_2d", distributed<2>},
    {"distributed_3d", distributed<3>},
    {"shared_2d", shared<2>},
    {"fully_distributed_2d", fully_distributed<2>},
    {"fully_distributed_3d", fully_distributed<3>},
    {"transferred_2d", transferred<2>},
    {"transferred_3d", transferred<3>},
    {"groups", groups},
    {"mistakes", mistakes}};
} // namespace

int
main(int argc, char **argv)
{
  const Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1);
  try
  {
    scenarios.at(argv[1])();
  }
  catch (const std::exception &exception)
  {
    std::cerr << "Process " << Utilities::MPI::this_mpi_process(MPI_COMM_WORLD) << ": "
              << message_of(exception) << std::endl;
    MPI_Abort(MPI_COMM_WORLD, 1); // the others may be waiting
  }
  return 0;
}
