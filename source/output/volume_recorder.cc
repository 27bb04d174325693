#include <kickdrift/base/archive.h>
#include <kickdrift/output/volume_recorder.h>

#include "series.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace KickDrift
{
using dealii::ExcMessage;
using dealii::SymmetricTensor;
using dealii::Tensor;
using dealii::Vector;
namespace types = dealii::types;

namespace
{
/// The field of a body by degree of freedom; zero if it has none.
template <typename OfNodes, typename NodesType>
Vector<double>
of_nodes(const OfNodes &fill, const NodesType &nodes, const types::global_dof_index n_dofs)
{
  Vector<double> field(n_dofs);
  if (fill)
    fill(nodes, field);
  return field;
}

/// Values of these cells; zero if there is no such field.
template <typename Value, typename NodesType>
std::vector<Value>
of_cells(const std::function<Value(const NodesType &, unsigned int)> &value, const NodesType &nodes,
         const std::vector<unsigned int> &cells)
{
  std::vector<Value> values(cells.size());
  for (std::size_t i = 0; value && i < cells.size(); ++i)
    values[i] = value(nodes, cells[i]);
  return values;
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

/// Those of a symmetric tensor in space, see VtuField.
constexpr std::pair<unsigned int, unsigned int> tensor_components[6] = {{0, 0}, {1, 1}, {2, 2},
                                                                        {0, 1}, {1, 2}, {0, 2}};

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
  fields.push_back({"stress", 6, {}});
  for (const char *name : {"von_mises", "time_step", "body"})
    fields.push_back({name, 1, {}});
  fields.push_back({"material_id", 1, {}, true}); // not every id is a float
  if (is_shell)
  {
    for (const char *name : {"force", "moment", "curvature"})
      add_components(name);
    fields.push_back({"thickness", 1, {}});
  }
  return fields;
}

/// Active cells of a body that are written.
template <int dim, int spacedim>
std::vector<unsigned int>
written_cells(const VolumeBody<dim, spacedim> &body)
{
  if (body.cells)
    return *body.cells;
  std::vector<unsigned int> all(body.dof_handler->get_triangulation().n_active_cells());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

/// What does not change of a body.
template <int spacedim>
struct WrittenBody
{
  std::vector<dealii::Point<spacedim>> points; ///< that it has, in the reference configuration
  std::vector<types::global_dof_index> dofs;   ///< of the points, spacedim for each
  std::vector<unsigned int> cells;             ///< their active_cell_index()
  std::vector<std::int32_t> material_ids;      ///< of the cells
};

/// Append the cells of a body, whose nodes become points.
template <int dim, int spacedim>
WrittenBody<spacedim>
append_cells(const VolumeBody<dim, spacedim> &body, VtuGrid &grid)
{
  constexpr unsigned int none = -1;
  WrittenBody<spacedim> result;
  result.cells = written_cells(body);
  const auto &cells = result.cells;
  std::vector<unsigned int> point_of_dof(body.dof_handler->n_dofs(), none);
  std::vector<unsigned int> corners;
  auto next = cells.begin();
  for (const auto &cell : body.dof_handler->active_cell_iterators())
  {
    if (next == cells.end() || cell->active_cell_index() != *next)
      continue;
    ++next;
    result.material_ids.push_back(static_cast<std::int32_t>(cell->material_id()));
    corners.clear();
    const auto vertices = body.mapping->get_vertices(cell);
    for (const unsigned int v : cell->vertex_indices())
    {
      unsigned int &point = point_of_dof[cell->vertex_dof_index(v, 0)];
      if (point == none)
      {
        point = grid.n_points();
        append_vector<spacedim>(grid.points, vertices[v]);
        result.points.push_back(vertices[v]);
        for (unsigned int d = 0; d < spacedim; ++d)
          result.dofs.push_back(cell->vertex_dof_index(v, d));
      }
      corners.push_back(point);
    }
    grid.add_cell(dim, corners);
  }
  return result;
}

/// The vector at point @p p of a field by degree of freedom.
template <int spacedim>
Tensor<1, spacedim>
vector_at(const WrittenBody<spacedim> &body, const Vector<double> &field, const std::size_t p)
{
  Tensor<1, spacedim> vector;
  for (unsigned int d = 0; d < spacedim; ++d)
    vector[d] = field[body.dofs[spacedim * p + d]];
  return vector;
}

/// Append the vectors of all points.
template <int spacedim>
void
append_vectors(const WrittenBody<spacedim> &body, const Vector<double> &field,
               std::vector<float> &values)
{
  for (std::size_t p = 0; p < body.points.size(); ++p)
    append_vector<spacedim>(values, vector_at(body, field, p));
}

/// Append the points, which have moved by this field.
template <int spacedim>
void
append_points(const WrittenBody<spacedim> &body, const Vector<double> &displacement,
              std::vector<float> &points)
{
  for (std::size_t p = 0; p < body.points.size(); ++p)
    append_vector<spacedim>(points, body.points[p] + vector_at(body, displacement, p));
}

/// Append what cell_fields() names.
void
append_cell_values(const std::vector<SymmetricTensor<2, 3>> &stress, const bool is_plane,
                   const std::vector<double> &time_step, const unsigned int body,
                   const std::vector<std::int32_t> &material_ids, std::vector<VtuField> &fields)
{
  auto field = fields.begin();
  for (const auto &[i, j] : stress_components(is_plane))
  {
    for (const auto &s : stress)
      field->values.push_back(static_cast<float>(s[i][j]));
    ++field;
  }
  for (const auto &s : stress)
    for (const auto &[i, j] : tensor_components)
      field->values.push_back(static_cast<float>(s[i][j]));
  ++field;
  for (const auto &s : stress)
    field->values.push_back(von_mises(s));
  (++field)->values.insert(field->values.end(), time_step.begin(), time_step.end());
  (++field)->values.insert(field->values.end(), stress.size(), static_cast<float>(body));
  (++field)->integers.insert(field->integers.end(), material_ids.begin(), material_ids.end());
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
VolumeRecorder<spacedim>::VolumeRecorder(const std::string &folder, const unsigned int every,
                                         const VtuPiece &piece)
    : folder(folder), every(every), piece(piece), pvd(folder + "/solution.pvd")
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
  const auto has = [](const std::vector<VtuField> &fields, const std::string &name)
  {
    return std::any_of(fields.begin(), fields.end(),
                       [&name](const VtuField &field) { return field.name == name; });
  };
  const auto common = cell_fields(spacedim == 2, spacedim == 3 && dim == 2);
  for (const auto &entry : body.cell_numbers)
    AssertThrow(!has(common, entry.first), ExcCommonField(entry.first));
  Picture &of_dim = picture_of(dim);
  const unsigned int number = n_bodies++;
  for (const auto &entry : body.cell_numbers)
    if (!has(of_dim.cell_fields, entry.first))
      of_dim.cell_fields.push_back({entry.first, 1, {}});
  of_dim.bodies.push_back(
      [body, number, n_common = common.size(),
       written = append_cells(body, of_dim.grid)](const Frame<spacedim> &frame, Picture &picture)
      {
        const auto &cells = written.cells;
        const auto n_dofs = body.dof_handler->n_dofs();
        const auto displacement = of_nodes(body.displacement, frame.nodes, n_dofs);
        append_points(written, displacement, picture.grid.points);
        append_vectors(written, displacement, picture.point_fields[0].values);
        append_vectors(written, of_nodes(body.velocity, frame.nodes, n_dofs),
                       picture.point_fields[1].values);
        auto stress = of_cells(body.stress, frame.nodes, cells);
        if constexpr (dim < spacedim && spacedim == 3)
        {
          const auto resultants = of_cells(body.resultants, frame.nodes, cells);
          for (std::size_t i = 0; i < cells.size(); ++i)
            if (resultants[i].thickness > 0)
              stress[i] = resultants[i].force / resultants[i].thickness;
          append_resultants(resultants, picture.cell_fields.begin() + (n_common - n_shell_fields));
        }
        append_cell_values(stress, spacedim == 2, of_cells(body.time_step, frame.nodes, cells),
                           number, written.material_ids, picture.cell_fields);
        for (auto field = picture.cell_fields.begin() + n_common;
             field != picture.cell_fields.end(); ++field)
        {
          const auto own = body.cell_numbers.find(field->name);
          const auto values = own == body.cell_numbers.end()
                                  ? std::vector<double>(cells.size())
                                  : of_cells(own->second, frame.nodes, cells);
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
    picture.grid.points.clear();
    for (auto *fields : {&picture.point_fields, &picture.cell_fields})
      for (VtuField &field : *fields)
      {
        field.values.clear();
        field.integers.clear();
      }
    for (const auto &append : picture.bodies)
      append(frame, picture);
    names.push_back(write(picture, frame, names.size()));
  }
  if (piece.number == 0)
    pvd.add(frame.time, names);
}

template <int spacedim>
std::string
VolumeRecorder<spacedim>::write(const Picture &picture, const Frame<spacedim> &frame,
                                const unsigned int part) const
{
  const auto name = [&](const std::string &ending)
  { return picture_name(folder, "solution", frame.index, part, ending); };
  const auto name_of_piece = [&](const unsigned int number)
  { return name(piece.n_pieces > 1 ? "." + std::to_string(number) + ".vtu" : ".vtu"); };
  const std::string own = name_of_piece(piece.number);
  atomic_write(folder + "/" + own,
               [&](std::ostream &out)
               {
                 write_vtu(out, picture.grid, picture.point_fields, picture.cell_fields, frame.time,
                           frame.index);
               });
  if (piece.n_pieces == 1)
    return own;
  const std::string whole = name(".pvtu");
  if (piece.number > 0)
    return whole;
  std::vector<std::string> pieces;
  for (unsigned int number = 0; number < piece.n_pieces; ++number)
  {
    const std::string of_folder = name_of_piece(number);
    pieces.push_back(of_folder.substr(of_folder.find('/') + 1));
  }
  atomic_write(folder + "/" + whole, [&](std::ostream &out)
               { write_pvtu(out, picture.point_fields, picture.cell_fields, pieces); });
  return whole;
}

template <int spacedim>
void
VolumeRecorder<spacedim>::serialize(Archive &archive)
{
  if (piece.number == 0)
    archive(pvd);
}

template class VolumeRecorder<2>;
template class VolumeRecorder<3>;
template void VolumeRecorder<2>::add_body(const VolumeBody<1, 2> &);
template void VolumeRecorder<2>::add_body(const VolumeBody<2, 2> &);
template void VolumeRecorder<3>::add_body(const VolumeBody<2, 3> &);
template void VolumeRecorder<3>::add_body(const VolumeBody<3, 3> &);
} // namespace KickDrift
