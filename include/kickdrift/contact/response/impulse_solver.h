#ifndef KICKDRIFT_CONTACT_RESPONSE_IMPULSE_SOLVER_H
#define KICKDRIFT_CONTACT_RESPONSE_IMPULSE_SOLVER_H

#include <kickdrift/base/compressed_rows.h>
#include <kickdrift/base/fixed_point_acceleration.h>
#include <kickdrift/contact/response/collision_response.h>
#include <kickdrift/contact/response/impulse_newton.h>
#include <kickdrift/contact/response/linear_complementarity.h>
#include <kickdrift/nodes/node_table.h>

#include <algorithm>
#include <array>
#include <vector>

namespace KickDrift
{
/// What the solver needs to know of a contact besides its stencil.
struct ContactLaw
{
  double inverse_mass;            ///< along the normal, positive [1/mass]
  double tangential_inverse_mass; ///< no less than any along the surface [1/mass]
  double friction;                ///< coefficient [-]
  /// Change of rates below which the contact's island may be left; zero: as the accuracy of the
  /// solver says [length/time].
  double tolerance = 0;
  /// The same where friction acts; no less than the tolerance [length/time].
  double slip_tolerance = 0;
};

/**
 * Impulses of contacts that are answered together, and the velocities that these impulses change:
 * one complementarity problem for each island of contacts that move something in common
 * (non-smooth contact dynamics, Jean 1999).
 *
 * Gauss-Seidel sweeps, accelerated (Anderson 1965) where nothing is rigid; where something is,
 * ImpulseNewton if that is less work: sweeps converge quickly where each contact has a mass of its
 * own, and hardly at all where a rigid body has many contacts. An island is left as soon as its own
 * rates are what they have to be.
 *
 * Contacts are swept again and again, so what a sweep reads of them lies together here. It changes
 * copies of the velocities of nodes and rigid bodies; the node table stays as it is.
 */
template <int spacedim>
class ImpulseSolver
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// When an island is left; with rigid bodies, which would creep, its rates are found more
  /// closely. What is left shows at the next kick, as a gap or a penetration, and is answered then.
  struct Accuracy
  {
    double tolerance = 1e-3; ///< change of rates, relative to the largest that is stopped in it [-]
    unsigned int most_sweeps = 100; ///< over it
  };

  /// @p nodes must outlive it.
  ImpulseSolver(const NodeTable<spacedim> &nodes, const Accuracy &accuracy);

  /// Forget all contacts.
  void clear();

  /// Add a contact without an impulse, whose gap rate has to become no less than zero. Nodes have
  /// the velocities of the table, unless impulses on earlier contacts have changed them.
  void add(const ContactStencil<spacedim> &stencil, const ContactLaw &law);

  /// Number of contacts.
  unsigned int
  size() const
  {
    return contacts.size();
  }

  /// Begin again with the same contacts: without impulses, and nodes have the velocities of the
  /// table. What has been found out about the contacts alone is used again.
  void restart();

  /// After restart(): what add() was told of contact @p c that may change, see ContactStencil and
  /// ContactLaw [length/time].
  void
  set_target(const unsigned int c, const Vector &velocity, const double tolerance,
             const double slip_tolerance)
  {
    contacts[c].target_velocity = velocity - contacts[c].held_velocity;
    contacts[c].tolerance = tolerance;
    contacts[c].slip_tolerance = slip_tolerance;
  }

  /// The gap rate of contact @p c has to become no less than this [length/time]; contacts count
  /// from 0, in the order of add().
  void
  set_wanted(const unsigned int c, const double rate)
  {
    contacts[c].wanted = rate;
  }

  /// The normal impulse of contact @p c is no less than this, whatever its gap rate; friction may
  /// go with it, too [mass*length/time].
  void set_least(unsigned int c, double impulse);

  /// Velocity of the contactor relative to the target [length/time].
  Vector relative_velocity(unsigned int c) const;

  /// Begin with this impulse of a contact, if its island has to be solved.
  void
  set_start(const unsigned int c, const double normal, const Vector &tangential)
  {
    contacts[c].start = std::max(contacts[c].least, normal);
    contacts[c].tangential_start = tangential;
  }

  /// Find impulses with which all gap rates are what they have to be. Returns how many islands were
  /// not solved to the tolerance.
  unsigned int find_impulses();

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
    Vector held_velocity;                         ///< share of nodes that are held [length/time]
    Vector target_velocity;                       ///< see ContactStencil, without it [length/time]
    double inverse_mass, tangential_inverse_mass; ///< see ContactLaw [1/mass]
    double tangential_mass;                       ///< inverse of the latter [mass]
    double friction;                              ///< coefficient [-]
    double tolerance, slip_tolerance;             ///< see ContactLaw [length/time]
    double wanted;                                ///< see set_wanted() [length/time]
    double least;                                 ///< see set_least() [mass*length/time]
    double impulse;                               ///< along the normal, so far [mass*length/time]
    Vector tangential;                            ///< the other part of it [mass*length/time]
    double start;                                 ///< see set_start() [mass*length/time]
    Vector tangential_start;                      ///< the other part of it [mass*length/time]
  };

  /// Contacts that are solved together, and what they move.
  struct Island
  {
    std::vector<unsigned int> contacts, moving;
    unsigned int n_links;
    bool has_rigid, has_friction;
    double largest_rate;              ///< that is to be stopped [length/time]
    double rounding;                  ///< of rates [length/time]
    double tolerance, slip_tolerance; ///< the smallest of its contacts; zero: of none [length/time]
    bool has_mobility;                ///< does the next one know its contacts?
    LinearComplementarity bearing;    ///< which of them bear
  };

  unsigned int place_of(unsigned int node);
  Vector velocity_in_table(const Moving &one) const;
  Vector relative_velocity(const Entry &contact) const;
  void apply(const Entry &contact, const Vector &impulse);
  void find_islands();
  /// Find what their contacts have to do.
  void measure_islands();
  /// Returns whether the tolerance was reached.
  bool solve(Island &island);
  /// Change the impulse of one contact as all others are. Returns by how much that changes
  /// velocities.
  double sweep(Entry &contact);
  double sweep(const Island &island);
  void find_sticking(const Island &island);
  double tolerance_of(const Island &island) const;
  /// Is Newton's method less work than so many sweeps?
  bool newton_is_cheaper(const Island &island, double n_sweeps) const;
  void set_up_newton(const Island &island, const std::vector<unsigned int> &chosen);
  unsigned int add_to_newton(unsigned int number);
  typename ImpulseNewton<spacedim>::Link
  newton_link(unsigned int number, const std::array<Vector, spacedim> &directions) const;
  double take_closing(std::vector<unsigned int> &others, std::vector<unsigned int> &chosen,
                      double tolerance) const;
  /// Returns whether that has found impulses.
  bool solve_by_newton(const Island &island, double tolerance);
  void find_mobility(Island &island);
  /// Search for the contacts that bear, with what is tangential as it is. Returns whether that has
  /// found impulses.
  bool solve_by_active_set(Island &island, double tolerance);
  void change_impulse(Entry &contact, double normal, const Vector &tangential);
  void list_impulses(const Island &island, std::vector<double> &list) const;
  void take_impulses(const Island &island, const std::vector<double> &list);

  const NodeTable<spacedim> &nodes;
  const Accuracy accuracy;
  FixedPointAcceleration acceleration;
  std::vector<Entry> contacts;
  std::vector<Link> links;
  std::vector<Moving> moving;      ///< nodes and rigid bodies of all contacts, each once
  std::vector<Vector> velocities;  ///< of these so far; of the centre of a body [length/time]
  std::vector<unsigned int> place; ///< by node, its number in moving
  std::vector<dealii::Tensor<1, 3>> arms;               ///< of links; empty without rigid bodies
  std::vector<dealii::Tensor<1, 3>> angular_velocities; ///< of what moves; the same
  std::vector<double> impulses_before, impulses;
  std::vector<Island> islands;
  unsigned int n_islands = 0;                ///< of these, others are kept for later
  bool has_islands = false;                  ///< of the present contacts
  ImpulseNewton<spacedim> newton;            ///< of the present island
  std::vector<unsigned int> place_in_island; ///< by what moves, its number there
};
} // namespace KickDrift

#endif
