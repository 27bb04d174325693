// Edges of shells that cross: they touch from the sides on which they have been, also beyond each
// other's middle surfaces, and further along a row of edges.

#include <kickdrift/base/archive.h>
#include <kickdrift/contact/detection/edge_detector.h>

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

using namespace KickDrift;
using dealii::Point;
using Vector = dealii::Tensor<1, 3>;

namespace
{
constexpr double thickness = 0.1;
constexpr double half_angle = dealii::numbers::PI / 9; // of the fold
const Vector up = Point<3>(0, 0, 1);

/// How the sheets go on from their free edges.
enum class Lie
{
  level,   ///< both in planes z = constant, one over a corner of the other
  upright, ///< away from each other, like playing cards
  ridge,   ///< on both sides of the edges, which are ridges that look at each other
  plane,   ///< the same, flat
  fold     ///< the lower edges are the rim of a fold, and look at a level one between them
};

/// Lower rows of edges: alike, and of different lengths. The middle of the first is at x = -1.
const std::vector<double> alike = {-2, -1, 0, 1, 2}, unlike = {-2, 0, 0.5, 2.5};

/// A strip with a free edge along x in z = 0, and one above it with an edge along y.
struct Sheets
{
  Sheets(const Lie lie, const double half_length, const bool swapped,
         const std::vector<double> &row = alike)
  {
    surface.body_names = {"first", "second"};
    surface.thicknesses = {thickness, thickness};
    const bool is_flat = lie == Lie::level || lie == Lie::plane;
    const double slope = lie == Lie::ridge ? 0.2 : 0;
    for (const bool is_lower : {!swapped, swapped})
    {
      const double down = is_lower ? -1 : 1;
      std::vector<Vector> ways = {0.2 * down * up};
      if (lie == Lie::fold)
        ways[0] = is_lower ? Point<3>(0, -0.2, 0) : Point<3>(0.2, 0, 0);
      else if (lie != Lie::upright)
        ways[0] = (is_lower ? Point<3>(0, -0.2, 0) : Point<3>(-0.2, 0, 0)) + slope * down * up;
      if (lie == Lie::ridge || lie == Lie::plane)
        ways.push_back(2 * slope * down * up - ways[0]);
      if (is_lower)
      {
        std::vector<Point<3>> points;
        for (const double x : row)
          points.emplace_back(lie == Lie::fold ? std::abs(x) * std::cos(half_angle) : x, 0,
                              lie == Lie::fold ? x * std::sin(half_angle) : 0);
        add_strip(points, ways, swapped);
      }
      else
      {
        first_upper = nodes.size();
        add_strip({Point<3>(0, -half_length, 0), Point<3>(0, half_length, 0)}, ways, !swapped);
        end_upper = nodes.size();
      }
    }
    add_other_sides(surface);
    bounds.start();
    search.build(0, 0);
    faces = std::make_unique<FaceDetector<3>>(nodes, surface, exclusions, search, bounds);
    edges = std::make_unique<EdgeDetector>(nodes, surface, exclusions, search, *faces, bounds,
                                           is_flat ? 0. : dealii::numbers::PI / 6);
  }

  /// Quadrilaterals on one or two sides of a row of edges.
  void
  add_strip(const std::vector<Point<3>> &row, const std::vector<Vector> &across,
            const unsigned int body)
  {
    const unsigned int first = nodes.size(), n = 1 + across.size();
    for (const Point<3> &point : row)
    {
      nodes.add(point, 1);
      for (const Vector &way : across)
        nodes.add(point + way, 1);
    }
    for (unsigned int node = first; node < nodes.size(); ++node)
      surface.contactors.emplace_back(node, body, 0.2);
    const auto add_face = [&](const unsigned int a, const unsigned int b, const unsigned int c)
    {
      SurfaceFace<3> face{};
      face.nodes = {{a, b, c, 0}};
      face.n_nodes = 3;
      face.body = body;
      surface.faces.push_back(face);
    };
    for (unsigned int i = 0; i + 1 < row.size(); ++i)
    {
      const unsigned int a = first + n * i, b = a + n;
      add_face(a, a + 1, b);
      add_face(a + 1, b + 1, b);
      if (n > 2)
      {
        add_face(a, b, a + 2);
        add_face(a + 2, b, b + 2);
      }
    }
  }

  /// The upper edge goes to the place @p x along the lower one, @p height above it.
  void
  move_to(const double x, const double height)
  {
    for (unsigned int node = first_upper; node < end_upper; ++node)
      nodes.set_displacement(node, Point<3>(x, 0, height));
    bounds.moved(bounds.body_of(first_upper), 5., 0.);
    search.build(0, 0);
    faces->enter_instant(0);
    edges->enter_instant(0);
  }

  bool
  is_upper(const unsigned int node) const
  {
    return node >= first_upper && node < end_upper;
  }

  /// Contacts of the two edges; there may be one. Tested is one contactor, or all.
  ContactPoint<3>
  find(const unsigned int only = -1)
  {
    ContactPoint<3> found;
    for (unsigned int c = 0; c < edges->n_contactors(); ++c)
    {
      if (only != static_cast<unsigned int>(-1) && c != only)
        continue;
      const auto one = edges->find({c, 0., 0.5, false});
      bool is_other = !one.touches; // sheets have more edges
      for (unsigned int i = 0; i < one.stencil.n_nodes; ++i)
      {
        const Point<3> &place = nodes.reference(one.stencil.nodes[i]);
        is_other |= place[2] != 0 || place[is_upper(one.stencil.nodes[i]) ? 0 : 1] != 0;
      }
      if (is_other)
        continue;
      EXPECT_FALSE(found.touches);
      found = one;
      last = c;
    }
    return found;
  }

  /// The upper edge is held @p side wards from the lower one.
  void
  expect_touch(const double x, const double height, const double side)
  {
    const auto found = find();
    ASSERT_TRUE(found.touches) << x << " " << height;
    EXPECT_NEAR(found.depth, thickness - side * height, 1e-14) << x << " " << height;
    const double sign = is_upper(found.stencil.nodes[0]) ? side : -side;
    EXPECT_LT((found.stencil.normal - sign * up).norm(), 1e-13) << x << " " << height;
  }

  void
  serialize(Archive &archive)
  {
    bounds.serialize(archive);
    search.serialize(archive);
    edges->serialize(archive);
  }

  NodeTable<3> nodes;
  Surface<3> surface;
  Exclusions exclusions;
  MotionBounds<3> bounds{nodes, surface};
  FaceSearch<3> search{nodes, surface, bounds, BroadPhaseType::hierarchy};
  std::unique_ptr<FaceDetector<3>> faces;
  std::unique_ptr<EdgeDetector> edges;
  unsigned int first_upper = 0, end_upper = 0;
  unsigned int last = -1; ///< contactor that was found in contact
};

/// With the upper edge shorter than those of the lower row, longer, and both.
template <typename Test>
void
for_all_sheets(const Test &test)
{
  for (const Lie lie : {Lie::level, Lie::upright, Lie::ridge})
    for (const double half_length : {0.4, 0.9, 0.5})
      for (const bool swapped : {false, true})
      {
        SCOPED_TRACE(std::to_string(int(lie)) + " " + std::to_string(half_length) + " " +
                     std::to_string(swapped));
        const auto &row = half_length == 0.5 ? unlike : alike;
        test([&] { return std::make_unique<Sheets>(lie, half_length, swapped, row); });
      }
}

using Path = std::vector<std::pair<double, double>>;
const Path down = {{-0.6, 0.15}, {-0.6, 0.09}, {-0.6, 0.02}, {-0.61, -0.02}, {-0.6, -0.08}};
} // namespace

TEST(EdgeSides, are_kept_beyond_the_middle_surfaces)
{
  for_all_sheets(
      [](const auto &make)
      {
        const auto sheets = make();
        for (const auto &[x, height] : down)
        {
          sheets->move_to(x, height);
          if (height > thickness)
            EXPECT_FALSE(sheets->find().touches);
          else
            sheets->expect_touch(x, height, 1);
        }
        sheets->move_to(-0.6, 0.12);
        EXPECT_FALSE(sheets->find().touches);
      });
}

TEST(EdgeSides, go_along_rows_of_edges)
{
  for_all_sheets(
      [](const auto &make)
      {
        const auto sheets = make();
        for (const auto &[x, height] : down)
        {
          sheets->move_to(x, height);
          sheets->find();
        }
        for (const double x : {-0.2, 0.3, 0.8, 0.9, 1.3})
        {
          sheets->move_to(x, -0.03);
          sheets->expect_touch(x, -0.03, 1);
        }
      });
}

// Contacts that last have other instants than edges that touch nothing yet.
TEST(EdgeSides, wait_for_the_tests_of_the_next_edge)
{
  for_all_sheets(
      [](const auto &make)
      {
        // to the other part of an edge, and over the end of one
        for (const std::vector<double> &way :
             {std::vector<double>{-0.6, -0.57, -0.5, -0.48}, {0.25, 0.1, -0.02, -0.04, -0.06}})
        {
          const auto sheets = make();
          for (const auto &[x, height] : down)
          {
            sheets->move_to(x + 0.6 + way[0], height);
            sheets->find();
          }
          for (const double x : way)
          {
            sheets->move_to(x, -0.05);
            sheets->find(sheets->last);
          }
          sheets->move_to(way.back(), -0.05);
          sheets->expect_touch(way.back(), -0.05, 1);
        }
      });
}

// Edges within sheets have twins on the other side, which look like edges on the right side once
// the middle surfaces have passed each other.
TEST(EdgeSides, of_twins_are_not_the_others)
{
  for (const double half_length : {0.4, 0.9})
    for (const bool swapped : {false, true})
    {
      Sheets sheets(Lie::plane, half_length, swapped);
      for (const auto &[x, height] : down)
      {
        sheets.move_to(x, height);
        if (height < thickness)
          sheets.expect_touch(x, height, 1);
        else
          EXPECT_FALSE(sheets.find().touches);
      }
    }
}

// What is known about one side of a fold says nothing about the other one.
TEST(EdgeSides, of_folds_are_inside)
{
  Sheets sheets(Lie::fold, 0.4, false, {-1, 0, 1});
  constexpr double sight = 0.12; // so that the second edge is not seen from the beginning
  for (const auto &[x, height] : Path{{0.5, 0.1287}, {0.35, 0.06}, {0.2, 0}, {0.2, 0}})
  {
    sheets.move_to(x, height);
    for (const double side : {1., -1.}) // of the rim that the edge comes near to
    {
      for (unsigned int node = sheets.first_upper; node < sheets.end_upper; ++node)
        sheets.nodes.set_velocity(node, side * up);
      unsigned int n_touching = 0;
      for (unsigned int c = 0; c < sheets.edges->n_contactors(); ++c)
        if (const auto found = sheets.edges->find({c, 0., sight, false}); found.touches)
        {
          EXPECT_TRUE(sheets.is_upper(found.stencil.nodes[0]));
          const double upwards = height == 0 ? side : 1;
          const Vector inwards = Point<3>(std::sin(half_angle), 0, -upwards * std::cos(half_angle));
          EXPECT_LT((found.stencil.normal - inwards).norm(), 1e-13) << x << " " << side;
          EXPECT_NEAR(found.depth, thickness - inwards * Point<3>(x, 0, height), 1e-13);
          ++n_touching;
        }
      EXPECT_GT(n_touching, 0u);
    }
  }
}

TEST(EdgeSides, are_forgotten_apart)
{
  const auto sheets = std::make_unique<Sheets>(Lie::level, 0.4, false);
  for (const auto &[x, height] : down)
  {
    sheets->move_to(x, height);
    sheets->find();
  }
  for (const auto &[x, height] : Path{{2.4, -0.05}, {2.4, -0.2}})
  {
    sheets->move_to(x, height);
    EXPECT_FALSE(sheets->find().touches);
  }
  sheets->move_to(-0.6, -0.07);
  sheets->expect_touch(-0.6, -0.07, -1);
}

// As several processes do, and as checkpoints do.
TEST(EdgeSides, are_told_to_others)
{
  for_all_sheets(
      [](const auto &make)
      {
        const auto first = make(), second = make(), third = make();
        for (const auto &[x, height] : down)
        {
          first->move_to(x, height);
          first->find();
        }
        for (unsigned int c = 0; c < first->edges->n_contactors(); ++c)
          second->edges->set_side(c, first->edges->side(c));
        Archive writing;
        first->serialize(writing);
        Archive reading(writing.bytes());
        third->serialize(reading);
        EXPECT_TRUE(reading.is_at_end());
        for (const auto &sheets : {first.get(), second.get(), third.get()})
        {
          sheets->move_to(0.4, -0.03);
          sheets->expect_touch(0.4, -0.03, 1);
        }
      });
}
