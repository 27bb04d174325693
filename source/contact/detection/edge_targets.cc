// Edges as targets: which of them an edge may touch, how far they are, how long it can sleep.

#include <kickdrift/contact/detection/edge_detector.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
namespace
{
// How much normals may have turned since their boxes were refitted, as a cosine.
constexpr double turned = 0.2;
// How much they may turn before one of them counts as turned, as a cosine: where two edges touch,
// the normal is between those of their faces.
constexpr double turn = FaceSearch<3>::unnoticed_turn;
// An edge looks for those that are longer than this share of its own length.
constexpr double like_length = 0.9;
// An edge is looked at again before it can be deeper than this share of a body's thickness.
constexpr double depth_share = 0.9;
} // namespace

bool
EdgeDetector::excluded(const unsigned int edge, const unsigned int other) const
{
  for (const unsigned int node : edges[edge].nodes)
    if (node == edges[other].nodes[0] || node == edges[other].nodes[1])
      return true;
  return exclusions.excluded(body_of_edge(edge), body_of_edge(other));
}

/// Is it this edge that looks for the other one?
bool
EdgeDetector::asks(const unsigned int edge, const unsigned int other) const
{
  const double own = properties[edge].length, others = properties[other].length;
  if (own < like_length * others)
    return true;
  return own * like_length <= others && edge < other;
}

/// May there be a normal in the cone of one edge whose opposite is in that of the other? The cones
/// contain what is within half the angle between the faces' normals from their mean.
bool
EdgeDetector::normals_opposed(const unsigned int edge, const unsigned int other,
                              const double slack) const
{
  const Vector a = outward(edge), b = outward(other);
  const double norm_a = a.norm(), norm_b = b.norm();
  const double cos_a = std::min(1., 0.5 * norm_a), cos_b = std::min(1., 0.5 * norm_b);
  const double cosine =
      cos_a * cos_b - std::sqrt((1 - cos_a * cos_a) * (1 - cos_b * cos_b)) - turned;
  return -(a * b) >= (cosine - slack) * norm_a * norm_b;
}

Segment
EdgeDetector::segment_at(const unsigned int edge, const double time) const
{
  const auto &ends = edges[edge].nodes;
  return {{nodes.position_at(ends[0], time), nodes.position_at(ends[1], time)}};
}

double
EdgeDetector::largest_cosine() const
{
  return std::min(1., turned - sharpest);
}

EdgeDetector::NeighborhoodQuery
EdgeDetector::query(const unsigned int edge, const Segment &segment) const
{
  return {edge,
          body_of_edge(edge),
          properties[edge].characteristic_length,
          ContactNeighborhood<3>::Points(segment.data(), segment.size()),
          outward(edge),
          0.5 * contact_surface.thickness(body_of_edge(edge))};
}

FaceSearch<3>::NormalCone
EdgeDetector::cone(const NeighborhoodQuery &query) const
{
  // the nearer face of a target is no further from the normal than half its angle
  const double norm = query.outward.norm(), cosine = std::min(1., 0.5 * norm);
  const double product =
      turned - cosine * sharpest + std::sqrt((1 - cosine * cosine) * (1 - sharpest * sharpest));
  return {query.outward, norm * (product + turn)};
}

void
EdgeDetector::find_targets(const NeighborhoodQuery &query, const unsigned int body,
                           const double radius, const double time,
                           std::vector<unsigned int> &found) const
{
  const Box<3> box = query.box();
  static thread_local std::vector<unsigned int> nearby_faces;
  nearby_faces.clear();
  if (body == query.body) // its neighbours look the same way
    search.candidates_of(body, box, radius, cone(query), time, nearby_faces);
  else
    search.candidates_of(body, box, radius, time, nearby_faces);
  for (const unsigned int face : nearby_faces)
    find_targets_of_face(face, found);
  if (body == query.body)
    found.erase(std::remove_if(found.begin(), found.end(),
                               [&](const unsigned int other)
                               { return !may_look_at(query, other); }),
                found.end());
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
}

double
EdgeDetector::distance_to_own(const NeighborhoodQuery &query, const double time,
                              const double furthest) const
{
  return search.distance_to_nearest(
      query.body, query.box(), cone(query), time, furthest,
      [&](const unsigned int face)
      {
        double nearest = std::numeric_limits<double>::infinity();
        for (const unsigned int edge : edges_of_face[face])
          if (edge != none && may_look_at(query, edge) && is_possible(query, edge))
            nearest = std::min(nearest, distance_to(query, edge, time));
        return nearest;
      });
}

void
EdgeDetector::find_targets_of_face(const unsigned int face, std::vector<unsigned int> &found) const
{
  for (const unsigned int edge : edges_of_face[face])
    if (edge != none)
      found.push_back(edge);
}

bool
EdgeDetector::is_possible(const NeighborhoodQuery &query, const unsigned int edge) const
{
  return edge != query.index && asks(query.index, edge) && !excluded(query.index, edge);
}

unsigned int
EdgeDetector::body_of_target(const unsigned int edge) const
{
  return body_of_edge(edge);
}

double
EdgeDetector::distance_to(const NeighborhoodQuery &query, const unsigned int edge,
                          const double time) const
{
  return closest_points({{query.points[0], query.points[1]}}, segment_at(edge, time)).distance -
         contact_surface.offset(query.body, body_of_edge(edge));
}

bool
EdgeDetector::carries(const unsigned int face, const NeighborhoodQuery &query) const
{
  return edges[query.index].faces[0] == face || edges[query.index].faces[1] == face;
}

bool
EdgeDetector::may_look_at(const NeighborhoodQuery &query, const unsigned int edge) const
{
  return normals_opposed(query.index, edge, turn);
}

ContactFreeInterval
EdgeDetector::free_interval(const unsigned int contactor, const double time, double)
{
  const unsigned int edge = contactor / n_parts;
  const Segment segment = segment_at(edge, time);
  const NeighborhoodQuery own = query(edge, segment);
  neighborhood.update(own, time, own.length);
  return neighborhood.free_interval(own, time, depth_share);
}

double
EdgeDetector::deepest(const NeighborhoodQuery &query, const unsigned int body) const
{
  const double size = properties[query.index].size,
               offset = contact_surface.offset(query.body, body);
  return depth_share * (offset > 0 ? std::min(size, offset) : size);
}

bool
EdgeDetector::may_wake(const unsigned int contactor, const unsigned int body,
                       const unsigned int since, const double time)
{
  const unsigned int edge = contactor / n_parts;
  const Segment segment = segment_at(edge, time);
  return neighborhood.may_wake(query(edge, segment), body, since, time);
}
} // namespace KickDrift
