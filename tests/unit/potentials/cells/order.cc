// What does not depend on the order in which cells are handed over, or on where they lie.
#include "cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace PotentialsTest;

namespace
{
/// Some of the cells, in an order.
template <int dim>
CellData<dim>
some_cells(const CellData<dim> &data, const std::vector<unsigned int> &cells)
{
  CellData<dim> result;
  result.nodes_per_cell = data.nodes_per_cell;
  result.points_per_cell = data.points_per_cell;
  const auto append = [&](auto &to, const auto &from, const unsigned int n)
  {
    for (const unsigned int cell : cells)
      to.insert(to.end(), from.begin() + cell * n, from.begin() + (cell + 1) * n);
  };
  append(result.nodes, data.nodes, data.nodes_per_cell);
  append(result.masses, data.masses, data.nodes_per_cell);
  append(result.inverse_jacobians, data.inverse_jacobians, data.points_per_cell);
  append(result.weights, data.weights, data.points_per_cell);
  return result;
}

using MakeKicks = std::vector<std::shared_ptr<CellKicks<3>>> (*)(const CellData<3> &);

/// Critical steps of the cells with these numbers, by number.
std::vector<double>
steps(const CellData<3> &data, const std::vector<unsigned int> &cells, const MakeKicks make)
{
  std::vector<double> result(data.nodes.size() / data.nodes_per_cell, 0.);
  for (const auto &family : make(some_cells(data, cells)))
  {
    const auto of_family = family->critical_steps(
        [&](const unsigned int k, std::vector<double> &masses) { family->own_masses(k, masses); });
    for (unsigned int k = 0; k < family->n_kicks(); ++k)
    {
      result[cells[family->cell(k)]] = of_family[k];
      std::vector<double> masses;
      family->own_masses(k, masses);
      EXPECT_EQ(family->critical_step(k, masses), of_family[k]) << "one by one, or all";
    }
  }
  return result;
}

std::vector<std::shared_ptr<CellKicks<3>>>
standard(const CellData<3> &data)
{
  return make_cell_kicks<3>(data, std::make_shared<NeoHookean<3>>(1.3, 2.1, 0.3));
}

std::vector<std::shared_ptr<CellKicks<3>>>
one_point(const CellData<3> &data)
{
  return make_one_point_kicks<3>(data, std::make_shared<NeoHookean<3>>(1.3, 2.1, 0.3),
                                 HourglassControl());
}

/// Cells that are equal but for round-off, as those of a shifted grid are.
CellData<3>
nearly_equal_cells(const Shape shape, std::mt19937 &random)
{
  CellData<3> data = cell_data<3>(block<3>(shape, 1, random), 1.3);
  const unsigned int n_cells = data.nodes.size() / data.nodes_per_cell;
  std::vector<unsigned int> often;
  for (unsigned int copy = 0; copy < 40; ++copy)
    for (unsigned int cell = 0; cell < n_cells; ++cell)
      often.push_back(cell);
  data = some_cells(data, often);
  const auto perturb = [&](double &x) { x *= 1 + uniform(random, -4e-16, 4e-16); };
  for (auto &J : data.inverse_jacobians)
    for (unsigned int i = 0; i < 3; ++i)
      for (unsigned int j = 0; j < 3; ++j)
        perturb(J[i][j]);
  std::for_each(data.weights.begin(), data.weights.end(), perturb);
  std::for_each(data.masses.begin(), data.masses.end(), perturb);
  return data;
}
} // namespace

TEST(Order, critical_steps_do_not_depend_on_which_cell_comes_first)
{
  std::mt19937 random(3);
  for (const Shape shape : all_shapes)
    for (const MakeKicks make : {&standard, &one_point})
    {
      if (make == &one_point && shape == Shape::simplex)
        continue;
      const CellData<3> data = nearly_equal_cells(shape, random);
      std::vector<unsigned int> order(data.nodes.size() / data.nodes_per_cell);
      std::iota(order.begin(), order.end(), 0);
      const auto expected = steps(data, order, make);
      for (unsigned int times = 0; times < 5; ++times)
      {
        std::shuffle(order.begin(), order.end(), random);
        EXPECT_EQ(steps(data, order, make), expected);
        const unsigned int half = order.size() / 2;
        const auto first = steps(data, {order.begin(), order.begin() + half}, make);
        const auto second = steps(data, {order.begin() + half, order.end()}, make);
        for (unsigned int cell = 0; cell < order.size(); ++cell)
          EXPECT_EQ(first[cell] + second[cell], expected[cell]); // the other one is zero
      }
    }
}

TEST(Order, energies_do_not_depend_on_clocks)
{
  std::mt19937 random(7);
  for (const Shape shape : all_shapes)
  {
    Body<3> body(block<3>(shape, 3, random), std::make_shared<NeoHookean<3>>(1.3, 2.1, 0.3));
    body.displace([&](const Point<3> &) { return random_vector<3>(random, 0.05); });
    const auto energy = [&]
    {
      EnergyBalance balance;
      for (const auto &family : body.families)
        family->add_energy(body.nodes, balance);
      return balance.strain;
    };
    const double expected = energy();
    double sum = 0;
    for (const auto &family : body.families)
      for (unsigned int k = 0; k < family->n_kicks(); ++k)
        sum += family->energy(body.nodes, k);
    EXPECT_EQ(sum, expected) << "one by one, or all";
    for (unsigned int times = 0; times < 5; ++times)
    {
      for (const auto &family : body.families)
      {
        std::vector<unsigned int> clocks(family->n_kicks());
        for (unsigned int &clock : clocks)
          clock = random() % 5;
        family->assign_clocks(clocks, 5);
      }
      EXPECT_EQ(energy(), expected);
    }
  }
}

TEST(Order, nodes_drift_alike_whoever_drifts_them)
{
  std::mt19937 random(11);
  Body<3> body(block<3>(Shape::general, 3, random), std::make_shared<NeoHookean<3>>(1.3, 2.1, 0.3));
  ASSERT_EQ(body.families.size(), 1u);
  const auto &family = *body.families[0];
  for (unsigned int times = 0; times < 20; ++times)
  {
    for (unsigned int node = 0; node < body.nodes.size(); ++node)
    {
      body.nodes.set_displacement(node, random_vector<3>(random, 0.1));
      body.nodes.set_velocity(node, random_vector<3>(random, 1));
      body.nodes[node].time = uniform(random, 0, 1);
    }
    auto expected = body.nodes;
    const double time = uniform(random, 1, 2);
    for (unsigned int node = 0; node < expected.size(); ++node)
      expected[node].drift(time);
    family.kick(body.nodes, 0, time, 0.);
    for (unsigned int node = 0; node < expected.size(); ++node)
      EXPECT_EQ(std::memcmp(&expected[node], &body.nodes[node], 4 * sizeof(double)), 0) << node;
  }
}
