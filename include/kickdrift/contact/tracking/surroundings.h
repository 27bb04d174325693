#ifndef KICKDRIFT_CONTACT_TRACKING_SURROUNDINGS_H
#define KICKDRIFT_CONTACT_TRACKING_SURROUNDINGS_H

#include <kickdrift/contact/surface/exclusions.h>
#include <kickdrift/contact/tracking/face_search.h>
#include <kickdrift/contact/tracking/freedom.h>
#include <kickdrift/contact/tracking/vicinity.h>

namespace KickDrift
{
/**
 * What every contactor of a detector sees around itself, and for how long it can sleep therefore.
 *
 * Of other bodies all targets nearby are listed, of the contactor's own body those that may look at
 * it: a body that does not fold has none for long. Lists are renewed when they do not hold any more
 * (Vicinity), or when surfaces nearby have turned (FaceSearch::turned_since()).
 */
template <int spacedim>
class Surroundings
{
public:
  using Vector = dealii::Tensor<1, spacedim>;         ///< A vector in space.
  using Points = typename Vicinity<spacedim>::Points; ///< of a contactor [length]

  /// A contactor that looks around.
  struct Viewer
  {
    unsigned int index; ///< of those that look
    unsigned int body;  ///< that it belongs to
    double length;      ///< characteristic length [length]
    Points points;      ///< that it is the hull of [length]
    Vector outward; ///< where it looks: a unit normal, or a sum of them; zero for everywhere [-]

    Box<spacedim> box() const; ///< around the points [length]
  };

  /// What a detector tells about its targets, say faces. Several threads may ask at once.
  class Targets
  {
  public:
    virtual ~Targets() = default;

    /// Append targets of @p body to @p found: all that may come within @p radius of @p viewer; if
    /// it is its own body those that look another way may be left out.
    virtual void find_targets(const Viewer &viewer, unsigned int body, double radius, double time,
                              std::vector<unsigned int> &found) const = 0;

    /// Distance of the nearest target of the viewer's own body that it might touch as things are
    /// now, or @p furthest if that is less [length].
    virtual double distance_to_own(const Viewer &viewer, double time, double furthest) const = 0;

    /// Append to @p found the targets whose directions depend on that of @p face.
    virtual void find_targets_of_face(unsigned int face,
                                      std::vector<unsigned int> &found) const = 0;

    /// May the two ever touch?
    virtual bool is_possible(const Viewer &viewer, unsigned int target) const = 0;

    /// Body of a target.
    virtual unsigned int body_of_target(unsigned int target) const = 0;

    /// Of @p target from @p viewer at least; infinity on the far side of its own body [length].
    virtual double distance_to(const Viewer &viewer, unsigned int target, double time) const = 0;

    /// Does the direction in which @p viewer looks depend on that of @p face?
    virtual bool carries(unsigned int face, const Viewer &viewer) const = 0;

    /// Do the two look at each other, or will they when both have turned further?
    /// @param may_turn whether surfaces may turn until the answer is needed
    virtual bool look_at_each_other(const Viewer &viewer, unsigned int target,
                                    bool may_turn) const = 0;
  };

  /// All must outlive it.
  Surroundings(const Exclusions &exclusions, const FaceSearch<spacedim> &search,
               const MotionBounds<spacedim> &bounds, Targets &targets);

  /// Forget everything; from now on there are so many viewers.
  void start(unsigned int n_viewers);

  /// See to it that the list of a viewer, which is at @p time, is complete within @p radius.
  /// Returns whether it had to be made anew.
  bool look(const Viewer &viewer, double time, double radius);

  /// Targets near a viewer, as of the last look().
  const Vicinity<spacedim> &
  vicinity(const unsigned int viewer) const
  {
    return sights[viewer].vicinity;
  }

  /**
   * When a viewer, which is at @p time, can be in touch (see Detector::freedom()): nothing comes
   * nearer faster than the bounds of motion allow.
   *
   * @param share of the thickness of a body that it may be deep in there without being missed
   * @param deepest and not more than this [length]
   */
  Freedom freedom(const Viewer &viewer, double time, double share, double deepest);

  /// See Detector::glance(). The viewer need not have looked.
  Freedom glance(const Viewer &viewer, double time, double share, double deepest);

  /// May faces of @p body, which have turned since FaceSearch::n_turns() was @p since, have come to
  /// look at a viewer that sleeps?
  bool may_wake(const Viewer &viewer, unsigned int body, unsigned int since, double time);

  /// Write to, or read from, a checkpoint what changes during a run.
  void serialize(Archive &archive);

  /// Throw if what was read is not about so many targets.
  void check(unsigned int n_targets) const;

private:
  /// What one viewer sees.
  struct Sight
  {
    void serialize(Archive &archive);

    Vicinity<spacedim> vicinity;
    double own_distance = 0; ///< of what it could touch of its own body when MotionBounds::path()
    double own_path = 0;     ///< was this [length]
    Vector own_outward;      ///< where the viewer looked then
    Vector listed_outward;   ///< where it looked when the list was made
    unsigned int turns = -1; ///< FaceSearch::n_turns() of its body up to which the list is good
  };

  void search_around(const Viewer &viewer, double time, double radius, bool has_turned);
  void measure_own(const Viewer &viewer, double time, double furthest);
  bool is_worth_measuring(const Viewer &viewer, double time, double distance) const;
  void heed_listed(const Viewer &viewer, double distance, double time);
  double range_of_turns(const Viewer &viewer, double time) const;
  double own_clearance(const Viewer &viewer, double time) const;
  bool looks_elsewhere(const Viewer &viewer) const;
  bool has_turned(const Viewer &viewer, double time) const;
  /// It may be touched by @p body from @p until on, and be @p depth deep there without being
  /// missed.
  void limit(Freedom &freedom, const Viewer &viewer, unsigned int body, double until,
             double depth) const;
  bool is_listed(const Viewer &viewer, unsigned int target) const;

  const Exclusions &exclusions;
  const FaceSearch<spacedim> &search;
  const MotionBounds<spacedim> &bounds;
  Targets &targets;
  std::vector<Sight> sights; ///< by viewer
};
} // namespace KickDrift

#endif
