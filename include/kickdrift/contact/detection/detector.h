#ifndef KICKDRIFT_CONTACT_DETECTION_DETECTOR_H
#define KICKDRIFT_CONTACT_DETECTION_DETECTOR_H

#include <kickdrift/contact/geometry/box.h>
#include <kickdrift/contact/surface/contact_point.h>
#include <kickdrift/contact/tracking/contact_free_interval.h>

#include <deal.II/base/array_view.h>

#include <vector>

namespace KickDrift
{
class Archive;

/// What a test of one contactor needs to know.
struct ContactTest
{
  unsigned int contactor; ///< number of the contactor that is tested
  double time;            ///< at which the contactor is tested [time]
  double radius;          ///< targets further away may not be seen [length]
  bool lasts;             ///< has the contactor been in contact just now?
};

/// A test that waits for others, so that they are done together.
template <int spacedim>
struct PendingTest
{
  ContactTest test;              ///< what is asked
  ContactPoint<spacedim> *found; ///< where the answer belongs
  bool is_done;                  ///< has it been given?
};

/**
 * One way to be in contact: which of its contactors touch which target? Points against faces
 * (FaceDetector), edges against edges, points against rigid obstacles.
 *
 * Nodes are only read, where free flight takes them: nothing is drifted. So several threads may
 * call find(), find_many() and free_interval() at once, if consecutive contactors on the same
 * nodes, which may share what is remembered about them, are left to one of them.
 */
template <int spacedim>
class Detector
{
public:
  virtual ~Detector() = default;

  /// How many contactors there are.
  virtual unsigned int n_contactors() const = 0;

  /// Nodes that carry a contactor.
  virtual dealii::ArrayView<const unsigned int> nodes_of(unsigned int contactor) const = 0;

  /// Body that a contactor belongs to.
  virtual unsigned int body_of(unsigned int contactor) const = 0;

  /// Characteristic length of a contactor [length].
  virtual double length(unsigned int contactor) const = 0;

  /// Faces whose normals say where a contactor looks; none if it looks everywhere.
  virtual dealii::ArrayView<const unsigned int>
  faces_of(unsigned int /*contactor*/) const
  {
    return {};
  }

  /// Does it look for faces, or for what is between them? Then the normals of contactor and face
  /// have a cosine of largest_cosine() or less where they touch.
  virtual bool
  looks_for_faces() const
  {
    return true;
  }

  /// See looks_for_faces() [-].
  virtual double
  largest_cosine() const
  {
    return 1;
  }

  /// Number of the target that a contactor looks for, if that is no face.
  virtual unsigned int
  target_of(unsigned int /*contactor*/) const
  {
    return 0;
  }

  /// May a contactor see the target that it looks for, which is no face, from anywhere in @p box,
  /// at any time?
  virtual bool
  may_see(unsigned int /*contactor*/, const Box<spacedim> & /*box*/) const
  {
    return true;
  }

  /// To be called before find() and free_interval() at another time.
  virtual void
  enter_instant(double /*time*/)
  {
  }

  /// The nearest target that the contactor looks at.
  virtual ContactPoint<spacedim> find(const ContactTest &test) = 0;

  /// Does find_many() do anything?
  virtual bool
  finds_many() const
  {
    return false;
  }

  /// find() for contactors that have been in contact just now, as far as that is simple: several at
  /// once cost less. The others are left undone. All tests have the same time.
  virtual void
  find_many(std::vector<PendingTest<spacedim>> & /*tests*/)
  {
  }

  /// When a contactor can be in touch, as things are at @p time, while bounds of motion hold and
  /// targets that move by themselves do so by no more than @p target_speed.
  virtual ContactFreeInterval free_interval(unsigned int contactor, double time,
                                            double target_speed) = 0;

  /// May faces of @p body, which have turned since FaceSearch::n_normal_changes() was @p since, be
  /// in reach of a contactor sooner than free_interval() has said?
  virtual bool
  may_wake(unsigned int /*contactor*/, unsigned int /*body*/, unsigned int /*since*/,
           double /*time*/)
  {
    return false;
  }

  /// Speed of the fastest target that moves by itself at @p time [length/time].
  virtual double
  target_speed(double /*time*/) const
  {
    return 0;
  }

  /// On which side of shells a contactor is, as a number of the detector's own. With several
  /// processes all have to know this of what is remembered about a contactor, see set_side().
  virtual unsigned int
  side(unsigned int /*contactor*/) const
  {
    return 0;
  }

  /// Another process has looked at a contactor, and says what side() is since then.
  virtual void
  set_side(unsigned int /*contactor*/, unsigned int /*side*/)
  {
  }

  /// The same as serialize() of one contactor, for another process.
  virtual void
  serialize_contactor(Archive & /*archive*/, unsigned int /*contactor*/)
  {
  }

  /// Write to, or read from, a checkpoint what is remembered between tests.
  virtual void
  serialize(Archive & /*archive*/)
  {
  }
};
} // namespace KickDrift

#endif
