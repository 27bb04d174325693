// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/base/messages.h>
#include <kickdrift/contact/contact_method.h>
#include <kickdrift/contact/impulses/impulse_contact.h>
#include <kickdrift/contact/layer_contact.h>
#include <kickdrift/contact/reference/reference_contact.h>

namespace KickDrift
{
template <int spacedim>
void
ContactMethod<spacedim>::print_outcome(std::ostream &out) const
{
  out << statistics().tests << " contact tests, " << statistics().collisions
      << " collisions, largest penetration " << number_text(statistics().max_penetration);
}

template <int spacedim>
std::unique_ptr<ContactMethod<spacedim>>
make_contact_method(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper,
                    const Surface<spacedim> &surface, const ContactParameters &parameters,
                    const std::vector<Obstacle<spacedim>> &obstacles,
                    std::shared_ptr<const ErodingSurface<spacedim>> eroding)
{
  switch (parameters.response)
  {
  case Response::layers:
    return std::make_unique<LayerContact<spacedim>>(nodes, stepper, surface, parameters, obstacles);
  case Response::records:
    return std::make_unique<ImpulseContact<spacedim>>(nodes, stepper, surface, parameters,
                                                      obstacles, std::move(eroding));
  default:
    AssertThrow(!eroding, ContactExceptions::ExcNoReference("cells that are deleted"));
    return std::make_unique<ReferenceContact<spacedim>>(nodes, stepper, surface, parameters,
                                                        obstacles);
  }
}

template class ContactMethod<2>;
template class ContactMethod<3>;
template std::unique_ptr<ContactMethod<2>>
make_contact_method(NodeTable<2> &, Stepper<2> &, const Surface<2> &, const ContactParameters &,
                    const std::vector<Obstacle<2>> &, std::shared_ptr<const ErodingSurface<2>>);
template std::unique_ptr<ContactMethod<3>>
make_contact_method(NodeTable<3> &, Stepper<3> &, const Surface<3> &, const ContactParameters &,
                    const std::vector<Obstacle<3>> &, std::shared_ptr<const ErodingSurface<3>>);
} // namespace KickDrift
