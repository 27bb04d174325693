#include <kickdrift/base/archive.h>
#include <kickdrift/potentials/loads/nodal_forces.h>

#include <utility>

namespace KickDrift
{
template <int spacedim>
NodalForces<spacedim>::NodalForces(std::string name, const std::vector<unsigned int> &nodes)
    : LoadsWithWork<spacedim>(std::move(name), 1, nodes), forces(nodes.size()), before(nodes.size())
{
}

template <int spacedim>
void
NodalForces<spacedim>::set(std::vector<Vector> new_forces, const double time)
{
  AssertThrow(new_forces.size() == forces.size(),
              dealii::ExcDimensionMismatch(new_forces.size(), forces.size()));
  if (time > change_time)
    before = std::move(forces);
  forces = std::move(new_forces);
  change_time = time;
}

template <int spacedim>
void
NodalForces<spacedim>::add_forces(const NodeTable<spacedim> &, const unsigned int k,
                                  const double time, Vector *result) const
{
  result[0] += time > change_time ? forces[k] : before[k];
}

template <int spacedim>
void
NodalForces<spacedim>::serialize(Archive &archive)
{
  LoadsWithWork<spacedim>::serialize(archive);
  archive.fixed(forces);
  archive.fixed(before);
  archive(change_time);
}

template class NodalForces<2>;
template class NodalForces<3>;
} // namespace KickDrift
