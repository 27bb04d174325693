// Cells that are deleted.

#include "cells.h"

#include <kickdrift/base/archive.h>
#include <kickdrift/potentials/cells/viscosity.h>
#include <kickdrift/potentials/materials/plasticity.h>
#include <kickdrift/potentials/section_impulses.h>
#include <kickdrift/stepping/stepper.h>

#include <gtest/gtest.h>

#include <cstring>

using namespace PotentialsTest;

namespace
{
template <int dim>
Tensor<1, dim>
momentum(const NodeTable<dim> &nodes, const unsigned int begin, const unsigned int end)
{
  Tensor<1, dim> sum;
  for (unsigned int i = begin; i < end; ++i)
    sum += nodes.mass(i) * nodes.velocity(i);
  return sum;
}

template <int dim>
bool
same_bits(const NodeTable<dim> &a, const NodeTable<dim> &b)
{
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(NodeState)) == 0;
}

/// Squares in a row from x = -n/2 to n/2, pulled apart at a uniform rate; the one in the middle, or
/// all, may fail. E = 1, density 1, Poisson's ratio 0, so that waves have the speed 1.
struct Bar
{
  Bar(const std::shared_ptr<const Material<2>> &material, const StepperParameters &parameters,
      const double failure_strain)
      : body(row(), material), stepper(body.nodes, parameters)
  {
    for (unsigned int i = 0; i < body.nodes.size(); ++i)
      body.nodes.set_velocity(i, Point<2>(rate * body.nodes.reference(i)[0], 0));
    // the same cells in two families: the middle and the rest
    for (const bool in_middle : {false, true})
    {
      Mesh<2> part = body.mesh;
      part.nodes.clear();
      for (unsigned int cell = 0; cell < n; ++cell)
        if ((cell == n / 2) == in_middle)
          part.nodes.insert(part.nodes.end(), &body.mesh.nodes[4 * cell],
                            &body.mesh.nodes[4 * cell] + 4);
      const auto kicks = make_cell_kicks(cell_data(part, 1.), material);
      EXPECT_EQ(kicks.size(), 1u);
      if (in_middle)
        kicks[0]->set_failure_strain(failure_strain);
      first_id = stepper.add(kicks[0]);
      middle = kicks[0];
    }
    stepper.start();
  }

  static Mesh<2>
  row()
  {
    Mesh<2> mesh;
    mesh.nodes_per_cell = 4;
    for (unsigned int i = 0; i <= n; ++i)
      for (const double y : {0., 1.})
        mesh.points.emplace_back(i - 0.5 * n, y);
    for (unsigned int i = 0; i < n; ++i)
      for (const unsigned int node : {2 * i, 2 * i + 2, 2 * i + 1, 2 * i + 3})
        mesh.nodes.push_back(node);
    return mesh;
  }

  static constexpr unsigned int n = 21;
  static constexpr double rate = 0.025;

  Body<2> body;
  Stepper<2> stepper;
  std::shared_ptr<CellKicks<2>> middle;
  unsigned int first_id = 0;
};

TEST(Deletion, BarBreaksWhenTheStrainIsReachedAndEnergyIsBooked)
{
  // Waves from the free ends need a time of about 10 to the middle; until then it is strained as
  // if the bar were infinite.
  const double strain = 0.05, when = (std::exp(strain) - 1) / Bar::rate;
  for (const Clocks clocks : {Clocks::one, Clocks::nested, Clocks::per_cell})
    for (const Phase phase : {Phase::centred, Phase::start})
    {
      StepperParameters parameters;
      parameters.clocks = clocks;
      parameters.phase = phase;
      Bar bar(std::make_shared<LinearElastic<2>>(1., 1., 0.), parameters, strain);
      const auto total = [&]
      { return bar.stepper.energy(bar.stepper.snapshot(bar.stepper.time())).total(); };
      const double step = bar.stepper.levels().natural_step(bar.first_id);
      const double first = phase == Phase::centred ? 0.5 * step : 0.;
      const double time_of_kick = first + std::ceil((when - first) / step) * step;
      const double before = total();
      bar.stepper.advance_to(time_of_kick - 1e-9);
      EXPECT_FALSE(bar.middle->is_deleted(0));
      const double just_before = total();
      bar.stepper.advance_to(time_of_kick + 1e-9);
      EXPECT_TRUE(bar.middle->is_deleted(0));
      // V goes from one account to another, and nothing else happens
      EXPECT_NEAR(total(), just_before, 1e-8 * before);
      const auto balance = bar.stepper.energy(bar.stepper.snapshot(bar.stepper.time()));
      EXPECT_NEAR(balance.eroded_energy, 0.5 * std::pow(Bar::rate * time_of_kick, 2),
                  1e-7 * balance.eroded_energy);

      const auto half = [&]
      {
        const auto nodes = bar.stepper.snapshot(bar.stepper.time());
        return momentum(nodes, Bar::n + 1, nodes.size());
      };
      const auto of_half = half();
      const auto strain_kicks = bar.stepper.kick_statistics()[0].count;
      bar.stepper.advance_to(60);
      EXPECT_GT(bar.stepper.kick_statistics()[0].count, strain_kicks);
      EXPECT_NEAR((half() - of_half).norm(), 0, 1e-13 * of_half.norm());
      const auto nodes = bar.stepper.snapshot(60);
      EXPECT_NEAR(momentum(nodes, 0, nodes.size()).norm(), 0, 1e-13 * of_half.norm());
      EXPECT_NEAR(total(), before, 2e-3 * before);
      EXPECT_GT(nodes.displacement(Bar::n + 1)[0] - nodes.displacement(Bar::n - 1)[0], 3);
    }
}

constexpr double end_time = 1.2;

/// A distorted block that bursts, in part.
template <int dim>
struct Burst
{
  Burst(const std::shared_ptr<const Material<dim>> &material, const double failure_strain,
        const Clocks clocks, const unsigned int threads = 1, const bool viscous = false)
      : body(mesh(), material), stepper(body.nodes, parameters(clocks, threads))
  {
    std::mt19937 random(4);
    for (unsigned int i = 0; i < body.nodes.size(); ++i)
      body.nodes.set_velocity(i, 0.4 * (body.nodes.reference(i) - body.mesh.points.back() / 2) +
                                     random_vector<dim>(random, 0.3));
    std::vector<unsigned int> id_of_cell(body.mesh.n_cells());
    std::vector<typename SectionImpulses<dim>::Cut> cuts; // those of one side add nothing
    for (const auto &family : body.families)
    {
      family->set_failure_strain(failure_strain);
      const unsigned int first = stepper.add(family);
      for (unsigned int k = 0; k < family->n_kicks(); ++k)
      {
        id_of_cell[family->cell(k)] = first + k;
        cuts.push_back({family, k, first + k});
      }
    }
    for (unsigned int i = 0; i < body.nodes.size(); ++i)
      is_behind.push_back(body.nodes.reference(i)[0] < 0.5 * body.mesh.points.back()[0]);
    section = std::make_shared<SectionImpulses<dim>>(cuts, is_behind, Point<dim>());
    stepper.add_on_clock_of(section, section->ids());
    if (viscous)
    {
      viscosity = std::make_shared<CellViscosity<dim>>(
          body.data, *material, StrainIntegration::standard, Viscosity{0.02, 0.06, 1.2});
      viscosity->begin(body.nodes);
      stepper.add_on_clock_of(viscosity, id_of_cell);
      for (unsigned int k = 0; k < id_of_cell.size(); ++k)
        section->add_companion(viscosity, k, id_of_cell[k]);
    }
    stepper.start();
  }

  static Mesh<dim>
  mesh()
  {
    std::mt19937 random(3);
    return block<dim>(Shape::general, dim == 2 ? 12 : 6, random);
  }
  static StepperParameters
  parameters(const Clocks clocks, const unsigned int threads)
  {
    StepperParameters result;
    result.clocks = clocks;
    result.threads = threads;
    result.time_step_ratio = 0.1;
    return result;
  }
  unsigned int
  n_deleted() const
  {
    unsigned int n = 0;
    for (const auto &family : body.families)
      for (unsigned int k = 0; k < family->n_kicks(); ++k)
        n += family->is_deleted(k);
    return n;
  }
  /// Momentum behind the section at the time of the stepper, less what has gone through it.
  Tensor<1, dim>
  momentum_behind() const
  {
    const double time = stepper.time();
    const auto nodes = stepper.snapshot(time);
    Tensor<1, dim> sum;
    for (unsigned int i = 0; i < nodes.size(); ++i)
      if (is_behind[i])
        sum += nodes.mass(i) * nodes.velocity(i);
    return sum - section
                     ->impulse(nodes, time,
                               [this](const unsigned int id)
                               { return stepper.levels().covered_until(id); })
                     .linear;
  }
  EnergyBalance
  balance() const
  {
    return stepper.energy(stepper.snapshot(stepper.time()));
  }

  Body<dim> body;
  std::vector<char> is_behind;
  std::shared_ptr<SectionImpulses<dim>> section;
  std::shared_ptr<CellViscosity<dim>> viscosity;
  Stepper<dim> stepper;
};

template <int dim>
void
expect_books_to_close(const std::shared_ptr<const Material<dim>> &material, const double strain,
                      const bool viscous, const double tolerance)
{
  for (const Clocks clocks : {Clocks::one, Clocks::nested, Clocks::per_cell})
  {
    Burst<dim> burst(material, strain, clocks, 1, viscous);
    const auto all = [&](const NodeTable<dim> &nodes) { return momentum(nodes, 0, nodes.size()); };
    const auto before = all(burst.body.nodes), behind = burst.momentum_behind();
    const double energy = burst.balance().total();
    burst.stepper.advance_to(end_time);
    const unsigned int n = burst.body.mesh.n_cells(), n_deleted = burst.n_deleted();
    EXPECT_GT(n_deleted, n / 20);
    EXPECT_LT(n_deleted, n);
    const auto balance = burst.balance();
    EXPECT_GT(balance.eroded_energy, 5e-3 * energy);
    EXPECT_NEAR(balance.total(), energy, tolerance * balance.eroded_energy)
        << "clocks " << int(clocks);
    const auto nodes = burst.stepper.snapshot(end_time);
    EXPECT_NEAR((all(nodes) - before).norm(), 0, 1e-12 * n);
    EXPECT_NEAR((burst.momentum_behind() - behind).norm(), 0, 1e-12 * n);
  }
}

TEST(Deletion, BooksCloseForAllClocks)
{
  expect_books_to_close<2>(std::make_shared<NeoHookean<2>>(1., 1., 0.3), 0.35, false, 2e-3);
  expect_books_to_close<2>(std::make_shared<J2Plasticity<2>>(1., 1., 0.3, 0.1, 0.05), 0.25, false,
                           4e-3);
  expect_books_to_close<3>(std::make_shared<NeoHookean<3>>(1., 1., 0.3), 0.35, false, 2e-3);
  // losses of viscosity are summed up by a rule of second order
  expect_books_to_close<2>(std::make_shared<NeoHookean<2>>(1., 1., 0.3), 0.35, true, 2e-2);
}

TEST(Deletion, ThreadsAndCheckpointsKeepTheBits)
{
  const auto material = std::make_shared<J2Plasticity<3>>(1., 1., 0.3, 0.1, 0.05);
  for (const Clocks clocks : {Clocks::nested, Clocks::per_cell})
  {
    const unsigned int threads = clocks == Clocks::nested ? 3 : 1;
    Burst<3> through(material, 0.25, clocks, 1, true), first(material, 0.25, clocks, threads, true),
        second(material, 0.25, clocks, threads, true);
    through.stepper.advance_to(end_time);
    first.stepper.advance_to(0.9);
    EXPECT_GT(first.n_deleted(), 0u);
    EXPECT_LT(first.n_deleted(), through.n_deleted());
    Archive written;
    written(first.body.nodes, first.stepper);
    Archive read(written.bytes());
    read(second.body.nodes, second.stepper);
    EXPECT_EQ(second.n_deleted(), first.n_deleted());
    second.stepper.advance_to(end_time);
    EXPECT_TRUE(same_bits(through.body.nodes, second.body.nodes));
    EXPECT_EQ(through.balance().eroded_energy, second.balance().eroded_energy);
    EXPECT_EQ(through.balance().plastic_work, second.balance().plastic_work);
    EXPECT_EQ(through.balance().viscous_loss, second.balance().viscous_loss);
  }
}

TEST(Deletion, NodesWithoutCellsFlyStraightAndLimitNoStep)
{
  Mesh<2> mesh;
  mesh.nodes_per_cell = 4;
  mesh.points = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
  mesh.nodes = {0, 1, 2, 3};
  for (const std::shared_ptr<const Material<2>> &material :
       {std::shared_ptr<const Material<2>>(std::make_shared<NeoHookean<2>>(1., 1., 0.)),
        std::shared_ptr<const Material<2>>(std::make_shared<J2Plasticity<2>>(1., 1., 0., 1., 0.))})
  {
    for (const Clocks clocks : {Clocks::nested, Clocks::per_cell})
    {
      Body<2> body(mesh, material);
      body.families[0]->set_failure_strain(0.2);
      for (const unsigned int node : {1u, 3u})
        body.nodes.set_velocity(node, Point<2>(5, 0));
      StepperParameters parameters;
      parameters.clocks = clocks;
      Stepper<2> stepper(body.nodes, parameters);
      stepper.add(body.families[0]);
      stepper.start();
      stepper.advance_to(1);
      ASSERT_TRUE(body.families[0]->is_deleted(0));
      const auto before = stepper.snapshot(1);
      const auto kicks = stepper.kick_statistics()[0].count;
      stepper.advance_to(50);
      EXPECT_EQ(stepper.kick_statistics()[0].count, kicks);
      EXPECT_LT(stepper.follower().largest_ratio(), 1);
      const auto after = stepper.snapshot(50);
      for (unsigned int node = 0; node < 4; ++node)
        EXPECT_NEAR(
            (after.displacement(node) - before.displacement(node) - 49 * before.velocity(node))
                .norm(),
            0, 1e-11);
      EXPECT_EQ(body.families[0]->mean_stress(after, 0).norm(), 0);
      EXPECT_EQ(body.families[0]->energy(after, 0), 0);
    }
  }
}

/// A law that does not bear cells that are turned inside out.
class Upright : public NeoHookean<2>
{
public:
  using NeoHookean<2>::NeoHookean;

  double
  energy_density(const Tensor<2, 2> &H) const override
  {
    AssertThrow((1 + H[0][0]) * (1 + H[1][1]) > H[0][1] * H[1][0],
                dealii::ExcMessage("inside out"));
    return NeoHookean<2>::energy_density(H);
  }
  BuiltInLaw
  built_in_law() const override
  {
    return BuiltInLaw::none;
  }
};

TEST(Deletion, LawsAreNotAskedAboutDeletedCells)
{
  StepperParameters parameters;
  Bar bar(std::make_shared<Upright>(1., 1., 0.), parameters, 0.05);
  bar.stepper.advance_to(5);
  ASSERT_TRUE(bar.middle->is_deleted(0));
  NodeTable<2> nodes = bar.stepper.snapshot(5);
  for (unsigned int i = Bar::n + 1; i < nodes.size(); ++i) // one half passes through the other
    nodes.set_displacement(i, nodes.displacement(i) - Point<2>(5, 0));
  EXPECT_NO_THROW(bar.stepper.energy(nodes));
}

TEST(Deletion, StrainsMustBePositive)
{
  Body<2> body(Bar::row(), std::make_shared<NeoHookean<2>>(1., 1., 0.));
  EXPECT_THROW(body.families[0]->set_failure_strain(0), dealii::ExceptionBase);
  EXPECT_THROW(body.families[0]->set_failure_strain(-1), dealii::ExceptionBase);
}
} // namespace
