// Edges of shells that cross: they touch from the sides on which they have been, also beyond each
// other's middle surfaces, and further along a row of edges.

#include <kickdrift/base/archive.h>
#include <kickdrift/contact/detection/edge_detector.h>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

using namespace KickDrift;
using dealii::Point;
using Vector = dealii::Tensor<1, 3>;

namespace
{
constexpr double thickness = 0.1;
const Vector up = Point<3>(0, 0, 1);

/// How the sheets go on from their free edges.
enum class Lie
{
  level,  ///< both in planes z = constant, one over a corner of the other
  upright ///< away from each other, like playing cards
};

/// A strip with a free edge along x in z = 0, and one above it with an edge along y.
struct Sheets
{
  Sheets(const Lie lie, const double half_length, const bool swapped)
  {
    surface.body_names = {"first", "second"};
    surface.thicknesses = {thickness, thickness};
    const Vector back = Point<3>(0, -0.2, 0), aside = Point<3>(-0.2, 0, 0);
    for (const bool is_lower : {!swapped, swapped})
      if (is_lower)
        add_strip(Point<3>(-2, 0, 0), Point<3>(1, 0, 0), 4, lie == Lie::level ? back : -0.2 * up,
                  swapped ? 1 : 0);
      else
      {
        first_upper = nodes.size();
        add_strip(Point<3>(0, -half_length, 0), Point<3>(0, 2 * half_length, 0), 1,
                  lie == Lie::level ? aside : 0.2 * up, swapped ? 0 : 1);
        end_upper = nodes.size();
      }
    add_other_sides(surface);
    bounds.start();
    search.build(0, 0);
    faces = std::make_unique<FaceDetector<3>>(nodes, surface, exclusions, search, bounds);
    edges = std::make_unique<EdgeDetector>(nodes, surface, exclusions, search, *faces, bounds,
                                           dealii::numbers::PI / 6);
  }

  /// @p n squares along a row of free edges.
  void
  add_strip(const Point<3> &start, const Vector &along, const unsigned int n, const Vector &across,
            const unsigned int body)
  {
    const unsigned int first = nodes.size();
    for (unsigned int i = 0; i <= n; ++i)
      for (const double y : {0., 1.})
      {
        surface.contactors.emplace_back(nodes.size(), body, 0.2);
        nodes.add(start + double(i) * along + y * across, 1);
      }
    const auto add_face = [&](const unsigned int a, const unsigned int b, const unsigned int c)
    {
      SurfaceFace<3> face{};
      face.nodes = {{a, b, c, 0}};
      face.n_nodes = 3;
      face.body = body;
      surface.faces.push_back(face);
    };
    for (unsigned int i = 0; i < n; ++i)
    {
      const unsigned int a = first + 2 * i;
      add_face(a, a + 1, a + 2);
      add_face(a + 1, a + 3, a + 2);
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

  /// Contacts of the two edges; there may be one.
  ContactPoint<3>
  find() const
  {
    ContactPoint<3> found;
    for (unsigned int c = 0; c < edges->n_contactors(); ++c)
    {
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
    }
    return found;
  }

  /// The upper edge is held @p side wards from the lower one.
  void
  expect_touch(const double x, const double height, const double side) const
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
};

/// With the upper edge shorter than those of the lower row, and longer.
template <typename Test>
void
for_all_sheets(const Test &test)
{
  for (const Lie lie : {Lie::level, Lie::upright})
    for (const double half_length : {0.4, 0.9})
      for (const bool swapped : {false, true})
      {
        SCOPED_TRACE(std::to_string(int(lie)) + " " + std::to_string(half_length) + " " +
                     std::to_string(swapped));
        test([=] { return std::make_unique<Sheets>(lie, half_length, swapped); });
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
        for (const double x : {-0.2, 0.3, 0.6, 0.9, 1.3})
        {
          sheets->move_to(x, -0.03);
          sheets->expect_touch(x, -0.03, 1);
        }
      });
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
