// What several processes do together: test_parallel SCENARIO, started by mpirun. Every process
// checks what it sees and returns 0 if that is right.

#include <kickdrift/base/messages.h>
#include <kickdrift/parallel/ranks.h>
#include <kickdrift/potentials/loads/damping.h>
#include <kickdrift/potentials/loads/dashpots.h>
#include <kickdrift/potentials/loads/loads.h>
#include <kickdrift/stepping/division/division.h>
#include <kickdrift/stepping/stepper.h>

#include "parallel/scenarios.h"
#include "unit/stepping/chain.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

using namespace KickDrift;
using KickDriftTests::expect;
using KickDriftTests::LinearNetwork;
using KickDriftTests::make_chain;
using KickDriftTests::run_scenario;
using Vector = dealii::Tensor<1, 2>;

namespace
{
/// Number @p i that @p from sends @p to.
double
number(const unsigned int from, const unsigned int to, const unsigned int i)
{
  return 1000. * from + 10. * to + i;
}

std::vector<Parcel>
parcels_for_all(const Ranks &ranks)
{
  std::vector<Parcel> parcels;
  for (unsigned int other = 0; other < ranks.size(); ++other)
  {
    if (other == ranks.rank())
      continue;
    // large ones wait until they are received; some are empty one way
    const unsigned int n = 20000 * (other % 2) + 3, n_back = 20000 * (ranks.rank() % 2) + 3;
    parcels.push_back({other, std::vector<double>(n), std::vector<double>(n_back)});
    for (unsigned int i = 0; i < n; ++i)
      parcels.back().sent[i] = number(ranks.rank(), other, i);
  }
  return parcels;
}

void
exchanges(Ranks &ranks)
{
  for (unsigned int times = 0; times < 50; ++times)
  {
    auto parcels = parcels_for_all(ranks);
    ranks.exchange(parcels);
    for (const Parcel &parcel : parcels)
      for (unsigned int i = 0; i < parcel.received.size(); ++i)
        expect(parcel.received[i] == number(parcel.rank, ranks.rank(), i), "what was sent");
  }
}

void
gathers(Ranks &ranks)
{
  std::vector<std::size_t> sizes(ranks.size());
  std::iota(sizes.begin(), sizes.end(), 0);
  const std::vector<double> own(ranks.rank(), 10. + ranks.rank());
  const auto all = ranks.gather(own, sizes), first = ranks.gather_to_first(own, sizes);
  std::vector<double> expected;
  for (unsigned int rank = 0; rank < ranks.size(); ++rank)
    expected.insert(expected.end(), rank, 10. + rank);
  expect(all == expected, "one process after the other");
  expect(first == (ranks.is_first() ? expected : std::vector<double>()), "the same for the first");
  expect(ranks.any(ranks.rank() == 1) && !ranks.any(false), "any of them");
  std::string bytes = ranks.is_first() ? std::string("a\0b", 3) : std::string(ranks.rank(), 'x');
  expect(ranks.from_first(bytes) == std::string("a\0b", 3), "the bytes of the first one");
  expect(ranks.all_equal("a") && !ranks.all_equal(ranks.is_first() ? "a" : "b"), "equal or not");
}

/// Everybody has to learn of the failure of the last process, whatever they wait for.
void
expect_failure(Ranks &ranks, const std::function<void()> &work, const std::string &text)
{
  std::string seen;
  try
  {
    work();
  }
  catch (const std::exception &exception)
  {
    ranks.fail(exception);
    seen = message_of(exception);
  }
  expect(seen == text, "'" + text + "', not '" + seen + "'");
  try
  {
    ranks.agree();
  }
  catch (const Ranks::ExcOtherProcess &)
  {
    return;
  }
  expect(false, "no communication after a failure");
}

void
failure_in_exchange(Ranks &ranks)
{
  const auto work = [&]
  {
    exchanges(ranks);
    if (ranks.rank() + 1 == ranks.size())
      throw std::runtime_error("the last one");
    auto parcels = parcels_for_all(ranks);
    ranks.exchange(parcels);
  };
  expect_failure(ranks, work, "the last one");
}

void
failure_in_collective(Ranks &ranks)
{
  const auto work = [&]
  {
    gathers(ranks);
    if (ranks.rank() + 1 == ranks.size())
      throw std::runtime_error("the last one");
    // some wait for a parcel, others for all
    if (ranks.rank() == 0)
      ranks.any(true);
    std::vector<Parcel> parcels = {{ranks.size() - 1, {}, std::vector<double>(1)}};
    ranks.exchange(parcels);
  };
  expect_failure(ranks, work, "the last one");
}

void
two_failures(Ranks &ranks)
{
  // the lowest speaks for those that have not failed themselves
  const std::string own = "process " + std::to_string(ranks.rank());
  const bool fails = ranks.rank() >= ranks.size() - 2;
  const auto work = [&]
  {
    if (fails)
      throw std::runtime_error(own);
    ranks.agree();
  };
  expect_failure(ranks, work, fails ? own : "process " + std::to_string(ranks.size() - 2));
}

/// A load that needs an account of its work, on all nodes of a chain.
std::shared_ptr<ScaledLoads<2>>
make_load(const NodeTable<2> &nodes)
{
  LoadPoints<2> points;
  points.nodes_per_kick = 1;
  points.points_per_kick = 1;
  for (unsigned int node = 0; node + 1 < nodes.size(); ++node)
  {
    points.nodes.push_back(node);
    points.points.push_back(nodes.reference(node));
    points.weights.push_back(0.3);
  }
  auto load = std::make_shared<ScaledLoads<2>>(
      "load", points,
      [](const dealii::Point<2> &x) {
        return Vector({std::sin(x[0]), 0.1});
      },
      [](const double t) { return std::sin(3 * t); });
  load->begin(nodes);
  return load;
}

/// Nodes that an event source watches.
enum class Watched
{
  none,
  by_all, ///< see WatchedKicks
  divided
};

/// Asks again and again how fast watched nodes are, while the stepper runs.
class Asking : public EventSource<2>
{
public:
  Asking(const Stepper<2> &stepper, const std::vector<unsigned int> &nodes)
      : stepper(stepper), nodes(nodes)
  {
  }

  double
  next_time() const override
  {
    return next;
  }

  void
  process(const double time) override
  {
    for (const unsigned int node : nodes)
      answers.push_back(stepper.velocity_with_kicks(node, time));
    next = time + 0.0123;
  }

  void
  nodes_kicked(dealii::ArrayView<const unsigned int>, double) override
  {
  }

  std::vector<Vector> answers;

private:
  const Stepper<2> &stepper;
  const std::vector<unsigned int> nodes;
  double next = 0.01;
};

/// A chain with restrained and moved ends, a varying load and damping: all that has an account.
struct System
{
  System(const std::shared_ptr<Ranks> &ranks, const Watched watched,
         const std::shared_ptr<Kicks<2>> &more = nullptr,
         const std::shared_ptr<const NodeOwners> &owners = nullptr)
      : links(make_chain<2>(nodes, n, 3000)),
        stepper(nodes, with(ranks, owners)),
        watched_nodes({5, 6, 7, n / 2 - 1, n / 2}),
        asking(stepper, watched_nodes)
  {
    for (unsigned int node = 0; node < n; ++node)
      nodes.set_velocity(node, Vector({std::cos(node), 0.2 * std::sin(3. * node)}));
    std::vector<unsigned int> moved; // some of them at borders of the pieces of processes
    for (unsigned int node = 4; node < n; node += 5)
      moved.push_back(node);
    std::vector<unsigned int> restrained = {0, n / 3};
    restrained.insert(restrained.end(), moved.begin(), moved.end());
    for (const unsigned int node : restrained)
      nodes.restraints.add(node, Vector({1., 0.5}));
    const unsigned int first = stepper.add(links);
    if (more)
      stepper.add(more);
    std::vector<unsigned int> ids(n - 1);
    std::iota(ids.begin(), ids.end(), first);
    load = make_load(nodes);
    stepper.add_on_clock_of(load, ids);
    std::vector<unsigned int> damped(n / 2);
    std::iota(damped.begin(), damped.end(), n / 4);
    stepper.add_damping(std::make_shared<Damping<2>>(damped, [](double) { return 0.02; }));
    stepper.prescribe(moved, std::vector<Vector>(moved.size(), Vector({1., 0.5})),
                      [](unsigned int, const double t) {
                        return Vector({0.1 * std::sin(2 * t), 0.});
                      });
    if (watched != Watched::none)
    {
      stepper.watch(watched_nodes,
                    watched == Watched::divided ? WatchedKicks::divided : WatchedKicks::by_all);
      stepper.attach(asking);
    }
    stepper.start();
  }

  static StepperParameters
  with(const std::shared_ptr<Ranks> &ranks,
       const std::shared_ptr<const NodeOwners> &owners = nullptr)
  {
    StepperParameters result;
    result.ranks = ranks;
    result.owners = owners;
    return result;
  }

  /// No node is everybody's.
  static std::shared_ptr<const NodeOwners>
  owners(const unsigned int n_ranks)
  {
    std::vector<unsigned int> result;
    for (unsigned int node = 0; node < n; ++node)
      result.push_back(node * n_ranks / n);
    return std::make_shared<const NodeOwners>(result);
  }

  static constexpr unsigned int n = 60;
  NodeTable<2> nodes;
  std::shared_ptr<LinearNetwork<2>> links;
  std::shared_ptr<ScaledLoads<2>> load;
  Stepper<2> stepper;
  const std::vector<unsigned int> watched_nodes;
  Asking asking;
};

/// Every process also does the whole run alone, and compares.
void
chain(const std::shared_ptr<Ranks> &ranks, const Watched watched)
{
  System alone(nullptr, watched),
      together(ranks, watched, nullptr,
               watched == Watched::divided ? System::owners(ranks->size()) : nullptr);
  expect(alone.stepper.levels().classes().n_classes > 3, "several classes");
  for (const double time : {0., 0.03, 0.7, 2., 5.})
  {
    // cells that are promoted change their clocks on all processes
    if (time > 0)
      for (System *system : {&alone, &together})
        for (unsigned int id = 10; id < 20; ++id)
          system->stepper.promote(id, system->stepper.levels().finest_class(), time + 0.5);
    alone.stepper.advance_to(time);
    together.stepper.advance_to(time);
    expect(KickDriftTests::same_bits(alone.nodes, together.nodes), "the same nodes");
    const auto a = alone.stepper.snapshot(time), b = together.stepper.snapshot(time);
    expect(KickDriftTests::same_bits(a, b), "the same snapshots");
    expect(alone.asking.answers == together.asking.answers &&
               (time == 0 || !alone.asking.answers.empty()),
           "the same answers on the way");
    for (const unsigned int node : alone.watched_nodes)
      expect(alone.stepper.velocity_with_kicks(node, time) ==
                     together.stepper.velocity_with_kicks(node, time) &&
                 alone.stepper.synchronised_velocity(node, time) ==
                     together.stepper.synchronised_velocity(node, time),
             "the same velocities between kicks");
    const EnergyBalance x = alone.stepper.energy(a), y = together.stepper.energy(b);
    expect(std::memcmp(&x, &y, sizeof(x)) == 0, "the same energies");
    expect(time == 0 || (x.external_work != 0 && x.damping_loss != 0 && x.prescribed_work != 0),
           "accounts that are not empty");
    for (const unsigned int node : {0u, System::n / 3, System::n - 1})
      expect(a.restraints.reaction(node) == b.restraints.reaction(node), "the same reactions");
    Archive of_alone, of_together;
    of_alone(alone.nodes);
    of_together(together.nodes);
    expect(time == 0 || of_alone.bytes() == of_together.bytes(), "the same checkpoints");
  }
  const auto x = alone.stepper.kick_statistics(), y = together.stepper.kick_statistics();
  for (unsigned int i = 0; i < x.size(); ++i)
    expect(x[i].count == y[i].count, "the same counts");
}

/// The counts of a division in thought are those of the run.
void
forecast(const std::shared_ptr<Ranks> &ranks)
{
  for (const Watched watched : {Watched::none, Watched::by_all, Watched::divided})
  {
    const System alone(nullptr, watched), together(ranks, watched);
    const Division division = alone.stepper.divide_in_thought(ranks->size());
    const Holding foretold = division.of_rank[ranks->rank()], seen = together.stepper.holding();
    expect(foretold.kicks == seen.kicks && foretold.halo == seen.halo &&
               foretold.neighbours == seen.neighbours,
           "what was foretold");
    expect(foretold.of_clock.size() > 1 && foretold.of_clock.size() == seen.of_clock.size(),
           "clocks");
    unsigned int kicks = 0;
    for (unsigned int c = 0; c < seen.of_clock.size(); ++c)
    {
      const Firing &a = foretold.of_clock[c], &b = seen.of_clock[c];
      expect(a.kicks == b.kicks && a.halo == b.halo && a.neighbours == b.neighbours,
             "what was foretold of a clock");
      kicks += b.kicks;
    }
    expect(kicks == seen.kicks, "kicks that are each on one clock");
    expect(seen.kicks < alone.stepper.holding().kicks && seen.halo > 0 && seen.neighbours > 0,
           "a part of the kicks");
  }
}

template <typename Exception>
void
expect_refusal(const std::function<void()> &work, const std::string &what)
{
  try
  {
    work();
  }
  catch (const Exception &)
  {
    return;
  }
  expect(false, "no " + what);
}

/// What processes cannot do together, all refuse, and none waits for the others.
void
refusals(const std::shared_ptr<Ranks> &ranks)
{
  using Refusal = StepperExceptions::ExcOneProcess;
  NodeTable<2> nodes;
  const std::shared_ptr<LinearNetwork<2>> links = make_chain<2>(nodes, 20, 3000);
  Stepper<2> stepper(nodes, System::with(ranks));
  stepper.add(links);
  stepper.add_damping(std::make_shared<Dashpots<2>>(
      std::vector<Dashpot<2>>{{0, 1, {}, 0.1, Dashpot<2>::Direction::along}}));
  expect_refusal<Refusal>([&] { stepper.start(); }, "dashpots");
  const System system(ranks, Watched::none);
  expect_refusal<Refusal>([&] { system.stepper.largest_stable_step(system.nodes); },
                          "step of a part of the model");
  const System divided(ranks, Watched::divided, nullptr, System::owners(ranks->size()));
  expect_refusal<StepperExceptions::ExcForcesDivided>([&] { divided.stepper.forces_on({6}, 0.); },
                                                      "forces that others know");
  ranks->agree();
}

/// Links that get stiffer as they are stretched, for those who ask about steps only. Nobody must
/// ask about those that were let go.
class Stiffening : public LinearNetwork<2>
{
public:
  explicit Stiffening(const LinearNetwork<2> &other) : LinearNetwork<2>(other) {}
  bool
  has_constant_steps() const override
  {
    return false;
  }
  double
  deformation(const NodeTable<2> &nodes, const unsigned int k) const override
  {
    expect(gone.empty() || !gone[k], "a look at own links only");
    return (nodes.displacement(links[k].j) - nodes.displacement(links[k].i)).norm();
  }
  double
  current_critical_step(const NodeTable<2> &nodes, const unsigned int k,
                        const std::vector<double> &masses) const override
  {
    return critical_step(k, masses) / (1 + 3 * deformation(nodes, k));
  }
  void
  let_go(const std::vector<char> &is_elsewhere, const bool stays_known) override
  {
    if (!stays_known)
      gone = is_elsewhere;
  }

  std::vector<char> gone; ///< by link; empty: none
};

/// A chain of those.
struct StiffeningChain
{
  StiffeningChain(const std::shared_ptr<Ranks> &ranks, const unsigned int n_moving,
                  const std::shared_ptr<const NodeOwners> &owners = nullptr)
      : links(std::make_shared<Stiffening>(*make_chain<2>(nodes, n, 3000))),
        stepper(nodes, with(ranks, owners))
  {
    for (unsigned int node = 0; node < n; ++node)
      nodes.set_velocity(node, node < n_moving
                                   ? Vector({std::cos(3. * node), 0.2 * std::sin(5. * node)})
                                   : Vector());
    stepper.add(links);
    stepper.start();
  }

  static StepperParameters
  with(const std::shared_ptr<Ranks> &ranks, const std::shared_ptr<const NodeOwners> &owners)
  {
    StepperParameters result;
    result.ranks = ranks;
    result.owners = owners;
    // few kicks that are far from each other change then, and with them the best division
    result.class_boundary = ClassBoundary::plain;
    return result;
  }

  std::string
  state_of_follower() const
  {
    Archive archive;
    StepFollower<2> &follower = const_cast<StepFollower<2> &>(stepper.follower());
    archive(follower);
    return archive.bytes();
  }

  static constexpr unsigned int n = 40;
  NodeTable<2> nodes;
  std::shared_ptr<Stiffening> links;
  Stepper<2> stepper;
};

/// Each looks at critical steps of its own links, and all follow them as one would.
/// @param n_moving nodes that move at first: if they are few, one process has news for the others
void
looks_at(const std::shared_ptr<Ranks> &ranks, const unsigned int n_moving)
{
  StiffeningChain alone(nullptr, n_moving), together(ranks, n_moving);
  expect(together.links->gone.empty() == ranks->is_first(), "the first one keeps all");
  for (const double time : {0.1, 0.5, 1., 2., 4., 8.})
  {
    alone.stepper.advance_to(time);
    together.stepper.advance_to(time);
    expect(KickDriftTests::same_bits(alone.nodes, together.nodes), "the same nodes");
    const auto &x = alone.stepper, &y = together.stepper;
    expect(x.follower().largest_ratio() == y.follower().largest_ratio() &&
               x.follower().id_of_largest_ratio() == y.follower().id_of_largest_ratio(),
           "the same worst link");
    expect(x.levels().n_class_changes() == y.levels().n_class_changes(), "the same changes");
    for (unsigned int id = 0; id < alone.links->n_kicks(); ++id)
      expect(x.levels().current_critical_step(id) == y.levels().current_critical_step(id) &&
                 x.levels().natural_step(id) == y.levels().natural_step(id),
             "the same steps");
    expect(!ranks->is_first() || alone.state_of_follower() == together.state_of_follower(),
           "the same checkpoints");
  }
  expect(alone.stepper.levels().n_class_changes() > 0, "classes that have changed");
}

/// By what each holds: kicks per finest step of one that has most in each class.
double
busiest(Ranks &ranks, const Stepper<2> &stepper)
{
  std::vector<double> own;
  for (const Firing &firing : stepper.holding().of_clock)
    own.push_back(firing.kicks);
  const auto all = ranks.gather(own);
  double sum = 0;
  for (unsigned int c = 0; c < own.size(); ++c)
  {
    double most = 0;
    for (unsigned int rank = 0; rank < ranks.size(); ++rank)
      most = std::max(most, all[rank * own.size() + c]);
    sum += std::ldexp(most, -static_cast<int>(c));
  }
  return sum;
}

/// Some links get short steps; with owners that suit them all goes on with the same bits.
void
divided_anew(const std::shared_ptr<Ranks> &ranks)
{
  StiffeningChain alone(nullptr, 3), before(ranks, 3);
  for (StiffeningChain *chain : {&alone, &before})
    chain->stepper.advance_to(0.5);
  const KickLoad load = before.stepper.kick_load();
  expect(load.busiest == busiest(*ranks, before.stepper), "what the busiest has to do");
  auto [owners, better] = before.stepper.divide_anew();
  expect(better.alone == load.alone && better.busiest < load.busiest, "a better division");
  expect(load.share() == load.busiest / load.alone && better.share() * ranks->size() >= 1,
         "no more than all is saved");

  Archive archive;
  if (ranks->is_first())
    archive(before.nodes, before.stepper);
  Archive state(ranks->from_first(archive.bytes()));
  StiffeningChain after(ranks, 3, std::make_shared<const NodeOwners>(owners));
  state(after.nodes, after.stepper);
  expect(state.is_at_end() || !ranks->is_first(), "the whole state");
  expect(after.stepper.kick_load().busiest == better.busiest &&
             busiest(*ranks, after.stepper) == better.busiest,
         "what was foretold");
  for (const double time : {1., 2., 4., 8.})
  {
    alone.stepper.advance_to(time);
    after.stepper.advance_to(time);
    expect(KickDriftTests::same_bits(alone.nodes, after.nodes), "the same nodes");
    expect(alone.stepper.levels().n_class_changes() == after.stepper.levels().n_class_changes(),
           "the same changes");
    expect(!ranks->is_first() || alone.state_of_follower() == after.state_of_follower(),
           "the same checkpoints");
  }

  using Refusal = StepperExceptions::ExcOwners;
  const auto refuse = [&](std::vector<unsigned int> wrong)
  {
    const auto start = [&]
    { StiffeningChain(ranks, 3, std::make_shared<const NodeOwners>(std::move(wrong))); };
    expect_refusal<Refusal>(start, "owners of another model");
  };
  refuse(std::vector<unsigned int>(StiffeningChain::n - 1, 0));
  refuse(std::vector<unsigned int>(StiffeningChain::n, ranks->size()));
  refuse(std::vector<unsigned int>(StiffeningChain::n, NodeOwners::everybody));
  ranks->agree();
}

/// Links of which the first ones fail when they are kicked first.
class Failing : public LinearNetwork<2>
{
public:
  static constexpr unsigned int n_failing = 20;
  explicit Failing(const LinearNetwork<2> &other) : LinearNetwork<2>(other) {}
  bool
  can_end() const override
  {
    return true;
  }
  std::vector<unsigned int>
  take_ended() override
  {
    std::vector<unsigned int> result(is_over ? 0 : n_failing);
    std::iota(result.begin(), result.end(), 0);
    is_over = true;
    return result;
  }

private:
  bool is_over = false;
};

/// What has failed is no work: the rest is divided evenly.
void
divided_after_failures(const std::shared_ptr<Ranks> &ranks)
{
  NodeTable<2> nodes;
  const auto links = std::make_shared<Failing>(*make_chain<2>(nodes, 81, 1));
  Stepper<2> stepper(nodes, System::with(ranks));
  stepper.add(links);
  stepper.start();
  const KickLoad before = stepper.kick_load();
  stepper.advance_to(1);
  const KickLoad failed = stepper.kick_load(), anew = stepper.divide_anew().second;
  expect(failed.alone == 0.75 * before.alone, "a quarter fails");
  expect(failed.busiest > 0.95 * before.busiest, "some process has lost nothing");
  // a cut adds a kick or two
  const double step = before.alone / 80;
  expect(anew.busiest <= failed.alone / ranks->size() + 2 * step, "an even division of the rest");
}

void
looks(const std::shared_ptr<Ranks> &ranks)
{
  looks_at(ranks, StiffeningChain::n);
  looks_at(ranks, 3);
}

/// One more link, which throws after a time on one process.
class Breaking : public LinearNetwork<2>
{
public:
  explicit Breaking(const bool breaks) : breaks(breaks) { add(0, 1, 1., 0.1, 0.1); }
  void
  kick(NodeTable<2> &nodes, const unsigned int clock, const double time,
       const double step) const override
  {
    if (breaks && time > 0.5)
      throw std::runtime_error("it breaks");
    LinearNetwork<2>::kick(nodes, clock, time, step);
  }

private:
  const bool breaks;
};

void
failure_in_step(const std::shared_ptr<Ranks> &ranks)
{
  System system(ranks, Watched::none,
                std::make_shared<Breaking>(ranks->rank() + 1 == ranks->size()));
  expect_failure(
      *ranks, [&] { system.stepper.advance_to(2); }, "it breaks");
}
} // namespace

int
main(int, char **argv)
{
  const auto ranks = Ranks::of_launcher();
  return run_scenario(*ranks, argv[1],
                      {{"exchanges", [&] { exchanges(*ranks); }},
                       {"gathers", [&] { gathers(*ranks); }},
                       {"chain", [&] { chain(ranks, Watched::by_all); }},
                       {"chain_divided", [&] { chain(ranks, Watched::divided); }},
                       {"forecast", [&] { forecast(ranks); }},
                       {"refusals", [&] { refusals(ranks); }},
                       {"looks", [&] { looks(ranks); }},
                       {"divided_anew", [&] { divided_anew(ranks); }},
                       {"divided_after_failures", [&] { divided_after_failures(ranks); }},
                       {"failure_in_exchange", [&] { failure_in_exchange(*ranks); }},
                       {"failure_in_collective", [&] { failure_in_collective(*ranks); }},
                       {"two_failures", [&] { two_failures(*ranks); }},
                       {"failure_in_step", [&] { failure_in_step(ranks); }}});
}
