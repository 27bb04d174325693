#ifndef KICKDRIFT_CONTACT_DETECTOR_H
#define KICKDRIFT_CONTACT_DETECTOR_H

#include <kickdrift/contact/closest_point.h>
#include <kickdrift/contact/face_search.h>
#include <kickdrift/contact/surface.h>
#include <kickdrift/nodes/node_table.h>

#include <set>
#include <string>
#include <utility>

namespace KickDrift
{
/// The face that a contactor is behind, or that it looks at.
template <int spacedim>
struct Hit
{
  static constexpr unsigned int none = -1;
  unsigned int face = none;
  double depth; ///< positive behind the face, negative in front of it [length]
  ClosestPoint<spacedim> closest;
};

/**
 * Decides which face a surface node is in contact with: general contact, every boundary node
 * against every boundary face, self-contact included (method: detection).
 *
 * A node is in contact when it lies behind a face, not deeper than the face is large, with its
 * closest point on the face, and when node and face look at each other. The far side of a thin body
 * and the neighbours of a node on its own body do not attract it.
 */
template <int spacedim>
class Detector
{
public:
  using Vector = dealii::Tensor<1, spacedim>;

  /// What a search for one contactor needs to know.
  struct Query
  {
    unsigned int contactor;
    double time;   ///< to which the contactor and the faces nearby are drifted [time]
    double radius; ///< faces further away are not seen [length]
    bool lasts;    ///< has the contactor been in contact just now?
  };

  /// @p exclude : pairs as in ContactParameters. Throws if an unknown body is named.
  Detector(NodeTable<spacedim> &nodes, Surface<spacedim> surface,
           const std::vector<std::pair<std::string, std::string>> &exclude);

  /// What is left of the surface after exclusions.
  const Surface<spacedim> &
  surface() const
  {
    return skin;
  }

  /// Hierarchy of the faces; to be built before the first find(), and told when nodes move.
  FaceSearch<spacedim> &
  faces()
  {
    return search;
  }

  /**
   * Find the face that the contactor looks at. Returns true if it is in contact with it; if not,
   * Hit::face is the nearest face in sight, or none.
   */
  bool find(const Query &query, Hit<spacedim> &hit);

  /// Is there no face that the contactor looks at within @p distance [length]? Positions are those
  /// of the contactor's own time and of the boxes of the faces.
  bool sees_nothing(unsigned int contactor, double distance);

private:
  double facing_limit(const Vector &outward) const;
  void apply_exclusions(const std::vector<std::pair<std::string, std::string>> &exclude);
  unsigned int body_index(const std::string &name) const;
  std::vector<char> nodes_on_faces() const;
  bool excluded(const Contactor &contactor, unsigned int face) const;
  using Corners = std::array<dealii::Point<spacedim>, SurfaceFace<spacedim>::max_nodes>;
  /// Drift the nodes of a face to @p time; returns their number.
  unsigned int corners_of(unsigned int face, double time, Corners &corners);
  void sort_nearby(const Contactor &contactor, const dealii::Point<spacedim> &point, double time);
  bool is_neighbour(const Contactor &contactor, unsigned int face,
                    const ClosestPoint<spacedim> &closest) const;
  bool is_outside(const Query &query, const Hit<spacedim> &hit, double rim);

  NodeTable<spacedim> &nodes;
  Surface<spacedim> skin;
  FaceSearch<spacedim> search;
  std::set<std::pair<unsigned int, unsigned int>> excluded_bodies;
  // results of the last search; kept to avoid allocation
  std::vector<unsigned int> nearby;
  std::vector<std::pair<double, unsigned int>> by_distance;
};
} // namespace KickDrift

#endif
