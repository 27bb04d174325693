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
    : layer(layer), targets(targets), parameters(parameters), length(length), sweeps(layer)
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
    layer.forces(nodes, time, forces);
    sweeps.start(forces);
    for (const Contact &contact : found)
      sweeps.add(contact, memories[contact.pair], parameters.compliance);
    effort.sweeps += sweep_until(small);
    const double largest = largest_motion();
    const double share = largest > longest ? longest / largest : 1;
    for (unsigned int a = 0; a < layer.n_massless(); ++a)
    {
      const Vector motion = sweeps.motion(a);
      for (unsigned int d = 0; d < spacedim; ++d)
        nodes[layer.members()[a]].displacement[d] += share * motion[d];
    }
    effort.has_converged = largest <= 10 * small; // not if it is no number
    effort.penetration = penetration(share);
    read_forces(memories);
  }
  effort.energy = energy(memories);
  return effort;
}

/// Returns the number of sweeps.
template <int spacedim>
unsigned int
MasslessEquilibrium<spacedim>::sweep_until(const double small) const
{
  for (unsigned int n = 1;; ++n)
  {
    const double change = sweeps.sweep();
    if (n >= parameters.most_sweeps || (n >= parameters.fewest_sweeps && change <= small))
      return n;
    sweeps.accelerate();
  }
}

/// Not a number if any is not.
template <int spacedim>
double
MasslessEquilibrium<spacedim>::largest_motion() const
{
  double largest = 0;
  for (unsigned int a = 0; a < layer.n_massless(); ++a)
  {
    const double motion = sweeps.motion(a).norm();
    if (!(motion <= largest))
      largest = motion;
    if (std::isnan(motion))
      break;
  }
  return largest;
}

/// Those of pairs without a contact are zero.
template <int spacedim>
void
MasslessEquilibrium<spacedim>::read_forces(Memories &memories) const
{
  is_found.assign(memories.size(), 0);
  for (unsigned int c = 0; c < found.size(); ++c)
  {
    is_found[found[c].pair] = 1;
    sweeps.read_forces(c, memories[found[c].pair]);
  }
  for (unsigned int pair = 0; pair < memories.size(); ++pair)
    if (!is_found[pair])
    {
      memories[pair].force = 0;
      memories[pair].friction = Vector();
    }
}

template <int spacedim>
double
MasslessEquilibrium<spacedim>::penetration(const double share) const
{
  double deepest = 0;
  for (unsigned int c = 0; c < found.size(); ++c)
    deepest = std::max(deepest, -found[c].gap - share * sweeps.opening(c));
  return deepest;
}

template <int spacedim>
double
MasslessEquilibrium<spacedim>::energy(const Memories &memories) const
{
  double sum = 0;
  for (unsigned int c = 0; c < found.size(); ++c)
  {
    const Memory &memory = memories[found[c].pair];
    sum +=
        0.5 * sweeps.compliance(c) * (memory.force * memory.force + memory.friction.norm_square());
  }
  return sum;
}

template class MasslessEquilibrium<2>;
template class MasslessEquilibrium<3>;
} // namespace KickDrift
