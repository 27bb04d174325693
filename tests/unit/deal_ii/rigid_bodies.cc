// Rigid bodies through the front door: their mass from mesh and density, and how they move.

#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/nodes/motion_sums.h>
#include <kickdrift/potentials/materials/built_in_materials.h>

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/grid/tria.h>
#include <deal.II/lac/vector.h>

#include <gtest/gtest.h>

#include <cmath>
#include <memory>

using namespace dealii;
using namespace KickDrift;

namespace
{
constexpr double density = 2;

template <int dim>
std::shared_ptr<const Material<dim>>
material()
{
  return std::make_shared<NeoHookean<dim>>(density, 100., 0.3);
}

/// A box from @p lower to @p upper of one cell, or of more that are refined locally, or of
/// simplices.
template <int dim>
struct MeshedBox
{
  MeshedBox(const Point<dim> &lower, const Point<dim> &upper, const unsigned int kind = 0)
      : dofs(triangulation)
  {
    if (kind == 2)
    {
      Triangulation<dim> cubes;
      GridGenerator::hyper_rectangle(cubes, lower, upper);
      GridGenerator::convert_hypercube_to_simplex_mesh(cubes, triangulation);
      mapping = std::make_unique<MappingFE<dim>>(FE_SimplexP<dim>(1));
      dofs.distribute_dofs(FESystem<dim>(FE_SimplexP<dim>(1), dim));
      return;
    }
    GridGenerator::hyper_rectangle(triangulation, lower, upper);
    if (kind == 1)
    {
      triangulation.refine_global(1);
      triangulation.begin_active()->set_refine_flag();
      triangulation.execute_coarsening_and_refinement();
    }
    mapping = std::make_unique<MappingQ1<dim>>();
    dofs.distribute_dofs(FESystem<dim>(FE_Q<dim>(1), dim));
  }

  std::unique_ptr<Body<dim>>
  make_body() const
  {
    return std::make_unique<Body<dim>>(dofs, *mapping, "box", material<dim>());
  }

  Triangulation<dim> triangulation;
  std::unique_ptr<Mapping<dim>> mapping;
  DoFHandler<dim> dofs;
};
} // namespace

/// m = rho V, J_xx = m (b^2 + c^2)/12, whatever the mesh.
TEST(RigidMassOfMesh, OfBoxes)
{
  for (unsigned int kind = 0; kind < 3; ++kind)
  {
    const RigidMass solid =
        rigid_mass(*MeshedBox<3>(Point<3>(1, 2, 3), Point<3>(3, 3, 3.5), kind).make_body());
    EXPECT_NEAR(solid.mass, density, 1e-13);
    EXPECT_LT(solid.centre.distance(Point<3>(2, 2.5, 3.25)), 1e-13);
    const double moments[] = {1.25, 4.25, 5};
    for (unsigned int d = 0; d < 3; ++d)
      for (unsigned int e = 0; e < 3; ++e)
        EXPECT_NEAR(solid.inertia[d][e], d == e ? density * moments[d] / 12 : 0, 1e-13);
    const RigidMass plane =
        rigid_mass(*MeshedBox<2>(Point<2>(1, 2), Point<2>(3, 3), kind).make_body());
    EXPECT_NEAR(plane.mass, 2 * density, 1e-13);
    EXPECT_NEAR(plane.inertia[2][2], 2 * density * 5 / 12, 1e-13);
  }
}

TEST(RigidMassOfMesh, OrAsGiven)
{
  RigidParameters parameters;
  parameters.mass = 8;
  const MeshedBox<2> box(Point<2>(0, 0), Point<2>(1, 1));
  const auto body = box.make_body();
  EXPECT_NEAR(rigid_mass(*body, parameters).inertia[2][2], 8. / 6, 1e-13);
  parameters.inertia = 3. * unit_symmetric_tensor<3>();
  EXPECT_EQ(rigid_mass(*body, parameters).inertia[2][2], 3);
  EXPECT_NEAR(rigid_mass(*body, parameters).centre.distance(Point<3>(0.5, 0.5, 0)), 0, 1e-14);
  parameters.centre = Point<3>(0.25, 2, 0);
  EXPECT_EQ(rigid_mass(*body, parameters).centre, *parameters.centre);
  parameters.inertia.reset();
  EXPECT_THROW(rigid_mass(*body, parameters), DynamicsExceptions::ExcRigidCentre);
}

TEST(RigidDynamics, SpinsFreelyWithHangingNodes)
{
  for (unsigned int kind = 0; kind < 3; ++kind)
  {
    MeshedBox<3> box(Point<3>(-1, -0.5, -0.25), Point<3>(1, 0.5, 0.25), kind);
    Dynamics<3> dynamics;
    auto &body = dynamics.add_rigid_body(box.make_body());
    EXPECT_TRUE(body.rigid().has_value());
    for (unsigned int node = 0; node < dynamics.nodes().size(); ++node)
    {
      const auto &x = dynamics.nodes().reference(node);
      dynamics.nodes().set_velocity(node,
                                    Tensor<1, 3>({-3 * x[1] + 0.1 * x[2], 3 * x[0], -0.1 * x[0]}));
    }
    dynamics.start();
    const double energy = dynamics.energy().total();
    // 1/2 w . J w, w = (0, 0.1, 3)
    const double exact =
        0.5 * (0.01 * density * 2 * 0.5 * (4 + 0.25) / 12 + 9 * density * 2 * 0.5 * (4 + 1.) / 12);
    EXPECT_NEAR(energy, exact, 1e-12);
    dynamics.advance_to(3);
    EXPECT_NEAR(dynamics.energy().total(), energy, 1e-13 * energy);
    const auto &state = dynamics.state();
    const double size = state.reference(0).distance(state.reference(state.size() - 1));
    EXPECT_NEAR(state.position(0).distance(state.position(state.size() - 1)), size, 1e-13);
  }
}

TEST(RigidDynamics, RefusesRestraints)
{
  MeshedBox<2> box(Point<2>(0, 0), Point<2>(1, 1));
  Dynamics<2> dynamics;
  dynamics.add_rigid_body(box.make_body()).restrain({0});
  EXPECT_THROW(dynamics.start(), RigidBodies<2>::ExcRestrained);
}

/// All nodes are held, also those that others hang on, and follow what is prescribed.
TEST(RigidDynamics, DrivenOnesFollowTheirMotion)
{
  for (unsigned int kind = 0; kind < 3; ++kind)
  {
    MeshedBox<3> box(Point<3>(-1, -0.5, -0.25), Point<3>(1, 0.5, 0.25), kind);
    Dynamics<3> dynamics;
    RigidParameters parameters;
    parameters.is_driven = true;
    parameters.critical_step = 0.125;
    auto &body = dynamics.add_rigid_body(box.make_body(), parameters);
    EXPECT_TRUE(body.is_rigid());
    EXPECT_FALSE(body.rigid().has_value());
    const NodeTable<3> &table = dynamics.nodes();
    std::vector<unsigned int> nodes;
    std::vector<Tensor<1, 3>> directions;
    for (unsigned int d = 0; d < 3; ++d)
      directions.push_back(Point<3>::unit_vector(d));
    for (unsigned int node = 0; node < table.size(); ++node)
    {
      EXPECT_EQ(table.restraints.n_directions(node), 3u);
      nodes.push_back(node);
    }
    const auto motion = [&](const unsigned int node, const double time)
    {
      const auto turn = Rotation::about(Tensor<1, 3>({0.1 * time, time, 0}));
      return turn.change(table.reference(node)) + Tensor<1, 3>({0, 0, time * time});
    };
    dynamics.stepper().prescribe(nodes, directions, motion);
    dynamics.start();
    const double energy = dynamics.energy().total();
    dynamics.advance_to(32 * dynamics.stepper().levels().step(0));
    EXPECT_NEAR(dynamics.energy().total(), energy, 1e-12);
    EXPECT_GT(dynamics.energy().prescribed_work, 1);
    const auto &state = dynamics.state();
    for (const unsigned int node : nodes)
      EXPECT_LT((state.displacement(node) - motion(node, dynamics.time())).norm(), 1e-13);
  }
}
