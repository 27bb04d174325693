// Restraints of a model and the motions that they prescribe.

#include <kickdrift/base/messages.h>
#include <kickdrift/cases/model/model.h>
#include <kickdrift/cases/model/node_selection.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// One direction in which a restraint holds or moves a node.
template <int dim>
struct Hold
{
  const RestraintParameters<dim> *restraint;
  Tensor<1, dim> direction; ///< unit vector
};

/// Displacements @p a and @p b that differ by no more are equal [length].
template <int dim>
double
tolerance(const Tensor<1, dim> &a, const Tensor<1, dim> &b, const double round_off)
{
  return 1e-8 * (a.norm() + b.norm()) + round_off;
}

/// Rounding error of positions [length].
template <int dim>
double
position_round_off(const NodeTable<dim> &nodes)
{
  double extent = 0;
  for (unsigned int node = 0; node < nodes.size(); ++node)
    extent = std::max(
        {extent, nodes.reference(node).distance(nodes.reference(0)), nodes.reference(node).norm()});
  return 1e-14 * extent;
}

/// Times at which motions are compared: the start, and irregularly spread over the run.
std::vector<double>
sample_times(const double end)
{
  std::vector<double> times(1, 0.);
  for (unsigned int i = 1; i <= 32; ++i)
    times.push_back(end * std::fmod(0.6180339887498949 * i, 1.));
  return times;
}
} // namespace

template <int dim>
void
Model<dim>::add_restraints()
{
  for (const auto &restraint : parameters.restraints)
  {
    supports.push_back(
        {restraint.name,
         nodes_of(restraint.bodies, restraint.selection, "Restraints/" + restraint.name),
         restraint.directions});
    for (const unsigned int node : supports.back().nodes)
      for (const auto &direction : restraint.directions)
        nodes.restraints.add(node, direction);
  }
  check_restraints_of_tied();
  for (const unsigned int node : nodes.restraints.nodes())
    nodes.set_velocity(node, nodes.restraints.project(node, nodes.velocity(node)));
  check_motions();
}

template <int dim>
Tensor<1, dim>
Model<dim>::prescribed_displacement(const RestraintParameters<dim> &restraint,
                                    const unsigned int node, const double time) const
{
  restraint.displacement->set_time(time);
  const auto u = vector_value(*restraint.displacement, nodes.reference(node));
  AssertThrow(std::isfinite(u.norm_square()),
              ExcMessage("'" + restraint.motion + "' is " + point_text(Point<dim>(u)) +
                         " at time " + number_text(time) + " for " + node_text(node) +
                         "; it must be finite."));
  return u;
}

template <int dim>
void
Model<dim>::check_motions()
{
  const bool is_quiet = parameters.stepping.quiet_start > 0;
  const double round_off = position_round_off(nodes);
  std::map<unsigned int, std::vector<Hold<dim>>> holds;
  std::vector<char> moves(nodes.size(), 0);
  for (unsigned int r = 0; r < supports.size(); ++r)
  {
    const auto &restraint = parameters.restraints[r];
    for (const unsigned int node : supports[r].nodes)
      for (const auto &direction : restraint.directions)
      {
        const auto unit = direction / direction.norm();
        holds[node].push_back({&restraint, unit});
        if (!restraint.displacement)
          continue;
        moves[node] = 1;
        if (is_quiet)
          continue;
        const auto u = prescribed_displacement(restraint, node, 0.);
        const auto initial = nodes.displacement(node);
        AssertThrow(std::abs(unit * (u - initial)) <= tolerance(u, initial, round_off),
                    ExcMessage("'" + restraint.motion + "' is " + point_text(Point<dim>(u)) +
                               " at time 0 for " + node_text(node) +
                               ", but the initial displacement of the node is " +
                               point_text(Point<dim>(initial)) + "."));
      }
  }
  const auto times = sample_times(parameters.stepping.end_time);
  for (const auto &[node, holds_of_node] : holds)
  {
    if (!moves[node])
      continue;
    if (is_quiet)
      nodes.set_displacement(node, agreed_displacement(node, holds_of_node, 0., round_off));
    for (const double time : times)
      agreed_displacement(node, holds_of_node, time, round_off);
  }
}

template <int dim>
template <typename Holds>
Tensor<1, dim>
Model<dim>::agreed_displacement(const unsigned int node, const Holds &holds, const double time,
                                const double round_off) const
{
  // the displacement that the holds so far ask for, by an orthonormal basis of their directions
  std::vector<Tensor<1, dim>> basis;
  Tensor<1, dim> demanded;
  for (const auto &hold : holds)
  {
    const auto u = hold.restraint->displacement
                       ? prescribed_displacement(*hold.restraint, node, time)
                       : nodes.displacement(node);
    Tensor<1, dim> rest = hold.direction;
    for (const auto &b : basis)
      rest -= (b * rest) * b;
    const double missing = hold.direction * (u - demanded);
    if (rest.norm() > 1e-8)
    {
      demanded += missing / (hold.direction * rest) * rest;
      basis.push_back(rest / rest.norm());
      continue;
    }
    if (std::abs(missing) <= tolerance(u, demanded, round_off))
      continue;
    std::string others;
    for (const auto &other : holds)
      if (other.restraint == hold.restraint)
        break;
      else if (others.find("'" + other.restraint->name + "'") == std::string::npos)
        others += (others.empty() ? "'" : ", '") + other.restraint->name + "'";
    AssertThrow(false, ExcMessage("Restraint '" + hold.restraint->name + "' contradicts " + others +
                                  " along " + point_text(Point<dim>(hold.direction)) + " at " +
                                  node_text(node) + " at time " + number_text(time) +
                                  ": a direction can have one motion only."));
  }
  Tensor<1, dim> free = nodes.displacement(node);
  for (const auto &b : basis)
    free -= (b * free) * b;
  return free + demanded;
}

template <int dim>
void
Model<dim>::prescribe_motions()
{
  for (unsigned int r = 0; r < supports.size(); ++r)
  {
    const auto &restraint = parameters.restraints[r];
    if (restraint.displacement)
      stepper.prescribe(supports[r].nodes, restraint.directions,
                        [this, &restraint](const unsigned int node, const double time)
                        { return prescribed_displacement(restraint, node, time); });
  }
}

template class Model<2>;
template class Model<3>;
} // namespace KickDrift
