#ifndef KICKDRIFT_CONTACT_REFERENCE_SIMULTANEOUS_RESPONSE_H
#define KICKDRIFT_CONTACT_REFERENCE_SIMULTANEOUS_RESPONSE_H

#include <kickdrift/contact/reference/coupled_response.h>
#include <kickdrift/contact/reference/reflection.h>

#include <vector>

namespace KickDrift
{
/**
 * Contacts of a synchronous step that are found first and then answered (Cirak & West 2005, section
 * 3): penetrations are removed, if that is asked for, and all contacts get their impulses, one
 * after the other or coupled.
 *
 * Coupled contacts reflect: impulses bring the approaching ones to rest with friction judged there,
 * contact by contact, and e times the same impulses follow. For e = 1 without friction and
 * projection kinetic energy is conserved, however many contacts there are. Contacts that last bear
 * what kicks have added, too, see Reflection.
 *
 * With projection velocities are those before a kick at the same positions. They lack half of the
 * kick, so reflecting them takes energy; on average that is what the projection has put in (CW eq.
 * 15). Unlike in the paper both sides of a penetration move, in the metric of kinetic energy:
 * centres of mass and restraints stay where they are.
 */
template <int spacedim>
class SimultaneousResponse
{
public:
  using Vector = dealii::Tensor<1, spacedim>; ///< in space

  /// All must outlive it.
  SimultaneousResponse(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper,
                       ContactPairs<spacedim> &partners, Reflection<spacedim> &response,
                       const ResponseParameters &parameters);

  /// Are contacts to be collected, rather than answered at once?
  bool
  collects() const
  {
    return projects || is_coupled;
  }

  /// A contactor touches something; @p history stays where it is.
  void
  add(ContactHistory &history, const ContactPoint<spacedim> &point)
  {
    histories.push_back(&history);
    points.push_back(point);
  }

  /// Answer all contacts of the instant @p time, and forget them.
  void answer(double time);

private:
  void project(double time);
  /// Move the nodes by W grad g @p multipliers.
  void shift(const std::vector<double> &multipliers);
  void respond();
  std::vector<double> rates() const;
  /// Friction of all contacts, for the whole normal impulses.
  void apply_friction(const std::vector<double> &normal_impulses,
                      std::vector<FrictionalImpulse<spacedim>> &impulses);
  void count(const std::vector<double> &multipliers);

  NodeTable<spacedim> &nodes;
  Stepper<spacedim> &stepper;
  ContactPairs<spacedim> &partners;
  Reflection<spacedim> &response;
  const bool projects, is_coupled;
  CoupledResponse<spacedim> system;
  // contacts of the present instant
  std::vector<ContactHistory *> histories;
  std::vector<ContactPoint<spacedim>> points;
};
} // namespace KickDrift

#endif
