// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/contact/impulses/contact_geometry.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
namespace
{
// sine of an edge that is flat
constexpr double flat = 1e-9;
// of normals that are no longer on one side of a corner
constexpr double same_side = 0.5;
// by how much a normal may be beside those of the facets of an edge, since these bend
constexpr double cone = 0.1;
// rounding of a cosine
constexpr double aligned = 1e-7;
} // namespace

template <int spacedim>
ContactGeometry<spacedim>::ContactGeometry(const NodeTable<spacedim> &nodes,
                                           const Surface<spacedim> &surface,
                                           const Facets<spacedim> &facets,
                                           Flights<spacedim> &flights,
                                           const std::vector<Obstacle<spacedim>> &obstacles,
                                           const Exclusions &exclusions)
    : nodes(nodes),
      surface(surface),
      facets(facets),
      flights(flights),
      obstacles(obstacles),
      exclusions(exclusions)
{
  for (const Contactor &contactor : surface.contactors)
  {
    places_of_points.emplace_back();
    for (const unsigned int node : contactor.node_view())
      places_of_points.back().push_back(facets.place_of_node(node));
  }
  if (!nodes.rigid_bodies.empty())
    find_apexes();
}

template <int spacedim>
void
ContactGeometry<spacedim>::find_apexes()
{
  std::vector<std::vector<unsigned int>> places(nodes.rigid_bodies.size());
  for (unsigned int place = 0; place < facets.nodes().size(); ++place)
    if (nodes.is_rigid(facets.nodes()[place]))
      places[nodes.rigid_bodies.body_of(facets.nodes()[place])].push_back(place);
  const auto reference = [this](const unsigned int corner)
  {
    const auto &own = facets.corners()[corner];
    Vector sum;
    for (unsigned int i = 0; i < own.n_nodes; ++i)
      sum += nodes.reference(facets.nodes()[own.nodes[i]]) / own.n_nodes;
    return Point(sum);
  };
  apexes.assign(facets.facets().size(), Facets<spacedim>::none);
  for (unsigned int f = 0; f < apexes.size(); ++f)
  {
    const unsigned int body =
        nodes.rigid_bodies.body_of(facets.nodes()[facets.nodes_of_facet(f)[0]]);
    if (body == RigidBodies<spacedim>::none)
      continue;
    const auto corners = corners_of<spacedim>(facets, f, reference);
    const auto normal = facet_normal<spacedim>(corners);
    double deepest = 0;
    for (const unsigned int place : places[body])
      if (const double height = normal * (reference(place) - corners[0]); height < deepest)
      {
        deepest = height;
        apexes[f] = place;
      }
  }
}

template <int spacedim>
bool
ContactGeometry<spacedim>::set_to_point(ContactStencil<spacedim> &stencil, const ContactKey &key,
                                        const Foot<spacedim> &foot)
{
  if (apexes.empty() || apexes[key.second] == Facets<spacedim>::none)
    return false;
  const Point apex = flights.at(apexes[key.second], 0);
  const auto below = foot_on_plane<spacedim>(
      facets, key.second, apex, [&](const unsigned int corner) { return flights.at(corner, 0); });
  const double share = foot.gap / below.gap;
  std::array<double, spacedim> weights;
  for (unsigned int k = 0; k < spacedim; ++k)
    weights[k] = foot.weights[k] - share * below.weights[k];
  set(stencil, key, weights);
  add_corner(stencil, apexes[key.second], -share);
  return true;
}

template <int spacedim>
bool
ContactGeometry<spacedim>::is_held(const unsigned int node) const
{
  return nodes.restraints.is_restrained(node) && nodes.restraints.n_directions(node) == spacedim;
}

template <int spacedim>
bool
ContactGeometry<spacedim>::is_own(const unsigned int point, const unsigned int facet) const
{
  const Contactor &contactor = surface.contactors[point];
  if (contactor.face != Contactor::no_face)
    return contactor.face == facets.facets()[facet].face;
  return facets.has_node(facet, places_of_points[point][0]);
}

template <int spacedim>
bool
ContactGeometry<spacedim>::may_meet(const unsigned int point, const unsigned int facet) const
{
  const Contactor &contactor = surface.contactors[point];
  const unsigned int body = facets.facets()[facet].body;
  const unsigned int rigid = nodes.rigid_bodies.body_of(contactor.nodes[0]);
  const auto on_facet = facets.nodes_of_facet(facet);
  const unsigned int node_of_facet = facets.nodes()[on_facet[0]];
  if (rigid != RigidBodies<spacedim>::none && rigid == nodes.rigid_bodies.body_of(node_of_facet))
    return false;
  if (exclusions.excluded(contactor.body, body) || is_own(point, facet))
    return false;
  const auto held_place = [this](const unsigned int place)
  { return is_held(facets.nodes()[place]); };
  return !(
      std::all_of(places_of_points[point].begin(), places_of_points[point].end(), held_place) &&
      std::all_of(on_facet.begin(), on_facet.end(), held_place));
}

template <int spacedim>
bool
ContactGeometry<spacedim>::edges_may_meet(const unsigned int edge, const unsigned int other) const
{
  const auto &a = facets.edges()[edge], &b = facets.edges()[other];
  for (const unsigned int corner : a.corners)
    if (corner == b.corners[0] || corner == b.corners[1])
      return false;
  if (exclusions.excluded(a.body, b.body))
    return false;
  const auto node = [this](const unsigned int corner)
  { return facets.nodes()[facets.corners()[corner].nodes[0]]; };
  const unsigned int rigid = nodes.rigid_bodies.body_of(node(a.corners[0]));
  if (rigid != RigidBodies<spacedim>::none &&
      rigid == nodes.rigid_bodies.body_of(node(b.corners[0])))
    return false;
  return !(is_held(node(a.corners[0])) && is_held(node(a.corners[1])) &&
           is_held(node(b.corners[0])) && is_held(node(b.corners[1])));
}

template <int spacedim>
bool
ContactGeometry<spacedim>::may_meet_obstacle(const unsigned int point,
                                             const unsigned int obstacle) const
{
  const Contactor &contactor = surface.contactors[point];
  const auto view = contactor.node_view();
  return !exclusions.excluded(contactor.body, surface.body_names.size() + obstacle) &&
         !std::all_of(view.begin(), view.end(),
                      [this](const unsigned int node) { return is_held(node); });
}

template <int spacedim>
typename ContactGeometry<spacedim>::Point
ContactGeometry<spacedim>::point_at(const unsigned int point, const double duration)
{
  const auto &places = places_of_points[point];
  if (places.size() == 1)
    return flights.at(places[0], duration);
  Vector sum;
  for (unsigned int i = 0; i < places.size(); ++i)
    sum += surface.contactors[point].weights[i] * flights.at(places[i], duration);
  return Point(sum);
}

template <int spacedim>
typename ContactGeometry<spacedim>::Vector
ContactGeometry<spacedim>::shift_of(const unsigned int obstacle, const double duration) const
{
  const auto &displacement = obstacles[obstacle].displacement;
  return displacement ? displacement(flights.instant() + duration) : Vector();
}

template <int spacedim>
double
ContactGeometry<spacedim>::duration_of(const ContactKey &key)
{
  double duration = std::numeric_limits<double>::infinity();
  const auto take = [&](const unsigned int place)
  { duration = std::min(duration, flights.duration(place)); };
  if (key.kind == ContactKind::edge_on_edge)
  {
    for (const unsigned int edge : {key.first, key.second})
      for (const unsigned int corner : facets.edges()[edge].corners)
      {
        const auto &own = facets.corners()[corner];
        std::for_each(own.nodes.begin(), own.nodes.begin() + own.n_nodes, take);
      }
    return duration;
  }
  for (const unsigned int place : places_of_points[key.first])
    take(place);
  if (key.kind == ContactKind::point_on_facet)
    for (const unsigned int place : facets.nodes_of_facet(key.second))
      take(place);
  return duration;
}

template <int spacedim>
typename ContactGeometry<spacedim>::Vector
ContactGeometry<spacedim>::normal_of_facet(const unsigned int facet, const double duration)
{
  return facet_normal<spacedim>(corners_of<spacedim>(
      facets, facet, [&](const unsigned int corner) { return flights.at(corner, duration); }));
}

template <int spacedim>
Foot<spacedim>
ContactGeometry<spacedim>::foot_of(const unsigned int point, const unsigned int facet,
                                   const double duration)
{
  return walk<spacedim>(
      facets, facet, point_at(point, duration),
      [&](const unsigned int corner) { return flights.at(corner, duration); },
      [&](const unsigned int other) { return is_own(point, other); }, flat);
}

template <int spacedim>
Foot<spacedim>
ContactGeometry<spacedim>::foot_on(const unsigned int point, const unsigned int facet,
                                   const double duration)
{
  return foot_on_plane<spacedim>(facets, facet, point_at(point, duration),
                                 [&](const unsigned int corner)
                                 { return flights.at(corner, duration); });
}

template <int spacedim>
bool
ContactGeometry<spacedim>::is_in_cone_of_point(const unsigned int point, const Vector &normal,
                                               const double duration)
{
  const auto &places = places_of_points[point];
  if (places.size() != 1)
    return true; // it lies within a face
  const Point own = flights.at(places[0], duration);
  for (const unsigned int corner : facets.corners_beside(places[0]))
  {
    const Vector along = flights.at(corner, duration) - own;
    if (along * normal < -aligned * along.norm())
      return false;
  }
  return true;
}

template <int spacedim>
bool
ContactGeometry<spacedim>::is_in_cone_of_edge(const unsigned int edge, const Vector &normal,
                                              const double duration)
{
  if constexpr (spacedim == 3)
  {
    const auto &own = facets.edges()[edge];
    const Vector along =
        flights.at(own.corners[1], duration) - flights.at(own.corners[0], duration);
    const double length = along.norm();
    const Vector first = normal_of_facet(own.facets[0], duration);
    if (dealii::cross_product_3d(first, along) * normal > cone * length)
      return false;
    if (own.facets[1] == Facets<spacedim>::none)
      return normal * first > 0;
    const Vector second = normal_of_facet(own.facets[1], duration);
    return -(dealii::cross_product_3d(second, along) * normal) <= cone * length &&
           normal * (first + second) > 0;
  }
  (void)edge, (void)normal, (void)duration;
  return false;
}

template <int spacedim>
bool
ContactGeometry<spacedim>::stands_out(const unsigned int edge, const double duration)
{
  if constexpr (spacedim == 3)
  {
    const auto &own = facets.edges()[edge];
    if (own.facets[1] == Facets<spacedim>::none)
      return true;
    const Vector along =
        flights.at(own.corners[1], duration) - flights.at(own.corners[0], duration);
    const double sine = dealii::cross_product_3d(normal_of_facet(own.facets[0], duration),
                                                 normal_of_facet(own.facets[1], duration)) *
                        along / along.norm();
    const unsigned int node = facets.nodes()[facets.corners()[own.corners[0]].nodes[0]];
    // what is flat on a rigid body stays so
    return sine > (nodes.is_rigid(node) ? flat : -cone);
  }
  (void)edge, (void)duration;
  return false;
}

template <int spacedim>
bool
ContactGeometry<spacedim>::find_on_edges(const ContactKey &key, const double side,
                                         const double duration, std::array<double, 2> &place,
                                         Vector &normal, Vector &apart)
{
  if constexpr (spacedim == 3)
  {
    const auto &first = facets.edges()[key.first].corners;
    const auto &second = facets.edges()[key.second].corners;
    const Point a = flights.at(first[0], duration), b = flights.at(second[0], duration);
    const Vector u = flights.at(first[1], duration) - a, v = flights.at(second[1], duration) - b;
    const Vector across = dealii::cross_product_3d(u, v);
    const double square = across.norm_square();
    if (square <= 1e-12 * u.norm_square() * v.norm_square())
      return false;
    place[0] = (b - a) * dealii::cross_product_3d(v, across) / square;
    place[1] = (b - a) * dealii::cross_product_3d(u, across) / square;
    normal = (side / std::sqrt(square)) * across;
    apart = a + place[0] * u - (b + place[1] * v);
    return true;
  }
  (void)key, (void)side, (void)duration, (void)place, (void)normal, (void)apart;
  return false;
}

template <int spacedim>
void
ContactGeometry<spacedim>::add_corner(ContactStencil<spacedim> &stencil, const unsigned int corner,
                                      const double weight) const
{
  const auto &own = facets.corners()[corner];
  for (unsigned int i = 0; i < own.n_nodes; ++i)
  {
    const unsigned int node = facets.nodes()[own.nodes[i]];
    unsigned int place = 0;
    while (place < stencil.n_nodes && stencil.nodes[place] != node)
      ++place;
    if (place < stencil.n_nodes)
      stencil.coefficients[place] += weight / own.n_nodes;
    else
      stencil.add(node, weight / own.n_nodes);
  }
}

template <int spacedim>
void
ContactGeometry<spacedim>::add_point(ContactStencil<spacedim> &stencil,
                                     const unsigned int point) const
{
  const Contactor &contactor = surface.contactors[point];
  for (unsigned int i = 0; i < contactor.n_nodes; ++i)
    stencil.add(contactor.nodes[i], contactor.weights[i]);
}

template <int spacedim>
void
ContactGeometry<spacedim>::set(ContactStencil<spacedim> &stencil, const ContactKey &key,
                               const std::array<double, spacedim> &weights) const
{
  stencil.n_nodes = 0;
  add_point(stencil, key.first);
  for (unsigned int k = 0; k < spacedim; ++k)
    add_corner(stencil, facets.facets()[key.second].corners[k], -weights[k]);
}

template <int spacedim>
void
ContactGeometry<spacedim>::set_edges(ContactStencil<spacedim> &stencil, const ContactKey &key,
                                     const std::array<double, 2> &place) const
{
  stencil.n_nodes = 0;
  double sign = 1;
  for (const unsigned int e : {0, 1})
  {
    const auto &corners = facets.edges()[e == 0 ? key.first : key.second].corners;
    add_corner(stencil, corners[0], sign * (1 - place[e]));
    add_corner(stencil, corners[1], sign * place[e]);
    sign = -1;
  }
}

template <int spacedim>
typename ContactGeometry<spacedim>::Vector
ContactGeometry<spacedim>::difference(const ContactStencil<spacedim> &stencil,
                                      const double duration)
{
  return stencil.difference([&](const unsigned int node)
                            { return Vector(flights.at(facets.place_of_node(node), duration)); });
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

template <int spacedim>
bool
ContactGeometry<spacedim>::find_present(ActiveContact<spacedim> &contact)
{
  const double touches = 100 * rounding;
  ContactKey &key = contact.key;
  double gap;
  bool is_there = true;
  if (key.kind == ContactKind::point_on_facet)
  {
    Foot<spacedim> foot = foot_of(key.first, key.second, 0);
    // corner on corner: only normals that both admit
    if (!is_in_cone_of_point(key.first, foot.normal, 0))
      for (unsigned int k = 0; k < spacedim; ++k)
      {
        const double weight = foot.weights[spacedim == 2 ? 1 - k : (k + 2) % spacedim];
        const unsigned int beyond = facets.facets()[foot.facet].neighbours[k];
        if (weight > 1e-9 || beyond == Facets<spacedim>::none || is_own(key.first, beyond))
          continue;
        const Foot<spacedim> other = foot_on(key.first, beyond, 0);
        if (std::abs(other.gap) < touches && is_in_cone_of_point(key.first, other.normal, 0))
        {
          foot = other;
          break;
        }
      }
    gap = foot.gap;
    is_there = !(gap > touches);
    key.second = foot.facet;
    contact.normal = foot.normal;
    set(contact.stencil, key, within(foot.weights));
    set(contact.material, key, foot.is_off ? within(foot.weights) : foot.weights);
  }
  else if (key.kind == ContactKind::edge_on_edge)
  {
    Vector apart, normal;
    const bool crosses = find_on_edges(key, contact.side, 0, contact.place, normal, apart);
    if (!crosses)
      return false;
    gap = normal * apart;
    const double beyond = 1e-9;
    const bool is_on = contact.place[0] >= -beyond && contact.place[0] <= 1 + beyond &&
                       contact.place[1] >= -beyond && contact.place[1] <= 1 + beyond;
    is_there = is_on && !(gap > touches) && is_in_cone_of_edge(key.second, normal, 0) &&
               is_in_cone_of_edge(key.first, -normal, 0);
    if (!is_there && !is_on)
      return false;
    contact.normal = normal;
    for (double &place : contact.place)
      place = std::min(1., std::max(0., place));
    set_edges(contact.stencil, key, contact.place);
    contact.material = contact.stencil;
  }
  else
  {
    const auto &shape = *obstacles[key.second].shape;
    const Point own = point_at(key.first, 0) - shift_of(key.second, 0);
    gap = shape.distance(own);
    is_there = !(gap > touches);
    contact.normal = shape.normal(own);
    contact.stencil.n_nodes = 0;
    add_point(contact.stencil, key.first);
    contact.material = contact.stencil;
  }
  contact.stencil.normal = contact.normal;
  contact.least_gap = std::min(0., gap + 10 * rounding);
  contact.apart_at_touch = difference(contact.material, 0);
  if (key.kind == ContactKind::point_on_obstacle)
    contact.apart_at_touch -= shift_of(key.second, 0);
  return is_there;
}

template <int spacedim>
void
ContactGeometry<spacedim>::meet(ActiveContact<spacedim> &contact, const double time)
{
  const ContactKey &key = contact.key;
  contact.least_gap = 0;
  contact.apart_at_plane = Vector();
  if (key.kind == ContactKind::point_on_facet)
  {
    const Foot<spacedim> there = foot_on(key.first, key.second, time);
    const auto weights = within(there.weights);
    set(contact.plane, key, weights);
    contact.plane.normal = there.normal;
    set(contact.material, key, weights);
    // impulses act along the line from the foot to the point, so that they have no moment
    const Foot<spacedim> now = foot_on(key.first, key.second, 0);
    constexpr double furthest = 0.5;
    const bool is_beside =
        std::any_of(now.weights.begin(), now.weights.end(),
                    [](const double w) { return w < -furthest || w > 1 + furthest; });
    contact.stencil.normal = is_beside ? there.normal : now.normal;
    if (!set_to_point(contact.stencil, key, now))
      set(contact.stencil, key, is_beside ? weights : now.weights);
  }
  else if (key.kind == ContactKind::edge_on_edge)
  {
    set_edges(contact.plane, key, contact.place);
    contact.plane.normal = contact.normal;
    contact.material = contact.stencil = contact.plane;
  }
  else
  {
    const auto &shape = *obstacles[key.second].shape;
    const Vector shift = shift_of(key.second, time);
    const Point there = point_at(key.first, time);
    contact.plane.n_nodes = 0;
    add_point(contact.plane, key.first);
    contact.plane.normal = shape.normal(there - shift);
    contact.material = contact.stencil = contact.plane;
    contact.apart_at_plane = there - shift;
    contact.stencil.normal = shape.normal(point_at(key.first, 0) - shift_of(key.second, 0));
  }
  contact.normal = contact.stencil.normal;
  contact.apart_at_touch = difference(contact.material, time);
  if (key.kind == ContactKind::point_on_obstacle)
    contact.apart_at_touch -= shift_of(key.second, time);
}

template <int spacedim>
void
ContactGeometry<spacedim>::measure_on_facet(ActiveContact<spacedim> &contact)
{
  const ContactKey &key = contact.key;
  Foot<spacedim> foot = foot_of(key.first, key.second, contact.duration);
  contact.is_off_end = foot.is_off || foot.normal * contact.stencil.normal < same_side;
  const bool may_round = spacedim == 2 || contact.is_new || !foot.is_over_convex;
  // each of two planes has an impulse of its own
  contact.facet_beyond =
      foot.is_over_concave && may_meet(key.first, foot.facet) ? foot.facet : Facets<spacedim>::none;
  if (contact.facet_beyond != Facets<spacedim>::none || !may_meet(key.first, foot.facet) ||
      !may_round ||
      (contact.is_off_end &&
       !(spacedim == 2 && contact.is_new && foot.facet != key.second && !foot.is_off)))
    foot = foot_on(key.first, key.second, contact.duration);
  else if (contact.is_off_end)
    foot.gap = std::max(foot.gap, foot_on(key.first, key.second, contact.duration).gap);
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
      find_on_edges(contact.key, contact.side, contact.duration, place, normal, apart);
  const bool turns = !crosses || normal * contact.normal < same_side;
  contact.is_off_end = turns || place[0] < 0 || place[0] > 1 || place[1] < 0 || place[1] > 1;
  if (contact.is_off_end)
  {
    apart = difference(contact.stencil, contact.duration);
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
  const Point end = point_at(contact.key.first, contact.duration) -
                    shift_of(contact.key.second, contact.duration);
  contact.end_gap = shape.distance(end);
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
    Vector apart = difference(contact.plane, contact.duration);
    if (on_obstacle)
      apart -= shift_of(contact.key.second, contact.duration) + contact.apart_at_plane;
    contact.end_normal = contact.plane.normal;
    contact.end_gap = contact.end_normal * apart;
  }
  else if (contact.key.kind == ContactKind::point_on_facet)
    measure_on_facet(contact);
  else if (contact.key.kind == ContactKind::edge_on_edge)
    measure_on_edges(contact);
  else
    measure_on_obstacle(contact);

  Vector slip = difference(contact.material, contact.duration) - contact.apart_at_touch;
  if (on_obstacle)
    slip -= shift_of(contact.key.second, contact.duration);
  // tangents turn with the normal, by the smallest rotation
  const Vector &n = contact.stencil.normal, &end = contact.end_normal;
  slip -= (((n + end) * slip) / (1 + n * end)) * end;
  contact.end_slip = slip - (slip * n) * n;
}

template <int spacedim>
double
ContactGeometry<spacedim>::walked_gap(const ActiveContact<spacedim> &contact)
{
  if (contact.key.kind == ContactKind::point_on_facet)
    return foot_of(contact.key.first, contact.key.second, contact.duration).gap;
  ActiveContact<spacedim> copy = contact;
  copy.is_frozen = copy.by_plane = false;
  measure(copy);
  return copy.end_gap;
}

template <int spacedim>
void
ContactGeometry<spacedim>::find_masses(ActiveContact<spacedim> &contact) const
{
  const auto &stencil = contact.stencil;
  contact.inverse_mass = stencil.inverse_mass(nodes);
  contact.tangential_inverse_mass = 0;
  contact.is_rigid = true;
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
    if (!nodes.is_rigid(stencil.nodes[i]))
    {
      contact.tangential_inverse_mass +=
          stencil.coefficients[i] * stencil.coefficients[i] * nodes[stencil.nodes[i]].inverse_mass;
      contact.is_rigid = contact.is_rigid && is_held(stencil.nodes[i]);
    }
  if (contact.is_rigid)
    contact.tangential_inverse_mass = 0;
  stencil.for_each_grip(nodes,
                        [&](const unsigned int body, const RigidGrip<spacedim> &grip)
                        {
                          const RigidMotion &motion = nodes.rigid_bodies.motion(body);
                          for (unsigned int d = 0; d < spacedim; ++d)
                          {
                            Vector unit;
                            unit[d] = 1;
                            contact.tangential_inverse_mass +=
                                unit * grip.velocity_change(motion, unit);
                          }
                          contact.tangential_inverse_mass -=
                              stencil.normal * grip.velocity_change(motion, stencil.normal);
                        });
}

template class ContactGeometry<2>;
template class ContactGeometry<3>;
} // namespace KickDrift
