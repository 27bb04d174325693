#ifndef KICKDRIFT_TESTS_BENCHMARKS_RUN_BENCHMARKS_H
#define KICKDRIFT_TESTS_BENCHMARKS_RUN_BENCHMARKS_H

#include <benchmark/benchmark.h>

/// Run what has been registered, as BENCHMARK_MAIN() does. Returns the exit status.
inline int
run_benchmarks(int argc, char **argv)
{
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

#endif
