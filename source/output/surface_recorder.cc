#include <kickdrift/base/archive.h>
#include <kickdrift/output/surface_recorder.h>

#include "series.h"

#include <algorithm>
#include <limits>
#include <map>

namespace KickDrift
{
using dealii::Point;
using dealii::Tensor;

namespace
{
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
SurfaceRecorder<spacedim>::SurfaceRecorder(const std::string &folder,
                                           const Surface<spacedim> &surface,
                                           const unsigned int every,
                                           std::function<std::vector<ContactState>()> states,
                                           std::function<Surface<spacedim>()> present)
    : folder(folder),
      surface(&surface),
      every(every),
      states(std::move(states)),
      present(std::move(present)),
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
  fields.traction.resize(n_nodes);
  fields.nodal_area.resize(n_nodes);

  for (const auto &face : surface->faces)
  {
    const auto area = area_vector(face, frame.nodes) / face.n_nodes;
    for (unsigned int i = 0; i < face.n_nodes; ++i)
    {
      fields.area[face.nodes[i]] += area;
      fields.nodal_area[face.nodes[i]] += area.norm();
    }
  }

  const auto previous = padded(previous_impulse, n_nodes);
  const double interval = frame.time - previous_time; // not-a-number in the first frame
  for (unsigned int i = 0; i < n_nodes; ++i)
  {
    fields.recent_impulse[i] -= previous[i];
    if (!(interval > 0 && fields.nodal_area[i] > 0))
      continue;
    fields.traction[i] = fields.recent_impulse[i] / (interval * fields.nodal_area[i]);
    fields.pressure[i] = -(fields.traction[i] * unit(fields.area[i]));
  }
  return fields;
}

template <int spacedim>
void
SurfaceRecorder<spacedim>::make_grid()
{
  grid = VtuGrid();
  grid_nodes.clear();
  std::map<unsigned int, unsigned int> point_of_node;
  std::vector<unsigned int> corners;
  for (const auto &face : surface->faces)
  {
    corners.clear();
    for (unsigned int i = 0; i < face.n_nodes; ++i)
    {
      const auto [entry, is_new] = point_of_node.emplace(face.nodes[i], grid_nodes.size());
      if (is_new)
        grid_nodes.push_back(face.nodes[i]);
      corners.push_back(entry->second);
    }
    grid.add_cell(spacedim - 1, corners);
  }
}

template <int spacedim>
std::vector<VtuField>
SurfaceRecorder<spacedim>::node_fields(const NodeTable<spacedim> &nodes,
                                       const SurfaceFields<spacedim> &fields) const
{
  std::vector<VtuField> result;
  const auto add_vectors = [&](const char *name, const std::vector<Tensor<1, spacedim>> &vectors)
  {
    result.push_back({name, 3, {}});
    for (const unsigned int node : grid_nodes)
      append_vector<spacedim>(result.back().values, vectors[node]);
  };
  const auto add = [&](const char *name, const auto &value)
  {
    result.push_back({name, 1, {}});
    for (const unsigned int node : grid_nodes)
      result.back().values.push_back(static_cast<float>(value(node)));
  };
  result.push_back({"displacement", 3, {}});
  for (const unsigned int node : grid_nodes)
    append_vector<spacedim>(result.back().values, nodes.displacement(node));
  add_vectors("contact_impulse", fields.impulse);
  add_vectors("recent_contact_impulse", fields.recent_impulse);
  add_vectors("friction_impulse", fields.friction_impulse);
  add("pressure", [&](const unsigned int node) { return fields.pressure[node]; });
  add_vectors("contact_traction", fields.traction);
  add("nodal_area", [&](const unsigned int node) { return fields.nodal_area[node]; });
  add("gap", [&](const unsigned int node) { return fields.states[node].gap; });
  add("status",
      [&](const unsigned int node) { return static_cast<int>(fields.states[node].status); });
  add("node", [&](const unsigned int node) { return node; });
  return result;
}

template <int spacedim>
std::vector<VtuField>
SurfaceRecorder<spacedim>::face_fields(const Frame<spacedim> &frame) const
{
  VtuField normal{"normal", 3, {}}, body{"body", 1, {}};
  for (const auto &face : surface->faces)
  {
    append_vector<spacedim>(normal.values, unit(area_vector(face, frame.nodes)));
    body.values.push_back(static_cast<float>(face.body));
  }
  return {normal, body};
}

template <int spacedim>
void
SurfaceRecorder<spacedim>::record(const Frame<spacedim> &frame)
{
  if (frame.index % every != 0)
    return;
  if (present)
  {
    changed = present();
    surface = &changed;
  }
  if (present || grid.n_cells() != surface->faces.size())
    make_grid();
  grid.points.clear();
  for (const unsigned int node : grid_nodes)
    append_vector<spacedim>(grid.points, frame.nodes.position(node));
  const auto of_nodes = node_fields(frame.nodes, fields(frame));
  const auto of_faces = face_fields(frame);
  const std::string name = picture_name(folder, "surface", frame.index);
  atomic_write(folder + "/" + name, [&](std::ostream &out)
               { write_vtu(out, grid, of_nodes, of_faces, frame.time, frame.index); });
  pvd.add(frame.time, {name});
  previous_time = frame.time;
  previous_impulse = frame.contact.impulse;
}

template <int spacedim>
void
SurfaceRecorder<spacedim>::serialize(Archive &archive)
{
  archive(pvd, previous_time, previous_impulse);
}

template Tensor<1, 2> area_vector(const SurfaceFace<2> &, const NodeTable<2> &);
template Tensor<1, 3> area_vector(const SurfaceFace<3> &, const NodeTable<3> &);
template class SurfaceRecorder<2>;
template class SurfaceRecorder<3>;
} // namespace KickDrift
