// The vectorised kicks of shells against the forces and energies of single kicks, whose formulas
// are others; the same bits for any number of threads and in a sequence, whatever the clocks.

#include "shells.h"

#include <kickdrift/stepping/threads.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

using namespace ShellsTest;

namespace
{
/// Triangles around one node with @p n neighbours, and a ring more of them.
Triangles
fan(const unsigned int n)
{
  Triangles result;
  result.positions.emplace_back(0, 0, 0.2);
  for (const double radius : {1., 2.})
    for (unsigned int i = 0; i < n; ++i)
    {
      const double angle = 2 * dealii::numbers::PI * (i + 0.5 * radius) / n;
      result.positions.emplace_back(radius * std::cos(angle), radius * std::sin(angle),
                                    0.1 * radius * std::cos(2 * angle));
    }
  for (unsigned int i = 0; i < n; ++i)
  {
    const unsigned int a = 1 + i, b = 1 + (i + 1) % n, c = n + a, d = n + b;
    result.triangles.insert(result.triangles.end(), {{{0, a, b}}, {{a, c, b}}, {{b, c, d}}});
  }
  return result;
}

using Mesh = std::shared_ptr<const ShellMesh>;

/// A plate that is clamped at two sides, whose triangles are kicked one by one there.
Mesh
clamped_plate(const unsigned int n)
{
  return plate(n, Pattern::shifted_rows, 0.1)
      .clamped_mesh([](const Point<3> &x) { return std::min(x[0], x[1]) < 1e-10; });
}

struct Case
{
  std::string name;
  Mesh mesh;

  /// Membranes have no edges that keep normals.
  bool
  has(const Bending bending) const
  {
    return bending != Bending::none || mesh->edges_with_normals().empty();
  }
};

/// Closed and open ones; folded sharply; with nodes of many neighbours, so that the kernels of Loop
/// are those of twelve nodes, those of sixteen, and none.
std::vector<Case>
all_cases()
{
  std::vector<Case> result = {{"sphere", sphere(1).mesh()},
                              {"plate", plate(4, Pattern::shifted_rows, 0.1).mesh()},
                              {"clamped plate", clamped_plate(4)},
                              {"fan of 11", fan(11).mesh()},
                              {"fan of 15", fan(15).mesh()}};
  auto folded = plate(4, Pattern::one_sided);
  for (auto &x : folded.positions)
    if (x[0] > 0.5) // the second half nearly upon the first
      x = Point<3>(1 - x[0], x[1], 0.01 + 0.1 * (x[0] - 0.5));
  result.push_back({"folded", folded.mesh()});
  return result;
}

void
set_moving(Shell &shell, const double displacement)
{
  std::mt19937 random(5);
  std::uniform_real_distribution<double> way(-1, 1);
  for (unsigned int n = 0; n < shell.nodes.size(); ++n)
    for (unsigned int d = 0; d < 3; ++d)
    {
      shell.nodes[n].displacement[d] = displacement * way(random);
      shell.nodes[n].velocity[d] = 0.1 * way(random);
    }
}

/// Sets KICKDRIFT_ISA for as long as it lives.
class Forced
{
public:
  explicit Forced(const char *name) { setenv("KICKDRIFT_ISA", name, 1); }
  ~Forced() { unsetenv("KICKDRIFT_ISA"); }
};

/// What runs here, and what the machine chooses.
std::vector<const char *>
instruction_sets()
{
#ifdef __x86_64__
  std::vector<const char *> result = {"sse2"};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    result.push_back("avx2");
  if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    result.push_back("avx512");
  return result;
#else
  return {"baseline"};
#endif
}

bool
same_bits(const NodeTable<3> &a, const NodeTable<3> &b)
{
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(NodeState)) == 0;
}

/// Nodes after some kicks with three clocks, during which kicks change theirs.
NodeTable<3>
after_some_kicks(const Mesh &mesh, const Bending bending, const unsigned int n_threads)
{
  Shell shell(mesh, {3., 0.3, 2., 0.2}, bending);
  set_moving(shell, 0.02);
  for (const auto &family : shell.families)
  {
    const unsigned int n = family->n_kicks();
    std::mt19937 random(9);
    std::vector<unsigned int> clocks(n);
    for (unsigned int k = 0; k < n; ++k)
      clocks[k] = k / (n / 2 + 1);
    if (n_threads > 0)
      family->use_threads(std::make_shared<Threads>(n_threads), shell.nodes);
    family->assign_clocks(clocks, 3);
    for (unsigned int i = 1; i <= 4; ++i)
    {
      for (unsigned int c = 0; c < 3; ++c)
        if (i % (c + 1) == 0)
          family->kick(shell.nodes, c, 0.01 * i, 0.01 * (c + 1));
      for (unsigned int j = 0; j < 20; ++j)
        family->change_clock(random() % n, random() % 3);
    }
  }
  return shell.nodes;
}
} // namespace

TEST(ShellKernels, GiveTheForcesOfSingleKicks)
{
  for (const char *isa : instruction_sets())
    for (const auto &a_case : all_cases())
      for (const Bending bending : all_kinds)
        for (const double displacement : {0.02, 0.3}) // the latter crumples
        {
          if (!a_case.has(bending))
            continue;
          SCOPED_TRACE(a_case.name + " bending " + std::to_string(int(bending)) + " " + isa);
          const Forced forced(isa);
          Shell shell(a_case.mesh, {3., 0.3, 2., 0.2}, bending);
          set_moving(shell, displacement);
          const double time = 0.1, step = 0.05;
          for (const auto &family : shell.families)
          {
            NodeTable<3> kicked = shell.nodes;
            family->kick(kicked, 0, time, step);
            std::vector<Vector> force, momentum(kicked.size()), scale(kicked.size());
            for (unsigned int k = 0; k < family->n_kicks(); ++k)
            {
              family->force(shell.nodes, k, time, force);
              const auto support = family->support(k);
              for (unsigned int i = 0; i < support.size(); ++i)
              {
                momentum[support[i]] += step * force[i];
                scale[support[i]][0] += step * force[i].norm();
              }
            }
            for (unsigned int n = 0; n < kicked.size(); ++n)
            {
              const Vector given = kicked.mass(n) * (kicked.velocity(n) - shell.nodes.velocity(n));
              EXPECT_LT((given - momentum[n]).norm(), 2e-12 * scale[n][0] + 1e-15);
              EXPECT_EQ(kicked[n].time, time);
            }
            EnergyBalance balance;
            family->add_energy(shell.nodes, balance);
            double sum = 0;
            for (unsigned int k = 0; k < family->n_kicks(); ++k)
              sum += family->energy(shell.nodes, k);
            EXPECT_NEAR(balance.strain / sum, 1., 1e-12);
          }
        }
}

/// Small and large angles, either way, and a hinge that is closed.
TEST(ShellKernels, AnglesAreExactAllTheWayRound)
{
  for (const char *isa : instruction_sets())
    for (double angle :
         {1e-9, 1e-3, 0.4, 0.7853, 0.7855, 1.2, 1.5707, 1.5709, 2., 2.7, 3.1, 3.1415})
      for (const double rest_angle : {0., 0.3, -1.5, 3.})
        for (const double sign : {1., -1.})
        {
          const Forced forced(isa);
          Triangles hinge;
          const auto corner = [](const double turned)
          { return Point<3>(0.3, -std::cos(turned), std::sin(turned)); };
          hinge.positions = {Point<3>(0, 0, 0), Point<3>(1, 0, 0), Point<3>(0.4, 1.3, 0),
                             corner(rest_angle)};
          hinge.triangles = {{{0, 1, 2}}, {{1, 0, 3}}};
          Shell shell(hinge.mesh(), {3., 0.3, 2., 0.2}, Bending::hinge);
          shell.nodes.set_displacement(3, corner(rest_angle + sign * angle) - corner(rest_angle));
          EnergyBalance balance;
          shell.families.back()->add_energy(shell.nodes, balance);
          // k = D l^2 / (A_1 + A_2)
          const double stiffness = 3. * 0.008 / (12 * 0.91) / (0.65 + 0.5);
          EXPECT_NEAR(std::sqrt(2 * balance.strain / stiffness), angle, 1e-15 + 2e-15 * angle);
        }
}

TEST(ShellKernels, BitsDoNotDependOnTheNumberOfThreads)
{
  const auto check = [](const Mesh &mesh, const Bending bending)
  {
    const auto alone = after_some_kicks(mesh, bending, 0);
    for (const unsigned int n_threads : {1u, 2u, 4u})
      EXPECT_TRUE(same_bits(alone, after_some_kicks(mesh, bending, n_threads)))
          << int(bending) << ", " << n_threads << " threads";
  };
  for (const Bending bending : all_kinds)
  {
    check(sphere(3).mesh(), bending);
    if (bending != Bending::none)
      check(clamped_plate(24), bending);
  }
  check(fan(270).mesh(), Bending::loop); // with kicks that no kernel has room for
}

TEST(ShellKernels, KicksInSequenceAreThoseOneByOne)
{
  for (const Case &a_case : {Case{"sphere", sphere(1).mesh()}, Case{"fan", fan(15).mesh()},
                             Case{"clamped plate", clamped_plate(4)}})
    for (const Bending bending : all_kinds)
    {
      if (!a_case.has(bending))
        continue;
      Shell shell(a_case.mesh, {3., 0.3, 2., 0.2}, bending);
      set_moving(shell, 0.02);
      for (const auto &family : shell.families)
      {
        const unsigned int n = family->n_kicks();
        std::vector<unsigned int> clocks(n);
        for (unsigned int k = 0; k < n; ++k)
          clocks[k] = k;
        family->assign_clocks(clocks, n);
        std::vector<DueClock> due;
        for (unsigned int k = 0; k < n; ++k)
          due.push_back({(7 * k) % n, 0.001 * (k / 3), 0.01 + 0.001 * (k % 5)});
        NodeTable<3> one_by_one = shell.nodes, in_sequence = shell.nodes;
        for (const auto &kick : due)
          family->kick(one_by_one, kick.clock, kick.time, kick.step);
        unsigned int n_calls = 0;
        family->kick_in_sequence(in_sequence, {due.data(), due.size()},
                                 [&](const unsigned int i) { EXPECT_EQ(i, n_calls++); });
        EXPECT_TRUE(same_bits(one_by_one, in_sequence)) << int(bending);
        EXPECT_EQ(n_calls, n);
        EXPECT_FALSE(same_bits(one_by_one, shell.nodes));
      }
    }
}

namespace
{
/// Springs from the nodes of edges to their places, without kernels.
class Springs : public ShellKicks
{
public:
  explicit Springs(const Mesh &mesh) : ShellKicks(mesh, {3., 0.3, 2., 0.2}, 0) {}
  std::string
  name() const override
  {
    return "springs";
  }
  unsigned int
  n_kicks() const override
  {
    return mesh().edges().size();
  }
  unsigned int
  triangle(const unsigned int k) const override
  {
    return mesh().edges()[k].triangles[0];
  }
  void
  nodal_stiffness(unsigned int, std::vector<double> &stiffness) const override
  {
    stiffness.assign(2, 1.);
  }
  double
  critical_step(unsigned int, const std::vector<double> &masses) const override
  {
    return 2 * std::sqrt(std::min(masses[0], masses[1]));
  }
  double
  deformation(const NodeTable<3> &, unsigned int) const override
  {
    return 0;
  }
  void
  add_resultants(const NodeTable<3> &, unsigned int, ShellResultants &) const override
  {
  }
  double
  bytes_per_kick() const override
  {
    return bytes_of_packs();
  }

private:
  dealii::ArrayView<const unsigned int>
  mesh_nodes(const unsigned int k) const override
  {
    return {mesh().edges()[k].nodes.data(), 2};
  }
  void
  forces(unsigned int, const Vector *const u, Vector *const result) const override
  {
    result[0] = -u[0];
    result[1] = -u[1];
  }
  double
  energy_of(unsigned int, const Vector *const u) const override
  {
    return 0.5 * (u[0].norm_square() + u[1].norm_square());
  }
};
} // namespace

TEST(ShellKicks, NeedNoKernels)
{
  const auto mesh = sphere(0).mesh(); // with five edges at every node
  Shell shell(mesh, {3., 0.3, 2., 0.2}, Bending::hinge);
  set_moving(shell, 0.1);
  Springs springs(mesh);
  const unsigned int n = springs.n_kicks();
  std::vector<unsigned int> clocks(n);
  for (unsigned int k = 0; k < n; ++k)
    clocks[k] = k % 2;
  springs.assign_clocks(clocks, 2);
  for (unsigned int k = 0; k < n; ++k)
    springs.change_clock(k, k < n / 2 ? 1 : 0);
  springs.use_threads(std::make_shared<Threads>(2), shell.nodes);
  EnergyBalance balance;
  springs.add_energy(shell.nodes, balance);
  double energy = 0;
  for (unsigned int i = 0; i < shell.nodes.size(); ++i)
    energy += 2.5 * shell.nodes.displacement(i).norm_square();
  EXPECT_NEAR(balance.strain / energy, 1., 1e-13);
  NodeTable<3> kicked = shell.nodes;
  const std::vector<DueClock> due = {{0, 0., 0.1}, {1, 0., 0.1}};
  springs.kick_in_sequence(kicked, {due.data(), due.size()}, {});
  for (unsigned int i = 0; i < kicked.size(); ++i)
    EXPECT_LT((kicked.velocity(i) - shell.nodes.velocity(i) +
               0.5 / kicked.mass(i) * shell.nodes.displacement(i))
                  .norm(),
              1e-13);
  EXPECT_EQ(springs.drift_share(), 0.);
  EXPECT_EQ(springs.bytes_per_kick(), 0.);
}
