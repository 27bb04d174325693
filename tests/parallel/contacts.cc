// Contact on several processes: test_parallel_contact SCENARIO, started by mpirun. Every process
// also does the whole run alone, compares, and returns 0 if both are the same.

#include <kickdrift/base/archive.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/contact/divided_looks.h>
#include <kickdrift/stepping/division/division.h>

#include "parallel/scenarios.h"
#include "unit/contact/spring_boxes.h"

#include <deal.II/physics/transformations.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <stdexcept>

using namespace KickDriftTests;

namespace
{
/// The ground, which counts how often it is asked, and may give way to those that look at it.
class Ground : public HalfSpace<3>
{
public:
  Ground() : HalfSpace<3>({0, 0, -1.2}, Vector({0., 0., 1.})) {}

  double
  distance(const Point<3> &point) const override
  {
    ++n_asked;
    return HalfSpace<3>::distance(point);
  }

  /// Asked for by Detector::find() alone.
  Vector
  normal(const Point<3> &point) const override
  {
    if (gives_way)
      throw std::runtime_error("the ground gives way");
    return HalfSpace<3>::normal(point);
  }

  mutable std::atomic<unsigned int> n_asked{0};
  bool gives_way = false;
};

/// Boxes that are thrown at each other above the ground.
struct Thrown
{
  Thrown(const ContactParameters &parameters, const std::shared_ptr<Ranks> &ranks,
         const unsigned int n_threads = 1,
         const std::shared_ptr<const NodeOwners> &owners = nullptr)
      : ground(std::make_shared<Ground>())
  {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int b = 0; b < 3; ++b)
    {
      const auto rotation = dealii::Physics::Transformations::Rotations::rotation_matrix_3d(
          Vector({0.6, 0., 0.8}), 2 * uniform(random));
      const Vector place({1.15 * (b - 1), 0.2 * uniform(random), 0.2 * uniform(random)});
      SpringBoxes::Body body;
      body.cells = {{3, 3, 3}};
      body.map = [=](const Point<3> &p)
      { return Point<3>(place + rotation * (p - Point<3>(0.5, 0.5, 0.5))); };
      body.velocity = Vector({-1. * (b - 1), 0.3 * uniform(random), -0.4});
      body.mass = std::pow(3., b); // so that clocks meet
      boxes.add(body);
    }
    StepperParameters stepping;
    stepping.ranks = ranks;
    stepping.threads = n_threads;
    stepping.owners = owners;
    boxes.start(parameters, Vector({0., 0., -1.}), {{"ground", ground, {}}}, stepping);
  }

  Thrown(const Thrown &) = delete;

  void
  advance_to(const double time)
  {
    boxes.stepper->advance_to(time);
  }

  /// Everything that a checkpoint holds, or that is read from one.
  std::string
  state(Archive &&archive = Archive())
  {
    archive(boxes.nodes, *boxes.stepper);
    boxes.contact->serialize(archive);
    return archive.bytes();
  }

  /// What detectors and the schedule remember.
  std::string
  memory()
  {
    Archive archive;
    boxes.contact->serialize(archive);
    const std::string all = archive.bytes();
    const std::size_t begin = all.find("face detector");
    expect(begin != std::string::npos, "a face detector");
    return all.substr(begin, all.size() - sizeof(double) - begin); // without the time spent
  }

  std::shared_ptr<Ground> ground;
  SpringBoxes boxes;
};

bool
same_nodes(const Thrown &a, const Thrown &b)
{
  return std::memcmp(a.boxes.nodes.data(), b.boxes.nodes.data(),
                     a.boxes.nodes.size() * sizeof(NodeState)) == 0;
}

/// Objects lie in archives as in memory, with gaps of up to four bytes that nobody sets.
bool
same_but_for_gaps(const std::string &a, const std::string &b)
{
  unsigned int n_different = 0; // one after the other
  for (std::size_t i = 0; i < std::min(a.size(), b.size()) && n_different <= 4; ++i)
    n_different = a[i] == b[i] ? 0 : n_different + 1;
  return a.size() == b.size() && n_different <= 4;
}

/// Returns how many there are.
unsigned int
same_overlaps(Thrown &a, Thrown &b)
{
  const auto x = a.boxes.contact->penetrations(), y = b.boxes.contact->penetrations();
  expect(std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](const Penetration<3> &one, const Penetration<3> &other)
                    {
                      return one.body == other.body && one.target == other.target &&
                             one.depth == other.depth && one.point == other.point;
                    }),
         "the same overlaps");
  return x.size();
}

/// All nodes are of surfaces. Some of them everybody's, the others in pieces of a few nodes.
std::shared_ptr<const NodeOwners>
owners_of_pieces(const unsigned int n_nodes, const unsigned int n_ranks)
{
  std::vector<unsigned int> owners(n_nodes);
  for (unsigned int node = 0; node < n_nodes; ++node)
    owners[node] = node % 31 == 30 ? NodeOwners::everybody : node / 20 % n_ranks;
  return std::make_shared<const NodeOwners>(owners);
}

/// @param divided_kicks else all processes give all of them
void
thrown(const std::shared_ptr<Ranks> &ranks, const bool divided_kicks)
{
  unsigned int n_overlaps = 0;
  const std::pair<Response, Schedule> kinds[] = {{Response::look_ahead, Schedule::predicted},
                                                 {Response::reflect, Schedule::adaptive}};
  for (const auto &[response, schedule] : kinds)
  {
    ContactParameters parameters;
    parameters.response = response;
    parameters.schedule = schedule;
    parameters.edges = Edges::all;
    parameters.friction = 0.2;
    Thrown alone(parameters, nullptr);
    const unsigned int n_nodes = alone.boxes.nodes.size();
    Thrown together(parameters, ranks, 1,
                    divided_kicks ? owners_of_pieces(n_nodes, ranks->size())
                                  : std::make_shared<const NodeOwners>(
                                        std::vector<unsigned int>(n_nodes, NodeOwners::everybody)));
    const unsigned int n_kicks = alone.boxes.stepper->holding().kicks;
    const unsigned int n_own = together.boxes.stepper->holding().kicks;
    expect(divided_kicks ? n_own < 0.9 * n_kicks : n_own == n_kicks, "kicks as they are divided");
    std::string halfway;
    std::vector<double> times = {0.25};
    for (unsigned int i = 1; i <= 16; ++i) // in short intervals only some are looked at
      times.push_back(0.25 + 0.0025 * i);
    times.push_back(0.5);
    for (const double time : times)
    {
      alone.advance_to(time);
      together.advance_to(time);
      expect(same_nodes(alone, together), "the same nodes");
      if (ranks->is_first())
        expect(same_but_for_gaps(alone.memory(), together.memory()),
               "the first process to know everything");
      if (time != times[0])
        continue;
      n_overlaps += same_overlaps(alone, together);
      halfway = together.state();
    }
    const auto &x = alone.boxes.contact->statistics(), &y = together.boxes.contact->statistics();
    expect(x.collisions > 300 && x.tests == y.tests && x.collisions == y.collisions &&
               x.max_penetration == y.max_penetration,
           "the same contacts");
    expect(together.ground->n_asked < 0.8 * alone.ground->n_asked, "divided looks");
    if (!ranks->is_first())
      continue;
    Thrown resumed(parameters, nullptr);
    resumed.state(Archive(halfway));
    resumed.advance_to(0.5);
    expect(same_nodes(alone, resumed) && resumed.boxes.contact->statistics().tests == x.tests,
           "the same from a checkpoint of all");
  }
  expect(n_overlaps > 0, "some overlaps");
}

/// All have to end when the ground fails one of them while it looks, or one of its threads.
void
failure_in_look(const std::shared_ptr<Ranks> &ranks, const unsigned int n_threads)
{
  ContactParameters parameters;
  parameters.schedule = n_threads > 1 ? Schedule::synchronous : Schedule::predicted;
  Thrown together(parameters, ranks, n_threads);
  together.advance_to(0.1);
  together.ground->gives_way = ranks->rank() + 1 == ranks->size();
  std::string seen;
  try
  {
    together.advance_to(1);
  }
  catch (const std::exception &exception)
  {
    seen = message_of(exception);
  }
  expect(seen == "the ground gives way", "a failure, not '" + seen + "'");
}

/// Numbers about contactors, from those that they belong to.
void
numbers(const std::shared_ptr<Ranks> &ranks)
{
  std::vector<unsigned int> blocks, some;
  for (unsigned int c = 0; c < 2 * DividedLooks::fewest; ++c)
  {
    blocks.push_back(c / 7);
    if (c % 3 == 0)
      some.push_back(c);
  }
  DividedLooks few, looks;
  few.start(ranks, {0, 1, 2});
  looks.start(ranks, blocks);
  expect(!few.is_divided() && few.is_own(1) && looks.is_divided(), "few are not divided");
  std::vector<unsigned int> seen(some.size(), 0);
  looks.share(
      some, 3,
      [&](const unsigned int i, std::vector<double> &own)
      {
        own.push_back(packed(some[i], i));
        own.insert(own.end(), i % 3, 0.5 * i);
      },
      [&](const unsigned int i, const double *&next)
      {
        ++seen[i];
        expect(unpacked(*next++) == std::make_pair(some[i], i), "its place");
        for (unsigned int k = 0; k < i % 3; ++k)
          expect(*next++ == 0.5 * i, "its numbers");
      });
  for (unsigned int i = 0; i < some.size(); ++i)
    expect(seen[i] == !looks.is_own(some[i]), "those of others, once");

  for (const unsigned int n : {1, 2, 5, 1000}) // of these every nth one is chosen
  {
    std::vector<char> is_chosen(some.size());
    for (unsigned int i = 0; i < some.size(); ++i)
      is_chosen[i] = looks.is_own(some[i]) && i % n == 1 % n;
    looks.share_choice(some, is_chosen);
    for (unsigned int i = 0; i < some.size(); ++i)
      expect(is_chosen[i] == (i % n == 1 % n), "those that are chosen");
  }

  const std::string own(5 + 3 * ranks->rank(), char('a' + ranks->rank()));
  const auto all = looks.gather_to_first(own);
  expect(all.size() == (ranks->is_first() ? ranks->size() : 0), "one text for each");
  for (unsigned int r = 0; r < all.size(); ++r)
    expect(all[r] == std::string(5 + 3 * r, char('a' + r)), "the text");
}
} // namespace

int
main(int, char **argv)
{
  const auto ranks = Ranks::of_launcher();
  return run_scenario(*ranks, argv[1],
                      {{"numbers", [&] { numbers(ranks); }},
                       {"thrown", [&] { thrown(ranks, false); }},
                       {"divided_surfaces", [&] { thrown(ranks, true); }},
                       {"failure_in_look", [&] { failure_in_look(ranks, 1); }},
                       {"failure_in_thread", [&] { failure_in_look(ranks, 2); }}});
}
