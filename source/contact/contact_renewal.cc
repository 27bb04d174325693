// What contact does when bodies lose cells.

#include <kickdrift/base/archive_checks.h>
#include <kickdrift/contact/contact.h>

#include <cmath>
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
  response.classes_changed(); // deleted cells have none
  schedule.make_again(time);
}

/// What the last renewal has made of the surface depends on where nodes were then.
template <int spacedim>
void
Contact<spacedim>::serialize_renewal(Archive &archive)
{
  archive.section("renewed surface");
  const unsigned int n_before = n_deleted;
  archive(n_deleted, last_renewal, nodes_at_renewal);
  if (!archive.is_reading())
    return;
  next_renewal = std::numeric_limits<double>::infinity();
  check_state(n_deleted == eroding->n_deleted(), "renewed surface");
  if (n_deleted == 0)
    check_state(n_before == 0, "renewed surface"); // the first one cannot be had again
  else
  {
    const auto on_surface = surface_nodes();
    bool is_right = nodes_at_renewal.size() == on_surface.size() && last_renewal >= 0 &&
                    last_renewal <= stepper.time();
    for (const NodeState &node : nodes_at_renewal)
      for (unsigned int d = 0; d < spacedim; ++d)
        is_right = is_right && std::isfinite(node.time) && std::isfinite(node.displacement[d]) &&
                   std::isfinite(node.velocity[d]);
    check_state(is_right, "renewed surface");
    const auto exchange_nodes = [&]
    {
      for (unsigned int i = 0; i < on_surface.size(); ++i)
        std::swap(nodes[on_surface[i]], nodes_at_renewal[i]);
    };
    exchange_nodes();
    make_again(last_renewal);
    exchange_nodes();
  }
}

template void Contact<2>::renew(double);
template void Contact<3>::renew(double);
template void Contact<2>::serialize_renewal(Archive &);
template void Contact<3>::serialize_renewal(Archive &);
} // namespace KickDrift
