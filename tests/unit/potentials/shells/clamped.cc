// Shells with edges that keep their normals: halves of symmetric shells.

#include "shells.h"

#include <deal.II/physics/transformations.h>

#include <gtest/gtest.h>

using namespace ShellsTest;

namespace
{
constexpr unsigned int n_squares = 8;

// Normal of the mirror.
const Tensor<1, 3> across_mirror({-2, 0, 0});

/// On the left, x = 0, where the mirror is.
bool
at_mirror(const Point<3> &x)
{
  return std::abs(x[0]) < 1e-10;
}

enum class Form
{
  flat_at_mirror,
  crown,   ///< of a tube, whose triangles next to the mirror are not square to it
  arc,     ///< the mirror cuts a tube across, which is cone-shaped there
  crossing ///< of a ridge and a bent edge at the mirror
};

/// One half.
Triangles
half(const Form form, const Pattern pattern = Pattern::one_sided)
{
  auto result = plate(n_squares, pattern, 0.1);
  for (auto &x : result.positions)
    if (form == Form::flat_at_mirror)
      x[2] = 0.3 * std::pow(std::max(0., x[0] - 0.3), 2) * (1 + x[1]);
    else if (form == Form::crown)
      x = Point<3>(0.8 * std::sin(1.2 * x[0]), x[1], 0.8 * std::cos(1.2 * x[0]));
    else
    {
      const double radius = form == Form::arc ? 1 - 0.1 * x[0] * x[0] : 1 - 0.4 * x[0];
      x = Point<3>(x[0], radius * std::sin(1.2 * x[1] - 0.6), radius * std::cos(1.2 * x[1] - 0.6));
    }
  return result;
}

Triangles
half()
{
  return half(Form::flat_at_mirror);
}

Point<3>
mirrored(const Point<3> &x)
{
  return Point<3>(-x[0], x[1], x[2]);
}

/// The triangles of half, and behind them their mirror images.
Triangles
whole(Triangles result)
{
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

namespace
{
void
compare_halves(const Triangles &surface, const Bending bending)
{
  const ShellSection section{3., 0.3, 2., 0.2};
  Shell a_half(surface.clamped_mesh(at_mirror, {across_mirror}), section, bending);
  Shell free_half(surface.mesh(), section, bending);
  Shell the_whole(whole(surface).mesh(), section, bending);
  for (auto *const shell : {&a_half, &free_half, &the_whole})
    shell->displace(displacement);
  const auto areas = shell_areas(*a_half.mesh, bending),
             areas_of_whole = shell_areas(*the_whole.mesh, bending);
  // where mirror and free edge meet, surfaces of Loop are others
  const double margin = bending == Bending::loop ? 2.7 / n_squares : -1.;
  const auto of_half = forces(a_half), of_free = forces(free_half), of_whole = forces(the_whole);
  double largest = 0, without = 0;
  for (const auto &force : of_half)
    largest = std::max(largest, force.norm());
  const auto flat = plate(n_squares, Pattern::one_sided); // node by node
  for (unsigned int n = 0; n < of_half.size(); ++n)
  {
    const auto &x = a_half.nodes.reference(n);
    if (const double y = flat.positions[n][1]; y < margin || y > 1 - margin)
      continue;
    Vector expected = of_whole[n];
    if (at_mirror(x)) // the other half of the force is that of the image
      expected = 0.5 * expected;
    Vector difference = of_half[n] - expected;
    if (at_mirror(x))
      difference[0] = 0; // both halves push against the mirror
    EXPECT_LT(difference.norm(), 1e-12 * largest) << x;
    EXPECT_NEAR(areas[n], (at_mirror(x) ? 0.5 : 1.) * areas_of_whole[n], 1e-14) << x;
    without = std::max(without, (of_free[n] - of_half[n]).norm());
  }
  EXPECT_GT(without, 0.01 * largest) << "the edge makes no difference";
  if (bending != Bending::loop)
  {
    EXPECT_NEAR(2 * a_half.energy() / the_whole.energy(), 1., 1e-12);
  }
}
} // namespace

/// Also where triangles are not square to the mirror, and, for Loop, where its nodes have any
/// number of neighbours inside.
TEST(ClampedShells, AreHalvesOfSymmetricOnes)
{
  for (const Bending bending : {Bending::hinge, Bending::triangle, Bending::loop})
    for (const Form form : {Form::flat_at_mirror, Form::crown, Form::arc, Form::crossing})
      for (const Pattern pattern : {Pattern::one_sided, Pattern::shifted_rows})
      {
        SCOPED_TRACE(std::to_string(int(bending)) + " form " + std::to_string(int(form)) +
                     " pattern " + std::to_string(int(pattern)));
        compare_halves(half(form, pattern), bending);
      }
}

/// A turn that the mirror allows leaves a whole as it is, so also its half.
TEST(ClampedShells, MayTurnInThePlaneOfSymmetry)
{
  for (const Form form : {Form::crown, Form::arc, Form::crossing})
    for (const Bending bending : {Bending::hinge, Bending::triangle, Bending::loop})
    {
      Shell shell(half(form).clamped_mesh(at_mirror, {across_mirror}), {3., 0.3, 2., 0.2}, bending);
      shell.displace(
          [](const Point<3> &x)
          { return Point<3>(0, -x[1] - x[2], x[1] - x[2]); }); // by a right angle about x
      EXPECT_LT(shell.energy(), 1e-25) << int(form) << int(bending);
    }
}

/// Nothing depends on how the shell and its plane of symmetry lie in space.
TEST(ClampedShells, MayBeTurned)
{
  const auto turn = dealii::Physics::Transformations::Rotations::rotation_matrix_3d(
      Point<3>(1 / 3., 2 / 3., -2 / 3.), 2.);
  for (const Form form : {Form::flat_at_mirror, Form::crown, Form::arc, Form::crossing})
    for (const Bending bending : {Bending::hinge, Bending::triangle, Bending::loop})
    {
      const auto surface = half(form);
      auto turned = surface;
      for (auto &x : turned.positions)
        x = Point<3>(turn * x);
      const auto at_turned_mirror = [&](const Point<3> &x)
      { return at_mirror(Point<3>(transpose(turn) * x)); };
      Shell first(surface.clamped_mesh(at_mirror, {across_mirror}), {3., 0.3, 2., 0.2}, bending);
      Shell second(turned.clamped_mesh(at_turned_mirror, {turn * across_mirror}),
                   {3., 0.3, 2., 0.2}, bending);
      first.displace(displacement);
      second.displace([&](const Point<3> &x)
                      { return Point<3>(turn * displacement(Point<3>(transpose(turn) * x))); });
      const auto expected = forces(first), found = forces(second);
      for (unsigned int n = 0; n < found.size(); ++n)
        EXPECT_LT((found[n] - turn * expected[n]).norm(), 1e-13) << int(form) << int(bending);
    }
}

/// A plate that is clamped at an edge that is bent within its plane is not mirrored there.
TEST(ClampedShells, PlanesAreCrossed)
{
  auto surface = plate(n_squares, Pattern::one_sided);
  for (auto &x : surface.positions)
    x[0] += 0.2 * (1 - x[0]) * std::sin(dealii::numbers::PI * x[1]);
  const auto at_edge = [](const Point<3> &x) { return x[0] < 0.21 && x[0] < 0.9 * std::abs(x[1]); };
  for (const Bending bending : {Bending::hinge, Bending::triangle, Bending::loop})
  {
    Shell shell(surface.clamped_mesh(at_edge), {3., 0.3, 2., 0.2}, bending);
    EXPECT_LT(shell.energy(), 1e-25);
    shell.displace([](const Point<3> &x) { return Point<3>(0, 0, 0.1 * x[0] * x[0]); });
    EXPECT_GT(shell.energy(), 1e-7);
    EXPECT_LT(shell.energy(), 1e-2);
  }
}

TEST(ClampedShells, AreNoMembranes)
{
  const auto mesh = half().clamped_mesh(at_mirror);
  EXPECT_THROW(make_shell_kicks(mesh, {3., 0.3, 2., 0.2}, Bending::none, 0),
               ShellKicks::ExcMembrane);
  EXPECT_THROW(shell_areas(*mesh, Bending::none), ShellKicks::ExcMembrane);
}

TEST(ClampedShells, ResultantsAreThoseOfSymmetricOnes)
{
  const ShellSection section{3., 0.3, 2., 0.2};
  for (const Bending bending : {Bending::hinge, Bending::triangle})
  {
    Shell a_half(half().clamped_mesh(at_mirror), section, bending);
    Shell the_whole(whole(half()).mesh(), section, bending);
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
