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

  const bool is_first = place == nowhere;
  if (is_first)
  {
    const auto free = std::find_if(released.begin(), released.end(),
                                   [&](const unsigned int other)
                                   { return is_over(impulses[other], lasting.time); });
    place = free != released.end() ? *free : impulses.size();
    if (free != released.end())
      released.erase(free);
    else
      impulses.emplace_back();
  }
  LastingImpulse<spacedim> &before = impulses[place];
  const double between = lasting.time - before.time; // the interval, unless it was an impact
  const bool continues =
      !is_first && std::abs(between - lasting.interval) <= round_off * lasting.interval;

  const auto &given = lasting.impulse;
  const double h = lasting.interval;
  if (lasting.alternates)
  {
    lasting.pending = {-0.5 * given.total, -0.5 * given.friction};
    lasting.force = {given.total / h, given.friction / h};
    if (continues)
    {
      lasting.force.total = 0.5 * (lasting.force.total + before.impulse.total / before.interval);
      lasting.force.friction =
          0.5 * (lasting.force.friction + before.impulse.friction / before.interval);
    }
  }
  else if (continues && given.total != Vector())
  {
    const double borne_before = before.impulse.total.norm() / before.interval * h;
    const double share = std::min(1., borne_before / given.total.norm());
    lasting.pending = {(-0.5 * share) * given.total, (-0.5 * share) * given.friction};
    lasting.force = {(share / h) * given.total, (share / h) * given.friction};
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
LastingImpulses<spacedim>::add_pending(const double time, EnergyBalance &balance) const
{
  for_each_pending(
      time,
      [&](const LastingImpulse<spacedim> &lasting, const ContactorImpulse<spacedim> &pending)
      {
        const double given = lasting.impulse.total.norm_square();
        if (lasting.alternates || given == 0)
          return; // it is a part of the motion to and fro, see EnergyBalance::contact_ripple
        balance.friction_loss +=
            lasting.friction_loss * (pending.total * lasting.impulse.total) / given;
        balance.prescribed_work += pending.total * lasting.stencil.target_velocity;
      });
}

template <int spacedim>
void
LastingImpulses<spacedim>::serialize(Archive &archive, const unsigned int n_nodes,
                                     const unsigned int n_partners)
{
  archive.section("lasting contacts");
  archive(impulses, released);
  for (const LastingImpulse<spacedim> &lasting : impulses)
  {
    const auto &stencil = lasting.stencil;
    check_state(is_flag(lasting.alternates) && lasting.interval > 0 && lasting.body < n_partners &&
                    lasting.target < n_partners && stencil.n_nodes <= stencil.max_nodes &&
                    std::all_of(stencil.nodes.begin(), stencil.nodes.begin() + stencil.n_nodes,
                                [&](const unsigned int node) { return node < n_nodes; }),
                "lasting contacts");
  }
  for (const unsigned int place : released)
    check_state(place < impulses.size(), "lasting contacts");
}

template class LastingImpulses<2>;
template class LastingImpulses<3>;
} // namespace KickDrift
