#ifndef KICKDRIFT_CONTACT_MASSLESS_SWEEPS_H
#define KICKDRIFT_CONTACT_MASSLESS_SWEEPS_H

#include <kickdrift/base/fixed_point_acceleration.h>
#include <kickdrift/contact/massless/layer.h>
#include <kickdrift/contact/massless/targets.h>

#include <array>
#include <vector>

namespace KickDrift
{
/**
 * The linearised problem of an equilibrium: motions u of massless nodes and contact forces with
 * K u = r + forces, gaps g + n . (sum of c u) >= 0 that bear where they are closed, and Coulomb's
 * law for slips. Solved by sweeps of Gauss-Seidel over nodes and contacts, with
 * FixedPointAcceleration.
 *
 * Forces are kept as lengths, times the flexibility C of their contact, so that all unknowns are of
 * one unit, and a step of a contact is its gap.
 */
template <int spacedim>
class MasslessSweeps
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// @p layer must outlive the object.
  explicit MasslessSweeps(const MasslessLayer<spacedim> &layer);

  /**
   * Begin with nodes at rest and no contacts.
   * @param forces shape (at least massless nodes) apart from those of contact [force]
   */
  void start(const std::vector<Vector> &forces);

  /**
   * Add a contact with the forces from which to start, and its compliance as a share of the
   * flexibility of its node.
   */
  void add(const MasslessContact<spacedim> &contact, const MasslessContactMemory<spacedim> &memory,
           double relative_compliance);

  /// One sweep over nodes and contacts, which have been added; returns the largest motion [length].
  double sweep();

  /// Go on from a better point than where the last sweep has ended.
  void accelerate();

  /// Of a massless node [length].
  Vector motion(unsigned int massless) const;

  /// How much wider the gap of a contact is by the motions [length].
  double
  opening(const unsigned int contact) const
  {
    return motion_of(contacts[contact].normal);
  }

  /// Of a contact [length/force].
  double
  compliance(const unsigned int contact) const
  {
    return contacts[contact].compliance;
  }

  /// Write the forces of a contact.
  void read_forces(unsigned int contact, MasslessContactMemory<spacedim> &memory) const;

private:
  static constexpr unsigned int n_tangents = spacedim - 1;

  /// What a massless node does in a row.
  struct Member
  {
    std::array<double, spacedim> pull;   ///< coefficient times direction [-]
    std::array<double, spacedim> answer; ///< its motion for a unit of the row's unknown [-]
    unsigned int begin;                  ///< of its components in the state
  };

  /// A component of a gap or of a slip, and its unknown, which is a force times the flexibility.
  struct Row
  {
    unsigned int begin = 0, end = 0; ///< of its members
    unsigned int unknown = 0;        ///< place in the state
    double offset = 0;               ///< without motions [length]
    double flexibility = 0;          ///< [length/force]
    double compliance = 0;           ///< as a share of it [-]
    double reach = 0;                ///< largest motion for a unit of the unknown [-]
  };

  struct ContactRows
  {
    Row normal;
    std::array<Row, n_tangents> tangents;
    std::array<Vector, n_tangents> directions; ///< of the tangents
    Vector direction;                          ///< normal
    bool has_slip = false;
    double cone = 0;       ///< largest tangential unknown by the normal one [-]
    double compliance = 0; ///< [length/force]
  };

  /// Add members of a stencil to a row, which begins here; its flexibility grows.
  void fill(Row &row, const ContactStencil<spacedim> &stencil, const Vector &direction);
  /// Give answers and compliance of a row, whose flexibility is known, and its unknown.
  void finish(Row &row, double flexibility, double compliance, double force);
  double motion_of(const Row &row) const;
  /// Length of the row without its own force [length].
  double
  length_of(const Row &row) const
  {
    return row.offset + motion_of(row) + row.compliance * state[row.unknown];
  }
  void push(const Row &row, double change);
  /// Add what the unknown of a row does to the motions that neighbours do not cause.
  void load(const Row &row);
  double sweep_nodes();
  double change_force(const ContactRows &contact);
  double change_friction(const ContactRows &contact);
  /// Tangential unknowns, as far as the cone allows.
  void limit(const ContactRows &contact, std::array<double, n_tangents> &unknowns) const;

  const MasslessLayer<spacedim> &layer;
  std::vector<double> state, state_before; ///< motions of nodes, then unknowns of rows [length]
  std::vector<double> own;                 ///< motions if no neighbour moved [length]
  std::vector<double> own_without_contact; ///< and no contact bore [length]
  std::vector<ContactRows> contacts;
  std::vector<Member> members;
  FixedPointAcceleration acceleration;
};
} // namespace KickDrift

#endif
