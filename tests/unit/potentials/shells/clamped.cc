// Shells with edges that keep their normals: halves of symmetric shells.

#include "shells.h"

#include <gtest/gtest.h>

using namespace ShellsTest;

namespace
{
constexpr unsigned int n_squares = 8;

/// On the left, x = 0, where the mirror is.
bool
at_mirror(const Point<3> &x)
{
  return std::abs(x[0]) < 1e-10;
}

/// A plate that is bent away from the mirror.
Triangles
half()
{
  auto result = plate(n_squares, Pattern::one_sided, 0.1);
  for (auto &x : result.positions)
    x[2] = 0.3 * std::pow(std::max(0., x[0] - 0.3), 2) * (1 + x[1]);
  return result;
}

Point<3>
mirrored(const Point<3> &x)
{
  return Point<3>(-x[0], x[1], x[2]);
}

/// The triangles of half(), and behind them their mirror images.
Triangles
whole()
{
  Triangles result = half();
  const auto first = result;
  std::vector<unsigned int> image;
  for (unsigned int n = 0; n < first.positions.size(); ++n)
  {
    image.push_back(at_mirror(first.positions[n]) ? n : result.positions.size());
    if (image.back() != n)
      result.positions.push_back(mirrored(first.positions[n]));
  }
  for (const auto &t : first.triangles)
    result.triangles.push_back({{image[t[0]], image[t[2]], image[t[1]]}});
  return result;
}

/// A displacement that is symmetric to the mirror.
Point<3>
displacement(const Point<3> &x)
{
  const double y = std::abs(x[0]);
  return Point<3>(0.1 * x[0] * (1 + x[1]), 0.05 * std::sin(3 * y + x[1]),
                  0.2 * std::cos(4 * y) * (1 + x[1] * x[1]));
}

std::vector<Vector>
forces(const Shell &shell)
{
  std::vector<Vector> result(shell.nodes.size()), force;
  for (const auto &family : shell.families)
    for (unsigned int k = 0; k < family->n_kicks(); ++k)
    {
      family->force(shell.nodes, k, 0., force);
      const auto support = family->support(k);
      for (unsigned int i = 0; i < support.size(); ++i)
        result[support[i]] += force[i];
    }
  return result;
}
} // namespace

TEST(ClampedShells, AreHalvesOfSymmetricOnes)
{
  const ShellSection section{3., 0.3, 2., 0.2};
  for (const Bending bending : {Bending::hinge, Bending::triangle, Bending::loop})
  {
    SCOPED_TRACE(int(bending));
    Shell a_half(half().clamped_mesh(at_mirror), section, bending);
    Shell free_half(half().mesh(), section, bending);
    Shell the_whole(whole().mesh(), section, bending);
    for (auto *const shell : {&a_half, &free_half, &the_whole})
      shell->displace(displacement);
    // where mirror and free edge meet, surfaces of Loop are others
    const double margin = bending == Bending::loop ? 2.7 / n_squares : -1.;
    const auto of_half = forces(a_half), of_free = forces(free_half), of_whole = forces(the_whole);
    double largest = 0, without = 0;
    for (const auto &force : of_half)
      largest = std::max(largest, force.norm());
    for (unsigned int n = 0; n < of_half.size(); ++n)
    {
      const auto &x = a_half.nodes.reference(n);
      if (x[1] < margin || x[1] > 1 - margin)
        continue;
      Vector expected = of_whole[n];
      if (at_mirror(x)) // the other half of the force is that of the image
        expected = 0.5 * expected;
      Vector difference = of_half[n] - expected;
      if (at_mirror(x))
        difference[0] = 0; // both halves push against the mirror
      EXPECT_LT(difference.norm(), 1e-12 * largest) << x;
      without = std::max(without, (of_free[n] - of_half[n]).norm());
    }
    EXPECT_GT(without, 0.01 * largest) << "the edge makes no difference";
    if (bending != Bending::loop)
    {
      EXPECT_NEAR(2 * a_half.energy() / the_whole.energy(), 1., 1e-12);
    }
  }
}

TEST(ClampedShells, ResultantsAreThoseOfSymmetricOnes)
{
  const ShellSection section{3., 0.3, 2., 0.2};
  for (const Bending bending : {Bending::hinge, Bending::triangle})
  {
    Shell a_half(half().clamped_mesh(at_mirror), section, bending);
    Shell the_whole(whole().mesh(), section, bending);
    for (auto *const shell : {&a_half, &the_whole})
      shell->displace(displacement);
    for (unsigned int t = 0; t < a_half.mesh->triangles().size(); ++t)
    {
      ShellResultants of_half, of_whole;
      a_half.families.back()->add_resultants(a_half.nodes, t, of_half);
      the_whole.families.back()->add_resultants(the_whole.nodes, t, of_whole);
      EXPECT_LT((of_half.moment - of_whole.moment).norm(), 1e-12);
      EXPECT_LT((of_half.curvature - of_whole.curvature).norm(), 1e-11);
    }
  }
}

TEST(ClampedShells, GoWithTheirEdges)
{
  for (const Bending bending : {Bending::hinge, Bending::triangle, Bending::loop})
  {
    Shell shell(half().clamped_mesh(at_mirror), {3., 0.3, 2., 0.2}, bending);
    shell.displace([](const Point<3> &) { return Point<3>(0.5, -1, 2); });
    EXPECT_LT(shell.energy(), 1e-25);
    // but do not turn with them: about the edge the normal is held
    shell.displace([](const Point<3> &x) { return Point<3>(-0.1 * x[2], 0, 0.1 * x[0]); });
    EXPECT_GT(shell.energy(), 1e-5);
  }
}

TEST(ClampedShells, OnlyFreeEdgesKeepNormals)
{
  ShellMesh mesh(half().positions, half().triangles);
  const auto inner = std::find_if(mesh.edges().begin(), mesh.edges().end(),
                                  [](const auto &edge) { return !edge.is_free(); });
  EXPECT_THROW(mesh.keep_normals({inner->nodes}), ShellExceptions::ExcNotFree);
  EXPECT_THROW(mesh.keep_normals({{{0, 20}}}), ShellExceptions::ExcNotFree);
}
