#include <kickdrift/base/archive.h>
#include <kickdrift/output/volume_recorder.h>

#include "series.h"

#include <algorithm>
#include <cmath>

namespace KickDrift
{
using dealii::ExcMessage;
using dealii::SymmetricTensor;
using dealii::Vector;
namespace types = dealii::types;

namespace
{
template <typename Field, typename NodesType, typename Size>
Field
filled(const std::function<void(const NodesType &, Field &)> &fill, const NodesType &nodes,
       const Size size)
{
  Field field(size);
  if (fill)
    fill(nodes, field);
  return field;
}

float
von_mises(const SymmetricTensor<2, 3> &stress)
{
  return std::sqrt(1.5) * dealii::deviator(stress).norm();
}

/// Components of the stress that are written, in the order of the fields.
std::vector<std::pair<unsigned int, unsigned int>>
stress_components(const bool is_plane)
{
  std::vector<std::pair<unsigned int, unsigned int>> components;
  for (unsigned int i = 0; i < 3; ++i)
    for (unsigned int j = i; j < 3; ++j)
      if (!is_plane || j < 2 || i == 2)
        components.emplace_back(i, j);
  return components;
}

/// Force, moment and curvature with their components, and the thickness.
constexpr unsigned int n_shell_fields = 3 * 6 + 1;

std::vector<VtuField>
cell_fields(const bool is_plane, const bool is_shell)
{
  const std::string axes = "xyz";
  std::vector<VtuField> fields;
  const auto add_components = [&](const std::string &name)
  {
    for (const auto &[i, j] : stress_components(is_plane))
      fields.push_back({name + "_" + axes[i] + axes[j], 1, {}});
  };
  add_components("stress");
  for (const char *name : {"von_mises", "time_step", "body"})
    fields.push_back({name, 1, {}});
  if (is_shell)
  {
    for (const char *name : {"force", "moment", "curvature"})
      add_components(name);
    fields.push_back({"thickness", 1, {}});
  }
  return fields;
}

/// Append the cells of a body, whose nodes become points. Returns the degrees of freedom of these,
/// spacedim for each.
template <int dim, int spacedim>
std::vector<types::global_dof_index>
append_cells(const VolumeBody<dim, spacedim> &body, VtuGrid &grid)
{
  constexpr unsigned int none = -1;
  std::vector<types::global_dof_index> dofs;
  std::vector<unsigned int> point_of_dof(body.dof_handler->n_dofs(), none);
  std::vector<unsigned int> corners;
  for (const auto &cell : body.dof_handler->active_cell_iterators())
  {
    corners.clear();
    const auto vertices = body.mapping->get_vertices(cell);
    for (const unsigned int v : cell->vertex_indices())
    {
      unsigned int &point = point_of_dof[cell->vertex_dof_index(v, 0)];
      if (point == none)
      {
        point = grid.n_points();
        append_vector<spacedim>(grid.points, vertices[v]);
        for (unsigned int d = 0; d < spacedim; ++d)
          dofs.push_back(cell->vertex_dof_index(v, d));
      }
      corners.push_back(point);
    }
    grid.add_cell(dim, corners);
  }
  return dofs;
}

/// Append the vectors of the points with these degrees of freedom.
template <int spacedim>
void
append_vectors(const Vector<double> &field, const std::vector<types::global_dof_index> &dofs,
               std::vector<float> &values)
{
  for (std::size_t i = 0; i < dofs.size(); i += spacedim)
    for (unsigned int d = 0; d < 3; ++d)
      values.push_back(d < spacedim ? static_cast<float>(field[dofs[i + d]]) : 0.f);
}

/// Append what cell_fields() names.
void
append_cell_values(const std::vector<SymmetricTensor<2, 3>> &stress, const bool is_plane,
                   const Vector<double> &time_step, const unsigned int body,
                   std::vector<VtuField> &fields)
{
  auto field = fields.begin();
  for (const auto &[i, j] : stress_components(is_plane))
  {
    for (const auto &s : stress)
      field->values.push_back(static_cast<float>(s[i][j]));
    ++field;
  }
  for (const auto &s : stress)
    field->values.push_back(von_mises(s));
  (++field)->values.insert(field->values.end(), time_step.begin(), time_step.end());
  (++field)->values.insert(field->values.end(), stress.size(), static_cast<float>(body));
}

/// Append what cell_fields() names for shells besides, from @p field on.
void
append_resultants(const std::vector<ShellResultants> &resultants,
                  std::vector<VtuField>::iterator field)
{
  for (const auto tensor :
       {&ShellResultants::force, &ShellResultants::moment, &ShellResultants::curvature})
    for (const auto &[i, j] : stress_components(false))
    {
      for (const auto &of_cell : resultants)
        field->values.push_back(static_cast<float>((of_cell.*tensor)[i][j]));
      ++field;
    }
  for (const auto &of_cell : resultants)
    field->values.push_back(static_cast<float>(of_cell.thickness));
}
} // namespace

template <int spacedim>
VolumeRecorder<spacedim>::VolumeRecorder(const std::string &folder, const unsigned int every)
    : folder(folder), every(every), pvd(folder + "/solution.pvd")
{
  AssertThrow(every > 0, ExcMessage("Volume output needs an interval of at least one frame."));
}

template <int spacedim>
typename VolumeRecorder<spacedim>::Picture &
VolumeRecorder<spacedim>::picture_of(const unsigned int dim)
{
  for (Picture &picture : pictures)
    if (picture.dim == dim)
      return picture;
  pictures.push_back({dim,
                      {},
                      {{"displacement", 3, {}}, {"velocity", 3, {}}},
                      cell_fields(spacedim == 2, spacedim == 3 && dim == 2),
                      {}});
  return pictures.back();
}

template <int spacedim>
template <int dim>
void
VolumeRecorder<spacedim>::add_body(const VolumeBody<dim, spacedim> &body)
{
  AssertThrow(body.dof_handler && body.mapping &&
                  body.dof_handler->get_fe().n_components() == spacedim &&
                  body.dof_handler->get_fe().degree == 1,
              ExcMessage("Volume output needs a body with a mapping and a DoFHandler whose "
                         "element is linear and has one component per dimension of space."));
  Picture &of_dim = picture_of(dim);
  const unsigned int number = n_bodies++;
  const std::size_t n_common = cell_fields(spacedim == 2, spacedim == 3 && dim == 2).size();
  for (const auto &[name, fill] : body.cell_numbers)
    if (std::none_of(of_dim.cell_fields.begin(), of_dim.cell_fields.end(),
                     [&name = name](const VtuField &field) { return field.name == name; }))
      of_dim.cell_fields.push_back({name, 1, {}});
  of_dim.bodies.push_back(
      [body, number, n_common, dofs = append_cells(body, of_dim.grid)](const Frame<spacedim> &frame,
                                                                       Picture &picture)
      {
        const unsigned int n_cells = body.dof_handler->get_triangulation().n_active_cells();
        const auto n_dofs = body.dof_handler->n_dofs();
        append_vectors<spacedim>(filled(body.displacement, frame.nodes, n_dofs), dofs,
                                 picture.point_fields[0].values);
        append_vectors<spacedim>(filled(body.velocity, frame.nodes, n_dofs), dofs,
                                 picture.point_fields[1].values);
        auto stress = filled(body.stress, frame.nodes, n_cells);
        if constexpr (dim < spacedim && spacedim == 3)
        {
          const auto resultants = filled(body.resultants, frame.nodes, n_cells);
          for (unsigned int cell = 0; cell < n_cells; ++cell)
            if (resultants[cell].thickness > 0 && body.resultants)
              stress[cell] = resultants[cell].force / resultants[cell].thickness;
          append_resultants(resultants, picture.cell_fields.begin() + (n_common - n_shell_fields));
        }
        append_cell_values(stress, spacedim == 2, filled(body.time_step, frame.nodes, n_cells),
                           number, picture.cell_fields);
        for (auto field = picture.cell_fields.begin() + n_common;
             field != picture.cell_fields.end(); ++field)
        {
          const auto own = body.cell_numbers.find(field->name);
          Vector<double> values(n_cells);
          if (own != body.cell_numbers.end())
            own->second(frame.nodes, values);
          field->values.insert(field->values.end(), values.begin(), values.end());
        }
      });
}

template <int spacedim>
void
VolumeRecorder<spacedim>::record(const Frame<spacedim> &frame)
{
  if (frame.index % every != 0 || pictures.empty())
    return;
  std::vector<std::string> names;
  for (Picture &picture : pictures)
  {
    for (auto *fields : {&picture.point_fields, &picture.cell_fields})
      for (VtuField &field : *fields)
        field.values.clear();
    for (const auto &append : picture.bodies)
      append(frame, picture);
    names.push_back(picture_name(folder, "solution", frame.index, names.size()));
    atomic_write(folder + "/" + names.back(),
                 [&](std::ostream &out)
                 {
                   write_vtu(out, picture.grid, picture.point_fields, picture.cell_fields,
                             frame.time, frame.index);
                 });
  }
  pvd.add(frame.time, names);
}

template <int spacedim>
void
VolumeRecorder<spacedim>::serialize(Archive &archive)
{
  archive(pvd);
}

template class VolumeRecorder<2>;
template class VolumeRecorder<3>;
template void VolumeRecorder<2>::add_body(const VolumeBody<1, 2> &);
template void VolumeRecorder<2>::add_body(const VolumeBody<2, 2> &);
template void VolumeRecorder<3>::add_body(const VolumeBody<2, 3> &);
template void VolumeRecorder<3>::add_body(const VolumeBody<3, 3> &);
} // namespace KickDrift
