#include <kickdrift/cases/preflight/initial_overlap.h>

#include <algorithm>

#include "lists.h"

namespace KickDrift
{
template <int dim>
void
print_initial_overlap(Model<dim> &model, std::ostream &out)
{
  if (model.contact)
    model.contact->print_near(out, n_listed);
  const InitialOverlap<dim> found = model.dynamics.initial_overlap();
  if (!found.crossings.empty())
    out << "Crossings at the start: " << found.crossings.size() << "\n";
  for (unsigned int i = 0; i < std::min<std::size_t>(n_listed, found.crossings.size()); ++i)
    out << "  " << found.crossings[i] << "\n";
  out << "Initial penetrations: " << found.penetrations.size() << "\n";
  for (unsigned int i = 0; i < std::min<std::size_t>(n_listed, found.penetrations.size()); ++i)
    out << "  " << found.text(found.penetrations[i]) << "\n";
}

template void print_initial_overlap(Model<2> &, std::ostream &);
template void print_initial_overlap(Model<3> &, std::ostream &);
} // namespace KickDrift
