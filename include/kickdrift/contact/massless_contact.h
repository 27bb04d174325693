#ifndef KICKDRIFT_CONTACT_MASSLESS_CONTACT_H
#define KICKDRIFT_CONTACT_MASSLESS_CONTACT_H

#include <kickdrift/contact/massless/zones.h>
#include <kickdrift/contact/parameters.h>

#include <memory>
#include <string>
#include <vector>

namespace KickDrift
{
/// Contact with Response::massless: who answers what.
template <int spacedim>
struct MasslessPlan
{
  std::shared_ptr<MasslessZones<spacedim>> zones; ///< null if there is nothing for them
  std::vector<std::string> left_to_impulses;      ///< sentences about what zones cannot do
};

/**
 * Contact with Response::massless: MasslessZones, added to @p stepper, for the surfaces that
 * ContactParameters::massless_surfaces names and for faces that touch something at the start. Zones
 * answer contacts of these with each other and with obstacles; all others are left to impulses
 * (Contact), and so is what zones cannot do: collisions that lose energy, thin parts, obstacles
 * that move, clocks per cell, all contacts of a step at once.
 *
 * Nodes lend their masses here; initial velocities must be set. Call MasslessZones::start() after
 * Stepper::start().
 *
 * Throws dealii::ExceptionBase naming the parameter for surfaces that there are not.
 */
template <int spacedim>
MasslessPlan<spacedim> make_massless_contact(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper,
                                             const Surface<spacedim> &surface,
                                             const ContactParameters &parameters,
                                             const std::vector<Obstacle<spacedim>> &obstacles);
} // namespace KickDrift

#endif
