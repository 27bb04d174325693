// Cells that other processes kick: what is let go of is gone, and the others are as they were.

#include "cells.h"

#include <kickdrift/potentials/cells/viscosity.h>
#include <kickdrift/potentials/materials/plasticity.h>
#include <kickdrift/stepping/clocks/stepper_exceptions.h>

#include <gtest/gtest.h>

#include <cstring>

using namespace PotentialsTest;

namespace
{
template <int dim>
bool
same_bits(const NodeTable<dim> &a, const NodeTable<dim> &b)
{
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(NodeState)) == 0;
}

/// Every third one.
std::vector<char>
some(const unsigned int n)
{
  std::vector<char> result(n);
  for (unsigned int k = 0; k < n; ++k)
    result[k] = k % 3 == 0;
  return result;
}

/// Kicks the others, twice, in two bodies, both on several processes; @p part has let go of those
/// elsewhere, @p whole is on the first one.
template <int dim>
void
compare(Body<dim> &whole, Body<dim> &part, Kicks<dim> &of_whole, Kicks<dim> &of_part)
{
  const unsigned int n = of_whole.n_kicks();
  const auto is_elsewhere = some(n);
  of_whole.let_go(is_elsewhere, true);
  of_part.let_go(is_elsewhere, false);
  const std::vector<unsigned int> clocks(is_elsewhere.begin(), is_elsewhere.end());
  of_whole.assign_clocks(clocks, 2);
  of_part.assign_clocks(clocks, 2);
  std::mt19937 random(3);
  for (unsigned int i = 0; i < whole.nodes.size(); ++i)
  {
    whole.nodes.set_velocity(i, random_vector<dim>(random, 0.3));
    part.nodes.set_velocity(i, whole.nodes.velocity(i));
  }
  for (const double time : {0.1, 0.2})
  {
    of_whole.kick(whole.nodes, 0, time, 0.1);
    of_whole.book(whole.nodes, 0, time);
    of_part.kick(part.nodes, 0, time, 0.1);
    of_part.book(part.nodes, 0, time);
    EXPECT_TRUE(same_bits(whole.nodes, part.nodes));
  }
  std::vector<Tensor<1, dim>> force, same_force;
  for (unsigned int k = 0; k < n; ++k)
  {
    EXPECT_EQ(of_whole.support(k), of_part.support(k));
    if (is_elsewhere[k])
    {
      EXPECT_NO_THROW(of_whole.force(whole.nodes, k, 0.2, force));
      EXPECT_THROW(of_part.force(part.nodes, k, 0.2, force), StepperExceptions::ExcGivenElsewhere);
      EXPECT_EQ(of_part.account(k).data, nullptr);
      EXPECT_EQ(of_part.account(k).size, of_whole.account(k).size);
      continue;
    }
    of_whole.force(whole.nodes, k, 0.2, force);
    of_part.force(part.nodes, k, 0.2, same_force);
    EXPECT_EQ(force, same_force);
    const KickAccount account = of_whole.account(k), same_account = of_part.account(k);
    ASSERT_EQ(account.size, same_account.size);
    for (unsigned int i = 0; i < account.size; ++i)
      EXPECT_EQ(account.data[i * account.stride], same_account.data[i * same_account.stride]);
  }
}

/// Numbers that at least describe a cell.
template <int dim>
unsigned int
size_of_geometry(const Shape shape)
{
  return shape == Shape::box       ? dim
         : shape == Shape::general ? (1 << dim) * (dim * dim + 1)
                                   : dim * dim + 1;
}

template <int dim>
void
check_cells()
{
  const std::shared_ptr<const Material<dim>> elastic =
      std::make_shared<NeoHookean<dim>>(1.3, 2.1, 0.3);
  const std::shared_ptr<const Material<dim>> plastic =
      std::make_shared<J2Plasticity<dim>>(1.3, 2.1, 0.3, 0.02, 0.05);
  for (const Shape shape : all_shapes)
    for (const auto &material : {elastic, plastic})
    {
      std::mt19937 random(11);
      const auto mesh = block<dim>(shape, dim == 2 ? 7 : 3, random);
      Body<dim> whole(mesh, material), part(mesh, material);
      ASSERT_EQ(whole.families.size(), 1u);
      CellKicks<dim> &of_whole = *whole.families[0], &of_part = *part.families[0];
      compare<dim>(whole, part, of_whole, of_part);
      const unsigned int n_numbers = size_of_geometry<dim>(shape) + of_whole.account(1).size;
      // a third is elsewhere, but for what fills the last pack
      EXPECT_LT(of_part.bytes_per_cell(),
                of_whole.bytes_per_cell() - 0.2 * n_numbers * sizeof(double));
      EXPECT_THROW(of_part.mean_stress(part.nodes, 0), StepperExceptions::ExcGivenElsewhere);
      EXPECT_THROW(of_part.energy(part.nodes, 0), StepperExceptions::ExcGivenElsewhere);
    }
}

template <int dim>
void
check_viscosity()
{
  const std::shared_ptr<const Material<dim>> material =
      std::make_shared<NeoHookean<dim>>(1.3, 2.1, 0.3);
  for (const Shape shape : all_shapes)
  {
    std::mt19937 random(13);
    const auto mesh = block<dim>(shape, 3, random);
    Body<dim> whole(mesh, material), part(mesh, material);
    const Viscosity viscosity{0.3, 0.06, 1.2};
    CellViscosity<dim> of_whole(whole.data, *material, StrainIntegration::standard, viscosity),
        of_part(part.data, *material, StrainIntegration::standard, viscosity);
    compare<dim>(whole, part, of_whole, of_part);
    EXPECT_THROW(of_part.current_damping_time(part.nodes, 0), StepperExceptions::ExcGivenElsewhere);
  }
}

TEST(LetGo, Cells)
{
  check_cells<2>();
  check_cells<3>();
}

TEST(LetGo, Viscosity)
{
  check_viscosity<2>();
  check_viscosity<3>();
}
} // namespace
