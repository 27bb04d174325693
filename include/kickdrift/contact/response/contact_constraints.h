#ifndef KICKDRIFT_CONTACT_RESPONSE_CONTACT_CONSTRAINTS_H
#define KICKDRIFT_CONTACT_RESPONSE_CONTACT_CONSTRAINTS_H

#include <kickdrift/contact/response/contact_history.h>
#include <kickdrift/contact/response/impulse_solver.h>
#include <kickdrift/contact/response/lasting_impulses.h>
#include <kickdrift/contact/response/pairs.h>

#include <vector>

namespace KickDrift
{
/// A contact of one instant, as a constraint on the velocities that its nodes have until the next
/// kick.
template <int spacedim>
struct ContactConstraint
{
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  ContactHistory *memory;            ///< of the contactor
  const ContactPair<spacedim> *pair; ///< coefficients
  ContactPoint<spacedim> point;      ///< what was found; it may be open
  ContactStencil<spacedim> stencil;  ///< the nodes whose velocities impulses change
  bool has_rigid = false;            ///< some of the nodes belong to rigid bodies
  bool is_rigid = false;             ///< there are no waves: all nodes are of rigid bodies, or held
  double period = 0;                 ///< until the next kick, positive [time]
  Vector kicks = {};                 ///< what this instant's have added to the relative velocity
  double interval = 0;               ///< since the contactor's instant before this one [time]
  bool has_ended = false;            ///< what it keeps is to be given back
  const LastingImpulse<spacedim> *last = nullptr; ///< its last impulse, if that is recent
  double inverse_mass = 0;                  ///< along the normal; zero: to be calculated [1/mass]
  double tangential_inverse_mass = 0;       ///< no less than any along the surface [1/mass]
  Vector before = {};                       ///< relative velocity before the kicks [length/time]
  double gap = 0;                           ///< infinite if it cannot close [length]
  double wanted = 0;                        ///< least gap rate [length/time]
  FrictionalImpulse<spacedim> impulse = {}; ///< so far
  bool is_opened = false;                   ///< the impulse only gives back what was kept
};

/**
 * Contacts that are answered together: velocities are known until the next kick, so constraints on
 * the next gaps are constraints on velocities (non-smooth contact dynamics, Moreau 1988, Jean 1999;
 * with central differences CD-Lagrange, Fekak et al. 2017).
 *
 * The gap may close, but not pass, until the next kick. What presses a contact is borne exactly
 * then, and what rests in contact has no velocity. Friction is Coulomb's law for the same impulses.
 * ImpulseSolver begins with the impulses of the last time.
 *
 * A node that is stopped loses its kinetic energy. Of the whole body that is a share which vanishes
 * with the size of the cells, and in the limit nothing is lost: the surface stops at the impact,
 * and jumps to its velocity again when the pressure has gone. So the contact keeps the energy,
 * times the square of the coefficient of restitution, and gives it to its nodes when it opens, bit
 * by bit (not in the papers; see the theory pages).
 */
template <int spacedim>
class ContactConstraints
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  using Accuracy = typename ImpulseSolver<spacedim>::Accuracy; ///< when islands are left

  /// @p nodes must outlive it.
  explicit ContactConstraints(NodeTable<spacedim> &nodes, const Accuracy &accuracy = Accuracy());

  /// Is a contactor further beside the face that it sees than in front of it?
  static bool is_beside(const ContactPoint<spacedim> &point);

  /// A contact of the present instant; open ones that cannot close are left out, unless they have
  /// energy to give back.
  void add(ContactConstraint<spacedim> &&contact);

  /// Find the impulses of all contacts and give them to the nodes. @p step_ratio : largest of steps
  /// over critical steps [-]. Returns how many islands were not solved to the tolerance.
  unsigned int solve(double instant, double step_ratio);

  /// Call @p f (node) for each node that takes part in what solve() has answered, once; of a rigid
  /// body for its first node.
  template <typename Function>
  void
  for_each_moved(const Function &f) const
  {
    solver.for_each_moving(f);
  }

  /// Those of the present instant, with their impulses after solve().
  std::vector<ContactConstraint<spacedim>> contacts;

private:
  using Constraint = ContactConstraint<spacedim>;

  double gap_rate(unsigned int c) const;
  bool may_close(Constraint &contact, double &gap) const;
  void reverse_impact(Constraint &contact) const;
  unsigned int find_impulses(double instant);
  void warm_start(unsigned int c, double instant);
  void book(unsigned int c);
  bool opens(unsigned int c, double instant, double step_ratio) const;
  static double share_to_give(Constraint &contact, double instant, double step_ratio);
  void give_back(unsigned int c, double share);

  NodeTable<spacedim> &nodes;
  ImpulseSolver<spacedim> solver; ///< over the contacts, with their numbers
};
} // namespace KickDrift

#endif
