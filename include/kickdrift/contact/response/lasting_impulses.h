#ifndef KICKDRIFT_CONTACT_RESPONSE_LASTING_IMPULSES_H
#define KICKDRIFT_CONTACT_RESPONSE_LASTING_IMPULSES_H

#include <kickdrift/contact/response/collision_response.h>
#include <kickdrift/contact/response/pairs.h>
#include <kickdrift/contact/response/statistics.h>
#include <kickdrift/stepping/kicks/energy_balance.h>

#include <limits>
#include <vector>

namespace KickDrift
{
class Archive;

/// An impulse on a contactor, or its rate; what it is along the surface is a part of it.
template <int spacedim>
struct ContactorImpulse
{
  dealii::Tensor<1, spacedim> total;    ///< [mass*length/time], of a rate [force]
  dealii::Tensor<1, spacedim> friction; ///< the same
};

/// The last impulse of a contact that is answered again and again.
template <int spacedim>
struct LastingImpulse
{
  double time = 0;                    ///< at which it was given [time]
  double interval = 0;                ///< since the one before it, positive [time]
  unsigned int body = 0;              ///< see ContactPoint
  unsigned int target = 0;            ///< see ContactPoint
  ContactStencil<spacedim> stencil;   ///< nodes that got it, times their coefficients
  ContactorImpulse<spacedim> impulse; ///< what the contactor got
  ContactorImpulse<spacedim> pending; ///< of it right after the instant, see LastingImpulses
  ContactorImpulse<spacedim> force;   ///< that it stands for
  double friction_loss = 0;           ///< of the impulse [energy]
  bool alternates = true; ///< is a force the mean of two impulses, or what they have in common?
};

/**
 * What impulses of lasting contacts stand for. Like a kick, the impulse p of a contact that is
 * answered at intervals h is a force over the interval around its instant. So right after the
 * instant half of it still belongs to the future, and right before the next one half of that
 * belongs to the past: -p/2 + f t is *pending* at the time t after the instant, with the force f.
 * Where contact nodes are thrown up and fall back, impulses alternate, and f is the mean of the
 * last two. Where they come with the kicks (ImpulseContact), what is larger than the impulse
 * before is an impact, which is not pending. Velocities and impulses that are reported include
 * that, which makes them what a leapfrog reading gives, v(t) = (x(t+h) - x(t-h)) / 2h. Without it a
 * node at rest in contact, which the impulse throws up and the kicks halfway to the next one throw
 * down again, would be reported with half of the impulse over its mass. Impulses of contacts that
 * were not answered shortly before are impacts: nothing of them is pending.
 */
template <int spacedim>
class LastingImpulses
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// Place of a contact that never lasted.
  static constexpr unsigned int nowhere = std::numeric_limits<unsigned int>::max();

  /// A contact has been answered; of @p impulse what is pending and the force need not be given.
  /// @p place is the contact's own, and changes if it is nowhere.
  void set(unsigned int &place, LastingImpulse<spacedim> impulse);

  /// A contact has ended: its @p place, which becomes nowhere, goes to another one as soon as
  /// nothing of it is pending any more.
  void
  release(unsigned int &place)
  {
    if (place != nowhere)
      released.push_back(place);
    place = nowhere;
  }

  /// Call @p f (impulse, what of it is pending) for all that have not become too old.
  template <typename Function>
  void
  for_each_pending(const double time, const Function &f) const
  {
    for (const LastingImpulse<spacedim> &lasting : impulses)
    {
      const double age = time - lasting.time;
      if (!is_over(lasting, time))
        f(lasting,
          ContactorImpulse<spacedim>{age * lasting.force.total + lasting.pending.total,
                                     age * lasting.force.friction + lasting.pending.friction});
    }
  }

  /// Add what is pending of nodal impulses.
  void add_pending(double time, ContactStatistics<spacedim> &statistics) const;

  /// The same for the impulses of pairs.
  void add_pending(double time, ContactPairs<spacedim> &pairs) const;

  /// The same for what friction loses and moving targets do.
  void add_pending(double time, EnergyBalance &balance) const;

  /// The last impulse of a contact that has lasted.
  const LastingImpulse<spacedim> &
  operator[](const unsigned int place) const
  {
    return impulses[place];
  }

  /// Number of contacts that have lasted.
  unsigned int
  size() const
  {
    return impulses.size();
  }

  /// Write to, or read from, a checkpoint what changes during a run; nodes, bodies and targets that
  /// are read are below @p n_nodes and @p n_partners.
  void serialize(Archive &archive, unsigned int n_nodes, unsigned int n_partners);

private:
  /// Of intervals, relative to them.
  static constexpr double round_off = 1e-9;

  /// Has it been followed by another one, or has the contact ended?
  static bool
  is_over(const LastingImpulse<spacedim> &lasting, const double time)
  {
    return time - lasting.time >= (1 - round_off) * lasting.interval;
  }

  std::vector<LastingImpulse<spacedim>> impulses; ///< by place
  std::vector<unsigned int> released;             ///< places of contacts that have ended
};
} // namespace KickDrift

#endif
