#ifndef KICKDRIFT_CONTACT_REFERENCE_REFLECTION_H
#define KICKDRIFT_CONTACT_REFERENCE_REFLECTION_H

#include <kickdrift/contact/response/collision_response.h>
#include <kickdrift/contact/response/contact_books.h>
#include <kickdrift/contact/response/contact_history.h>
#include <kickdrift/contact/response/contact_zones.h>
#include <kickdrift/contact/response/pairs.h>
#include <kickdrift/contact/response/statistics.h>
#include <kickdrift/stepping/stepper.h>

#include <vector>

namespace KickDrift
{
/**
 * Contacts are answered one by one: each impulse reverses the gap rate, times the coefficient of
 * restitution (decomposition contact response, Cirak & West 2005, Wolff & Bucher 2013). A contact
 * that lasts also bears what kicks have added since it was answered last.
 */
template <int spacedim>
class Reflection
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// All must outlive it.
  Reflection(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper, ContactBooks<spacedim> &books);

  /// The stepper has started; @p surface_nodes : all that may be in contact, and what carries them.
  void start(const std::vector<unsigned int> &surface_nodes, bool with_zones);

  /// What follows happens at @p time; kicks of that time have been done.
  void enter_instant(double time);

  /// What kicks do to a contact.
  struct Load
  {
    bool is_common = true; ///< have all kicks around it come up to this instant?
    double kicks = 0;      ///< by them on the gap rate since the last answer [length/time]
  };

  /// That of a touch, which gets its zone. There is none without zones, and in impacts.
  Load find_load(ContactHistory &history, const ContactStencil<spacedim> &stencil);

  /// Ratio of gap rates that bears what presses a contact, too: the mean rate of the coming period
  /// is e times that of the last one.
  static double
  restitution(const ContactPair<spacedim> &pair, const double kicks, const double rate)
  {
    return pair.restitution + (1 - pair.restitution) * std::max(0., 0.5 * kicks / rate);
  }

  /// Give a touch its impulse, if it needs one and restraints do not hold both sides.
  void respond(ContactHistory &history, const ContactPoint<spacedim> &point);

  /// Reverse the gap rate of a touch, if it approaches; the velocities are taken as they are.
  void reflect(ContactHistory &history, const ContactPoint<spacedim> &point);

  /// A touch has been given @p impulse, and its nodes have their new velocities. @p may_last :
  /// something of it may be pending, see LastingImpulses.
  void book(ContactHistory &history, const ContactPoint<spacedim> &point,
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

  ContactStatistics<spacedim> &stats; ///< what was done so far

private:
  bool is_held(const ContactStencil<spacedim> &stencil, double inverse_mass) const;
  /// Time between two answers of a contact that lasts [time].
  double period(const ContactHistory &history) const;
  /// Was the contact answered during the last few periods?
  bool lasts(const ContactHistory &history) const;
  template <typename VelocityOfNode>
  FrictionalImpulse<spacedim>
  reflecting_impulse(const ContactPair<spacedim> &pair, const ContactStencil<spacedim> &stencil,
                     double inverse_mass, double kicks, const VelocityOfNode &velocity);
  NodeTable<spacedim> &nodes;
  Stepper<spacedim> &stepper;
  ContactBooks<spacedim> &books;
  ContactZones<spacedim> zones; ///< if there are any
  double instant = 0;           ///< [time]
  bool has_zones = false;
};
} // namespace KickDrift

#endif
