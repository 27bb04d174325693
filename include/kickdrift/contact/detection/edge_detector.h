#ifndef KICKDRIFT_CONTACT_DETECTION_EDGE_DETECTOR_H
#define KICKDRIFT_CONTACT_DETECTION_EDGE_DETECTOR_H

#include <kickdrift/contact/detection/changed_contactors.h>
#include <kickdrift/contact/detection/detector.h>
#include <kickdrift/contact/detection/face_detector.h>
#include <kickdrift/contact/geometry/segments.h>
#include <kickdrift/contact/surface/exclusions.h>
#include <kickdrift/contact/surface/surface.h>
#include <kickdrift/contact/tracking/contact_neighborhood.h>
#include <kickdrift/nodes/node_table.h>

#include <optional>

namespace KickDrift
{
/**
 * Decides which edges of the surface are in contact with each other: what meets edge on edge has no
 * node behind a face (Cirak & West 2005, section 6.3; Wolff & Bucher 2013, section 8.4).
 *
 * Two edges touch where they cross, seen along the normal n = +-a x b, if each has passed the other
 * by no more than its size and n lies in the normal cones of both: n points away from both faces of
 * the target, -n from those of the contactor. So concave edges and the far sides of thin bodies are
 * never hit. Parallel edges are left to nodes and faces, and so is an edge that lies flat on a face
 * with an end that is in contact.
 *
 * Edges of shells belong to the side where they are convex, free ones to both. On which side of
 * each other two edges are is known from where they were when they came into sight, and remembered
 * until there is a gap between them: so they may pass the middle surfaces. What slides on along a
 * row of edges takes over what is known about the edge before, if that does not cross any more and
 * is about as high.
 *
 * A pair is tested from one side: the clearly shorter edge looks for the other, among like ones
 * that with the smaller number. An edge may cross several others at once, say both rims of a
 * narrower body, so each of its two parts is a contactor.
 */
class EdgeDetector : public Detector<3>, private ContactNeighborhood<3>::Targets
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, 3>;

  /**
   * All must outlive the detector; @p faces uses the same search.
   *
   * @param smallest_angle by which the undeformed surface must bend outwards at an edge [radian];
   * -pi takes all edges. Those without length never take part.
   */
  EdgeDetector(const NodeTable<3> &nodes, const Surface<3> &surface, const Exclusions &exclusions,
               const FaceSearch<3> &search, const FaceDetector<3> &faces,
               const MotionBounds<3> &bounds, double smallest_angle);

  /// Two for each edge.
  unsigned int
  n_contactors() const override
  {
    return n_parts * edges.size();
  }

  dealii::ArrayView<const unsigned int>
  nodes_of(const unsigned int contactor) const override
  {
    return {edges[contactor / n_parts].nodes.data(), 2};
  }

  double
  length(const unsigned int contactor) const override
  {
    return properties[contactor / n_parts].characteristic_length;
  }

  unsigned int
  body_of(const unsigned int contactor) const override
  {
    return body_of_edge(contactor / n_parts);
  }

  dealii::ArrayView<const unsigned int>
  faces_of(const unsigned int contactor) const override
  {
    return {edges[contactor / n_parts].faces.data(), 2};
  }

  /// The normal of contact is between the normals of an edge's faces, and its opposite is not
  /// further from the nearer one of the other edge's than half of the angle between those.
  double largest_cosine() const override;

  ContactPoint<3> find(const ContactTest &test) override;

  ContactFreeInterval free_interval(unsigned int contactor, double time,
                                    double target_speed) override;

  bool may_wake(unsigned int contactor, unsigned int body, unsigned int since,
                double time) override;

  void enter_instant(double time) override;

  /// Of the deepest of the edges of shells that a part of an edge crosses, or else of one that it
  /// has crossed and is still near to: twice its number, plus one if the normal has the direction
  /// of the product of both; there is none: -1.
  unsigned int side(unsigned int contactor) const override;

  void set_side(unsigned int contactor, unsigned int side) override;

  void serialize_contactor(Archive &archive, unsigned int contactor) override;

  void serialize(Archive &archive) override;

private:
  static constexpr unsigned int n_parts = 2;
  static constexpr unsigned int none = -1;

  /// Of an edge, in the reference configuration.
  struct Properties
  {
    double length;                ///< [length]
    double size;                  ///< length, or width of a face if that is less [length]
    double characteristic_length; ///< the smaller one of its nodes [length]
  };

  /// Two edges near each other.
  struct Meeting
  {
    unsigned int contactor, target; ///< edges
    ClosestPoints closest;
    bool crosses = false;     ///< is there a normal, and are the cones right?
    Vector normal = Vector(); ///< outward of the target, if they cross
    double depth = 0;         ///< of the contactor behind the target, if they cross [length]
    double offset = 0;        ///< of where they touch, see Surface::offset() [length]
    unsigned int side = none; ///< on which they are, if they cross and are edges of shells
    bool has_passed = false;  ///< the middle surfaces of shells

    /// Between the surfaces of shells, negative where these touch [length].
    double
    gap() const
    {
      return closest.distance - offset;
    }
  };

  /// The lines of two edges, seen along the product of their directions.
  struct Lines
  {
    Vector product; ///< unit vector
    double s, t;    ///< where they cross, in lengths of the edges [-]
    double height;  ///< of the contactor above the target, along the product [length]

    /// Do the edges themselves cross?
    bool are_on_edges() const;
  };

  /// An edge that another one crosses, or has crossed and is still near to.
  struct Crossing
  {
    unsigned int part; ///< of the contactor's edge, that found it
    unsigned int side; ///< of the target, and its number, see side()
    double height;     ///< of the contactor above the target, when it last crossed it [length]
  };

  using NeighborhoodQuery = ContactNeighborhood<3>::NeighborhoodQuery;

  // edges as targets
  void find_targets(const NeighborhoodQuery &query, unsigned int body, double radius, double time,
                    std::vector<unsigned int> &found) const override;
  double distance_to_own(const NeighborhoodQuery &query, double time,
                         double furthest) const override;
  void find_targets_of_face(unsigned int face, std::vector<unsigned int> &found) const override;
  bool is_possible(const NeighborhoodQuery &query, unsigned int target) const override;
  unsigned int body_of_target(unsigned int edge) const override;
  double distance_to(const NeighborhoodQuery &query, unsigned int edge, double time) const override;
  double deepest(const NeighborhoodQuery &query, unsigned int body) const override;
  bool carries(unsigned int face, const NeighborhoodQuery &query) const override;
  bool may_look_at(const NeighborhoodQuery &query, unsigned int edge) const override;

  void add_edge(const SurfaceEdge &edge);
  void start_sides();
  /// An edge whose ends are at @p segment.
  NeighborhoodQuery query(unsigned int edge, const Segment &segment) const;
  /// Which faces of its own body targets may belong to.
  FaceSearch<3>::NormalCone cone(const NeighborhoodQuery &query) const;
  bool excluded(unsigned int edge, unsigned int other) const;
  bool asks(unsigned int edge, unsigned int other) const;
  bool normals_opposed(unsigned int edge, unsigned int other, double slack) const;
  Segment segment_at(unsigned int edge, double time) const;
  std::optional<Meeting> meet(const ContactTest &test, unsigned int target) const;
  void cross(Meeting &meeting, const ContactTest &test) const;
  /// Nothing if they are parallel.
  std::optional<Lines> lines_of(unsigned int edge, unsigned int other, double time) const;
  /// See Surface::offset(). Nothing if they are near each other only as neighbours on one body.
  std::optional<double> offset_of(const Meeting &meeting) const;
  /// On which side of the target was the contactor, or what is next to it? Nothing is known: 0,
  /// else the sign of the product of the directions of both.
  int known_sign(const Meeting &meeting, const ContactTest &test, const Lines &lines) const;
  /// The same from the crossing of an edge with what @p side names.
  int sign_of_neighbours(const Meeting &meeting, const Lines &lines, unsigned int edge,
                         unsigned int side, double time) const;
  /// Is the pair, or that of their twins, known to be on the other side than @p sign says?
  bool is_known_elsewhere(const Meeting &meeting, const Lines &lines, int sign, double time) const;
  /// Are they the same, or one behind the other on the same side of a shell?
  bool is_next_to(unsigned int edge, unsigned int other) const;
  /// Is it still of use if a test has not found it?
  bool is_kept(unsigned int edge, const Crossing &crossing, double time) const;
  /// Remember what a test has found.
  void note_sides(const ContactTest &test, const std::vector<Meeting> &found);
  /// Of the two places in the reference configuration, on one body [length].
  double first_distance(const Meeting &meeting) const;
  bool in_normal_cone(unsigned int edge, const Vector &normal, double time) const;
  bool leaves_elsewhere(const Meeting &meeting, double time) const;
  bool held_by_ends(unsigned int edge, unsigned int flat, const Vector &normal, double time) const;
  bool node_touches(unsigned int node, unsigned int body, double radius, double time) const;
  void fill(ContactPoint<3> &touch, const Meeting &meeting) const;

  /// Sum of the unit normals of both faces, as they were when their boxes were last refitted.
  Vector
  outward(const unsigned int edge) const
  {
    return search.face_normal(edges[edge].faces[0]) + search.face_normal(edges[edge].faces[1]);
  }

  unsigned int
  body_of_edge(const unsigned int edge) const
  {
    return contact_surface.faces[edges[edge].faces[0]].body;
  }

  double
  size_of(const Meeting &meeting) const
  {
    return std::min(properties[meeting.contactor].size, properties[meeting.target].size);
  }

  const NodeTable<3> &nodes;
  const Surface<3> &contact_surface;
  const Exclusions &exclusions;
  const FaceSearch<3> &search;
  const FaceDetector<3> &faces;
  std::vector<SurfaceEdge> edges;
  std::vector<Properties> properties;                     ///< by edge
  std::vector<std::array<unsigned int, 4>> edges_of_face; ///< or none
  std::vector<unsigned int> contactor_of_node;            ///< in the surface, or none
  std::vector<unsigned int> contactor_of_back;            ///< the same on the backs of shells
  ContactNeighborhood<3> neighborhood;                    ///< of edges
  /// By edge, of each part what crosses first, the deepest before all; nothing if there are no
  /// shells. Of other processes' edges one for each part.
  std::vector<std::vector<Crossing>> crossings;
  std::vector<unsigned int> sides; ///< by contactor: side() as of the beginning of the instant
  ChangedContactors changed;       ///< of those
  /// By edge: the one on the other side of a shell, or none; nothing if there are no shells.
  std::vector<unsigned int> twins;
  /// By edge: those next to it; nothing if there are no shells.
  std::vector<std::vector<unsigned int>> adjoining_edges;
  double sharpest = 1; ///< smallest cosine of half the angle between the faces of an edge [-]
};
} // namespace KickDrift

#endif
