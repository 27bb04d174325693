// Clocks per cell: whatever the stepper and the kernels evaluate together, the result is to the
// last bit that of a plain queue that does one thing at a time.

#include "cells.h"

#include <kickdrift/potentials/loads/loads.h>
#include <kickdrift/stepping/stepper.h>

#include <gtest/gtest.h>

#include <cstring>
#include <set>

using namespace PotentialsTest;

namespace
{
/**
 * Pushes watched nodes around, at times that depend on the kicks it hears of, and keeps a record of
 * all it sees.
 */
template <int dim>
class Pushes : public EventSource<dim>
{
public:
  Pushes(NodeTable<dim> &nodes, const bool with_pushes) : nodes(nodes), with_pushes(with_pushes) {}

  double
  next_time() const override
  {
    return next;
  }

  void
  process(const double time) override
  {
    next = std::numeric_limits<double>::infinity();
    record.push_back(-time);
    nodes[last_node].drift(time);
    Tensor<1, dim> impulse;
    impulse[0] = 0.01 * nodes.mass(last_node);
    nodes.apply_impulse(last_node, impulse);
  }

  void
  nodes_kicked(const dealii::ArrayView<const unsigned int> kicked, const double time) override
  {
    for (const unsigned int node : kicked)
      record.insert(record.end(),
                    {time, double(node), nodes[node].time, nodes.velocity(node).norm()});
    // sometimes at once, sometimes after some kicks of others
    if (with_pushes && ++n_heard % 3 == 0)
    {
      last_node = kicked[0];
      next = time + (n_heard % 2 == 0 ? 0. : 0.01);
    }
  }

  std::vector<double> record;
  unsigned int n_heard = 0;

private:
  NodeTable<dim> &nodes;
  const bool with_pushes;
  unsigned int last_node = 0;
  double next = std::numeric_limits<double>::infinity();
};

/// What may come with the cells.
struct Scene
{
  bool with_followers = false;
  bool with_restraints = false;
  bool with_prescription = false;
  bool with_pushes = false;
};

template <int dim>
Tensor<1, dim>
support_motion(const double time)
{
  Tensor<1, dim> u;
  u[0] = 0.02 * time * time;
  return u;
}

/// A moving block with everything that @p scene wants.
template <int dim>
struct Model
{
  Model(const Mesh<dim> &mesh, const std::shared_ptr<const Material<dim>> &material,
        const Scene &scene)
      : scene(scene), body(mesh, material), pushes(body.nodes, scene.with_pushes)
  {
    std::mt19937 random(7);
    NodeTable<dim> &nodes = body.nodes;
    for (unsigned int i = 0; i < nodes.size(); ++i)
    {
      const auto &x = nodes.reference(i);
      nodes.set_displacement(i, random_vector<dim>(random, 0.02));
      nodes.set_velocity(i, random_vector<dim>(random, 0.2));
      if (scene.with_restraints && x[1] < 0.5)
        nodes.restraints.add(i, random_vector<dim>(random, 1));
      if (scene.with_prescription && x[0] < 0.5)
      {
        Tensor<1, dim> direction;
        direction[0] = 1;
        nodes.restraints.add(i, direction);
        nodes.set_displacement(i, Tensor<1, dim>());
        supported.push_back(i);
      }
      if (i % 17 == 0)
        watched.push_back(i);
    }
    if (scene.with_followers)
      add_loads(random);
  }

  /// Body forces on some cells of the first family, some of them of varying size.
  void
  add_loads(std::mt19937 &random)
  {
    const auto &family = *body.families[0];
    const unsigned int n = body.mesh.nodes_per_cell;
    LoadPoints<dim> points;
    points.nodes_per_kick = n;
    points.points_per_kick = 1;
    std::vector<unsigned int> nodes;
    std::vector<Tensor<1, dim>> forces;
    for (unsigned int k = 0; k < family.n_kicks(); k += 2)
    {
      follows.push_back(k);
      for (const unsigned int node : family.support(k))
      {
        nodes.push_back(node);
        forces.push_back(random_vector<dim>(random, 0.3));
      }
      points.points.emplace_back();
      points.weights.insert(points.weights.end(), n, 0.1);
    }
    points.nodes = nodes;
    const auto density = [](const Point<dim> &, const double time)
    {
      Tensor<1, dim> f;
      f[dim - 1] = std::sin(time);
      return f;
    };
    loads = {std::make_shared<ConstantLoads<dim>>("gravity", n, nodes, forces),
             std::make_shared<VaryingLoads<dim>>("wind", points, density)};
    for (const auto &load : loads)
      load->begin(body.nodes);
  }

  void
  run_stepper(const Phase phase, const double end)
  {
    StepperParameters parameters;
    parameters.clocks = Clocks::per_cell;
    parameters.phase = phase;
    Stepper<dim> stepper(body.nodes, parameters);
    for (const auto &family : body.families)
      stepper.add(family);
    for (const auto &load : loads)
      stepper.add_on_clock_of(load, follows);
    if (scene.with_prescription)
    {
      Tensor<1, dim> direction;
      direction[0] = 1;
      stepper.prescribe(supported, {direction},
                        [](unsigned int, const double t) { return support_motion<dim>(t); });
    }
    if (scene.with_pushes)
    {
      stepper.attach(pushes);
      stepper.watch(watched);
    }
    stepper.start();
    stepper.advance_to(0.4 * end);
    stepper.advance_to(end);
    n_kicks = 0;
    for (const auto &family : stepper.kick_statistics())
      n_kicks += family.count;
  }

  /// The same with a set of (time, kick) for a queue.
  void run_plainly(Phase phase, double end);

  const Scene scene;
  Body<dim> body;
  Pushes<dim> pushes;
  std::vector<unsigned int> watched, supported, follows;
  std::vector<std::shared_ptr<Loads<dim>>> loads;
  std::uint64_t n_kicks = 0;
};

template <int dim>
void
Model<dim>::run_plainly(const Phase phase, const double end)
{
  struct Entry
  {
    CellKicks<dim> *family;
    unsigned int kick;
    Clock clock;
    bool has_loads;
    std::vector<unsigned int> restrained, watched;
  };
  std::vector<Entry> entries;
  const auto steps =
      CriticalSteps<dim>({body.families.begin(), body.families.end()}, body.nodes).reference();
  for (const auto &family : body.families)
    for (unsigned int k = 0; k < family->n_kicks(); ++k)
    {
      const double step = steps[entries.size()];
      Entry entry{family.get(), k, {0.25 * step, phase == Phase::centred, 2}, {}, {}, {}};
      entry.has_loads = scene.with_followers && family == body.families[0] && k % 2 == 0;
      auto support = family->support(k);
      std::sort(support.begin(), support.end());
      for (const unsigned int node : support)
      {
        if (body.nodes.restraints.is_restrained(node))
          entry.restrained.push_back(node);
        if (std::find(watched.begin(), watched.end(), node) != watched.end())
          entry.watched.push_back(node);
      }
      entries.push_back(entry);
    }
  std::set<std::pair<double, unsigned int>> queue;
  std::vector<unsigned int> own;
  double support_step = std::numeric_limits<double>::infinity();
  for (unsigned int u = 0; u < entries.size(); ++u)
  {
    queue.emplace(entries[u].clock.time(), u);
    own.push_back(u);
    for (const unsigned int node : entries[u].family->support(entries[u].kick))
      if (std::find(supported.begin(), supported.end(), node) != supported.end())
        support_step = std::min(support_step, entries[u].clock.step());
  }
  unsigned int first = 0;
  for (const auto &family : body.families)
  {
    std::vector<unsigned int> clocks(own.begin() + first, own.begin() + first + family->n_kicks());
    family->assign_clocks(clocks, entries.size());
    first += family->n_kicks();
  }
  for (const auto &load : loads)
    load->assign_clocks(follows, entries.size());

  NodeTable<dim> &nodes = body.nodes;
  Tensor<1, dim> direction;
  direction[0] = 1;
  Clock support_clock = {0.5 * support_step, 0, 2};
  const auto support_velocity = [&](const unsigned int node)
  {
    return (support_motion<dim>(support_clock.time() + support_clock.step()) -
            nodes.displacement(node)) /
           support_clock.step();
  };
  for (const unsigned int node : supported)
    nodes.set_velocity(node, nodes.restraints.set_initial_support_velocity(
                                 node, {direction}, support_velocity(node), nodes.velocity(node)));
  while (true)
  {
    const double kick = queue.begin()->first;
    const double push = scene.with_pushes ? pushes.next_time() : 2 * end;
    const double support = scene.with_prescription ? support_clock.time() : 2 * end;
    if (std::min({kick, push, support}) > end)
      break;
    if (kick <= push && kick <= support)
    {
      const unsigned int u = queue.begin()->second;
      Entry &entry = entries[u];
      queue.erase(queue.begin());
      const double step = entry.clock.step();
      entry.family->kick(nodes, u, kick, step);
      ++n_kicks;
      if (entry.has_loads)
        for (const auto &load : loads)
        {
          load->kick(nodes, u, kick, step);
          load->book(nodes, u, kick);
          ++n_kicks;
        }
      for (const unsigned int node : entry.restrained)
        nodes.enforce_restraint(node);
      entry.clock.advance();
      queue.emplace(entry.clock.time(), u);
      if (scene.with_pushes && !entry.watched.empty())
        pushes.nodes_kicked(dealii::make_array_view(entry.watched), kick);
    }
    else if (support <= push)
    {
      std::vector<unsigned int> heard;
      for (const unsigned int node : supported)
      {
        nodes[node].drift(support);
        nodes.set_velocity(
            node, nodes.restraints.set_support_velocity(node, {direction}, support_velocity(node),
                                                        nodes.velocity(node), nodes.mass(node)));
        if (std::find(watched.begin(), watched.end(), node) != watched.end())
          heard.push_back(node);
      }
      support_clock.advance();
      if (scene.with_pushes && !heard.empty())
        pushes.nodes_kicked(dealii::make_array_view(heard), support);
    }
    else
      pushes.process(push);
  }
}

template <int dim>
void
compare(const Mesh<dim> &mesh, const std::shared_ptr<const Material<dim>> &material,
        const Scene &scene, const Phase phase)
{
  Model<dim> together(mesh, material, scene), plain(mesh, material, scene);
  const auto &kicks = *together.body.families[0];
  const double end = 20 * kicks.critical_step(0, together.body.own_masses(kicks, 0));
  together.run_stepper(phase, end);
  plain.run_plainly(phase, end);
  EXPECT_GT(plain.n_kicks, 20u * mesh.n_cells());
  EXPECT_EQ(together.n_kicks, plain.n_kicks);
  const auto &a = together.body.nodes, &b = plain.body.nodes;
  EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(NodeState)), 0);
  for (unsigned int i = 0; i < a.size(); ++i)
    EXPECT_EQ(a.restraints.reaction(i), b.restraints.reaction(i));
  EXPECT_EQ(a.restraints.prescribed_work(), b.restraints.prescribed_work());
  EXPECT_EQ(together.pushes.record, plain.pushes.record);
  EXPECT_EQ(together.pushes.n_heard > 30, scene.with_pushes);
  EnergyBalance energy_a, energy_b;
  for (unsigned int l = 0; l < together.loads.size(); ++l)
  {
    together.loads[l]->add_energy(a, energy_a);
    plain.loads[l]->add_energy(b, energy_b);
  }
  EXPECT_EQ(energy_a.external_work, energy_b.external_work);
  EXPECT_EQ(energy_a.external_work != 0, scene.with_followers);
}

template <int dim>
void
check_all_cells()
{
  std::mt19937 random(4);
  for (const Shape shape : all_shapes)
    for (const auto &material : all_materials<dim>())
    {
      SCOPED_TRACE("dim " + std::to_string(dim) + " shape " + std::to_string(int(shape)));
      compare(block<dim>(shape, dim == 2 ? 5 : 3, random), material, {}, Phase::centred);
    }
}

template <int dim>
void
check_scenes()
{
  std::mt19937 random(5);
  const auto material = all_materials<dim>()[1];
  for (const Shape shape : {Shape::box, Shape::general})
  {
    const auto mesh = block<dim>(shape, dim == 2 ? 7 : 4, random);
    for (unsigned int i = 1; i < 16; ++i)
    {
      SCOPED_TRACE("dim " + std::to_string(dim) + " scene " + std::to_string(i));
      compare(mesh, material, {bool(i & 1), bool(i & 2), bool(i & 4), bool(i & 8)},
              i % 2 ? Phase::centred : Phase::start);
    }
  }
}

/// Equal cells: everything comes at the same time, and neighbours share batches.
template <int dim>
void
check_equal_cells()
{
  Mesh<dim> mesh;
  mesh.nodes_per_cell = 1 << dim;
  const unsigned int n = 4;
  for (unsigned int p = 0; p < std::lround(std::pow(n + 1, dim)); ++p)
  {
    Point<dim> x;
    for (unsigned int d = 0, rest = p; d < dim; ++d, rest /= n + 1)
      x[d] = rest % (n + 1);
    mesh.points.push_back(x);
  }
  for (unsigned int c = 0; c < std::lround(std::pow(n, dim)); ++c)
    for (unsigned int corner = 0; corner < 1u << dim; ++corner)
      mesh.nodes.push_back(block_node<dim>(c, corner, n));
  for (unsigned int i = 0; i < 16; ++i)
    compare(mesh, all_materials<dim>()[1], {bool(i & 1), bool(i & 2), bool(i & 4), bool(i & 8)},
            Phase::centred);
}
} // namespace

TEST(KicksInTurn, AreTheBitsOfAPlainQueue)
{
  check_all_cells<2>();
  check_all_cells<3>();
}

TEST(KicksInTurn, WithLoadsRestraintsMovingSupportsAndPushes)
{
  check_scenes<2>();
  check_scenes<3>();
}

TEST(KicksInTurn, OfEqualCells)
{
  check_equal_cells<2>();
  check_equal_cells<3>();
}
