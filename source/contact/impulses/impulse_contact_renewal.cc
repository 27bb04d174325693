// SPDX-License-Identifier: LGPL-2.1-or-later
// What contact does when bodies lose cells.

#include <kickdrift/base/archive_checks.h>
#include <kickdrift/contact/impulses/impulse_contact.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace KickDrift
{
template <int spacedim>
typename ImpulseContact<spacedim>::Name
ImpulseContact<spacedim>::name_of_point(const unsigned int point) const
{
  const auto &contactors = contact_surface.contactors;
  const Contactor &contactor = contactors[point];
  Name name{contactor.body, 0};
  // those of a face follow each other
  for (unsigned int p = point;
       p > 0 && contactor.face != Contactor::no_face && contactors[p - 1].face == contactor.face;
       --p)
    ++name[1];
  name.insert(name.end(), contactor.node_view().begin(), contactor.node_view().end());
  return name;
}

template <int spacedim>
typename ImpulseContact<spacedim>::Name
ImpulseContact<spacedim>::name_of_facet(const unsigned int facet) const
{
  const auto &own = facets.facets()[facet];
  Name name{own.body, facet - facets.first_facet(own.face)};
  const auto places = facets.nodes_on_face(own.face);
  name.insert(name.end(), places.begin(), places.end());
  return name;
}

template <int spacedim>
typename ImpulseContact<spacedim>::Name
ImpulseContact<spacedim>::name_of_corner(const unsigned int corner) const
{
  const auto &own = facets.corners()[corner];
  Name name(own.nodes.begin(), own.nodes.begin() + own.n_nodes);
  std::sort(name.begin(), name.end());
  return name;
}

template <int spacedim>
typename ImpulseContact<spacedim>::Name
ImpulseContact<spacedim>::name_of_edge(const unsigned int edge) const
{
  const auto &own = facets.edges()[edge];
  const auto [first, second] =
      std::minmax(name_of_corner(own.corners[0]), name_of_corner(own.corners[1]));
  Name name{own.body, static_cast<unsigned int>(first.size())};
  name.insert(name.end(), first.begin(), first.end());
  name.insert(name.end(), second.begin(), second.end());
  return name;
}

template <int spacedim>
void
ImpulseContact<spacedim>::make_surface_again()
{
  n_deleted = eroding->n_deleted();
  contact_surface = eroding->now(first_surface, exclusions);
  add_face_points(contact_surface, parameters.points_per_face);
  facets = Facets<spacedim>(contact_surface, nodes.size(), facets.nodes()); // nodes keep places
  const double rounding = in_flight->rounding;
  const auto overlapping = in_flight->overlapping;
  make_parts();
  in_flight->rounding = rounding;
  in_flight->overlapping = overlapping;
  proximity->set_longest_step(longest_step());
  if (has_zones)
    zones.classes_changed(); // deleted cells have none
}

template <int spacedim>
void
ImpulseContact<spacedim>::renew()
{
  // What is bared has been inside, so that nothing has to be known about it: others are outside.
  struct Names
  {
    Name first, second;
    std::array<Name, 2> begins; ///< of edges: where each begins
  };
  std::vector<Names> names;
  for (ContactRecord<spacedim> &record : records)
  {
    ContactKey &key = record.key;
    // what slides may have left its facet in the flight in which that has failed
    if (key.kind == ContactKind::point_on_facet && record.overlap == 0)
      if (const unsigned int present = in_flight->foot_of(key.first, key.second, 0).facet;
          present != Facets<spacedim>::none)
        key.second = present;
    if (key.kind != ContactKind::edge_on_edge)
      names.push_back({name_of_point(key.first),
                       key.kind == ContactKind::point_on_facet ? name_of_facet(key.second) : Name(),
                       {}});
    else
      names.push_back({name_of_edge(key.first),
                       name_of_edge(key.second),
                       {{name_of_corner(facets.edges()[key.first].corners[0]),
                         name_of_corner(facets.edges()[key.second].corners[0])}}});
  }

  make_surface_again();
  std::map<Name, unsigned int> points, all_facets, edges;
  for (unsigned int p = 0; p < contact_surface.contactors.size(); ++p)
    points.emplace(name_of_point(p), p);
  for (unsigned int f = 0; f < facets.facets().size(); ++f)
    all_facets.emplace(name_of_facet(f), f);
  for (unsigned int e = 0; e < facets.edges().size(); ++e)
    edges.emplace(name_of_edge(e), e);
  const auto find = [](const std::map<Name, unsigned int> &numbers, const Name &name)
  {
    const auto entry = numbers.find(name);
    return entry == numbers.end() ? Facets<spacedim>::none : entry->second;
  };
  const std::vector<ContactRecord<spacedim>> before = std::move(records);
  records.clear();
  std::set<ContactKey> seen;
  for (unsigned int r = 0; r < before.size(); ++r)
  {
    ContactRecord<spacedim> record = before[r];
    ContactKey &key = record.key;
    const bool on_edges = key.kind == ContactKind::edge_on_edge;
    key.first = find(on_edges ? edges : points, names[r].first);
    if (key.kind != ContactKind::point_on_obstacle)
      key.second = find(on_edges ? edges : all_facets, names[r].second);
    const bool is_there =
        key.first != Facets<spacedim>::none && key.second != Facets<spacedim>::none;
    if (is_there && on_edges)
    {
      for (unsigned int i = 0; i < 2; ++i)
      {
        const unsigned int edge = i == 0 ? key.first : key.second;
        if (name_of_corner(facets.edges()[edge].corners[0]) == names[r].begins[i])
          continue;
        record.place[i] = 1 - record.place[i];
        record.side = -record.side;
      }
      if (key.first > key.second)
      {
        std::swap(key.first, key.second);
        std::swap(record.place[0], record.place[1]);
        std::swap(record.body, record.target);
        record.normal = -record.normal;
      }
    }
    if (is_there && seen.insert(key).second)
      records.push_back(record);
    else
    {
      record.overlap = 0; // its key is not one any more
      drop(record);
    }
  }
  in_flight->inside.clear();
  for (const ContactRecord<spacedim> &record : records)
    if (record.overlap > 0 && record.key.kind == ContactKind::point_on_facet)
      in_flight->inside.insert({record.key.first, record.target});
  std::sort(records.begin(), records.end(),
            [](const auto &a, const auto &b) { return a.key < b.key; });
  kicked = facets.nodes();
}

template <int spacedim>
void
ImpulseContact<spacedim>::serialize_renewal(Archive &archive)
{
  if (!eroding)
    return;
  archive.section("renewed surface");
  const unsigned int n_before = n_deleted;
  archive(n_deleted);
  if (!archive.is_reading())
    return;
  const unsigned int n_read = n_deleted;
  n_deleted = n_before;
  // the first one cannot be had again
  check_state(n_read == eroding->n_deleted() && (n_read > 0 || n_before == 0), "renewed surface");
  if (n_read > 0)
    make_surface_again();
}

template void ImpulseContact<2>::renew();
template void ImpulseContact<3>::renew();
template void ImpulseContact<2>::serialize_renewal(Archive &);
template void ImpulseContact<3>::serialize_renewal(Archive &);
} // namespace KickDrift
