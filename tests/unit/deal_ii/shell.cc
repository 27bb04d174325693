// Shells from deal.II's meshes: nodes, vectors, restraints, free flight, and what is refused.

#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/potentials/shells/shell_kicks.h>

#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/grid/tria_description.h>
#include <deal.II/lac/vector.h>
#include <deal.II/numerics/vector_tools.h>

#include <gtest/gtest.h>

using namespace KickDrift;
using namespace dealii;

namespace
{
const ShellSection section{1., 0.3, 2., 0.05};

/// The unit square in the plane z = 0, whose edges have the ids 0 to 3, with some triangles turned.
struct Plate
{
  explicit Plate(const unsigned int n = 4, const bool turn = false) : dofs(mesh)
  {
    Triangulation<2> squares, flat;
    GridGenerator::subdivided_hyper_cube(squares, n);
    GridGenerator::convert_hypercube_to_simplex_mesh(squares, flat);
    std::vector<Point<3>> points;
    for (const auto &x : flat.get_vertices())
      points.emplace_back(x[0], x[1], 0);
    std::vector<dealii::CellData<2>> cells;
    for (const auto &cell : flat.active_cell_iterators())
    {
      cells.emplace_back(3);
      for (unsigned int v = 0; v < 3; ++v)
        cells.back().vertices[v] = cell->vertex_index(v);
      if (turn && cells.size() % 5 == 0)
        std::swap(cells.back().vertices[0], cells.back().vertices[1]);
    }
    mesh.create_triangulation(points, cells, SubCellData());
    for (const auto &edge : mesh.active_face_iterators())
      if (edge->at_boundary())
        for (unsigned int d = 0; d < 2; ++d)
          for (unsigned int upper = 0; upper < 2; ++upper)
            if (std::abs(edge->center()[d] - upper) < 1e-12)
              edge->set_boundary_id(2 * d + upper);
    dofs.distribute_dofs(element);
  }

  Triangulation<2, 3> mesh;
  FESystem<2, 3> element{FE_SimplexP<2, 3>(1), 3};
  MappingFE<2, 3> mapping{FE_SimplexP<2, 3>(1)};
  DoFHandler<2, 3> dofs;
};

/// v = a + b x X, and vibrations.
class Motion : public Function<3>
{
public:
  Motion() : Function<3>(3) {}
  double
  value(const Point<3> &x, const unsigned int c) const override
  {
    const double v[3] = {0.1 - 0.2 * x[1], -0.1 + 0.2 * x[0], 0.1 * std::sin(5 * x[0] * x[1])};
    return v[c];
  }
};
} // namespace

TEST(Shell, TakesAndGivesVectors)
{
  const Plate plate;
  Dynamics<3> dynamics;
  auto &shell = dynamics.add_shell(plate.dofs, plate.mapping, section);
  Vector<double> velocity(plate.dofs.n_dofs()), found(velocity), displacement(velocity);
  VectorTools::interpolate(plate.mapping, plate.dofs, Motion(), velocity);
  shell.set_velocity(velocity);
  shell.get_velocity(found);
  EXPECT_EQ(found, velocity);
  // every node is where its DoFs are, and together they have the mass of the plate
  double mass = 0;
  for (unsigned int i = 0; i < shell.body().n_nodes(); ++i)
  {
    const unsigned int node = shell.body().first_node() + i;
    const auto &x = dynamics.nodes().reference(node);
    mass += dynamics.nodes().mass(node);
    for (unsigned int c = 0; c < 3; ++c)
      EXPECT_DOUBLE_EQ(velocity[shell.body().dofs_of_node(node)[c]], Motion().value(x, c));
  }
  EXPECT_NEAR(mass, section.mass_per_area(), 1e-14);
  dynamics.advance_to(1);
  shell.get_displacement(displacement);
  EXPECT_GT(displacement.l2_norm(), 0.1);
  Vector<double> too_short(3);
  EXPECT_THROW(shell.get_displacement(too_short), ExceptionBase);
}

TEST(Shell, KeepsEnergyAndMomenta)
{
  for (const Bending bending : {Bending::none, Bending::hinge, Bending::triangle, Bending::loop})
    for (const Clocks clocks : {Clocks::nested, Clocks::one, Clocks::per_cell})
    {
      SCOPED_TRACE(std::to_string(int(bending)) + " " + std::to_string(int(clocks)));
      const Plate plate(3);
      StepperParameters parameters;
      parameters.clocks = clocks;
      parameters.time_step_ratio = 0.3;
      Dynamics<3> dynamics(parameters);
      auto &shell = dynamics.add_shell(plate.dofs, plate.mapping, section, bending);
      Vector<double> velocity(plate.dofs.n_dofs());
      VectorTools::interpolate(plate.mapping, plate.dofs, Motion(), velocity);
      shell.set_velocity(velocity);
      const auto momenta = [&dynamics]
      {
        std::pair<Tensor<1, 3>, Tensor<1, 3>> result;
        const auto &nodes = dynamics.state();
        for (unsigned int n = 0; n < nodes.size(); ++n)
        {
          const Tensor<1, 3> p = nodes.mass(n) * nodes.velocity(n);
          result.first += p;
          result.second += cross_product_3d(nodes.position(n), p);
        }
        return result;
      };
      const auto before = momenta();
      const double energy = dynamics.energy().total();
      for (unsigned int i = 1; i <= 5; ++i)
      {
        dynamics.advance_to(2. * i);
        EXPECT_NEAR(dynamics.energy().total() / energy, 1., 2e-3);
      }
      EXPECT_GT(dynamics.energy().strain, 1e-4 * energy);
      EXPECT_LT((momenta().first - before.first).norm(), 1e-14);
      EXPECT_LT((momenta().second - before.second).norm(), 1e-14);
    }
}

TEST(Shell, DoesNotDependOnThreadsNorOnTheSidesOfTriangles)
{
  const auto run = [](const unsigned int threads, const bool turn)
  {
    const Plate plate(6, turn);
    StepperParameters parameters;
    parameters.threads = threads;
    Dynamics<3> dynamics(parameters);
    auto &shell = dynamics.add_shell(plate.dofs, plate.mapping, section);
    EXPECT_EQ(shell.body().mesh().n_turned() > 0, turn);
    Vector<double> vector(plate.dofs.n_dofs());
    VectorTools::interpolate(plate.mapping, plate.dofs, Motion(), vector);
    shell.set_velocity(vector);
    dynamics.advance_to(2);
    shell.get_displacement(vector);
    return std::pair(vector, shell.body().mesh().n_turned());
  };
  const auto one = run(1, false), three = run(3, false), turned = run(1, true);
  EXPECT_EQ(one.first, three.first);
  // DoFs are numbered otherwise, as corners are
  EXPECT_NEAR(turned.first.l2_norm() / one.first.l2_norm(), 1., 1e-9);
}

TEST(Shell, IsHeldAtFreeEdges)
{
  const Plate plate;
  Dynamics<3> dynamics;
  auto &shell = dynamics.add_shell(plate.dofs, plate.mapping, section);
  EXPECT_EQ(shell.body().boundary_nodes({0}).size(), 9u);
  EXPECT_EQ(shell.body().boundary_nodes().size(), 32u);
  Vector<double> vector(plate.dofs.n_dofs());
  VectorTools::interpolate(plate.mapping, plate.dofs, Motion(), vector);
  shell.set_velocity(vector);
  shell.restrain({0, 3}, ComponentMask({true, false, true}));
  EXPECT_THROW(shell.restrain({7}), DynamicsExceptions::ExcNoSuchBoundary);
  dynamics.advance_to(2);
  shell.get_displacement(vector);
  for (const unsigned int node : shell.body().boundary_nodes({0, 3}))
  {
    EXPECT_EQ(vector[shell.body().dofs_of_node(node)[0]], 0.);
    EXPECT_EQ(vector[shell.body().dofs_of_node(node)[2]], 0.);
    EXPECT_NE(vector[shell.body().dofs_of_node(node)[1]], 0.);
  }
}

TEST(Shell, KeepsNormalsAtClampedEdges)
{
  const Plate plate(4, true);
  auto clamped = std::make_unique<Shell>(plate.dofs, plate.mapping, "plate", section,
                                         Bending::triangle, Shell::ClampedEdges{{0, {}}, {3, {}}});
  const ShellMesh &surface = clamped->mesh();
  unsigned int n_edges = 0;
  for (const auto &edge : plate.mesh.active_face_iterators())
    n_edges += edge->at_boundary() && (edge->boundary_id() == 0 || edge->boundary_id() == 3);
  EXPECT_GT(n_edges, 0u);
  EXPECT_EQ(surface.edges_with_normals().size(), n_edges);
  for (const unsigned int e : surface.edges_with_normals())
    for (const unsigned int node : surface.edges()[e].nodes)
      EXPECT_LT(surface.positions()[node][0] * (1 - surface.positions()[node][1]), 1e-12);
  EXPECT_TRUE(
      Shell(plate.dofs, plate.mapping, "free", section).mesh().edges_with_normals().empty());
  EXPECT_THROW(Shell(plate.dofs, plate.mapping, "plate", section, Bending::triangle, {{77, {}}}),
               DynamicsExceptions::ExcNoSuchBoundary);
  EXPECT_THROW(Shell(plate.dofs, plate.mapping, "plate", section, Bending::none, {{0, {}}}),
               ShellKicks::ExcMembrane);

  // turning about the clamped edge bends the plate, turning along it does not
  for (const bool about_edge : {true, false})
  {
    Dynamics<3> dynamics;
    auto &shell = dynamics.add_shell(std::make_unique<Shell>(plate.dofs, plate.mapping, "plate",
                                                             section, Bending::triangle,
                                                             Shell::ClampedEdges{{0, {}}}));
    for (unsigned int n = 0; n < shell.body().n_nodes(); ++n)
    {
      const auto &x = dynamics.nodes().reference(n);
      dynamics.nodes().set_displacement(n, about_edge ? Tensor<1, 3>({0, 0, 1e-3 * x[0]})
                                                      : Tensor<1, 3>({0, 0, 1e-3 * x[1]}));
    }
    const double energy = dynamics.energy().strain;
    if (about_edge)
      EXPECT_GT(energy, 1e-12);
    else
      EXPECT_LT(energy, 1e-13);
  }
}

TEST(Shell, RefusesWhatItCannotBe)
{
  Plate plate;
  DoFHandler<2, 3> empty(plate.mesh);
  EXPECT_THROW(Shell(empty, plate.mapping, "a", section), DynamicsExceptions::ExcNoDoFs);
  DoFHandler<2, 3> quadratic(plate.mesh);
  quadratic.distribute_dofs(FE_SimplexP<2, 3>(2));
  EXPECT_THROW(Shell(quadratic, plate.mapping, "a", section), DynamicsExceptions::ExcTriangles);
  Triangulation<2, 3> squares;
  GridGenerator::hyper_cube(squares);
  DoFHandler<2, 3> of_squares(squares);
  of_squares.distribute_dofs(FE_Q<2, 3>(1));
  EXPECT_THROW(Shell(of_squares, MappingQ1<2, 3>(), "a", section),
               DynamicsExceptions::ExcTriangles);
  ShellSection thin = section;
  thin.thickness = 0;
  EXPECT_THROW(Shell(plate.dofs, plate.mapping, "a", thin), ShellExceptions::ExcSection);
  Dynamics<3> dynamics;
  EXPECT_THROW(dynamics.add_shell(nullptr), DynamicsExceptions::ExcNullBody);
  Dynamics<2> plane;
  EXPECT_THROW(plane.add_shell(plate.dofs, plate.mapping, section),
               DynamicsExceptions::ExcShellInPlane);
  Dynamics<3> too_late;
  auto &shell = too_late.add_shell(plate.dofs, plate.mapping, section);
  plate.mesh.refine_global();
  Vector<double> vector(plate.dofs.n_dofs());
  EXPECT_THROW(shell.get_velocity(vector), DynamicsExceptions::ExcMeshChanged);
}
