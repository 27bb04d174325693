#ifndef KICKDRIFT_CONTACT_DETECTION_FACE_DETECTOR_H
#define KICKDRIFT_CONTACT_DETECTION_FACE_DETECTOR_H

#include <kickdrift/contact/detection/changed_contactors.h>
#include <kickdrift/contact/detection/detector.h>
#include <kickdrift/contact/geometry/closest_point.h>
#include <kickdrift/contact/surface/exclusions.h>
#include <kickdrift/contact/surface/surface.h>
#include <kickdrift/contact/tracking/contact_neighborhood.h>
#include <kickdrift/contact/tracking/face_search.h>
#include <kickdrift/nodes/node_table.h>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace KickDrift
{
/// The face that a contactor is behind, or that it looks at.
template <int spacedim>
struct FaceProjection
{
  static constexpr unsigned int none = -1; ///< number of no face
  unsigned int face = none;       ///< index of the face that the contactor looks at, or none
  bool touches = false;           ///< is the contactor in contact with it?
  bool is_round = false;          ///< beside a free edge of a shell, where there are no sides
  double depth;                   ///< positive behind the surface, negative in front of it [length]
  double offset = 0;              ///< of the surface from the face, see Surface::offset() [length]
  ClosestPoint<spacedim> closest; ///< the closest point of the face
};

/**
 * Decides which face a point of the surface is in contact with: general contact, every contactor
 * against every boundary face, self-contact included (method: detection).
 *
 * A point is in contact when it lies behind a face, not deeper than the face is large, with its
 * closest point on the face, and when point and face look at each other. The far side of a thin
 * body and the neighbours of a point on its own body do not attract it.
 *
 * Shells have two sides (add_other_sides()), whose faces lie in the middle of what they bound. A
 * contactor touches a side while it is in front of it and nearer than Surface::offset(): the
 * surface is rounded where the shell bends or ends. Having been in front of a side when it was
 * looked at last, it may also have come through, as deep as it may be in other bodies; it belongs
 * to that side until it leaves. So there is nothing to touch on the side where it has not been.
 * What it has come through goes before what is nearer. Beside a free edge the surface is round and
 * belongs to no side.
 *
 * Normals of contactors are those that FaceSearch has fitted last. Cells must not turn inside out:
 * where the corners of a face have passed each other its normal says nothing, and contacts may be
 * missed (method: detection).
 */
template <int spacedim>
class FaceDetector : public Detector<spacedim>, private ContactNeighborhood<spacedim>::Targets
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// All must outlive the detector. Bounds must have been started and the search built before it
  /// is asked.
  FaceDetector(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
               const Exclusions &exclusions, const FaceSearch<spacedim> &search,
               const MotionBounds<spacedim> &bounds);

  /// As many as the surface has.
  unsigned int
  n_contactors() const override
  {
    return contact_surface.contactors.size();
  }

  dealii::ArrayView<const unsigned int>
  nodes_of(const unsigned int contactor) const override
  {
    return contact_surface.contactors[contactor].node_view();
  }

  double
  length(const unsigned int contactor) const override
  {
    return contact_surface.contactors[contactor].length;
  }

  unsigned int
  body_of(const unsigned int contactor) const override
  {
    return contact_surface.contactors[contactor].body;
  }

  dealii::ArrayView<const unsigned int> faces_of(unsigned int contactor) const override;

  double largest_cosine() const override;

  ContactPoint<spacedim> find(const ContactTest &test) override;

  bool
  finds_many() const override
  {
    return true;
  }

  void find_many(std::vector<PendingTest<spacedim>> &tests) override;

  void enter_instant(double time) override;

  ContactFreeInterval free_interval(unsigned int contactor, double time,
                                    double target_speed) override;

  bool may_wake(unsigned int contactor, unsigned int body, unsigned int since,
                double time) override;

  /// Is a contactor in contact with @p body? As find() sees it, but without lists: slower, and
  /// nothing changes. Of faces that are equally near it may take another one. Others may be tested
  /// meanwhile: sides of shells are those of the last enter_instant().
  bool touches(const ContactTest &test, unsigned int body) const;

  /// Is @p point nearer than @p distance to a face of @p body that looks against @p outward, and
  /// that faces another way than the unit vectors @p directions and does not have both nodes of
  /// @p edge ? With an @p offset : is it less than that behind the surface that is so far in front
  /// of such a face [length]?
  bool is_near_other_face(const dealii::Point<spacedim> &point, double distance, double offset,
                          unsigned int body, const Vector &outward,
                          const std::array<Vector, 2> &directions,
                          const std::array<unsigned int, 2> &edge, double time) const;

  /// Largest distance of two corners of the face in the reference configuration [length].
  double
  face_size(const unsigned int face) const
  {
    return search.face_size(face);
  }

  /// The face of a shell that the contactor is in front of, or FaceProjection::none.
  unsigned int side(unsigned int contactor) const override;

  void set_side(unsigned int contactor, unsigned int side) override;

  void serialize_contactor(Archive &archive, unsigned int contactor) override;

  void serialize(Archive &archive) override;

private:
  using NeighborhoodQuery = typename ContactNeighborhood<spacedim>::NeighborhoodQuery;

  /// What is known about when other faces can be near a contactor than those linked to the one that
  /// it looked at last: those that it comes to over their edges.
  struct Clearance
  {
    double until = -std::numeric_limits<double>::infinity(); ///< not before [time]
    double retry = -std::numeric_limits<double>::infinity(); ///< not to be asked for before [time]
    double distance = 0;             ///< that others keep from the contactor until then [length]
    double spare = 0;                ///< what they could come nearer, at the time since [length]
    double since = 0;                ///< [time]
    double rate = 0;                 ///< at which they come nearer at most [length/time]
    unsigned int n_moves = 0;        ///< MotionBounds::n_moves() then
    unsigned int normal_changes = 0; ///< FaceSearch::n_normal_changes() of its own body then
  };

  /// On which side of a shell a contactor is.
  struct SideOfShell
  {
    unsigned int face = FaceProjection<spacedim>::none; ///< Memory::face
    bool in_front = false;                              ///< Memory::in_front
  };

  /// What is remembered about a contactor between tests.
  struct Memory
  {
    void serialize(Archive &archive);

    Vector outward;         ///< normal; zero for a node without faces (a particle)
    unsigned int fits = -1; ///< FaceSearch::n_fits() that the normal is from
    unsigned int face = FaceProjection<spacedim>::none; ///< that the contactor looked at last
    bool in_front = false; ///< of that face, if one of the two belongs to a shell, or in touch

    // while others have not come as near as that face, it is enough to look at it alone
    double others = -1;                ///< that the contactor may look at: least distance [length]
    dealii::Point<spacedim> seen_from; ///< then [length]
    Vector displacement;               ///< MotionBounds::displacement() of the face's body then
    double path = 0;                   ///< and path() [length]
    unsigned int fits_then = 0;        ///< normals: FaceSearch::n_fits() of both bodies

    Clearance clearance;           ///< what allows to look at the faces around the last one only
    std::array<double, 2> place{}; ///< where it was on its face: FaceKernels::Projection::place
  };

  // faces as targets
  void find_targets(const NeighborhoodQuery &query, unsigned int body, double radius, double time,
                    std::vector<unsigned int> &found) const override;
  double distance_to_own(const NeighborhoodQuery &query, double time,
                         double furthest) const override;
  void find_targets_of_face(unsigned int face, std::vector<unsigned int> &found) const override;
  bool is_possible(const NeighborhoodQuery &query, unsigned int target) const override;
  unsigned int body_of_target(unsigned int face) const override;
  double distance_to(const NeighborhoodQuery &query, unsigned int face, double time) const override;
  double deepest(const NeighborhoodQuery &query, unsigned int body) const override;
  bool carries(unsigned int face, const NeighborhoodQuery &query) const override;
  bool may_look_at(const NeighborhoodQuery &query, unsigned int face) const override;

  /// Contactors that look for their faces together.
  class Walks;
  /// Where one of them has found its face.
  struct WalkEnd;
  bool take(const PendingTest<spacedim> &pending, const WalkEnd &end);
  /// Is it enough to look at the faces around the last one?
  bool may_walk(const ContactTest &test);
  void find_rates();
  /// Find out until when that is enough, if it is now.
  bool find_clearance(const ContactTest &test);
  /// Of the faces that are not linked to @p face, how far is the nearest one from @p point at
  /// least? Zero if it is too near.
  double distance_to_others(const NeighborhoodQuery &query, unsigned int face, double distance,
                            double time) const;
  bool are_linked(unsigned int face, unsigned int other, double distance) const;
  /// Do two faces share a node?
  bool are_around_each_other(unsigned int face, unsigned int other) const;
  void update_normal(unsigned int contactor);

  /// The face that a contactor looks at; FaceProjection::face may be none.
  FaceProjection<spacedim> find_face(const ContactTest &test);
  /// May a contactor that looks @p outward and a face touch, before one of them counts as turned?
  bool may_look_at(const Vector &outward, unsigned int face) const;
  Vector outward_normal(const Contactor &contactor) const;
  /// Cosine up to which the normals of a contactor and a face are looked at.
  double facing_limit(const Vector &outward) const;
  /// Cosine of a contactor's normal and that of a contact at most.
  double touching_limit(const Contactor &contactor, const Vector &outward) const;
  bool excluded(const Contactor &contactor, unsigned int face) const;
  /// Closest point of a face at @p time.
  ClosestPoint<spacedim> closest_point_of(unsigned int face, const dealii::Point<spacedim> &point,
                                          double time) const;
  /// Where a contactor is at @p time [length].
  dealii::Point<spacedim> position_of(unsigned int contactor, double time) const;
  /// How deep a contactor may be in a body, as a share of the body's thickness [-].
  double share_of_depth(const NeighborhoodQuery &query) const;
  /// How far a point is from the bounding box of the corners of a face, at least [length].
  double distance_to_box(unsigned int face, const dealii::Point<spacedim> &point,
                         double time) const;
  /// The same between the surfaces of shells: negative where these touch [length].
  double gap_to_box(const Contactor &contactor, unsigned int face,
                    const dealii::Point<spacedim> &point, double time) const;
  /// Is a face of the contactor's own piece of a body on that piece's far side?
  bool is_far_side(unsigned int face, const Contactor &contactor,
                   const dealii::Point<spacedim> &point, double time) const;
  /// Do the two belong to one piece of a body? Particles belong to none.
  bool is_on_piece(const Contactor &contactor, unsigned int face) const;
  /// A contactor at @p point, with its present normal.
  NeighborhoodQuery query(unsigned int contactor, const dealii::Point<spacedim> &point);
  /// Which faces of its own body it is interested in.
  typename FaceSearch<spacedim>::NormalCone cone(const NeighborhoodQuery &query) const;
  /// See ContactNeighborhood::update().
  void update_neighborhood(const NeighborhoodQuery &query, double time, double radius);
  /// Take @p face as the nearest one if it is nearer than @p nearest and looks at the contactor.
  /// Returns how far it is from the contactor at least, infinity if it looks another way. Distances
  /// are those between the surfaces of shells, negative where these touch.
  double consider(unsigned int face, unsigned int contactor, const Vector &outward,
                  const dealii::Point<spacedim> &point, double time, double &nearest,
                  FaceProjection<spacedim> &hit) const;
  /// Does the contactor belong to the side of a shell that it would touch, or that would touch it?
  /// In front of a face, but beside it, the contact has the direction of the shortest way.
  bool find_side(unsigned int contactor, const dealii::Point<spacedim> &point,
                 FaceProjection<spacedim> &candidate) const;
  /// Is it a neighbour of a face of a shell that says on which side @p point is?
  bool is_left_to_neighbour(const Contactor &contactor, const FaceProjection<spacedim> &candidate,
                            const dealii::Point<spacedim> &point, double time) const;
  /// Is the closest point of a face on a free edge of a shell?
  bool is_on_free_edge(unsigned int face, const ClosestPoint<spacedim> &closest) const;
  void mark_free_edges();
  /// Has the contactor come through the shell in front of which it was, without leaving it? Then
  /// this is what it touches, whatever is nearer.
  bool find_passed(const ContactTest &test, const Vector &outward,
                   const dealii::Point<spacedim> &point, FaceProjection<spacedim> &hit) const;
  bool other_has_passed(const ContactTest &test, const dealii::Point<spacedim> &point) const;
  /// Remember on which side the contactor is from the next instant on.
  void note_side(unsigned int contactor);
  void take_sides();
  /// First distance of a contactor and a point of a face of its own body [length].
  double first_distance(const Contactor &contactor, unsigned int face,
                        const ClosestPoint<spacedim> &closest) const;
  /// The face that was looked at last is @p distance_of_last away.
  void consider_all(unsigned int contactor, const dealii::Point<spacedim> &point, double time,
                    double distance_of_last, double nearest, FaceProjection<spacedim> &hit);
  /// Is the face that the contactor looked at last still nearer than others may be?
  bool is_nearest(const Memory &memory, const Contactor &contactor,
                  const dealii::Point<spacedim> &point, double time, double distance) const;
  bool is_opposed_to(const Contactor &contactor, const Vector &outward, unsigned int face,
                     const ClosestPoint<spacedim> &closest) const;
  bool is_neighbour(const Contactor &contactor, unsigned int face,
                    const ClosestPoint<spacedim> &closest) const;
  /// Find out whether the contactor touches the face that it looks at. @p listed : what is near it,
  /// if that is known.
  void judge(const ContactTest &test, const dealii::Point<spacedim> &point,
             const NeighborList<spacedim> *listed, FaceProjection<spacedim> &hit) const;
  /**
   * Where faces that the contactor is behind are about equally near, the normal is a mean of
   * theirs, and the contact is where the line along it through @p point meets one of them. So
   * normals do not jump at edges, mirror symmetry is kept where two faces are equally near, and
   * impulses have no moment.
   */
  void blend_normals(const ContactTest &test, const dealii::Point<spacedim> &point,
                     const Vector &outward, FaceProjection<spacedim> &hit) const;
  /// Do two faces that meet, with these unit normals, share in the normal of a contact? Not at
  /// sharp convex edges: there a body ends, and what slides across must not be turned aside.
  bool share_normals(unsigned int face, unsigned int other, const Vector &normal,
                     const Vector &other_normal, double time) const;
  /// Make the contact the one where the line along @p normal through @p point meets one of @p
  /// faces.
  void project_along(const Vector &normal, const dealii::ArrayView<const unsigned int> &faces,
                     const dealii::Point<spacedim> &point, double time,
                     FaceProjection<spacedim> &hit) const;
  bool is_outside(const ContactTest &test, const dealii::Point<spacedim> &point,
                  const NeighborList<spacedim> *listed, const FaceProjection<spacedim> &hit,
                  double rim) const;

  const NodeTable<spacedim> &nodes;
  const Surface<spacedim> &contact_surface;
  const Exclusions &exclusions;
  const FaceSearch<spacedim> &search;
  const MotionBounds<spacedim> &bounds;
  ContactNeighborhood<spacedim> neighborhood;
  const double widest_cosine;   ///< largest_cosine() [-]
  std::vector<Memory> memories; ///< by contactor
  /// By contactor, as of the beginning of the instant: threads ask for those of others.
  std::vector<SideOfShell> sides;
  ChangedContactors changed; ///< of those
  /// Of faces of shells: bit e for edge e (ends_of_edge()), bit max_nodes + i for node i.
  std::vector<unsigned char> free_edges;
  /// By face, the one beyond each of its edges (in the order of FaceKernels::Projection::to_edges),
  /// FaceProjection::none if that is not clear.
  std::vector<std::array<unsigned int, SurfaceFace<spacedim>::max_nodes>> neighbours;
  std::vector<double> rates;       ///< by body: MotionBounds::largest_rates() [length/time]
  unsigned int rates_version = -1; ///< MotionBounds::n_changes() that they are from
};
} // namespace KickDrift

#endif
