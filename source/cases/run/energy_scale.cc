#include <kickdrift/cases/preflight/preflight.h>
#include <kickdrift/cases/run/energy_scale.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace KickDrift
{
using namespace dealii;

namespace
{
constexpr unsigned int n_times = 32;
// Kicks of loads, or nodes in motion, that are looked at altogether.
constexpr unsigned int n_samples = 1024;
// A wave crosses a cell in up to so many critical steps, two thirds of that in bricks.
constexpr double crossing = 2;

/// Every so manieth of @p n things is to be looked at if there are @p n_kinds like them.
unsigned int
stride(const unsigned int n, const std::size_t n_kinds)
{
  const unsigned int wanted = std::max<std::size_t>(1, n_samples / n_kinds);
  return std::max(1u, n / wanted);
}

/// What is known of a body as a whole.
struct BodyAsWhole
{
  unsigned int first_node = 0;
  double mass = 0;         ///< [mass]
  double transit_time = 0; ///< of waves, about [time]
  double force = 0;        ///< sum of the loads' norms at the nodes, at one time [force]
};

template <int dim>
std::vector<BodyAsWhole>
bodies_as_wholes(const Model<dim> &model, const double step)
{
  std::vector<BodyAsWhole> result;
  for (const auto &meshed : model.bodies)
  {
    BodyAsWhole whole;
    whole.first_node = meshed.first_node();
    for (unsigned int i = 0; i < meshed.n_nodes(); ++i)
      whole.mass += model.nodes.mass(meshed.first_node() + i);
    whole.transit_time =
        crossing * step * std::pow(meshed.n_cells(), 1. / (meshed.shell ? 2 : dim));
    result.push_back(whole);
  }
  return result;
}

/// Add forces of the load to those of the bodies, which are in the order of their nodes.
template <int dim>
void
add_forces(const Model<dim> &model, const Kicks<dim> &load, const double time,
           std::vector<BodyAsWhole> &bodies)
{
  const unsigned int every = stride(load.n_kicks(), model.loads.size());
  std::vector<Tensor<1, dim>> forces;
  for (unsigned int k = 0; k < load.n_kicks(); k += every)
  {
    const auto support = load.support(k);
    load.checked_force(model.nodes, k, time, support.size(), forces);
    for (unsigned int i = 0; i < support.size(); ++i)
    {
      const auto next = std::upper_bound(bodies.begin(), bodies.end(), support[i],
                                         [](const unsigned int node, const BodyAsWhole &body)
                                         { return node < body.first_node; });
      std::prev(next)->force += every * forces[i].norm();
    }
  }
}

/// Strain energy of a bar under its weight, if the loads are one [energy].
template <int dim>
double
energy_of_loads(const Model<dim> &model, const double time, std::vector<BodyAsWhole> &bodies)
{
  for (BodyAsWhole &body : bodies)
    body.force = 0;
  for (const auto &load : model.loads)
    add_forces(model, *load, time, bodies);
  double sum = 0;
  for (const BodyAsWhole &body : bodies)
    if (body.mass > 0)
    {
      const double impulse = body.force * body.transit_time;
      sum += impulse * impulse / (6 * body.mass);
    }
  return sum;
}

/// Kinetic energy of the nodes that a restraint moves.
template <int dim>
double
energy_of_motion(const Model<dim> &model, const unsigned int r, const double time,
                 const double duration)
{
  Function<dim> &displacement = *model.parameters.restraints[r].displacement;
  const auto &moved = model.supports[r].nodes;
  const unsigned int every = stride(moved.size(), model.supports.size());
  double sum = 0;
  for (unsigned int i = 0; i < moved.size(); i += every)
  {
    const Point<dim> &point = model.nodes.reference(moved[i]);
    displacement.set_time(time);
    const Tensor<1, dim> before = vector_value(displacement, point);
    displacement.set_time(time + duration);
    const Tensor<1, dim> way = vector_value(displacement, point) - before;
    sum += 0.5 * model.nodes.mass(moved[i]) * (way / duration).norm_square();
  }
  return every * sum;
}
} // namespace

template <int dim>
double
energy_scale(const Model<dim> &model)
{
  const double step = critical_steps(model).average;
  if (!std::isfinite(step))
    return 0;
  std::vector<BodyAsWhole> bodies = bodies_as_wholes(model, step);
  double largest = 0;
  for (unsigned int i = 0; i < n_times; ++i)
  {
    const double time = model.parameters.stepping.end_time * i / (n_times - 1);
    double sum = 0;
    try
    {
      sum += energy_of_loads(model, time, bodies);
      for (unsigned int r = 0; r < model.supports.size(); ++r)
        if (model.parameters.restraints[r].displacement)
          sum += energy_of_motion(model, r, time, step);
    }
    catch (const ExceptionBase &)
    {
      continue; // a value that is not finite stops the run when it comes to that
    }
    if (std::isfinite(sum))
      largest = std::max(largest, sum);
  }
  return largest;
}

template double energy_scale(const Model<2> &);
template double energy_scale(const Model<3> &);
} // namespace KickDrift
