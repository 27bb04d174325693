#include <kickdrift/cases/model/forecast.h>

#include <algorithm>
#include <chrono>
#include <set>

namespace KickDrift
{
namespace
{
// Of numbers in tables, many of which are zero, with a comma; and of XML around the numbers of a
// picture, and of its line in the list of the series.
constexpr double bytes_per_entry = 12, bytes_per_picture = 2500;
// see StatisticsRecorder and BodiesRecorder
constexpr double columns_of_statistics = 23, columns_of_bodies = 4;

/// Numbers of a grid as they are written, see VtuGrid.
struct GridSize
{
  double n_points = 0, n_cells = 0, n_corners = 0;

  /// With this many numbers for each point and each cell besides.
  double
  bytes(const unsigned int per_point, const unsigned int per_cell) const
  {
    return bytes_per_picture + n_points * 4 * (3 + per_point) + 4 * n_corners +
           n_cells * (5 + 4 * per_cell); // where a cell ends, and its type
  }
};

/// See VolumeRecorder.
template <int dim>
double
size_of_volume(const Model<dim> &model)
{
  GridSize grid;
  for (const auto &body : model.bodies)
  {
    const double n_cells = body.triangulation.n_active_cells();
    grid.n_points += body.triangulation.n_used_vertices();
    grid.n_cells += n_cells;
    grid.n_corners += n_cells * body.dof_handler.get_fe().n_dofs_per_cell() / dim;
  }
  return grid.bytes(6, dim == 2 ? 7 : 9);
}

/// See SurfaceRecorder.
template <int dim>
double
size_of_surface(const Model<dim> &model)
{
  GridSize grid;
  std::set<unsigned int> nodes;
  for (const auto &face : model.dynamics.surface().faces)
  {
    nodes.insert(face.nodes.begin(), face.nodes.begin() + face.n_nodes);
    grid.n_corners += face.n_nodes;
    ++grid.n_cells;
  }
  grid.n_points = nodes.size();
  return grid.bytes(13, 4);
}

/// How many of n intervals end with a picture, and the start.
double
n_pictures(const unsigned int n, const unsigned int every)
{
  return every > 0 ? n / every + 1 : 0;
}
} // namespace

template <int dim>
double
size_of_results(const Model<dim> &model)
{
  const auto &output = model.parameters.output;
  const double n_rows = output.save_intervals + 1.;
  const double n_entries = columns_of_statistics +
                           (columns_of_bodies + 2. * dim) * model.bodies.size() +
                           2. * dim * (model.probes.size() + model.supports.size());
  double bytes = n_rows * n_entries * bytes_per_entry;
  if (output.vtu_every > 0)
    bytes += n_pictures(output.save_intervals, output.vtu_every) * size_of_volume(model);
  if (output.surface_every > 0)
    bytes += n_pictures(output.save_intervals, output.surface_every) * size_of_surface(model);
  return bytes;
}

template <int dim>
double
time_of_kicks(const Model<dim> &model)
{
  using Clock = std::chrono::steady_clock;
  model.stepper.snapshot(0.); // memory is touched for the first time
  const auto begin = Clock::now();
  model.stepper.snapshot(0.);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const double n_kicks = model.stepper.levels().n_kicks();
  const double rate = model.stepper.levels().kick_rates().first;
  return seconds / std::max(1., n_kicks) * rate * model.parameters.stepping.end_time;
}

template double size_of_results(const Model<2> &);
template double size_of_results(const Model<3> &);
template double time_of_kicks(const Model<2> &);
template double time_of_kicks(const Model<3> &);
} // namespace KickDrift
