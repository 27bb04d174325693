// Contact of bodies that lose cells.

#include "test_body.h"

#include <kickdrift/base/archive.h>
#include <kickdrift/contact/surface/eroding_surface.h>
#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/potentials/materials/built_in_materials.h>
#include <kickdrift/potentials/materials/plasticity.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <set>
#include <vector>

using namespace dealii;
using namespace KickDrift;
using namespace KickDriftTests;

namespace
{
/// A mesh, its DoFs and what makes a body of it.
struct Rectangle
{
  Rectangle(const std::vector<unsigned int> &n, const Point<2> &lower, const Point<2> &upper)
      : dofs(mesh)
  {
    GridGenerator::subdivided_hyper_rectangle(mesh, n, lower, upper, true);
    dofs.distribute_dofs(FESystem<2>(FE_Q<2>(1), 2));
  }

  std::unique_ptr<Body<2>>
  body(const std::string &name, const typename Body<2>::Materials &materials,
       const double failure_strain = 0)
  {
    auto result = std::make_unique<Body<2>>(dofs, mapping, name, materials);
    if (failure_strain > 0)
      result->set_failure_strain(failure_strain);
    return result;
  }

  Triangulation<2> mesh;
  const MappingQ<2> mapping = MappingQ<2>(1);
  DoFHandler<2> dofs;
};

const auto elastic = std::make_shared<NeoHookean<2>>(1., 100., 0.);

/// A block whose middle layer is so weak that it fails without any resistance; what is above moves
/// down, what is below is held.
struct Sandwich
{
  static constexpr double speed = 0.5;

  Sandwich(const ContactParameters &contact, const bool turned, const StepperParameters &stepping)
      : rectangle({3, 3}, Point<2>(), Point<2>(3, 3)), dynamics(stepping)
  {
    for (const auto &cell : rectangle.mesh.active_cell_iterators())
      cell->set_material_id(cell->center()[1] > 1 && cell->center()[1] < 2);
    if (turned) // a mirror image, by a turn about the middle
      GridTools::rotate(numbers::PI, rectangle.mesh);
    part = &dynamics.add_body(rectangle.body(
        "block", {{0, elastic}, {1, std::make_shared<J2Plasticity<2>>(1., 1e-6, 0.3, 1e-9, 0.)}},
        0.3));
    sign = turned ? -1 : 1;
    part->restrain({2u}); // turned, too
    auto &nodes = dynamics.nodes();
    for (unsigned int i = 0; i < nodes.size(); ++i)
      if (std::abs(nodes.reference(i)[1]) > 1.5)
        nodes.set_velocity(i, Point<2>(0, -sign * speed));
    dynamics.enable_contact(contact);
    dynamics.start();
  }

  /// Least height of the upper layer over the top of the lower one, and its mean velocity.
  std::pair<double, double>
  gap_and_velocity() const
  {
    const auto &nodes = dynamics.state();
    double lowest = 10, highest = -10, velocity = 0, mass = 0;
    for (unsigned int i = 0; i < nodes.size(); ++i)
    {
      const double layer = std::abs(nodes.reference(i)[1]), y = sign * nodes.position(i)[1];
      if (layer > 0.5 && layer < 1.5)
        highest = std::max(highest, y);
      if (layer > 1.5)
      {
        lowest = std::min(lowest, y);
        velocity += nodes.mass(i) * sign * nodes.velocity(i)[1];
        mass += nodes.mass(i);
      }
    }
    return {lowest - highest, velocity / mass};
  }

  Rectangle rectangle;
  Dynamics<2> dynamics;
  DynamicBody<2> *part;
  double sign;
};

/// Something hard that flies through a plate, whose ends are held.
struct Shot
{
  Shot(const ContactParameters &contact, const StepperParameters &stepping)
      : hard({3, 3}, Point<2>(-0.45, 0.01), Point<2>(0.55, 1)),
        plate_mesh({20, 4}, Point<2>(-5, -1), Point<2>(5, 0)),
        dynamics(stepping)
  {
    shot = &dynamics.add_body(hard.body(
        "shot", {{numbers::invalid_material_id, std::make_shared<NeoHookean<2>>(4., 400., 0.3)}}));
    plate = &dynamics.add_body(
        plate_mesh.body("plate",
                        {{numbers::invalid_material_id,
                          std::make_shared<J2Plasticity<2>>(1., 100., 0.3, 0.5, 0.2)}},
                        0.4));
    plate->restrain({0, 1});
    auto &nodes = dynamics.nodes();
    for (unsigned int i = 0; i < hard.dofs.n_dofs() / 2; ++i)
      nodes.set_velocity(i, Point<2>(0, -3));
    dynamics.enable_contact(contact);
    dynamics.start();
  }

  void
  serialize(Archive &archive)
  {
    archive(dynamics.nodes(), dynamics.stepper(), *dynamics.contact());
  }

  Rectangle hard, plate_mesh;
  Dynamics<2> dynamics;
  DynamicBody<2> *shot, *plate;
};

/// How deep a node that belongs to a living cell of one body is within a living cell of another one
/// at most: least distance from the cell's edges.
double
deepest(const Body<2> &one, const Body<2> &other, const NodeTable<2> &nodes)
{
  std::set<unsigned int> points;
  const auto for_each_living = [](const Body<2> &body, const auto &f)
  {
    for (unsigned int c = 0; c < body.dof_handler().get_triangulation().n_active_cells(); ++c)
      if (!body.is_deleted(c))
        f(body.nodes_of_cell(body.cell(c)));
  };
  for_each_living(one, [&](const auto &corners) { points.insert(corners.begin(), corners.end()); });
  double result = 0;
  for_each_living(other,
                  [&](const auto &corners)
                  {
                    const unsigned int around[] = {0, 1, 3, 2, 0};
                    for (const unsigned int point : points)
                    {
                      double depth = 10;
                      for (unsigned int i = 0; i < 4; ++i)
                      {
                        const auto a = nodes.position(corners[around[i]]),
                                   b = nodes.position(corners[around[i + 1]]);
                        const Tensor<1, 2> along = b - a, to = nodes.position(point) - a;
                        depth =
                            std::min(depth, (along[0] * to[1] - along[1] * to[0]) / along.norm());
                      }
                      result = std::max(result, depth);
                    }
                  });
  return result;
}

bool
same_bits(const NodeTable<2> &a, const NodeTable<2> &b)
{
  bool same = a.size() == b.size();
  for (unsigned int i = 0; i < a.size() && same; ++i)
    same = std::memcmp(&a[i], &b[i], sizeof(NodeState)) == 0;
  return same;
}

/// Kicks that act on nodes are those of living cells.
void
expect_living(const Shot &shot)
{
  const auto &body = shot.plate->body();
  const unsigned int n_cells = body.dof_handler().get_triangulation().n_active_cells(),
                     first = shot.plate->first_ids()[0];
  for (unsigned int c = 0; c < n_cells; ++c)
  {
    const unsigned int id = first + body.kick_of_cell(c).kick;
    for (const unsigned int node : body.nodes_of_cell(body.cell(c)))
    {
      const auto ids = shot.dynamics.stepper().supports().kicks_of_node(node);
      EXPECT_EQ(std::count(ids.begin(), ids.end(), id), body.is_deleted(c) ? 0 : 1);
      EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
    }
  }
}

StepperParameters
with(const Clocks clocks, const unsigned int threads = 1)
{
  StepperParameters result;
  result.clocks = clocks;
  result.threads = threads;
  result.time_step_ratio = 0.3;
  return result;
}
} // namespace

// What is above falls through the gap, and is thrown back when it is at its end.
TEST(ErodingContact, BlockFallsOnWhatIsLeftBelow)
{
  for (const Clocks clocks : {Clocks::one, Clocks::nested, Clocks::per_cell})
    for (const bool turned : {false, true})
    {
      ContactParameters contact;
      contact.response = Response::records;
      Sandwich block(contact, turned, with(clocks));
      const double energy = block.dynamics.energy().total();
      double first = 0;
      for (unsigned int i = 1; i <= 60; ++i)
      {
        block.dynamics.advance_to(0.05 * i);
        const auto &statistics = block.dynamics.contact()->statistics();
        if (first == 0 && statistics.collisions > 0)
          first = 0.05 * i;
        EXPECT_GT(block.gap_and_velocity().first, -0.03) << i;
      }
      EXPECT_EQ(block.part->body().n_deleted_cells(), 3u);
      EXPECT_NEAR(first, 1 / Sandwich::speed, 0.1);
      EXPECT_GT(block.gap_and_velocity().second, 0);
      if (clocks == Clocks::per_cell) // no zones: what touches is kicked at different times
        continue;
      EXPECT_GT(block.gap_and_velocity().second, 0.7 * Sandwich::speed);
      EXPECT_NEAR(block.dynamics.energy().total(), energy, 0.01 * energy);
    }
}

// Boundary ids are those of the start: what is bared has none of them.
TEST(ErodingContact, WhatIsBaredTouchesWhateverBoundariesAreExcluded)
{
  ContactParameters contact;
  contact.response = Response::records;
  for (const char *id : {"0", "1", "2", "3"})
    contact.exclude.emplace_back("block", id);
  Sandwich block(contact, false, with(Clocks::nested));
  EXPECT_TRUE(block.dynamics.contact()->surface().faces.empty());
  block.dynamics.advance_to(0.9 / Sandwich::speed);
  EXPECT_EQ(block.part->body().n_deleted_cells(), 3u);
  EXPECT_EQ(block.dynamics.contact()->surface().faces.size(), 6u);
  EXPECT_EQ(block.dynamics.contact()->statistics().collisions, 0u);
  block.dynamics.advance_to(3);
  EXPECT_GT(block.gap_and_velocity().first, -0.03);
  EXPECT_GT(block.gap_and_velocity().second, 0.7 * Sandwich::speed);
}

TEST(ErodingContact, BlockLosesEnergyWithoutRestitution)
{
  ContactParameters contact;
  contact.response = Response::records;
  contact.restitution = 0;
  Sandwich block(contact, false, with(Clocks::nested));
  const double energy = block.dynamics.energy().total();
  block.dynamics.advance_to(4);
  EXPECT_GT(block.gap_and_velocity().first, -0.02);
  EXPECT_LT(block.gap_and_velocity().second, 0.9 * Sandwich::speed);
  EXPECT_GT(block.dynamics.energy().restitution_loss, 0.01 * energy);
  EXPECT_NEAR(block.dynamics.energy().total(), energy, 0.01 * energy);
}

TEST(ErodingContact, BooksCloseWhereAPlateIsPerforated)
{
  for (const Clocks clocks : {Clocks::nested, Clocks::per_cell})
  {
    ContactParameters contact;
    contact.response = Response::records;
    contact.restitution = 0;
    Shot shot(contact, with(clocks));
    const double energy = shot.dynamics.energy().total();
    const double limit = 1e-4; // cells are 0.33 or 0.25 high
    for (unsigned int i = 1; i <= 40; ++i)
    {
      shot.dynamics.advance_to(0.05 * i);
      EXPECT_LT(deepest(shot.shot->body(), shot.plate->body(), shot.dynamics.state()), limit) << i;
      EXPECT_LT(deepest(shot.plate->body(), shot.shot->body(), shot.dynamics.state()), limit) << i;
    }
    const auto balance = shot.dynamics.energy();
    EXPECT_GT(shot.plate->body().n_deleted_cells(), 7u);
    const double tolerance = clocks == Clocks::per_cell ? 0.02 : 0.01; // see above
    EXPECT_NEAR(balance.total(), energy, tolerance * energy) << int(clocks);
    EXPECT_GT(balance.eroded_energy, 0);
    // all contacts have opened: none keeps anything, or has given more than it has taken
    EXPECT_NEAR(balance.contact_energy, 0, 1e-12 * energy) << int(clocks);
    // it is through, and slower
    const auto &nodes = shot.dynamics.state();
    double mass = 0, momentum = 0;
    for (unsigned int i = 0; i < 16; ++i)
    {
      EXPECT_LT(nodes.position(i)[1], -1) << int(clocks);
      mass += nodes.mass(i);
      momentum += nodes.mass(i) * nodes.velocity(i)[1];
    }
    EXPECT_GT(momentum, -0.98 * 3 * mass);
    EXPECT_LT(momentum, -0.2 * 3 * mass);
    // what it has lost is what contact has taken
    const auto statistics = shot.dynamics.contact_statistics();
    double given = 0;
    for (unsigned int i = 0; i < 16; ++i)
      given += statistics.impulse[i][1];
    EXPECT_NEAR(momentum + 3 * mass, given, 1e-12 * mass);
  }
}

TEST(ErodingContact, ThreadsAndCheckpointsKeepTheBits)
{
  for (const unsigned int points_per_face : {0, 1})
  {
    ContactParameters contact;
    contact.response = Response::records;
    contact.restitution = 0;
    contact.points_per_face = points_per_face;
    Shot through(contact, with(Clocks::nested)), first(contact, with(Clocks::nested, 3)),
        second(contact, with(Clocks::nested, 2));
    through.dynamics.advance_to(0.8);
    Archive at_start;
    first.serialize(at_start);
    first.dynamics.advance_to(0.4);
    const unsigned int n = first.plate->body().n_deleted_cells();
    EXPECT_GT(n, 0u);
    EXPECT_LT(n, through.plate->body().n_deleted_cells());
    Archive written;
    first.serialize(written);
    Archive read(written.bytes());
    second.serialize(read);
    EXPECT_EQ(second.dynamics.contact()->surface().faces.size(),
              first.dynamics.contact()->surface().faces.size());
    for (const Shot *shot : {&first, &second})
      expect_living(*shot);
    Archive again;
    second.serialize(again);
    EXPECT_TRUE(written.bytes() == again.bytes());
    second.dynamics.advance_to(0.8);
    EXPECT_TRUE(same_bits(through.dynamics.nodes(), second.dynamics.nodes())) << points_per_face;
    // what has been deleted does not come back
    Archive earlier(at_start.bytes());
    EXPECT_ANY_THROW(second.serialize(earlier));
  }
}

TEST(ErodingContact, WhatCannotFollowIsRefusedByName)
{
  for (const Response response : {Response::layers, Response::reflect})
  {
    ContactParameters contact;
    contact.response = response;
    try
    {
      Shot shot(contact, with(Clocks::nested));
      FAIL();
    }
    catch (const DynamicsExceptions::ExcDeletionInContact &exception)
    {
      const std::string message = exception.what();
      EXPECT_TRUE(contains(message, "with 'Contact/Response' =")) << message;
      EXPECT_TRUE(contains(message, "plate:shot, plate:plate")) << message;
    }
  }
}
