// SPDX-License-Identifier: LGPL-2.1-or-later
// Overlap at the start that is let out in the course of time, as of parts that are pressed
// together.

#include <kickdrift/contact/detection/interior.h>
#include <kickdrift/contact/geometry/bounding_volumes.h>
#include <kickdrift/contact/geometry/closest_point.h>
#include <kickdrift/contact/impulses/impulse_contact.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

namespace KickDrift
{
namespace
{
// Of a face: how far behind its own surface a point is taken to be, so that it is not on that of
// another body where surfaces are flush.
constexpr double behind_surface = 5e-7;
// Without a time: so often waves pass through all there is.
constexpr double many_passages = 10;
} // namespace

template <int spacedim>
double
ImpulseContact<spacedim>::share_of_overlaps(const double time) const
{
  if (time >= end_of_overlaps)
    return 0;
  return (end_of_overlaps - time) / (end_of_overlaps - begin_of_overlaps);
}

template <int spacedim>
void
ImpulseContact<spacedim>::record_overlaps()
{
  std::vector<std::vector<unsigned int>> faces(contact_surface.body_names.size());
  std::vector<Box<spacedim>> boxes(faces.size(), empty_box<spacedim>());
  for (unsigned int f = 0; f < contact_surface.faces.size(); ++f)
  {
    faces[contact_surface.faces[f].body].push_back(f);
    for (const unsigned int place : facets.nodes_on_face(f))
      extend(boxes[contact_surface.faces[f].body], flights->now(place));
  }
  std::vector<std::optional<Interior<spacedim>>> interiors(faces.size());
  for (unsigned int body = 0; body < faces.size(); ++body)
    if (!faces[body].empty())
    {
      // what bounds it whether it is in contact or not
      std::vector<unsigned int> boundary;
      for (unsigned int f = 0; f < whole_surface.faces.size(); ++f)
        if (whole_surface.faces[f].body == body)
          boundary.push_back(f);
      std::vector<SurfaceFace<spacedim>> closures;
      std::copy_if(whole_surface.closures.begin(), whole_surface.closures.end(),
                   std::back_inserter(closures),
                   [&](const auto &face) { return face.body == body; });
      interiors[body].emplace(nodes, whole_surface, boundary, closures);
    }

  double slowest = 0; // of what deforms [time/length]
  Box<spacedim> whole = empty_box<spacedim>();
  for (unsigned int place = 0; place < facets.nodes().size(); ++place)
  {
    extend(whole, flights->now(place));
    const unsigned int node = facets.nodes()[place];
    if (!nodes.is_rigid(node))
      for (const unsigned int id : stepper.supports().kicks_of_node(node))
        slowest = std::max(slowest, stepper.levels().natural_step(id) / proximity->size(place));
  }
  begin_of_overlaps = flights->instant();
  const double passage = (whole.upper - whole.lower).norm() * slowest;
  const double duration =
      parameters.overlap_time > 0 ? parameters.overlap_time : many_passages * passage;
  end_of_overlaps = begin_of_overlaps + duration;

  for (unsigned int p = 0; p < contact_surface.contactors.size(); ++p)
  {
    const Contactor &contactor = contact_surface.contactors[p];
    ContactRecord<spacedim> record;
    record.body = contactor.body;
    const auto own = in_flight->point_at(p, 0);
    for (unsigned int obstacle = 0; obstacle < obstacles.size(); ++obstacle)
      if (const double depth = -obstacles[obstacle].shape->distance(
              dealii::Point<spacedim>(own - in_flight->shift_of(obstacle, 0)));
          depth > in_flight->at_one_place() && in_flight->may_meet_obstacle(p, obstacle))
      {
        record.key = {ContactKind::point_on_obstacle, p, obstacle};
        record.target = contact_surface.body_names.size() + obstacle;
        record.overlap = depth;
        records.push_back(record);
      }
    Vector outwards;
    for (const unsigned int place : in_flight->nodes_of_point(p))
      for (const unsigned int facet : facets.facets_of_node(place))
        outwards += in_flight->normal_of_facet(facet, 0);
    const dealii::Point<spacedim> inside =
        outwards.norm() > 0 ? own - behind_surface * contactor.length / outwards.norm() * outwards
                            : own;
    for (unsigned int body = 0; body < faces.size(); ++body)
    {
      if (body == contactor.body || !interiors[body] || !is_inside(boxes[body], own) ||
          !interiors[body]->contains(inside))
        continue;
      double nearest = std::numeric_limits<double>::infinity();
      for (const unsigned int face : faces[body])
        for (unsigned int f = facets.first_facet(face); f < facets.first_facet(face + 1); ++f)
        {
          const Foot<spacedim> foot = in_flight->foot_on(p, f, 0);
          if (!in_flight->may_meet(p, f) || !(foot.gap < -in_flight->at_one_place()) ||
              !(foot.normal * outwards < 0 || outwards == Vector()))
            continue;
          const auto corners = corners_of<spacedim>(facets, f,
                                                    [this](const unsigned int corner)
                                                    { return in_flight->corner_at(corner, 0); });
          const double distance = closest_point<spacedim>(corners.data(), spacedim, own).distance;
          if (!(distance < nearest))
            continue;
          nearest = distance;
          record.key = {ContactKind::point_on_facet, p, f};
          record.normal = foot.normal;
          record.overlap = -foot.gap;
        }
      if (!std::isfinite(nearest))
        continue;
      record.target = body;
      records.push_back(record);
      in_flight->overlapping.insert(pair_of(record));
      in_flight->inside.insert({p, body});
    }
  }
  AssertThrow(records.empty() || (duration > 0 && std::isfinite(duration)),
              ExcParameter("overlap_time ('Contact/Overlap time')", parameters.overlap_time,
                           "more than 0, since where nothing deforms there are no waves to measure "
                           "it by"));
  std::sort(records.begin(), records.end(),
            [](const auto &a, const auto &b) { return a.key < b.key; });
}

template void ImpulseContact<2>::record_overlaps();
template void ImpulseContact<3>::record_overlaps();
template double ImpulseContact<2>::share_of_overlaps(double) const;
template double ImpulseContact<3>::share_of_overlaps(double) const;
} // namespace KickDrift
