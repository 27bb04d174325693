// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/contact/contact_exceptions.h>
#include <kickdrift/contact/surface_contact.h>

#include <deal.II/base/exceptions.h>

#include <utility>

namespace KickDrift
{
template <int spacedim>
SurfaceContact<spacedim>::SurfaceContact(
    NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper, Surface<spacedim> given_surface,
    const ContactParameters &parameters, std::vector<Obstacle<spacedim>> given_obstacles,
    const std::vector<std::pair<std::string, std::string>> &exclude)
    : nodes(nodes),
      stepper(stepper),
      parameters(parameters),
      obstacles(std::move(given_obstacles)),
      contact_surface(std::move(given_surface)),
      partners(partner_names(contact_surface, obstacles), parameters),
      exclusions(exclude, partners.names(), contact_surface, parameters.group_of_body)
{
  check_parameters(parameters);
  check_shapes(obstacles);
}

template <int spacedim>
const Surface<spacedim> &
SurfaceContact<spacedim>::complete_surface()
{
  add_face_points(contact_surface, parameters.points_per_face);
  return contact_surface;
}

template <int spacedim>
void
SurfaceContact<spacedim>::check_start() const
{
  AssertThrow(stepper.has_started(), ContactExceptions::ExcStepperNotStarted());
  AssertThrow(!started, ContactExceptions::ExcStartedTwice());
  // a distance that is not a number would hide what is near
  const unsigned int n_bodies = contact_surface.body_names.size();
  for (unsigned int o = 0; o < obstacles.size(); ++o)
  {
    const auto shift = displacement_of(obstacles[o], stepper.time());
    for (const auto &contactor : contact_surface.contactors)
      if (!exclusions.excluded(contactor.body, n_bodies + o))
        for (const unsigned int node : contactor.node_view())
          distance_to(obstacles[o], nodes.position(node) - shift);
  }
}

template class SurfaceContact<2>;
template class SurfaceContact<3>;
} // namespace KickDrift
