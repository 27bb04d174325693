// What a strain kick costs: nested clocks, one clock and a clock per cell against a loop written by
// hand around the same kernels. Items are strain kicks; their rate is by CPU time, that of runs
// with several threads by wall time.

#include "run_benchmarks.h"

#include "stepping_cases.h"
#include "synchronous_loop.h"

#include <kickdrift/stepping/clocks/tournament_tree.h>

#include <benchmark/benchmark.h>

#include <map>

namespace
{
using namespace KickDrift;
using namespace KickDrift::Benchmarks;

/// Cases are set up once, however often their benchmark runs.
SteppingCase &
cached_case(const std::string &mesh, const unsigned int n, const std::vector<std::string> &settings)
{
  static std::map<std::string, SteppingCase> cases;
  std::string key = mesh + std::to_string(n);
  for (const auto &setting : settings)
    key += ";" + setting;
  const auto known = cases.find(key);
  return known != cases.end() ? known->second
                              : cases.try_emplace(key, mesh, n, settings).first->second;
}

void
report(benchmark::State &state, const std::int64_t n_kicks, const SteppingCase &stepping_case)
{
  state.SetItemsProcessed(n_kicks);
  state.counters["cells"] = stepping_case.model->n_cells();
  state.counters["bytes_per_cell"] = stepping_case.model->bytes_per_cell();
  const auto rates = stepping_case.model->stepper.levels().kick_rates();
  state.counters["work_ratio"] = rates.second / rates.first;
}

void
step(benchmark::State &state, const std::string &mesh, const unsigned int n,
     const std::vector<std::string> &settings)
{
  SteppingCase &the_case = cached_case(mesh, n, settings);
  Stepper<3> &stepper = the_case.model->stepper;
  // at least one interval of every cell, and enough for the clock
  const double interval = 2 * the_case.longest_step() * (1 + 20000 / the_case.model->n_cells());
  std::int64_t n_kicks = 0;
  for (auto _ : state)
  {
    const auto before = the_case.strain_kicks();
    stepper.advance_to(stepper.time() + interval);
    n_kicks += the_case.strain_kicks() - before;
  }
  report(state, n_kicks, the_case);
}

void
loop_by_hand(benchmark::State &state, const std::string &mesh, const unsigned int n)
{
  SteppingCase &the_case = cached_case(mesh, n, {"Stepping/Clocks=one"});
  static std::map<std::string, SynchronousLoop> loops;
  const Model<3> &model = *the_case.model;
  SynchronousLoop &loop =
      loops
          .try_emplace(mesh + std::to_string(n), model.nodes, *model.bodies[0].body,
                       model.stepper.levels().natural_step(0))
          .first->second;
  const unsigned int n_steps = 2 * (1 + 20000 / loop.n_cells());
  std::int64_t n_kicks = 0;
  for (auto _ : state)
  {
    loop.advance(n_steps);
    n_kicks += std::int64_t(n_steps) * loop.n_cells();
  }
  report(state, n_kicks, the_case);
}

/// A queue with a clock per cell, as it is when cells are kicked one after the other.
void
queue(benchmark::State &state)
{
  const unsigned int n = state.range(0);
  TournamentTree tree(n);
  for (unsigned int slot = 0; slot < n; ++slot)
    tree.set(slot, 1 + 1e-3 * ((7919ull * slot) % 1000));
  for (auto _ : state)
    tree.set(tree.slot(), tree.time() + 1 + 1e-4 * (tree.slot() % 1000));
  benchmark::DoNotOptimize(tree.time());
}

void
register_all()
{
  const auto add = [](const std::string &name, const auto &function, const auto &...arguments)
  {
    return benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State &state)
                                        { function(state, arguments...); })
        ->Unit(benchmark::kMillisecond);
  };
  using Settings = std::vector<std::string>;
  const Settings nested = {"Stepping/Clocks=nested"}, one = {"Stepping/Clocks=one"},
                 per_cell = {"Stepping/Clocks=per cell"};
  const auto add_all = [&](const std::string &mesh, const unsigned int n)
  {
    const std::string name = mesh + "/" + std::to_string(n);
    add("by_hand/" + name, loop_by_hand, mesh, n);
    add("one/" + name, step, mesh, n, one);
    add("nested/" + name, step, mesh, n, nested);
  };
  for (const unsigned int n : {10, 13, 20, 27, 58})
    add_all("bar", n);
  add("nested_start/bar/20", step, "bar", 20u, Settings{nested[0], "Stepping/Phase=start"});
  add_all("general", 20);
  add_all("graded", 10);
  for (const unsigned int n : {10, 20})
    add("per_cell/bar/" + std::to_string(n), step, "bar", n, per_cell);
  add("nested/one_point/20", step, "one_point", 20u, nested);
  add("nested/tetrahedra/14", step, "tetrahedra", 14u, nested);
  for (const unsigned int threads : {1, 2})
  {
    const std::string setting = "Stepping/Threads=" + std::to_string(threads);
    const std::string suffix = "_threads_" + std::to_string(threads) + "/bar/20";
    add("nested" + suffix, step, "bar", 20u, Settings{nested[0], setting})->UseRealTime();
    add("one" + suffix, step, "bar", 20u, Settings{one[0], setting})->UseRealTime();
  }
  benchmark::RegisterBenchmark("queue", queue)->Arg(1000)->Arg(10000)->Arg(100000);
}
} // namespace

int
main(int argc, char **argv)
{
  register_all();
  return run_benchmarks(argc, argv);
}
