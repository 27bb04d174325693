#include <kickdrift/potentials/springs.h>

#include <cmath>

namespace KickDrift
{
namespace
{
/// From the first node to the second, without cancellation far from the origin.
template <int spacedim>
dealii::Tensor<1, spacedim>
extent(const NodeTable<spacedim> &nodes, const Spring &spring)
{
  const unsigned int a = spring.nodes[0], b = spring.nodes[1];
  return (nodes.reference(b) - nodes.reference(a)) +
         (nodes.displacement(b) - nodes.displacement(a));
}

/// Force on the first node; the second feels the opposite.
template <int spacedim>
dealii::Tensor<1, spacedim>
pull(const dealii::Tensor<1, spacedim> &extent, const double stiffness, const double rest_length)
{
  const double length = extent.norm();
  return length > 0 ? stiffness * (1 - rest_length / length) * extent
                    : dealii::Tensor<1, spacedim>();
}
} // namespace

template <int spacedim>
Springs<spacedim>::Springs(std::vector<Spring> all) : springs(std::move(all))
{
  for (unsigned int k = 0; k < springs.size(); ++k)
  {
    const Spring &s = springs[k];
    AssertThrow(s.nodes[0] != s.nodes[1] && s.stiffness >= 0 && s.rest_length >= 0,
                dealii::ExcMessage("Spring " + std::to_string(k) +
                                   " must join two different nodes, with neither stiffness nor "
                                   "rest length negative."));
  }
}

template <int spacedim>
std::vector<unsigned int>
Springs<spacedim>::support(const unsigned int k) const
{
  return {springs[k].nodes.begin(), springs[k].nodes.end()};
}

template <int spacedim>
void
Springs<spacedim>::nodal_stiffness(const unsigned int k, std::vector<double> &stiffness) const
{
  stiffness.assign(2, springs[k].stiffness);
}

template <int spacedim>
void
Springs<spacedim>::force(const NodeTable<spacedim> &nodes, const unsigned int k, const double time,
                         std::vector<Vector> &force) const
{
  Vector at_time = extent(nodes, springs[k]);
  for (unsigned int i = 0; i < 2; ++i)
  {
    const unsigned int node = springs[k].nodes[i];
    at_time += (i == 0 ? -1 : 1) * (time - nodes[node].time) * nodes.velocity(node);
  }
  const Vector on_first = pull(at_time, springs[k].stiffness, springs[k].rest_length);
  force.assign({on_first, -on_first});
}

template <int spacedim>
double
Springs<spacedim>::energy(const NodeTable<spacedim> &nodes, const unsigned int k) const
{
  const double elongation = extent(nodes, springs[k]).norm() - springs[k].rest_length;
  return 0.5 * springs[k].stiffness * elongation * elongation;
}

template <int spacedim>
AnchoredSprings<spacedim>::AnchoredSprings(std::vector<AnchoredSpring<spacedim>> all)
    : springs(std::move(all))
{
  for (unsigned int k = 0; k < springs.size(); ++k)
    AssertThrow(springs[k].stiffness >= 0 && springs[k].rest_length >= 0,
                dealii::ExcMessage("Neither stiffness nor rest length of the anchored spring " +
                                   std::to_string(k) + " may be negative."));
}

template <int spacedim>
void
AnchoredSprings<spacedim>::nodal_stiffness(const unsigned int k,
                                           std::vector<double> &stiffness) const
{
  stiffness.assign(1, springs[k].stiffness);
}

template <int spacedim>
typename AnchoredSprings<spacedim>::Vector
AnchoredSprings<spacedim>::extent(const NodeTable<spacedim> &nodes, const unsigned int k,
                                  const double time) const
{
  const unsigned int node = springs[k].node;
  return (springs[k].anchor - nodes.reference(node)) - nodes.displacement_at(node, time);
}

template <int spacedim>
void
AnchoredSprings<spacedim>::force(const NodeTable<spacedim> &nodes, const unsigned int k,
                                 const double time, std::vector<Vector> &force) const
{
  force.assign(1, pull(extent(nodes, k, time), springs[k].stiffness, springs[k].rest_length));
}

template <int spacedim>
double
AnchoredSprings<spacedim>::energy(const NodeTable<spacedim> &nodes, const unsigned int k) const
{
  const double elongation =
      extent(nodes, k, nodes[springs[k].node].time).norm() - springs[k].rest_length;
  return 0.5 * springs[k].stiffness * elongation * elongation;
}

template class AnchoredSprings<2>;
template class AnchoredSprings<3>;
template class Springs<2>;
template class Springs<3>;
} // namespace KickDrift
