#ifndef KICKDRIFT_CONTACT_DETECTION_OBSTACLE_DETECTOR_H
#define KICKDRIFT_CONTACT_DETECTION_OBSTACLE_DETECTOR_H

#include <kickdrift/contact/detection/detector.h>
#include <kickdrift/contact/geometry/obstacles.h>
#include <kickdrift/contact/surface/exclusions.h>
#include <kickdrift/contact/surface/motion_bounds.h>
#include <kickdrift/contact/surface/surface.h>
#include <kickdrift/nodes/node_table.h>

namespace KickDrift
{
/// Points of the surface against rigid obstacles: a point behind the surface of an obstacle touches
/// it. Every pair of a contactor and an obstacle is looked at on its own.
template <int spacedim>
class ObstacleDetector : public Detector<spacedim>
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// All must outlive the detector. @p short_time : over which the velocity of an obstacle hardly
  /// changes [time].
  ObstacleDetector(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
                   const std::vector<Obstacle<spacedim>> &obstacles, const Exclusions &exclusions,
                   const MotionBounds<spacedim> &bounds, double short_time);

  /// Pairs of a contactor and an obstacle.
  unsigned int
  n_contactors() const override
  {
    return pairs.size();
  }

  dealii::ArrayView<const unsigned int>
  nodes_of(const unsigned int pair) const override
  {
    return contactor(pair).node_view();
  }

  double
  length(const unsigned int pair) const override
  {
    return contactor(pair).length;
  }

  unsigned int
  body_of(const unsigned int pair) const override
  {
    return contactor(pair).body;
  }

  bool
  looks_for_faces() const override
  {
    return false;
  }

  unsigned int
  target_of(const unsigned int pair) const override
  {
    return pairs[pair].obstacle;
  }

  /// Where an obstacle that moves will be is not known.
  bool may_see(unsigned int pair, const Box<spacedim> &box) const override;

  void enter_instant(double time) override;

  ContactPoint<spacedim> find(const ContactTest &test) override;

  ContactFreeInterval free_interval(unsigned int pair, double time, double target_speed) override;

  double target_speed(double time) const override;

private:
  struct Pair
  {
    unsigned int contactor, obstacle;
  };

  const Contactor &
  contactor(const unsigned int pair) const
  {
    return surface.contactors[pairs[pair].contactor];
  }

  /// Of an obstacle.
  struct Motion
  {
    Vector displacement; ///< [length]
    Vector velocity;     ///< [length/time]
  };

  Vector velocity(unsigned int obstacle, double time) const;

  const NodeTable<spacedim> &nodes;
  const Surface<spacedim> &surface;
  const std::vector<Obstacle<spacedim>> &obstacles;
  const MotionBounds<spacedim> &bounds;
  std::vector<Pair> pairs;
  std::vector<Motion> motions; ///< by obstacle, at the instant that was entered
  const double short_time;
};
} // namespace KickDrift

#endif
