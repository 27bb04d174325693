// What a body takes and gives while the run goes on: forces, impulses, numbers of cells.

#include <kickdrift/base/messages.h>
#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/potentials/loads/nodal_forces.h>
#include <kickdrift/potentials/materials/history_material.h>
#include <kickdrift/potentials/shells/shell_kicks.h>

#include <boost/algorithm/string/join.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// @param across stress across the plane of plane strain
template <int dim>
SymmetricTensor<2, 3>
three_dimensional(const SymmetricTensor<2, dim> &stress, const double across)
{
  SymmetricTensor<2, 3> result;
  for (unsigned int i = 0; i < dim; ++i)
    for (unsigned int j = i; j < dim; ++j)
      result[i][j] = stress[i][j];
  if (dim == 2)
    result[2][2] = across;
  return result;
}

/// Mean of the nodal parts of the stress at a cell's nodes.
template <int dim>
SymmetricTensor<2, 3>
nodal_stress(Body<dim> &body, const NodeTable<dim> &nodes, const unsigned int cell)
{
  const auto &kicks = *body.nodal_kicks()[body.nodal_family_of_cell(cell)];
  const auto cell_nodes = body.nodes_of_cell(body.cell(cell));
  SymmetricTensor<2, 3> sum;
  for (const unsigned int node : cell_nodes)
  {
    const unsigned int k = kicks.kick_of_node(node);
    sum += three_dimensional(kicks.cauchy_stress(nodes, k), kicks.stress_across(nodes, k));
  }
  return sum / double(cell_nodes.size());
}
} // namespace

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::set_forces_of(const Vector<double> &forces)
{
  AssertThrow(!dynamics.started || nodal_forces, ExcForcesTooLate(own_body->name()));
  std::map<unsigned int, unsigned int> of_others; // in force_nodes
  if (force_nodes.empty())
    for (unsigned int n = 0; n < own_body->n_nodes(); ++n)
      force_nodes.push_back(own_body->first_node() + n);
  for (unsigned int i = own_body->n_nodes(); i < force_nodes.size(); ++i)
    of_others.emplace(force_nodes[i], i);

  std::vector<Tensor<1, spacedim>> on_nodes(force_nodes.size());
  const auto take = [&](const auto *dofs_of_node)
  {
    Tensor<1, spacedim> force;
    for (unsigned int d = 0; d < spacedim; ++d)
      force[d] = forces(dofs_of_node[d]);
    return force;
  };
  for (unsigned int n = 0; n < own_body->n_nodes(); ++n)
    on_nodes[n] = take(own_body->dofs_of_node(force_nodes[n]).begin());
  if constexpr (dim == spacedim)
    own_body->for_each_follower(
        [&](const types::global_dof_index *dofs, const std::vector<Parent> &parents)
        {
          for (const Parent &parent : parents)
          {
            unsigned int i = parent.node - own_body->first_node();
            if (i >= own_body->n_nodes())
            {
              const auto [entry, is_new] = of_others.emplace(parent.node, force_nodes.size());
              if (is_new)
              {
                force_nodes.push_back(parent.node);
                on_nodes.emplace_back();
              }
              i = entry->second;
            }
            on_nodes[i] += parent.weight * take(dofs);
          }
        });
  for (unsigned int i = 0; i < on_nodes.size(); ++i)
    AssertThrow(
        std::isfinite(on_nodes[i].norm_square()),
        ExcForceNotFinite(own_body->name(), point_text(dynamics.table.reference(force_nodes[i]))));
  if (!dynamics.started)
    first_forces = std::move(on_nodes);
  else if (dynamics.has_advanced)
    nodal_forces->set(std::move(on_nodes), dynamics.loop.time());
  else
  {
    nodal_forces->set(std::move(on_nodes), -std::numeric_limits<double>::infinity());
    nodal_forces->begin(dynamics.table);
  }
  dynamics.synchronised.reset();
}

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::add_nodal_forces()
{
  if (!first_forces)
    return;
  // each on the clock of the shortest step around its node, so that it is as smooth as that
  struct Clock
  {
    double step;
    unsigned int id;
  };
  std::map<unsigned int, Clock> clock_of_node;
  for (const unsigned int node : force_nodes)
    clock_of_node.emplace(
        node, Clock{std::numeric_limits<double>::infinity(), numbers::invalid_unsigned_int});
  const TimeLevels &levels = dynamics.loop.levels();
  const auto look_at = [&](auto &part)
  {
    const auto families = part.body().strain_kicks();
    for (unsigned int f = 0; f < families.size(); ++f)
      for (unsigned int k = 0; k < families[f]->n_kicks(); ++k)
      {
        const unsigned int id = part.first_ids()[f] + k;
        const double step = levels.critical_step(id);
        for (const unsigned int node : families[f]->support(k))
        {
          const auto entry = clock_of_node.find(node);
          if (entry == clock_of_node.end())
            continue;
          Clock &clock = entry->second;
          if (clock.id == numbers::invalid_unsigned_int || step < clock.step)
            clock = {step, id};
        }
      }
  };
  look_at(*this);
  if (force_nodes.size() > own_body->n_nodes())
    for (auto &part : dynamics.parts)
      look_at(part);
  std::vector<unsigned int> ids_of_clocks;
  for (const unsigned int node : force_nodes)
    ids_of_clocks.push_back(clock_of_node.at(node).id);
  nodal_forces =
      std::make_shared<NodalForces<spacedim>>("forces on " + own_body->name(), force_nodes);
  nodal_forces->set(std::move(*first_forces), -std::numeric_limits<double>::infinity());
  nodal_forces->begin(dynamics.table);
  dynamics.loop.add_on_clock_of(nodal_forces, std::move(ids_of_clocks));
  first_forces.reset();
}

template <int dim, int spacedim>
Vector<double>
DynamicBody<dim, spacedim>::dof_vector(
    const std::function<Tensor<1, spacedim>(unsigned int node)> &vector_of_node) const
{
  check_mesh();
  const types::global_dof_index n_dofs = own_body->dof_handler().n_dofs();
  own_body->check_vector(n_dofs);
  Vector<double> result(n_dofs);
  for (unsigned int n = 0; n < own_body->n_nodes(); ++n)
  {
    const unsigned int node = own_body->first_node() + n;
    const Tensor<1, spacedim> value = vector_of_node(node);
    const auto dofs = own_body->dofs_of_node(node);
    for (unsigned int d = 0; d < spacedim; ++d)
      result(dofs[d]) = value[d];
  }
  return result;
}

template <int dim, int spacedim>
Vector<double>
DynamicBody<dim, spacedim>::contact_impulse() const
{
  const auto statistics = dynamics.contact_statistics();
  const auto &impulse = statistics.impulse;
  return dof_vector([&](const unsigned int node)
                    { return impulse.empty() ? Tensor<1, spacedim>() : impulse[node]; });
}

template <int dim, int spacedim>
Vector<double>
DynamicBody<dim, spacedim>::reaction() const
{
  const NodeTable<spacedim> &now = dynamics.state();
  return dof_vector([&](const unsigned int node) { return now.restraints.reaction(node); });
}

template <int dim, int spacedim>
SymmetricTensor<2, 3>
DynamicBody<dim, spacedim>::stress_of_cell(const NodeTable<spacedim> &nodes,
                                           const unsigned int cell) const
{
  if (is_rigid() || dynamics.strain == Dynamics<spacedim>::Strain::off)
    return {};
  if constexpr (dim < spacedim)
  {
    ShellResultants resultants;
    for (const auto &family : own_body->strain_kicks())
      family->add_resultants(nodes, own_body->triangle_of_cell(cell), resultants);
    return resultants.force / own_body->section().thickness;
  }
  else
  {
    const auto index = own_body->kick_of_cell(cell);
    const auto &kicks = *own_body->kicks()[index.family];
    const auto stress = three_dimensional(kicks.mean_stress(nodes, index.kick),
                                          kicks.mean_stress_across(nodes, index.kick));
    return own_body->nodal_kicks().empty() ? stress : stress + nodal_stress(*own_body, nodes, cell);
  }
}

template <int dim, int spacedim>
std::set<std::string>
DynamicBody<dim, spacedim>::output_names() const
{
  std::set<std::string> names;
  if constexpr (dim == spacedim) // a shell has none
    for (const auto &family : own_body->kicks())
      if (const auto *material = dynamic_cast<const HistoryMaterial<dim> *>(&family->material()))
        for (const std::string &name : material->output_names())
          names.insert(name);
  return names;
}

template <int dim, int spacedim>
double
DynamicBody<dim, spacedim>::output_of_cell(const std::string &name,
                                           const NodeTable<spacedim> &nodes,
                                           const unsigned int cell) const
{
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if constexpr (dim == spacedim)
    if (!is_rigid() && dynamics.strain == Dynamics<spacedim>::Strain::on)
    {
      const auto index = own_body->kick_of_cell(cell);
      const auto &kicks = *own_body->kicks()[index.family];
      const auto *material = dynamic_cast<const HistoryMaterial<dim> *>(&kicks.material());
      if (!material)
        return none;
      const auto names = material->output_names();
      const auto entry = std::find(names.begin(), names.end(), name);
      if (entry != names.end())
        return kicks.mean_outputs(nodes, index.kick)[entry - names.begin()];
    }
  (void)name, (void)nodes, (void)cell;
  return none;
}

template <int dim, int spacedim>
std::vector<double>
DynamicBody<dim, spacedim>::numbers_of_cells(
    const unsigned int n,
    const std::function<void(unsigned int cell, double *numbers)> &of_cell) const
{
  check_mesh();
  const unsigned int n_cells = own_body->dof_handler().get_triangulation().n_active_cells();
  std::vector<double> of_all(std::size_t(n_cells) * n);
  dynamics.make_kicks();
  const auto find = [&]
  {
    for (unsigned int cell = 0; cell < n_cells; ++cell)
      of_cell(cell, &of_all[std::size_t(cell) * n]);
  };
  if (!dynamics.has_other_processes())
    find();
  else
  {
    // once the run has started only the first process knows all cells
    std::string bytes;
    dynamics.do_or_tell(
        [&]
        {
          if (!dynamics.ranks->is_first())
            return;
          find();
          bytes.assign(reinterpret_cast<const char *>(of_all.data()),
                       of_all.size() * sizeof(double));
        });
    bytes = dynamics.ranks->from_first(std::move(bytes));
    std::memcpy(of_all.data(), bytes.data(), bytes.size());
  }
  return replica ? replica->scatter_cells(of_all, n) : of_all;
}

template <int dim, int spacedim>
std::vector<SymmetricTensor<2, 3>>
DynamicBody<dim, spacedim>::stress() const
{
  constexpr unsigned int n = SymmetricTensor<2, 3>::n_independent_components;
  const NodeTable<spacedim> &now = dynamics.state();
  const auto all = numbers_of_cells(n,
                                    [&](const unsigned int cell, double *numbers)
                                    {
                                      const auto stress = stress_of_cell(now, cell);
                                      for (unsigned int i = 0; i < n; ++i)
                                        numbers[i] = stress.access_raw_entry(i);
                                    });
  std::vector<SymmetricTensor<2, 3>> result(all.size() / n);
  for (std::size_t i = 0; i < all.size(); ++i)
    result[i / n].access_raw_entry(i % n) = all[i];
  return result;
}

template <int dim, int spacedim>
std::vector<double>
DynamicBody<dim, spacedim>::output(const std::string &name) const
{
  const auto names = output_names();
  AssertThrow(names.count(name) > 0,
              ExcNoSuchOutput(own_body->name(), name,
                              names.empty() ? "none" : boost::algorithm::join(names, ", ")));
  const NodeTable<spacedim> &now = dynamics.state();
  return numbers_of_cells(1,
                          [&](const unsigned int cell, double *number)
                          {
                            const double value = output_of_cell(name, now, cell);
                            *number = std::isnan(value) ? 0. : value;
                          });
}

#define INSTANTIATE(dim, spacedim)                                                                 \
  template void DynamicBody<dim, spacedim>::set_forces_of(const Vector<double> &);                 \
  template void DynamicBody<dim, spacedim>::add_nodal_forces();                                    \
  template Vector<double> DynamicBody<dim, spacedim>::contact_impulse() const;                     \
  template Vector<double> DynamicBody<dim, spacedim>::reaction() const;                            \
  template SymmetricTensor<2, 3> DynamicBody<dim, spacedim>::stress_of_cell(                       \
      const NodeTable<spacedim> &, unsigned int) const;                                            \
  template std::set<std::string> DynamicBody<dim, spacedim>::output_names() const;                 \
  template double DynamicBody<dim, spacedim>::output_of_cell(                                      \
      const std::string &, const NodeTable<spacedim> &, unsigned int) const;                       \
  template std::vector<SymmetricTensor<2, 3>> DynamicBody<dim, spacedim>::stress() const;          \
  template std::vector<double> DynamicBody<dim, spacedim>::output(const std::string &) const;
INSTANTIATE(2, 2)
INSTANTIATE(3, 3)
INSTANTIATE(2, 3)
#undef INSTANTIATE
} // namespace KickDrift
