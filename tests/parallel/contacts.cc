// Contact on several processes: test_parallel_contact SCENARIO, started by mpirun. Every process
// also does the whole run alone, compares, and returns 0 if both are the same.

#include <kickdrift/base/archive.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/contact/divided_looks.h>

#include "unit/contact/spring_boxes.h"

#include <deal.II/physics/transformations.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <random>
#include <stdexcept>

using namespace KickDriftTests;

namespace
{
void
expect(const bool condition, const std::string &what)
{
  if (!condition)
    throw std::runtime_error("expected: " + what);
}

/// The ground, which counts how often it is asked, and may give way.
class Ground : public HalfSpace<3>
{
public:
  explicit Ground(const unsigned int last)
      : HalfSpace<3>({0, 0, -1.2}, Vector({0., 0., 1.})), last(last)
  {
  }

  double
  distance(const Point<3> &point) const override
  {
    if (++n_asked > last)
      throw std::runtime_error("the ground gives way");
    return HalfSpace<3>::distance(point);
  }

  mutable unsigned int n_asked = 0;
  const unsigned int last;
};

/// Boxes that are thrown at each other above the ground.
struct Thrown
{
  Thrown(const ContactParameters &parameters, const std::shared_ptr<Ranks> &ranks,
         const unsigned int last_of_ground = -1)
      : ground(std::make_shared<Ground>(last_of_ground))
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
      boxes.add(body);
    }
    StepperParameters stepping;
    stepping.ranks = ranks;
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
thrown(const std::shared_ptr<Ranks> &ranks)
{
  const std::pair<Response, Schedule> kinds[] = {{Response::look_ahead, Schedule::predicted},
                                                 {Response::reflect, Schedule::adaptive}};
  for (const auto &[response, schedule] : kinds)
  {
    ContactParameters parameters;
    parameters.response = response;
    parameters.schedule = schedule;
    parameters.edges = Edges::all;
    parameters.friction = 0.2;
    Thrown alone(parameters, nullptr), together(parameters, ranks);
    std::string halfway;
    for (const double time : {0.25, 0.5})
    {
      alone.advance_to(time);
      together.advance_to(time);
      expect(same_nodes(alone, together), "the same nodes");
      if (halfway.empty())
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
}

/// All have to end when the ground fails one of them while it looks.
void
failure_in_look(const std::shared_ptr<Ranks> &ranks)
{
  ContactParameters parameters;
  unsigned int last = -1;
  if (ranks->rank() + 1 == ranks->size())
  {
    Thrown alone(parameters, nullptr);
    last = alone.ground->n_asked; // at the start all look at everything
  }
  Thrown together(parameters, ranks, last);
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
  try
  {
    expect(ranks->size() > 1, "several processes");
    const std::map<std::string, std::function<void()>> scenarios = {
        {"numbers", [&] { numbers(ranks); }},
        {"thrown", [&] { thrown(ranks); }},
        {"failure_in_look", [&] { failure_in_look(ranks); }}};
    scenarios.at(argv[1])();
  }
  catch (const std::exception &exception)
  {
    std::cerr << "process " << ranks->rank() << ": " << message_of(exception) << "\n";
    ranks->fail(exception);
    return 1;
  }
  return 0;
}
