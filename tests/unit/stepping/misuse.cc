// Misuse of steppers is refused by an exception with a name.

#include <kickdrift/potentials/loads/damping.h>

#include "chain.h"

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <stdexcept>
#include <thread>

using namespace KickDriftTests;

namespace
{
using Vector = dealii::Tensor<1, 2>;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Nothing ever happens.
struct NoEvents : EventSource<2>
{
  double
  next_time() const override
  {
    return TournamentTree::never;
  }
  void
  process(double) override
  {
  }
  void
  nodes_kicked(dealii::ArrayView<const unsigned int>, double) override
  {
  }
};

/// A force-free link between nodes that may not be there.
std::shared_ptr<LinearNetwork<2>>
link(const unsigned int i, const unsigned int j)
{
  auto result = std::make_shared<LinearNetwork<2>>();
  result->add(i, j, 1., 1., 1.);
  return result;
}

std::shared_ptr<Damping<2>>
damping()
{
  return std::make_shared<Damping<2>>(std::vector<unsigned int>{0}, [](double) { return 1.; });
}

/// A chain that has not been started.
struct Misuse : testing::Test
{
  Chain chain{parameters(Clocks::nested)};
  Stepper<2> &stepper = chain.stepper;
};
} // namespace

TEST_F(Misuse, no_family)
{
  EXPECT_THROW(stepper.add(nullptr), Stepper<2>::ExcNoFamily);
  EXPECT_THROW(stepper.add_on_clock_of(nullptr, {}), Stepper<2>::ExcNoFamily);
  EXPECT_THROW(stepper.add_damping(nullptr), Stepper<2>::ExcNoFamily);
}

TEST_F(Misuse, a_replacement_that_is_not_one_kick_in_place_of_others)
{
  auto two = link(0, 1);
  two->add(1, 2, 1., 1., 1.);
  EXPECT_THROW(stepper.add_in_place_of(nullptr, {{0}}), Stepper<2>::ExcNoFamily);
  EXPECT_THROW(stepper.add_in_place_of(two, {{0}}), Stepper<2>::ExcReplacement);
  EXPECT_THROW(stepper.add_in_place_of(link(0, 1), {}), Stepper<2>::ExcReplacement);
  EXPECT_THROW(stepper.add_in_place_of(link(0, 1), {{1000}}), Stepper<2>::ExcNoSuchKick);
  Chain per_cell(parameters(Clocks::per_cell));
  EXPECT_THROW(per_cell.stepper.add_in_place_of(link(0, 1), {{0}}), Stepper<2>::ExcNoClasses);
}

TEST_F(Misuse, a_replacement_of_kicks_that_remember)
{
  struct Remembering : LinearNetwork<2>
  {
    bool
    has_history() const override
    {
      return true;
    }
  };
  auto remembering = std::make_shared<Remembering>();
  remembering->add(0, 1, 1., 1., 1.);
  const unsigned int id = chain.links->n_kicks();
  stepper.add(remembering);
  EXPECT_THROW(stepper.add_in_place_of(link(0, 1), {{id}}), Stepper<2>::ExcReplacesHistory);
  EXPECT_NO_THROW(stepper.add_in_place_of(link(0, 1), {{0}}));
}

TEST_F(Misuse, a_family_twice)
{
  EXPECT_THROW(stepper.add(chain.links), Stepper<2>::ExcFamilyAddedTwice);
  EXPECT_THROW(stepper.add_on_clock_of(chain.links, std::vector<unsigned int>(11, 0)),
               Stepper<2>::ExcFamilyAddedTwice);
  stepper.start(); // what was refused left nothing
  stepper.advance_to(1);
}

TEST_F(Misuse, clocks_of_followers)
{
  EXPECT_THROW(stepper.add_on_clock_of(link(0, 1), {}), Stepper<2>::ExcClocksOfFollower);
  EXPECT_THROW(stepper.add_on_clock_of(link(0, 1), {11}), Stepper<2>::ExcNoSuchKick);
}

TEST_F(Misuse, no_synchronised_times)
{
  for (const StepperParameters &p :
       {parameters(Clocks::per_cell), parameters(Clocks::nested, 0.5, Phase::start)})
    EXPECT_THROW(Chain(p).stepper.add_damping(damping()), Stepper<2>::ExcNoSynchronisedTimes);
}

TEST_F(Misuse, before_start)
{
  EXPECT_THROW(stepper.advance_to(1), Stepper<2>::ExcNotStarted);
  EXPECT_THROW(stepper.snapshot(0), Stepper<2>::ExcNotStarted);
  Archive archive;
  EXPECT_THROW(stepper.serialize(archive), Stepper<2>::ExcNotStarted);
  EXPECT_THROW(stepper.forces_on({0}, 0.), Stepper<2>::ExcNodeNotWatched);
}

TEST_F(Misuse, after_start)
{
  NoEvents events;
  stepper.start();
  EXPECT_THROW(stepper.start(), Stepper<2>::ExcAlreadyStarted);
  EXPECT_THROW(stepper.add(link(0, 1)), Stepper<2>::ExcAlreadyStarted);
  EXPECT_THROW(stepper.add_on_clock_of(link(0, 1), {0}), Stepper<2>::ExcAlreadyStarted);
  EXPECT_THROW(stepper.add_damping(damping()), Stepper<2>::ExcAlreadyStarted);
  EXPECT_THROW(stepper.attach(events), Stepper<2>::ExcAlreadyStarted);
  EXPECT_THROW(stepper.watch({0}), Stepper<2>::ExcAlreadyStarted);
  EXPECT_THROW(stepper.prescribe({0}, {}, {}), Stepper<2>::ExcAlreadyStarted);
}

TEST_F(Misuse, times)
{
  stepper.start();
  for (const double time : {not_a_number, infinity, -infinity, -1.})
    EXPECT_THROW(stepper.advance_to(time), Stepper<2>::ExcTargetTime) << time;
  stepper.advance_to(2);
  stepper.advance_to(2); // nothing to do
  EXPECT_THROW(stepper.advance_to(1.9), Stepper<2>::ExcTargetTime);
  for (const double time : {2.1, not_a_number, infinity})
    EXPECT_THROW(stepper.snapshot(time), Stepper<2>::ExcFutureTime) << time;
  EXPECT_EQ(stepper.time(), 2);
}

TEST_F(Misuse, nodes_added_after_start)
{
  stepper.start();
  chain.nodes.add({}, 1.);
  EXPECT_THROW(stepper.advance_to(1), Stepper<2>::ExcNodesChanged);
}

TEST_F(Misuse, nodes_that_are_not_there)
{
  EXPECT_THROW(stepper.watch({12}), Stepper<2>::ExcNoSuchNode);
  EXPECT_THROW(stepper.prescribe({12}, {Vector({1., 0.})}, {}), Stepper<2>::ExcNoSuchNode);
  chain.nodes.restraints.add(12, Vector({1., 0.}));
  EXPECT_THROW(stepper.prescribe({12}, {Vector({1., 0.})}, {}), Stepper<2>::ExcNoSuchNode);
  EXPECT_THROW(stepper.start(), Stepper<2>::ExcNoSuchNode);
  Chain other(parameters(Clocks::nested));
  other.stepper.add(link(3, 12));
  EXPECT_THROW(other.stepper.start(), Stepper<2>::ExcNoSuchNode);
}

TEST_F(Misuse, motions_of_free_nodes)
{
  chain.nodes.restraints.add(0, Vector({1., 0.}));
  const auto motion = [](unsigned int, double) { return Vector(); };
  EXPECT_THROW(stepper.prescribe({0}, {Vector({1., 1.})}, motion), Restraints<2>::ExcNotRestrained);
  EXPECT_THROW(stepper.prescribe({1}, {Vector({1., 0.})}, motion), Restraints<2>::ExcNotRestrained);
}

TEST_F(Misuse, motions_of_nodes_without_kicks)
{
  const unsigned int node = chain.nodes.add({}, 1.);
  chain.nodes.restraints.add(node, Vector({1., 0.}));
  stepper.prescribe({node}, {Vector({1., 0.})}, [](unsigned int, double) { return Vector(); });
  EXPECT_THROW(stepper.start(), Stepper<2>::ExcNoKickOnPrescribedNodes);
}

TEST_F(Misuse, states_that_are_not_finite)
{
  for (const double bad : {not_a_number, infinity})
  {
    Chain moving(parameters(Clocks::nested)), displaced(parameters(Clocks::nested));
    moving.nodes.set_velocity(3, Vector({0., bad}));
    EXPECT_THROW(moving.stepper.start(), Stepper<2>::ExcNodeNotFinite);
    displaced.nodes.set_displacement(3, Vector({bad, 0.}));
    EXPECT_THROW(displaced.stepper.start(), Stepper<2>::ExcNodeNotFinite);
  }
}

TEST_F(Misuse, parameters_out_of_range)
{
  for (const double ratio : {3., 0., -1., not_a_number})
    EXPECT_THROW(Chain{parameters(Clocks::nested, ratio)}, Stepper<2>::ExcParameter);
}

TEST_F(Misuse, an_unstable_step)
{
  StepperParameters fixed = parameters(Clocks::one);
  fixed.time_step = 1e3;
  Chain unstable(fixed);
  EXPECT_THROW(unstable.stepper.start(), Stepper<2>::ExcUnstableStep);
}

TEST_F(Misuse, nothing_to_step)
{
  Stepper<2> empty(chain.nodes, parameters(Clocks::nested));
  EXPECT_THROW(empty.start(), Stepper<2>::ExcNoCriticalStep);
}

TEST_F(Misuse, nodes_that_are_not_watched)
{
  stepper.watch({0, 2});
  stepper.start();
  EXPECT_EQ(stepper.forces_on({0, 2}, 0.).size(), 2u);
  for (const unsigned int node : {1u, 12u})
  {
    EXPECT_THROW(stepper.forces_on({0, node}, 0.), Stepper<2>::ExcNodeNotWatched);
    EXPECT_THROW(stepper.synchronised_velocity(node, 0.), Stepper<2>::ExcNodeNotWatched);
    EXPECT_THROW(stepper.supports().kicks_of_node(node), Stepper<2>::ExcNodeNotWatched);
  }
}

TEST_F(Misuse, what_is_called_calls_back)
{
  // a user's kick, energy and motion, each of which may ask for anything
  struct Caller : LinearNetwork<2>
  {
    std::function<void()> of_kick, of_energy;
    void
    kick(NodeTable<2> &nodes, const unsigned int clock, const double time,
         const double step) const override
    {
      LinearNetwork<2>::kick(nodes, clock, time, step);
      of_kick();
    }
    void
    add_energy(const NodeTable<2> &, EnergyBalance &) const override
    {
      of_energy();
    }
  };
  const std::function<void(Stepper<2> &)> calls[] = {
      [](Stepper<2> &other) { other.advance_to(other.time() + 1); },
      [](Stepper<2> &other) { other.start(); }, [](Stepper<2> &other) { other.snapshot(0); },
      [](Stepper<2> &other) { other.energy(NodeTable<2>()); },
      [](Stepper<2> &other)
      {
        Archive archive;
        other.serialize(archive);
      }};
  for (const auto &call : calls)
  {
    Chain kicked(parameters(Clocks::nested)), moved(parameters(Clocks::nested)),
        moved_later(parameters(Clocks::nested));
    auto caller = std::make_shared<Caller>();
    caller->add(0, 1, 1., 1., 1.);
    caller->of_kick = [&] { call(kicked.stepper); };
    caller->of_energy = caller->of_kick;
    kicked.stepper.add(caller);
    kicked.stepper.start();
    const NodeTable<2> nodes = kicked.nodes;
    EXPECT_THROW(kicked.stepper.energy(nodes), Stepper<2>::ExcAtWork);
    EXPECT_THROW(kicked.stepper.snapshot(0), Stepper<2>::ExcAtWork);
    EXPECT_THROW(kicked.stepper.advance_to(1), Stepper<2>::ExcAtWork);

    for (Chain *chain : {&moved, &moved_later})
    {
      chain->nodes.restraints.add(0, Vector({1., 0.}));
      chain->stepper.prescribe({0}, {Vector({1., 0.})},
                               [&, chain](unsigned int, const double time)
                               {
                                 if (chain == &moved || time > 1)
                                   call(chain->stepper);
                                 return Vector();
                               });
    }
    EXPECT_THROW(moved.stepper.start(), Stepper<2>::ExcAtWork);
    moved_later.stepper.start();
    EXPECT_THROW(moved_later.stepper.advance_to(2), Stepper<2>::ExcAtWork);
  }
}

// A run that was left in the midst of a step would go on from nodes that are ahead of its time.
TEST_F(Misuse, a_run_that_an_exception_has_stopped)
{
  struct Failing : LinearNetwork<2>
  {
    void
    kick(NodeTable<2> &, unsigned int, const double time, double) const override
    {
      if (time > 1)
        throw std::runtime_error("the user's force cannot");
    }
  };
  auto failing = std::make_shared<Failing>();
  failing->add(0, 1, 1., 1., 1.);
  stepper.add(failing);
  stepper.start();
  stepper.advance_to(0.5);
  EXPECT_THROW(stepper.advance_to(0.4), Stepper<2>::ExcTargetTime); // nothing has been done
  stepper.advance_to(0.6);
  EXPECT_THROW(stepper.advance_to(2), std::runtime_error);
  EXPECT_THROW(stepper.advance_to(0.7), Stepper<2>::ExcStopped);
  EXPECT_THROW(stepper.snapshot(0.6), Stepper<2>::ExcStopped);
  Archive archive;
  EXPECT_THROW(stepper.serialize(archive), Stepper<2>::ExcStopped);
  EXPECT_EQ(stepper.time(), 0.6);
}

TEST_F(Misuse, two_threads)
{
  struct Waiting : LinearNetwork<2>
  {
    std::function<void()> wait;
    void
    kick(NodeTable<2> &, unsigned int, double, double) const override
    {
      wait();
    }
  };
  auto waiting = std::make_shared<Waiting>();
  waiting->add(0, 1, 1., 1., 1.);
  std::promise<void> first_works, second_has_tried;
  auto may_go_on = second_has_tried.get_future().share();
  bool is_first = true;
  waiting->wait = [&]
  {
    if (is_first)
      first_works.set_value();
    is_first = false;
    may_go_on.wait();
  };
  stepper.add(waiting);
  stepper.start();
  std::thread first([&] { stepper.advance_to(2); });
  first_works.get_future().wait();
  EXPECT_THROW(stepper.advance_to(2), Stepper<2>::ExcAtWork);
  EXPECT_THROW(stepper.snapshot(0), Stepper<2>::ExcAtWork);
  second_has_tried.set_value();
  first.join();
  EXPECT_EQ(stepper.time(), 2); // the first one has not noticed
  EXPECT_EQ(stepper.snapshot(2).size(), 12u);
}

TEST_F(Misuse, two_event_sources)
{
  NoEvents first, second;
  stepper.attach(first);
  EXPECT_THROW(stepper.attach(second), Stepper<2>::ExcTwoEventSources);
}

TEST_F(Misuse, an_event_source_that_is_gone)
{
  auto events = std::make_unique<NoEvents>();
  stepper.attach(*events);
  stepper.start();
  stepper.advance_to(1);
  events.reset();
  EXPECT_THROW(stepper.advance_to(2), Stepper<2>::ExcDestroyed);
  EXPECT_EQ(stepper.snapshot(1).size(), 12u); // needs no events
}

TEST_F(Misuse, a_node_table_that_is_gone)
{
  auto nodes = std::make_unique<NodeTable<2>>();
  auto links = make_chain<2>(*nodes, 4, 2.);
  Stepper<2> running(*nodes, parameters(Clocks::one)), waiting(*nodes, parameters(Clocks::one));
  running.add(links);
  running.start();
  nodes.reset();
  EXPECT_THROW(running.advance_to(1), Stepper<2>::ExcDestroyed);
  EXPECT_THROW(running.snapshot(0), Stepper<2>::ExcDestroyed);
  EXPECT_THROW(waiting.start(), Stepper<2>::ExcDestroyed);
}

TEST_F(Misuse, a_copy_of_the_node_table_is_another_one)
{
  stepper.start();
  chain.nodes = stepper.snapshot(0); // is still the same object
  stepper.advance_to(1);
  EXPECT_EQ(stepper.time(), 1);
}
