// Edges, turned triangles, and what is no surface.

#include "shells.h"

#include <kickdrift/potentials/shells/loop_subdivision.h>

#include <set>

#include <gtest/gtest.h>

using namespace ShellsTest;

namespace
{
std::vector<Point<3>>
corners_of_box()
{
  return {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
}

/// Every edge is gone along in both directions.
void
expect_all_the_same_way(const ShellMesh &mesh)
{
  std::set<std::pair<unsigned int, unsigned int>> directed;
  for (const auto &t : mesh.triangles())
    for (unsigned int i = 0; i < 3; ++i)
      EXPECT_TRUE(directed.emplace(t[i], t[(i + 1) % 3]).second);
}
} // namespace

TEST(ShellMesh, HasEveryEdgeOnce)
{
  const auto closed = sphere(2).mesh();
  EXPECT_EQ(closed->positions().size(), 162u);
  EXPECT_EQ(closed->triangles().size(), 320u);
  EXPECT_EQ(closed->edges().size(), 480u); // Euler
  for (const auto &edge : closed->edges())
    EXPECT_FALSE(edge.is_free());
  const auto open = plate(4, Pattern::one_sided).mesh();
  unsigned int n_free = 0;
  for (const auto &edge : open->edges())
    n_free += edge.is_free();
  EXPECT_EQ(n_free, 16u);
  for (unsigned int t = 0; t < open->triangles().size(); ++t)
    for (unsigned int i = 0; i < 3; ++i)
    {
      const auto &edge = open->edge(t, i);
      const bool is_first = edge.triangles[0] == t;
      EXPECT_EQ(edge.opposite[is_first ? 0 : 1], open->triangles()[t][(i + 2) % 3]);
      EXPECT_EQ(edge.nodes[is_first ? 0 : 1], open->triangles()[t][i]);
      EXPECT_EQ(open->opposite(t, i), edge.opposite[is_first ? 1 : 0]);
    }
}

TEST(ShellMesh, TurnsTriangles)
{
  auto surface = sphere(2);
  const auto before = surface.triangles;
  for (const unsigned int t : {3u, 17u, 18u, 200u})
    std::swap(surface.triangles[t][0], surface.triangles[t][1]);
  const auto mesh = surface.mesh();
  EXPECT_EQ(mesh->n_turned(), 4u);
  EXPECT_TRUE(mesh->is_turned(17) && !mesh->is_turned(16));
  expect_all_the_same_way(*mesh);
  for (unsigned int t = 0; t < before.size(); ++t)
  {
    const auto &x = surface.positions;
    const auto &c = mesh->triangles()[t];
    EXPECT_GT(cross_product_3d(x[c[1]] - x[c[0]], x[c[2]] - x[c[0]]) * (x[c[0]] - Point<3>()), 0.);
  }
}

TEST(ShellMesh, PartsThatDoNotTouchAreTurnedAlone)
{
  auto surface = sphere(0);
  const auto other = sphere(0, 3.);
  for (const auto &t : other.triangles) // inwards
    surface.triangles.push_back({{t[0] + 12, t[2] + 12, t[1] + 12}});
  surface.positions.insert(surface.positions.end(), other.positions.begin(), other.positions.end());
  EXPECT_EQ(surface.mesh()->n_turned(), 0u);
}

TEST(ShellMesh, RefusesWhatIsNoSurface)
{
  const auto x = corners_of_box();
  EXPECT_THROW(ShellMesh(x, {{{0, 1, 1}}}), ShellExceptions::ExcCorners);
  EXPECT_THROW(ShellMesh(x, {{{0, 1, 8}}}), ShellExceptions::ExcCorners);
  EXPECT_THROW(ShellMesh({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}, {{{0, 1, 2}}}),
               ShellExceptions::ExcDegenerate);
  EXPECT_THROW(ShellMesh({{0, 0, 0}, {1, 0, 0}, {std::nan(""), 1, 0}}, {{{0, 1, 2}}}),
               ShellExceptions::ExcDegenerate);
  EXPECT_THROW(ShellMesh(x, {{{0, 1, 2}}, {{1, 0, 4}}, {{0, 1, 7}}}),
               ShellExceptions::ExcThreeTriangles);
  EXPECT_THROW(ShellMesh(x, {{{0, 1, 2}}, {{0, 2, 1}}}), ShellExceptions::ExcTwice);
  // a Moebius strip of five triangles
  std::vector<Point<3>> ring;
  for (unsigned int i = 0; i < 5; ++i)
    ring.emplace_back(std::cos(1.2566 * i), std::sin(1.2566 * i), 0.3 * (i % 2));
  std::vector<ShellMesh::Triangle> strip;
  for (unsigned int i = 0; i < 5; ++i)
    strip.push_back({{i, (i + 1) % 5, (i + 2) % 5}});
  EXPECT_THROW(ShellMesh(ring, strip), ShellExceptions::ExcOneSided);
}

TEST(ShellMesh, SubdivisionNeedsFans)
{
  const auto x = corners_of_box();
  const ShellMesh bow_tie(x, {{{0, 1, 2}}, {{0, 5, 6}}});
  EXPECT_THROW(loop_weights(bow_tie), ShellExceptions::ExcFan);
  EXPECT_EQ(loop_weights(*sphere(0).mesh()).rows.n_rows(), 20u);
  EXPECT_EQ(loop_weights(ShellMesh(x, {{{0, 1, 2}}})).rows.n_rows(), 1u);
}

TEST(ShellMesh, SectionsAreChecked)
{
  EXPECT_NO_THROW(steel(0.1).check());
  for (unsigned int i = 0; i < 5; ++i)
  {
    ShellSection section = steel(0.1);
    (i == 0   ? section.thickness
     : i == 1 ? section.density
     : i == 2 ? section.youngs_modulus
              : section.poisson_ratio) = i == 3   ? 1
                                         : i == 4 ? -1
                                                  : 0;
    EXPECT_THROW(section.check(), ShellExceptions::ExcSection) << i;
  }
}
