#ifndef KICKDRIFT_CONTACT_FACE_DETECTOR_H
#define KICKDRIFT_CONTACT_FACE_DETECTOR_H

#include <kickdrift/contact/closest_point.h>
#include <kickdrift/contact/detector.h>
#include <kickdrift/contact/exclusions.h>
#include <kickdrift/contact/face_search.h>
#include <kickdrift/contact/surface.h>
#include <kickdrift/nodes/node_table.h>

#include <utility>

namespace KickDrift
{
/// The face that a contactor is behind, or that it looks at.
template <int spacedim>
struct Hit
{
  static constexpr unsigned int none = -1;
  unsigned int face = none;
  bool touches = false;
  double depth; ///< positive behind the face, negative in front of it [length]
  ClosestPoint<spacedim> closest;
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
  using Vector = dealii::Tensor<1, spacedim>;

  /// All must outlive the detector.
  FaceDetector(NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
               const Exclusions &exclusions);

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

  void
  start(const std::vector<double> &horizons) override
  {
    search.build(horizons);
  }

  void
  nodes_moved(const dealii::ArrayView<const unsigned int> moved) override
  {
    search.nodes_moved(moved);
  }

  Touch<spacedim> find(const DetectorQuery &query) override;

  double clearance(unsigned int contactor, double sight) override;

  unsigned int
  n_turns() const override
  {
    return search.n_turns();
  }

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

  const FaceSearch<spacedim> &
  face_search() const
  {
    return search;
  }

private:
  using Corners = std::array<dealii::Point<spacedim>, SurfaceFace<spacedim>::max_nodes>;

  Vector outward_normal(const Contactor &contactor) const;
  double facing_limit(const Vector &outward) const;
  bool excluded(const Contactor &contactor, unsigned int face) const;
  /// Drift the nodes of a face to @p time; returns their number.
  unsigned int corners_of(unsigned int face, double time, Corners &corners);
  /// Where they will be, or were, at @p time, without drifting them; returns their number.
  unsigned int corners_at(unsigned int face, double time, Corners &corners) const;
  static double distance_to_box(const Corners &corners, unsigned int n,
                                const dealii::Point<spacedim> &point);
  void sort_nearby(const Contactor &contactor, const dealii::Point<spacedim> &point, double time,
                   const Vector &direction, double limit);
  bool is_neighbour(const Contactor &contactor, unsigned int face,
                    const ClosestPoint<spacedim> &closest) const;
  bool is_outside(const DetectorQuery &query, const Hit<spacedim> &hit, double rim);

  NodeTable<spacedim> &nodes;
  const Surface<spacedim> &skin;
  const Exclusions &exclusions;
  FaceSearch<spacedim> search;
  // results of the last search; kept to avoid allocation
  std::vector<unsigned int> nearby;
  std::vector<std::pair<double, unsigned int>> by_distance;
};
} // namespace KickDrift

#endif
