// The hierarchy against a loop over all boxes: it must report every overlap, and beside them only
// boxes that miss by less than the single precision it keeps.

#include "random_boxes.h"

#include <kickdrift/contact/search/hierarchy.h>

#include <deal.II/base/exceptions.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <string>

namespace
{
using dealii::Point;
using KickDrift::Box;
using KickDrift::Hierarchy;

constexpr double infinity = std::numeric_limits<double>::infinity();

template <typename Dimension>
class HierarchyTest : public RandomBoxes<Dimension::value>
{
protected:
  static constexpr int spacedim = Dimension::value;
  using Boxes = std::vector<Box<spacedim>>;

  static Point<spacedim>
  all_equal(const double x)
  {
    Point<spacedim> point;
    for (unsigned int d = 0; d < spacedim; ++d)
      point[d] = x;
    return point;
  }

  static Box<spacedim>
  cube(const double lower, const double upper)
  {
    return {all_equal(lower), all_equal(upper)};
  }

  static bool
  overlap(const Box<spacedim> &a, const Box<spacedim> &b, const double margin = 0)
  {
    for (unsigned int d = 0; d < spacedim; ++d)
      if (!(a.lower[d] <= a.upper[d] && b.lower[d] <= b.upper[d] &&
            a.lower[d] - margin <= b.upper[d] && b.lower[d] - margin <= a.upper[d]))
        return false;
    return true;
  }

  /// All leaves in the order of the tree, which later queries must keep.
  static std::vector<unsigned int>
  positions(const Hierarchy<spacedim> &hierarchy, const Boxes &boxes)
  {
    std::vector<unsigned int> order, position(boxes.size(), boxes.size());
    hierarchy.query(cube(-infinity, infinity), order);
    for (unsigned int p = 0; p < order.size(); ++p)
      position[order[p]] = p;
    return position;
  }

  /// Compare one query; returns the number of true overlaps.
  static unsigned int
  check_query(const Hierarchy<spacedim> &hierarchy, const Boxes &boxes, const Box<spacedim> &query,
              const double margin)
  {
    std::vector<unsigned int> hits = {123456}; // they are appended
    hierarchy.query(query, hits);
    EXPECT_EQ(hits.front(), 123456u);
    hits.erase(hits.begin());

    const auto position = positions(hierarchy, boxes);
    std::vector<unsigned int> reported(boxes.size(), 0);
    for (unsigned int i = 0; i < hits.size(); ++i)
    {
      ++reported.at(hits[i]);
      EXPECT_TRUE(i == 0 || position[hits[i - 1]] < position[hits[i]]);
    }
    unsigned int n_overlaps = 0;
    for (unsigned int i = 0; i < boxes.size(); ++i)
    {
      const bool overlaps = overlap(boxes[i], query);
      n_overlaps += overlaps;
      if (overlaps || !overlap(boxes[i], query, margin))
      {
        EXPECT_EQ(reported[i], overlaps ? 1u : 0u) << "leaf " << i;
      }
    }
    return n_overlaps;
  }
};

using Dimensions = testing::Types<std::integral_constant<int, 2>, std::integral_constant<int, 3>>;
TYPED_TEST_SUITE(HierarchyTest, Dimensions);

// Of all sizes and numbers of leaves, at all scales, near to and far from the origin of space; and
// after random updates and refits.
TYPED_TEST(HierarchyTest, AgreesWithBruteForce)
{
  unsigned int n_overlaps = 0;
  for (const unsigned int n : {0u, 1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 31u, 33u, 100u, 129u, 500u})
    for (const double scale : {1e-6, 1., 1e6})
      for (const double shift : {0., 100 * scale})
      {
        SCOPED_TRACE(std::to_string(n) + " leaves, scale " + std::to_string(scale));
        const auto random_box = [&] { return this->random_box(0.5, scale, shift); };
        typename TestFixture::Boxes boxes(n);
        std::generate(boxes.begin(), boxes.end(), random_box);
        Hierarchy<TestFixture::spacedim> hierarchy;
        hierarchy.build(boxes);
        EXPECT_EQ(hierarchy.n_leaves(), n);

        const auto check = [&]
        {
          for (unsigned int q = 0; q < 50; ++q)
            n_overlaps += this->check_query(hierarchy, boxes, random_box(), 5e-7 * scale);
        };
        check();
        for (unsigned int i = 0; i < 2 * n; ++i)
        {
          const unsigned int leaf = this->engine() % n;
          boxes[leaf] = random_box();
          hierarchy.update(leaf, boxes[leaf]);
        }
        check();
        std::generate(boxes.begin(), boxes.end(), random_box);
        hierarchy.refit(boxes);
        check();
        if (this->HasFailure())
          return;
      }
  EXPECT_GT(n_overlaps, 5000u);
}

// Boxes with common faces, edges and corners, at coordinates that single precision cannot hold.
TYPED_TEST(HierarchyTest, FindsTouchingBoxes)
{
  constexpr int spacedim = TestFixture::spacedim;
  constexpr unsigned int n = 7;
  typename TestFixture::Boxes boxes;
  for (unsigned int i = 0; i < std::pow(n, spacedim); ++i)
  {
    Box<spacedim> box;
    for (unsigned int d = 0, rest = i; d < spacedim; ++d, rest /= n)
    {
      box.lower[d] = 1. / 3 + 0.1 * (rest % n);
      box.upper[d] = 1. / 3 + 0.1 * (rest % n + 1);
    }
    boxes.push_back(box);
  }
  Hierarchy<spacedim> hierarchy;
  hierarchy.build(boxes);
  unsigned int most = 0;
  for (const auto &box : boxes)
    most = std::max(most, this->check_query(hierarchy, boxes, box, 1e-6));
  EXPECT_EQ(most, std::pow(3, spacedim)); // all neighbours
}

// Rounding must not part boxes that touch, wherever they are.
TYPED_TEST(HierarchyTest, NeverMissesAnOverlap)
{
  constexpr int spacedim = TestFixture::spacedim;
  for (unsigned int n = 0; n < 20000 && !this->HasFailure(); ++n)
  {
    const double scale = std::pow(10., this->random(-8, 8));
    std::vector<Box<spacedim>> boxes = {this->random_box(1, scale), this->random_box(1, scale)};
    Hierarchy<spacedim> hierarchy;
    hierarchy.build(boxes);
    // far from the origin chosen when built
    boxes[0] = this->random_box(1, scale, scale * std::pow(10., this->random(-3, 6)));
    hierarchy.update(0, boxes[0]);
    for (const double sign : {-1., 1.})
    {
      Box<spacedim> query = boxes[0];
      const unsigned int d = n % spacedim;
      (sign > 0 ? query.lower : query.upper)[d] = (sign > 0 ? boxes[0].upper : boxes[0].lower)[d];
      (sign > 0 ? query.upper : query.lower)[d] =
          (sign > 0 ? boxes[0].upper : boxes[0].lower)[d] + sign * scale;
      std::vector<unsigned int> hits;
      hierarchy.query(query, hits);
      EXPECT_EQ(std::count(hits.begin(), hits.end(), 0u), 1);
    }
  }
}

TYPED_TEST(HierarchyTest, DegenerateScenes)
{
  constexpr int spacedim = TestFixture::spacedim;
  using Boxes = typename TestFixture::Boxes;
  Boxes flat, line, points;
  for (unsigned int i = 0; i < 200; ++i)
  {
    flat.push_back(this->random_box(0.2));
    flat.back().lower[0] = flat.back().upper[0] = 0.7;
    line.push_back(this->cube(0.1 * i, 0.1 * i));
    points.push_back(this->cube(0.3, 0.3));
  }
  for (const auto &boxes : {flat, line, points, Boxes(200, this->cube(-1, 1))})
  {
    Hierarchy<spacedim> hierarchy;
    hierarchy.build(boxes);
    unsigned int n_overlaps = 0;
    for (unsigned int q = 0; q < 100; ++q)
      n_overlaps += this->check_query(hierarchy, boxes, this->random_box(1), 1e-5);
    n_overlaps += this->check_query(hierarchy, boxes, boxes[17], 1e-5);
    EXPECT_GT(n_overlaps, 0u);
  }
}

TYPED_TEST(HierarchyTest, EmptyAndInfiniteBoxes)
{
  constexpr int spacedim = TestFixture::spacedim;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto everything = this->cube(-infinity, infinity),
             nothing = this->cube(infinity, -infinity);
  auto slab = everything;
  slab.lower[1] = 0.2;
  slab.upper[1] = 0.4;
  const std::vector<Box<spacedim>> kinds = {everything,
                                            nothing,
                                            slab,
                                            this->cube(1e300, 1.1e300),
                                            this->cube(0, -1),
                                            this->cube(nan, nan),
                                            this->cube(0, 0.3),
                                            this->cube(-infinity, 0),
                                            this->cube(1e39, infinity),
                                            this->cube(infinity, infinity)};

  std::vector<Box<spacedim>> boxes;
  for (unsigned int i = 0; i < 3; ++i)
    boxes.insert(boxes.end(), kinds.begin(), kinds.end());
  Hierarchy<spacedim> built, updated; // the latter from a tree that was all empty
  built.build(boxes);
  updated.build(std::vector<Box<spacedim>>(boxes.size(), nothing));
  std::vector<unsigned int> hits;
  updated.query(everything, hits);
  EXPECT_TRUE(hits.empty());
  for (unsigned int i = 0; i < boxes.size(); ++i)
    updated.update(i, boxes[i]);

  for (const auto &query : {everything, nothing, slab, this->cube(0, 0.3), this->cube(-0.1, 0.25),
                            this->cube(-infinity, -3), this->cube(nan, nan), this->cube(0, -1)})
  {
    this->check_query(built, boxes, query, 1e-6);
    this->check_query(updated, boxes, query, 1e-6);
  }
}

// A huge obstacle beside small bodies does not make their boxes coarse.
TYPED_TEST(HierarchyTest, HugeBoxAmongSmallOnes)
{
  constexpr int spacedim = TestFixture::spacedim;
  std::vector<Box<spacedim>> boxes(100);
  for (auto &box : boxes)
    box = this->random_box(0.1);
  boxes[50] = this->cube(-1e12, -0.5);
  Hierarchy<spacedim> hierarchy;
  hierarchy.build(boxes);
  for (unsigned int q = 0; q < 100; ++q)
    this->check_query(hierarchy, boxes, this->random_box(0.2), 5e-7);
}

// Bodies may travel: after a refit far away the boxes are as tight as before.
TYPED_TEST(HierarchyTest, RefitFollowsTheScene)
{
  constexpr int spacedim = TestFixture::spacedim;
  std::vector<Box<spacedim>> boxes(100);
  for (auto &box : boxes)
    box = this->random_box(0.1);
  Hierarchy<spacedim> hierarchy;
  hierarchy.build(boxes);
  for (auto &box : boxes)
    box = this->random_box(0.1, 1, 1e7);
  hierarchy.refit(boxes);
  for (unsigned int q = 0; q < 100; ++q)
    this->check_query(hierarchy, boxes, this->random_box(0.2, 1, 1e7), 5e-7);
}

TYPED_TEST(HierarchyTest, UpdateStopsEarly)
{
  constexpr int spacedim = TestFixture::spacedim;
  std::vector<Box<spacedim>> boxes(64, this->cube(0, 1));
  boxes[10] = this->cube(0.4, 0.5);
  Hierarchy<spacedim> hierarchy;
  hierarchy.build(boxes);
  EXPECT_EQ(hierarchy.update(10, boxes[10]), 0u);            // nothing changes
  EXPECT_EQ(hierarchy.update(10, this->cube(0.3, 0.6)), 1u); // inside its sibling
  EXPECT_EQ(hierarchy.update(10, this->cube(0.3, 2)), 6u);   // up to the root
  EXPECT_EQ(hierarchy.update(10, this->cube(0.3, 1)), 6u);   // and back
  EXPECT_EQ(hierarchy.update(10, this->cube(0.3, 0.6)), 1u);
}

TYPED_TEST(HierarchyTest, RefitChecksTheNumberOfLeaves)
{
  constexpr int spacedim = TestFixture::spacedim;
  Hierarchy<spacedim> hierarchy;
  EXPECT_EQ(hierarchy.n_leaves(), 0u);
  hierarchy.refit({});
  hierarchy.build(std::vector<Box<spacedim>>(3, this->cube(0, 1)));
  EXPECT_THROW(hierarchy.refit(std::vector<Box<spacedim>>(4, this->cube(0, 1))),
               dealii::ExceptionBase);
}

// Where leaves have changed places the tree is built anew; where they have only moved it stays.
TYPED_TEST(HierarchyTest, IsBuiltAnewWhenItsQualityDegrades)
{
  constexpr int spacedim = TypeParam::value;
  std::vector<Box<spacedim>> boxes(500);
  for (auto &box : boxes)
    box = this->random_box(0.1);
  Hierarchy<spacedim> hierarchy;
  hierarchy.build(boxes);
  const Box<spacedim> everywhere = this->cube(-100, 100);
  std::vector<unsigned int> before, after;
  hierarchy.query(everywhere, before);

  for (auto &box : boxes)
    for (unsigned int d = 0; d < spacedim; ++d)
      box.lower[d] += 3 + d, box.upper[d] += 3.001 + d;
  hierarchy.refit(boxes);
  hierarchy.query(everywhere, after);
  EXPECT_EQ(before, after);

  std::shuffle(boxes.begin(), boxes.end(), std::mt19937(3));
  hierarchy.refit(boxes);
  Hierarchy<spacedim> fresh;
  fresh.build(boxes);
  EXPECT_DOUBLE_EQ(hierarchy.surface_area_cost(), fresh.surface_area_cost());
  // boxes still belong to the same leaves
  for (unsigned int q = 0; q < 100; ++q)
    this->check_query(hierarchy, boxes, this->random_box(3, 1, 3), 5e-6);
}

// Of a group, or of all others; also after the tree has been built anew.
TYPED_TEST(HierarchyTest, FindsGroupsAsALoopDoes)
{
  constexpr int spacedim = TypeParam::value;
  for (const unsigned int n : {1, 2, 5, 100})
    for (const unsigned int n_groups : {1, 2, 7})
    {
      typename TestFixture::Boxes boxes;
      std::vector<unsigned int> groups;
      for (unsigned int i = 0; i < n; ++i)
      {
        boxes.push_back(this->random_box(0.3));
        groups.push_back(i * n_groups / n);
      }
      Hierarchy<spacedim> hierarchy;
      hierarchy.build(boxes);
      hierarchy.set_groups(groups);
      for (unsigned int q = 0; q < 40; ++q)
      {
        if (q == 20)
        {
          for (auto &box : boxes)
            box = this->random_box(0.3);
          hierarchy.refit(boxes);
        }
        const auto box = this->random_box(0.5);
        const unsigned int group = q % n_groups;
        std::vector<unsigned int> all, expected, found;
        hierarchy.query(box, all);
        for (const bool same : {true, false})
        {
          expected.clear();
          found.clear();
          std::copy_if(all.begin(), all.end(), std::back_inserter(expected),
                       [&](const unsigned int i) { return (groups[i] == group) == same; });
          hierarchy.query(box, group, same, found);
          EXPECT_EQ(found, expected);
        }
      }
    }
  Hierarchy<spacedim> hierarchy;
  hierarchy.build({this->random_box(0.3)});
  std::vector<unsigned int> found;
  EXPECT_THROW(hierarchy.query(this->random_box(0.3), 0, true, found), dealii::ExceptionBase);
  EXPECT_THROW(hierarchy.set_groups({0, 1}), dealii::ExceptionBase);
}
} // namespace
