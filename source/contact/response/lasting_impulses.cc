#include <kickdrift/base/archive_checks.h>
#include <kickdrift/contact/response/lasting_impulses.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
template <int spacedim>
void
LastingImpulses<spacedim>::set(unsigned int &place, LastingImpulse<spacedim> lasting)
{
  // checkpoints of equal states are equal
  ContactStencil<spacedim> &stencil = lasting.stencil;
  std::fill(stencil.nodes.begin() + stencil.n_nodes, stencil.nodes.end(), 0u);
  std::fill(stencil.coefficients.begin() + stencil.n_nodes, stencil.coefficients.end(), 0.);

  lasting.force = {lasting.impulse.total / lasting.interval,
                   lasting.impulse.friction / lasting.interval};
  if (place == nowhere)
  {
    place = impulses.size();
    impulses.push_back(lasting);
    return;
  }
  LastingImpulse<spacedim> &before = impulses[place];
  const double between = lasting.time - before.time; // the interval, unless it was an impact
  if (std::abs(between - lasting.interval) <= round_off * lasting.interval)
  {
    lasting.force.total = 0.5 * (lasting.force.total + before.impulse.total / before.interval);
    lasting.force.friction =
        0.5 * (lasting.force.friction + before.impulse.friction / before.interval);
  }
  before = lasting;
}

template <int spacedim>
void
LastingImpulses<spacedim>::add_pending(const double time,
                                       ContactStatistics<spacedim> &statistics) const
{
  for_each_pending(
      time,
      [&](const LastingImpulse<spacedim> &lasting, const ContactorImpulse<spacedim> &pending)
      {
        const auto &stencil = lasting.stencil;
        for (unsigned int i = 0; i < stencil.n_nodes; ++i)
        {
          const unsigned int node = stencil.nodes[i];
          const double coefficient = stencil.coefficients[i];
          statistics.impulse[node] += coefficient * pending.total;
          statistics.friction_impulse[node] += coefficient * pending.friction;
        }
      });
}

template <int spacedim>
void
LastingImpulses<spacedim>::add_pending(const double time, ContactPairs<spacedim> &pairs) const
{
  for_each_pending(
      time, [&](const LastingImpulse<spacedim> &lasting, const ContactorImpulse<spacedim> &pending)
      { pairs.book(lasting.body, lasting.target, pending.total); });
}

template <int spacedim>
void
LastingImpulses<spacedim>::serialize(Archive &archive, const unsigned int n_nodes,
                                     const unsigned int n_partners)
{
  archive.section("lasting contacts");
  archive(impulses);
  for (const LastingImpulse<spacedim> &lasting : impulses)
  {
    const auto &stencil = lasting.stencil;
    check_state(lasting.body < n_partners && lasting.target < n_partners &&
                    stencil.n_nodes <= stencil.max_nodes &&
                    std::all_of(stencil.nodes.begin(), stencil.nodes.begin() + stencil.n_nodes,
                                [&](const unsigned int node) { return node < n_nodes; }),
                "lasting contacts");
  }
}

template class LastingImpulses<2>;
template class LastingImpulses<3>;
} // namespace KickDrift
