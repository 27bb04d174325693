#ifndef KICKDRIFT_CONTACT_TRACKING_CONTACT_NEIGHBORHOOD_H
#define KICKDRIFT_CONTACT_TRACKING_CONTACT_NEIGHBORHOOD_H

#include <kickdrift/contact/surface/exclusions.h>
#include <kickdrift/contact/tracking/contact_free_interval.h>
#include <kickdrift/contact/tracking/face_search.h>
#include <kickdrift/contact/tracking/neighbor_list.h>

namespace KickDrift
{
/**
 * What every contactor of a detector sees around itself, and for how long it can sleep therefore.
 *
 * Of other bodies all targets nearby are listed, of the contactor's own body those that may look at
 * it: a body that does not fold has none for long. Lists are renewed when they do not hold any more
 * (NeighborList), or when surfaces nearby have turned (FaceSearch::normals_changed_since()).
 */
template <int spacedim>
class ContactNeighborhood
{
public:
  using Vector = dealii::Tensor<1, spacedim>;             ///< A vector in space.
  using Points = typename NeighborList<spacedim>::Points; ///< of a contactor [length]

  /// A contactor that looks around.
  struct NeighborhoodQuery
  {
    unsigned int index; ///< of those that look
    unsigned int body;  ///< that it belongs to
    double length;      ///< characteristic length [length]
    Points points;      ///< that it is the hull of [length]
    Vector outward;    ///< where it looks: a unit normal, or a sum of them; zero for everywhere [-]
    double extent = 0; ///< what is around the points: half of the thickness of a shell [length]

    Box<spacedim> box() const; ///< around the points and their extent [length]
  };

  /// What a detector tells about its targets, say faces. Several threads may ask at once.
  class Targets
  {
  public:
    virtual ~Targets() = default;

    /// Append targets of @p body to @p found: all that may come within @p radius of @p query; if
    /// it is its own body those that may_look_at() is false for may be left out.
    virtual void find_targets(const NeighborhoodQuery &query, unsigned int body, double radius,
                              double time, std::vector<unsigned int> &found) const = 0;

    /// Distance of the nearest target of the contactor's own body that it might touch before one of
    /// them counts as turned, or @p furthest if that is less [length].
    virtual double distance_to_own(const NeighborhoodQuery &query, double time,
                                   double furthest) const = 0;

    /// Append to @p found the targets whose directions depend on that of @p face.
    virtual void find_targets_of_face(unsigned int face,
                                      std::vector<unsigned int> &found) const = 0;

    /// May the two ever touch?
    virtual bool is_possible(const NeighborhoodQuery &query, unsigned int target) const = 0;

    /// Body of a target.
    virtual unsigned int body_of_target(unsigned int target) const = 0;

    /// Of @p target from @p query at least, between the surfaces of shells, where it may be
    /// negative; infinity on the far side of its own body [length].
    virtual double distance_to(const NeighborhoodQuery &query, unsigned int target,
                               double time) const = 0;

    /// How deep @p query may be in @p body at most, however thick that is, without being missed;
    /// infinity if that does not matter [length].
    virtual double deepest(const NeighborhoodQuery &query, unsigned int body) const = 0;

    /// Does the direction in which @p query looks depend on that of @p face?
    virtual bool carries(unsigned int face, const NeighborhoodQuery &query) const = 0;

    /// Do the two look at each other, or may they do so before one of them counts as turned
    /// (FaceSearch::unnoticed_turn)?
    virtual bool may_look_at(const NeighborhoodQuery &query, unsigned int target) const = 0;
  };

  /// All must outlive it.
  ContactNeighborhood(const Exclusions &exclusions, const FaceSearch<spacedim> &search,
                      const MotionBounds<spacedim> &bounds, Targets &targets);

  /// Forget everything; from now on there are @p n_queries contactors.
  void start(unsigned int n_queries);

  /// Make the list of a contactor, which is at @p time, complete within @p radius. Returns whether
  /// it had to be made anew.
  bool update(const NeighborhoodQuery &query, double time, double radius);

  /// Targets near a contactor, as of the last update().
  const NeighborList<spacedim> &
  neighbors(const unsigned int query) const
  {
    return entries[query].neighbors;
  }

  /**
   * When a contactor, which is at @p time, can be in touch (see Detector::free_interval()): nothing
   * comes nearer faster than the bounds of motion allow.
   *
   * @param share of the thickness of a body that it may be deep in there without being missed, but
   * not more than Targets::deepest()
   */
  ContactFreeInterval free_interval(const NeighborhoodQuery &query, double time, double share);

  /// May faces of @p body, which have turned since FaceSearch::n_normal_changes() was @p since, now
  /// face a contactor that sleeps?
  bool may_wake(const NeighborhoodQuery &query, unsigned int body, unsigned int since, double time);

  /// Write to, or read from, a checkpoint what changes during a run.
  void serialize(Archive &archive);

  /// The same of one contactor.
  void
  serialize(Archive &archive, const unsigned int query)
  {
    entries[query].serialize(archive);
  }

  /// Throw if what was read is not about @p n_targets targets.
  void check(unsigned int n_targets) const;

private:
  /// What is near one contactor.
  struct Entry
  {
    void serialize(Archive &archive);

    NeighborList<spacedim> neighbors;
    double own_distance = 0; ///< of what it could touch of its own body when MotionBounds::path()
    double own_path = 0;     ///< was this [length]
    Vector own_outward;      ///< where the contactor looked then
    Vector listed_outward;   ///< where it looked when the list was made
    unsigned int normal_changes =
        -1; ///< FaceSearch::n_normal_changes() of its body up to which the list is good
  };

  void search_around(const NeighborhoodQuery &query, double time, double radius,
                     bool normals_have_changed);
  void measure_own(const NeighborhoodQuery &query, double time, double furthest);
  bool is_worth_measuring(const NeighborhoodQuery &query, double time, double distance) const;
  void update_own_distance(const NeighborhoodQuery &query, double distance, double time);
  double range_of_normal_changes(const NeighborhoodQuery &query, double time) const;
  double own_clearance(const NeighborhoodQuery &query, double time) const;
  bool normal_has_changed(const NeighborhoodQuery &query) const;
  bool normals_have_changed(const NeighborhoodQuery &query, double time) const;
  /// It may be touched by @p body from @p until on, and be @p depth deep there without being
  /// missed.
  void limit(ContactFreeInterval &free_interval, const NeighborhoodQuery &query, unsigned int body,
             double until, double depth) const;
  bool is_listed(const NeighborhoodQuery &query, unsigned int target) const;

  const Exclusions &exclusions;
  const FaceSearch<spacedim> &search;
  const MotionBounds<spacedim> &bounds;
  Targets &targets;
  std::vector<Entry> entries; ///< by contactor
};
} // namespace KickDrift

#endif
