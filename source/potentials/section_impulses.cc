#include <kickdrift/base/archive.h>
#include <kickdrift/potentials/section_impulses.h>

namespace KickDrift
{
namespace
{
dealii::Tensor<1, 1>
moment(const dealii::Tensor<1, 2> &arm, const dealii::Tensor<1, 2> &force)
{
  dealii::Tensor<1, 1> result;
  result[0] = arm[0] * force[1] - arm[1] * force[0];
  return result;
}

dealii::Tensor<1, 3>
moment(const dealii::Tensor<1, 3> &arm, const dealii::Tensor<1, 3> &force)
{
  return dealii::cross_product_3d(arm, force);
}
} // namespace

template <int spacedim>
SectionImpulses<spacedim>::SectionImpulses(const std::vector<Cut> &cuts, std::vector<char> behind,
                                           const dealii::Point<spacedim> &origin)
    : is_behind(std::move(behind)), origin(origin), impulses(cuts.size())
{
  this->by_clock = KicksByClock(cuts.size());
  for (const Cut &cut : cuts)
  {
    kick_of_id.emplace(cut.id, followed.size());
    followed.push_back(cut.id);
    providers.push_back({{cut.kicks, cut.k}});
  }
}

template <int spacedim>
void
SectionImpulses<spacedim>::add_companion(std::shared_ptr<const Kicks<spacedim>> kicks,
                                         const unsigned int k, const unsigned int id)
{
  const auto cut = kick_of_id.find(id);
  if (cut != kick_of_id.end())
    providers[cut->second].push_back({std::move(kicks), k});
}

template <int spacedim>
std::vector<unsigned int>
SectionImpulses<spacedim>::support(const unsigned int k) const
{
  return providers[k].front().kicks->support(providers[k].front().k);
}

template <int spacedim>
void
SectionImpulses<spacedim>::kick(NodeTable<spacedim> &, unsigned int, double,
                                const double step) const
{
  last_step = step;
}

template <int spacedim>
void
SectionImpulses<spacedim>::force(const NodeTable<spacedim> &, const unsigned int k, double,
                                 std::vector<Vector> &force) const
{
  force.assign(support(k).size(), Vector());
}

template <int spacedim>
typename SectionImpulses<spacedim>::Impulse
SectionImpulses<spacedim>::forces(const NodeTable<spacedim> &nodes, const unsigned int k,
                                  const double time) const
{
  Impulse result;
  std::vector<Vector> of_nodes;
  for (const Provider &provider : providers[k])
  {
    const auto support = provider.kicks->support(provider.k);
    provider.kicks->checked_force(nodes, provider.k, time, support.size(), of_nodes);
    for (unsigned int i = 0; i < support.size(); ++i)
      if (is_behind[support[i]])
      {
        result.linear += of_nodes[i];
        result.angular += moment(nodes.position_at(support[i], time) - origin, of_nodes[i]);
      }
  }
  return result;
}

template <int spacedim>
void
SectionImpulses<spacedim>::book(const NodeTable<spacedim> &nodes, const unsigned int clock,
                                const double time)
{
  for (const unsigned int k : this->by_clock.kicks(clock))
  {
    const Impulse now = forces(nodes, k, time);
    impulses[k].linear += last_step * now.linear;
    impulses[k].angular += last_step * now.angular;
  }
}

template <int spacedim>
typename SectionImpulses<spacedim>::Impulse
SectionImpulses<spacedim>::impulse(
    const NodeTable<spacedim> &synchronised, const double time,
    const std::function<double(unsigned int id)> &covered_until) const
{
  Impulse sum;
  for (unsigned int k = 0; k < n_kicks(); ++k)
  {
    sum.linear += impulses[k].linear;
    sum.angular += impulses[k].angular;
    const double rest = time - covered_until(followed[k]);
    if (rest == 0)
      continue;
    const Impulse now = forces(synchronised, k, time);
    sum.linear += rest * now.linear;
    sum.angular += rest * now.angular;
  }
  return sum;
}

template <int spacedim>
KickAccount
SectionImpulses<spacedim>::account(const unsigned int k)
{
  constexpr unsigned int n = spacedim + Impulse::n_moments;
  static_assert(sizeof(Impulse) == n * sizeof(double), "nothing but numbers");
  return {reinterpret_cast<double *>(&impulses[k]), n, 1};
}

template <int spacedim>
void
SectionImpulses<spacedim>::end(const NodeTable<spacedim> &nodes, const unsigned int k)
{
  const Impulse now = forces(nodes, k, nodes[support(k).front()].time);
  impulses[k].linear -= 0.5 * last_step * now.linear;
  impulses[k].angular -= 0.5 * last_step * now.angular;
}

template <int spacedim>
void
SectionImpulses<spacedim>::serialize(Archive &archive)
{
  archive.fixed(impulses);
}

template class SectionImpulses<2>;
template class SectionImpulses<3>;
} // namespace KickDrift
