// The surface of bodies that lose cells.

#include "test_body.h"

#include <kickdrift/contact/surface/eroding_surface.h>

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

using namespace dealii;
using namespace KickDrift;
using namespace KickDriftTests;

namespace
{
template <int dim>
Tensor<1, dim>
area_of(const SurfaceFace<dim> &face, const NodeTable<dim> &nodes)
{
  const auto x = [&](const unsigned int i) { return nodes.reference(face.nodes[i]); };
  if constexpr (dim == 2)
    return Point<2>(x(1)[1] - x(0)[1], x(0)[0] - x(1)[0]);
  else
    return 0.5 * (face.n_nodes == 3 ? cross_product_3d(x(1) - x(0), x(2) - x(0))
                                    : cross_product_3d(x(3) - x(0), x(2) - x(1)));
}

/// Whatever cells are deleted, the surface encloses the others: its area vectors sum to zero, and
/// the theorem of Gauss gives their volume.
template <int dim>
void
expect_closed(const bool simplices, const bool mirrored)
{
  Triangulation<dim> mesh, boxes;
  std::vector<unsigned int> n(dim, simplices ? 2 : 4);
  n[0] += 1;
  Point<dim> corner;
  for (unsigned int d = 0; d < dim; ++d)
    corner[d] = 1 + d;
  GridGenerator::subdivided_hyper_rectangle(boxes, n, Point<dim>(), corner, true);
  if (simplices)
    GridGenerator::convert_hypercube_to_simplex_mesh(boxes, mesh);
  else
    mesh.copy_triangulation(boxes);
  if (mirrored) // turned, which deal.II permits: other vertices come first
    GridTools::transform(
        [](Point<dim> x)
        {
          std::swap(x[0], x[1]);
          x[0] = -x[0];
          return x;
        },
        mesh);
  const FESystem<dim> quadrilaterals(FE_Q<dim>(1), dim), triangles(FE_SimplexP<dim>(1), dim);
  DoFHandler<dim> dofs(mesh);
  dofs.distribute_dofs(simplices ? static_cast<const FiniteElement<dim> &>(triangles)
                                 : quadrilaterals);
  const MappingQ<dim> map_boxes(1);
  const MappingFE<dim> map_simplices(FE_SimplexP<dim>(1));
  Body<dim> body(dofs, simplices ? static_cast<const Mapping<dim> &>(map_simplices) : map_boxes,
                 "body", std::make_shared<Ballast<dim>>(1.));
  NodeTable<dim> nodes;
  body.add_nodes(nodes);
  Surface<dim> first;
  body.add_surface(first, 0);
  first.body_names.push_back("other");
  for (const unsigned int node : {0u, 1u}) // a particle of another body stays
    first.contactors.emplace_back(node, 1, 1.);

  std::set<unsigned int> deleted;
  auto eroding = body.eroding_body(0);
  eroding.is_deleted = [&](const unsigned int cell) { return deleted.count(cell) > 0; };
  eroding.n_deleted = [&] { return deleted.size(); };
  const ErodingSurface<dim> surface({eroding});
  EXPECT_EQ(surface.nodes().size(), nodes.size());
  const auto unchanged = surface.now(first);
  ASSERT_EQ(unchanged.faces.size(), first.faces.size());
  for (unsigned int f = 0; f < first.faces.size(); ++f)
  {
    EXPECT_EQ(unchanged.faces[f].nodes, first.faces[f].nodes);
    EXPECT_EQ(unchanged.faces[f].boundary_id, first.faces[f].boundary_id);
  }
  ASSERT_EQ(unchanged.contactors.size(), first.contactors.size());
  for (unsigned int c = 0; c < first.contactors.size(); ++c)
  {
    EXPECT_EQ(unchanged.contactors[c].nodes, first.contactors[c].nodes);
    EXPECT_EQ(unchanged.contactors[c].length, first.contactors[c].length);
  }

  std::mt19937 random(1);
  double volume = 0;
  for (const auto &cell : mesh.active_cell_iterators())
    volume += cell->measure();
  while (deleted.size() < mesh.n_active_cells())
  {
    const unsigned int cell = random() % mesh.n_active_cells();
    if (!deleted.insert(cell).second)
      continue;
    volume -= body.cell(cell)->measure();
    const auto now = surface.now(first);
    Tensor<1, dim> sum;
    double enclosed = 0;
    std::set<unsigned int> on_faces;
    for (const auto &face : now.faces)
    {
      const auto area = area_of(face, nodes);
      Point<dim> centre;
      for (unsigned int i = 0; i < face.n_nodes; ++i)
      {
        centre += nodes.reference(face.nodes[i]) / face.n_nodes;
        on_faces.insert(face.nodes[i]);
      }
      sum += area;
      enclosed += area * centre / dim;
    }
    EXPECT_NEAR(sum.norm(), 0, 1e-13);
    EXPECT_NEAR(enclosed, volume, 1e-13);
    std::set<unsigned int> contactors;
    for (const Contactor &contactor : now.contactors)
    {
      const bool is_new = contactor.body != 0 || contactors.insert(contactor.nodes[0]).second;
      EXPECT_TRUE(is_new);
    }
    EXPECT_EQ(contactors, on_faces);
    EXPECT_EQ(now.contactors.size(), contactors.size() + 2);
  }
}
} // namespace

TEST(ErodingSurface, IsClosed)
{
  for (const bool mirrored : {false, true})
  {
    expect_closed<2>(false, mirrored);
    expect_closed<2>(true, mirrored);
    expect_closed<3>(false, mirrored);
    expect_closed<3>(true, mirrored);
  }
}
