// Planted errors, which the oracle must see, and motions without any.
#include "scenes/oracle/oracle.h"

#include <gtest/gtest.h>

using namespace Scenes;

namespace
{
/// Two plates, one above the other, and the upper one where a test puts it. In space their sides
/// are flush, so that nodes and edges are on the surface of the other one, and not in it.
template <int dim>
class Planted
{
public:
  /// @param as_beams in space crossed ones, whose ends are far from each other
  explicit Planted(const double thickness = 0.01, const bool as_beams = false)
  {
    scene.bodies.resize(2);
    for (unsigned int b = 0; b < 2; ++b)
    {
      Vec<dim> lengths;
      std::array<unsigned int, dim> n;
      n.fill(1);
      for (int d = 0; d < dim; ++d)
        lengths[d] = d == dim - 1 || (as_beams && d == static_cast<int>(b)) ? thickness : 1;
      n[0] = as_beams ? 1 : 3;
      scene.bodies[b].parts = {make_box<dim>(lengths, n, b == 1)};
      if (as_beams && b == 0) // middles of faces are not where they cross
      {
        Vec<dim> along;
        along[1] = 0.2;
        place(scene.bodies[b].parts[0], no_rotation<dim>(), along);
      }
    }
    skin = std::make_unique<Skin<dim>>(scene);
    oracle = std::make_unique<Oracle<dim>>(*skin, 1);
    momenta.resize(2);
  }

  /// The upper plate is as high above the lower one at a time; sideways if they are not to hide
  /// behind each other.
  void
  look(const double time, const double height, const double beside = 0.1)
  {
    auto x = positions(scene);
    const PieceSkin<dim> &upper = skin->pieces[1];
    for (unsigned int v = 0; v < upper.n_vertices; ++v)
    {
      x[upper.first_vertex + v][dim - 1] += height;
      x[upper.first_vertex + v][0] += beside;
    }
    std::vector<Vec<dim>> velocities(x.size());
    for (unsigned int v = 0; v < upper.n_vertices; ++v)
      velocities[upper.first_vertex + v][dim - 1] = speed;
    oracle->look(time, x, velocities, momenta);
  }

  Scene<dim> scene;
  std::unique_ptr<Skin<dim>> skin;
  std::unique_ptr<Oracle<dim>> oracle;
  std::vector<Vec<dim>> momenta;
  double speed = 0; ///< upwards
};

template <int dim>
void
sees_what_is_teleported()
{
  Planted<dim> planted;
  planted.look(0, 1);
  planted.look(1, 0.0099); // one per cent of the thickness
  EXPECT_GT(planted.oracle->conclude().missed, 0u);
  EXPECT_EQ(planted.oracle->findings().deep, 0u);
  EXPECT_NEAR(planted.oracle->findings().max_share, 0.01, 1e-12);
  planted.look(2, 0.006);
  EXPECT_GT(planted.oracle->conclude().deep, 0u);
  EXPECT_EQ(planted.oracle->findings().lost, 0u);
  EXPECT_EQ(planted.oracle->findings().first_time, 1);
}

/// Slowly, and within one flight: before and after it all is well.
template <int dim>
void
sees_what_passes_through()
{
  for (const unsigned int n : {1, 7, 400})
  {
    Planted<dim> planted;
    for (unsigned int i = 0; i <= n; ++i)
      planted.look(i, 1 - 2. * i / n);
    EXPECT_GT(planted.oracle->conclude().lost, 0u) << n;
    EXPECT_GT(planted.oracle->findings().deep, 0u) << n;
  }
}

/// Nor what comes and goes, or flies by.
template <int dim>
void
sees_nothing_where_nothing_is()
{
  Planted<dim> planted;
  for (const double height : {1., 0.1, 0.01 + 1e-8, 0.01 + 1e-10, 0.1})
    planted.look(planted.oracle->findings().instants, height);
  planted.look(5, 0.1, 1.2);
  planted.look(6, -0.1, 1.2); // past the end
  planted.look(7, -0.1);
  const Findings &found = planted.oracle->conclude();
  EXPECT_EQ(found.missed, 0u);
  EXPECT_EQ(found.lost, 0u);
  EXPECT_EQ(found.false_pushes, 0u);
  EXPECT_EQ(found.touched.size(), 1u); // at a distance of 1e-10
}
} // namespace

TEST(PlantedErrors, ATeleportedBody)
{
  sees_what_is_teleported<2>();
  sees_what_is_teleported<3>();
}

TEST(PlantedErrors, APieceThatPassesThrough)
{
  sees_what_passes_through<2>();
  sees_what_passes_through<3>();
}

TEST(PlantedErrors, AreNotSeenWhereThereAreNone)
{
  sees_nothing_where_nothing_is<2>();
  sees_nothing_where_nothing_is<3>();
}

/// Entering by a corner and leaving beside it is not going through.
TEST(PlantedErrors, ACornerThatIsCutIsNotLost)
{
  Planted<2> planted(0.5);
  planted.look(0, 0.6, 0.6);
  planted.look(1, 0.4, 0.9); // the corners overlap by a fifth of the thickness
  planted.look(2, 0.3, 1.3);
  EXPECT_GT(planted.oracle->conclude().deep, 0u);
  EXPECT_EQ(planted.oracle->findings().lost, 0u);
}

/// Nor is skimming along below the surface, in at the front and out at the back.
TEST(PlantedErrors, WhatSkimsAlongIsNotLost)
{
  Planted<2> planted(0.1);
  for (unsigned int i = 0; i <= 50; ++i)
    planted.look(i, 0.099, -1.5 + 3 * i / 50.);
  EXPECT_GT(planted.oracle->conclude().missed, 0u);
  EXPECT_EQ(planted.oracle->findings().lost, 0u);
  for (unsigned int i = 0; i <= 50; ++i)
    planted.look(51 + i, 0.05, 1.5 - 3 * i / 50.); // back, in the middle
  EXPECT_GT(planted.oracle->conclude().lost, 0u);
}

/// Pieces of one rigid body may be in each other, and so may those that are held.
TEST(PlantedErrors, AreNotSeenWithinWhatIsRigid)
{
  for (const BodyKind kind : {BodyKind::elastic, BodyKind::rigid, BodyKind::driven})
    for (const bool one_body : {false, true})
    {
      Scene<2> scene;
      scene.bodies.resize(one_body ? 1 : 2);
      for (unsigned int i = 0; i < 2; ++i)
        scene.bodies[one_body ? 0 : i].parts.push_back(make_box<2>({{1. - 0.5 * i, 1}}, {{1, 1}}));
      for (auto &body : scene.bodies)
        body.kind = kind;
      const bool may_overlap = kind == BodyKind::driven || (one_body && kind == BodyKind::rigid);
      const Skin<2> skin(scene);
      EXPECT_EQ(Oracle<2>(skin, 1).overlap(positions(scene)) < 0, may_overlap);
    }
}

/// Edges cross although no node is inside of anything.
TEST(PlantedErrors, CrossedEdges)
{
  Planted<3> planted(0.1, true);
  planted.look(0, 0.2);
  planted.look(1, 0.11);
  EXPECT_EQ(planted.oracle->conclude().missed, 0u);
  planted.look(2, 0.05);
  EXPECT_GT(planted.oracle->conclude().missed, 0u);
  EXPECT_GT(planted.oracle->findings().deep, 0u);
}

TEST(PlantedErrors, AFalseImpulse)
{
  Planted<2> planted;
  planted.look(0, 1);
  planted.look(1, 0.5);
  planted.momenta[0][1] = 0.01; // at a gap of 0.49
  planted.momenta[1][1] = -0.01;
  planted.look(2, 0.5);
  EXPECT_EQ(planted.oracle->conclude().false_pushes, 2u);
  EXPECT_NEAR(planted.oracle->findings().gap_of_push, 0.49, 1e-12);
  planted.look(3, 0); // to touch later does not help
  EXPECT_EQ(planted.oracle->conclude().false_pushes, 2u);
}

TEST(PlantedErrors, ASmallImpulseAddsUp)
{
  Planted<3> planted;
  for (unsigned int i = 0; i < 100; ++i)
  {
    planted.momenta[0][0] = 1e-10 * i; // each below what is seen at once
    planted.look(i, 1);
  }
  EXPECT_GT(planted.oracle->conclude().false_pushes, 0u);
}

/// What would touch in the flight ahead may be pushed, if pushes may come ahead.
TEST(PlantedErrors, ButNotAnImpulseAheadOfTime)
{
  for (const bool may_be_ahead : {false, true})
    for (const double speed : {-1., -0.001})
    {
      Planted<2> planted;
      if (may_be_ahead)
        planted.oracle->allow_pushes_ahead(0.1);
      planted.speed = speed;
      planted.look(0, 0.05);
      planted.momenta[0][1] = -1;
      planted.momenta[1][1] = 1;
      planted.look(0, 0.05);
      planted.look(1, 1);
      EXPECT_EQ(planted.oracle->conclude().false_pushes, may_be_ahead && speed == -1. ? 0u : 2u);
    }
}

/// A push between two that touch does not excuse one of a third.
TEST(PlantedErrors, AFalseImpulseBesideATrueOne)
{
  Scene<2> scene;
  scene.bodies.resize(3);
  for (unsigned int b = 0; b < 3; ++b)
  {
    scene.bodies[b].parts = {make_box<2>({{1, 0.1}}, {{1, 1}})};
    place(scene.bodies[b].parts[0], no_rotation<2>(), {{0, b * 0.1 + (b == 2 ? 1 : 0)}});
  }
  const Skin<2> skin(scene);
  Oracle<2> oracle(skin, 1);
  std::vector<Vec<2>> momenta(3);
  const auto x = positions(scene);
  const std::vector<Vec<2>> velocities(x.size());
  oracle.look(0, x, velocities, momenta);
  momenta[0][1] = -1;
  momenta[1][1] = 1;
  oracle.look(1, x, velocities, momenta);
  EXPECT_EQ(oracle.conclude().false_pushes, 0u);
  momenta[2][1] = 1;
  oracle.look(2, x, velocities, momenta);
  EXPECT_EQ(oracle.conclude().false_pushes, 1u);
  momenta[1][1] = 2; // it touches the first one, but that is not pushed now
  momenta[2][1] = 0;
  oracle.look(3, x, velocities, momenta);
  EXPECT_EQ(oracle.conclude().false_pushes, 3u);
}

TEST(PlantedErrors, ANodeBehindAPlane)
{
  Scene<2> scene;
  scene.bodies.resize(1);
  scene.bodies[0].parts = {make_box<2>({{1, 0.1}}, {{1, 1}})};
  Plane<2> plane;
  plane.outward = {{0, 1}};
  plane.velocity = {{0, 1}};
  plane.point = {{0, -1.06}};
  scene.planes = {plane};
  const Skin<2> skin(scene);
  Oracle<2> oracle(skin, 1);
  const auto x = positions(scene);
  const std::vector<Vec<2>> velocities(x.size());
  oracle.look(0, x, velocities, {});
  oracle.look(1, x, velocities, {}); // it is at -0.06, the body begins at -0.05
  EXPECT_EQ(oracle.conclude().missed, 0u);
  oracle.look(1.02, x, velocities, {});
  EXPECT_EQ(oracle.conclude().missed, 2u);
  EXPECT_NEAR(oracle.findings().max_share, 0.1, 1e-12);
}
