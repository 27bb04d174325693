#ifndef KICKDRIFT_CONTACT_SURFACE_MOTION_BOUNDS_H
#define KICKDRIFT_CONTACT_SURFACE_MOTION_BOUNDS_H

#include <kickdrift/contact/surface/surface.h>
#include <kickdrift/nodes/node_table.h>

#include <limits>
#include <vector>

namespace KickDrift
{
class Archive;

/**
 * What is known about the motion of bodies until a bound is broken: the velocities of all surface
 * nodes of body b lie in a ball around a reference velocity, |v - V_b| <= s_b.
 *
 * So two bodies whose distance is d cannot touch before d / rate(a, b), whatever kicks do, unless a
 * kick takes a node out of its ball; check() is one comparison per kicked node. The frame does not
 * matter: bodies that fly freely have small balls.
 */
template <int spacedim>
class MotionBounds
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// A ball that had to grow.
  struct Broken
  {
    unsigned int body; ///< index of the body
    double growth;     ///< of s_b [length/time]
    bool by_far;       ///< does the ball contain more than sweep_reserve allowed for?
  };

  /// Conclusions from paths of bodies, not from distances alone, allow for this multiple of
  /// the present s_b: they stay true until broken() says that a ball has left that by far.
  static constexpr double sweep_reserve = 3;

  /// Both must outlive it.
  MotionBounds(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface);

  /// Fit all balls to the present velocities.
  void start();

  /// Number of bodies.
  unsigned int
  n_bodies() const
  {
    return balls.size();
  }

  /// The velocities of these surface nodes have changed at @p time: balls that are left grow.
  void check(dealii::ArrayView<const unsigned int> nodes, double time);

  /// Fit the ball of a body anew if that makes it clearly smaller. What was concluded from the
  /// larger one stays true.
  void shrink(unsigned int body, double time);

  /// Balls that have grown since forget() [length/time].
  const std::vector<Broken> &
  broken() const
  {
    return grown;
  }

  /// Forget which bounds have been broken.
  void
  forget()
  {
    grown.clear();
  }

  /// How far the frame that moves with V_b has come since start() [length].
  Vector
  displacement(const unsigned int body, const double time) const
  {
    return balls[body].displacement + (time - balls[body].since) * balls[body].velocity;
  }

  /// V_b [length/time].
  const Vector &
  velocity(const unsigned int body) const
  {
    return balls[body].velocity;
  }

  /// s_b [length/time].
  double
  deviation(const unsigned int body) const
  {
    return balls[body].radius;
  }

  /// Integral of s_b over time: how far nodes may have left the frame that moves with V_b
  /// [length].
  double
  path(const unsigned int body, const double time) const
  {
    return balls[body].path + balls[body].radius * (time - balls[body].since);
  }

  /// Largest relative speed of a node of one body and one of the other; they may be the same
  /// [length/time].
  double
  rate(const unsigned int a, const unsigned int b) const
  {
    const double deviations = balls[a].radius + balls[b].radius;
    return a == b ? deviations : (balls[a].velocity - balls[b].velocity).norm() + deviations;
  }

  /// Body that a node belongs to.
  unsigned int
  body_of(const unsigned int node) const
  {
    return bodies[node];
  }

  /// Write to, or read from, a checkpoint what changes during a run.
  void serialize(Archive &archive);

private:
  struct Ball
  {
    Vector velocity;     ///< V_b [length/time]
    double radius = 0;   ///< s_b [length/time]
    double square = 0;   ///< of the radius
    double base = 0;     ///< conclusions allow for sweep_reserve * base around V_b [length/time]
    double path = 0;     ///< up to the time since [length]
    double since = 0;    ///< [time]
    Vector displacement; ///< of the frame, up to the time since [length]
  };

  void find_tied_bodies();
  /// The ball of the present velocities, with a reserve.
  Ball fitted(unsigned int body) const;
  void grow(unsigned int body, double deviation, double time);

  const NodeTable<spacedim> &nodes;
  const Surface<spacedim> &surface;
  std::vector<unsigned int> bodies;                     ///< by node of the table
  std::vector<std::vector<unsigned int>> nodes_of_body; ///< of the surface
  std::vector<std::vector<unsigned int>> tied_bodies;   ///< by body, which is one of them
  std::vector<Ball> balls;
  std::vector<Broken> grown;
};
} // namespace KickDrift

#endif
