#ifndef KICKDRIFT_CONTACT_RESPONSE_SEQUENTIAL_RESPONSE_H
#define KICKDRIFT_CONTACT_RESPONSE_SEQUENTIAL_RESPONSE_H

#include <kickdrift/contact/response/collision_response.h>
#include <kickdrift/contact/response/contact_constraints.h>
#include <kickdrift/contact/response/contact_history.h>
#include <kickdrift/contact/response/kick_traces.h>
#include <kickdrift/contact/response/lasting_impulses.h>
#include <kickdrift/contact/response/pairs.h>
#include <kickdrift/contact/response/response_parameters.h>
#include <kickdrift/contact/response/statistics.h>
#include <kickdrift/contact/surface/motion_bounds.h>
#include <kickdrift/stepping/stepper.h>

#include <algorithm>
#include <limits>

namespace KickDrift
{
/**
 * The impulses that contacts are answered with, and the zones of cells on one clock that they need:
 * what happens once a detector has found a touch.
 */
template <int spacedim>
class SequentialResponse
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// A zone outlives its last contact by this many periods: contact nodes chatter.
  static constexpr double zone_hold = 10;

  /// A contact lasts if it is interrupted for less than this many times some periods: waves need
  /// longer to cross a cell if steps are a smaller share of the critical ones.
  static double
  chatter(const double step_ratio)
  {
    return std::max(1., 0.5 / step_ratio);
  }

  /// All must outlive it.
  SequentialResponse(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper,
                     ContactPairs<spacedim> &partners, MotionBounds<spacedim> &bounds,
                     Response response);

  /// The stepper has started; @p surface_nodes : all that may be in contact, and what carries them.
  void start(const std::vector<unsigned int> &surface_nodes, bool has_zones);

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

  ContactStatistics<spacedim> stats; ///< what was done so far
  LastingImpulses<spacedim> lasting; ///< what of it has been given beyond the present

private:
  /// Classes around a node of the surface.
  struct NaturalClasses
  {
    unsigned int finest, coarsest; ///< of the kicks that act on it
    unsigned int beside;           ///< the coarsest that may come beside these kicks
    unsigned int coarsest_beside;  ///< of the kicks that share nodes with them
  };

  /// The pair of a contact, which often is that of the contact before.
  ContactPair<spacedim> &pair_of(const ContactPoint<spacedim> &point);
  void update_classes();
  bool is_held(const ContactStencil<spacedim> &stencil, double inverse_mass) const;
  /// Time between two answers of a contact that lasts [time].
  double period(const ContactHistory &memory) const;
  double
  contact_periods() const
  {
    return are_constraints ? chatter(stepper.levels().largest_step_ratio()) : 1;
  }
  /// Was the contact answered during the last few periods?
  bool lasts(const ContactHistory &memory) const;
  /// Is this instant the end of an interval of every kick that acts on the node?
  bool at_common_instant(unsigned int node) const;
  template <typename VelocityOfNode>
  FrictionalImpulse<spacedim> reflect(const ContactPair<spacedim> &pair,
                                      const ContactStencil<spacedim> &stencil, double inverse_mass,
                                      double kicks, const VelocityOfNode &velocity);
  /// Collect a contact for answer_constraints(). Returns false if restraints hold both sides.
  bool constrain(ContactHistory &memory, const ContactPoint<spacedim> &point,
                 const ContactStencil<spacedim> &stencil);
  /// Coarsest class of the kicks around a contact.
  unsigned int coarsest_class(const ContactStencil<spacedim> &stencil) const;
  /// What kicks have added to the relative velocity since the instant before, if that is no longer
  /// ago than @p longest.
  Vector increment(const ContactStencil<spacedim> &stencil, double longest) const;
  void book_impulse(const ContactPoint<spacedim> &point,
                    const FrictionalImpulse<spacedim> &impulse);
  /// A contact has changed the velocities of a node and of those that it carries.
  void leave_instant(unsigned int carrier);
  /// Let the kicks around a contact share the finest class among them, which is returned.
  unsigned int promote_zone(const ContactStencil<spacedim> &stencil);
  /// Let the kicks around a contact come in no coarser class.
  void promote_around(const ContactStencil<spacedim> &stencil, unsigned int step_class,
                      double until);
  /// Zones that share cells have one class: take the class of a finer one, which is returned.
  unsigned int join_finer_zone(const ContactStencil<spacedim> &stencil, unsigned int own_class);
  /// No kicks beside those around a contact in a class coarser than @p step_class: kicks on one
  /// side of a contact are neighbours of those on the other, see apply_stability_rule().
  void promote_beside_zone(const ContactStencil<spacedim> &stencil, unsigned int step_class,
                           double until);

  /// The nodes whose velocities impulses change, see ContactStencil::of_carriers(); valid until the
  /// next call.
  const ContactStencil<spacedim> &
  carriers(const ContactStencil<spacedim> &stencil)
  {
    return nodes.loans.empty() ? stencil : carrying = stencil.of_carriers(nodes.loans);
  }

  /// See pair_of().
  struct LastPair
  {
    unsigned int body, target;
    ContactPair<spacedim> *pair;
  };

  NodeTable<spacedim> &nodes;
  Stepper<spacedim> &stepper;
  ContactPairs<spacedim> &partners;
  MotionBounds<spacedim> &bounds;
  const Response response;
  KickTraces<spacedim> traces;
  ContactStencil<spacedim> carrying; ///< see carriers()
  ContactConstraints<spacedim>
      constraints; ///< contacts of the present instant, if they are answered so
  LastPair last_pair{0, 0, nullptr};
  std::vector<unsigned int> surface_nodes;
  std::vector<NaturalClasses> natural_classes; ///< by node, if there are zones
  std::vector<double> beside_until;            ///< by node, end of promote_beside_zone() [time]
  std::vector<unsigned int> beside_classes;    ///< by node, class of that
  double instant = 0;                          ///< [time]
  unsigned int ending_classes = 0;             ///< classes whose intervals end at this instant
  bool has_zones = false;
  bool are_constraints = false; ///< are contacts constraints on next gaps?
};
} // namespace KickDrift

#endif
