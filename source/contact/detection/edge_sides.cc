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
// What one crossing tells of the next one, or of itself later, is true if their heights differ by
// no more than this share of what edges keep from each other.
constexpr double height_limit = 0.5;
} // namespace

void
EdgeDetector::start_sides()
{
  if (!contact_surface.has_shells())
    return; // nothing is remembered
  crossings.resize(edges.size());
  sides.assign(n_contactors(), none);
  changed.start(n_contactors());
  std::map<unsigned int, std::vector<unsigned int>> edges_of_node;
  for (unsigned int edge = 0; edge < edges.size(); ++edge)
    for (const unsigned int node : edges[edge].nodes)
      edges_of_node[node].push_back(edge);
  adjoining_edges.resize(edges.size());
  twins.assign(edges.size(), none);
  for (unsigned int edge = 0; edge < edges.size(); ++edge)
    for (const unsigned int node : edges[edge].nodes)
      for (const unsigned int other : edges_of_node[node])
        if (other != edge && is_next_to(edge, other))
          adjoining_edges[edge].push_back(other);
        else if (other != edge && edges[edge].nodes == edges[other].nodes)
          twins[edge] = other;
}

bool
EdgeDetector::is_next_to(const unsigned int edge, const unsigned int other) const
{
  if (edge == other)
    return true;
  const auto &own = edges[edge].nodes, &others = edges[other].nodes;
  const bool has_first = own[0] == others[0] || own[0] == others[1];
  const bool has_second = own[1] == others[0] || own[1] == others[1];
  if (has_first == has_second) // not even its twin on the other side of the shell
    return false;
  for (const unsigned int f : edges[edge].faces)
    for (const unsigned int g : edges[other].faces)
      if (contact_surface.faces[f].side == contact_surface.faces[g].side)
        return true;
  return false;
}

int
EdgeDetector::known_sign(const Meeting &meeting, const ContactTest &test, const Lines &lines) const
{
  const auto &known = crossings[meeting.contactor];
  // the part that is tested knows better than the other one, where it came from
  for (const bool is_same_part : {true, false})
    for (const Crossing &crossing : known)
      if (crossing.side / 2 == meeting.target &&
          (crossing.part == test.contactor % n_parts) == is_same_part)
        return crossing.side % 2 == 1 ? 1 : -1;
  for (const Crossing &crossing : known)
    if (const int sign =
            sign_of_neighbours(meeting, lines, meeting.contactor, crossing.side, test.time))
      return sign;
  const auto sign_of = [&](const unsigned int edge) -> int
  {
    for (unsigned int part = 0; part < n_parts; ++part)
      if (const unsigned int side = sides[n_parts * edge + part]; side != none)
        if (const int sign = sign_of_neighbours(meeting, lines, edge, side, test.time))
          return sign;
    return 0;
  };
  for (const unsigned int edge : adjoining_edges[meeting.contactor])
    if (const int sign = sign_of(edge))
      return sign;
  // where the target, or what is next to it, was the one that asked
  if (const int sign = sign_of(meeting.target))
    return sign;
  for (const unsigned int edge : adjoining_edges[meeting.target])
    if (const int sign = sign_of(edge))
      return sign;
  return 0;
}

int
EdgeDetector::sign_of_neighbours(const Meeting &meeting, const Lines &lines,
                                 const unsigned int edge, const unsigned int side,
                                 const double time) const
{
  const unsigned int target = side / 2;
  const bool is_same_way =
      is_next_to(edge, meeting.contactor) && is_next_to(target, meeting.target);
  if (!is_same_way && !(is_next_to(edge, meeting.target) && is_next_to(target, meeting.contactor)))
    return 0;
  const auto before = lines_of(edge, target, time);
  if (!before || before->are_on_edges()) // while it crosses, others are elsewhere
    return 0;
  const int sign_before = side % 2 == 1 ? 1 : -1;
  const double cosine =
      (is_same_way ? sign_before : -sign_before) * (before->product * lines.product);
  if (std::abs(cosine) <= same_side)
    return 0;
  const int sign = cosine > 0 ? 1 : -1;
  return std::abs(sign * lines.height - sign_before * before->height) <=
                 height_limit * meeting.offset
             ? sign
             : 0;
}

bool
EdgeDetector::is_known_elsewhere(const Meeting &meeting, const Lines &lines, const int sign,
                                 const double time) const
{
  // twins have the same nodes, so lines are the same
  Meeting pair = meeting;
  const auto is_elsewhere = [&](const unsigned int edge)
  {
    for (unsigned int part = 0; part < n_parts; ++part)
      if (const unsigned int side = sides[n_parts * edge + part]; side != none)
      {
        const bool is_pair = (edge == pair.contactor && side / 2 == pair.target) ||
                             (edge == pair.target && side / 2 == pair.contactor);
        const int known =
            is_pair ? (side % 2 == 1 ? 1 : -1) : sign_of_neighbours(pair, lines, edge, side, time);
        if (known == -sign)
          return true;
      }
    return false;
  };
  for (const unsigned int edge : {meeting.contactor, twins[meeting.contactor]})
    for (const unsigned int other : {meeting.target, twins[meeting.target]})
    {
      if (edge == none || other == none)
        continue;
      pair.contactor = edge;
      pair.target = other;
      for (const unsigned int one : {edge, other})
        if (is_elsewhere(one) ||
            std::any_of(adjoining_edges[one].begin(), adjoining_edges[one].end(), is_elsewhere))
          return true;
    }
  return false;
}

/// Forgotten is what has a gap now, what the other part has found, and what has come to the other
/// side around an end. What takes over may be tested at later instants only.
bool
EdgeDetector::is_kept(const unsigned int edge, const Crossing &crossing, const double time) const
{
  const unsigned int target = crossing.side / 2;
  for (const Crossing &other : crossings[edge])
    if (other.part != crossing.part && other.side / 2 == target)
      return false;
  const Meeting meeting{edge, target,
                        closest_points(segment_at(edge, time), segment_at(target, time))};
  const auto offset = offset_of(meeting);
  const auto lines = lines_of(edge, target, time);
  if (!offset || meeting.closest.distance >= *offset || !lines)
    return false;
  const double height = crossing.side % 2 == 1 ? lines->height : -lines->height;
  return lines->are_on_edges() || height >= crossing.height - height_limit * *offset;
}

void
EdgeDetector::note_sides(const ContactTest &test, const std::vector<Meeting> &found)
{
  if (crossings.empty())
    return;
  auto &known = crossings[test.contactor / n_parts];
  const unsigned int part = test.contactor % n_parts;
  if (known.empty() && found.empty())
    return;
  static thread_local std::vector<Crossing> now;
  now.clear();
  for (const Meeting &meeting : found)
    now.push_back({part, meeting.side, meeting.offset - meeting.depth});
  const auto deepest = std::max_element(
      found.begin(), found.end(), [](const auto &a, const auto &b) { return a.depth < b.depth; });
  if (deepest != found.end())
    std::swap(now.front(), now[deepest - found.begin()]);
  for (const Crossing &crossing : known)
  {
    const auto is_found = [&](const Meeting &meeting)
    { return meeting.target == crossing.side / 2; };
    if (crossing.part != part || (std::none_of(found.begin(), found.end(), is_found) &&
                                  is_kept(test.contactor / n_parts, crossing, test.time)))
      now.push_back(crossing);
  }
  known = now;
  if (side(test.contactor) != sides[test.contactor])
    changed.note(test.contactor);
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
    known.push_back({part, side, 0.});
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
