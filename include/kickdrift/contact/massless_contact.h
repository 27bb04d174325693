#ifndef KICKDRIFT_CONTACT_MASSLESS_CONTACT_H
#define KICKDRIFT_CONTACT_MASSLESS_CONTACT_H

#include <kickdrift/contact/massless/zone.h>
#include <kickdrift/contact/parameters.h>

#include <memory>
#include <vector>

namespace KickDrift
{
/**
 * Contact with Response::massless between the surfaces that ContactParameters::massless_surfaces
 * names, and of these with the obstacles: a MasslessZone that has been added to @p stepper. Nodes
 * lend their masses here; initial velocities must be set. Call MasslessZone::start() after
 * Stepper::start().
 *
 * Throws MasslessExceptions, and dealii::ExceptionBase naming the parameter for surfaces that there
 * are not.
 */
template <int spacedim>
std::shared_ptr<MasslessZone<spacedim>>
make_massless_contact(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper,
                      Surface<spacedim> surface, const ContactParameters &parameters,
                      const std::vector<Obstacle<spacedim>> &obstacles);
} // namespace KickDrift

#endif
