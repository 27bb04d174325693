#include <kickdrift/base/archive.h>
#include <kickdrift/output/volume_recorder.h>

#include "series.h"

#include <deal.II/numerics/data_out.h>

#include <cmath>

namespace KickDrift
{
using dealii::ExcMessage;
using dealii::SymmetricTensor;
using dealii::Vector;

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

double
von_mises(const SymmetricTensor<2, 3> &stress)
{
  return std::sqrt(1.5) * dealii::deviator(stress).norm();
}

/// Names and values by cell of the components of the stress and of the von Mises stress.
std::vector<std::pair<std::string, Vector<double>>>
stress_fields(const std::vector<SymmetricTensor<2, 3>> &stress, const bool is_plane)
{
  std::vector<std::pair<std::string, Vector<double>>> fields;
  const auto add = [&](const std::string &name, const auto &value)
  {
    fields.emplace_back(name, Vector<double>(stress.size()));
    for (unsigned int cell = 0; cell < stress.size(); ++cell)
      fields.back().second[cell] = value(stress[cell]);
  };
  const std::string axes = "xyz";
  for (unsigned int i = 0; i < 3; ++i)
    for (unsigned int j = i; j < 3; ++j)
      if (!is_plane || j < 2 || i == 2)
        add(std::string("stress_") + axes[i] + axes[j],
            [i, j](const SymmetricTensor<2, 3> &s) { return s[i][j]; });
  add("von_mises", von_mises);
  return fields;
}

template <int dim, int spacedim>
void
add_dof_field(dealii::DataOut<dim, spacedim> &data_out, const VolumeBody<dim, spacedim> &body,
              const Vector<double> &field, const std::string &name)
{
  namespace Interpretation = dealii::DataComponentInterpretation;
  data_out.add_data_vector(*body.dof_handler, field, std::vector<std::string>(spacedim, name),
                           std::vector<Interpretation::DataComponentInterpretation>(
                               spacedim, Interpretation::component_is_part_of_vector));
}
} // namespace

template <int spacedim>
VolumeRecorder<spacedim>::VolumeRecorder(const std::string &folder, const unsigned int every)
    : folder(folder), every(every), pvd(folder + "/solution.pvd")
{
  AssertThrow(every > 0, ExcMessage("Volume output needs an interval of at least one frame."));
}

template <int spacedim>
template <int dim>
void
VolumeRecorder<spacedim>::add_body(const VolumeBody<dim, spacedim> &body)
{
  AssertThrow(body.dof_handler && body.mapping &&
                  body.dof_handler->get_fe().n_components() == spacedim,
              ExcMessage("Volume output needs a body with a mapping and a DoFHandler whose "
                         "element has one component per dimension of space."));
  const unsigned int number = writers.size();
  writers.push_back(
      [body, number](const Frame<spacedim> &frame, const Files &files)
      {
        const unsigned int n_cells = body.dof_handler->get_triangulation().n_active_cells();
        const auto n_dofs = body.dof_handler->n_dofs();
        const auto displacement = filled(body.displacement, frame.nodes, n_dofs);
        const auto velocity = filled(body.velocity, frame.nodes, n_dofs);
        const auto stress = stress_fields(filled(body.stress, frame.nodes, n_cells), spacedim == 2);
        const auto time_step = filled(body.time_step, frame.nodes, n_cells);
        Vector<double> numbers(n_cells);
        numbers = number;

        using DataOut = dealii::DataOut<dim, spacedim>;
        DataOut data_out;
        add_dof_field(data_out, body, displacement, "displacement");
        add_dof_field(data_out, body, velocity, "velocity");
        for (const auto &field : stress)
          data_out.add_data_vector(field.second, field.first, DataOut::type_cell_data);
        data_out.add_data_vector(time_step, "time_step", DataOut::type_cell_data);
        data_out.add_data_vector(numbers, "body", DataOut::type_cell_data);
        data_out.set_flags(vtk_flags(frame.time, frame.index));
        data_out.build_patches(*body.mapping, body.dof_handler->get_fe().degree);

        atomic_write(files.piece, [&](std::ostream &out) { data_out.write_vtu(out); });
        if (!files.series.empty())
          atomic_write(files.series, [&](std::ostream &out)
                       { data_out.write_pvtu_record(out, files.all_pieces); });
      });
}

template <int spacedim>
void
VolumeRecorder<spacedim>::record(const Frame<spacedim> &frame)
{
  if (frame.index % every != 0 || writers.empty())
    return;
  const std::string stem = frame_name("solution", frame.index);
  const auto pieces = piece_names(stem, writers.size());
  for (unsigned int body = 0; body < writers.size(); ++body)
  {
    const bool is_last = body + 1 == writers.size();
    writers[body](frame, Files{folder + "/" + pieces[body],
                               is_last ? folder + "/" + stem + ".pvtu" : "", pieces});
  }
  pvd.add(frame.time, stem + ".pvtu");
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
