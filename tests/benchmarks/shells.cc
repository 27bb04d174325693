// What a strain kick of a shell costs: drift of its nodes, forces, change of their velocities. The
// vectorised kernels against a loop around the scalar formulas. Items are kicks; their rate is by
// CPU time.

#include "run_benchmarks.h"

#include <unit/potentials/shells/shells.h>

#include <benchmark/benchmark.h>

#include <map>

namespace
{
using namespace KickDrift;

/// A sphere on all of whose nodes something acts.
ShellsTest::Shell &
shell(const unsigned int level, const Bending bending)
{
  static std::map<std::pair<unsigned int, Bending>, ShellsTest::Shell> shells;
  const auto key = std::make_pair(level, bending);
  const auto known = shells.find(key);
  if (known != shells.end())
    return known->second;
  auto &result = shells
                     .try_emplace(key, ShellsTest::sphere(level).mesh(),
                                  ShellSection{1., 0.3, 1., 0.01}, bending)
                     .first->second;
  result.displace([](const dealii::Point<3> &x)
                  { return dealii::Point<3>(0.01 * x[1] * x[2], 0.02 * x[0], 0.01 * x[0]); });
  return result;
}

/// Steps that are too short for anything to change much.
constexpr double step = 1e-9;

void
with_kernels(benchmark::State &state, const unsigned int level, const Bending bending)
{
  auto &the_shell = shell(level, bending);
  auto &kicks = *the_shell.families.back();
  double time = the_shell.nodes[0].time;
  for (auto _ : state)
    kicks.kick(the_shell.nodes, 0, time += step, step);
  state.SetItemsProcessed(state.iterations() * kicks.n_kicks());
}

void
with_formulas(benchmark::State &state, const unsigned int level, const Bending bending)
{
  auto &the_shell = shell(level, bending);
  auto &kicks = *the_shell.families.back();
  auto &nodes = the_shell.nodes;
  std::vector<std::vector<unsigned int>> supports;
  for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
    supports.push_back(kicks.support(k));
  std::vector<dealii::Tensor<1, 3>> force;
  double time = nodes[0].time;
  for (auto _ : state)
  {
    time += step;
    for (unsigned int k = 0; k < supports.size(); ++k)
    {
      for (const unsigned int node : supports[k])
        if (nodes[node].time != time)
          nodes[node].drift(time);
      kicks.force(nodes, k, time, force);
      for (unsigned int i = 0; i < force.size(); ++i)
      {
        NodeState &node = nodes[supports[k][i]];
        for (unsigned int d = 0; d < 3; ++d)
          node.velocity[d] += step * node.inverse_mass * force[i][d];
      }
    }
  }
  state.SetItemsProcessed(state.iterations() * kicks.n_kicks());
}
} // namespace

int
main(int argc, char **argv)
{
  const std::pair<const char *, Bending> kinds[] = {{"membrane", Bending::none},
                                                    {"hinge", Bending::hinge},
                                                    {"three_hinges", Bending::triangle},
                                                    {"loop", Bending::loop}};
  for (const auto &[name, bending] : kinds)
    for (const unsigned int level : {4u, 6u}) // nodes in the cache of a core, and not
    {
      const std::string suffix = std::string(name) + "/" + std::to_string(level);
      benchmark::RegisterBenchmark(("kernels/" + suffix).c_str(),
                                   [level = level, bending = bending](benchmark::State &state)
                                   { with_kernels(state, level, bending); });
      benchmark::RegisterBenchmark(("formulas/" + suffix).c_str(),
                                   [level = level, bending = bending](benchmark::State &state)
                                   { with_formulas(state, level, bending); });
    }
  return run_benchmarks(argc, argv);
}
