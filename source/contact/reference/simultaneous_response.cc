#include <kickdrift/contact/reference/simultaneous_response.h>

#include <algorithm>

namespace KickDrift
{
namespace
{
/// (a, b)
double
product(const std::vector<double> &a, const std::vector<double> &b)
{
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += a[i] * b[i];
  return sum;
}
} // namespace

template <int spacedim>
SimultaneousResponse<spacedim>::SimultaneousResponse(NodeTable<spacedim> &nodes,
                                                     Stepper<spacedim> &stepper,
                                                     ContactPairs<spacedim> &partners,
                                                     Reflection<spacedim> &response,
                                                     const ResponseParameters &parameters)
    : nodes(nodes),
      stepper(stepper),
      partners(partners),
      response(response),
      projects(parameters.projection),
      is_coupled(parameters.solver == ContactSolver::coupled)
{
}

template <int spacedim>
void
SimultaneousResponse<spacedim>::answer(const double time)
{
  if (points.empty())
    return;
  if (projects || is_coupled)
    system.assemble(nodes, stencils);
  if (projects)
    project(time);
  if (is_coupled)
    respond();
  else
    for (unsigned int i = 0; i < points.size(); ++i)
      if (projects)
        response.reflect(*memories[i], points[i]);
      else
        response.respond(*memories[i], points[i]);
  memories.clear();
  points.clear();
  stencils.clear();
}

template <int spacedim>
void
SimultaneousResponse<spacedim>::project(const double time)
{
  std::vector<double> gaps;
  for (const auto &point : points)
    gaps.push_back(-point.depth);
  const auto solution = system.solve(gaps);
  count(solution);

  std::vector<unsigned int> moved;
  for (const auto &stencil : stencils)
    moved.insert(moved.end(), stencil.nodes.begin(), stencil.nodes.begin() + stencil.n_nodes);
  std::sort(moved.begin(), moved.end());
  moved.erase(std::unique(moved.begin(), moved.end()), moved.end());
  std::vector<Vector> before;
  for (const unsigned int node : moved)
    before.push_back(nodes.displacement(node));
  const auto forces = stepper.forces_on(moved, time);
  shift(solution.multipliers);
  const auto forces_after = stepper.forces_on(moved, time);
  for (unsigned int i = 0; i < moved.size(); ++i)
  {
    const Vector way = nodes.displacement(moved[i]) - before[i];
    response.stats.projection_work -= 0.5 * (forces[i] + forces_after[i]) * way;
  }
}

template <int spacedim>
void
SimultaneousResponse<spacedim>::shift(const std::vector<double> &multipliers)
{
  for (unsigned int i = 0; i < stencils.size(); ++i)
    for (unsigned int a = 0; a < stencils[i].n_nodes; ++a)
    {
      const unsigned int node = stencils[i].nodes[a];
      nodes.set_displacement(
          node, nodes.displacement(node) +
                    nodes.velocity_change(node, stencils[i].share(a, multipliers[i], Vector())));
    }
}

template <int spacedim>
std::vector<double>
SimultaneousResponse<spacedim>::rates() const
{
  const auto velocity = [&](const unsigned int node) { return nodes.velocity(node); };
  std::vector<double> result;
  for (const auto &stencil : stencils)
    result.push_back(stencil.normal * stencil.relative_velocity(velocity));
  return result;
}

template <int spacedim>
void
SimultaneousResponse<spacedim>::respond()
{
  const auto before = rates();
  const auto solution = system.solve(before);
  count(solution);

  const unsigned int n = stencils.size();
  for (unsigned int i = 0; i < n; ++i)
    stencils[i].apply(nodes, solution.multipliers[i]);
  const auto rebound = rebounds(solution.multipliers, before);
  std::vector<double> whole(n);
  for (unsigned int i = 0; i < n; ++i)
    whole[i] = solution.multipliers[i] + rebound[i];
  std::vector<FrictionalImpulse<spacedim>> impulses(n);
  rub(whole, impulses);
  for (unsigned int i = 0; i < n; ++i)
  {
    stencils[i].apply(nodes, rebound[i]);
    impulses[i].normal += whole[i];
    if (whole[i] > 0)
      response.book(*memories[i], points[i], impulses[i], !projects);
  }
}

template <int spacedim>
std::vector<double>
SimultaneousResponse<spacedim>::rebounds(const std::vector<double> &compression,
                                         const std::vector<double> &rates)
{
  std::vector<double> result(compression.size());
  for (unsigned int i = 0; i < result.size(); ++i)
  {
    result[i] = partners(points[i].body, points[i].target).restitution * compression[i];
  }
  const double taken = -0.5 * product(compression, rates);
  const double given = 0.5 * product(result, system.apply(result));
  response.stats.restitution_loss += std::max(0., taken - given);
  return result;
}

template <int spacedim>
void
SimultaneousResponse<spacedim>::rub(const std::vector<double> &normal_impulses,
                                    std::vector<FrictionalImpulse<spacedim>> &impulses)
{
  const auto velocity = [&](const unsigned int node) { return nodes.velocity(node); };
  for (unsigned int i = 0; i < stencils.size(); ++i)
  {
    const double friction = partners(points[i].body, points[i].target).friction;
    if (friction == 0 || !(normal_impulses[i] > 0))
      continue;
    const auto &stencil = stencils[i];
    impulses[i] =
        friction_at_compression<spacedim>({stencil.inverse_mass_tensor(nodes), stencil.normal,
                                           stencil.relative_velocity(velocity), friction},
                                          normal_impulses[i]);
    stencil.apply(nodes, impulses[i].normal, impulses[i].tangential);
    response.stats.friction_loss += impulses[i].friction_loss;
  }
}

template <int spacedim>
void
SimultaneousResponse<spacedim>::count(const typename CoupledResponse<spacedim>::Solution &solution)
{
  CoupledStatistics &coupled = response.stats.coupled;
  coupled.factorisations += solution.n_factorisations;
  coupled.constraints += solution.n_active;
  coupled.redundant += solution.n_active - solution.rank;
  if (solution.n_active > coupled.largest)
  {
    coupled.largest = solution.n_active;
    coupled.rank_of_largest = solution.rank;
  }
}

template class SimultaneousResponse<2>;
template class SimultaneousResponse<3>;
} // namespace KickDrift
