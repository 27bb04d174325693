#include <kickdrift/nodes/interpolation.h>

namespace KickDrift
{
template <int spacedim>
unsigned int
Interpolation<spacedim>::add(const dealii::Point<spacedim> &reference,
                             const std::vector<Parent> &parents)
{
  for (const Parent &parent : parents)
    parents_of_point.push_back(parent);
  parents_of_point.finish_row();
  references.push_back(reference);
  return references.size() - 1;
}

template <int spacedim>
dealii::Tensor<1, spacedim>
Interpolation<spacedim>::displacement(const NodeTable<spacedim> &nodes, const unsigned int point,
                                      const double time) const
{
  dealii::Tensor<1, spacedim> sum;
  for (const Parent &parent : parents(point))
  {
    NodeState state = nodes[parent.node];
    state.drift(time);
    for (unsigned int d = 0; d < spacedim; ++d)
      sum[d] += parent.weight * state.displacement[d];
  }
  return sum;
}

template <int spacedim>
NodeTable<spacedim>
Interpolation<spacedim>::table() const
{
  NodeTable<spacedim> result;
  for (const auto &reference : references)
    result.add(reference, 1.);
  return result;
}

template <int spacedim>
std::size_t
Interpolation<spacedim>::memory_consumption() const
{
  return parents_of_point.memory_consumption() +
         references.capacity() * sizeof(dealii::Point<spacedim>);
}

template class Interpolation<2>;
template class Interpolation<3>;
} // namespace KickDrift
