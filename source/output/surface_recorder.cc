#include <kickdrift/base/archive.h>
#include <kickdrift/output/surface_recorder.h>

#include "series.h"

#include <deal.II/grid/reference_cell.h>

#include <algorithm>
#include <limits>

namespace KickDrift
{
using dealii::Point;
using dealii::Tensor;

namespace
{
/// Places of the fields in a patch's table.
template <int spacedim>
struct Columns
{
  static constexpr unsigned int normal = 0;
  static constexpr unsigned int impulse = spacedim;
  static constexpr unsigned int recent_impulse = 2 * spacedim;
  static constexpr unsigned int friction_impulse = 3 * spacedim;
  static constexpr unsigned int pressure = 4 * spacedim;
  static constexpr unsigned int gap = pressure + 1;
  static constexpr unsigned int status = pressure + 2;
  static constexpr unsigned int body = pressure + 3;
  static constexpr unsigned int node = pressure + 4;
  static constexpr unsigned int n = pressure + 5;
};

template <int spacedim>
Tensor<1, spacedim>
unit(const Tensor<1, spacedim> &a)
{
  return a.norm() > 0 ? a / a.norm() : a;
}

Tensor<1, 2>
area_vector_of(const std::array<Point<2>, 2> &x, const unsigned int)
{
  const Tensor<1, 2> tangent = x[1] - x[0];
  return Point<2>(tangent[1], -tangent[0]);
}

Tensor<1, 3>
area_vector_of(const std::array<Point<3>, 4> &x, const unsigned int n_nodes)
{
  return 0.5 * (n_nodes == 3 ? dealii::cross_product_3d(x[1] - x[0], x[2] - x[0])
                             : dealii::cross_product_3d(x[3] - x[0], x[2] - x[1]));
}

/// The type is deduced: from deal.II 9.8 on it depends on the dimension.
template <int spacedim>
auto
reference_cell(const SurfaceFace<spacedim> &face)
{
  if constexpr (spacedim == 3)
    if (face.n_nodes == 3)
      return dealii::ReferenceCells::Triangle;
  return dealii::ReferenceCells::get_hypercube<spacedim - 1>();
}

/// Values for all nodes of a table, zero where @p some has none (no contact at all).
template <typename Value>
std::vector<Value>
padded(const std::vector<Value> &some, const unsigned int n_nodes)
{
  std::vector<Value> all = some;
  all.resize(n_nodes);
  return all;
}
} // namespace

template <int spacedim>
Tensor<1, spacedim>
area_vector(const SurfaceFace<spacedim> &face, const NodeTable<spacedim> &nodes)
{
  std::array<Point<spacedim>, SurfaceFace<spacedim>::max_nodes> x;
  for (unsigned int i = 0; i < face.n_nodes; ++i)
    x[i] = nodes.position(face.nodes[i]);
  return area_vector_of(x, face.n_nodes);
}

template <int spacedim>
void
SurfaceOutput<spacedim>::build_patches(const Surface<spacedim> &surface, const unsigned int body,
                                       const NodeTable<spacedim> &nodes,
                                       const SurfaceFields<spacedim> &fields)
{
  using C = Columns<spacedim>;
  patches.clear();
  for (const auto &face : surface.faces)
    if (face.body == body)
    {
      Patch patch;
      patch.patch_index = patches.size();
      patch.n_subdivisions = 1;
      patch.reference_cell = reference_cell(face);
      patch.points_are_available = false;
      patch.data.reinit(C::n, face.n_nodes);
      const Tensor<1, spacedim> normal = unit(area_vector(face, nodes));
      for (unsigned int i = 0; i < face.n_nodes; ++i)
      {
        const unsigned int node = face.nodes[i];
        patch.vertices[i] = nodes.position(node);
        for (unsigned int d = 0; d < spacedim; ++d)
        {
          patch.data(C::normal + d, i) = normal[d];
          patch.data(C::impulse + d, i) = fields.impulse[node][d];
          patch.data(C::recent_impulse + d, i) = fields.recent_impulse[node][d];
          patch.data(C::friction_impulse + d, i) = fields.friction_impulse[node][d];
        }
        patch.data(C::pressure, i) = fields.pressure[node];
        patch.data(C::gap, i) = fields.states[node].gap;
        patch.data(C::status, i) = static_cast<int>(fields.states[node].status);
        patch.data(C::body, i) = body;
        patch.data(C::node, i) = node;
      }
      patches.push_back(patch);
    }
}

template <int spacedim>
std::vector<std::string>
SurfaceOutput<spacedim>::get_dataset_names() const
{
  std::vector<std::string> names;
  for (const char *vector :
       {"normal", "contact_impulse", "recent_contact_impulse", "friction_impulse"})
    names.insert(names.end(), spacedim, vector);
  names.insert(names.end(), {"pressure", "gap", "status", "body", "node"});
  return names;
}

template <int spacedim>
std::vector<std::tuple<unsigned int, unsigned int, std::string,
                       dealii::DataComponentInterpretation::DataComponentInterpretation>>
SurfaceOutput<spacedim>::get_nonscalar_data_ranges() const
{
  const auto range = [](const unsigned int first, const char *name)
  {
    return std::make_tuple(first, first + spacedim - 1, std::string(name),
                           dealii::DataComponentInterpretation::component_is_part_of_vector);
  };
  using C = Columns<spacedim>;
  return {range(C::normal, "normal"), range(C::impulse, "contact_impulse"),
          range(C::recent_impulse, "recent_contact_impulse"),
          range(C::friction_impulse, "friction_impulse")};
}

template <int spacedim>
SurfaceRecorder<spacedim>::SurfaceRecorder(const std::string &folder,
                                           const Surface<spacedim> &surface,
                                           const unsigned int every,
                                           std::function<std::vector<ContactState>()> states)
    : folder(folder),
      surface(surface),
      every(every),
      states(std::move(states)),
      pvd(folder + "/surface.pvd"),
      previous_time(std::numeric_limits<double>::quiet_NaN())
{
  AssertThrow(every > 0,
              dealii::ExcMessage("Surface output needs an interval of at least one frame."));
}

template <int spacedim>
SurfaceFields<spacedim>
SurfaceRecorder<spacedim>::fields(const Frame<spacedim> &frame) const
{
  const unsigned int n_nodes = frame.nodes.size();
  SurfaceFields<spacedim> fields;
  fields.area.resize(n_nodes);
  fields.impulse = padded(frame.contact.impulse, n_nodes);
  fields.recent_impulse = fields.impulse;
  fields.friction_impulse = padded(frame.contact.friction_impulse, n_nodes);
  fields.states = padded(states ? states() : std::vector<ContactState>(), n_nodes);
  fields.pressure.resize(n_nodes);

  std::vector<double> scalar_area(n_nodes);
  for (const auto &face : surface.faces)
  {
    const auto area = area_vector(face, frame.nodes) / face.n_nodes;
    for (unsigned int i = 0; i < face.n_nodes; ++i)
    {
      fields.area[face.nodes[i]] += area;
      scalar_area[face.nodes[i]] += area.norm();
    }
  }

  const auto previous = padded(previous_impulse, n_nodes);
  const double interval = frame.time - previous_time; // not-a-number in the first frame
  for (unsigned int i = 0; i < n_nodes; ++i)
  {
    fields.recent_impulse[i] -= previous[i];
    if (interval > 0 && scalar_area[i] > 0)
      fields.pressure[i] =
          -(fields.recent_impulse[i] * unit(fields.area[i])) / (interval * scalar_area[i]);
  }
  return fields;
}

template <int spacedim>
void
SurfaceRecorder<spacedim>::record(const Frame<spacedim> &frame)
{
  if (frame.index % every != 0)
    return;
  const std::string stem = frame_name("surface", frame.index);
  // A file without pieces would be no valid series: without bodies one empty piece.
  const auto pieces = piece_names(stem, std::max<std::size_t>(surface.body_names.size(), 1));
  const auto data = fields(frame);
  SurfaceOutput<spacedim> output;
  output.set_flags(vtk_flags(frame.time, frame.index));
  for (unsigned int body = 0; body < pieces.size(); ++body)
  {
    output.build_patches(surface, body, frame.nodes, data);
    atomic_write(folder + "/" + pieces[body], [&](std::ostream &out) { output.write_vtu(out); });
  }
  atomic_write(folder + "/" + stem + ".pvtu",
               [&](std::ostream &out) { output.write_pvtu_record(out, pieces); });
  pvd.add(frame.time, stem + ".pvtu");
  previous_time = frame.time;
  previous_impulse = frame.contact.impulse;
}

template Tensor<1, 2> area_vector(const SurfaceFace<2> &, const NodeTable<2> &);
template Tensor<1, 3> area_vector(const SurfaceFace<3> &, const NodeTable<3> &);
template class SurfaceOutput<2>;
template class SurfaceOutput<3>;
template <int spacedim>
void
SurfaceRecorder<spacedim>::serialize(Archive &archive)
{
  archive(pvd, previous_time, previous_impulse);
}

template class SurfaceRecorder<2>;
template class SurfaceRecorder<3>;
} // namespace KickDrift
