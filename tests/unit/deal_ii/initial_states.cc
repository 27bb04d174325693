// Bodies whose points begin in states that are given.

#include "test_body.h"

#include <kickdrift/deal_ii/dynamics_exceptions.h>
#include <kickdrift/potentials/materials/plasticity.h>

#include <gtest/gtest.h>

#include <limits>

using namespace dealii;
using namespace KickDrift;
using namespace KickDriftTests;

namespace
{
/// Two cells, of which one is plastic.
struct TwoCells
{
  TwoCells() : dofs(mesh)
  {
    GridGenerator::subdivided_hyper_rectangle(mesh, {2, 1}, Point<2>(), Point<2>(2, 1));
    mesh.last()->set_material_id(1);
    dofs.distribute_dofs(FESystem<2>(FE_Q<2>(1), 2));
  }

  std::unique_ptr<Body<2>>
  body(const StrainIntegration integration = StrainIntegration::standard)
  {
    const auto elastic = std::make_shared<NeoHookean<2>>(1., 100., 0.3);
    typename Body<2>::Materials materials = {{0, elastic}, {1, elastic}};
    if (integration == StrainIntegration::standard)
      materials[1] = plastic;
    auto result = std::make_unique<Body<2>>(dofs, mapping, "two", materials, integration);
    result->add_nodes(nodes);
    return result;
  }

  static std::vector<double>
  state(const HistoryMaterial<2> &material, const Point<2> &x)
  {
    return dynamic_cast<const PlasticMaterial<2> &>(material).hardened_state(0.1 * x[0]);
  }

  Triangulation<2> mesh;
  const MappingQ<2> mapping = MappingQ<2>(1);
  DoFHandler<2> dofs;
  const std::shared_ptr<const J2Plasticity<2>> plastic =
      std::make_shared<J2Plasticity<2>>(1., 100., 0.3, 1., 2.);
  NodeTable<2> nodes;
};
} // namespace

TEST(InitialStates, AreThoseOfTheExpression)
{
  TwoCells cells;
  const auto body = cells.body();
  body->set_initial_states(TwoCells::state);
  const auto families = body->kicks();
  const auto at = body->kick_of_cell(1);
  // mean of 0.1 x over the cell from 1 to 2
  const auto outputs = families[at.family]->mean_outputs(cells.nodes, at.kick);
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_NEAR(outputs[0], 0.15, 1e-14);
  EXPECT_THROW(body->set_initial_states(TwoCells::state), DynamicsExceptions::ExcInitialState);
}

TEST(InitialStates, WhatCannotBeIsRefused)
{
  TwoCells cells;
  EXPECT_THROW(cells.body(StrainIntegration::nodal)->set_initial_states(TwoCells::state),
               DynamicsExceptions::ExcInitialState);
  for (const std::vector<double> &state :
       {std::vector<double>(5, 0.),
        std::vector<double>(6, std::numeric_limits<double>::infinity())})
  {
    const auto body = cells.body();
    body->set_initial_states([&](const HistoryMaterial<2> &, const Point<2> &) { return state; });
    EXPECT_THROW(body->kicks(), DynamicsExceptions::ExcInitialState);
  }
}
