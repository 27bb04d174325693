#include <kickdrift/deal_ii/mesh_transfer.h>
#include <kickdrift/potentials/materials/history_material.h>

#include <deal.II/base/geometry_info.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/lac/lapack_full_matrix.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// Where a point of a cell is in the old mesh.
template <int dim>
struct PlaceInOldCell
{
  CellId cell;
  Point<dim> point; ///< in its own coordinates
};

/// The cell of @p old that a point of @p cell is in; nothing if that is not of the same coarse
/// mesh.
/// @param deepest_level of the old cells
/// @param point in the coordinates of the cell
template <typename OldCells, typename Cell, int dim>
std::optional<PlaceInOldCell<dim>>
find_place(const OldCells &old, const unsigned int deepest_level, const Cell &cell,
           Point<dim> point)
{
  const CellId id = cell->id();
  const auto path = id.get_child_indices();
  std::vector<std::uint8_t> children(path.begin(), path.end());
  const auto here = [&] { return CellId(id.get_coarse_cell_id(), children); };
  const Point<dim> given = point;
  // refined: up to the cell that it has come from
  for (;;)
  {
    if (old.count(here()) > 0)
      return PlaceInOldCell<dim>{here(), point};
    if (children.empty())
      break;
    point = GeometryInfo<dim>::child_to_cell_coordinates(point, children.back());
    children.pop_back();
  }
  // coarsened: down to the child that has the point
  children.assign(path.begin(), path.end());
  point = given;
  while (children.size() < deepest_level)
  {
    const unsigned int child = GeometryInfo<dim>::child_cell_from_point(point);
    point = GeometryInfo<dim>::cell_to_child_coordinates(point, child);
    children.push_back(child);
    if (old.count(here()) > 0)
      return PlaceInOldCell<dim>{here(), point};
  }
  return {};
}

/// Values between the vertices of a cell, continued linearly to a @p target that is not in the
/// place in the reference configuration which @p point has.
template <int dim, int spacedim>
class Continuation
{
public:
  Continuation(const std::vector<Point<spacedim>> &vertices, const Point<dim> &point,
               const Point<spacedim> &target)
  {
    Tensor<1, spacedim> place;
    for (unsigned int v = 0; v < vertices.size(); ++v)
      place += GeometryInfo<dim>::d_linear_shape_function(point, v) * vertices[v];
    const Tensor<1, spacedim> beside = target - Point<spacedim>(place);
    Tensor<1, dim> shift; // of the point, which takes it there to first order
    if constexpr (dim == spacedim)
      if (beside.norm() > 1e-12 * vertices[0].distance(vertices.back()))
      {
        Tensor<2, dim> jacobian;
        for (unsigned int v = 0; v < vertices.size(); ++v)
          jacobian += outer_product(Tensor<1, dim>(vertices[v]),
                                    GeometryInfo<dim>::d_linear_shape_function_gradient(point, v));
        shift = invert(jacobian) * beside;
      }
    for (unsigned int v = 0; v < vertices.size(); ++v)
      weights.push_back(GeometryInfo<dim>::d_linear_shape_function(point, v) +
                        GeometryInfo<dim>::d_linear_shape_function_gradient(point, v) * shift);
  }

  Tensor<1, spacedim>
  operator()(const std::vector<Tensor<1, spacedim>> &at_vertices) const
  {
    Tensor<1, spacedim> sum;
    for (unsigned int v = 0; v < at_vertices.size(); ++v)
      sum += weights[v] * at_vertices[v];
    return sum;
  }

private:
  std::vector<double> weights; ///< by vertex
};

/// Has a cell come from its coarse cell by halving along all directions?
template <typename Cell>
bool
is_isotropic(const Cell &cell)
{
  constexpr int dim = Cell::AccessorType::dimension;
  for (typename Triangulation<dim, Cell::AccessorType::space_dimension>::cell_iterator parent =
           cell;
       parent->level() > 0;)
  {
    parent = parent->parent();
    if (parent->refinement_case() != RefinementCase<dim>::isotropic_refinement)
      return false;
  }
  return true;
}

/// The axis of a component of a rigid motion that is a rotation; in two dimensions there is but
/// one, out of the plane.
template <int spacedim>
unsigned int
axis_of(const unsigned int component)
{
  return spacedim == 2 ? 2 : component - spacedim;
}

/// The component of a rigid motion about the origin, of translations, then of rotations.
template <int spacedim>
Tensor<1, spacedim>
rigid_motion(const unsigned int component, const Tensor<1, spacedim> &x)
{
  Tensor<1, spacedim> result;
  if (component < spacedim)
    result[component] = 1;
  else
  {
    // across the axis
    const unsigned int i = (axis_of<spacedim>(component) + 1) % 3,
                       j = (axis_of<spacedim>(component) + 2) % 3;
    result[i] = -x[j];
    result[j] = x[i];
  }
  return result;
}
} // namespace

/// Returns the largest change of a velocity as a share of the largest one.
template <int spacedim>
double
MeshTransfer<spacedim>::keep_momenta(const MotionSums<spacedim> &old, NodeTable<spacedim> &nodes,
                                     const std::vector<Range> &ranges)
{
  constexpr unsigned int n_motions = spacedim * (spacedim + 1) / 2;
  const auto for_each_node = [&](const auto &f)
  {
    for (const Range &range : ranges)
      for (unsigned int node = range.begin; node < range.end; ++node)
        f(node);
  };
  // about the middle of the nodes, in units in which it is of size 1
  Vector centre;
  double mass = 0;
  for_each_node(
      [&](const unsigned int node)
      {
        centre += nodes.mass(node) * nodes.position(node);
        mass += nodes.mass(node);
      });
  centre /= mass;
  double size = 0, largest_velocity = 0;
  for_each_node(
      [&](const unsigned int node)
      {
        size = std::max(size, (nodes.position(node) - centre).norm());
        largest_velocity = std::max(largest_velocity, nodes.velocity(node).norm());
      });
  if (!(size > 0) || !(largest_velocity > 0))
    return 0;
  const auto motion = [&](const unsigned int c, const unsigned int node)
  { return rigid_motion(c, Vector((nodes.position(node) - centre) / size)); };

  double largest_change = 0;
  // rounding of the first pass is taken out by the second one
  for (unsigned int pass = 0; pass < 2; ++pass)
  {
    LAPACKFullMatrix<double> matrix(n_motions, n_motions);
    matrix = 0.;
    dealii::Vector<double> missing(n_motions), change(n_motions);
    for (unsigned int c = 0; c < n_motions; ++c)
      if (c < spacedim)
        missing(c) = old.momentum[c];
      else
        missing(c) =
            (old.angular_momentum[axis_of<spacedim>(c)] - rigid_motion(c, centre) * old.momentum) /
            size;
    for_each_node(
        [&](const unsigned int node)
        {
          const double m = nodes.mass(node);
          for (unsigned int c = 0; c < n_motions; ++c)
          {
            const Vector allowed = nodes.restraints.project(node, motion(c, node));
            missing(c) -= m * (motion(c, node) * nodes.velocity(node));
            for (unsigned int d = 0; d < n_motions; ++d)
              matrix(c, d) += m / mass * (allowed * motion(d, node));
          }
        });
    matrix.compute_inverse_svd(1e-12); // motions that supports forbid remain out
    matrix.vmult(change, missing);
    for_each_node(
        [&](const unsigned int node)
        {
          Vector velocity;
          for (unsigned int c = 0; c < n_motions; ++c)
            velocity += change(c) / mass * motion(c, node);
          velocity = nodes.restraints.project(node, velocity);
          largest_change = std::max(largest_change, velocity.norm());
          nodes.set_velocity(node, nodes.velocity(node) + velocity);
        });
  }
  return largest_change / largest_velocity;
}

template <int spacedim>
MeshTransfer<spacedim>::MeshTransfer(const Dynamics<spacedim> &from)
    : time(from.time()), audit(from.audit), audited_since(from.audited_since)
{
  AssertThrow(from.is_ready, ExcNotReady());
  time_of_loop = from.loop.time();
  balance = from.energy();
  if (from.contact_method)
    stored = from.contact_method->stored_energies();
  // parts are asked for states only, which does not change them
  auto &dynamics = const_cast<Dynamics<spacedim> &>(from);
  const auto keep_part = [&](auto &part)
  {
    const std::string &name = part.body().name();
    AssertThrow(bodies.count(name) == 0, ExcEqualNames(name));
    bodies[name] = keep(from, part);
  };
  for (auto &part : dynamics.parts)
    keep_part(part);
  if constexpr (spacedim == 3)
    for (auto &part : dynamics.shell_parts)
      keep_part(part);
}

template <int spacedim>
template <int dim>
typename MeshTransfer<spacedim>::OldBody
MeshTransfer<spacedim>::keep(const Dynamics<spacedim> &from, DynamicBody<dim, spacedim> &part) const
{
  part.check_mesh();
  auto &body = part.body();
  const NodeTable<spacedim> &now = from.state();
  OldCells cells;
  const auto n_dofs = body.dof_handler().n_dofs();
  dealii::Vector<double> displacement(n_dofs), velocity(n_dofs);
  body.get_displacement(now, displacement);
  body.get_velocity(now, velocity);
  for (const auto &cell : body.dof_handler().active_cell_iterators())
  {
    AssertThrow(is_isotropic(cell),
                ExcOtherMesh(body.name(), "cells are refined along some directions only"));
    OldCell &old = cells[cell->id()];
    const auto vertices = body.mapping().get_vertices(cell);
    old.vertices.assign(vertices.begin(), vertices.end());
    for (const unsigned int v : cell->vertex_indices())
    {
      Vector u, w;
      for (unsigned int d = 0; d < spacedim; ++d)
      {
        u[d] = displacement(cell->vertex_dof_index(v, d));
        w[d] = velocity(cell->vertex_dof_index(v, d));
      }
      old.displacement.push_back(u);
      old.velocity.push_back(w);
    }
  }
  const auto motion = motion_sums(now, body.first_node(), body.first_node() + body.n_nodes());
  if constexpr (dim == spacedim)
  {
    AssertThrow(body.n_deleted_cells() == 0, ExcTransferDeleted(body.name()));
    bool has_history = false;
    for (const auto &family : body.kicks())
      has_history = has_history || family->has_history();
    if (part.is_rigid() || !has_history)
      return {std::make_shared<const OldCells>(std::move(cells)), motion};
    // where there are several processes the first one knows them all
    std::vector<double> states;
    std::vector<unsigned int> sizes; // by cell
    for (const auto &cell : body.dof_handler().active_cell_iterators())
    {
      const auto index = body.kick_of_cell(cell->active_cell_index());
      const KickAccount account = body.kicks()[index.family]->account(index.kick);
      sizes.push_back(body.kicks()[index.family]->has_history() ? account.size : 0);
      for (unsigned int i = 0; i < sizes.back(); ++i)
        states.push_back(account.data ? account.data[std::size_t(i) * account.stride] : 0.);
    }
    if (from.has_other_processes())
    {
      const auto *const data = reinterpret_cast<const char *>(states.data());
      const std::string bytes =
          from.ranks->from_first({data, data + states.size() * sizeof(double)});
      std::memcpy(states.data(), bytes.data(), bytes.size());
    }
    const double *next = states.data();
    for (const auto &cell : body.dof_handler().active_cell_iterators())
    {
      const unsigned int size = sizes[cell->active_cell_index()];
      cells[cell->id()].states.assign(next, next + size);
      next += size;
    }
  }
  return {std::make_shared<const OldCells>(std::move(cells)), motion};
}

template <int spacedim>
template <int dim>
void
MeshTransfer<spacedim>::give(const OldBody &old, DynamicBody<dim, spacedim> &part,
                             Dynamics<spacedim> &dynamics) const
{
  auto &body = part.body();
  const OldCells &cells = *old.cells;
  unsigned int deepest_level = 0;
  for (const auto &cell : cells)
    deepest_level = std::max<unsigned int>(deepest_level, cell.first.get_child_indices().size());
  const bool are_cubes = body.dof_handler().get_fe().reference_cell().is_hyper_cube();
  const auto n_dofs = body.dof_handler().n_dofs();
  dealii::Vector<double> displacement(n_dofs), velocity(n_dofs);
  for (const auto &cell : body.dof_handler().active_cell_iterators())
  {
    const auto same = cells.find(cell->id());
    AssertThrow(are_cubes || same != cells.end(),
                ExcOtherMesh(body.name(), "only quadrilaterals and hexahedra may change"));
    AssertThrow(is_isotropic(cell),
                ExcOtherMesh(body.name(), "cells are refined along some directions only"));
    const auto vertices = body.mapping().get_vertices(cell);
    for (const unsigned int v : cell->vertex_indices())
    {
      Vector u, w;
      if (same != cells.end())
      {
        AssertThrow(v < same->second.displacement.size(),
                    ExcOtherMesh(body.name(), "cells have other shapes"));
        u = same->second.displacement[v];
        w = same->second.velocity[v];
      }
      else if (are_cubes)
      {
        const auto place =
            find_place(cells, deepest_level, cell, GeometryInfo<dim>::unit_cell_vertex(v));
        AssertThrow(place,
                    ExcOtherMesh(body.name(), "there is no cell that cell " +
                                                  cell->id().to_string() + " has come from"));
        const OldCell &from = cells.at(place->cell);
        const Continuation<dim, spacedim> continued(from.vertices, place->point, vertices[v]);
        u = continued(from.displacement);
        w = continued(from.velocity);
      }
      for (unsigned int d = 0; d < spacedim; ++d)
      {
        displacement(cell->vertex_dof_index(v, d)) = u[d];
        velocity(cell->vertex_dof_index(v, d)) = w[d];
      }
    }
  }
  body.set_displacement(dynamics.nodes(), displacement);
  body.set_velocity(dynamics.nodes(), velocity);

  if constexpr (dim == spacedim)
  {
    const bool has_history = std::any_of(
        cells.begin(), cells.end(), [](const auto &cell) { return !cell.second.states.empty(); });
    if (part.is_rigid() || !has_history)
      return;
    AssertThrow(!part.has_kicks, ExcKicksMade("MeshTransfer::to()", body.name()));
    const Quadrature<dim> points =
        are_cubes ? Quadrature<dim>(QGauss<dim>(2)) : Quadrature<dim>(std::vector<Point<dim>>(1));
    using Cell = typename DoFHandler<dim>::active_cell_iterator;
    // the states of the old cell that a point was in, and the nearest of its points
    const auto find =
        [old_cells = old.cells, deepest_level, points](const Cell &cell, const unsigned int q)
    {
      const auto same = old_cells->find(cell->id());
      if (same != old_cells->end())
        return std::make_pair(&same->second, q);
      const auto place = find_place(*old_cells, deepest_level, cell, points.point(q));
      unsigned int nearest = 0;
      for (unsigned int p = 0; p < points.size() && place; ++p)
        if (points.point(p).distance(place->point) < points.point(nearest).distance(place->point))
          nearest = p;
      return std::make_pair(place ? &old_cells->at(place->cell) : nullptr, nearest);
    };
    const auto refuse = [name = body.name()](const Cell &cell)
    {
      AssertThrow(false, ExcOtherMesh(name, "materials of cell " + cell->id().to_string() +
                                                " remember other things"));
    };
    for (const auto &cell : body.dof_handler().active_cell_iterators())
      if (const OldCell *from = find(cell, 0).first;
          (from && !from->states.empty()) !=
          (dynamic_cast<const HistoryMaterial<dim> *>(body.material(cell).get()) != nullptr))
        refuse(cell);
    body.set_states_of_cells(
        [find, refuse, shift = -time_of_loop, n_points = points.size()](
            const HistoryMaterial<dim> &material, const Cell &cell, const unsigned int q)
        {
          const std::size_t n_state = material.initial_state().size();
          const auto [from, point] = find(cell, q);
          if (!from || from->states.size() != n_state * n_points)
            refuse(cell);
          const auto begin = from->states.begin() + point * n_state;
          std::vector<double> state(begin, begin + n_state);
          material.shift_time(state.data(), shift);
          return state;
        });
  }
}

template <int spacedim>
TransferReport
MeshTransfer<spacedim>::to(Dynamics<spacedim> &dynamics) const
{
  dynamics.check_not_started("MeshTransfer::to()");
  TransferReport report;
  dynamics.do_on_all(
      [&]
      {
        NodeTable<spacedim> &nodes = dynamics.nodes();
        std::map<std::string, const OldBody *> left;
        for (const auto &[name, body] : bodies)
          left[name] = &body;
        // bodies that are tied together have their momenta together
        struct Group
        {
          MotionSums<spacedim> old;
          std::vector<Range> ranges;
        };
        std::map<unsigned int, Group> groups;
        std::map<const void *, unsigned int> group_of;
        std::set<std::string> seen;
        const auto give_to = [&](auto &part, const unsigned int group)
        {
          const std::string &name = part.body().name();
          AssertThrow(seen.insert(name).second || bodies.count(name) == 0, ExcEqualNames(name));
          const auto entry = left.find(name);
          if (entry == left.end())
            return;
          const OldBody &old = *entry->second;
          left.erase(entry);
          give(old, part, dynamics);
          if (part.is_rigid())
            return;
          Group &own = groups[group];
          own.old.momentum += old.motion.momentum;
          own.old.angular_momentum += old.motion.angular_momentum;
          own.old.kinetic += old.motion.kinetic;
          own.ranges.push_back(
              {part.body().first_node(), part.body().first_node() + part.body().n_nodes()});
        };
        unsigned int n_groups = 0;
        for (auto &part : dynamics.parts)
          group_of[&part.body()] = n_groups++;
        for (bool is_done = false; !is_done;)
        {
          is_done = true;
          for (auto &part : dynamics.parts)
            for (const auto *master : part.body().masters())
            {
              unsigned int &a = group_of[&part.body()], &b = group_of[master];
              is_done = is_done && a == b;
              a = b = std::min(a, b);
            }
        }
        for (auto &part : dynamics.parts)
          give_to(part, group_of[&part.body()]);
        if constexpr (spacedim == 3)
          for (auto &part : dynamics.shell_parts)
            give_to(part, n_groups++);
        AssertThrow(left.empty(), ExcNoBodyToTransfer(left.begin()->first));
        for (const auto &[number, group] : groups)
        {
          report.largest_correction =
              std::max(report.largest_correction, keep_momenta(group.old, nodes, group.ranges));
          for (const Range &range : group.ranges)
            report.kinetic_change += motion_sums(nodes, range.begin, range.end).kinetic;
          report.kinetic_change -= group.old.kinetic;
        }
        // those that move get their velocities from Stepper::start()
        for (auto &part : dynamics.parts)
          part.stop_restrained_nodes();
        if constexpr (spacedim == 3)
          for (auto &part : dynamics.shell_parts)
            part.stop_restrained_nodes();
      });
  dynamics.set_start_time(time);
  dynamics.balance_before = balance;
  dynamics.stored_before = stored;
  dynamics.audit = audit;
  dynamics.audited_since = audited_since;
  return report;
}

template class MeshTransfer<2>;
template class MeshTransfer<3>;
} // namespace KickDrift
