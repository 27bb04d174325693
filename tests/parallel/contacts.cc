// Contact on several processes: test_parallel_contact SCENARIO, started by mpirun. Every process
// also does the whole run alone, compares, and returns 0 if both are the same.

#include <kickdrift/base/archive.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/stepping/division/division.h>

#include "parallel/scenarios.h"
#include "unit/contact/spring_boxes.h"

#include <deal.II/physics/transformations.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

using namespace KickDriftTests;

namespace
{
/// The ground, which may give way to those that touch it.
class Ground : public HalfSpace<3>
{
public:
  Ground() : HalfSpace<3>({0, 0, -1.2}, Vector({0., 0., 1.})) {}

  Vector
  normal(const Point<3> &point) const override
  {
    if (gives_way)
      throw std::runtime_error("the ground gives way");
    return HalfSpace<3>::normal(point);
  }

  bool gives_way = false;
};

/// Boxes that are thrown at each other above the ground.
struct Thrown
{
  Thrown(const ContactParameters &parameters, const std::shared_ptr<Ranks> &ranks,
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

  std::shared_ptr<Ground> ground;
  SpringBoxes boxes;
};

bool
same_nodes(const Thrown &a, const Thrown &b)
{
  return std::memcmp(a.boxes.nodes.data(), b.boxes.nodes.data(),
                     a.boxes.nodes.size() * sizeof(NodeState)) == 0;
}

void
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
}

void
same_contacts(const Thrown &a, const Thrown &b)
{
  const auto &x = a.boxes.contact->statistics(), &y = b.boxes.contact->statistics();
  expect(x.tests == y.tests && x.collisions == y.collisions &&
             x.max_penetration == y.max_penetration && x.contact_energy == y.contact_energy &&
             x.impulse == y.impulse,
         "the same contacts");
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
  for (const Response response : {Response::records, Response::reflect})
  {
    ContactParameters parameters;
    parameters.response = response;
    parameters.edges = Edges::all;
    parameters.friction = 0.2;
    Thrown alone(parameters, nullptr);
    const unsigned int n_nodes = alone.boxes.nodes.size();
    Thrown together(parameters, ranks,
                    divided_kicks ? owners_of_pieces(n_nodes, ranks->size())
                                  : std::make_shared<const NodeOwners>(
                                        std::vector<unsigned int>(n_nodes, NodeOwners::everybody)));
    const unsigned int n_kicks = alone.boxes.stepper->holding().kicks;
    const unsigned int n_own = together.boxes.stepper->holding().kicks;
    expect(divided_kicks ? n_own < 0.9 * n_kicks : n_own == n_kicks, "kicks as they are divided");
    std::string halfway;
    std::vector<double> times = {0.25};
    for (unsigned int i = 1; i <= 16; ++i)
      times.push_back(0.25 + 0.0025 * i);
    times.push_back(0.5);
    for (const double time : times)
    {
      alone.advance_to(time);
      together.advance_to(time);
      expect(same_nodes(alone, together), "the same nodes");
      same_contacts(alone, together);
      if (time != times[0])
        continue;
      same_overlaps(alone, together);
      halfway = together.state();
    }
    expect(alone.boxes.contact->statistics().collisions > 300, "many contacts");
    if (!ranks->is_first())
      continue;
    Thrown resumed(parameters, nullptr);
    resumed.state(Archive(halfway));
    resumed.advance_to(0.5);
    expect(same_nodes(alone, resumed), "the same from a checkpoint of all");
    same_contacts(alone, resumed);
  }
}

/// All have to end when the ground fails one of them while it looks.
void
failure_in_look(const std::shared_ptr<Ranks> &ranks)
{
  for (const Response response : {Response::records, Response::reflect})
  {
    ContactParameters parameters;
    parameters.response = response;
    // after a failure they cannot talk to each other any more
    const auto own_ranks = Ranks::of_launcher();
    Thrown together(parameters, own_ranks);
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
}
} // namespace

int
main(int, char **argv)
{
  const auto ranks = Ranks::of_launcher();
  return run_scenario(*ranks, argv[1],
                      {{"thrown", [&] { thrown(ranks, false); }},
                       {"divided_surfaces", [&] { thrown(ranks, true); }},
                       {"failure_in_look", [&] { failure_in_look(ranks); }}});
}
