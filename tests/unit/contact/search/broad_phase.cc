// What all kinds of broad phase promise, against loops over all boxes.

#include "random_boxes.h"

#include <kickdrift/contact/search/hierarchy.h>
#include <kickdrift/contact/search/position_code_grid.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>

namespace
{
using KickDrift::Box;
using KickDrift::Hierarchy;
using KickDrift::PositionCodeGrid;

constexpr double infinity = std::numeric_limits<double>::infinity();

template <typename Structure>
class BroadPhaseTest : public RandomBoxes<decltype(Structure::NormalCone::direction)::dimension>
{
};

using Structures =
    testing::Types<Hierarchy<2>, Hierarchy<3>, PositionCodeGrid<2>, PositionCodeGrid<3>>;
TYPED_TEST_SUITE(BroadPhaseTest, Structures);

// Of boxes that are far and near, overlapping and empty; of many, and of none.
TYPED_TEST(BroadPhaseTest, DistanceIsThatOfTheNearestBox)
{
  constexpr int spacedim = TestFixture::spacedim;
  unsigned int n_overlaps = 0;
  for (const unsigned int n : {1u, 3u, 40u, 500u})
  {
    std::vector<Box<spacedim>> boxes(n);
    for (unsigned int i = 0; i < n; ++i)
      boxes[i] = this->random_box(i % 50 == 7 ? 1. : 0.05);
    if (n > 3)
    {
      boxes[1].upper[0] = boxes[1].lower[0] - 1; // empty
      boxes[2].upper[0] = boxes[2].lower[0] = std::numeric_limits<double>::quiet_NaN();
    }
    TypeParam structure;
    structure.build(boxes);
    for (unsigned int q = 0; q < 200; ++q)
    {
      if (q == 100) // they move far away
      {
        for (auto &box : boxes)
          for (unsigned int d = 0; d < spacedim; ++d)
            box.lower[d] += 30, box.upper[d] += 30;
        structure.refit(boxes);
      }
      const Box<spacedim> place =
          this->random_box(0.5, std::pow(10., this->random(-1, 3)), q < 100 ? 0 : 30);
      double nearest = infinity;
      for (const auto &box : boxes)
      {
        double square = 0;
        for (unsigned int d = 0; d < spacedim; ++d)
        {
          const double gap =
              std::max({0., box.lower[d] - place.upper[d], place.lower[d] - box.upper[d]});
          square += box.lower[d] <= box.upper[d] ? gap * gap : infinity;
        }
        nearest = std::min(nearest, std::sqrt(square));
      }
      const double found = structure.distance(place);
      EXPECT_LE(found, nearest);
      // hierarchies keep single precision
      constexpr double rounding = std::is_same_v<TypeParam, Hierarchy<spacedim>> ? 3e-6 : 1e-14;
      EXPECT_GE(found, nearest - rounding * (60 + place.lower.norm() + place.upper.norm()))
          << n << " " << q;
      n_overlaps += nearest == 0;
    }
  }
  EXPECT_GT(n_overlaps, 20u);
  TypeParam empty;
  empty.build({});
  EXPECT_EQ(empty.distance(this->random_box(1)), infinity);
}

// Gaps that are just what is looked through at once, and boxes and places without end or sense.
TYPED_TEST(BroadPhaseTest, DistanceInStrangeScenes)
{
  constexpr int spacedim = TestFixture::spacedim;
  const auto cube = [](const double lower, const double upper)
  {
    Box<spacedim> box;
    for (unsigned int d = 0; d < spacedim; ++d)
      box.lower[d] = lower, box.upper[d] = upper;
    return box;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Box<spacedim>> boxes(20, cube(1e-18, 1));
  TypeParam structure;
  structure.build(boxes);
  for (double gap = 1e-3; gap < 1e3; gap *= 1.5)
    for (const double x : {gap, 1.5 * std::round(gap / 1.5)})
    {
      auto place = cube(0.5, 0.5);
      place.lower[0] = place.upper[0] = -x;
      EXPECT_LE(structure.distance(place), x + 1e-18);
      EXPECT_GE(structure.distance(place), x - 3e-6 * (1 + x));
    }
  EXPECT_EQ(structure.distance(cube(2, 1)), infinity);
  EXPECT_EQ(structure.distance(cube(nan, nan)), infinity);
  EXPECT_EQ(structure.distance(cube(-infinity, infinity)), 0);
  boxes[3] = cube(-infinity, -1e300);
  boxes[4] = cube(nan, 2);
  structure.refit(boxes);
  EXPECT_LE(structure.distance(cube(-2, -1)), std::sqrt(spacedim));
  EXPECT_EQ(structure.distance(cube(-2, 0.5)), 0);
  boxes.assign(20, cube(2, 1));
  structure.refit(boxes);
  EXPECT_EQ(structure.distance(cube(1, 1)), infinity);
}

// Against a loop over all leaves that the query by direction finds.
TYPED_TEST(BroadPhaseTest, DistanceInAViewIsThatOfTheNearestLeaf)
{
  constexpr int spacedim = TestFixture::spacedim;
  std::vector<Box<spacedim>> boxes(200), directions(200);
  std::vector<double> sizes(200);
  for (unsigned int i = 0; i < boxes.size(); ++i)
  {
    boxes[i] = this->random_box(0.1);
    sizes[i] = this->random(0.1, 1);
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      directions[i].lower[d] = this->random(-1, 1);
      directions[i].upper[d] = directions[i].lower[d] + 0.1;
    }
  }
  TypeParam structure, empty, without;
  structure.build(boxes, directions, sizes);
  without.build(boxes);
  unsigned int n_nothing = 0, n_cut_off = 0;
  for (unsigned int q = 0; q < 300; ++q)
  {
    const auto box = this->random_box(0.1);
    dealii::Tensor<1, spacedim> direction;
    for (unsigned int d = 0; d < spacedim; ++d)
      direction[d] = this->random(-1, 1);
    const typename TypeParam::NormalCone cone{direction, this->random(-1.5, 0), 0.3};
    // leaves are further away than their boxes, and some are of no interest
    const auto distance_to_leaf = [&](const unsigned int leaf)
    {
      double square = 0;
      for (unsigned int d = 0; d < spacedim; ++d)
      {
        const double gap = std::max(
            {0., boxes[leaf].lower[d] - box.upper[d], box.lower[d] - boxes[leaf].upper[d]});
        square += gap * gap;
      }
      return leaf % 3 == 0 ? infinity : std::sqrt(square) + 0.01 * (leaf % 7);
    };
    std::vector<unsigned int> kept;
    structure.query(box, 10, cone, kept);
    double nearest = infinity;
    for (const unsigned int leaf : kept)
      nearest = std::min(nearest, distance_to_leaf(leaf));
    n_nothing += nearest == infinity;
    for (const double furthest : {infinity, 0.5})
    {
      const double expected = std::min(nearest, furthest);
      n_cut_off += nearest < infinity && nearest > furthest;
      const double found = structure.distance(box, cone, furthest, distance_to_leaf);
      EXPECT_LE(found, expected);
      EXPECT_TRUE(found == expected || found > expected - 1e-5) << found << " " << expected;
    }
    EXPECT_EQ(empty.distance(box, cone, 2., distance_to_leaf), 2.);
    EXPECT_THROW(without.distance(box, cone, 2., distance_to_leaf), dealii::ExceptionBase);
  }
  EXPECT_GT(n_nothing, 10u);
  EXPECT_GT(n_cut_off, 10u);
}

TYPED_TEST(BroadPhaseTest, QueryByDirectionLeavesOutWhatLooksAway)
{
  constexpr int spacedim = TestFixture::spacedim;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto unit_vector = [&]
  {
    dealii::Tensor<1, spacedim> v;
    for (unsigned int d = 0; d < spacedim; ++d)
      v[d] = uniform(random);
    return v / v.norm();
  };
  const auto around = [](const dealii::Tensor<1, spacedim> &n)
  {
    Box<spacedim> box;
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      box.lower[d] = n[d] - 0.1;
      box.upper[d] = n[d] + 0.1;
    }
    return box;
  };
  std::vector<Box<spacedim>> boxes(200), directions(200);
  std::vector<double> sizes(200);
  std::vector<dealii::Tensor<1, spacedim>> normals(200);
  for (unsigned int i = 0; i < boxes.size(); ++i)
  {
    boxes[i] = this->random_box(0.3);
    normals[i] = unit_vector();
    directions[i] = around(normals[i]);
    sizes[i] = this->random(0.5, 2);
  }
  TypeParam structure;
  structure.build(boxes, directions, sizes);
  std::size_t n_left_out = 0, n_found = 0, n_behind = 0;
  for (unsigned int q = 0; q < 300; ++q)
  {
    const unsigned int changed = q % boxes.size();
    normals[changed] = unit_vector();
    directions[changed] = around(normals[changed]);
    structure.update_directions(changed, directions[changed]);
    const auto outward = unit_vector();
    const auto place = this->random_box(0.2);
    const double radius = 0.75, depth = 0.2;
    auto box = place;
    for (unsigned int d = 0; d < spacedim; ++d)
      box.lower[d] -= radius, box.upper[d] += radius;
    std::vector<unsigned int> all, facing, not_behind;
    structure.query(box, all);
    structure.query(place, radius, {outward, -0.25}, facing);
    // and of these, those that a part of the place is not far behind
    structure.query(place, radius, {outward, -0.25, depth}, not_behind);
    for (const unsigned int leaf : not_behind)
      EXPECT_EQ(std::count(facing.begin(), facing.end(), leaf), 1);
    for (const unsigned int leaf : all)
    {
      const bool is_listed = std::count(facing.begin(), facing.end(), leaf) > 0;
      // how high a part of the place is above a part of the leaf, along its directions
      double height = 0;
      for (unsigned int d = 0; d < spacedim; ++d)
      {
        double highest = -1e10;
        for (const double x : {boxes[leaf].lower[d], boxes[leaf].upper[d]})
          for (const double y : {place.lower[d], place.upper[d]})
            for (const double n : {directions[leaf].lower[d], directions[leaf].upper[d]})
              highest = std::max(highest, n * (y - x));
        height += highest;
      }
      const bool is_kept = std::count(not_behind.begin(), not_behind.end(), leaf) > 0;
      if (is_listed && height > -depth * sizes[leaf] + 1e-5)
      {
        EXPECT_TRUE(is_kept);
      }
      else if (height < -depth * sizes[leaf] - 1e-4)
      {
        EXPECT_FALSE(is_kept);
        n_behind += is_listed;
      }
      // none that looks there is missed, none that looks clearly away is listed
      const double cosine = outward * normals[leaf];
      if (cosine < -0.25)
      {
        EXPECT_TRUE(is_listed);
      }
      else if (cosine > -0.25 + 0.1 * std::sqrt(1. * spacedim) + 1e-6)
      {
        EXPECT_FALSE(is_listed);
      }
    }
    n_found += facing.size();
    n_left_out += all.size() - facing.size();
  }
  EXPECT_GT(n_found, 100u);
  EXPECT_GT(n_left_out, 100u);
  EXPECT_GT(n_behind, 100u);
  EXPECT_THROW((
                   [&]
                   {
                     TypeParam without;
                     without.build(boxes);
                     std::vector<unsigned int> hits;
                     without.query(boxes[0], 0, {unit_vector(), 0}, hits);
                   })(),
               dealii::ExceptionBase);
}
} // namespace
