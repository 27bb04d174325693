#include <kickdrift/contact/detection/edge_detector.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
namespace
{
// An edge deeper behind another one than this share of the smaller one's size does not touch it.
constexpr double depth_limit = 1.;
// Up to here a contact that lasted counts as lost; what is deeper never was one, like the two far
// edges of thin bodies.
constexpr double lost_limit = 1.5;
// Edges whose directions have a smaller sine than this are parallel.
constexpr double parallel = 0.05;
// How far, as a sine, a normal may be outside the cone of an edge: the cone of two faces in one
// plane has no width.
constexpr double beside_cone = 0.05;
// A normal as near as this, as a sine, to that of a face means that the other edge lies flat on it.
constexpr double flat = 0.1;
// Where an edge is cut into its two parts: not in the middle, where crossings are likely to stay.
constexpr double cut = 0.45;
// How far beyond its end, in its lengths, still counts as on an edge.
constexpr double rim = 1e-6;

/**
 * From an edge into one of its faces: perpendicular to the edge, as long as the face is wide, for
 * any positions of the nodes.
 */
template <typename PositionOfNode>
dealii::Tensor<1, 3>
into_face(const SurfaceEdge &edge, const SurfaceFace<3> &face, const PositionOfNode &position)
{
  const auto start = position(edge.nodes[0]);
  const dealii::Tensor<1, 3> along = position(edge.nodes[1]) - start;
  dealii::Tensor<1, 3> across;
  for (unsigned int i = 0; i < face.n_nodes; ++i)
    if (face.nodes[i] != edge.nodes[0] && face.nodes[i] != edge.nodes[1])
      across += (position(face.nodes[i]) - start) / (face.n_nodes - 2);
  return across - (across * along) / (along * along) * along;
}

dealii::Tensor<1, 3>
unit(const dealii::Tensor<1, 3> &vector)
{
  const double norm = vector.norm();
  return norm > 0 ? vector / norm : vector;
}
} // namespace

EdgeDetector::EdgeDetector(const NodeTable<3> &nodes, const Surface<3> &surface,
                           const Exclusions &exclusions, const FaceSearch<3> &search,
                           const FaceDetector<3> &faces, const MotionBounds<3> &bounds,
                           const double smallest_angle)
    : nodes(nodes),
      contact_surface(surface),
      exclusions(exclusions),
      search(search),
      faces(faces),
      neighborhood(exclusions, search, bounds, *this)
{
  edges_of_face.resize(contact_surface.faces.size(), {{none, none, none, none}});
  contactor_of_node.resize(nodes.size(), none);
  contactor_of_back.resize(nodes.size(), none);
  for (unsigned int c = 0; c < contact_surface.contactors.size(); ++c)
  {
    const Contactor &contactor = contact_surface.contactors[c];
    if (contactor.n_nodes == 1)
      (contactor.side == Side::back ? contactor_of_back : contactor_of_node)[contactor.nodes[0]] =
          c;
  }

  const auto reference = [&](const unsigned int node) { return nodes.reference(node); };
  for (const SurfaceEdge &edge : find_edges(contact_surface))
  {
    const auto &first = contact_surface.faces[edge.faces[0]],
               &second = contact_surface.faces[edge.faces[1]];
    const Vector normal = unit_normal(first, reference), other = unit_normal(second, reference);
    const double angle = std::atan2(cross_product_3d(normal, other).norm(), normal * other);
    const bool is_free = first.side != second.side; // of a shell
    const bool is_convex = is_free || other * into_face(edge, first, reference) <= 0;
    if (reference(edge.nodes[0]) == reference(edge.nodes[1]) ||
        (is_convex ? angle : -angle) < smallest_angle)
      continue;
    if (is_convex)
      sharpest = std::min(sharpest, std::cos(0.5 * angle));
    add_edge(edge);
  }
  neighborhood.start(edges.size());
  start_sides();
}

void
EdgeDetector::add_edge(const SurfaceEdge &edge)
{
  const auto reference = [&](const unsigned int node) { return nodes.reference(node); };
  Properties p;
  p.length = p.size = reference(edge.nodes[0]).distance(reference(edge.nodes[1]));
  p.characteristic_length = p.length;
  for (const unsigned int f : edge.faces)
  {
    p.size = std::min(p.size, into_face(edge, contact_surface.faces[f], reference).norm());
    *std::find(edges_of_face[f].begin(), edges_of_face[f].end(), none) = edges.size();
  }
  for (const unsigned int node : edge.nodes)
    if (contactor_of_node[node] != none)
      p.characteristic_length = std::min(
          p.characteristic_length, contact_surface.contactors[contactor_of_node[node]].length);
  edges.push_back(edge);
  properties.push_back(p);
}

ContactPoint<3>
EdgeDetector::find(const ContactTest &test)
{
  ContactPoint<3> touch;
  const unsigned int edge = test.contactor / n_parts;
  const Segment segment = segment_at(edge, test.time);
  neighborhood.update(query(edge, segment), test.time, test.radius);
  const NeighborList<3> &neighbors = neighborhood.neighbors(edge);

  std::optional<Meeting> nearest, fastest;
  static thread_local std::vector<Meeting> of_shells;
  of_shells.clear();
  bool is_too_deep = false;
  double smallest_rate = std::numeric_limits<double>::infinity();
  const auto velocity = [&](const unsigned int node) { return nodes.velocity(node); };
  for (const auto &target : neighbors.targets())
  {
    if (neighbors.distance_from_here_on(target) > test.radius)
      break;
    if (neighbors.distance(target) > test.radius || !normals_opposed(edge, target.index, 0))
      continue;
    const auto meeting = meet(test, target.index);
    if (!meeting || meeting->gap() > test.radius)
      continue;
    if (!nearest || meeting->gap() < nearest->gap())
      nearest = meeting;
    if (meeting->side != none)
      of_shells.push_back(*meeting);
    const double relative_depth = (meeting->depth - meeting->offset) / size_of(*meeting);
    is_too_deep |= relative_depth > depth_limit;
    if (!meeting->crosses || meeting->depth <= 0 || relative_depth > depth_limit ||
        (!meeting->has_passed && leaves_elsewhere(*meeting, test.time)) ||
        held_by_ends(meeting->contactor, meeting->target, meeting->normal, test.time) ||
        held_by_ends(meeting->target, meeting->contactor, -meeting->normal, test.time))
      continue;
    // one answer turns the rate of the fastest, so that the others get theirs, if need be at the
    // next test: answers of the same instant are not seen here
    ContactPoint<3> candidate;
    fill(candidate, *meeting);
    const double rate = candidate.stencil.normal * candidate.stencil.relative_velocity(velocity);
    if (rate < smallest_rate)
    {
      smallest_rate = rate;
      fastest = meeting;
    }
  }
  note_sides(test, of_shells);
  if (!nearest)
    return touch;
  touch.sees = true;
  touch.touches = fastest.has_value();
  touch.is_lost = test.lasts && is_too_deep && !fastest;
  fill(touch, fastest ? *fastest : *nearest);
  return touch;
}

void
EdgeDetector::fill(ContactPoint<3> &touch, const Meeting &meeting) const
{
  touch.depth = meeting.depth;
  touch.distance =
      meeting.offset > 0 && meeting.crosses ? std::abs(meeting.depth) : std::max(0., meeting.gap());
  touch.size = size_of(meeting);
  touch.body = body_of_edge(meeting.contactor);
  touch.target = body_of_edge(meeting.target);
  touch.stencil.normal = meeting.normal;
  const auto &own = edges[meeting.contactor].nodes, &others = edges[meeting.target].nodes;
  touch.stencil.add(own[0], 1 - meeting.closest.s);
  touch.stencil.add(own[1], meeting.closest.s);
  touch.stencil.add(others[0], meeting.closest.t - 1);
  touch.stencil.add(others[1], -meeting.closest.t);
}

/// Nothing if the other part of the contactor is nearer, or if the target is out of question.
std::optional<EdgeDetector::Meeting>
EdgeDetector::meet(const ContactTest &test, const unsigned int target) const
{
  const unsigned int edge = test.contactor / n_parts;
  Meeting meeting{edge, target,
                  closest_points(segment_at(edge, test.time), segment_at(target, test.time))};
  const bool in_first_part = meeting.closest.s < cut;
  if (in_first_part != (test.contactor % n_parts == 0))
    return {};
  const auto offset = offset_of(meeting);
  if (!offset)
    return {};
  meeting.offset = *offset;
  cross(meeting, test);
  if (meeting.crosses && meeting.depth - meeting.offset > lost_limit * size_of(meeting))
    return {};
  return meeting;
}

std::optional<double>
EdgeDetector::offset_of(const Meeting &meeting) const
{
  const unsigned int body = body_of_edge(meeting.contactor);
  if (body != body_of_edge(meeting.target))
    return contact_surface.offset(body, body_of_edge(meeting.target));
  // what is not nearer than this is near only because it is a neighbour
  const double first = first_distance(meeting);
  const double neighbours = contact_surface.share_of_first_distance(body) * first;
  if (neighbours > 0 && meeting.closest.distance > neighbours)
    return {};
  return contact_surface.own_offset(body, first);
}

std::optional<EdgeDetector::Lines>
EdgeDetector::lines_of(const unsigned int edge, const unsigned int other, const double time) const
{
  const Segment own = segment_at(edge, time), others = segment_at(other, time);
  const Vector a = own[1] - own[0], b = others[1] - others[0];
  Vector normal = cross_product_3d(a, b);
  const double norm = normal.norm();
  if (norm <= parallel * a.norm() * b.norm())
    return {};
  normal /= norm;
  // points that differ along the normal alone
  const Vector r = own[0] - others[0];
  return Lines{normal, cross_product_3d(b, r) * normal / norm,
               cross_product_3d(a, r) * normal / norm, normal * r};
}

bool
EdgeDetector::Lines::are_on_edges() const
{
  const auto is_on = [](const double x) { return x >= -rim && x <= 1 + rim; };
  return is_on(s) && is_on(t);
}

/// Find out whether the edges cross where both bodies are convex, and how deep.
void
EdgeDetector::cross(Meeting &meeting, const ContactTest &test) const
{
  const auto lines = lines_of(meeting.contactor, meeting.target, test.time);
  if (!lines || !lines->are_on_edges())
    return;
  int sign = meeting.offset > 0 ? known_sign(meeting, test, *lines) : 0;
  const bool is_known = sign != 0;
  if (!is_known)
  {
    // free edges of shells look to all sides
    const Vector outwards = outward(meeting.target) - outward(meeting.contactor);
    const double along = outwards.norm_square() > 1e-12 ? lines->product * outwards : lines->height;
    sign = along < 0 ? -1 : 1;
  }
  const Vector normal = double(sign) * lines->product;
  if (!in_normal_cone(meeting.target, normal, test.time) ||
      !in_normal_cone(meeting.contactor, -normal, test.time))
    return;
  const double height = sign * lines->height;
  if (meeting.offset > 0)
  {
    meeting.has_passed = height < 0;
    if (!is_known && (meeting.has_passed || is_known_elsewhere(meeting, *lines, sign, test.time)))
      return; // they are on the other sides of shells
    meeting.side = 2 * meeting.target + (sign > 0);
  }
  meeting.crosses = true;
  meeting.closest.s = lines->s;
  meeting.closest.t = lines->t;
  meeting.normal = normal;
  meeting.depth = meeting.offset - height;
}

double
EdgeDetector::first_distance(const Meeting &meeting) const
{
  const auto reference = [&](const unsigned int edge, const double s)
  {
    const auto &ends = edges[edge].nodes;
    return point_on({{nodes.reference(ends[0]), nodes.reference(ends[1])}}, s);
  };
  return reference(meeting.contactor, meeting.closest.s)
      .distance(reference(meeting.target, meeting.closest.t));
}

/// Does @p normal, perpendicular to the edge, point away from both of its faces?
bool
EdgeDetector::in_normal_cone(const unsigned int edge, const Vector &normal, const double time) const
{
  const auto position = [&](const unsigned int node) { return nodes.position_at(node, time); };
  for (const unsigned int f : edges[edge].faces)
    if (normal * unit(into_face(edges[edge], contact_surface.faces[f], position)) > beside_cone)
      return false;
  return true;
}

/// Is one of the crossing points nearer to a face of the other body that has nothing to do with the
/// edges? Then it is that face that bodies have come through, like at corners of blocks in a row.
bool
EdgeDetector::leaves_elsewhere(const Meeting &meeting, const double time) const
{
  if (body_of_edge(meeting.contactor) == body_of_edge(meeting.target))
    return false; // the body's own faces are near
  const auto is_nearer = [&](const unsigned int own, const double s, const unsigned int other)
  {
    const auto normal = [&](const unsigned int i)
    { return search.face_normal(edges[other].faces[i]); };
    return faces.is_near_other_face(point_on(segment_at(own, time), s), meeting.depth,
                                    meeting.offset, body_of_edge(other), unit(outward(own)),
                                    {{normal(0), normal(1)}}, edges[other].nodes, time);
  };
  return is_nearer(meeting.contactor, meeting.closest.s, meeting.target) ||
         is_nearer(meeting.target, meeting.closest.t, meeting.contactor);
}

/**
 * Does @p edge lie flat on a face beside the edge @p other, with an end on that face's side that is
 * in contact with its body? @p normal is outward of the edge @p other or opposite to that.
 */
bool
EdgeDetector::held_by_ends(const unsigned int edge, const unsigned int other, const Vector &normal,
                           const double time) const
{
  const auto position = [&](const unsigned int node) { return nodes.position_at(node, time); };
  const double radius = std::max(properties[edge].size, properties[other].size);
  for (const unsigned int f : edges[other].faces)
  {
    const Vector into = unit(into_face(edges[other], contact_surface.faces[f], position));
    if (std::abs(normal * into) < flat)
      for (const unsigned int end : edges[edge].nodes)
        if (into * (position(end) - position(edges[other].nodes[0])) > 0 &&
            node_touches(end, body_of_edge(other), radius, time))
          return true;
  }
  return false;
}

bool
EdgeDetector::node_touches(const unsigned int node, const unsigned int body, const double radius,
                           const double time) const
{
  const auto touches = [&](const unsigned int contactor) {
    return contactor != none && faces.touches({contactor, time, radius, false}, body);
  };
  return touches(contactor_of_node[node]) || touches(contactor_of_back[node]);
}
} // namespace KickDrift
