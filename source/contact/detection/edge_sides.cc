// On which side of each other edges of shells are that cross.

#include <kickdrift/base/archive_checks.h>
#include <kickdrift/contact/detection/edge_detector.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace KickDrift
{
namespace
{
// Least cosine of two normals of neighbouring crossings that are on the same side.
constexpr double same_side = 0.5;
} // namespace

void
EdgeDetector::start_sides()
{
  if (!contact_surface.has_shells())
    return; // nothing is remembered
  crossings.resize(edges.size());
  sides.assign(n_contactors(), none);
  changed.start(n_contactors());
  neighbours.resize(edges.size());
  std::map<unsigned int, std::vector<unsigned int>> edges_of_node;
  for (unsigned int edge = 0; edge < edges.size(); ++edge)
    for (const unsigned int node : edges[edge].nodes)
      edges_of_node[node].push_back(edge);
  for (unsigned int edge = 0; edge < edges.size(); ++edge)
  {
    neighbours[edge].push_back(edge); // for its other part, which may have been tested already
    for (const unsigned int node : edges[edge].nodes)
      for (const unsigned int other : edges_of_node[node])
        if (other != edge)
          neighbours[edge].push_back(other);
  }
}

bool
EdgeDetector::have_common_node(const unsigned int edge, const unsigned int other) const
{
  const auto &own = edges[edge].nodes, &others = edges[other].nodes;
  return own[0] == others[0] || own[0] == others[1] || own[1] == others[0] || own[1] == others[1];
}

int
EdgeDetector::known_sign(const Meeting &meeting, const Vector &product, const double time) const
{
  const auto direction = [&](const unsigned int edge)
  {
    const Segment segment = segment_at(edge, time);
    return segment[1] - segment[0];
  };
  // of a crossing of the same edges, or of neighbours of one or both of them
  const auto sign_of = [&](const unsigned int edge, const unsigned int side) -> int
  {
    const unsigned int target = side / 2;
    if (edge == meeting.contactor && target == meeting.target)
      return side % 2 == 1 ? 1 : -1;
    Vector normal = cross_product_3d(direction(edge), direction(target));
    if (side % 2 == 0)
      normal *= -1;
    const double along = normal * product, limit = same_side * normal.norm();
    return along > limit ? 1 : along < -limit ? -1 : 0;
  };
  for (const bool is_exact : {true, false})
    for (const Crossing &crossing : crossings[meeting.contactor])
      if (const unsigned int target = crossing.side / 2;
          is_exact ? target == meeting.target : have_common_node(target, meeting.target))
        if (const int sign = sign_of(meeting.contactor, crossing.side))
          return sign;
  for (const unsigned int edge : neighbours[meeting.contactor])
    for (unsigned int part = 0; part < n_parts; ++part)
      if (const unsigned int side = sides[n_parts * edge + part];
          side != none && have_common_node(side / 2, meeting.target))
        if (const int sign = sign_of(edge, side))
          return sign;
  return 0;
}

void
EdgeDetector::note_sides(const unsigned int contactor, const std::vector<Meeting> &found)
{
  if (crossings.empty())
    return;
  auto &known = crossings[contactor / n_parts];
  const unsigned int part = contactor % n_parts;
  if (known.empty() && found.empty())
    return;
  const auto begin = std::remove_if(
      known.begin(), known.end(), [&](const Crossing &crossing) { return crossing.part == part; });
  known.erase(begin, known.end());
  const auto deepest =
      std::max_element(found.begin(), found.end(),
                       [](const Meeting &a, const Meeting &b) { return a.depth < b.depth; });
  if (deepest != found.end())
    known.push_back({part, deepest->side});
  for (auto meeting = found.begin(); meeting != found.end(); ++meeting)
    if (meeting != deepest)
      known.push_back({part, meeting->side});
  if (side(contactor) != sides[contactor])
    changed.note(contactor);
}

void
EdgeDetector::enter_instant(double)
{
  changed.take([&](const unsigned int contactor) { sides[contactor] = side(contactor); });
}

unsigned int
EdgeDetector::side(const unsigned int contactor) const
{
  if (crossings.empty())
    return none;
  for (const Crossing &crossing : crossings[contactor / n_parts])
    if (crossing.part == contactor % n_parts)
      return crossing.side;
  return none;
}

void
EdgeDetector::set_side(const unsigned int contactor, const unsigned int side)
{
  if (crossings.empty())
    return;
  auto &known = crossings[contactor / n_parts];
  const unsigned int part = contactor % n_parts;
  known.erase(std::remove_if(known.begin(), known.end(),
                             [&](const Crossing &crossing) { return crossing.part == part; }),
              known.end());
  if (side != none)
    known.push_back({part, side});
  if (side != sides[contactor])
    changed.note(contactor);
}

/// Both parts of an edge have the same lists: they are complete with either.
void
EdgeDetector::serialize_contactor(Archive &archive, const unsigned int contactor)
{
  const unsigned int edge = contactor / n_parts;
  neighborhood.serialize(archive, edge);
  if (!crossings.empty())
    archive(crossings[edge]);
}

void
EdgeDetector::serialize(Archive &archive)
{
  archive.section("edge detector");
  archive(neighborhood);
  archive.fixed(crossings);
  neighborhood.check(edges.size());
  for (const auto &of_edge : crossings)
    for (const Crossing &crossing : of_edge)
      check_state(crossing.part < n_parts && crossing.side / 2 < edges.size(), "edge detector");
  if (archive.is_reading())
    for (unsigned int contactor = 0; contactor < sides.size(); ++contactor)
      changed.note(contactor);
}
} // namespace KickDrift
