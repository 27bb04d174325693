// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/base/archive_checks.h>
#include <kickdrift/contact/impulses/impulse_contact.h>

#include <algorithm>
#include <vector>

namespace KickDrift
{
namespace
{
struct KeptByPair
{
  unsigned int first, second;
  double energy, borne, stays_until;
};

struct TimeOfPair
{
  unsigned int first, second;
  double time;
};
} // namespace

/// That were read.
template <int spacedim>
void
ImpulseContact<spacedim>::check_records() const
{
  const unsigned int n_partners = partners.names().size();
  for (const ContactRecord<spacedim> &record : records)
  {
    const ContactKey &key = record.key;
    check_state(is_enumerator(key.kind, ContactKind::point_on_obstacle), "contact");
    const bool on_edges = key.kind == ContactKind::edge_on_edge;
    const std::size_t n_first =
                          on_edges ? facets.edges().size() : contact_surface.contactors.size(),
                      n_second = on_edges                                  ? facets.edges().size()
                                 : key.kind == ContactKind::point_on_facet ? facets.facets().size()
                                                                           : obstacles.size();
    const unsigned int lasting = record.memory.lasting;
    const bool is_obstacle = key.kind == ContactKind::point_on_obstacle;
    const unsigned int n_bodies = contact_surface.body_names.size();
    check_state(
        key.first < n_first && key.second < n_second && record.body < n_bodies &&
            record.target < n_partners && (record.target >= n_bodies) == is_obstacle &&
            is_flag(record.is_closed) &&
            is_enumerator(record.memory.status, ContactStatus::sticks) &&
            (lasting == LastingImpulses<spacedim>::nowhere || lasting < books.lasting.size()),
        "contact");
  }
}

template <int spacedim>
void
ImpulseContact<spacedim>::serialize(Archive &archive)
{
  archive.section("contact");
  serialize_renewal(archive);
  std::vector<KeptByPair> kept;
  for (const auto &[pair, pooled] : pool)
    kept.push_back({pair.first, pair.second, pooled.energy, pooled.borne, pooled.stays_until});
  std::vector<BodyPair> overlapping(in_flight->overlapping.begin(), in_flight->overlapping.end());
  std::vector<BodyPair> inside(in_flight->inside.begin(), in_flight->inside.end());
  std::vector<TimeOfPair> coming;
  for (const auto &[pair, at] : arrivals)
    coming.push_back({pair.first, pair.second, at});
  std::vector<BodyPair> met(answered.begin(), answered.end());
  archive(partners, books, records, kept, momenta, next, kicked, spent, begin_of_overlaps,
          end_of_overlaps, overlapping, inside, coming, met);
  arrivals.clear();
  for (const TimeOfPair &one : coming)
    arrivals[{one.first, one.second}] = one.time;
  answered = {met.begin(), met.end()};
  pool.clear();
  for (const KeptByPair &one : kept)
    pool[{one.first, one.second}] = {one.energy, one.borne, one.stays_until};
  if (has_zones)
    archive(zones);
  proximity->serialize(archive);
  if (!archive.is_reading())
    return;
  check_records();
  check_state(momenta.size() == nodes.rigid_bodies.size() &&
                  std::all_of(kicked.begin(), kicked.end(),
                              [this](const unsigned int node) { return node < nodes.size(); }) &&
                  std::all_of(kept.begin(), kept.end(),
                              [this](const KeptByPair &one) {
                                return one.first <= one.second &&
                                       one.second < partners.names().size();
                              }),
              "contact");
  const unsigned int n_bodies = contact_surface.body_names.size();
  for (const auto &[first, second] : met)
    check_state(first < n_bodies && first <= second && second < partners.names().size(), "contact");
  for (const TimeOfPair &one : coming)
    check_state(one.first < n_bodies && one.first <= one.second &&
                    one.second < partners.names().size() && one.time >= stepper.time(),
                "contact");
  for (const auto &[first, second] : overlapping)
    check_state(first < n_bodies && second < partners.names().size(), "contact");
  for (const auto &[point, body] : inside)
    check_state(point < contact_surface.contactors.size() && body < n_bodies, "contact");
  search->forget_flights();
  in_flight->overlapping = {overlapping.begin(), overlapping.end()};
  in_flight->inside = {inside.begin(), inside.end()};
}

template void ImpulseContact<2>::serialize(Archive &);
template void ImpulseContact<3>::serialize(Archive &);
} // namespace KickDrift
