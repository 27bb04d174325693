#include "cells.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

using namespace PotentialsTest;

namespace
{
using Clocks = std::vector<unsigned int>;

template <int dim>
bool
same_bits(const NodeTable<dim> &a, const NodeTable<dim> &b)
{
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(NodeState)) == 0;
}

template <int dim>
double
largest_difference(const NodeTable<dim> &a, const NodeTable<dim> &b)
{
  double largest = 0;
  for (unsigned int i = 0; i < a.size(); ++i)
    largest =
        std::max({largest, (a.velocity(i) - b.velocity(i)).norm(),
                  (a.displacement(i) - b.displacement(i)).norm(), std::abs(a[i].time - b[i].time)});
  return largest;
}

template <int dim>
void
set_moving(Body<dim> &body)
{
  std::mt19937 random(7);
  for (unsigned int i = 0; i < body.nodes.size(); ++i)
  {
    body.nodes.set_displacement(i, random_vector<dim>(random, 0.05));
    body.nodes.set_velocity(i, random_vector<dim>(random, 0.2));
  }
}

Clocks
random_clocks(const unsigned int n_kicks, const unsigned int n_clocks)
{
  std::mt19937 random(9);
  Clocks clocks(n_kicks);
  for (unsigned int &clock : clocks)
    clock = random() % n_clocks;
  return clocks;
}

/// Some steps in which clock c is due at every (c+1)th instant.
template <int dim>
void
run(Body<dim> &body, const unsigned int n_clocks)
{
  for (unsigned int i = 1; i <= 12; ++i)
    for (unsigned int c = 0; c < n_clocks; ++c)
      if (i % (c + 1) == 0)
        body.families[0]->kick(body.nodes, c, 0.02 * i, 0.02 * (c + 1));
}

template <int dim>
using Check = std::function<void(Body<dim> &, Body<dim> &)>;

/// For all shapes and materials, with two equal bodies.
template <int dim>
void
for_all_pairs(const Check<dim> &check)
{
  std::mt19937 random(4);
  for (const Shape shape : all_shapes)
    for (const auto &material : all_materials<dim>())
    {
      SCOPED_TRACE("dim " + std::to_string(dim) + " shape " + std::to_string(int(shape)));
      const auto mesh = block<dim>(shape, dim == 2 ? 9 : 5, random);
      Body<dim> a(mesh, material), b(mesh, material);
      set_moving(a);
      set_moving(b);
      check(a, b);
    }
}

/// A clock per cell, kicked in order, gives the bits of one clock for all.
template <int dim>
void
check_lanes()
{
  for_all_pairs<dim>(
      [](Body<dim> &one, Body<dim> &single)
      {
        auto &together = *one.families[0], &alone = *single.families[0];
        const unsigned int n = alone.n_kicks();
        ASSERT_GT(n, 70u);
        Clocks own(n);
        std::iota(own.begin(), own.end(), 0);
        alone.assign_clocks(own, n);
        for (unsigned int i = 1; i < 5; ++i)
        {
          together.kick(one.nodes, 0, 0.02 * i, 0.02);
          for (unsigned int k = 0; k < n; ++k)
            alone.kick(single.nodes, k, 0.02 * i, 0.02);
        }
        EXPECT_TRUE(same_bits(one.nodes, single.nodes));
        for (unsigned int i = 0; i < one.nodes.size(); ++i)
          EXPECT_EQ(one.nodes[i].time, 0.08);
      });
}

/// kick() subtracts step/mass times what force() says, from drifted nodes.
template <int dim>
void
check_kick()
{
  for_all_pairs<dim>(
      [](Body<dim> &body, Body<dim> &expected)
      {
        const auto clocks = random_clocks(body.families[0]->n_kicks(), 3);
        body.families[0]->assign_clocks(clocks, 3);
        body.families[0]->kick(body.nodes, 1, 0.1, 0.05);
        std::vector<Tensor<1, dim>> force;
        std::vector<bool> touched(body.nodes.size(), false);
        auto velocities = expected.nodes;
        for (unsigned int k = 0; k < clocks.size(); ++k)
          if (clocks[k] == 1)
          {
            expected.families[0]->force(expected.nodes, k, 0.1, force);
            const auto support = expected.families[0]->support(k);
            for (unsigned int a = 0; a < support.size(); ++a)
            {
              velocities.set_velocity(support[a],
                                      velocities.velocity(support[a]) +
                                          0.05 / velocities.mass(support[a]) * force[a]);
              touched[support[a]] = true;
            }
          }
        for (unsigned int i = 0; i < body.nodes.size(); ++i)
        {
          EXPECT_LT((body.nodes.velocity(i) - velocities.velocity(i)).norm(), 1e-14);
          EXPECT_EQ(body.nodes[i].time, touched[i] ? 0.1 : 0.);
        }
      });
}

/// Cells that changed their clocks behave as if they had been on the new ones from the start.
template <int dim>
void
check_change()
{
  for_all_pairs<dim>(
      [](Body<dim> &changed, Body<dim> &fresh)
      {
        auto &kicks = *changed.families[0];
        const unsigned int n = kicks.n_kicks();
        const auto before = random_clocks(n, 3);
        auto after = before;
        for (unsigned int k = 0; k < n; k += 3)
          after[k] = (k / 3) % 4;
        kicks.assign_clocks(before, 4);
        fresh.families[0]->assign_clocks(after, 4);
        auto untouched = changed.nodes;
        for (unsigned int k = 0; k < n; ++k)
          if (after[k] != before[k])
            kicks.change_clock(k, after[k]);
        run(changed, 4);
        run(fresh, 4);
        EXPECT_LT(largest_difference(changed.nodes, fresh.nodes), 1e-13);
        EXPECT_GT(largest_difference(changed.nodes, untouched), 1e-2);

        // Back to its own clock, and the other way round: the result is the same bit by bit.
        for (unsigned int k = n; k-- > 0;)
          kicks.change_clock(k, 3);
        for (unsigned int k = n; k-- > 0;)
          kicks.change_clock(k, before[k]);
        fresh.families[0]->assign_clocks(before, 4);
        fresh.nodes = changed.nodes;
        run(changed, 4);
        run(fresh, 4);
        EXPECT_TRUE(same_bits(changed.nodes, fresh.nodes));
      });
}

/// The order in which cells came does not matter.
template <int dim>
void
check_order_of_changes()
{
  for_all_pairs<dim>(
      [](Body<dim> &a, Body<dim> &b)
      {
        const unsigned int n = a.families[0]->n_kicks();
        const auto clocks = random_clocks(n, 3);
        for (Body<dim> *body : {&a, &b})
          body->families[0]->assign_clocks(Clocks(n, 0), 3);
        for (unsigned int k = 0; k < n; ++k)
        {
          a.families[0]->change_clock(k, clocks[k]);
          b.families[0]->change_clock(n - 1 - k, clocks[n - 1 - k]);
        }
        run(a, 3);
        run(b, 3);
        EXPECT_TRUE(same_bits(a.nodes, b.nodes));
      });
}

/// Energies and forces belong to the cell, whatever its clock.
template <int dim>
void
check_look_ups()
{
  for_all_pairs<dim>(
      [](Body<dim> &arranged, Body<dim> &plain)
      {
        auto &kicks = *arranged.families[0];
        kicks.assign_clocks(random_clocks(kicks.n_kicks(), 5), 5);
        kicks.change_clock(3, 2);
        for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
        {
          EXPECT_EQ(kicks.support(k), plain.families[0]->support(k));
          EXPECT_NEAR(kicks.energy(arranged.nodes, k), plain.families[0]->energy(plain.nodes, k),
                      1e-16);
        }
      });
}

/// Copies with fractional and negative steps undo each other.
TEST(CellKicksClocks, StepMayBeNegative)
{
  std::mt19937 random(4);
  Body<3> body(block<3>(Shape::general, 3, random), all_materials<3>()[1]);
  set_moving(body);
  auto nodes = body.nodes;
  body.families[0]->kick(nodes, 0, 0., 0.01);
  EXPECT_GT(largest_difference(nodes, body.nodes), 1e-4);
  body.families[0]->kick(nodes, 0, 0., -0.01);
  EXPECT_LT(largest_difference(nodes, body.nodes), 1e-15);
}

TEST(CellKicksClocks, MemoryIsModest)
{
  std::mt19937 random(4);
  const auto material = all_materials<3>()[1];
  Body<3> boxes(block<3>(Shape::box, 10, random), material);
  EXPECT_LT(boxes.families[0]->bytes_per_cell(), 110);
  Clocks own(1000);
  std::iota(own.begin(), own.end(), 0);
  boxes.families[0]->assign_clocks(own, 1000);
  EXPECT_LT(boxes.families[0]->bytes_per_cell(), 110);
  Body<3> general(block<3>(Shape::general, 10, random), material);
  EXPECT_LT(general.families[0]->bytes_per_cell(), 750);
}
} // namespace

TEST(CellKicksClocks, LanesGiveTheBitsOfOneByOne)
{
  check_lanes<2>();
  check_lanes<3>();
}

TEST(CellKicksClocks, KickAgreesWithForce)
{
  check_kick<2>();
  check_kick<3>();
}

TEST(CellKicksClocks, ChangeOfClock)
{
  check_change<2>();
  check_change<3>();
}

TEST(CellKicksClocks, OrderOfChangesDoesNotMatter)
{
  check_order_of_changes<2>();
  check_order_of_changes<3>();
}

TEST(CellKicksClocks, LookUpsIgnoreClocks)
{
  check_look_ups<2>();
  check_look_ups<3>();
}
