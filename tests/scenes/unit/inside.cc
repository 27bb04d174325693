// Brute force itself, against shapes that are known.
#include "scenes/oracle/inside.h"
#include "scenes/oracle/flights.h"

#include <gtest/gtest.h>

using namespace Scenes;

namespace
{
/// A scene of one part.
template <int dim>
Scene<dim>
scene_of(const Part<dim> &part)
{
  Scene<dim> scene;
  scene.bodies.resize(1);
  scene.bodies[0].parts = {part};
  return scene;
}

/// Points in and around a box: depths are distances to its nearest side, outside distances to it.
template <int dim>
void
check_box(const bool simplices)
{
  Random random(dim + 10 * simplices);
  Vec<dim> lengths;
  std::array<unsigned int, dim> n;
  for (int d = 0; d < dim; ++d)
  {
    lengths[d] = d == 0 ? 1e-3 : 1 + d; // thin
    n[d] = 1 + d;
  }
  Part<dim> part = make_box<dim>(lengths, n, simplices);
  const Frame<dim> frame = random.rotation<dim>();
  const Vec<dim> shift = 3. * random.direction<dim>();
  place(part, frame, shift);
  const Scene<dim> scene = scene_of(part);
  const Skin<dim> skin(scene);
  const auto x = positions(scene);
  unsigned int n_inside = 0;
  for (unsigned int i = 0; i < 2000; ++i)
  {
    Vec<dim> point;
    double to_side = 1e300, outside_square = 0;
    for (int d = 0; d < dim; ++d)
    {
      point[d] = random.uniform(-0.7, 0.7) * lengths[d];
      to_side = std::fmin(to_side, 0.5 * lengths[d] - std::fabs(point[d]));
      outside_square += std::pow(std::fmax(0., std::fabs(point[d]) - 0.5 * lengths[d]), 2);
    }
    const double expected = outside_square > 0 ? -std::sqrt(outside_square) : to_side;
    n_inside += expected > 0;
    EXPECT_NEAR(depth(skin.pieces[0], x, rotate(frame, point) + shift), expected, 1e-12);
  }
  EXPECT_GT(n_inside, 200u);
}

/// A cross: not convex, so that rays pass through it several times.
template <int dim>
void
check_cross(const bool simplices)
{
  Grid<dim> grid;
  for (int d = 0; d < dim; ++d)
    grid.lines[d] = equal_lines(3, 3);
  grid.simplices = simplices;
  const auto is_in_cross = [](const auto &cell)
  {
    unsigned int n_off = 0;
    for (const auto i : cell)
      n_off += i != 1;
    return n_off <= 1;
  };
  grid.is_there = [&](const std::array<unsigned int, dim> &cell) { return is_in_cross(cell); };
  const Scene<dim> scene = scene_of(make_part(grid));
  const Skin<dim> skin(scene);
  const auto x = positions(scene);
  Random random(1);
  for (unsigned int i = 0; i < 2000; ++i)
  {
    Vec<dim> point;
    std::array<int, dim> cell;
    for (int d = 0; d < dim; ++d)
    {
      point[d] = random.uniform(-2, 2);
      cell[d] = static_cast<int>(std::floor(point[d] + 1.5));
    }
    bool expected = is_in_cross(cell);
    for (const int c : cell)
      expected = expected && c >= 0 && c < 3;
    for (unsigned int split = 0; split < 2; ++split)
      EXPECT_EQ(winding(skin.pieces[0].facets[split], x, point), expected ? 1 : 0);
  }
}
} // namespace

TEST(Inside, KnowsBoxes)
{
  for (const bool simplices : {false, true})
  {
    check_box<2>(simplices);
    check_box<3>(simplices);
  }
}

TEST(Inside, KnowsCrosses)
{
  for (const bool simplices : {false, true})
  {
    check_cross<2>(simplices);
    check_cross<3>(simplices);
  }
}

/// A warped face is a bilinear one, between its two triangulations: only what is behind both
/// counts.
TEST(Inside, GivesWarpedFacesTheBenefitOfTheDoubt)
{
  Part<3> part = make_box<3>({{1, 1, 1}}, {{1, 1, 1}});
  part.vertices.back()[2] += 0.4; // a corner of the upper side: its middle is at 0.6
  const Scene<3> scene = scene_of(part);
  const Skin<3> skin(scene);
  const auto x = positions(scene);
  EXPECT_GT(depth(skin.pieces[0], x, {{0, 0, 0.49}}), 0);
  EXPECT_LT(depth(skin.pieces[0], x, {{0, 0, 0.51}}), 0); // one diagonal is as high as 0.7
  EXPECT_LT(depth(skin.pieces[0], x, {{0, 0, 0.71}}), 0);
}

TEST(Inside, FindsWhereEdgesPass)
{
  const Scene<3> scene = scene_of(make_box<3>({{1, 1, 1e-3}}, {{2, 2, 1}}));
  const Skin<3> skin(scene);
  const auto x = positions(scene);
  const auto through = passages<3>(skin.pieces[0].facets[0], x, {{0.1, 0.2, -1}}, {{0.1, 0.2, 1}});
  ASSERT_EQ(through.size(), 2u);
  EXPECT_NEAR(through[0], 0.5 - 0.25e-3, 1e-15);
  EXPECT_NEAR(through[1], 0.5 + 0.25e-3, 1e-15);
  EXPECT_TRUE(passages<3>(skin.pieces[0].facets[0], x, {{0.6, 0.2, -1}}, {{0.6, 0.2, 1}}).empty());
}

TEST(Inside, SegmentsAreApart)
{
  EXPECT_NEAR(segment_distance({{-1, 0, 0}}, {{1, 0, 0}}, {{0, -1, 0.25}}, {{0, 1, 0.25}}), 0.25,
              1e-15); // crossed
  EXPECT_NEAR(segment_distance({{0, 0, 0}}, {{1, 0, 0}}, {{2, 0, 0}}, {{3, 1, 0}}), 1, 1e-15);
  EXPECT_NEAR(segment_distance({{0, 0, 0}}, {{1, 0, 0}}, {{0.5, 2, 0}}, {{3, 2, 0}}), 2, 1e-15);
}

TEST(Flights, ChangesOfSign)
{
  // (s - 0.2) (s - 0.5) (s - 0.9), roots outside, a double one
  EXPECT_EQ(sign_changes({{-0.09, 0.73, -1.6, 1}}).size(), 3u);
  EXPECT_NEAR(sign_changes({{-0.09, 0.73, -1.6, 1}})[1], 0.5, 1e-12);
  EXPECT_TRUE(sign_changes({{2, -1, 0, 0}}).empty());
  EXPECT_TRUE(sign_changes({{0.25 + 1e-12, -1, 1, 0}}).empty());
  EXPECT_EQ(sign_changes({{0.25 - 1e-6, -1, 1, 0}}).size(), 2u);
}

TEST(Flights, PointsPassThroughFacets)
{
  // a point goes in through a segment that moves on, at half of the way
  const auto in = crossings(Flight<2>{{{0, 1}}, {{0, 0}}},
                            {{{{{1, 0.25}}, {{1, 0.75}}}, {{{-1, 0.25}}, {{-1, 0.75}}}}});
  ASSERT_EQ(in.size(), 1u);
  EXPECT_NEAR(in[0].when, 0.5, 1e-15);
  EXPECT_TRUE(in[0].is_inward);
  // a triangle that turns over while the point passes: out of its back, and beside it
  const std::array<Flight<3>, 3> triangle{
      {{{{0, 0, 0}}, {{0, 0, 0}}}, {{{1, 0, 0}}, {{1, 0, 0}}}, {{{0, 1, 0}}, {{0, 1, 0.5}}}}};
  const auto out = crossings(Flight<3>{{{0.2, 0.2, -1}}, {{0.2, 0.2, 1}}}, triangle);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_FALSE(out[0].is_inward);
  EXPECT_NEAR(2 * out[0].when - 1, 0.2 * 0.5 * out[0].when, 1e-12); // on the plane z = s y / 2
  EXPECT_TRUE(crossings(Flight<3>{{{0.7, 0.7, -1}}, {{0.7, 0.7, 1}}}, triangle).empty());
}

TEST(Flights, EdgesPassThroughEdges)
{
  const std::array<Flight<3>, 2> rest{{{{{-1, 0, 0}}, {{-1, 0, 0}}}, {{{1, 0, 0}}, {{1, 0, 0}}}}};
  const auto falling = [](const double x) {
    return std::array<Flight<3>, 2>{{{{{x, -1, 1}}, {{x, -1, -1}}}, {{{x, 1, 1}}, {{x, 1, -1}}}}};
  };
  EXPECT_TRUE(edges_cross(rest, falling(0.9)));
  EXPECT_FALSE(edges_cross(rest, falling(1.1)));
}
