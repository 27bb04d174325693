#include <kickdrift/base/messages.h>
#include <kickdrift/deal_ii/body.h>
#include <kickdrift/deal_ii/cell_geometry.h>
#include <kickdrift/meshes/hanging_nodes.h>
#include <kickdrift/potentials/cells/kicks_at_points.h>
#include <kickdrift/potentials/materials/history_material.h>
#include <kickdrift/potentials/materials/prestressed.h>

#include "vertex_points.h"

#include <deal.II/fe/fe_values.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <type_traits>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// What is integrated over one cell.
template <int dim, int spacedim>
struct CellIntegrals
{
  std::vector<Point<spacedim>> points;           ///< of quadrature
  std::vector<Tensor<2, dim>> inverse_jacobians; ///< per quadrature point
  std::vector<double> weights;                   ///< per quadrature point
  std::vector<double> volumes;                   ///< int N_A dV per vertex
};

/// Integrates over cells, after checking their geometry: with the Jacobians of their vertices,
/// since those of FEValues may be taken over from the cell before if that looks similar, with its
/// rounding.
template <int dim, int spacedim>
class CellIntegrator
{
public:
  using Cell = typename DoFHandler<dim, spacedim>::active_cell_iterator;

  explicit CellIntegrator(const Body<dim, spacedim> &body)
      : geometry(body.dof_handler(), body.mapping(), body.name()),
        quadrature(
            cell_quadrature<dim>(body.dof_handler().get_fe().reference_cell().is_hyper_cube())),
        fe_values(body.mapping(), body.dof_handler().get_fe().base_element(0), quadrature,
                  update_values | update_inverse_jacobians | update_quadrature_points)
  {
  }

  CellIntegrals<dim, spacedim>
  operator()(const Cell &cell)
  {
    const auto &jacobians = geometry.jacobians(cell);
    const typename Triangulation<dim, spacedim>::active_cell_iterator mesh_cell = cell;
    fe_values.reinit(mesh_cell);
    CellIntegrals<dim, spacedim> result;
    result.points = fe_values.get_quadrature_points();
    result.volumes.assign(fe_values.dofs_per_cell, 0.);
    for (const unsigned int q : fe_values.quadrature_point_indices())
    {
      geometry.check_linear(Tensor<2, dim>(fe_values.inverse_jacobian(q)), q);
      result.inverse_jacobians.push_back(invert(jacobians[q]));
      result.weights.push_back(determinant(jacobians[q]) * quadrature.weight(q));
      for (unsigned int a = 0; a < result.volumes.size(); ++a)
        result.volumes[a] += fe_values.shape_value(a, q) * result.weights[q];
    }
    return result;
  }

private:
  CellGeometry<dim, spacedim> geometry;
  const Quadrature<dim> quadrature;
  FEValues<dim, spacedim> fe_values;
};
} // namespace

template <int dim, int spacedim>
Body<dim, spacedim>::Body(const DoFHandler<dim, spacedim> &dof_handler,
                          const Mapping<dim, spacedim> &mapping, std::string name,
                          Materials materials, const StrainIntegration integration,
                          const HourglassControl &hourglass)
    : dofs(&dof_handler),
      map(&mapping),
      dofs_exist(dof_handler),
      map_exists(mapping),
      body_name(std::move(name)),
      materials(std::move(materials)),
      integration(integration),
      hourglass(hourglass),
      mesh_has_changed(std::make_shared<bool>(false)),
      on_mesh_change(dof_handler.get_triangulation().signals.any_change.connect(
          [changed = mesh_has_changed] { *changed = true; }))
{
  check_discretization(*dofs, *map, body_name);
  const unsigned int n = n_processes(dofs->get_triangulation());
  AssertThrow(n == 1,
              ExcMessage("Body '" + body_name + "': the mesh is divided among " +
                         std::to_string(n) +
                         " processes; give it to Dynamics::add_body(), or make the body from a "
                         "MeshReplica."));
  AssertThrow(integration != StrainIntegration::one_point ||
                  dofs->get_triangulation().all_reference_cells_are_hyper_cube(),
              ExcMessage("Body '" + body_name +
                         "': one-point integration is for quadrilaterals and hexahedra; simplices "
                         "have one point anyway, use standard integration."));
  AssertThrow(integration != StrainIntegration::mean_dilatation ||
                  dofs->get_triangulation().all_reference_cells_are_hyper_cube(),
              ExcMessage("Body '" + body_name +
                         "': mean dilatation is for quadrilaterals and hexahedra; simplices have "
                         "one point anyway, use standard integration."));
  AssertThrow(integration != StrainIntegration::nodal ||
                  !dofs->get_triangulation().has_hanging_nodes(),
              ExcMessage("Body '" + body_name +
                         "': nodal integration is for meshes without hanging nodes; use standard "
                         "or one-point integration, or refine globally."));
  check_materials();
  order_cells();
  checksum_of_dofs = dof_checksum(*dofs, ordered_cells);
  number_nodes();
  compute_masses();
  find_boundary_faces();
}

template <int dim, int spacedim>
Body<dim, spacedim>::Body(const DoFHandler<dim, spacedim> &dof_handler,
                          const Mapping<dim, spacedim> &mapping, std::string name,
                          std::shared_ptr<const Material<dim>> material,
                          const StrainIntegration integration, const HourglassControl &hourglass)
    : Body(dof_handler, mapping, std::move(name),
           Materials{{numbers::invalid_material_id, std::move(material)}}, integration, hourglass)
{
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::check_materials() const
{
  for (const auto &entry : materials)
  {
    AssertThrow(entry.second != nullptr,
                ExcMessage("Body '" + body_name + "': there is no material object for id " +
                           std::to_string(entry.first) + "."));
    const double density = entry.second->density();
    AssertThrow(density > 0 && std::isfinite(density),
                ExcMessage("Body '" + body_name + "': the density is " + std::to_string(density) +
                           " but must be positive."));
    AssertThrow(dynamic_cast<const HistoryMaterial<dim> *>(entry.second.get()) == nullptr ||
                    integration == StrainIntegration::standard ||
                    integration == StrainIntegration::mean_dilatation,
                ExcMessage("Body '" + body_name +
                           "': materials with a history, such as plastic ones, go with standard "
                           "integration and mean dilatation only."));
    AssertThrow(!entry.second->is_linear() || integration != StrainIntegration::mean_dilatation,
                ExcMessage("Body '" + body_name +
                           "': mean dilatation is for large strains, but the material is "
                           "linear; take a neo-Hookean one."));
  }
}

template <int dim, int spacedim>
const std::shared_ptr<const Material<dim>> &
Body<dim, spacedim>::material(const Cell &cell) const
{
  auto entry = materials.find(cell->material_id());
  if (entry == materials.end())
    entry = materials.find(numbers::invalid_material_id);
  AssertThrow(entry != materials.end(),
              ExcMessage("Body '" + body_name + "': cell " +
                         std::to_string(cell->active_cell_index()) + " has material id " +
                         std::to_string(cell->material_id()) +
                         ", for which no material was given."));
  return entry->second;
}

template <int dim, int spacedim>
bool
Body<dim, spacedim>::has_linear_material() const
{
  return std::any_of(materials.begin(), materials.end(),
                     [](const auto &entry) { return entry.second->is_linear(); });
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::compute_masses()
{
  masses.assign(positions.size() + followers.size(), 0.);
  volumes.assign(masses.size(), 0.);
  CellIntegrator<dim, spacedim> integrate(*this);
  std::vector<unsigned int> nodes;
  for (const auto &cell : ordered_cells)
  {
    const double density = material(cell)->density();
    const auto integrals = integrate(cell);
    local_nodes(cell, nodes);
    for (unsigned int a = 0; a < nodes.size(); ++a)
    {
      volumes[nodes[a]] += integrals.volumes[a];
      masses[nodes[a]] += density * integrals.volumes[a];
    }
  }
  for (unsigned int i = 0; i < followers.size(); ++i)
    for (const Master &master : followers[i].masters)
    {
      const unsigned int node = local_node_of_dof[master.dof];
      volumes[node] += master.weight * volumes[positions.size() + i];
      masses[node] += master.weight * masses[positions.size() + i];
    }
  volumes.resize(positions.size());
  masses.resize(positions.size());
  received.assign(masses.size(), 0.);
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::add_nodes(NodeTable<spacedim> &nodes)
{
  AssertThrow(offset == numbers::invalid_unsigned_int,
              ExcMessage("Body '" + body_name + "': nodes were added already."));
  take_out_tied_nodes();
  AssertThrow(n_nodes() > 0, ExcAllTied(body_name));
  offset = nodes.size();
  for (unsigned int n = 0; n < n_nodes(); ++n)
    nodes.add(positions[n], masses[n] + received[n]);
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::set_initial_stress(
    std::function<SymmetricTensor<2, 3>(const Point<spacedim> &)> stress)
{
  check_states_may_be_set();
  CellIntegrator<dim, spacedim> integrate(*this);
  double largest = 0;
  for (const auto &cell : ordered_cells)
    for (const auto &point : integrate(cell).points)
    {
      const auto S = stress(point);
      AssertThrow(std::isfinite(S.norm()) && (dim == 3 || (S[0][2] == 0 && S[1][2] == 0)),
                  ExcMessage("Body '" + body_name +
                             "': the initial stress must be finite, and in two dimensions have no "
                             "shear across the plane."));
      largest = std::max(largest, eigenvalues(S)[0]);
    }
  Materials prestressed = materials;
  for (auto &entry : prestressed)
    entry.second = std::make_shared<PrestressedMaterial<dim>>(entry.second, largest);
  materials = std::move(prestressed);
  set_initial_states([stress](const HistoryMaterial<dim> &, const Point<spacedim> &point)
                     { return PrestressedMaterial<dim>::state(stress(point)); });
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::set_initial_states(
    std::function<std::vector<double>(const HistoryMaterial<dim> &, const Point<spacedim> &)> state)
{
  check_states_may_be_set();
  initial_state = std::move(state);
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::set_states_of_cells(
    std::function<std::vector<double>(const HistoryMaterial<dim> &, const Cell &, unsigned int)>
        state)
{
  AssertThrow(kick_families.empty(), ExcInitialState(body_name));
  state_of_cell = std::move(state);
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::check_states_may_be_set() const
{
  AssertThrow(kick_families.empty() && !initial_state &&
                  (integration == StrainIntegration::standard ||
                   integration == StrainIntegration::mean_dilatation),
              ExcInitialState(body_name));
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::set_failure_strain(const double strain)
{
  AssertThrow(strain > 0 && std::isfinite(strain) && integration != StrainIntegration::nodal &&
                  kick_families.empty(),
              ExcFailureStrain(body_name, strain));
  strain_at_failure = strain;
}

template <int dim, int spacedim>
unsigned int
Body<dim, spacedim>::n_deleted_cells() const
{
  unsigned int n = 0;
  for (const auto &family : kick_families)
    n += family->n_deleted();
  return n;
}

template <int dim, int spacedim>
std::vector<CellBlock<dim>>
Body<dim, spacedim>::cell_blocks() const
{
  // in the order of the ids of the materials, not of the cells that happen to come first
  std::map<const Material<dim> *, unsigned int> order;
  for (const auto &entry : materials)
    order.emplace(entry.second.get(), order.size());
  const auto key = [&](const Cell &cell)
  { return std::make_pair(order.at(material(cell).get()), has_follower(cell)); };
  std::map<std::pair<unsigned int, bool>, std::size_t> sizes;
  for (const auto &cell : ordered_cells)
    ++sizes[key(cell)];
  std::map<std::pair<unsigned int, bool>, CellBlock<dim>> by_material;
  CellIntegrator<dim, spacedim> integrate(*this);
  VertexPoints<dim, spacedim> points(*this);
  for (const auto &cell : ordered_cells)
  {
    const bool follows = has_follower(cell);
    CellBlock<dim> &block = by_material[key(cell)];
    if (!block.material)
    {
      block.material = material(cell);
      block.data.nodes_per_cell = cell->n_vertices();
      block.data.points_per_cell =
          cell_quadrature<dim>(cell->reference_cell().is_hyper_cube()).size();
      if (follows)
        block.points = points.points();
      // large enough at once: this is the peak of memory of a run
      const std::size_t n = sizes[key(cell)];
      block.data.nodes.reserve(n * block.data.nodes_per_cell);
      block.data.inverse_jacobians.reserve(n * block.data.points_per_cell);
      block.data.weights.reserve(n * block.data.points_per_cell);
      block.data.masses.reserve(n * block.data.nodes_per_cell);
      block.active_cell_indices.reserve(n);
    }
    const auto integrals = integrate(cell);
    auto nodes = nodes_of_cell(cell);
    for (unsigned int v = 0; v < nodes.size() && follows; ++v)
      nodes[v] = points(cell, v);
    auto &data = block.data;
    data.nodes.insert(data.nodes.end(), nodes.begin(), nodes.end());
    data.inverse_jacobians.insert(data.inverse_jacobians.end(), integrals.inverse_jacobians.begin(),
                                  integrals.inverse_jacobians.end());
    data.weights.insert(data.weights.end(), integrals.weights.begin(), integrals.weights.end());
    for (const double volume : integrals.volumes)
      data.masses.push_back(block.material->density() * volume);
    const auto *const history = dynamic_cast<const HistoryMaterial<dim> *>(block.material.get());
    const bool are_given = history && (initial_state || state_of_cell);
    for (unsigned int q = 0; q < integrals.points.size() && are_given; ++q)
    {
      const auto state = state_of_cell ? state_of_cell(*history, cell, q)
                                       : initial_state(*history, integrals.points[q]);
      AssertThrow(state.size() == history->initial_state().size() &&
                      std::all_of(state.begin(), state.end(),
                                  [](const double number) { return std::isfinite(number); }),
                  ExcInitialState(body_name));
      data.initial_states.insert(data.initial_states.end(), state.begin(), state.end());
    }
    block.active_cell_indices.push_back(cell->active_cell_index());
  }
  std::vector<CellBlock<dim>> blocks;
  for (auto &entry : by_material)
    blocks.push_back(std::move(entry.second));
  return blocks;
}

template <int dim, int spacedim>
std::vector<std::shared_ptr<CellKicks<dim>>>
Body<dim, spacedim>::make_kicks(const CellBlock<dim> &block)
{
  if (integration == StrainIntegration::nodal)
  {
    auto kicks = make_nodal_integration(block.data, block.material);
    nodal_by_family.insert(nodal_by_family.end(), kicks.stabilisation.size(),
                           nodal_families.size());
    nodal_families.push_back(std::move(kicks.nodal));
    return std::move(kicks.stabilisation);
  }
  auto kicks = integration == StrainIntegration::standard
                   ? make_cell_kicks(block.data, block.material)
               : integration == StrainIntegration::mean_dilatation
                   ? make_mean_dilatation_kicks(block.data, block.material)
                   : make_one_point_kicks(block.data, block.material, hourglass);
  if (strain_at_failure > 0)
    for (auto &family : kicks)
      family->set_failure_strain(strain_at_failure);
  if (block.points)
    for (auto &family : kicks)
      family = std::make_shared<CellKicksAtPoints<dim>>(family, block.points);
  return kicks;
}

template <int dim, int spacedim>
const std::vector<std::shared_ptr<NodalKicks<dim>>> &
Body<dim, spacedim>::nodal_kicks()
{
  kicks();
  return nodal_families;
}

template <int dim, int spacedim>
std::vector<std::shared_ptr<StrainKicks<dim>>>
Body<dim, spacedim>::strain_kicks()
{
  std::vector<std::shared_ptr<StrainKicks<dim>>> families(kicks().begin(), kicks().end());
  families.insert(families.end(), nodal_families.begin(), nodal_families.end());
  return families;
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::check_vertices() const
{
  std::vector<unsigned int> nodes;
  for (const auto &cell : ordered_cells)
  {
    const auto vertices = mapping().get_vertices(cell);
    local_nodes(cell, nodes);
    double size = 0; // mappings of other cells round otherwise
    for (const auto &vertex : vertices)
      size = std::max(size, vertex.distance(vertices[0]) + 1e-6 * vertex.norm());
    for (unsigned int v = 0; v < nodes.size(); ++v)
      AssertThrow(vertices[v].distance(local_position(nodes[v])) <= 1e-8 * size,
                  ExcVerticesMoved(body_name, point_text(vertices[v])));
  }
}

template <int dim, int spacedim>
const std::vector<std::shared_ptr<CellKicks<dim>>> &
Body<dim, spacedim>::kicks()
{
  if (!kick_families.empty())
    return kick_families;
  check_dofs();
  check_vertices();
  kick_by_cell.resize(ordered_cells.size());
  for (const auto &block : cell_blocks())
    for (const auto &family : make_kicks(block))
    {
      cell_by_kick.emplace_back();
      for (unsigned int k = 0; k < family->n_kicks(); ++k)
      {
        const unsigned int cell = block.active_cell_indices[family->cell(k)];
        cell_by_kick.back().push_back(cell);
        kick_by_cell[cell] = {static_cast<unsigned int>(kick_families.size()), k};
      }
      kick_families.push_back(family);
    }
  state_of_cell = nullptr; // they hold theirs now
  return kick_families;
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::check_mesh() const
{
  AssertThrow(!*mesh_has_changed, ExcMeshChanged(body_name));
  AssertThrow(dofs_exist, ExcDestroyed(body_name, "DoFHandler"));
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::check_dofs() const
{
  check_mesh();
  AssertThrow(dof_checksum(*dofs, ordered_cells) == checksum_of_dofs, ExcDoFsChanged(body_name));
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::forget_mesh()
{
  *mesh_has_changed = true;
  const auto free = [](auto &...vectors)
  { (std::remove_reference_t<decltype(vectors)>().swap(vectors), ...); };
  free(ordered_cells, position_of_cell, faces, local_node_of_dof, node_dofs, volumes, received,
       positions, follower_dofs);
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::check_vector(const std::size_t size) const
{
  check_dofs();
  AssertThrow(dofs->get_fe().n_components() == spacedim,
              ExcMessage("Body '" + body_name +
                         "': vectors need a vector-valued element (FESystem), but it has " +
                         dofs->get_fe().get_name() + "."));
  AssertThrow(size == dofs->n_dofs(),
              ExcMessage("Body '" + body_name + "': the vector has " + std::to_string(size) +
                         " entries but the DoFHandler has " + std::to_string(dofs->n_dofs()) +
                         " DoFs."));
}

template class Body<2>;
template class Body<3>;
} // namespace KickDrift
