// Models that processes have set up with Dynamics: test_parallel_models SCENARIO, started by
// mpirun. Every process checks what it sees and returns 0 if that is right.

#include <kickdrift/base/messages.h>
#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/potentials/materials/built_in_materials.h>
#include <kickdrift/stepping/kicks/node_owners.h>

#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>

#include "parallel/scenarios.h"

#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

using namespace KickDrift;
using namespace dealii;
using KickDriftTests::expect;
using KickDriftTests::run_scenario;

namespace
{
void
expect_message(const std::function<void()> &work, const std::string &text)
{
  std::string seen;
  try
  {
    work();
  }
  catch (const std::exception &exception)
  {
    seen = message_of(exception);
  }
  expect(seen.find(text) != std::string::npos, "'" + text + "', not '" + seen + "'");
}

/// Every process has all of it.
struct Square
{
  static constexpr unsigned int n_nodes = 25;

  Square() : mapping(1), dofs(mesh)
  {
    GridGenerator::subdivided_hyper_cube(mesh, 4, 0, 1, true);
    dofs.distribute_dofs(FESystem<2>(FE_Q<2>(1), 2));
  }

  DynamicBody<2> &
  add_to(Dynamics<2> &dynamics, const std::string &name = "plate") const
  {
    return dynamics.add_body(dofs, mapping, std::make_shared<NeoHookean<2>>(1., 1., 0.3), name);
  }

  Triangulation<2> mesh;
  MappingQ<2> mapping;
  DoFHandler<2> dofs;
};

StepperParameters
with(const std::shared_ptr<Ranks> &ranks)
{
  StepperParameters result;
  result.ranks = ranks;
  return result;
}

std::function<Tensor<1, 2>(double)>
motion(const double speed)
{
  return [speed](const double time) { return Tensor<1, 2>({0., speed * time}); };
}

/// A plate above a wall.
struct SetUp
{
  explicit SetUp(const std::shared_ptr<Ranks> &ranks) : stepping(with(ranks))
  {
    contact.damping = {[](double) { return 0.1; }};
  }

  void
  run()
  {
    const Square square;
    Dynamics<2> dynamics(stepping, strain);
    auto &plate = square.add_to(dynamics, name);
    plate.restrain({3});
    dynamics.stepper().prescribe(plate.body().boundary_nodes({3}), {Point<2>::unit_vector(1)},
                                 [u = motion(speed)](unsigned int, const double time)
                                 { return u(time); });
    dynamics.enable_contact(contact, {wall});
    dynamics.stop_at_energy_error(energy_limit);
    dynamics.start(check);
    dynamics.advance_to(0.1);
  }

  StepperParameters stepping;
  Dynamics<2>::Strain strain = Dynamics<2>::Strain::on;
  Dynamics<2>::OverlapCheck check = Dynamics<2>::OverlapCheck::at_start;
  std::string name = "plate";
  double speed = 0.1;        ///< of its upper side
  double energy_limit = 1e6; ///< so that it is looked at
  ContactParameters contact;
  Obstacle<2> wall = {"wall", std::make_shared<HalfSpace<2>>(Point<2>(0, -1), Point<2>(0, 1)),
                      motion(-0.01), 0.};
};

/// What the first process sets up otherwise: all refuse it.
const std::vector<std::pair<std::string, std::function<void(SetUp &)>>> differences = {
    {"ratio", [](SetUp &set_up) { set_up.stepping.time_step_ratio = 0.4; }},
    {"phase", [](SetUp &set_up) { set_up.stepping.phase = Phase::start; }},
    {"stability rule", [](SetUp &set_up) { set_up.stepping.stability_rule = false; }},
    {"spare classes", [](SetUp &set_up) { set_up.stepping.spare_classes = 3; }},
    {"owners",
     [](SetUp &set_up)
     {
       set_up.stepping.owners = std::make_shared<NodeOwners>(
           std::vector<unsigned int>(Square::n_nodes, NodeOwners::everybody));
     }},
    {"strain", [](SetUp &set_up) { set_up.strain = Dynamics<2>::Strain::off; }},
    {"overlap", [](SetUp &set_up) { set_up.check = Dynamics<2>::OverlapCheck::later; }},
    {"name", [](SetUp &set_up) { set_up.name = "disc"; }},
    {"prescribed motion", [](SetUp &set_up) { set_up.speed = 0.2; }},
    {"energy limit",
     [](SetUp &set_up) { set_up.energy_limit = std::numeric_limits<double>::infinity(); }},
    {"no contact", [](SetUp &set_up) { set_up.contact.enabled = false; }},
    {"restitution of a pair",
     [](SetUp &set_up) {
       set_up.contact.restitution_of_pairs = {{"plate", "wall", 0.5}};
     }},
    {"friction of a pair",
     [](SetUp &set_up) {
       set_up.contact.friction_of_pairs = {{"plate", "wall", 0.5}};
     }},
    {"group", [](SetUp &set_up) { set_up.contact.group_of_body["plate"] = "plates"; }},
    {"damping", [](SetUp &set_up) { set_up.contact.damping = {[](double) { return 0.2; }}; }},
    {"schedule", [](SetUp &set_up) { set_up.contact.schedule = Schedule::synchronous; }},
    {"layers", [](SetUp &set_up) { set_up.contact.layers.depth = 10; }},
    {"shape", // as far from the origin
     [](SetUp &set_up) {
       set_up.wall.shape = std::make_shared<HalfSpace<2>>(Point<2>(-0.6, -0.8), Point<2>(0.6, 0.8));
     }},
    {"motion of the wall", [](SetUp &set_up) { set_up.wall.displacement = motion(-0.02); }},
    {"acceleration of the wall", [](SetUp &set_up) { set_up.wall.largest_acceleration = 1.; }}};

void
unlike_models(const std::shared_ptr<Ranks> &ranks)
{
  SetUp(ranks).run();
  SetUp with_threads(ranks);
  with_threads.stepping.threads = ranks->is_first() ? 2 : 1; // which changes no bits
  with_threads.run();
  for (const auto &[name, change] : differences)
  {
    SetUp set_up(ranks);
    if (ranks->is_first())
      change(set_up);
    try
    {
      set_up.run();
    }
    catch (const DynamicsExceptions::ExcModelsDiffer &)
    {
      continue; // the processes can go on with other models
    }
    expect(false, "refusal of another " + name);
  }
}

/// A wall that breaks when it is asked too often.
class Breaking : public HalfSpace<2>
{
public:
  explicit Breaking(const unsigned int n_allowed)
      : HalfSpace<2>(Point<2>(0, -1), Point<2>(0, 1)), n_left(n_allowed)
  {
  }

  double
  distance(const Point<2> &point) const override
  {
    if (n_left == 0)
      throw std::runtime_error("the wall breaks");
    --n_left;
    return HalfSpace<2>::distance(point);
  }

private:
  mutable unsigned int n_left;
};

/// What is wrong on the last process all hear of.
void
alone(const Ranks &ranks)
{
  const bool is_last = ranks.rank() + 1 == ranks.size();
  {
    const Square square;
    Dynamics<2> dynamics(with(Ranks::of_launcher()));
    if (!is_last)
      square.add_to(dynamics);
    expect_message([&] { dynamics.start(); }, "Dynamics has no body");
  }
  {
    Square square;
    Dynamics<2> dynamics(with(Ranks::of_launcher()));
    square.add_to(dynamics);
    if (is_last)
      square.mesh.refine_global();
    expect_message([&] { dynamics.advance_to(0.1); }, "has been changed");
  }
  {
    Square square;
    Dynamics<2> dynamics(with(Ranks::of_launcher()));
    square.add_to(dynamics);
    dynamics.advance_to(0.1);
    if (is_last)
      square.mesh.refine_global();
    expect_message([&] { dynamics.advance_to(0.2); }, "has been changed");
  }
  // while models are compared, and while contact looks around
  for (const unsigned int n_allowed : {0u, Square::n_nodes})
  {
    const Square square;
    Dynamics<2> dynamics(with(Ranks::of_launcher()));
    square.add_to(dynamics);
    dynamics.enable_contact(
        {}, {{"wall", std::make_shared<Breaking>(is_last ? n_allowed : 1000000), {}, {}}});
    expect_message([&] { dynamics.start(); }, "the wall breaks");
    expect_message([&] { dynamics.advance_to(0.1); }, "has not come to its end");
  }
}

/// What is wrong on all can be mended.
void
all_alike(const std::shared_ptr<Ranks> &ranks)
{
  const Square square;
  Dynamics<2> dynamics(with(ranks));
  expect_message([&] { dynamics.start(); }, "Dynamics has no body");
  square.add_to(dynamics);
  dynamics.advance_to(0.1);
}
} // namespace

int
main(int, char **argv)
{
  const auto ranks = Ranks::of_launcher();
  return run_scenario(*ranks, argv[1],
                      {{"unlike_models", [&] { unlike_models(ranks); }},
                       {"failure_in_start", [&] { alone(*ranks); }},
                       {"mended_models", [&] { all_alike(ranks); }}});
}
