// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_SEARCH_CANDIDATES_H
#define KICKDRIFT_CONTACT_SEARCH_CANDIDATES_H

#include <kickdrift/contact/flight/facets.h>
#include <kickdrift/contact/search/hierarchy.h>

#include <array>
#include <functional>
#include <vector>

namespace KickDrift
{
/**
 * Which points and facets, and which edges, may meet. Every node has a box with room around it, and
 * gets another one when it leaves that; points, facets and edges have what is around the boxes of
 * their nodes. Those may meet whose boxes overlap, and which are no further apart, if all nodes
 * were in the middle of their boxes, than these are large. How much room there is decides about
 * cost alone, since whatever two things meet in flight are candidates then.
 *
 * Either of things of different bodies, or of those of one, see Proximity.
 *
 * Nodes are places in Facets::nodes().
 */
template <int spacedim>
class Candidates
{
public:
  /// Whose things are looked at?
  enum class Of
  {
    different_bodies, ///< nodes may be anywhere in their boxes
    one_body          ///< nodes stay in the balls in their boxes, which are cubes
  };

  /// May two things meet at all?
  struct Rules
  {
    std::function<bool(unsigned int point, unsigned int facet)> facet; ///< point and facet
    std::function<bool(unsigned int edge, unsigned int other)> edge;   ///< two edges
    /// Obstacles that may touch a point in a box.
    std::function<std::vector<unsigned int>(unsigned int point, const Box<spacedim> &box)>
        obstacles;
  };

  /// What a point is.
  struct CarriedPoint
  {
    std::vector<unsigned int> nodes; ///< that carry it
    unsigned int body;               ///< of the surface
  };

  /// Edges that take part.
  struct Edges
  {
    std::vector<unsigned int> all;      ///< ascending, of Facets::edges()
    std::vector<unsigned int> features; ///< those of them of which a pair must have one
  };

  /// @p facets must outlive it.
  Candidates(const Facets<spacedim> &facets, std::vector<CarriedPoint> points, Edges edges,
             Of whose, Rules rules);

  /// Begin with these boxes, by place.
  void start(std::vector<Box<spacedim>> boxes);

  /// The box that a node may be in.
  const Box<spacedim> &
  box(const unsigned int place) const
  {
    return boxes[place];
  }

  /// All of them; the candidates follow from these alone.
  const std::vector<Box<spacedim>> &
  all_boxes() const
  {
    return boxes;
  }

  /// Give nodes other boxes.
  void move(const std::vector<std::pair<unsigned int, Box<spacedim>>> &moved);

  /// Facets of one body that may be in a box, ascending.
  std::vector<unsigned int> facets_of_body(unsigned int body, const Box<spacedim> &box) const;

  /// Facets that a point may meet, ascending.
  const std::vector<unsigned int> &
  facets_of_point(const unsigned int point) const
  {
    return near_facets[point];
  }

  /// The other way round.
  const std::vector<unsigned int> &
  points_of_facet(const unsigned int facet) const
  {
    return near_points[facet];
  }

  /// Obstacles that a point may meet.
  const std::vector<unsigned int> &
  obstacles_of_point(const unsigned int point) const
  {
    return near_obstacles[point];
  }

  /// Edges that an edge may meet, ascending.
  const std::vector<unsigned int> &
  edges_of_edge(const unsigned int edge) const
  {
    return near_edges[edge];
  }

  /// Points that a node carries.
  const std::vector<unsigned int> &
  points_of_node(const unsigned int place) const
  {
    return points_of[place];
  }

  /// Is there anything that something of a node may meet?
  bool
  has_any(const unsigned int place) const
  {
    return n_pairs[place] > 0;
  }

private:
  /// Has a facet the node that a point is?
  bool carries(unsigned int point, unsigned int facet) const;
  /// Have two edges an end in common, or are they one?
  bool share_corner(unsigned int edge, unsigned int other) const;
  Box<spacedim> box_of_edge(unsigned int edge) const;
  /// Corners in the middles of their boxes, and what is around them.
  template <std::size_t n>
  struct Middles
  {
    std::array<dealii::Point<spacedim>, n> corners;
    double reach = 0; ///< that a corner may be away from there at most [length]
    dealii::Point<spacedim> center;
    double radius; ///< of a sphere around all [length]
  };

  template <std::size_t n>
  Middles<n> middles(const std::array<unsigned int, n> &corners) const;
  bool are_near(unsigned int point, unsigned int facet) const;
  bool are_edges_near(unsigned int edge, unsigned int other) const;
  void find_facets(unsigned int point);
  void find_points(unsigned int face);
  struct Boxes;
  void build_edges(Boxes &some, const std::vector<unsigned int> &of_these) const;
  void find_edges(unsigned int edge);
  /// Pairs have come (1) or gone (-1).
  void count_facet(unsigned int point, unsigned int facet, int change);
  void count_edge(unsigned int edge, int change);
  void set_point(unsigned int point);
  void set_face(unsigned int face);
  void set_edge(unsigned int edge);

  const Facets<spacedim> &facets;
  const std::vector<CarriedPoint> all_points;
  const Edges edges;
  const Of whose;
  const Rules rules;
  std::vector<Box<spacedim>> boxes; ///< by place
  std::vector<std::vector<unsigned int>> points_of;
  std::vector<unsigned int> number_of_edge, number_of_feature; ///< among edges
  /// Boxes of things of one kind, and which of them overlap another one.
  struct Boxes
  {
    /// @p bodies : by number
    void build(std::vector<Box<spacedim>> first, std::vector<unsigned int> bodies);
    void set(unsigned int number, const Box<spacedim> &box);
    /// Those that overlap @p box, and perhaps some that almost do, and are wanted beside something
    /// of @p body; valid until the next call.
    const std::vector<unsigned int> &find(const Box<spacedim> &box, unsigned int body, Of whose);

    std::vector<Box<spacedim>> boxes; ///< by number
    Hierarchy<spacedim> tree;         ///< of these, grouped by body
    std::vector<unsigned int> found;
    unsigned int n_changes = 0; ///< since the tree was looked at as a whole
  };

  Boxes point_boxes, face_boxes;
  Boxes edge_boxes, feature_boxes;       ///< by number_of_edge and number_of_feature
  std::vector<Middles<1>> point_middles; ///< of points that are a node
  std::vector<Middles<spacedim>> facet_middles;
  std::vector<Middles<2>> edge_middles;
  std::vector<std::vector<unsigned int>> near_facets, near_points, near_edges, near_obstacles;
  std::vector<unsigned int> n_pairs; ///< by place
  /// What a move() changes.
  struct Moved
  {
    void add(unsigned int number);
    void clear();

    std::vector<unsigned int> numbers;
    std::vector<char> is_listed; ///< by number
  };
  Moved moved_points, moved_faces, moved_edges;
};
} // namespace KickDrift

#endif
