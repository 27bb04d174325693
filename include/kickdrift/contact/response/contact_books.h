// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_RESPONSE_CONTACT_BOOKS_H
#define KICKDRIFT_CONTACT_RESPONSE_CONTACT_BOOKS_H

#include <kickdrift/contact/response/collision_response.h>
#include <kickdrift/contact/response/contact_history.h>
#include <kickdrift/contact/response/kick_traces.h>
#include <kickdrift/contact/response/lasting_impulses.h>
#include <kickdrift/contact/response/pairs.h>
#include <kickdrift/contact/response/statistics.h>
#include <kickdrift/stepping/stepper.h>

#include <vector>

namespace KickDrift
{
/**
 * What impulses of contact have done: to nodes, pairs of partners and the balance of energies, and
 * what of them is still to come (LastingImpulses).
 */
template <int spacedim>
class ContactBooks
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// All must outlive it.
  ContactBooks(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper,
               ContactPairs<spacedim> &partners);

  /// @p surface_nodes : all that may be in contact.
  void start(const std::vector<unsigned int> &surface_nodes);

  /// What follows happens at @p time; kicks of that time have been done.
  void
  enter_instant(const double time)
  {
    instant = time;
  }

  /// The pair of two partners, which often is that of the contact before.
  ContactPair<spacedim> &pair_of(unsigned int body, unsigned int target);

  /// What kicks of the present instant have added to the relative velocity. For the balance of
  /// energy; while kicks around a contact come at different times, of each what is still ahead.
  Vector kicks(const ContactStencil<spacedim> &stencil);

  /// What kicks have added to the relative velocity since the instant before, if that is no longer
  /// ago than @p longest.
  Vector increment(const ContactStencil<spacedim> &stencil, double longest) const;

  /// How an impulse goes on that of the contact before it.
  struct Continuation
  {
    bool may_last = true;   ///< may something of it be pending, see LastingImpulses?
    bool continues = false; ///< does it follow the one before at once?
    double period = 0;      ///< otherwise: until the next one [time]
    bool alternates = true; ///< see LastingImpulse
  };

  /// A contact has been given @p impulse.
  void book(ContactHistory &memory, const ContactPoint<spacedim> &point,
            const FrictionalImpulse<spacedim> &impulse, const Continuation &continuation);

  /// Contacts have changed the velocity of the node @p moved, and of those that move with it: call
  /// @p f (view of nodes) for these.
  template <typename Function>
  void
  leave_instant(const unsigned int moved, const Function &f)
  {
    const unsigned int body = nodes.rigid_bodies.body_of(moved);
    if (body != RigidBodies<spacedim>::none)
    {
      for (const unsigned int node : surface_of_rigid[body])
        traces.leave_instant(node);
      f(dealii::make_array_view(surface_of_rigid[body]));
      return;
    }
    traces.leave_instant(moved);
    f(dealii::ArrayView<const unsigned int>(&moved, 1));
  }

  /// Nodes of a rigid body on the surface.
  const std::vector<unsigned int> &
  surface_of(const unsigned int rigid_body) const
  {
    return surface_of_rigid[rigid_body];
  }

  /// Nodal impulses as Stepper::snapshot() sees them at @p time: of those that recur, what belongs
  /// to the time before.
  ContactStatistics<spacedim> synchronised_statistics(double time) const;

  /// The same of the pairs.
  ContactPairs<spacedim> synchronised_pairs(double time) const;

  /// See EventSource::pending_impulses().
  void pending_impulses(double time,
                        const typename EventSource<spacedim>::OnImpulse &on_impulse) const;

  /// Add what contact has taken, given and kept up to @p time.
  void add_energy(double time, EnergyBalance &balance) const;

  /// Write to, or read from, a checkpoint what changes during a run.
  void serialize(Archive &archive);

  ContactStatistics<spacedim> stats; ///< what was done so far
  LastingImpulses<spacedim> lasting; ///< what of it has been given beyond the present
  KickTraces<spacedim> traces;       ///< what kicks have done

private:
  /// See pair_of().
  struct LastPair
  {
    unsigned int body, target;
    ContactPair<spacedim> *pair;
  };

  /// Time between the kicks that act on the node if they come together; otherwise zero [time].
  double common_step(unsigned int node) const;

  NodeTable<spacedim> &nodes;
  Stepper<spacedim> &stepper;
  ContactPairs<spacedim> &partners;
  std::vector<std::vector<unsigned int>> surface_of_rigid; ///< nodes, by rigid body
  LastPair last_pair{0, 0, nullptr};
  double instant = 0; ///< [time]
};
} // namespace KickDrift

#endif
