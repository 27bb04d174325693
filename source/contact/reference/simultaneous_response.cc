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
  std::vector<ContactStencil<spacedim>> stencils;
  for (const auto &point : points)
    stencils.push_back(point.stencil);
  system.assemble(nodes, stencils);
  if (projects)
    project(time);
  if (is_coupled)
    respond();
  else
    for (unsigned int i = 0; i < points.size(); ++i)
      response.reflect(*histories[i], points[i]);
  histories.clear();
  points.clear();
}

template <int spacedim>
void
SimultaneousResponse<spacedim>::project(const double time)
{
  std::vector<double> gaps;
  for (const auto &point : points)
    gaps.push_back(-point.depth);
  const auto multipliers = system.solve(gaps);
  count(multipliers);

  std::vector<unsigned int> moved;
  for (const auto &point : points)
    moved.insert(moved.end(), point.stencil.nodes.begin(),
                 point.stencil.nodes.begin() + point.stencil.n_nodes);
  std::sort(moved.begin(), moved.end());
  moved.erase(std::unique(moved.begin(), moved.end()), moved.end());
  std::vector<Vector> before;
  for (const unsigned int node : moved)
    before.push_back(nodes.displacement(node));
  const auto forces = stepper.forces_on(moved, time);
  shift(multipliers);
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
  for (unsigned int i = 0; i < points.size(); ++i)
  {
    const auto &stencil = points[i].stencil;
    for (unsigned int a = 0; a < stencil.n_nodes; ++a)
    {
      const unsigned int node = stencil.nodes[a];
      nodes.set_displacement(
          node, nodes.displacement(node) +
                    nodes.velocity_change(node, stencil.share(a, multipliers[i], Vector())));
    }
  }
}

template <int spacedim>
std::vector<double>
SimultaneousResponse<spacedim>::rates() const
{
  const auto velocity = [&](const unsigned int node) { return nodes.velocity(node); };
  std::vector<double> result;
  for (const auto &point : points)
    result.push_back(point.stencil.normal * point.stencil.relative_velocity(velocity));
  return result;
}

template <int spacedim>
void
SimultaneousResponse<spacedim>::respond()
{
  const unsigned int n = points.size();
  std::vector<double> restitution(n);
  const auto before = rates();
  for (unsigned int i = 0; i < n; ++i)
  {
    const double kicks = projects ? 0. : response.find_load(*histories[i], points[i].stencil).kicks;
    const auto &pair = partners(points[i].body, points[i].target);
    restitution[i] =
        before[i] < 0 ? response.restitution(pair, kicks, before[i]) : pair.restitution;
  }
  const auto compression = system.solve(before);
  count(compression);

  std::vector<double> rebound(n), whole(n);
  for (unsigned int i = 0; i < n; ++i)
  {
    points[i].stencil.apply(nodes, compression[i]);
    rebound[i] = restitution[i] * compression[i];
    whole[i] = compression[i] + rebound[i];
  }
  // gaps that bear have no rates now
  double loss = -0.5 * product(compression, before);
  std::vector<FrictionalImpulse<spacedim>> impulses(n);
  apply_friction(whole, impulses);
  loss -= product(rebound, rates()) + 0.5 * product(rebound, system.apply(rebound));
  response.stats.restitution_loss += loss;
  for (unsigned int i = 0; i < n; ++i)
  {
    if (!(whole[i] > 0))
      continue;
    points[i].stencil.apply(nodes, rebound[i]);
    impulses[i].normal += whole[i];
    response.book(*histories[i], points[i], impulses[i], !projects);
  }
}

template <int spacedim>
void
SimultaneousResponse<spacedim>::apply_friction(const std::vector<double> &normal_impulses,
                                               std::vector<FrictionalImpulse<spacedim>> &impulses)
{
  const auto velocity = [&](const unsigned int node) { return nodes.velocity(node); };
  for (unsigned int i = 0; i < points.size(); ++i)
  {
    const double friction = partners(points[i].body, points[i].target).friction;
    if (friction == 0 || !(normal_impulses[i] > 0))
      continue;
    const auto &stencil = points[i].stencil;
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
SimultaneousResponse<spacedim>::count(const std::vector<double> &multipliers)
{
  const unsigned int n = std::count_if(multipliers.begin(), multipliers.end(),
                                       [](const double multiplier) { return multiplier > 0; });
  CoupledStatistics &coupled = response.stats.coupled;
  coupled.constraints += n;
  coupled.largest = std::max(coupled.largest, n);
}

template class SimultaneousResponse<2>;
template class SimultaneousResponse<3>;
} // namespace KickDrift
