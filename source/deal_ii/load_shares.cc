#include <kickdrift/deal_ii/cell_geometry.h>
#include <kickdrift/deal_ii/load_shares.h>

#include "vertex_points.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_values.h>

namespace KickDrift
{
using namespace dealii;

namespace
{
template <int dim>
Quadrature<dim - 1>
face_quadrature(const bool hypercubes)
{
  if (hypercubes)
    return QGauss<dim - 1>(2);
  return QGaussSimplex<dim - 1>(1);
}

/// Collects the shares of cells or faces.
template <int dim, int spacedim>
class Collector
{
public:
  explicit Collector(const Body<dim, spacedim> &body) : body(body), points(body)
  {
    body.check_dofs();
    if (body.n_followers() > 0)
      loads.points = points.points();
  }

  /// Append the vertices' nodes, shares and positions of one cell or face.
  void
  append(const typename Body<dim, spacedim>::Cell &cell, const std::vector<unsigned int> &vertices,
         const FEValuesBase<dim, spacedim> &fe_values, const double factor)
  {
    const auto nodes = body.nodes_of_cell(cell);
    const auto positions = body.mapping().get_vertices(cell);
    loads.nodes_per_piece = vertices.size();
    loads.active_cell_indices.push_back(cell->active_cell_index());
    for (const unsigned int v : vertices)
    {
      double share = 0;
      for (const unsigned int q : fe_values.quadrature_point_indices())
        share += fe_values.shape_value(v, q) * fe_values.JxW(q);
      if (loads.points)
        loads.point_numbers.push_back(points(cell, v));
      else
        loads.nodes.push_back(nodes[v]);
      loads.shares.push_back(factor * share);
      loads.positions.push_back(positions[v]);
    }
  }

  LoadShares<spacedim> loads;

private:
  const Body<dim, spacedim> &body;
  VertexPoints<dim, spacedim> points;
};
} // namespace

template <int dim, int spacedim>
LoadShares<spacedim>
cell_load_shares(const Body<dim, spacedim> &body, const LoadPer per)
{
  const auto &element = body.dof_handler().get_fe().base_element(0);
  FEValues<dim, spacedim> fe_values(body.mapping(), element,
                                    cell_quadrature<dim>(element.reference_cell().is_hyper_cube()),
                                    update_values | update_JxW_values);
  std::vector<unsigned int> vertices(element.n_dofs_per_cell());
  for (unsigned int v = 0; v < vertices.size(); ++v)
    vertices[v] = v;
  Collector<dim, spacedim> collector(body);
  for (const auto &cell : body.cells())
  {
    fe_values.reinit(typename Triangulation<dim, spacedim>::active_cell_iterator(cell));
    const double factor = per == LoadPer::mass ? body.material(cell)->density() : 1.;
    collector.append(cell, vertices, fe_values, factor);
  }
  return collector.loads;
}

template <int dim, int spacedim>
LoadShares<spacedim>
boundary_load_shares(const Body<dim, spacedim> &body, const std::set<types::boundary_id> &ids)
{
  const auto &element = body.dof_handler().get_fe().base_element(0);
  FEFaceValues<dim, spacedim> fe_values(
      body.mapping(), element, face_quadrature<dim>(element.reference_cell().is_hyper_cube()),
      update_values | update_JxW_values);
  Collector<dim, spacedim> collector(body);
  std::set<types::boundary_id> present;
  for (const auto &face : body.boundary_faces())
  {
    const auto &cell = body.cell(face.active_cell_index);
    const auto id = cell->face(face.face)->boundary_id();
    present.insert(id);
    if (!ids.empty() && ids.count(id) == 0)
      continue;
    fe_values.reinit(typename Triangulation<dim, spacedim>::active_cell_iterator(cell), face.face);
    collector.append(cell, outward_face_vertices<dim, spacedim>(cell, face.face), fe_values, 1.);
  }
  std::string known;
  for (const auto id : present)
    known += (known.empty() ? "" : ", ") + std::to_string(id);
  AssertThrow(collector.loads.nodes_per_piece > 0,
              ExcMessage("Body '" + body.name() +
                         "' has no boundary face with the requested boundary ids; its ids are " +
                         known + "."));
  return collector.loads;
}

template LoadShares<2> cell_load_shares(const Body<2> &, LoadPer);
template LoadShares<3> cell_load_shares(const Body<3> &, LoadPer);
template LoadShares<2> boundary_load_shares(const Body<2> &, const std::set<types::boundary_id> &);
template LoadShares<3> boundary_load_shares(const Body<3> &, const std::set<types::boundary_id> &);
} // namespace KickDrift
