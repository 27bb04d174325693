#include <kickdrift/contact/massless/equilibrium.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
template <int spacedim>
MasslessEquilibrium<spacedim>::MasslessEquilibrium(const MasslessLayer<spacedim> &layer,
                                                   const MasslessTargets<spacedim> &targets,
                                                   const MasslessParameters &parameters,
                                                   const double length)
    : layer(layer), targets(targets), parameters(parameters), length(length)
{
}

template <int spacedim>
typename MasslessEquilibrium<spacedim>::Effort
MasslessEquilibrium<spacedim>::solve(NodeTable<spacedim> &nodes, const double time,
                                     Memories &memories) const
{
  // far from the equilibrium blocks are no good for long ways
  const double longest = 0.3 * length, small = parameters.tolerance * length;
  Effort effort;
  targets.walk(nodes, memories);
  while (!effort.has_converged && effort.iterations < parameters.most_iterations)
  {
    ++effort.iterations;
    targets.find(nodes, memories, found);
    make_constraints(memories);
    layer.forces(nodes, time, residuals);
    add_contact_forces(memories);
    motions.assign(layer.n_massless(), Vector());
    unsigned int n_sweeps = 0;
    while (n_sweeps < parameters.most_sweeps && (++n_sweeps, sweep(memories) > small))
      ;
    effort.sweeps += n_sweeps;
    double largest = 0;
    for (const Vector &motion : motions)
      largest = std::max(largest, motion.norm());
    const double share = largest > longest ? longest / largest : 1;
    for (unsigned int a = 0; a < motions.size(); ++a)
      for (unsigned int d = 0; d < spacedim; ++d)
        nodes[layer.members()[a]].displacement[d] += share * motions[a][d];
    effort.has_converged = largest <= 10 * small;
    effort.penetration = penetration(share);
  }
  effort.energy = energy(memories);
  return effort;
}

template <int spacedim>
void
MasslessEquilibrium<spacedim>::make_constraints(Memories &memories) const
{
  constraints.assign(found.size(), Constraint());
  is_found.assign(memories.size(), 0);
  for (unsigned int c = 0; c < found.size(); ++c)
  {
    const MasslessContact<spacedim> &contact = found[c];
    Constraint &constraint = constraints[c];
    for (unsigned int i = 0; i < contact.n_nodes; ++i)
    {
      const unsigned int member = layer.member(contact.nodes[i]);
      if (member >= layer.n_massless())
        continue;
      const double coefficient = contact.coefficients[i];
      constraint.massless[constraint.n] = member;
      constraint.coefficients[constraint.n] = coefficient;
      ++constraint.n;
      constraint.flexibility += coefficient * coefficient *
                                (contact.normal * (layer.flexibility(member) * contact.normal));
    }
    const unsigned int contactor = layer.member(contact.nodes[0]);
    if (!contact.is_with_obstacle() && contactor < layer.n_massless())
      constraint.compliance =
          parameters.compliance * trace(layer.flexibility(contactor)) / spacedim;
    is_found[contact.pair] = constraint.flexibility > 0;
  }
  for (unsigned int pair = 0; pair < memories.size(); ++pair)
    if (!is_found[pair])
      memories[pair].force = 0;
}

template <int spacedim>
void
MasslessEquilibrium<spacedim>::add_contact_forces(const Memories &memories) const
{
  for (unsigned int c = 0; c < found.size(); ++c)
    for (unsigned int i = 0; i < constraints[c].n; ++i)
      residuals[constraints[c].massless[i]] +=
          memories[found[c].pair].force * constraints[c].coefficients[i] * found[c].normal;
}

template <int spacedim>
double
MasslessEquilibrium<spacedim>::sweep(Memories &memories) const
{
  const double by_nodes = sweep_nodes();
  return std::max(by_nodes, sweep_contacts(memories));
}

template <int spacedim>
double
MasslessEquilibrium<spacedim>::sweep_nodes() const
{
  double largest = 0;
  for (unsigned int a = 0; a < layer.n_massless(); ++a)
  {
    Vector force = residuals[a];
    const auto neighbours = layer.neighbours(a);
    const auto blocks = layer.blocks(a);
    for (unsigned int i = 0; i < neighbours.size(); ++i)
      force -= blocks[i] * motions[neighbours[i]];
    const Vector motion = layer.flexibility(a) * force;
    largest = std::max(largest, (motion - motions[a]).norm_square());
    motions[a] = motion;
  }
  return std::sqrt(largest);
}

template <int spacedim>
double
MasslessEquilibrium<spacedim>::sweep_contacts(Memories &memories) const
{
  double largest = 0;
  for (unsigned int c = 0; c < found.size(); ++c)
  {
    const Constraint &constraint = constraints[c];
    if (!(constraint.flexibility > 0))
      continue;
    const Vector &normal = found[c].normal;
    double &force = memories[found[c].pair].force;
    double gap = found[c].gap + constraint.compliance * force;
    for (unsigned int i = 0; i < constraint.n; ++i)
      gap += constraint.coefficients[i] * (normal * motions[constraint.massless[i]]);
    const double change = std::max(-force, -gap / (constraint.flexibility + constraint.compliance));
    if (change == 0)
      continue;
    force += change;
    for (unsigned int i = 0; i < constraint.n; ++i)
    {
      const unsigned int a = constraint.massless[i];
      const Vector more = change * constraint.coefficients[i] * normal;
      residuals[a] += more;
      const Vector motion = layer.flexibility(a) * more;
      motions[a] += motion;
      largest = std::max(largest, motion.norm_square());
    }
  }
  return std::sqrt(largest);
}

template <int spacedim>
double
MasslessEquilibrium<spacedim>::penetration(const double share) const
{
  double deepest = 0;
  for (unsigned int c = 0; c < found.size(); ++c)
  {
    double gap = found[c].gap;
    for (unsigned int i = 0; i < constraints[c].n; ++i)
      gap += share * constraints[c].coefficients[i] *
             (found[c].normal * motions[constraints[c].massless[i]]);
    deepest = std::max(deepest, -gap);
  }
  return deepest;
}

template <int spacedim>
double
MasslessEquilibrium<spacedim>::energy(const Memories &memories) const
{
  double sum = 0;
  for (unsigned int c = 0; c < found.size(); ++c)
  {
    const double force = memories[found[c].pair].force;
    sum += 0.5 * constraints[c].compliance * force * force;
  }
  return sum;
}

template class MasslessEquilibrium<2>;
template class MasslessEquilibrium<3>;
} // namespace KickDrift
