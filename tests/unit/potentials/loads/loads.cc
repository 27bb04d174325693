#include <kickdrift/potentials/loads/loads.h>
#include <kickdrift/potentials/springs.h>

#include <gtest/gtest.h>

#include <cmath>

using namespace KickDrift;
using dealii::Point;
using Vector = dealii::Tensor<1, 3>;

namespace
{
Vector
vector(const double x, const double y, const double z)
{
  Vector v;
  v[0] = x;
  v[1] = y;
  v[2] = z;
  return v;
}

/// Nodes on a line, masses 1, 2, ...
NodeTable<3>
line_of_nodes(const unsigned int n)
{
  NodeTable<3> nodes;
  for (unsigned int i = 0; i < n; ++i)
    nodes.add(Point<3>(1. * i, 0, 0), i + 1.);
  return nodes;
}

double
kinetic_energy(const NodeTable<3> &nodes)
{
  double energy = 0;
  for (unsigned int i = 0; i < nodes.size(); ++i)
    energy += 0.5 * nodes.mass(i) * nodes.velocity(i).norm_square();
  return energy;
}

/// Two segments [0,1], [1,2] with a point in each middle.
LoadPoints<3>
two_segments()
{
  LoadPoints<3> where;
  where.nodes_per_kick = 2;
  where.points_per_kick = 1;
  where.nodes = {0, 1, 1, 2};
  where.points = {Point<3>(0.5, 0, 0), Point<3>(1.5, 0, 0)};
  where.weights = {0.5, 0.5, 0.5, 0.5};
  return where;
}

Vector
ramp(const Point<3> &x, const double time)
{
  return vector(0, x[0] * std::sin(time), 1 + time);
}
} // namespace

TEST(ConstantLoads, KickByForce)
{
  auto nodes = line_of_nodes(3);
  nodes.set_velocity(0, vector(1, 0, 0));
  ConstantLoads<3> loads("gravity", 2, {0, 1, 1, 2}, std::vector<Vector>(4, vector(0, 0, -3)));
  loads.assign_clocks({0, 1}, 2);
  loads.kick(nodes, 1, 0.5, 0.1);
  EXPECT_EQ(nodes.velocity(0), vector(1, 0, 0));
  EXPECT_EQ(nodes[0].time, 0.);
  EXPECT_NEAR(nodes.velocity(1)[2], -0.3 / 2, 1e-15);
  EXPECT_NEAR(nodes.velocity(2)[2], -0.3 / 3, 1e-15);
  EXPECT_EQ(nodes[2].time, 0.5);
  loads.change_clock(0, 1);
  loads.kick(nodes, 0, 0.5, 0.1);
  EXPECT_EQ(nodes.velocity(0), vector(1, 0, 0));
  loads.kick(nodes, 1, 0.5, 0.1);
  EXPECT_NEAR((nodes.velocity(0) - vector(1, 0, -0.3)).norm(), 0, 1e-15);
  EXPECT_NEAR(nodes.displacement(0)[0], 0.5, 1e-15);
  EXPECT_EQ(loads.critical_step(0, {}), std::numeric_limits<double>::infinity());
}

/// Free fall with leapfrog: the work is the gain of kinetic energy at kick times, exactly.
TEST(ConstantLoads, WorkOfFreeFall)
{
  auto nodes = line_of_nodes(2);
  nodes.set_displacement(0, vector(0, 0, 5)); // an initial displacement is no work
  ConstantLoads<3> loads("gravity", 2, {0, 1}, {vector(0, 0, -2), vector(0, 0, -4)});
  loads.begin(nodes);
  const double h = 0.01;
  for (unsigned int i = 0; i < 100; ++i)
    loads.kick(nodes, 0, (i + 0.5) * h, h);
  for (unsigned int i = 0; i < 2; ++i)
    nodes[i].drift(1.);
  EnergyBalance balance;
  loads.add_energy(nodes, balance);
  EXPECT_NEAR(nodes.velocity(0)[2], -2., 1e-13);
  EXPECT_NEAR(balance.external_work, kinetic_energy(nodes), 1e-12);
  EXPECT_NEAR(balance.external_work, 0.5 * 3 * 4, 1e-12);
}

TEST(ConstantLoads, FromADensity)
{
  const auto density = [](const Point<3> &x) { return vector(x[0], 0, 0); };
  const ConstantLoads<3> loads("traction", two_segments(), density);
  std::vector<Vector> force;
  loads.force(line_of_nodes(3), 1, 0., force);
  EXPECT_EQ(force[0], vector(0.75, 0, 0));
  EXPECT_EQ(force[1], vector(0.75, 0, 0));
  EXPECT_EQ(loads.support(1), (std::vector<unsigned int>{1, 2}));
}

TEST(VaryingLoads, ForceAtItsTime)
{
  VaryingLoads<3> loads("traction", two_segments(), ramp);
  auto nodes = line_of_nodes(3);
  std::vector<Vector> force;
  loads.force(nodes, 0, 2., force);
  EXPECT_NEAR((force[1] - 0.5 * ramp(Point<3>(0.5, 0, 0), 2.)).norm(), 0, 1e-15);
  loads.kick(nodes, 0, 2., 0.1);
  const auto sum = 0.5 * (ramp(Point<3>(0.5, 0, 0), 2.) + ramp(Point<3>(1.5, 0, 0), 2.));
  EXPECT_NEAR((nodes.velocity(1) - 0.1 / 2 * sum).norm(), 0, 1e-15);
}

/// Work against the gain of kinetic energy: second order in the step, also between kicks.
TEST(VaryingLoads, WorkIsGainOfKineticEnergy)
{
  double last_error = 0;
  for (const unsigned int n : {50, 100, 200})
  {
    auto nodes = line_of_nodes(3);
    for (unsigned int i = 0; i < 3; ++i)
      nodes.set_velocity(i, vector(0, 0.3, -0.2));
    VaryingLoads<3> loads("traction", two_segments(), ramp);
    loads.begin(nodes);
    loads.assign_clocks({0, 1}, 2);
    const double before = kinetic_energy(nodes), h = 2. / n;
    for (unsigned int i = 0; i < n; ++i)
      for (unsigned int clock = 0; clock < 2; ++clock)
      {
        loads.kick(nodes, clock, (i + 0.5) * h, h);
        loads.book(nodes, clock, (i + 0.5) * h);
      }
    for (unsigned int i = 0; i < 3; ++i)
      nodes[i].drift(2.);
    EnergyBalance balance;
    loads.add_energy(nodes, balance);
    loads.add_energy(nodes, balance); // looking twice does not change it
    const double error = std::abs(balance.external_work / 2 - (kinetic_energy(nodes) - before));
    EXPECT_GT(balance.external_work, 1.);
    EXPECT_LT(error, 1e-3);
    if (last_error > 0)
    {
      EXPECT_LT(error, 0.3 * last_error);
    }
    last_error = error;
  }
}

/// The same as a load whose density is evaluated at every time.
TEST(ScaledLoads, AreVaryingLoadsOfAProduct)
{
  const auto density = [](const Point<3> &x) { return vector(x[0], 1, -2 * x[0]); };
  const auto factor = [](const double t) { return 1 + t * t; };
  const auto product = [&](const Point<3> &x, const double t) { return factor(t) * density(x); };
  ScaledLoads<3> scaled("traction", two_segments(), density, factor);
  VaryingLoads<3> varying("traction", two_segments(), product);
  auto nodes = line_of_nodes(3), same = nodes;
  for (const auto &[loads, table] :
       {std::pair<LoadsWithWork<3> *, NodeTable<3> *>{&scaled, &nodes}, {&varying, &same}})
  {
    loads->begin(*table);
    loads->assign_clocks({0, 1}, 2);
    for (unsigned int i = 0; i < 10; ++i)
      for (unsigned int clock = 0; clock < 2; ++clock)
      {
        loads->kick(*table, clock, 0.1 * (i + 0.5), 0.1);
        loads->book(*table, clock, 0.1 * (i + 0.5));
      }
  }
  for (unsigned int i = 0; i < 3; ++i)
  {
    EXPECT_NEAR((nodes.velocity(i) - same.velocity(i)).norm(), 0, 1e-14);
    nodes[i].drift(1.);
    same[i].drift(1.);
  }
  EnergyBalance balance, balance_of_same;
  scaled.add_energy(nodes, balance);
  varying.add_energy(same, balance_of_same);
  EXPECT_GT(std::abs(balance.external_work), 0.1);
  EXPECT_NEAR(balance.external_work, balance_of_same.external_work, 1e-13);
}

TEST(Loads, RefusesArraysThatDoNotMatch)
{
  EXPECT_THROW(ConstantLoads<3>("load", 2, {0, 1, 1}, {}), dealii::ExceptionBase);
  EXPECT_THROW(ConstantLoads<3>("load", 2, {0, 1}, {Vector()}), dealii::ExceptionBase);
  auto where = two_segments();
  where.weights.pop_back();
  EXPECT_THROW(VaryingLoads<3>("load", where, ramp), dealii::ExceptionBase);
}

TEST(Springs, ForceIsDerivativeOfEnergy)
{
  auto nodes = line_of_nodes(3);
  Springs<3> springs({{{0, 1}, 3., 0.7}, {{1, 2}, 2., 1.5}});
  for (unsigned int i = 0; i < 3; ++i)
    nodes.set_displacement(i, vector(0.1 * i, 0.3 * i * i, -0.2 * i));
  std::vector<Vector> force, sum(3);
  for (unsigned int k = 0; k < 2; ++k)
  {
    springs.force(nodes, k, 0., force);
    EXPECT_GT(force[0].norm(), 0.1);
    sum[k] += force[0];
    sum[k + 1] += force[1];
  }
  const auto energy = [&]
  {
    EnergyBalance balance;
    springs.add_energy(nodes, balance);
    return balance.strain;
  };
  for (unsigned int i = 0; i < 3; ++i)
    for (unsigned int d = 0; d < 3; ++d)
    {
      double &u = nodes[i].displacement[d];
      u += 1e-6;
      const double above = energy();
      u -= 2e-6;
      const double below = energy();
      u += 1e-6;
      EXPECT_NEAR(sum[i][d], -(above - below) / 2e-6, 1e-8);
    }
}

/// Two masses on a spring oscillate with omega^2 = k (1/m1 + 1/m2).
TEST(Springs, Oscillation)
{
  auto nodes = line_of_nodes(2);
  nodes.set_displacement(1, vector(0.1, 0, 0));
  Springs<3> springs({{{0, 1}, 6., 1.}});
  springs.assign_clocks({0}, 1);
  const double omega = 3, end = 2.;
  EXPECT_NEAR(springs.critical_step(0, {1., 2.}), 2 / omega, 1e-15);
  const unsigned int n = 4000;
  const double h = end / n;
  for (unsigned int i = 0; i < n; ++i)
    springs.kick(nodes, 0, (i + 0.5) * h, h);
  nodes[0].drift(end);
  nodes[1].drift(end);
  const double elongation = nodes.displacement(1)[0] - nodes.displacement(0)[0];
  EXPECT_NEAR(elongation, 0.1 * std::cos(omega * end), 1e-6);
  EXPECT_NEAR(nodes.mass(0) * nodes.velocity(0)[0] + nodes.mass(1) * nodes.velocity(1)[0], 0,
              1e-14);
}

TEST(Springs, ForceExtrapolatesToItsTime)
{
  auto nodes = line_of_nodes(2);
  nodes.set_velocity(0, vector(-0.4, 0, 0));
  nodes.set_velocity(1, vector(0.6, 0, 0));
  const Springs<3> springs({{{0, 1}, 6., 1.}});
  std::vector<Vector> force;
  springs.force(nodes, 0, 0.25, force);
  EXPECT_NEAR((force[0] - vector(1.5, 0, 0)).norm(), 0, 1e-14);
  EXPECT_NEAR((force[1] + vector(1.5, 0, 0)).norm(), 0, 1e-14);
}

TEST(Springs, OwnClocks)
{
  auto nodes = line_of_nodes(3);
  nodes.set_displacement(1, vector(0, 0.5, 0));
  Springs<3> springs({{{0, 1}, 3., 1.}, {{1, 2}, 3., 1.}});
  springs.assign_clocks({1, 2}, 3);
  springs.kick(nodes, 1, 0., 0.1);
  EXPECT_GT(nodes.velocity(0).norm(), 0);
  EXPECT_EQ(nodes.velocity(2).norm(), 0);
  springs.change_clock(1, 1);
  springs.kick(nodes, 2, 0., 0.1);
  EXPECT_EQ(nodes.velocity(2).norm(), 0);
  springs.kick(nodes, 1, 0., 0.1);
  EXPECT_GT(nodes.velocity(2).norm(), 0);
}

TEST(Springs, RefusesImpossibleProperties)
{
  EXPECT_THROW(Springs<2>({{{1, 1}, 1., 1.}}), dealii::ExceptionBase);
  EXPECT_THROW(Springs<2>({{{0, 1}, -1., 1.}}), dealii::ExceptionBase);
  EXPECT_THROW(Springs<2>({{{0, 1}, 1., -1.}}), dealii::ExceptionBase);
}
