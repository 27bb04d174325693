#include <kickdrift/deal_ii/cell_geometry.h>
#include <kickdrift/deal_ii/shell.h>
#include <kickdrift/potentials/shells/shell_kicks.h>

#include <deal.II/fe/fe_simplex_p.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace KickDrift
{
using namespace dealii;

Shell::Body(const DoFHandler<2, 3> &dof_handler, const Mapping<2, 3> &mapping, std::string name,
            const ShellSection &section, const Bending bending, const ClampedEdges &clamped)
    : dofs(&dof_handler),
      map(&mapping),
      dofs_exist(dof_handler),
      map_exists(mapping),
      body_name(std::move(name)),
      the_section(section),
      the_bending(bending),
      mesh_has_changed(std::make_shared<bool>(false)),
      on_mesh_change(dof_handler.get_triangulation().signals.any_change.connect(
          [changed = mesh_has_changed] { *changed = true; }))
{
  section.check();
  check_discretization();
  number_nodes(clamped);
  checksum_of_dofs = dof_checksum(*dofs, cells);
  areas = shell_areas(*surface_mesh, bending);
}

void
Shell::check_discretization() const
{
  AssertThrow(dofs->n_dofs() > 0, ExcNoDoFs(body_name));
  const auto &mesh = dofs->get_triangulation();
  AssertThrow(n_processes(mesh) == 1, ExcDividedShell(body_name));
  for (const auto &cell : mesh.active_cell_iterators())
    AssertThrow(cell->reference_cell() == ReferenceCells::Triangle,
                ExcTriangles(body_name, "a cell of type " + cell->reference_cell().to_string()));
  const auto &element = dofs->get_fe();
  const auto *const simplex = dynamic_cast<const FE_SimplexP<2, 3> *>(&element.base_element(0));
  AssertThrow(simplex != nullptr && element.degree == 1 && element.n_base_elements() == 1 &&
                  (element.n_components() == 1 || element.n_components() == 3),
              ExcTriangles(body_name, element.get_name()));
}

/// Throws what ShellMesh throws, with numbers of cells and vertices of deal.II's mesh.
void
Shell::check_surface(const std::vector<Cell> &in_mesh) const
{
  std::vector<Point<3>> positions(dofs->get_triangulation().n_vertices());
  std::vector<ShellMesh::Triangle> triangles;
  for (const auto &cell : in_mesh)
  {
    const auto vertices = map->get_vertices(cell);
    triangles.emplace_back();
    for (unsigned int v = 0; v < 3; ++v)
    {
      triangles.back()[v] = cell->vertex_index(v);
      positions[cell->vertex_index(v)] = vertices[v];
    }
  }
  ShellMesh(std::move(positions), std::move(triangles));
}

void
Shell::number_nodes(const ClampedEdges &clamped)
{
  std::vector<Cell> in_mesh;
  std::vector<Point<3>> centres;
  for (const auto &cell : dofs->active_cell_iterators())
  {
    in_mesh.push_back(cell);
    Point<3> centre;
    for (const auto &vertex : map->get_vertices(cell))
      centre += vertex / 3.;
    AssertThrow(std::isfinite(centre.norm()),
                ExcMessage("Body '" + body_name + "': cell " +
                           std::to_string(cell->active_cell_index()) +
                           " has vertices that are not finite numbers."));
    centres.push_back(centre);
  }
  check_surface(in_mesh);
  triangle_by_cell.resize(in_mesh.size());
  const auto &element = dofs->get_fe();
  local_node_of_dof.assign(dofs->n_dofs(), numbers::invalid_unsigned_int);
  std::vector<DoFIndex> cell_dofs(element.n_dofs_per_cell());
  std::vector<Point<3>> positions;
  std::vector<ShellMesh::Triangle> triangles;
  for (const unsigned int c : space_filling_order(centres))
  {
    triangle_by_cell[c] = cells.size();
    cells.push_back(in_mesh[c]);
    cells.back()->get_dof_indices(cell_dofs);
    const auto vertices = map->get_vertices(cells.back());
    triangles.emplace_back();
    for (unsigned int v = 0; v < 3; ++v)
    {
      const DoFIndex first_dof = cell_dofs[element.component_to_system_index(0, v)];
      if (local_node_of_dof[first_dof] == numbers::invalid_unsigned_int)
      {
        for (unsigned int d = 0; d < element.n_components(); ++d)
        {
          node_dofs.push_back(cell_dofs[element.component_to_system_index(d, v)]);
          local_node_of_dof[node_dofs.back()] = positions.size();
        }
        positions.push_back(vertices[v]);
      }
      triangles.back()[v] = local_node_of_dof[first_dof];
    }
  }
  auto surface = std::make_shared<ShellMesh>(std::move(positions), std::move(triangles));
  const auto present = dofs->get_triangulation().get_boundary_ids();
  for (const auto &[id, symmetries] : clamped)
  {
    AssertThrow(std::find(present.begin(), present.end(), id) != present.end(),
                ExcNoSuchBoundary(body_name, id));
    surface->keep_normals(boundary_edges({id}), symmetries);
  }
  surface_mesh = std::move(surface);
}

std::vector<std::array<unsigned int, 2>>
Shell::boundary_edges(const std::set<types::boundary_id> &ids) const
{
  std::vector<std::array<unsigned int, 2>> result;
  for (const auto &cell : cells)
    for (const unsigned int f : cell->face_indices())
    {
      const auto face = cell->face(f);
      if (!face->at_boundary() || (!ids.empty() && ids.count(face->boundary_id()) == 0))
        continue;
      result.emplace_back();
      for (unsigned int v = 0; v < 3; ++v)
        for (unsigned int e = 0; e < 2; ++e)
          if (cell->vertex_index(v) == face->vertex_index(e))
            result.back()[e] = local_node_of_dof[cell->vertex_dof_index(v, 0)];
    }
  return result;
}

void
Shell::add_nodes(NodeTable<3> &nodes)
{
  AssertThrow(offset == numbers::invalid_unsigned_int,
              ExcMessage("Body '" + body_name + "': nodes were added already."));
  offset = nodes.size();
  for (unsigned int n = 0; n < n_nodes(); ++n)
    nodes.add(surface_mesh->positions()[n], the_section.mass_per_area() * areas[n]);
}

const std::vector<std::shared_ptr<ShellKicks>> &
Shell::strain_kicks()
{
  if (families.empty())
    families = make_shell_kicks(surface_mesh, the_section, the_bending, first_node());
  return families;
}

void
Shell::add_surface(Surface<3> &surface, const unsigned int body) const
{
  AssertThrow(body == surface.body_names.size(),
              ExcMessage("Body '" + body_name + "' is added to the surface as number " +
                         std::to_string(body) + ", but the next free number is " +
                         std::to_string(surface.body_names.size()) + "."));
  surface.body_names.push_back(body_name);
  surface.thicknesses.resize(surface.body_names.size());
  surface.thicknesses.back() = the_section.thickness;
  for (const auto &triangle : surface_mesh->triangles())
  {
    SurfaceFace<3> face;
    face.nodes.fill(numbers::invalid_unsigned_int);
    face.n_nodes = 3;
    for (unsigned int v = 0; v < 3; ++v)
      face.nodes[v] = first_node() + triangle[v];
    face.body = body;
    face.boundary_id = numbers::invalid_boundary_id; // ids are those of free edges
    surface.faces.push_back(face);
  }
  for (unsigned int n = 0; n < n_nodes(); ++n)
    surface.contactors.push_back({first_node() + n, body, std::sqrt(areas[n])});
}

unsigned int
Shell::first_node() const
{
  AssertThrow(offset != numbers::invalid_unsigned_int,
              ExcMessage("Body '" + body_name + "': call add_nodes() first."));
  return offset;
}

ArrayView<const Shell::DoFIndex>
Shell::dofs_of_node(const unsigned int node) const
{
  const unsigned int n_components = dofs->get_fe().n_components();
  AssertIndexRange(node - first_node(), n_nodes());
  return {node_dofs.data() + std::size_t(node - first_node()) * n_components, n_components};
}

std::vector<unsigned int>
Shell::boundary_nodes(const std::set<types::boundary_id> &ids) const
{
  std::set<unsigned int> result;
  for (const auto &edge : boundary_edges(ids))
    for (const unsigned int node : edge)
      result.insert(first_node() + node);
  return {result.begin(), result.end()};
}

void
Shell::check_mesh() const
{
  AssertThrow(!*mesh_has_changed, ExcMeshChanged(body_name));
  AssertThrow(dofs_exist, ExcDestroyed(body_name, "DoFHandler"));
}

void
Shell::check_dofs() const
{
  check_mesh();
  AssertThrow(dof_checksum(*dofs, cells) == checksum_of_dofs, ExcDoFsChanged(body_name));
}

void
Shell::check_vector(const std::size_t size) const
{
  check_dofs();
  AssertThrow(dofs->get_fe().n_components() == 3,
              ExcMessage("Body '" + body_name +
                         "': vectors need a vector-valued element (FESystem), but it has " +
                         dofs->get_fe().get_name() + "."));
  AssertThrow(size == dofs->n_dofs(),
              ExcMessage("Body '" + body_name + "': the vector has " + std::to_string(size) +
                         " entries but the DoFHandler has " + std::to_string(dofs->n_dofs()) +
                         " DoFs."));
}

LoadShares<3>
shell_load_shares(const Shell &shell, const double factor)
{
  LoadShares<3> loads;
  loads.nodes_per_piece = 1;
  std::vector<bool> known(shell.n_nodes(), false);
  for (unsigned int t = 0; t < shell.mesh().triangles().size(); ++t)
    for (const unsigned int n : shell.mesh().triangles()[t])
      if (!known[n])
      {
        known[n] = true;
        loads.active_cell_indices.push_back(shell.cell(t)->active_cell_index());
        loads.nodes.push_back(shell.first_node() + n);
        loads.shares.push_back(factor * shell.area(n));
        loads.positions.push_back(shell.mesh().positions()[n]);
      }
  return loads;
}

LoadShares<3>
shell_pressure_shares(const Shell &shell)
{
  LoadShares<3> loads;
  loads.nodes_per_piece = 3;
  for (unsigned int t = 0; t < shell.mesh().triangles().size(); ++t)
  {
    loads.active_cell_indices.push_back(shell.cell(t)->active_cell_index());
    for (const unsigned int n : shell.mesh().triangles()[t])
    {
      loads.nodes.push_back(shell.first_node() + n);
      loads.shares.push_back(shell.mesh().area(t) / 3);
      loads.positions.push_back(shell.mesh().positions()[n]);
    }
  }
  return loads;
}
} // namespace KickDrift
