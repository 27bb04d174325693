#include <kickdrift/cases/preflight/preflight.h>
#include <kickdrift/cases/run/energy_scale.h>
#include <kickdrift/deal_ii/energy_scale.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace KickDrift
{
using namespace dealii;

namespace
{
constexpr unsigned int n_times = 32;
// Nodes in motion that are looked at altogether.
constexpr unsigned int n_samples = 1024;

/// Every so manieth of @p n things is to be looked at if there are @p n_kinds like them.
unsigned int
stride(const unsigned int n, const std::size_t n_kinds)
{
  const unsigned int wanted = std::max<std::size_t>(1, n_samples / n_kinds);
  return std::max(1u, n / wanted);
}

template <int dim>
std::vector<BodyAsWhole>
bodies_as_wholes(const Model<dim> &model, const double step)
{
  std::vector<BodyAsWhole> result;
  for (const auto &meshed : model.bodies)
    result.push_back(body_as_whole(model.nodes, meshed.first_node(), meshed.n_nodes(),
                                   meshed.n_cells(), meshed.shell ? 2 : dim, step));
  return result;
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
  const std::vector<BodyAsWhole> bodies = bodies_as_wholes(model, step);
  double largest = 0;
  for (unsigned int i = 0; i < n_times; ++i)
  {
    const double time = model.parameters.stepping.end_time * i / (n_times - 1);
    double sum = 0;
    try
    {
      sum += energy_of_loads(model.nodes, model.loads, bodies, time);
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
