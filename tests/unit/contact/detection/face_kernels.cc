#include <kickdrift/contact/geometry/closest_point.h>
#include <kickdrift/nodes/node_table.h>

#include "../source/contact/detection/kernels/face_projection.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

using namespace KickDrift;
using FaceKernels::Pair;
using FaceKernels::Projection;

namespace
{
constexpr double now = 0.3;

/// Nodes that fly, and pairs of one of them with a face of others.
template <int dim>
struct Pairs
{
  /// Unit faces whose corners are moved by up to @p warp, and nodes up to @p height above or below
  /// and up to half a face beside them.
  Pairs(const unsigned int n_corners, const double warp, const double height) : n_corners(n_corners)
  {
    for (unsigned int k = 0; k < 1001; ++k)
    {
      Pair pair{0, {0, 0, 0, 0}, {random(1), random(1)}};
      for (unsigned int c = 0; c < n_corners; ++c)
      {
        dealii::Point<dim> x;
        x[0] = c % 2;
        if (dim == 3)
          x[1] = c / 2;
        for (unsigned int d = 0; d < dim; ++d)
          x[d] += random(warp);
        pair.corners[c] = add(x);
      }
      dealii::Point<dim> y;
      y[0] = 0.5 + random(1);
      if (dim == 3)
        y[1] = 0.5 + random(1);
      y[dim - 1] = random(height);
      pair.node = add(y);
      pairs.push_back(pair);
    }
  }

  double
  random(const double largest)
  {
    return std::uniform_real_distribution<double>(-largest, largest)(generator);
  }

  /// A node that is at @p x now, after it has been drifted to some time before.
  unsigned int
  add(const dealii::Point<dim> &x)
  {
    const unsigned int node = nodes.add(dealii::Point<dim>(), 1);
    dealii::Tensor<1, dim> velocity;
    for (unsigned int d = 0; d < dim; ++d)
      velocity[d] = random(1);
    nodes[node].time = random(now);
    nodes.set_velocity(node, velocity);
    nodes.set_displacement(node, x - (now - nodes[node].time) * velocity);
    return node;
  }

  FaceKernels::Nodes
  view() const
  {
    return {reinterpret_cast<const double *>(nodes.data()), &nodes.reference(0)[0], now};
  }

  FaceKernels::Kernel
  kernel_of(const FaceKernels::KernelSet &kernels) const
  {
    return n_corners == 2   ? kernels.segments
           : n_corners == 3 ? kernels.triangles
                            : kernels.quadrilaterals;
  }

  std::vector<Projection>
  project(const FaceKernels::KernelSet &kernels) const
  {
    std::vector<Projection> found(pairs.size());
    kernel_of(kernels)(view(), pairs.data(), pairs.size(), found.data());
    return found;
  }

  const unsigned int n_corners;
  std::mt19937 generator;
  NodeTable<dim> nodes;
  std::vector<Pair> pairs;
};

/// All that are certain are what closest_point() finds; returns their share.
template <int dim>
double
share_of_right_ones(const Pairs<dim> &pairs)
{
  const auto found = pairs.project(FaceKernels::select_kernels());
  unsigned int n_certain = 0;
  for (unsigned int k = 0; k < found.size(); ++k)
  {
    const Projection &projection = found[k];
    if (projection.is_certain != 1)
      continue;
    ++n_certain;
    std::array<dealii::Point<dim>, ClosestPoint<dim>::max_nodes> corners;
    for (unsigned int c = 0; c < pairs.n_corners; ++c)
      corners[c] = pairs.nodes.position_at(pairs.pairs[k].corners[c], now);
    const auto y = pairs.nodes.position_at(pairs.pairs[k].node, now);
    const auto closest = closest_point<dim>(corners.data(), pairs.n_corners, y);
    EXPECT_NEAR(projection.distance, closest.distance, 1e-12) << k;
    EXPECT_NEAR(projection.depth, -(closest.normal * (y - closest.point)), 1e-7) << k;
    for (unsigned int c = 0; c < pairs.n_corners; ++c)
      EXPECT_NEAR(projection.weights[c], closest.weights[c], 1e-7) << k;
    for (unsigned int d = 0; d < dim; ++d)
      EXPECT_NEAR(projection.normal[d], closest.normal[d], 1e-7) << k;
  }
  return double(n_certain) / found.size();
}

/// Bits depend neither on the instruction set nor on what is projected together.
template <int dim>
void
expect_same_bits(const Pairs<dim> &pairs)
{
  const auto found = pairs.project(FaceKernels::select_kernels());
  const auto of_baseline = pairs.project(FaceKernels::baseline::kernels);
  EXPECT_EQ(std::memcmp(found.data(), of_baseline.data(), found.size() * sizeof(Projection)), 0);
  for (unsigned int k = 0; k < found.size(); ++k)
  {
    Projection alone;
    pairs.kernel_of(FaceKernels::select_kernels())(pairs.view(), &pairs.pairs[k], 1, &alone);
    EXPECT_EQ(std::memcmp(&alone, &found[k], sizeof(Projection)), 0) << k;
  }
}
} // namespace

TEST(FaceKernels, find_closest_points)
{
  EXPECT_EQ(share_of_right_ones(Pairs<2>(2, 0.2, 0.5)), 1);
  EXPECT_EQ(share_of_right_ones(Pairs<3>(3, 0.2, 0.5)), 1);
  EXPECT_GT(share_of_right_ones(Pairs<3>(4, 0.1, 0.1)), 0.95);
  EXPECT_GT(share_of_right_ones(Pairs<3>(4, 0.3, 1)), 0.3);
}

TEST(FaceKernels, give_the_same_bits_in_any_company_and_on_any_machine)
{
  expect_same_bits(Pairs<2>(2, 0.2, 0.5));
  expect_same_bits(Pairs<3>(3, 0.2, 0.5));
  expect_same_bits(Pairs<3>(4, 0.1, 0.1));
  expect_same_bits(Pairs<3>(4, 0.3, 1));
}

TEST(FaceKernels, measure_how_far_edges_are)
{
  NodeTable<3> nodes;
  for (const auto &x :
       {dealii::Point<3>(0, 0, 0), dealii::Point<3>(2, 0, 0), dealii::Point<3>(0, 4, 0),
        dealii::Point<3>(2, 4, 0), dealii::Point<3>(0.5, 1, 0.1)})
    nodes.add(x, 1);
  const FaceKernels::Nodes view{reinterpret_cast<const double *>(nodes.data()),
                                &nodes.reference(0)[0], 0};
  const Pair pair{4, {0, 1, 2, 3}, {0, 0}};
  Projection found;
  FaceKernels::select_kernels().quadrilaterals(view, &pair, 1, &found);
  EXPECT_EQ(found.is_certain, 1);
  const double of_rectangle[4] = {0.5, 1.5, 1, 3};
  for (unsigned int e = 0; e < 4; ++e)
    EXPECT_NEAR(found.to_edges[e], of_rectangle[e], 1e-14);
  FaceKernels::select_kernels().triangles(view, &pair, 1, &found);
  const double of_triangle[3] = {2 / std::sqrt(5.), 0.5, 1};
  for (unsigned int e = 0; e < 3; ++e)
    EXPECT_NEAR(found.to_edges[e], of_triangle[e], 1e-14);
  EXPECT_EQ(found.to_edges[3], HUGE_VAL);
}

TEST(FaceKernels, are_not_certain_of_what_is_no_number)
{
  for (unsigned int i = 0; i < 4; ++i)
  {
    Pairs<3> pairs(4, 0.1, 0.1);
    pairs.nodes[pairs.pairs[10].corners[i]].displacement[i % 3] = NAN;
    const auto found = pairs.project(FaceKernels::select_kernels());
    EXPECT_NE(found[10].is_certain, 1);
    EXPECT_EQ(found[11].is_certain, 1);
  }
}
