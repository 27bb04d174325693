// What contact does when bodies lose cells.

#include <kickdrift/base/archive_checks.h>
#include <kickdrift/contact/contact.h>

#include <limits>
#include <utility>

namespace KickDrift
{
template <int spacedim>
void
Contact<spacedim>::renew(const double time)
{
  auto kept = schedule.keep();
  n_deleted = eroding->n_deleted();
  last_renewal = time;
  next_renewal = std::numeric_limits<double>::infinity();
  make_again(time);
  nodes_at_renewal.clear();
  for (const unsigned int node : surface_nodes())
    nodes_at_renewal.push_back(nodes[node]);
  schedule.take_over(time, kept);
  ContactPoint<spacedim> nothing;
  for (auto &gone : kept.slots)
    if (response.has_left(gone.second.first.memory, nothing))
      response.let_go(gone.second.first.memory);
  response.answer_constraints();
}

template <int spacedim>
void
Contact<spacedim>::make_again(const double time)
{
  contact_surface = eroding->now(first_surface, exclusions);
  complete_surface();
  detectors.clear();
  make_detectors();
  start_detectors(time);
  enter_instant(time);
  schedule.make_again(time);
}

/// What the last renewal has made of the surface depends on where nodes were then.
template <int spacedim>
void
Contact<spacedim>::serialize_renewal(Archive &archive)
{
  archive.section("renewed surface");
  archive(n_deleted, last_renewal, nodes_at_renewal);
  if (n_deleted == 0)
    return;
  if (archive.is_reading())
  {
    const auto on_surface = surface_nodes();
    check_state(n_deleted == eroding->n_deleted() && nodes_at_renewal.size() == on_surface.size(),
                "renewed surface");
    const auto exchange_nodes = [&]
    {
      for (unsigned int i = 0; i < on_surface.size(); ++i)
        std::swap(nodes[on_surface[i]], nodes_at_renewal[i]);
    };
    exchange_nodes();
    make_again(last_renewal);
    exchange_nodes();
  }
  // those of critical steps that were followed at the time
  for (Slot &slot : schedule.slots)
    archive(slot.constant_step);
}

template void Contact<2>::renew(double);
template void Contact<3>::renew(double);
template void Contact<2>::serialize_renewal(Archive &);
template void Contact<3>::serialize_renewal(Archive &);
} // namespace KickDrift
