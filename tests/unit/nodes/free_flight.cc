// Several processes, and code of the library and of users, drift the same node: all must get the
// same bits. Compiled as it is in programs for the machine at hand, which fuse products and sums.

#define KICKDRIFT_ISA this_machine
#include <kickdrift/nodes/node_table.h>

#include "../source/potentials/cells/batches/kernels/batch.h"
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

using namespace KickDrift;
using namespace dealii;

namespace
{
/// Rounded twice, whatever the compiler thinks.
double
after_flight(const double u, const double dt, const double v)
{
  volatile double way = dt;
  way = way * v;
  return u + way;
}

std::vector<NodeState>
random_nodes()
{
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<NodeState> result(10000);
  for (NodeState &state : result)
  {
    for (unsigned int d = 0; d < 3; ++d)
    {
      state.displacement[d] = number(random);
      state.velocity[d] = number(random);
    }
    state.time = number(random);
  }
  return result;
}
} // namespace

TEST(FreeFlight, nodes_and_kernels_round_alike)
{
  std::mt19937 random(4);
  std::uniform_real_distribution<double> later(0, 1);
  unsigned int n_fused = 0;
  for (const NodeState &state : random_nodes())
  {
    const double time = state.time + later(random);
    NodeState expected = state;
    for (unsigned int d = 0; d < 3; ++d)
    {
      expected.displacement[d] =
          after_flight(state.displacement[d], time - state.time, state.velocity[d]);
      n_fused += expected.displacement[d] !=
                 std::fma(time - state.time, state.velocity[d], state.displacement[d]);
    }
    expected.time = time;

    NodeState drifted = state;
    drifted.drift(time);
    EXPECT_EQ(std::memcmp(&drifted, &expected, sizeof(NodeState)), 0);

    NodeState by_kernel = state;
    double *const line = by_kernel.displacement;
    namespace Kernels = CellKernels::this_machine;
    Kernels::store(line, Kernels::drifted(line, Kernels::all(time)));
    EXPECT_EQ(std::memcmp(&by_kernel, &expected, sizeof(NodeState)), 0);
  }
  EXPECT_GT(n_fused, 1000); // numbers that tell
}

TEST(FreeFlight, queries_round_alike)
{
  const std::vector<NodeState> states = random_nodes();
  NodeTable<3> nodes;
  for (const NodeState &state : states)
  {
    nodes.add(Point<3>(state.velocity[0], state.time, 7), 1.);
    nodes[nodes.size() - 1] = state;
  }
  const double time = 1.3;
  for (unsigned int node = 0; node < nodes.size(); ++node)
  {
    const auto u = nodes.displacement_at(node, time);
    const auto x = nodes.position_at(node, time);
    nodes.drift(node, time);
    EXPECT_EQ(u, nodes.displacement(node));
    EXPECT_EQ(x, nodes.position(node));
    for (unsigned int d = 0; d < 3; ++d)
      EXPECT_EQ(u[d], after_flight(states[node].displacement[d], time - states[node].time,
                                   states[node].velocity[d]));
  }
}
