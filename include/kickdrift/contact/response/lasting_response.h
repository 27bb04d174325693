#ifndef KICKDRIFT_CONTACT_RESPONSE_LASTING_RESPONSE_H
#define KICKDRIFT_CONTACT_RESPONSE_LASTING_RESPONSE_H

#include <kickdrift/contact/response/contact_history.h>
#include <kickdrift/contact/response/lasting_impulses.h>
#include <kickdrift/contact/response/pairs.h>

#include <vector>

namespace KickDrift
{
/**
 * Contacts that are answered together, right after the kicks of their cells: the next positions are
 * known then, and constraints on them are constraints on velocities (non-smooth contact dynamics,
 * Moreau 1988, Jean 1999; with central differences CD-Lagrange, Fekak et al. 2017).
 *
 * A contact lets the gap close, but not pass, until the next kick: what presses it is borne exactly,
 * and what rests in contact has no velocity. Impacts rebound with the coefficient of restitution;
 * those that the forces would soon bring back stop, and what that takes is given back when they
 * open. Friction is Coulomb's law for the same impulses. Gauss-Seidel sweeps begin with the
 * impulses of the last time.
 */
template <int spacedim>
class LastingResponse
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// A contact of the present instant.
  struct Constraint
  {
    /// What add() is to be told; the rest it finds out.
    Constraint(ContactHistory &memory, const ContactPoint<spacedim> &point,
               const ContactPair<spacedim> &pair, const double period, const bool lasts)
        : memory(&memory), point(point), pair(&pair), period(period), lasts(lasts)
    {
    }

    ContactHistory *memory;
    ContactPoint<spacedim> point;
    const ContactPair<spacedim> *pair;
    double period; ///< until the next kick [time]
    bool lasts;    ///< was it answered a short time ago?
    const LastingImpulse<spacedim> *last = nullptr; ///< its last impulse, if it lasts
    double inverse_mass = 0;
    double tangential_inverse_mass = 0; ///< no less than any along the surface [1/mass]
    Vector before;                      ///< relative velocity before the kicks [length/time]
    Vector kicks;                       ///< what they have added to it [length/time]
    double wanted = 0;                  ///< least gap rate [length/time]
    bool is_impact = false;             ///< rebounds
    FrictionalImpulse<spacedim> impulse; ///< so far
  };

  /// Both must outlive it.
  LastingResponse(NodeTable<spacedim> &nodes, const LastingImpulses<spacedim> &lasting);

  /// A contact, which may be open; @p memory and @p pair stay where they are. The traces have been
  /// entered for its nodes. Returns whether it is closed, or will be before the next kick.
  bool add(Constraint contact);

  /// Find the impulses of all contacts; the nodes get them. @p lasting : of the last time.
  void solve(double instant, double step_ratio);

  /// Contacts of the present instant, with their impulses after solve().
  std::vector<Constraint> constraints;

private:
  Vector relative_velocity(const Constraint &contact) const;
  double sweep(Constraint &contact);
  void warm_start(double instant);
  void find_impulses(double scale, double instant);
  bool opens(const Constraint &contact, double instant, double step_ratio) const;
  void open(Constraint &contact, double instant, double step_ratio);
  void book(Constraint &contact) const;

  NodeTable<spacedim> &nodes;
  const LastingImpulses<spacedim> &lasting;
};
} // namespace KickDrift

#endif
