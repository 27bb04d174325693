#ifndef KICKDRIFT_CONTACT_RESPONSE_IMPULSE_SWEEPS_H
#define KICKDRIFT_CONTACT_RESPONSE_IMPULSE_SWEEPS_H

#include <kickdrift/base/fixed_point_acceleration.h>
#include <kickdrift/contact/response/collision_response.h>
#include <kickdrift/nodes/node_table.h>

#include <vector>

namespace KickDrift
{
/// What sweeps need to know of a contact besides its stencil.
struct SweptContact
{
  double inverse_mass;            ///< along the normal, positive [1/mass]
  double tangential_inverse_mass; ///< no less than any along the surface [1/mass]
  double friction;                ///< coefficient [-]
};

/**
 * Impulses of contacts that are answered together, and the velocities that these impulses change:
 * Gauss-Seidel sweeps (non-smooth contact dynamics, Jean 1999) that are accelerated (Anderson
 * 1965).
 *
 * Contacts are swept again and again, so what a sweep reads of them lies together here. It changes
 * copies of the velocities of nodes and rigid bodies; the node table stays as it is.
 */
template <int spacedim>
class ImpulseSweeps
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// When sweeps end. What is left shows at the next kick, as a gap or a penetration, and is
  /// answered then.
  struct Accuracy
  {
    double tolerance = 1e-3;       ///< change of rates, relative to the largest that is stopped [-]
    unsigned int most_sweeps = 10; ///< over all contacts
  };

  /// @p nodes must outlive it.
  ImpulseSweeps(const NodeTable<spacedim> &nodes, const Accuracy &accuracy);

  /// Forget all contacts.
  void clear();

  /// Add a contact without an impulse, whose gap rate has to become no less than zero. Nodes have
  /// the velocities of the table, unless impulses on earlier contacts have changed them.
  void add(const ContactStencil<spacedim> &stencil, const SweptContact &contact);

  /// The gap rate of contact @p c has to become no less than this [length/time]; contacts count
  /// from 0, in the order of add().
  void
  set_wanted(const unsigned int c, const double rate)
  {
    contacts[c].wanted = rate;
  }

  /// Velocity of the contactor relative to the target [length/time].
  Vector relative_velocity(unsigned int c) const;

  /// Change velocities as an impulse on the contactor would, which is not counted as the contact's
  /// [mass*length/time].
  void apply(unsigned int c, const Vector &impulse);

  /// The same, and it is the contact's, which had none.
  void start_with(unsigned int c, double normal, const Vector &tangential);

  /// Sweep until gap rates are what they have to be, see Accuracy. @p largest_rate : by which one
  /// of them is below that [length/time].
  void find_impulses(double largest_rate);

  /// Normal part of the impulse of a contact [mass*length/time].
  double
  normal_impulse(const unsigned int c) const
  {
    return contacts[c].impulse;
  }

  /// Tangential part of it [mass*length/time].
  const Vector &
  tangential_impulse(const unsigned int c) const
  {
    return contacts[c].tangential;
  }

  /// Does friction hold the contact?
  bool
  sticks(const unsigned int c) const
  {
    return contacts[c].sticks;
  }

  /// Call @p f (node) for each node of the contacts, once; of a rigid body for its first node.
  template <typename Function>
  void
  for_each_moving(const Function &f) const
  {
    for (const Moving &one : moving)
      f(one.node);
  }

  /// Bring the tangential part of an impulse within Coulomb's bound, @p friction times the @p
  /// normal part. Returns whether it was there: the contact sticks.
  static bool limit(double normal, double friction, Vector &tangential);

private:
  /// A node of some contacts, or a rigid body with some.
  struct Moving
  {
    unsigned int node;       ///< of a rigid body the first
    bool is_restrained;      ///< then impulses change only the free part
    const RigidMotion *body; ///< null for a node
  };

  /// What a contact has to do with one of them.
  struct Link
  {
    unsigned int moving; ///< its number
    double coefficient;  ///< of the stencil, see ContactStencil [-]
    double mobility;     ///< coefficient times inverse mass [1/mass]
  };

  struct Entry
  {
    unsigned int first_link, n_links;
    bool is_plain; ///< no rigid bodies, no restraints
    bool sticks;
    Vector normal;                                ///< see ContactStencil [-]
    Vector target_velocity;                       ///< see ContactStencil [length/time]
    double inverse_mass, tangential_inverse_mass; ///< see SweptContact [1/mass]
    double tangential_mass;                       ///< inverse of the latter [mass]
    double friction;                              ///< coefficient [-]
    double wanted;                                ///< see set_wanted() [length/time]
    double impulse;                               ///< along the normal, so far [mass*length/time]
    Vector tangential;                            ///< the other part of it [mass*length/time]
  };

  unsigned int place_of(unsigned int node);
  Vector relative_velocity(const Entry &contact) const;
  void apply(const Entry &contact, const Vector &impulse);
  /// Change the impulse of one contact as all others are. Returns by how much that changes
  /// velocities.
  double sweep(Entry &contact);
  void change_impulse(Entry &contact, double normal, const Vector &tangential);
  void list_impulses(std::vector<double> &list) const;
  void take_impulses(const std::vector<double> &list);

  const NodeTable<spacedim> &nodes;
  const Accuracy accuracy;
  FixedPointAcceleration acceleration;
  std::vector<Entry> contacts;
  std::vector<Link> links;
  std::vector<Moving> moving;      ///< nodes and rigid bodies of all contacts, each once
  std::vector<Vector> velocities;  ///< of these so far; of the centre of a body [length/time]
  std::vector<unsigned int> place; ///< by node, its number in moving
  bool any_rigid = false;
  std::vector<dealii::Tensor<1, 3>> arms;               ///< of links; empty without rigid bodies
  std::vector<dealii::Tensor<1, 3>> angular_velocities; ///< of what moves; the same
  std::vector<double> impulses_before, impulses;
};
} // namespace KickDrift

#endif
