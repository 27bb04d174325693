#ifndef KICKDRIFT_CONTACT_FACE_DETECTOR_H
#define KICKDRIFT_CONTACT_FACE_DETECTOR_H

#include <kickdrift/contact/closest_point.h>
#include <kickdrift/contact/detector.h>
#include <kickdrift/contact/exclusions.h>
#include <kickdrift/contact/face_search.h>
#include <kickdrift/contact/own_clearance.h>
#include <kickdrift/contact/surface.h>
#include <kickdrift/nodes/node_table.h>

#include <utility>

namespace KickDrift
{
/// The face that a contactor is behind, or that it looks at.
template <int spacedim>
struct Hit
{
  static constexpr unsigned int none = -1; ///< number of no face
  unsigned int face = none;       ///< index of the face that the contactor looks at, or none
  bool touches = false;           ///< is the contactor in contact with it?
  double depth;                   ///< positive behind the face, negative in front of it [length]
  ClosestPoint<spacedim> closest; ///< the closest point of the face
};

/**
 * Decides which face a point of the surface is in contact with: general contact, every contactor
 * against every boundary face, self-contact included (method: detection).
 *
 * A point is in contact when it lies behind a face, not deeper than the face is large, with its
 * closest point on the face, and when point and face look at each other. The far side of a thin
 * body and the neighbours of a point on its own body do not attract it.
 */
template <int spacedim>
class FaceDetector : public Detector<spacedim>
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// All must outlive the detector.
  FaceDetector(NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
               const Exclusions &exclusions, MotionBounds<spacedim> &bounds);

  /// As many as the surface has.
  unsigned int
  n_contactors() const override
  {
    return skin.contactors.size();
  }

  dealii::ArrayView<const unsigned int>
  nodes_of(const unsigned int contactor) const override
  {
    return skin.contactors[contactor].node_view();
  }

  double
  length(const unsigned int contactor) const override
  {
    return skin.contactors[contactor].length;
  }

  unsigned int
  body_of(const unsigned int contactor) const override
  {
    return skin.contactors[contactor].body;
  }

  /// Build the hierarchies, see FaceSearch::build(); bounds of motion must have been started.
  void start(double time, double shortest_interval);

  Touch<spacedim> find(const DetectorQuery &query) override;

  Freedom freedom(unsigned int contactor, double time, double target_speed) override;

  /// The face that a contactor looks at, as find() sees it; Hit::face may be none.
  Hit<spacedim> find_face(const DetectorQuery &query);

  /**
   * Is @p point nearer than @p distance to a face of @p body that looks against @p outward, and
   * that faces another way than the unit vectors @p directions? Faces nearby are drifted to @p
   * time.
   */
  bool is_near_other_face(const dealii::Point<spacedim> &point, double distance, unsigned int body,
                          const Vector &outward, const std::array<Vector, 2> &directions,
                          double time);

  /// Largest distance of two corners of the face in the reference configuration [length].
  double
  face_size(const unsigned int face) const
  {
    return search.face_size(face);
  }

  /// The search that it uses.
  FaceSearch<spacedim> &
  face_search()
  {
    return search;
  }

private:
  using Corners = std::array<dealii::Point<spacedim>, SurfaceFace<spacedim>::max_nodes>;

  /**
   * What the last full search of a contactor has found, and how long that is worth something:
   * while others have not come as near as the face it looks at, one closest point is enough.
   */
  struct Track
  {
    unsigned int face = Hit<spacedim>::none; ///< that it looks at
    double others = 0; ///< distance of all other faces nearby at least, at that time [length]
    double time = 0;
    double rate = 0;           ///< at which they may come nearer [length/time]
    double until = -1;         ///< before, bodies further away do not matter [time]
    unsigned int version = -1; ///< MotionBounds::version()
  };

  /// A face nearby.
  struct Near
  {
    double distance; ///< of its bounding box [length]
    unsigned int face;
    bool is_facing; ///< may it look at the contactor?

    bool
    operator<(const Near &other) const
    {
      return distance < other.distance || (distance == other.distance && face < other.face);
    }
  };

  Vector outward_normal(const Contactor &contactor) const;
  double facing_limit(const Vector &outward) const;
  bool excluded(const Contactor &contactor, unsigned int face) const;
  /// Drift the nodes of a face to @p time; returns their number.
  unsigned int corners_of(unsigned int face, double time, Corners &corners);
  /// Where they will be, or were, at @p time, without drifting them; returns their number.
  unsigned int corners_at(unsigned int face, double time, Corners &corners) const;
  static double distance_to_box(const Corners &corners, unsigned int n,
                                const dealii::Point<spacedim> &point);
  /// Is a face of the contactor's own body, with corners at @p corner, on the body's far side?
  bool is_far_side(unsigned int face, const dealii::Point<spacedim> &point,
                   const dealii::Point<spacedim> &corner) const;
  /// Find the face that a contactor looks at, and what else is nearby.
  void search_all(const DetectorQuery &query, const dealii::Point<spacedim> &point,
                  const Vector &outward, Hit<spacedim> &hit);
  void find_nearby(const DetectorQuery &query, const dealii::Point<spacedim> &point,
                   const Vector &outward);
  bool looks_at(const Contactor &contactor, const Vector &outward, unsigned int face,
                const ClosestPoint<spacedim> &closest) const;
  bool is_neighbour(const Contactor &contactor, unsigned int face,
                    const ClosestPoint<spacedim> &closest) const;
  bool is_outside(const DetectorQuery &query, const Hit<spacedim> &hit, double rim);
  /// Distance within which there is no face of another body (or of its own) that the contactor
  /// could touch before it turns; at most @p sight [length].
  double clearance(unsigned int contactor, double time, double sight, bool of_own_body);

  NodeTable<spacedim> &nodes;
  const Surface<spacedim> &skin;
  const Exclusions &exclusions;
  MotionBounds<spacedim> &bounds;
  FaceSearch<spacedim> search;
  std::vector<Track> tracks;                ///< by contactor
  std::vector<OwnClearance> own_clearances; ///< by contactor
  // results of the last search; kept to avoid allocation
  std::vector<unsigned int> nearby;
  std::vector<Near> by_distance;
};
} // namespace KickDrift

#endif
