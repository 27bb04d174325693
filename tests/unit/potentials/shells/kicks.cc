// Strain energies of shells: forces against differences of energies, rigid motions, critical steps
// against differences of forces, and states with known energies.

#include "shells.h"

#include <kickdrift/stepping/steps/critical_steps.h>
#include <kickdrift/stepping/steps/stability_limit.h>

#include <deal.II/physics/transformations.h>

#include <numeric>

#include <gtest/gtest.h>

using namespace ShellsTest;

namespace
{
Tensor<2, 3>
rotation()
{
  const Point<3> axis(1 / 3., 2 / 3., -2 / 3.);
  return dealii::Physics::Transformations::Rotations::rotation_matrix_3d(axis, 2.);
}

/// Shells of all kinds: closed with a curved reference state, and open.
/// @param also_clamped one with edges that keep their normals, and so with forces from outside
template <typename Check>
void
for_all_shells(const Check &check, const bool also_clamped = false)
{
  for (const Bending bending : all_kinds)
  {
    SCOPED_TRACE("bending " + std::to_string(int(bending)));
    Shell closed(sphere(1).mesh(), {3., 0.3, 2., 0.2}, bending);
    check(closed);
    Shell open(plate(3, Pattern::shifted_rows, 0.1).mesh(), {3., -0.2, 2., 0.2}, bending);
    check(open);
    if (!also_clamped || bending == Bending::none) // membranes have no normals to keep
      continue;
    auto bent = plate(3, Pattern::shifted_rows, 0.1);
    for (auto &x : bent.positions)
      x = Point<3>(rotation() * Point<3>(x[0], x[1], 0.3 * x[0] * x[1]));
    const auto at_edges = [](const Point<3> &x)
    {
      const Tensor<1, 3> X = transpose(rotation()) * x;
      return X[0] < 1e-10 || X[1] > 1 - 1e-10;
    };
    Shell clamped(bent.clamped_mesh(at_edges), {3., 0.1, 2., 0.2}, bending);
    check(clamped);
  }
}

double
sum_of_weights(const NodeTable<3> &nodes)
{
  double sum = 0;
  for (unsigned int n = 0; n < nodes.size(); ++n)
    sum += nodes.mass(n);
  return sum;
}
} // namespace

TEST(ShellKicks, ForcesAreDerivativesOfEnergies)
{
  for_all_shells(
      [](Shell &shell)
      {
        shell.displace_randomly(0.06);
        std::vector<Vector> force;
        for (const auto &family : shell.families)
          for (unsigned int k = 0; k < family->n_kicks(); ++k)
          {
            family->force(shell.nodes, k, 0., force);
            const auto support = family->support(k);
            ASSERT_EQ(force.size(), support.size());
            for (unsigned int i = 0; i < 3 * support.size(); ++i)
            {
              double &u = shell.nodes[support[i / 3]].displacement[i % 3];
              const double before = u, h = 1e-5;
              u = before + h;
              const double above = family->energy(shell.nodes, k);
              u = before - h;
              const double below = family->energy(shell.nodes, k);
              u = before;
              EXPECT_NEAR(force[i / 3][i % 3], (below - above) / (2 * h), 1e-9);
            }
          }
      },
      true);
}

TEST(ShellKicks, ForcesAndMomentsSumToZero)
{
  for_all_shells(
      [](Shell &shell)
      {
        shell.displace_randomly(0.2);
        std::vector<Vector> force;
        for (const auto &family : shell.families)
          for (unsigned int k = 0; k < family->n_kicks(); ++k)
          {
            family->force(shell.nodes, k, 0., force);
            const auto support = family->support(k);
            Vector sum, moment;
            double largest = 0;
            for (unsigned int i = 0; i < support.size(); ++i)
            {
              sum += force[i];
              moment += cross_product_3d(shell.nodes.position(support[i]) - Point<3>(), force[i]);
              largest = std::max(largest, force[i].norm());
            }
            EXPECT_LT(sum.norm() + moment.norm(), 1e-13 * largest);
          }
      });
}

TEST(ShellKicks, RigidMotionsCostNothing)
{
  const auto R = rotation();
  for_all_shells(
      [&](Shell &shell)
      {
        shell.displace([&](const Point<3> &x)
                       { return Point<3>(R * x - x + Point<3>(100, -200, 300)); });
        EXPECT_LT(shell.energy(), 1e-24); // strains of 1e-13 from displacements of 300
        std::vector<Vector> force;
        for (const auto &family : shell.families)
          for (unsigned int k = 0; k < family->n_kicks(); ++k)
          {
            family->force(shell.nodes, k, 0., force);
            for (const auto &f : force)
              EXPECT_LT(f.norm(), 1e-12);
          }
      });
}

TEST(ShellKicks, PlaceAndOrientationDoNotMatter)
{
  const auto R = rotation();
  for (const Bending bending : all_kinds)
  {
    auto surface = sphere(1);
    Shell here(surface.mesh(), steel(0.05), bending);
    here.displace([](const Point<3> &x) { return Point<3>(0.02 * x[1] * x[2], 0.03 * x[0], 0); });
    for (auto &x : surface.positions)
      x = Point<3>(R * x + Point<3>(1024, 0, -2048));
    for (auto &t : surface.triangles)
      std::swap(t[0], t[1]);
    Shell there(surface.mesh(), steel(0.05), bending);
    for (unsigned int n = 0; n < here.nodes.size(); ++n)
      there.nodes.set_displacement(n, R * here.nodes.displacement(n));
    EXPECT_NEAR(there.energy() / here.energy(), 1., 1e-9) << int(bending);
  }
}

TEST(ShellKicks, CriticalStepsAreThoseOfTheMatrix)
{
  for_all_shells(
      [](Shell &shell)
      {
        std::mt19937 random(1);
        std::uniform_real_distribution<double> mass(0.1, 2);
        for (const auto &family : shell.families)
          for (unsigned int k = 0; k < family->n_kicks(); ++k)
          {
            std::vector<double> masses(family->support(k).size());
            for (double &m : masses)
              m = mass(random);
            const double step = family->critical_step(k, masses);
            const double numerical = family->current_critical_step(shell.nodes, k, masses);
            EXPECT_NEAR(step / numerical, 1., 3e-6);
            EXPECT_LT(family->deformation(shell.nodes, k), 1e-14);
          }
      },
      true);
}

TEST(ShellKicks, NodalStiffnessesBoundTheBlocks)
{
  for_all_shells(
      [](Shell &shell)
      {
        std::vector<double> stiffness;
        for (const auto &family : shell.families)
          for (unsigned int k = 0; k < family->n_kicks(); ++k)
          {
            family->nodal_stiffness(k, stiffness);
            for (unsigned int i = 0; i < stiffness.size(); ++i)
            {
              // with all other masses infinite, only the block is left
              std::vector<double> masses(stiffness.size(), 0.);
              masses[i] = 1;
              const double step = family->current_critical_step(shell.nodes, k, masses);
              const double largest = 4 / (step * step);
              const double round_off =
                  1e-14 * *std::max_element(stiffness.begin(), stiffness.end());
              EXPECT_GE(stiffness[i], (1 - 1e-5) * largest - round_off);
              if (family->name() != "bending") // which takes a larger part of the masses
              {
                EXPECT_LE(stiffness[i], (1 + 1e-5) * largest + round_off);
              }
            }
          }
      },
      true);
}

TEST(ShellKicks, SmallestCriticalStepIsRigorousAndNearTheLimit)
{
  for (const Bending bending : all_kinds)
    for (const double thickness : {0.01, 0.2})
    {
      Shell shell(sphere(2).mesh(), steel(thickness), bending);
      const std::vector<std::shared_ptr<const Kicks<3>>> families(shell.families.begin(),
                                                                  shell.families.end());
      const double limit = stability_limit<3>(families, shell.nodes).step;
      const auto steps = CriticalSteps<3>(families, shell.nodes).reference();
      const double smallest = *std::min_element(steps.begin(), steps.end());
      EXPECT_LT(smallest, (1 + 1e-3) * limit);
      EXPECT_GT(smallest, (bending == Bending::none ? 0.75 : 0.55) * limit)
          << int(bending) << " " << thickness;
    }
}

TEST(ShellKicks, ThinShellsBendSlowly)
{
  for (const Bending bending : {Bending::hinge, Bending::triangle})
  {
    Shell shell(sphere(2).mesh(), steel(0.003), bending); // a hundredth of an edge
    const std::vector<std::shared_ptr<const Kicks<3>>> families(shell.families.begin(),
                                                                shell.families.end());
    const auto steps = CriticalSteps<3>(families, shell.nodes).reference();
    const auto first_of_bending = steps.begin() + shell.families[0]->n_kicks();
    const double membrane = *std::min_element(steps.begin(), first_of_bending);
    EXPECT_GT(*std::min_element(first_of_bending, steps.end()), 8 * membrane);
    // and takes little from the membrane
    Shell alone(sphere(2).mesh(), steel(0.003), Bending::none);
    const auto without = CriticalSteps<3>({alone.families[0]}, alone.nodes).reference();
    EXPECT_GT(membrane, 0.9 * *std::min_element(without.begin(), without.end()));
  }
}

TEST(ShellKicks, StretchedSpheresHaveTheEnergyOfTheLaw)
{
  const double stretch = 1.1, strain = 0.5 * (stretch * stretch - 1);
  const ShellSection section = steel(0.01);
  for (const Bending bending : all_kinds)
  {
    Shell shell(sphere(2).mesh(), section, bending);
    shell.displace([&](const Point<3> &x) { return Point<3>((stretch - 1) * x); });
    const double area = sum_of_weights(shell.nodes) / section.mass_per_area();
    const double membrane =
        area * section.membrane_stiffness() * (1 + section.poisson_ratio) * strain * strain;
    // hinges keep their angles; a_ab.n grows with the radius, as a_ab and the metric do
    double bent = 0;
    if (bending == Bending::loop)
      bent = area * section.bending_stiffness() * (1 + section.poisson_ratio) *
             std::pow(stretch - 1, 2);
    EXPECT_NEAR(shell.energy() / (membrane + bent), 1., bending == Bending::loop ? 2e-4 : 1e-12);
  }
}

TEST(ShellKicks, RolledPlatesHaveTheEnergyOfTheLaw)
{
  const ShellSection section = steel(1e-3);
  const double curvature = 0.5;
  const unsigned int n = 16;
  const auto energy = [&](const Bending bending, const Pattern pattern, const double angle)
  {
    Shell bent(plate(n, pattern).mesh(), section, bending);
    const double c = std::cos(angle), s = std::sin(angle);
    bent.displace(
        [&](const Point<3> &x)
        {
          const double along = c * x[0] + s * x[1],
                       rolled = std::sin(curvature * along) / curvature;
          return Point<3>(c * (rolled - along), s * (rolled - along),
                          (std::cos(curvature * along) - 1) / curvature);
        });
    EnergyBalance balance;
    bent.families.back()->add_energy(bent.nodes, balance);
    return balance.strain / (0.5 * section.bending_stiffness() * curvature * curvature);
  };
  // free edges have no hinge; chords are shorter than arcs, which is membrane energy
  for (const double angle : {0., 0.3, 0.25 * dealii::numbers::PI, 1.2, 0.75 * dealii::numbers::PI})
    for (const Pattern pattern : {Pattern::one_sided, Pattern::shifted_rows})
      EXPECT_NEAR(energy(Bending::triangle, pattern, angle), 1 - 1. / n, 0.02);
  // a cylinder whose axis is along edges: exact but for the free edges
  EXPECT_NEAR(energy(Bending::hinge, Pattern::one_sided, 0.), 1 - 1. / n, 2e-3);
}

TEST(ShellKicks, ResultantsAreThoseOfTheState)
{
  // a rolled plate that is stretched along the axis of the cylinder
  const ShellSection section = steel(0.02);
  const double curvature = 0.4, stretch = 1.001, strain = 0.5 * (stretch * stretch - 1);
  for (const Bending bending : {Bending::hinge, Bending::triangle, Bending::loop})
  {
    Shell shell(plate(32, Pattern::one_sided).mesh(), section, bending);
    shell.displace(
        [&](const Point<3> &x)
        {
          const double y = x[1] - 0.5;
          return Point<3>((stretch - 1) * x[0], std::sin(curvature * y) / curvature - y,
                          (std::cos(curvature * y) - 1) / curvature);
        });
    const unsigned int middle = 2 * (32 * 16 + 16); // its edges are at the centre of the plate
    ShellResultants resultants;
    for (const auto &family : shell.families)
      family->add_resultants(shell.nodes, middle, resultants);
    const double D = section.bending_stiffness();
    const auto &m = resultants.moment, &f = resultants.force, &c = resultants.curvature;
    EXPECT_NEAR(m[1][1] / (D * curvature), 1., 5e-3);
    EXPECT_NEAR(m[0][0] / (D * curvature), 0.3, 5e-3);
    EXPECT_NEAR(m[0][1] / (D * curvature), 0., 5e-3);
    EXPECT_NEAR(c[1][1] / curvature, 1., 5e-3);
    EXPECT_NEAR(c[0][0] / curvature, 0., 5e-3);
    EXPECT_NEAR(f[0][0] / (section.membrane_stiffness() * strain), 1., 0.02);
    EXPECT_NEAR(f[1][1] / (section.membrane_stiffness() * strain), 0.3, 0.03);
    EXPECT_NEAR(resultants.thickness / section.thickness, 1 - 0.3 / 0.7 * strain, 1e-4);
  }
}

TEST(ShellKicks, MassesAreThoseOfTheSurface)
{
  for (const Bending bending : all_kinds)
  {
    const auto areas = shell_areas(*plate(5, Pattern::shifted_rows, 0.1).mesh(), bending);
    EXPECT_GT(*std::min_element(areas.begin(), areas.end()), 0.);
    // ghosts continue a flat plate, whose limit surface is its own plane
    EXPECT_NEAR(std::accumulate(areas.begin(), areas.end(), 0.), 1.,
                bending == Bending::loop ? 0.02 : 1e-14);
  }
}
