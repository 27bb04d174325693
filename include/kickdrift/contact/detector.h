#ifndef KICKDRIFT_CONTACT_DETECTOR_H
#define KICKDRIFT_CONTACT_DETECTOR_H

#include <kickdrift/contact/collision_response.h>

#include <deal.II/base/array_view.h>

#include <vector>

namespace KickDrift
{
/// What a test of one contactor needs to know.
struct DetectorQuery
{
  unsigned int contactor;
  double time;   ///< to which the contactor and the targets nearby are drifted [time]
  double radius; ///< targets further away are not seen [length]
  bool lasts;    ///< has the contactor been in contact just now?
};

/// What a test of one contactor has found.
template <int spacedim>
struct Touch
{
  bool sees = false;       ///< is there a target in sight? Only then the rest means anything
  bool touches = false;    ///< is the contactor in contact with it?
  bool is_lost = false;    ///< is it so deep inside that pushing it out would be guessing?
  double depth = 0;        ///< positive behind the target's surface [length]
  double distance = 0;     ///< of the two points [length]
  double size = 1;         ///< of the target where it was hit, to compare the depth with [length]
  unsigned int body = 0;   ///< of the contactor
  unsigned int target = 0; ///< the other body, or an obstacle: those count on after the bodies
  ContactStencil<spacedim> stencil;
};

/**
 * One way to be in contact: which of its contactors touch which target? Points against faces
 * (FaceDetector), edges against edges, points against rigid obstacles.
 */
template <int spacedim>
class Detector
{
public:
  virtual ~Detector() = default;

  virtual unsigned int n_contactors() const = 0;

  /// Nodes that carry a contactor.
  virtual dealii::ArrayView<const unsigned int> nodes_of(unsigned int contactor) const = 0;

  /// Characteristic length of a contactor [length].
  virtual double length(unsigned int contactor) const = 0;

  /// Called once, with initial velocities. @p horizons : by node of the table, the longest time to
  /// its next kick [time].
  virtual void start(const std::vector<double> &horizons) = 0;

  /// The velocities of these nodes have changed at their own times.
  virtual void nodes_moved(dealii::ArrayView<const unsigned int> nodes) = 0;

  /// The nearest target that the contactor looks at; nodes involved are drifted.
  virtual Touch<spacedim> find(const DetectorQuery &query) = 0;

  /**
   * Distance [length] within which there is nothing that the contactor could touch before n_turns()
   * grows, at the time of its nodes; what is further away than @p sight need not be looked for.
   * Nothing is drifted.
   */
  virtual double clearance(unsigned int contactor, double sight) = 0;

  /// Grows whenever the surface has turned so much that clearances must be found out again.
  virtual unsigned int
  n_turns() const
  {
    return 0;
  }

  /// Speed of the fastest target that moves by itself at @p time [length/time].
  virtual double
  target_speed(double /*time*/) const
  {
    return 0;
  }
};
} // namespace KickDrift

#endif
