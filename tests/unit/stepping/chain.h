#ifndef KICKDRIFT_TESTS_UNIT_STEPPING_CHAIN_H
#define KICKDRIFT_TESTS_UNIT_STEPPING_CHAIN_H

#include <kickdrift/stepping/stepper.h>

#include "linear_network.h"

#include <cstring>
#include <numeric>

namespace KickDriftTests
{
using namespace KickDrift;

/// A stepper with a chain of masses whose stiffnesses grow from 1 to @p contrast.
struct Chain
{
  Chain(const StepperParameters &parameters, const unsigned int n = 12, const double contrast = 30,
        const bool watch = false)
      : links(make_chain<2>(nodes, n, contrast)), stepper(nodes, parameters)
  {
    stepper.add(links);
    if (watch)
    {
      std::vector<unsigned int> all(n);
      std::iota(all.begin(), all.end(), 0u);
      stepper.watch(all);
    }
  }
  NodeTable<2> nodes;
  std::shared_ptr<LinearNetwork<2>> links;
  Stepper<2> stepper;
};

inline StepperParameters
parameters(const Clocks clocks, const double beta = 0.5, const Phase phase = Phase::centred)
{
  StepperParameters p;
  p.clocks = clocks;
  p.time_step_ratio = beta;
  p.phase = phase;
  return p;
}

/// The same with plain class boundaries: for what the sweeps of filtered ones keep to their
/// tolerance only.
inline StepperParameters
plain(StepperParameters p)
{
  p.class_boundary = ClassBoundary::plain;
  return p;
}

inline bool
same_bits(const NodeTable<2> &a, const NodeTable<2> &b)
{
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(NodeState)) == 0;
}
} // namespace KickDriftTests

#endif
