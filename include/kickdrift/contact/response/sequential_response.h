#ifndef KICKDRIFT_CONTACT_RESPONSE_SEQUENTIAL_RESPONSE_H
#define KICKDRIFT_CONTACT_RESPONSE_SEQUENTIAL_RESPONSE_H

#include <kickdrift/contact/response/collision_response.h>
#include <kickdrift/contact/response/contact_books.h>
#include <kickdrift/contact/response/contact_constraints.h>
#include <kickdrift/contact/response/contact_history.h>
#include <kickdrift/contact/response/contact_zones.h>
#include <kickdrift/contact/response/lasting_impulses.h>
#include <kickdrift/contact/response/pairs.h>
#include <kickdrift/contact/response/response_parameters.h>
#include <kickdrift/contact/response/statistics.h>
#include <kickdrift/contact/surface/motion_bounds.h>
#include <kickdrift/stepping/stepper.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

namespace KickDrift
{
/**
 * The impulses that contacts are answered with: what happens once a detector has found a touch, or
 * that one is about to come.
 */
template <int spacedim>
class SequentialResponse
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;
  using DampingRate = std::function<double(double time)>; ///< see ResponseParameters::damping

  /// Factor on all numbers of periods for which a contact may be interrupted and still lasts. Waves
  /// need more of them to cross a cell if steps are a smaller share of the critical ones, @p
  /// step_ratio [-].
  static double
  chatter(const double step_ratio)
  {
    return std::max(1., 0.5 / step_ratio);
  }

  /// All must outlive it.
  SequentialResponse(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper,
                     ContactPairs<spacedim> &partners, MotionBounds<spacedim> &bounds,
                     Response response, std::vector<DampingRate> damping = {});

  /// The stepper has started; @p surface_nodes : all that may be in contact, and what carries them.
  void start(const std::vector<unsigned int> &surface_nodes, bool with_zones);

  /// What follows happens at @p time; kicks of that time have been done.
  void enter_instant(double time);

  /// Give a touch its impulse, if it needs one and restraints do not hold both sides; or collect
  /// it for answer_constraints().
  void respond(ContactHistory &memory, const ContactPoint<spacedim> &point);

  /// A contactor is in front of a target. Returns whether it is about to touch it.
  bool approach(ContactHistory &memory, const ContactPoint<spacedim> &point);

  /// Has a contact that keeps energy come to its end elsewhere than at what it has touched?
  bool has_left(const ContactHistory &memory, const ContactPoint<spacedim> &found) const;

  /// Let a contact give back what it keeps to the nodes that it was taken from.
  void let_go(ContactHistory &memory);

  /// Give those contacts their impulses that have been collected.
  void answer_constraints();

  /// Reverse the gap rate of a touch, if it approaches; the velocities are taken as they are.
  void reflect(ContactHistory &memory, const ContactPoint<spacedim> &point);

  /// A touch has been given @p impulse, and its nodes have their new velocities. @p may_last :
  /// something of it may be pending, see LastingImpulses.
  void book(ContactHistory &memory, const ContactPoint<spacedim> &point,
            const FrictionalImpulse<spacedim> &impulse, bool may_last = true);

  /// Do restraints hold both sides?
  bool
  is_held(const ContactStencil<spacedim> &stencil) const
  {
    return is_held(stencil, stencil.inverse_mass(nodes));
  }

  /// Natural classes of kicks have changed.
  void classes_changed();

  /// Write to, or read from, a checkpoint what changes during a run.
  void serialize(Archive &archive);

  ContactBooks<spacedim> books;       ///< what was done so far
  ContactStatistics<spacedim> &stats; ///< of these
  LastingImpulses<spacedim> &lasting; ///< of these, too

private:
  bool is_held(const ContactStencil<spacedim> &stencil, double inverse_mass) const;
  /// Time between two answers of a contact that lasts [time].
  double period(const ContactHistory &memory) const;
  /// See chatter(); contacts that reflect are interrupted all the time.
  double
  contact_periods() const
  {
    return are_constraints ? chatter(stepper.levels().largest_step_ratio()) : 1;
  }
  /// Was the contact answered during the last few periods?
  bool lasts(const ContactHistory &memory) const;
  template <typename VelocityOfNode>
  FrictionalImpulse<spacedim> reflect(const ContactPair<spacedim> &pair,
                                      const ContactStencil<spacedim> &stencil, double inverse_mass,
                                      double kicks, const VelocityOfNode &velocity);
  /// Collect a contact for answer_constraints(). Returns false if restraints hold both sides.
  bool constrain(ContactHistory &memory, const ContactPoint<spacedim> &point,
                 const ContactStencil<spacedim> &stencil);
  /// What a contact keeps is energy of a vibration, and is damped as that is.
  void damp(const ContactConstraint<spacedim> &contact);
  /// book() without what it means for the nodes.
  void note(ContactHistory &memory, const ContactPoint<spacedim> &point,
            const FrictionalImpulse<spacedim> &impulse, bool may_last);
  /// Contacts have changed the velocity of the node @p moved, and of those that move with it.
  void leave_instant(unsigned int moved);

  NodeTable<spacedim> &nodes;
  Stepper<spacedim> &stepper;
  MotionBounds<spacedim> &bounds;
  const Response response;
  const std::vector<DampingRate> damping; ///< by body
  ContactZones<spacedim> zones;           ///< if there are any
  ContactConstraints<spacedim>
      constraints;    ///< contacts of the present instant, if they are answered so
  double instant = 0; ///< [time]
  bool has_zones = false;
  bool are_constraints = false; ///< are contacts constraints on next gaps?
};
} // namespace KickDrift

#endif
