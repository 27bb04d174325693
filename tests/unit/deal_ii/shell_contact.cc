// Shells in contact, by penalty layers: where these begin, which way triangles go round does not
// matter, momentum and energy, and what is found at the start.

#include <kickdrift/contact/detection/overlap.h>
#include <kickdrift/contact/intersection_check.h>
#include <kickdrift/contact/layer_contact.h>
#include <kickdrift/potentials/materials/built_in_materials.h>

#include "shell_scenes.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

using namespace ShellScenes;

namespace
{
ContactParameters
layers(const double thickness = 0)
{
  ContactParameters parameters;
  parameters.response = Response::layers;
  parameters.layers.thickness = thickness;
  return parameters;
}

LayerContact<3> *
layers_of(Dynamics<3> &dynamics)
{
  return dynamic_cast<LayerContact<3> *>(dynamics.contact());
}

/// Two plates that hit each other off the middle.
struct Impact
{
  explicit Impact(const bool flip_lower = false, const bool flip_upper = false)
      : lower(level(0, flip_lower)),
        upper(Point<3>(0.4, 0.3, 0.2), vector(0.6, 0.2, 0.03), vector(-0.2, 0.6, 0.01), flip_upper)
  {
    auto &first = dynamics.add_shell(lower.shell("lower"));
    auto &second = dynamics.add_shell(upper.shell("upper"));
    throw_body(dynamics, first.body(), vector(0.01, 0, 0.03));
    throw_body(dynamics, second.body(), vector(0, 0, -0.05));
    dynamics.enable_contact(layers());
    dynamics.start();
  }

  Plate lower, upper;
  Dynamics<3> dynamics{plain_boundaries()};
};
} // namespace

TEST(ShellContact, layers_begin_where_shells_touch)
{
  const Plate thick = level(1), thin = level(2);
  const Cube cube(Point<3>(0, 0, 3), 1);
  const ShellSection thick_section{1., 0.3, 2., 0.5}, thin_section{1., 0.3, 2., 0.02};
  for (const double given : {0., 0.01})
  {
    Dynamics<3> dynamics;
    dynamics.add_body(cube.dofs, cube.mapping, std::make_shared<NeoHookean<3>>());
    dynamics.add_shell(thick.shell("thick", thick_section));
    dynamics.add_shell(thin.shell("thin", thin_section));
    dynamics.enable_contact(layers(given), ground());
    dynamics.start();
    const auto &contact = *layers_of(dynamics);
    const double usual = given > 0 ? 2 * given : 1. / 3 / 3; // the shortest edges are 1/3
    EXPECT_DOUBLE_EQ(2 * contact.thickness(), usual);
    EXPECT_DOUBLE_EQ(contact.thickness(0, 0), usual);
    EXPECT_DOUBLE_EQ(contact.thickness(2, 2), usual);
    EXPECT_DOUBLE_EQ(contact.thickness(1, 1), given > 0 ? usual : 0.5);
    EXPECT_DOUBLE_EQ(contact.thickness(1, 2), given > 0 ? usual : 0.26);
    EXPECT_DOUBLE_EQ(contact.thickness(1, 0), given > 0 ? usual : 0.25);
    EXPECT_DOUBLE_EQ(contact.thickness(1, 3), given > 0 ? usual : 0.25); // the ground
    EXPECT_NO_THROW(contact.check_distances());
  }
}

// All its nodes hit at once, so it does not even deform.
TEST(ShellContact, a_plate_on_the_ground_rebounds)
{
  for (const double restitution : {1., 0.5})
  {
    std::vector<double> heights;
    for (const bool flip : {false, true})
      for (const double side : {1., -1.})
      {
        const Plate plate = level(side * 0.3, flip);
        Dynamics<3> dynamics(plain_boundaries());
        auto &shell = dynamics.add_shell(plate.shell("plate"));
        throw_body(dynamics, shell.body(), vector(0, 0, -side * 0.02));
        ContactParameters parameters = layers();
        parameters.restitution = restitution;
        dynamics.enable_contact(
            parameters,
            {{"ground", std::make_shared<HalfSpace<3>>(Point<3>(), vector(0, 0, side)), {}}});
        dynamics.advance_to(30);
        const auto &nodes = dynamics.state();
        for (unsigned int n = 0; n < n_nodes_of_plate; ++n)
        {
          // when the layer's kicks come decides: within 5 % for other steps, also with one clock
          EXPECT_NEAR(nodes.velocity(n)[2], side * restitution * 0.02, 2e-4);
          EXPECT_NEAR(nodes.velocity(n)[0], 0, 1e-15);
        }
        heights.push_back(side * nodes.position(0)[2]);
        EXPECT_GT(heights.back(), 0.05);
      }
    for (const double height : heights)
      EXPECT_NEAR(height, heights[0], 1e-13);
  }
}

TEST(ShellContact, plates_keep_momentum_and_energy)
{
  Impact impact;
  Dynamics<3> &dynamics = impact.dynamics;
  const auto momentum = momentum_of(dynamics.state()), spin = spin_of(dynamics.state());
  const double energy = dynamics.energy().total();
  IntersectionCheck<3> check(dynamics.nodes(), dynamics.stepper(), dynamics.surface(), layers(),
                             {});
  for (unsigned int i = 1; i <= 20; ++i)
  {
    check.advance_to(i);
    const auto &nodes = dynamics.state();
    EXPECT_LT((momentum_of(nodes) - momentum).norm(), 1e-16);
    EXPECT_LT((spin_of(nodes) - spin).norm(), 1e-16);
    EXPECT_NEAR(dynamics.energy().total(), energy, 1e-2 * energy);
  }
  EXPECT_TRUE(check.found().empty());
  EXPECT_GT(layers_of(dynamics)->layer_statistics().contacts, 3u);
  // they have turned each other round
  EXPECT_LT(dynamics.state().velocity(0)[2], 0.03);
}

// Flipped meshes have other numbers of nodes and other round-off, but not another motion.
TEST(ShellContact, does_not_care_which_way_triangles_go_round)
{
  Impact plain;
  plain.dynamics.advance_to(15);
  for (const auto &[lower, upper] : {std::pair{true, false}, {false, true}, {true, true}})
  {
    Impact flipped(lower, upper);
    flipped.dynamics.advance_to(15);
    const auto &nodes = plain.dynamics.state(), &others = flipped.dynamics.state();
    unsigned int n_compared = 0;
    for (unsigned int n = 0; n < nodes.size(); ++n)
      for (unsigned int m = 0; m < others.size(); ++m)
        if (nodes.reference(n).distance(others.reference(m)) < 1e-12)
        {
          ++n_compared;
          EXPECT_LT((nodes.velocity(n) - others.velocity(m)).norm(), 1e-12);
        }
    EXPECT_EQ(n_compared, 2 * n_nodes_of_plate);
  }
}

TEST(ShellContact, a_cube_is_thrown_back_from_either_side)
{
  std::vector<double> speeds;
  for (const double side : {1., -1.})
  {
    const Plate plate = level(0);
    const Cube cube(Point<3>(0.35, 0.25, side > 0 ? 0.12 : -0.42), 0.3);
    Dynamics<3> dynamics(plain_boundaries());
    auto &body =
        dynamics.add_body(cube.dofs, cube.mapping, std::make_shared<StVenantKirchhoff<3>>(5.));
    dynamics.add_shell(plate.shell("plate"));
    for (unsigned int n = 0; n < body.body().n_nodes(); ++n)
      dynamics.nodes().set_velocity(body.body().first_node() + n, vector(0, 0, -0.05 * side));
    const auto momentum = momentum_of(dynamics.nodes()), spin = spin_of(dynamics.nodes());
    dynamics.enable_contact(layers());
    dynamics.start();
    const double energy = dynamics.energy().total();
    IntersectionCheck<3> check(dynamics.nodes(), dynamics.stepper(), dynamics.surface(), layers(),
                               {});
    check.advance_to(15);
    const auto &nodes = dynamics.state();
    EXPECT_LT((momentum_of(nodes) - momentum).norm(), 1e-15);
    EXPECT_LT((spin_of(nodes) - spin).norm(), 1e-15);
    EXPECT_NEAR(dynamics.energy().total(), energy, 2e-2 * energy);
    EXPECT_TRUE(check.found().empty());
    EXPECT_GT(layers_of(dynamics)->layer_statistics().contacts, 3u);
    double speed = 0;
    for (unsigned int n = 0; n < 8; ++n)
      speed -= side * nodes.velocity(body.body().first_node() + n)[2] / 8;
    EXPECT_LT(speed, 0.045);
    speeds.push_back(speed);
  }
  // how thick layers are is chosen at looks, of which round-off decides when they come
  EXPECT_NEAR(speeds[0], speeds[1], 1e-3 * speeds[0]);
}

TEST(ShellContact, crossing_shells_are_found)
{
  // nodes and edges of the two are far from each other, but for the one edge that passes through
  const Plate flat(Point<3>(0, 0, 0), vector(1, 0, 0), vector(0, 1, 0), false, 1);
  const Plate upright(Point<3>(0.6, 0.25, -0.5), vector(0.02, 0.02, 1), vector(3, 0.1, 0.1), false,
                      1);
  Dynamics<3> dynamics;
  dynamics.add_shell(flat.shell("flat"));
  dynamics.add_shell(upright.shell("upright"));
  dynamics.enable_contact(layers(0.01));
  dynamics.start(Dynamics<3>::OverlapCheck::later);
  EXPECT_FALSE(layers_of(dynamics)->crossings()->empty());
  EXPECT_THROW(dynamics.check_initial_overlap(), LayerExceptions::ExcCrossing);
  Dynamics<3> excluded;
  excluded.add_shell(flat.shell("flat"));
  excluded.add_shell(upright.shell("upright"));
  ContactParameters parameters = layers(0.01);
  parameters.exclude = {{"flat", "upright"}};
  excluded.enable_contact(parameters);
  excluded.start();
  EXPECT_TRUE(layers_of(excluded)->crossings()->empty());
}

TEST(ShellContact, what_is_within_a_shell_does_not_overlap)
{
  const auto overlaps = [](const Cube &cube, const Plate &plate)
  {
    Dynamics<3> dynamics;
    dynamics.add_body(cube.dofs, cube.mapping, std::make_shared<NeoHookean<3>>());
    dynamics.add_shell(plate.shell("plate"));
    return find_overlaps<3>(dynamics.nodes(), dynamics.surface(), 1e-6,
                            [](unsigned int, unsigned int) { return false; });
  };
  const auto within = overlaps(Cube(Point<3>(-1, -1, -1), 3), level(0.2));
  ASSERT_EQ(within.size(), n_nodes_of_plate);
  EXPECT_EQ(within[0].body, 1u);
  Plate sphere = level(0);
  Triangulation<2, 3> squares;
  GridGenerator::hyper_sphere(squares);
  sphere.dofs.clear();
  sphere.mesh.clear();
  GridGenerator::convert_hypercube_to_simplex_mesh(squares, sphere.mesh);
  sphere.dofs.distribute_dofs(sphere.element);
  EXPECT_TRUE(overlaps(Cube(Point<3>(-0.1, -0.2, -0.1), 0.3), sphere).empty());
}
