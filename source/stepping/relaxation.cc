#include <kickdrift/stepping/kicks/stiffness_weights.h>
#include <kickdrift/stepping/relaxation.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace KickDrift
{
namespace
{
/// Step over the critical one, which may be a per cent too long in deformed states.
constexpr double step_ratio = 0.9;
constexpr unsigned int iterations_between_masses = 100;
/// Masses become larger at once, but smaller only if they may by this factor: every change disturbs
/// the search.
constexpr double useful_reduction = 0.8;
/// Without the residual halved in so many iterations there is no progress.
constexpr unsigned int most_without_progress = 50000;
/// Directions that leave no more than this are linearly dependent.
constexpr double dependent = 1e-8;
/// Rounding of forces, as a share of stiffness times displacement.
constexpr double round_off = 4e-16;
/// Forces that are no larger than this many times those in the undeformed state are rounding.
constexpr double noise_ratio = 10;
/// Forces in the undeformed state that are above this many roundings of positions are no rounding.
constexpr double most_roundings = 32;
/// A part that has moved this many times its extent is not held.
constexpr double runaway = 1000;
} // namespace

template <int spacedim>
Relaxation<spacedim>::Relaxation(Families with_stiffness, const Families &others,
                                 NodeTable<spacedim> &nodes, RelaxationParameters parameters)
    : with_stiffness(std::move(with_stiffness)),
      all(this->with_stiffness),
      nodes(nodes),
      parameters(std::move(parameters)),
      work(nodes)
{
  all.insert(all.end(), others.begin(), others.end());
}

template <int spacedim>
RelaxationReport
Relaxation<spacedim>::run()
{
  for (unsigned int node = 0; node < work.size(); ++node)
  {
    work[node].time = 0;
    work.set_velocity(node, {});
  }
  for (const auto &family : all)
    family->assign_clocks(std::vector<unsigned int>(family->n_kicks(), 0), 1);
  find_parts();
  find_masses();
  find_noise();
  velocity.assign(work.size(), {});
  acceleration = last = total = velocity;

  RelaxationReport report;
  const auto is_moved = [](const Part &part) { return part.is_moved; };
  while (std::any_of(parts.begin(), parts.end(), is_moved))
  {
    if (report.n_iterations > 0 && report.n_iterations % iterations_between_masses == 0)
      update_masses(false);
    find_accelerations();
    if (report.n_iterations == 0)
      check_held();
    else
      find_damping();
    ++report.n_iterations;
    check_progress(report.n_iterations);
    step();
  }
  for (unsigned int node = 0; node < nodes.size(); ++node)
  {
    report.largest_displacement = std::max(
        report.largest_displacement, (work.displacement(node) - nodes.displacement(node)).norm());
    nodes.set_displacement(node, work.displacement(node));
  }
  for (const Part &part : parts)
    report.residual = std::max(report.residual, part.residual);
  return report;
}

template <int spacedim>
void
Relaxation<spacedim>::find_parts()
{
  std::vector<unsigned int> leader(work.size()); // of a forest of nodes that belong together
  std::iota(leader.begin(), leader.end(), 0u);
  const auto root = [&](unsigned int node)
  {
    while (leader[node] != node)
      node = leader[node] = leader[leader[node]];
    return node;
  };
  std::vector<unsigned int> last_family(work.size(), -1u);
  nodes_of_family.assign(all.size(), {});
  for (unsigned int f = 0; f < all.size(); ++f)
    for (unsigned int k = 0; k < all[f]->n_kicks(); ++k)
    {
      const auto support = all[f]->support(k);
      for (const unsigned int node : support)
      {
        if (last_family[node] != f)
          nodes_of_family[f].push_back(node);
        last_family[node] = f;
        if (f >= with_stiffness.size()) // loads connect nothing
          continue;
        const unsigned int a = root(support[0]), b = root(node);
        leader[std::max(a, b)] = std::min(a, b);
      }
    }

  part_of_node.assign(work.size(), 0);
  for (unsigned int node = 0; node < work.size(); ++node)
  {
    const unsigned int first = root(node);
    if (first == node)
    {
      part_of_node[node] = parts.size();
      parts.emplace_back().first_node = node;
    }
    part_of_node[node] = part_of_node[first];
    Part &part = parts[part_of_node[node]];
    part.extent =
        std::max(part.extent, work.reference(node).distance(work.reference(part.first_node)));
  }
  for (const auto &family : with_stiffness)
    if (family->kind() != KickKind::strain)
      for (unsigned int k = 0; k < family->n_kicks(); ++k)
        for (const unsigned int node : family->support(k))
          parts[part_of_node[node]].has_strain_only = false;
}

template <int spacedim>
void
Relaxation<spacedim>::find_masses()
{
  for (const auto &family : with_stiffness)
    mass_factors.emplace_back(family->n_kicks(), 0.);
  update_masses(true);
}

template <int spacedim>
void
Relaxation<spacedim>::update_masses(const bool first)
{
  bool has_changed = first;
  for (unsigned int f = 0; f < with_stiffness.size(); ++f)
  {
    const Kicks<spacedim> &family = *with_stiffness[f];
    if (!first && family.has_constant_steps())
      continue;
    std::vector<double> steps;
    std::vector<double> weights;
    if (family.has_constant_steps())
      steps = family.critical_steps([&](const unsigned int k, std::vector<double> &of_kick)
                                    { stiffness_weights(family, k, of_kick); });
    for (unsigned int k = 0; k < family.n_kicks(); ++k)
    {
      stiffness_weights(family, k, weights);
      if (std::all_of(weights.begin(), weights.end(), [](const double w) { return w == 0; }))
        continue;
      const double critical =
          steps.empty() ? family.current_critical_step(work, k, weights) : steps[k];
      const double needed = 1 / std::pow(step_ratio * critical, 2);
      double &factor = mass_factors[f][k];
      if (needed > factor || needed < useful_reduction * factor)
      {
        factor = needed;
        has_changed = true;
      }
    }
  }
  if (!has_changed)
    return;

  masses.assign(work.size(), 0.);
  std::vector<double> weights;
  for (unsigned int f = 0; f < with_stiffness.size(); ++f)
    for (unsigned int k = 0; k < with_stiffness[f]->n_kicks(); ++k)
    {
      stiffness_weights(*with_stiffness[f], k, weights);
      const auto support = with_stiffness[f]->support(k);
      for (unsigned int i = 0; i < weights.size(); ++i)
        masses[support[i]] += mass_factors[f][k] * weights[i];
    }
  for (Part &part : parts)
    part.mass = 0;
  for (unsigned int node = 0; node < work.size(); ++node)
  {
    if (!(masses[node] > 0) || !std::isfinite(masses[node]))
      masses[node] = nodes.mass(node); // nothing holds it; forces on it are found later
    work.set_mass(node, masses[node]);
    parts[part_of_node[node]].mass += masses[node];
  }
}

template <int spacedim>
void
Relaxation<spacedim>::find_noise()
{
  for (unsigned int node = 0; node < work.size(); ++node)
    work.set_displacement(node, {});
  for (const auto &family : with_stiffness)
    if (family->kind() == KickKind::strain)
      family->kick(work, 0, 0., 1.);
  std::vector<double> reach(parts.size(), 0.); // squares of coordinates
  for (unsigned int node = 0; node < work.size(); ++node)
  {
    Part &part = parts[part_of_node[node]];
    part.noise += masses[node] * work.velocity(node).norm_square();
    double &square = reach[part_of_node[node]];
    square = std::max(square, work.reference(node).square());
    work.set_velocity(node, {});
    work.set_displacement(node, nodes.displacement(node));
  }
  // accelerations are displacements here, since steps are 1
  for (unsigned int p = 0; p < parts.size(); ++p)
    if (Part &part = parts[p];
        part.noise > std::pow(most_roundings * round_off, 2) * reach[p] * part.mass)
      std::swap(part.noise, part.stressed);
}

template <int spacedim>
void
Relaxation<spacedim>::find_accelerations()
{
  std::swap(acceleration, last);
  total.assign(work.size(), {});
  std::vector<double> squares(parts.size(), 0.), scales(parts.size(), 0.), ways(parts.size(), 0.);
  for (unsigned int f = 0; f < all.size(); ++f)
  {
    all[f]->kick(work, 0, 0., 1.);
    for (const unsigned int node : nodes_of_family[f])
    {
      const Vector by_family = work.velocity(node);
      total[node] += by_family;
      scales[part_of_node[node]] += masses[node] * by_family.norm_square();
      work.set_velocity(node, {}); // the next one may oppose velocities
    }
  }
  for (unsigned int node = 0; node < work.size(); ++node)
  {
    acceleration[node] = work.restraints.project(node, total[node]);
    const unsigned int p = part_of_node[node];
    squares[p] += masses[node] * acceleration[node].norm_square();
    ways[p] = std::max(ways[p], work.displacement(node).norm_square());
  }
  for (unsigned int p = 0; p < parts.size(); ++p)
  {
    Part &part = parts[p];
    scales[p] += part.stressed;
    const double rounding = // steps are 1, as above
        round_off * round_off * ways[p] * part.mass + noise_ratio * noise_ratio * part.noise;
    // where all forces are rounding, there are none; what is not a number stays that
    part.residual = scales[p] <= 4 * rounding ? 0. : std::sqrt(squares[p] / scales[p]);
    part.is_moved = !(part.residual <= parameters.tolerance || squares[p] <= rounding);
  }
}

template <int spacedim>
void
Relaxation<spacedim>::find_damping()
{
  std::vector<double> stiffness(parts.size(), 0.), mass(parts.size(), 0.);
  for (unsigned int node = 0; node < work.size(); ++node)
  {
    const unsigned int p = part_of_node[node];
    const double m = masses[node];
    stiffness[p] += m * (velocity[node] * (last[node] - acceleration[node]));
    mass[p] += m * velocity[node].norm_square();
  }
  for (unsigned int p = 0; p < parts.size(); ++p)
  {
    const double square = mass[p] > 0 ? stiffness[p] / mass[p] : 0.;
    parts[p].damping = 2 * std::sqrt(std::clamp(square, 0., 1.));
  }
}

template <int spacedim>
void
Relaxation<spacedim>::step()
{
  for (unsigned int node = 0; node < work.size(); ++node)
  {
    const Part &part = parts[part_of_node[node]];
    if (!part.is_moved)
    {
      velocity[node] = Vector();
      continue;
    }
    const double c = part.damping;
    velocity[node] = ((2 - c) * velocity[node] + 2 * acceleration[node]) / (2 + c);
    work.set_displacement(node, work.displacement(node) + velocity[node]);
  }
}

template <int spacedim>
void
Relaxation<spacedim>::check_held() const
{
  std::vector<std::vector<Vector>> held(parts.size()); // orthonormal directions
  for (const unsigned int node : work.restraints.nodes())
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      auto &basis = held[part_of_node[node]];
      Vector direction;
      direction[d] = 1;
      direction -= work.restraints.project(node, direction);
      for (const Vector &b : basis)
        direction -= (b * direction) * b;
      if (direction.norm() > dependent)
        basis.push_back(direction / direction.norm());
    }
  std::vector<Vector> resultant(parts.size());
  std::vector<double> scale(parts.size(), 0.);
  for (unsigned int node = 0; node < work.size(); ++node)
  {
    const Vector force = masses[node] * total[node];
    resultant[part_of_node[node]] += force;
    scale[part_of_node[node]] += force.norm();
  }
  for (unsigned int p = 0; p < parts.size(); ++p)
  {
    if (!parts[p].has_strain_only || !parts[p].is_moved)
      continue;
    Vector free = resultant[p];
    for (const Vector &b : held[p])
      free -= (b * free) * b;
    AssertThrow(free.norm() <= dependent * scale[p], ExcNotHeld(name_of(parts[p])));
  }
}

template <int spacedim>
void
Relaxation<spacedim>::check_progress(const unsigned int n_iterations)
{
  for (Part &part : parts)
  {
    if (!part.is_moved)
      continue;
    if (!std::isfinite(part.residual))
    {
      const std::string kick = undefined_kick();
      AssertThrow(kick.empty(), ExcUndefinedForce(name_of(part), n_iterations, kick));
    }
    if (n_iterations == 1 || part.residual < 0.5 * part.least)
    {
      part.least = part.residual;
      part.n_since_less = 0;
    }
    ++part.n_since_less;
    AssertThrow(std::isfinite(part.residual) && part.n_since_less < most_without_progress &&
                    n_iterations < parameters.max_iterations,
                ExcNoEquilibrium(name_of(part), n_iterations, part.residual, parameters.tolerance));
  }
  if (n_iterations % iterations_between_masses != 1)
    return;
  for (unsigned int node = 0; node < work.size(); ++node)
  {
    const Part &part = parts[part_of_node[node]];
    const double way = (work.displacement(node) - nodes.displacement(node)).norm();
    AssertThrow(!part.is_moved || way + acceleration[node].norm() <= runaway * part.extent,
                ExcNotHeld(name_of(part)));
  }
}

template <int spacedim>
std::string
Relaxation<spacedim>::undefined_kick() const
{
  std::vector<Vector> forces;
  for (unsigned int f = 0; f < all.size(); ++f)
    for (unsigned int k = 0; k < all[f]->n_kicks(); ++k)
    {
      all[f]->force(work, k, 0., forces);
      for (const Vector &force : forces)
        if (!std::isfinite(force.norm_square()))
          return parameters.name_of_kick && f < with_stiffness.size()
                     ? parameters.name_of_kick(f, k)
                     : "kick " + std::to_string(k) + " of the family '" + all[f]->name() + "'";
    }
  return "";
}

template <int spacedim>
std::string
Relaxation<spacedim>::name_of(const Part &part) const
{
  return parameters.name ? parameters.name(part.first_node)
                         : "what node " + std::to_string(part.first_node) + " belongs to";
}

template class Relaxation<2>;
template class Relaxation<3>;
} // namespace KickDrift
