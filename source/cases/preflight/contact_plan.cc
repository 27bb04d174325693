#include <kickdrift/cases/preflight/contact_blind_spots.h>
#include <kickdrift/cases/preflight/contact_plan.h>
#include <kickdrift/contact/impulses/impulse_contact.h>

#include <ostream>
#include <string>

namespace KickDrift
{
template <int dim>
void
print_contact_plan(const Model<dim> &model, std::ostream &out)
{
  const ContactParameters &contact = model.parameters.contact;
  if (contact.enabled && contact.response == Response::automatic &&
      model.dynamics.contact_response() == Response::reflect)
    out << "Note: 'Contact/Response' is 'reflect' here, since 'records' does not know "
        << unknown_to_records(contact) << ".\n";
  if (model.contact)
    model.contact->print_plan(out);
  for (const std::string &sentence : contact_blind_spots(model))
    out << "Warning: " << sentence << "\n";
}

template void print_contact_plan(const Model<2> &, std::ostream &);
template void print_contact_plan(const Model<3> &, std::ostream &);
} // namespace KickDrift
