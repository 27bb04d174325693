// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/contact/impulses/contact_geometry.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace KickDrift
{
namespace
{
// of normals that are no longer on one side of a corner
constexpr double same_side = 0.5;
// beyond a facet or an edge, in parts of it: where impulses still act as if it went on
constexpr double furthest = 0.5;
} // namespace

template <int spacedim>
ContactGeometry<spacedim>::ContactGeometry(const NodeTable<spacedim> &nodes,
                                           const Surface<spacedim> &surface,
                                           const Facets<spacedim> &facets,
                                           SurfaceFlight<spacedim> &in_flight,
                                           const std::vector<Obstacle<spacedim>> &obstacles)
    : nodes(nodes), surface(surface), facets(facets), in_flight(in_flight), obstacles(obstacles)
{
  if (!nodes.rigid_bodies.empty())
    find_apexes();
}

namespace
{
/// Weights within the facet, a sum of one.
template <std::size_t n>
std::array<double, n>
within(std::array<double, n> weights)
{
  double sum = 0;
  for (double &weight : weights)
    sum += weight = std::min(1., std::max(0., weight));
  for (double &weight : weights)
    weight /= sum;
  return weights;
}
} // namespace

/// On a rim or a corner several facets touch; otherwise only that of @p foot.
template <int spacedim>
std::vector<Foot<spacedim>>
ContactGeometry<spacedim>::all_at_one_place(const unsigned int point, const Foot<spacedim> &foot,
                                            const double duration) const
{
  std::vector<Foot<spacedim>> there = {foot};
  if (*std::min_element(foot.weights.begin(), foot.weights.end()) *
          in_flight.longest_edge(foot.facet, duration) >
      in_flight.at_one_place())
    return there;
  for (unsigned int i = 0; i < there.size(); ++i)
  {
    const double size = in_flight.longest_edge(there[i].facet, duration);
    for (unsigned int k = 0; k < spacedim; ++k)
    {
      const double weight = there[i].weights[spacedim == 2 ? 1 - k : (k + 2) % spacedim];
      const unsigned int beyond = facets.facets()[there[i].facet].neighbours[k];
      if (weight * size > in_flight.at_one_place() || beyond == Facets<spacedim>::none ||
          in_flight.is_own(point, beyond) ||
          std::any_of(there.begin(), there.end(),
                      [&](const auto &other) { return other.facet == beyond; }))
        continue;
      const Foot<spacedim> other = in_flight.foot_on(point, beyond, duration);
      const auto outside = [&](const double w)
      { return w * in_flight.longest_edge(beyond, duration) < -in_flight.at_one_place(); };
      if (!(std::abs(other.gap) < in_flight.at_one_place()) ||
          std::any_of(other.weights.begin(), other.weights.end(), outside))
        continue;
      // in a corner of two walls each of them has a contact of its own
      const auto corners = corners_of<spacedim>(facets, there[i].facet,
                                                [&](const unsigned int corner)
                                                { return in_flight.corner_at(corner, duration); });
      if (bend<spacedim>(corners, k, there[i].normal, other.normal) >= -in_flight.cone)
        there.push_back(other);
    }
  }
  return there;
}

/// Of several facets that touch: those that the point's own surface can be pressed on, or the one
/// that it is least in the way of.
template <int spacedim>
void
ContactGeometry<spacedim>::keep_best(const unsigned int point, std::vector<Foot<spacedim>> &there,
                                     const double duration) const
{
  if (there.size() == 1)
    return;
  std::vector<double> behind;
  for (const auto &foot : there)
    behind.push_back(in_flight.behind(point, foot.normal, duration));
  const double most = std::max(*std::min_element(behind.begin(), behind.end()), in_flight.cone);
  std::vector<Foot<spacedim>> best;
  for (unsigned int i = 0; i < there.size(); ++i)
    if (behind[i] <= most)
      best.push_back(there[i]);
  there = std::move(best);
}

template <int spacedim>
typename ContactGeometry<spacedim>::Vector
ContactGeometry<spacedim>::mean_normal(const std::vector<Foot<spacedim>> &there,
                                       const double duration) const
{
  Vector sum;
  double angles = 0;
  for (const auto &foot : there)
  {
    double angle = 1;
    if constexpr (spacedim == 3)
    {
      const unsigned int k =
          std::max_element(foot.weights.begin(), foot.weights.end()) - foot.weights.begin();
      if ((1 - foot.weights[k]) * in_flight.longest_edge(foot.facet, duration) <
          2 * in_flight.at_one_place())
      {
        const auto &corners = facets.facets()[foot.facet].corners;
        const Point own = in_flight.corner_at(corners[k], duration);
        const Vector a = in_flight.corner_at(corners[(k + 1) % 3], duration) - own,
                     b = in_flight.corner_at(corners[(k + 2) % 3], duration) - own;
        angle = std::atan2(dealii::cross_product_3d(a, b).norm(), a * b);
      }
    }
    sum += angle * in_flight.normal_of_facet(foot.facet, duration);
    angles += angle;
  }
  const double norm = sum.norm();
  return norm > same_side * angles ? sum / norm
                                   : in_flight.normal_of_facet(there.front().facet, duration);
}

template <int spacedim>
bool
ContactGeometry<spacedim>::find_present(ActiveContact<spacedim> &contact)
{
  const double touches = in_flight.at_one_place();
  ContactKey &key = contact.key;
  double gap;
  bool is_there = true;
  contact.offset = in_flight.offset(key);
  if (contact.offset > 0 && key.kind != ContactKind::point_on_obstacle)
  {
    is_there = find_present_at_offset(contact, gap) && !(gap > touches);
  }
  else if (key.kind == ContactKind::point_on_facet)
  {
    // from inside of a body a walk over it would end on any of its sides
    const bool is_inside = contact.overlap > 0;
    Foot<spacedim> foot = is_inside ? in_flight.foot_on(key.first, key.second, 0)
                                    : in_flight.foot_of(key.first, key.second, 0);
    if (!is_inside && !foot.is_off)
    {
      auto there = all_at_one_place(key.first, foot, 0);
      keep_best(key.first, there, 0);
      if (std::none_of(there.begin(), there.end(),
                       [&](const auto &other) { return other.facet == foot.facet; }))
        foot = there.front();
      contact.is_at_corner = there.size() > 1;
      if (contact.is_at_corner)
        foot.normal = mean_normal(there, 0);
    }
    // over a rim a point slides off, unless its own surface can still be pressed on what is there
    const bool has_slid_off =
        foot.facet != key.second &&
        in_flight.behind(key.first, foot.normal, 0) >
            in_flight.behind(key.first, in_flight.normal_of_facet(key.second, 0), 0) +
                in_flight.cone;
    if (has_slid_off)
    {
      foot = in_flight.foot_on(key.first, key.second, 0);
      contact.is_at_corner = false;
    }
    gap = foot.gap;
    is_there = !(gap > touches) && !has_slid_off;
    key.second = foot.facet;
    contact.normal = foot.normal;
    if (!has_slid_off || !set_to_point(contact.stencil, key))
      set(contact.stencil, key, within(foot.weights));
    set(contact.material, key, foot.is_off || has_slid_off ? within(foot.weights) : foot.weights);
  }
  else if (key.kind == ContactKind::edge_on_edge)
  {
    Vector apart, normal;
    const bool crosses =
        in_flight.find_on_edges(key, contact.side, 0, contact.place, normal, apart);
    if (!crosses)
      return false;
    gap = normal * apart;
    const auto is_on_edge = [&](const unsigned int edge, const double place)
    {
      const auto &ends = facets.edges()[edge].corners;
      const double length = in_flight.distance(ends[0], ends[1]);
      return place * length >= -touches && (place - 1) * length <= touches;
    };
    const bool is_on =
        is_on_edge(key.first, contact.place[0]) && is_on_edge(key.second, contact.place[1]);
    is_there = is_on && !(gap > touches) && in_flight.is_in_cone_of_edge(key.second, normal, 0) &&
               in_flight.is_in_cone_of_edge(key.first, -normal, 0);
    if (!is_there && !is_on)
      return false;
    // edges that have left each other may have turned
    if (is_there)
      contact.normal = normal;
    for (double &place : contact.place)
      place = std::min(1., std::max(0., place));
    set_edges(contact.stencil, key, contact.place);
    contact.material = contact.stencil;
  }
  else
  {
    const auto &shape = *obstacles[key.second].shape;
    const Point own = in_flight.point_at(key.first, 0) - in_flight.shift_of(key.second, 0);
    gap = shape.distance(own) - contact.offset;
    is_there = !(gap > touches);
    contact.normal = shape.normal(own);
    contact.stencil.n_nodes = 0;
    add_point(contact.stencil, key.first);
    contact.material = contact.stencil;
  }
  contact.stencil.normal = contact.normal;
  contact.is_in_front = gap > 0;
  contact.least_gap = std::min(0., gap + 10 * in_flight.rounding);
  contact.apart_at_touch = in_flight.difference(contact.material, 0);
  if (key.kind == ContactKind::point_on_obstacle)
    contact.apart_at_touch -= in_flight.shift_of(key.second, 0);
  return is_there;
}

template <int spacedim>
void
ContactGeometry<spacedim>::meet(ActiveContact<spacedim> &contact, const double time)
{
  const ContactKey &key = contact.key;
  contact.is_in_front = true;
  contact.least_gap = 0;
  contact.apart_at_plane = Vector();
  contact.offset = in_flight.offset(key);
  if (contact.offset > 0 && key.kind != ContactKind::point_on_obstacle)
    meet_at_offset(contact, time);
  else if (key.kind == ContactKind::point_on_facet)
  {
    const Foot<spacedim> there = in_flight.foot_on(key.first, key.second, time);
    const auto weights = within(there.weights);
    auto all = all_at_one_place(key.first, there, time);
    keep_best(key.first, all, time);
    const bool is_among = std::any_of(all.begin(), all.end(),
                                      [&](const auto &foot) { return foot.facet == key.second; });
    if (!is_among)
      all = {there};
    contact.is_at_corner = all.size() > 1;
    set(contact.plane, key, weights);
    contact.plane.normal = mean_normal(all, time);
    set(contact.material, key, weights);
    // impulses act along the line from the foot to the point, so that they have no moment
    Foot<spacedim> now = in_flight.foot_on(key.first, key.second, 0);
    if (const Vector normal = mean_normal(all, 0); all.size() > 1 && normal * now.normal > 0)
    {
      const Point foot =
          in_flight.point_at(key.first, 0) - now.gap / (normal * now.normal) * normal;
      now = foot_on_plane<spacedim>(facets, key.second, foot,
                                    [this](const unsigned int corner)
                                    { return in_flight.corner_at(corner, 0); });
      now.normal = normal;
    }
    const bool is_beside =
        std::any_of(now.weights.begin(), now.weights.end(),
                    [](const double w) { return w < -furthest || w > 1 + furthest; });
    contact.stencil.normal = is_beside ? contact.plane.normal : now.normal;
    if (!set_to_point(contact.stencil, key))
      set(contact.stencil, key, is_beside ? weights : now.weights);
  }
  else if (key.kind == ContactKind::edge_on_edge)
  {
    set_edges(contact.plane, key, contact.place);
    contact.plane.normal = contact.normal;
    contact.material = contact.stencil = contact.plane;
    // impulses act along the line between the places that are nearest now: they have no moment
    std::array<double, 2> place;
    Vector normal, apart;
    if (in_flight.find_on_edges(key, contact.side, 0, place, normal, apart) &&
        normal * contact.normal > same_side &&
        std::all_of(place.begin(), place.end(),
                    [](const double s) { return s >= -furthest && s <= 1 + furthest; }))
    {
      if (!set_to_edge(contact.stencil, key, place))
        set_edges(contact.stencil, key, place);
      contact.stencil.normal = normal;
    }
  }
  else
  {
    const auto &shape = *obstacles[key.second].shape;
    const Vector shift = in_flight.shift_of(key.second, time);
    const Point there = in_flight.point_at(key.first, time);
    contact.plane.n_nodes = 0;
    add_point(contact.plane, key.first);
    contact.plane.normal = shape.normal(there - shift);
    contact.material = contact.stencil = contact.plane;
    contact.apart_at_plane = there - shift;
    if (contact.offset > 0)
      contact.least_gap = std::min(0., shape.distance(Point(in_flight.point_at(key.first, 0) -
                                                            in_flight.shift_of(key.second, 0))) -
                                           contact.offset + 10 * in_flight.rounding);
    contact.stencil.normal =
        shape.normal(in_flight.point_at(key.first, 0) - in_flight.shift_of(key.second, 0));
  }
  contact.normal = contact.stencil.normal;
  contact.apart_at_touch = in_flight.difference(contact.material, time);
  if (key.kind == ContactKind::point_on_obstacle)
    contact.apart_at_touch -= in_flight.shift_of(key.second, time);
}

template <int spacedim>
void
ContactGeometry<spacedim>::measure_on_facet(ActiveContact<spacedim> &contact)
{
  const ContactKey &key = contact.key;
  if (contact.overlap > 0)
  {
    const Foot<spacedim> foot = in_flight.foot_on(key.first, key.second, contact.duration);
    contact.end_gap = foot.gap;
    contact.end_normal = foot.normal;
    contact.is_off_end = false;
    contact.facet_beyond = Facets<spacedim>::none;
    return;
  }
  Foot<spacedim> foot = in_flight.foot_of(key.first, key.second, contact.duration);
  contact.is_off_end = foot.is_off || foot.normal * contact.stencil.normal < same_side;
  const bool may_round = spacedim == 2 || contact.is_new || !foot.is_over_convex;
  // each of two planes has an impulse of its own, unless there is one along their mean normal
  const bool is_beyond =
      foot.is_over_concave && !contact.is_at_corner && in_flight.may_meet(key.first, foot.facet);
  contact.facet_beyond = is_beyond ? foot.facet : Facets<spacedim>::none;
  if (contact.facet_beyond != Facets<spacedim>::none ||
      !in_flight.may_meet(key.first, foot.facet) || !may_round ||
      (contact.is_off_end &&
       !(spacedim == 2 && contact.is_new && foot.facet != key.second && !foot.is_off)))
    foot = in_flight.foot_on(key.first, key.second, contact.duration);
  else if (contact.is_off_end)
    foot.gap = std::max(foot.gap, in_flight.foot_on(key.first, key.second, contact.duration).gap);
  contact.end_gap = foot.gap;
  contact.end_normal = foot.normal;
}

template <int spacedim>
void
ContactGeometry<spacedim>::measure_on_edges(ActiveContact<spacedim> &contact)
{
  std::array<double, 2> place;
  Vector normal, apart;
  const bool crosses =
      in_flight.find_on_edges(contact.key, contact.side, contact.duration, place, normal, apart);
  const bool turns = !crosses || normal * contact.normal < same_side;
  contact.is_off_end = turns || place[0] < 0 || place[0] > 1 || place[1] < 0 || place[1] > 1;
  if (contact.is_off_end)
  {
    apart = in_flight.difference(contact.stencil, contact.duration);
    if (turns)
      normal = contact.normal;
  }
  contact.end_normal = normal;
  contact.end_gap = normal * apart;
}

template <int spacedim>
void
ContactGeometry<spacedim>::measure_on_obstacle(ActiveContact<spacedim> &contact)
{
  const auto &shape = *obstacles[contact.key.second].shape;
  const Point end = in_flight.point_at(contact.key.first, contact.duration) -
                    in_flight.shift_of(contact.key.second, contact.duration);
  contact.end_gap = shape.distance(end) - contact.offset;
  contact.end_normal = shape.normal(end);
  contact.is_off_end = contact.end_normal * contact.normal < same_side;
}

template <int spacedim>
void
ContactGeometry<spacedim>::measure(ActiveContact<spacedim> &contact)
{
  const bool on_obstacle = contact.key.kind == ContactKind::point_on_obstacle;
  if (contact.is_frozen || (contact.is_new && contact.by_plane))
  {
    Vector apart = in_flight.difference(contact.plane, contact.duration) - contact.apart_at_plane;
    if (on_obstacle)
      apart -= in_flight.shift_of(contact.key.second, contact.duration);
    contact.end_normal = contact.plane.normal;
    contact.end_gap = contact.end_normal * apart;
  }
  else if (contact.offset > 0 && !on_obstacle)
    measure_at_offset(contact);
  else if (contact.key.kind == ContactKind::point_on_facet)
    measure_on_facet(contact);
  else if (contact.key.kind == ContactKind::edge_on_edge)
    measure_on_edges(contact);
  else
    measure_on_obstacle(contact);

  Vector slip = in_flight.difference(contact.material, contact.duration) - contact.apart_at_touch;
  if (on_obstacle)
    slip -= in_flight.shift_of(contact.key.second, contact.duration);
  // what turns together with what is between the two does not slip
  slip -= contact.offset *
          (contact.end_normal - (contact.is_new ? contact.plane.normal : contact.stencil.normal));
  // tangents turn with the normal, by the smallest rotation
  const Vector &n = contact.stencil.normal, &end = contact.end_normal;
  slip -= (((n + end) * slip) / (1 + n * end)) * end;
  contact.end_slip = slip - (slip * n) * n;
}

template <int spacedim>
double
ContactGeometry<spacedim>::walked_gap(const ActiveContact<spacedim> &contact)
{
  if (contact.key.kind == ContactKind::point_on_facet && !(contact.offset > 0))
    return in_flight.foot_of(contact.key.first, contact.key.second, contact.duration).gap;
  ActiveContact<spacedim> copy = contact;
  copy.is_frozen = copy.by_plane = false;
  measure(copy);
  return copy.end_gap;
}

template <int spacedim>
void
ContactGeometry<spacedim>::find_masses(ActiveContact<spacedim> &contact) const
{
  contact.inverse_mass = contact.stencil.inverse_mass(nodes);
  contact.tangential_inverse_mass = contact.stencil.tangential_inverse_mass(nodes);
  contact.is_rigid = contact.stencil.is_rigid(nodes);
}

template class ContactGeometry<2>;
template class ContactGeometry<3>;
} // namespace KickDrift
