#include <kickdrift/base/processor_time.h>
#include <kickdrift/cases/model/forecast.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>

namespace KickDrift
{
namespace
{
/**
 * What the present thread takes on a machine that has nothing else to do. Where others use it, too,
 * the thread waits for its turn, which its processor time does not count; but to read that takes as
 * long as forty kicks, which wall time does not. Threads of a team do not sleep while they wait for
 * each other.
 */
class Stopwatch
{
public:
  Stopwatch() : processor(processor_time_of_thread()), wall(WallClock::now()) {}

  /// Since it was made [s].
  double
  seconds() const
  {
    const double by_wall = wall_seconds();
    return std::min(by_wall, processor_time_of_thread() - processor);
  }

  /// The same with the turns of others [s].
  double
  wall_seconds() const
  {
    return std::chrono::duration<double>(WallClock::now() - wall).count();
  }

private:
  using WallClock = std::chrono::steady_clock;

  const double processor;
  const WallClock::time_point wall;
};

double
median(std::vector<double> values)
{
  const auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Of numbers in tables, many of which are zero, with a comma; and of XML around the numbers of a
// picture, and of its line in the list of the series.
constexpr double bytes_per_entry = 12, bytes_per_picture = 2500;
// to memory that the system writes to a disk later
constexpr double bytes_per_second = 3e8;
// of kicks on a copy [s]
constexpr double time_of_measurement = 0.05;
// A trial takes this share of the run, but not less and not more than these [s].
constexpr double share_of_trial = 0.1, shortest_trial = 0.5, longest_trial = 3;
// Of contactors that touch something, in the cases of prm/.
constexpr double kicks_per_test = 15;
// see StatisticsRecorder and BodiesRecorder
constexpr double columns_of_statistics = 24, columns_of_bodies = 4;

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
    const double n_cells = body.n_cells();
    grid.n_points += body.n_vertices();
    grid.n_cells += n_cells;
    grid.n_corners +=
        n_cells * (body.shell ? 3 : body.dof_handler.get_fe().n_dofs_per_cell() / dim);
  }
  return grid.bytes(6, dim == 2 ? 14 : 16);
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
  return grid.bytes(16, 4);
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
KickTimes
measure_kicks(const Model<dim> &model)
{
  const TimeLevels &levels = model.stepper.levels();
  std::vector<std::shared_ptr<const Kicks<dim>>> families(model.own_kicks.begin(),
                                                          model.own_kicks.end());
  families.insert(families.end(), model.loads.begin(), model.loads.end());
  for (const auto &body : model.bodies)
    for (const auto &family : body.strain_kicks())
      families.push_back(family);
  NodeTable<dim> copy = model.nodes;
  const auto kick = [&](const unsigned int clock)
  {
    const Stopwatch stopwatch;
    for (const auto &family : families)
      family->kick(copy, clock, 0., 0.);
    return stopwatch.seconds();
  };
  KickTimes result;
  if (!levels.has_classes())
  {
    // clocks per cell: the mean kick stands for all
    const unsigned int n = levels.n_kicks();
    for (unsigned int clock = 0; clock < n; ++clock)
      result.all_once += kick(clock);
    result.per_time = result.all_once / n * levels.kick_rates().first;
    return result;
  }
  const unsigned int n_classes = levels.classes().n_classes;
  for (unsigned int c = 0; c < n_classes; ++c)
    kick(c); // memory is touched for the first time
  std::vector<std::vector<double>> seconds(n_classes);
  double sum = 0;
  for (unsigned int tick = 0; tick < 1u << std::min(n_classes - 1, 20u); ++tick)
  {
    for (unsigned int c = 0; c < n_classes && tick % (1u << c) == 0; ++c)
      sum += seconds[c].emplace_back(kick(c));
    if (sum > time_of_measurement)
      break;
  }
  for (unsigned int c = 0; c < n_classes; ++c)
    if (!seconds[c].empty())
    {
      const double usual = median(seconds[c]);
      result.all_once += usual;
      result.per_time += usual / levels.classes().step(c);
    }
  // one kick of a sweep takes as long as the mean of all
  result.per_time += result.all_once / levels.n_kicks() * model.stepper.sweep_rate();
  return result;
}

namespace
{
/// Times of a trial [s], and how long it was [time].
struct Trial
{
  double length = 0, kicks = 0, contact = 0;
};

/// Advance the model for a while. Its second half counts: much happens for the first time in the
/// first, and what has begun to touch by then is in the second.
template <int dim>
Trial
run_trial(Model<dim> &model)
{
  const double end = model.parameters.stepping.end_time;
  double span = 0;
  for (unsigned int id = 0; id < model.stepper.levels().n_kicks(); ++id)
    span = std::max(span, model.stepper.levels().natural_step(id));
  struct Mark
  {
    double time, seconds, wall_seconds, contact;
  };
  const Stopwatch stopwatch;
  const auto mark = [&]() -> Mark
  {
    return {model.stepper.time(), stopwatch.seconds(), stopwatch.wall_seconds(),
            model.contact ? model.contact->wall_time() : 0.};
  };
  std::vector<Mark> marks = {mark()};
  const auto is_enough = [&](const Mark &last)
  {
    return last.seconds > longest_trial ||
           (last.seconds > shortest_trial && last.time > share_of_trial * end);
  };
  while (marks.back().time < end && !is_enough(marks.back()))
  {
    model.stepper.advance_to(std::min(end, marks.back().time + span));
    marks.push_back(mark());
  }
  const Mark &last = marks.back();
  const Mark &first = *std::find_if(
      marks.begin(), marks.end(), [&](const Mark &one) { return 2 * one.seconds >= last.seconds; });
  const Mark &from = &first == &last ? marks.front() : first;
  const double seconds = last.seconds - from.seconds;
  // turns of others come in contact as often as elsewhere
  const double share = seconds / (last.wall_seconds - from.wall_seconds);
  const double contact = std::min(seconds, (last.contact - from.contact) * share);
  return {last.time - from.time, seconds - contact, contact};
}

/// Tests per time if all nodes of the surface touched something: each at the shortest step of its
/// kicks [1/time].
template <int dim>
double
tests_if_all_touch(const Model<dim> &model)
{
  double rate = 0;
  for (const Contactor &contactor : model.contact->surface().contactors)
  {
    double shortest = std::numeric_limits<double>::infinity();
    for (const unsigned int node : contactor.node_view())
      for (const unsigned int id : model.stepper.supports().kicks_of_node(node))
        shortest = std::min(shortest, model.stepper.levels().natural_step(id));
    rate += 1 / shortest;
  }
  return rate;
}
} // namespace

template <int dim>
TimeForecast
forecast_by_trial(Model<dim> &model, const double largest_stable_step)
{
  const double end = model.parameters.stepping.end_time;
  const KickTimes kicks = measure_kicks(model);
  const Trial trial = run_trial(model);
  TimeForecast result;
  result.trial_end = model.stepper.time();
  if (trial.length > 0)
  {
    result.kicks = end * trial.kicks / trial.length;
    result.contact = end * trial.contact / trial.length;
  }
  if (model.contact && model.contact->has_states())
  {
    const double per_kick =
        kicks.per_time / (model.stepper.levels().kick_rates().first + model.stepper.sweep_rate());
    result.contact_of_all = end * tests_if_all_touch(model) * kicks_per_test * per_kick;
    for (const ContactState &state : model.contact->states())
      result.n_touching += state.status != ContactStatus::open;
  }
  const Stopwatch stopwatch;
  model.stepper.energy(model.stepper.snapshot(result.trial_end));
  result.output = stopwatch.seconds() * (model.parameters.output.save_intervals + 1) +
                  size_of_results(model) / bytes_per_second;
  // what comes with kicks besides is taken to come as often as they do
  const double synchronous_kicks =
      end / (share_of_stable_step * largest_stable_step) * kicks.all_once;
  result.synchronous =
      synchronous_kicks / (end * kicks.per_time) * result.kicks + result.contact + result.output;
  return result;
}

#define INSTANTIATE(dim)                                                                           \
  template double size_of_results(const Model<dim> &);                                             \
  template KickTimes measure_kicks(const Model<dim> &);                                            \
  template TimeForecast forecast_by_trial(Model<dim> &, double);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
