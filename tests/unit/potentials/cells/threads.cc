// Kicks that several threads share: the bits of one thread, for all kinds of cells and clocks.

#include "cells.h"

#include <kickdrift/potentials/loads/loads.h>
#include <kickdrift/stepping/stepper.h>
#include <kickdrift/stepping/threads.h>

#include <gtest/gtest.h>

#include <cstring>
#include <mutex>
#include <set>

using namespace PotentialsTest;

namespace
{
/// Remembers which threads have asked it.
template <int dim>
class WatchedMaterial : public UserMaterial<dim>
{
public:
  using UserMaterial<dim>::UserMaterial;

  Tensor<2, dim>
  stress(const Tensor<2, dim> &H) const override
  {
    const std::lock_guard<std::mutex> lock(mutex);
    callers.insert(std::this_thread::get_id());
    return UserMaterial<dim>::stress(H);
  }

  unsigned int
  n_callers() const
  {
    return callers.size();
  }

private:
  mutable std::mutex mutex;
  mutable std::set<std::thread::id> callers;
};

template <int dim>
bool
same_bits(const NodeTable<dim> &a, const NodeTable<dim> &b)
{
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(NodeState)) == 0;
}

template <int dim>
void
set_moving(NodeTable<dim> &nodes)
{
  std::mt19937 random(7);
  for (unsigned int i = 0; i < nodes.size(); ++i)
  {
    nodes.set_displacement(i, random_vector<dim>(random, 0.05));
    nodes.set_velocity(i, random_vector<dim>(random, 0.2));
  }
}

/// Cells per edge, so that there are enough for four shares of half of the cells.
template <int dim>
unsigned int
block_size(const Shape shape)
{
  const bool simplices = shape == Shape::simplex;
  return dim == 2 ? (simplices ? 29 : 41) : (simplices ? 7 : 12);
}

/// Nodes after some steps with two clocks, during which cells change theirs.
template <int dim>
NodeTable<dim>
after_some_steps(Body<dim> body, const unsigned int n_threads, const bool is_ordered)
{
  set_moving(body.nodes);
  CellKicks<dim> &kicks = *body.families[0];
  const unsigned int n = kicks.n_kicks();
  std::mt19937 random(9);
  std::vector<unsigned int> clocks(n);
  for (unsigned int k = 0; k < n; ++k)
    clocks[k] = is_ordered ? k / (n / 2 + 1) : random() % 2;
  if (n_threads > 0)
    kicks.use_threads(std::make_shared<Threads>(n_threads), body.nodes);
  kicks.assign_clocks(clocks, 3);
  for (unsigned int i = 1; i <= 4; ++i)
  {
    for (unsigned int c = 0; c < 3; ++c)
      if (i % (c + 1) == 0)
        kicks.kick(body.nodes, c, 0.02 * i, 0.02 * (c + 1));
    for (unsigned int j = 0; j < 20; ++j)
    {
      const unsigned int k = random() % n;
      kicks.change_clock(k, i < 3 ? random() % 3 : clocks[k]);
    }
  }
  return body.nodes;
}

template <int dim>
void
check_bits()
{
  std::mt19937 random(4);
  const auto materials = all_materials<dim>();
  unsigned int m = 0;
  for (const Shape shape : all_shapes)
    for (const bool is_ordered : {true, false})
    {
      SCOPED_TRACE("dim " + std::to_string(dim) + " shape " + std::to_string(int(shape)));
      const Body<dim> body(block<dim>(shape, block_size<dim>(shape), random),
                           materials[m++ % materials.size()]);
      ASSERT_EQ(body.families.size(), 1u);
      const auto alone = after_some_steps(body, 0, is_ordered);
      EXPECT_FALSE(same_bits(alone, body.nodes));
      for (const unsigned int n_threads : {1u, 2u, 3u, 4u})
      {
        const Body<dim> again(body.mesh, materials[(m - 1) % materials.size()]);
        EXPECT_TRUE(same_bits(alone, after_some_steps(again, n_threads, is_ordered)))
            << n_threads << " threads";
      }
    }
}

TEST(CellKicksThreads, BitsDoNotDependOnTheirNumber)
{
  check_bits<2>();
  check_bits<3>();
}

TEST(CellKicksThreads, AllTakePart)
{
  std::mt19937 random(4);
  for (const unsigned int n_threads : {1u, 2u, 4u, 7u})
  {
    const auto material = std::make_shared<WatchedMaterial<2>>(1.3, 2.1, 0.3);
    Body<2> body(block<2>(Shape::box, 30, random), material);
    body.families[0]->use_threads(std::make_shared<Threads>(n_threads), body.nodes);
    body.families[0]->assign_clocks(std::vector<unsigned int>(900, 0), 1);
    const auto before = body.nodes;
    body.families[0]->kick(body.nodes, 0, 0.1, 0.1);
    EXPECT_EQ(material->n_callers(), std::min(n_threads, 4u)) << "900 cells are worth four shares";
  }
}

TEST(CellKicksThreads, NoticeForcesThatAreNotFinite)
{
  std::mt19937 random(4);
  const auto mesh = block<2>(Shape::box, 30, random);
  // in the share of any thread, and at the border of two
  for (unsigned int node = 0; node < mesh.points.size(); node += 13)
  {
    Body<2> body(mesh, std::make_shared<NeoHookean<2>>(1.3, 2.1, 0.3));
    body.families[0]->use_threads(std::make_shared<Threads>(4), body.nodes);
    body.families[0]->assign_clocks(std::vector<unsigned int>(900, 0), 1);
    body.families[0]->kick(body.nodes, 0, 0.1, 0.1);
    EXPECT_FALSE(body.families[0]->undefined_clock());
    body.nodes.set_displacement(node, Point<2>(50, 50));
    body.families[0]->kick(body.nodes, 0, 0.1, 0.1);
    EXPECT_EQ(body.families[0]->undefined_clock(), 0u);
  }
}

/// Steps in two groups of cells that share nodes, with loads, restraints and promotions.
NodeTable<3>
whole_run(const Mesh<3> &mesh, const Clocks clocks, const unsigned int n_threads)
{
  Body<3> body(mesh, std::make_shared<NeoHookean<3>>(1.3, 2.1, 0.3));
  set_moving(body.nodes);
  for (unsigned int node = 0; node < body.nodes.size(); ++node)
    if (body.nodes.reference(node)[0] == 0)
      body.nodes.restraints.add(node, Tensor<1, 3>({0.6, 0.8, 0.}));

  StepperParameters parameters;
  parameters.clocks = clocks;
  parameters.threads = n_threads;
  Stepper<3> stepper(body.nodes, parameters);
  for (const auto &family : body.families)
    stepper.add(family);
  LoadPoints<3> load;
  load.nodes_per_kick = load.points_per_kick = 8;
  load.nodes = body.data.nodes;
  for (const unsigned int node : load.nodes)
    load.points.push_back(body.nodes.reference(node));
  load.weights.assign(8 * load.nodes.size(), 0.);
  for (unsigned int i = 0; i < load.nodes.size(); ++i)
    load.weights[8 * i + i % 8] = 0.125;
  // the families are sorted by kind of cell; whom a load follows is not the point here
  std::vector<unsigned int> ids(mesh.n_cells());
  for (unsigned int cell = 0; cell < ids.size(); ++cell)
    ids[cell] = cell;
  auto loads = std::make_shared<ConstantLoads<3>>("load", load,
                                                  [](const Point<3> &x) {
                                                    return Tensor<1, 3>({0., 0.1 * x[0], 0.2});
                                                  });
  loads->begin(body.nodes);
  stepper.add_on_clock_of(loads, ids);
  stepper.start();
  const double period =
      2 * stepper.levels().classes().step(stepper.levels().classes().n_classes - 1);
  for (unsigned int i = 1; i <= 3; ++i)
  {
    for (unsigned int id = i; id < stepper.levels().n_kicks(); id += 50)
      stepper.promote(id, 0, (i + 0.3) * period);
    stepper.advance_to(i * period);
  }
  EXPECT_TRUE(clocks == Clocks::one || stepper.levels().n_class_changes() > 20);
  stepper.advance_to(3.1 * period);
  return stepper.snapshot(3.1 * period);
}

TEST(StepperThreads, BitsDoNotDependOnTheirNumber)
{
  std::mt19937 random(4);
  auto mesh = block<3>(Shape::box, 10, random);
  for (auto &point : mesh.points) // thin cells on one side, where some are distorted
  {
    point[0] = 0.02 * point[0] + 0.05 * point[0] * point[0];
    if (point[0] > 0 && point[0] < 1)
      point += random_vector<3>(random, 0.02);
  }
  for (const Clocks clocks : {Clocks::one, Clocks::nested})
  {
    const auto alone = whole_run(mesh, clocks, 1);
    for (const unsigned int n_threads : {2u, 3u, 4u})
      EXPECT_TRUE(same_bits(alone, whole_run(mesh, clocks, n_threads))) << n_threads << " threads";
  }
}

TEST(StepperThreads, ClocksPerCellAreForOne)
{
  std::mt19937 random(4);
  Body<2> body(block<2>(Shape::box, 2, random), all_materials<2>()[0]);
  StepperParameters parameters;
  parameters.clocks = Clocks::per_cell;
  parameters.threads = 2;
  EXPECT_THROW(Stepper<2>(body.nodes, parameters), Stepper<2>::ExcParameter);
}
} // namespace
