// What errors of the energy balance are relative to.

#include <kickdrift/stepping/energy_audit.h>

#include <gtest/gtest.h>

using namespace KickDrift;

namespace
{
EnergyBalance
balance(const double kinetic, const double strain = 0, const double work = 0)
{
  EnergyBalance result;
  result.kinetic = kinetic;
  result.strain = strain;
  result.external_work = work;
  return result;
}
} // namespace

TEST(EnergyAudit, errors_are_relative_to_the_start)
{
  EnergyAudit audit;
  EXPECT_EQ(audit.update(balance(2, 3)), 0);
  EXPECT_NEAR(audit.update(balance(1, 4.5)), 0.1, 1e-15);
  EXPECT_NEAR(audit.update(balance(1, 3)), -0.2, 1e-15);
  EXPECT_NEAR(audit.update(balance(5, 0)), 0, 1e-15);
  EXPECT_NEAR(audit.max_error(), 0.2, 1e-15);
  EXPECT_TRUE(audit.is_telling(0, 1));
}

TEST(EnergyAudit, errors_from_rest_are_relative_to_the_work)
{
  EnergyAudit audit;
  audit.update(balance(0));
  EXPECT_NEAR(audit.update(balance(5, 6, 10)), 0.1, 1e-15);
  EXPECT_FALSE(audit.is_telling(19, 1));
  EXPECT_TRUE(audit.is_telling(20, 1));
  // the load takes back what it gave: the error has not become smaller by that
  EXPECT_NEAR(audit.update(balance(1, 0, 0)), 0.1, 1e-15);
}

// Loads give what a prescribed motion takes, e.g. in a testing machine that holds a weight.
TEST(EnergyAudit, works_against_each_other_count_one_by_one)
{
  EnergyAudit audit;
  audit.update(balance(0));
  EnergyBalance held = balance(0, 0, 10);
  held.prescribed_work = -9;
  held.kinetic = 2;
  EXPECT_NEAR(audit.update(held), 0.1, 1e-15);
}

TEST(EnergyAudit, what_blows_up_is_not_measured_against_itself)
{
  EnergyAudit audit;
  audit.update(balance(1));
  EXPECT_NEAR(audit.update(balance(600, 401)), 1000, 1e-12);
}

// A comet: kinetic energy and potential are of opposite signs.
TEST(EnergyAudit, energies_that_cancel_at_the_start)
{
  EnergyAudit audit;
  audit.update(balance(5, -5));
  EXPECT_NEAR(audit.update(balance(4, -3.5)), 0.1, 1e-15);
  // it falls towards the sun
  EXPECT_NEAR(audit.update(balance(100.5, -100)), 0.005, 1e-15);
}

TEST(EnergyAudit, what_does_not_matter_is_no_error)
{
  EnergyAudit audit;
  audit.update(balance(0), 1e-3);
  EXPECT_NEAR(audit.update(balance(1e-6), 1e-3), 1e-3, 1e-15);
  // the largest so far
  EXPECT_NEAR(audit.update(balance(1e-6), 1e-4), 1e-3, 1e-15);
}

TEST(EnergyAudit, errors_are_finite_at_rest)
{
  EnergyAudit audit;
  EXPECT_EQ(audit.update(balance(0)), 0);
  EXPECT_EQ(audit.update(balance(0)), 0);
  // an energy from nothing
  EXPECT_EQ(audit.update(balance(1e-30)), 1);
  EXPECT_EQ(audit.max_error(), 1);
}

TEST(EnergyAudit, contacts_may_keep_energy)
{
  EnergyAudit audit;
  audit.update(balance(1));
  EnergyBalance kept = balance(0.5);
  kept.contact_energy = 0.3;
  EXPECT_NEAR(audit.update(kept), -0.2, 1e-15);
}

// Displacements are kept to 16 digits: what a mesh far away does with the rest is no error.
TEST(EnergyAudit, energy_of_rounding)
{
  NodeTable<2> nodes;
  nodes.add({0, 0}, 2);
  nodes.add({1, 0}, 3);
  EXPECT_EQ(round_off_energy(nodes, 0.1), 0);
  nodes.set_displacement(0, dealii::Point<2>(3, 4));
  EXPECT_NEAR(round_off_energy(nodes, 0.1), 0.5 * 2 * 25 * 1e-22, 1e-33);
}
