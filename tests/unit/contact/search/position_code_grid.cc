// The grid against a loop over all boxes, through updates.

#include <kickdrift/contact/search/position_code_grid.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace
{
using namespace KickDrift;

template <int spacedim>
class Boxes
{
public:
  Box<spacedim>
  next(const double size, const double room)
  {
    Box<spacedim> box;
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      box.lower[d] = random(-room, room);
      box.upper[d] = box.lower[d] + random(0, size);
    }
    return box;
  }

  double
  random(const double lower, const double upper)
  {
    return std::uniform_real_distribution<double>(lower, upper)(engine);
  }

private:
  std::mt19937 engine{5};
};

template <int spacedim>
void
check_queries(const PositionCodeGrid<spacedim> &grid, const std::vector<Box<spacedim>> &leaves,
              Boxes<spacedim> &boxes, const double shift = 0)
{
  for (unsigned int i = 0; i < 200; ++i)
  {
    auto query = boxes.next(i % 20 == 0 ? 100. : 1., 12.);
    query.lower[0] += shift, query.upper[0] += shift;
    std::vector<unsigned int> hits, expected;
    grid.query(query, hits);
    std::sort(hits.begin(), hits.end());
    for (unsigned int leaf = 0; leaf < leaves.size(); ++leaf)
    {
      bool touch = true;
      for (unsigned int d = 0; d < spacedim; ++d)
        touch = touch && leaves[leaf].lower[d] <= query.upper[d] &&
                query.lower[d] <= leaves[leaf].upper[d] &&
                leaves[leaf].lower[d] <= leaves[leaf].upper[d];
      if (touch)
        expected.push_back(leaf);
    }
    ASSERT_EQ(hits, expected) << i;
  }
}

template <int spacedim>
void
check_grid()
{
  Boxes<spacedim> boxes;
  std::vector<Box<spacedim>> leaves;
  for (unsigned int i = 0; i < 1000; ++i)
    leaves.push_back(boxes.next(i % 100 == 0 ? 30. : 1., 10.));
  leaves[5].upper[0] = leaves[5].lower[0] - 1; // empty
  leaves[6].upper[0] = 1e300;
  leaves[7].lower = leaves[7].upper;
  PositionCodeGrid<spacedim> grid;
  grid.build(leaves);
  check_queries(grid, leaves, boxes);
  for (unsigned int round = 0; round < 10; ++round)
  {
    for (unsigned int i = 0; i < 300; ++i)
    {
      const unsigned int leaf = boxes.random(0, 999.99);
      leaves[leaf] = boxes.next(i % 30 == 0 ? 30. : 1., i % 7 == 0 ? 1e7 : 10.);
      if (i % 50 == 0)
        leaves[leaf].upper[0] = leaves[leaf].lower[0] - 1;
      grid.update(leaf, leaves[leaf]);
    }
    check_queries(grid, leaves, boxes);
  }
  for (auto &leaf : leaves)
    leaf = boxes.next(0.5, 10.);
  grid.refit(leaves);
  check_queries(grid, leaves, boxes);
  leaves.pop_back();
  EXPECT_ANY_THROW(grid.refit(leaves));
}

TEST(PositionCodeGrid, FindsWhatALoopFinds)
{
  check_grid<2>();
  check_grid<3>();
}

// A body that flies: first to where codes come to an end, and on.
template <int spacedim>
void
check_flight()
{
  Boxes<spacedim> boxes;
  std::vector<Box<spacedim>> at_start;
  for (unsigned int i = 0; i < 300; ++i)
    at_start.push_back(boxes.next(1., 10.));
  PositionCodeGrid<spacedim> grid;
  grid.build(at_start);
  for (const double way : {3., 1e3, 3e4, 1e6, 1e6 + 5, 1e11})
  {
    auto leaves = at_start;
    for (auto &leaf : leaves)
      leaf.lower[0] += way, leaf.upper[0] += way;
    grid.refit(leaves);
    check_queries(grid, leaves, boxes, way);
  }
}

TEST(PositionCodeGrid, FliesFar)
{
  check_flight<2>();
  check_flight<3>();
}

TEST(PositionCodeGrid, NoLeaves)
{
  PositionCodeGrid<3> grid;
  grid.build({});
  std::vector<unsigned int> hits;
  grid.query({{0, 0, 0}, {1, 1, 1}}, hits);
  EXPECT_TRUE(hits.empty());
}
} // namespace
