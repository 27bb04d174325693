#ifndef KICKDRIFT_CONTACT_PREDICTION_KINETIC_HIERARCHY_H
#define KICKDRIFT_CONTACT_PREDICTION_KINETIC_HIERARCHY_H

#include <kickdrift/contact/ccd/impact_time.h>
#include <kickdrift/contact/geometry/bounding_volumes.h>
#include <kickdrift/contact/geometry/obstacles.h>
#include <kickdrift/contact/surface/exclusions.h>
#include <kickdrift/contact/surface/surface.h>

#include <cstdint>
#include <limits>
#include <queue>
#include <vector>

namespace KickDrift
{
class Archive;

/// How a body may move until it is looked at again: bounds that the caller declares.
template <int spacedim>
struct AccelerationBounds
{
  dealii::Tensor<1, spacedim> acceleration; ///< of the body as a whole [length/time^2]
  /// The acceleration of no point of the body differs by more: zero if it flies without turning
  /// or deforming [length/time^2].
  double deviation = 0;
};

/// Whose first contacts a kinetic hierarchy predicts, beside those of different bodies.
template <int spacedim>
struct KineticScope
{
  std::vector<Obstacle<spacedim>> obstacles; ///< of every body with each of them
  bool self_contact = false;                 ///< of every body with itself
  Exclusions exclusions;                     ///< these pairs are left out
};

/// A look of the kinetic hierarchy at the bodies. Numbers of bodies, then of obstacles.
struct WakeUp
{
  double time;              ///< when it happens [time]
  unsigned int first_body;  ///< of the pair that it woke up for
  unsigned int second_body; ///< the other one, perhaps an obstacle
  unsigned int level;       ///< depth below the roots that it went down to, both trees together
  double distance; ///< lower bound for the nearest of the volumes that it left off at [length]
  std::uint64_t volumes = 0;         ///< fitted
  std::uint64_t sphere_tests = 0;    ///< of pairs of volumes
  std::uint64_t box_tests = 0;       ///< of pairs of volumes, or of one with a plane
  std::uint64_t oriented_tests = 0;  ///< of pairs of volumes
  std::uint64_t polytope_tests = 0;  ///< of pairs of volumes
  std::uint64_t primitive_tests = 0; ///< points with faces, edges with edges, nodes with obstacles
  double next_time = 0;              ///< of the next look; infinity if there is none [time]
};

/// First contact of two bodies, of a body with itself, or of a body with an obstacle. Numbers of
/// bodies, then of obstacles.
struct FirstContact
{
  static constexpr unsigned int no_face = -1; ///< of an obstacle

  double time;              ///< when they touch [time]
  unsigned int first_body;  ///< one of the two
  unsigned int second_body; ///< the other one, perhaps an obstacle
  unsigned int first_face;  ///< of the first body, index into Surface::faces
  unsigned int second_face; ///< of the second body, or no_face
};

/**
 * Predicts when the surfaces of bodies touch for the first time, and sleeps in between (Aragon &
 * Molinari 2014, section 3).
 *
 * Every body has a binary tree over its faces. A priority queue holds (time, pair of subtrees): a
 * time before which the two cannot touch. It follows from the motion of the nodes at the last look,
 * straight or on parabolas, and from the bounds of AccelerationBounds on what may come: spheres
 * that grow as fast as the points move apart, then boxes, then slabs across the directions in which
 * the two subtrees are thin, then near the leaves polytopes with 8 (2D) or 14 directions. Sides of
 * boxes, slabs and polytopes move each at their own speed. Only pairs whose time has come
 * are looked at; the larger of the two subtrees is replaced by its children. At the leaves the
 * motion of the faces' points and edges gives the time of impact.
 *
 * As long as the bounds hold, no first contact is missed, whatever the velocities. Its time is
 * exact (to 1e-10 of the time since the look) where nodes move straight relative to each other;
 * else it is early, by no more than it takes to close a gap of deviation x resolution^2. Of each
 * pair of bodies the first contact is found; a body within another one, whose surfaces do not meet,
 * is not.
 *
 * Obstacles take part like bodies whose only volume is their shape. The nodes of the faces touch
 * them, as in contact: when the distance of one is not positive. Spheres are tested with the shape
 * itself; then, if it is convex, the subtree with the plane that touches it where it is nearest to
 * the sphere's centre. Times are exact on parabolas, too. An obstacle that moves needs
 * Obstacle::largest_acceleration: its velocity is taken from its displacements now and one
 * resolution later, and the bound says how far it may come from there. What passes a shape of
 * unknown convexity at a tiny distance for long may count as touching it, early.
 *
 * Contacts of a body with itself are those of faces that share no node. Pairs of faces that touch
 * in the reference configuration, as the two sides of a crack do, never count. As neighbours are
 * near each other, a body that deforms is looked at often.
 */
template <int spacedim>
class KineticHierarchy
{
public:
  /**
   * Throws dealii::ExceptionBase if an obstacle moves and has no largest_acceleration, or the
   * resolution is infinite.
   * @param surface must outlive the hierarchy
   * @param bounds by body
   * @param resolution positive; a look goes down to contacts until this much later, so that there
   * are no two looks nearer to each other [time]
   */
  KineticHierarchy(const Surface<spacedim> &surface,
                   std::vector<AccelerationBounds<spacedim>> bounds, double resolution,
                   KineticScope<spacedim> scope = {});

  /// When to look next: zero at first, infinity if bodies cannot touch any more [time].
  double next_time() const;

  /// Look at the bodies. @p nodes : all at @p time, which must be next_time(), with velocities of
  /// that time, as from Stepper::snapshot().
  void update(const NodeTable<spacedim> &nodes, double time);

  /// Compare the motion since the last look with the bounds once more, at the end of a run, unless
  /// all first contacts have been found. @p nodes : as for update().
  void finish(const NodeTable<spacedim> &nodes, double time);

  /// All looks so far.
  const std::vector<WakeUp> &
  wake_ups() const
  {
    return looks;
  }

  /// First contacts so far, in order of time; their times may lie ahead of the last look.
  const std::vector<FirstContact> &
  contacts() const
  {
    return found;
  }

  /// Nodes whose velocity has changed by more than the bounds allow between two looks.
  std::uint64_t
  n_broken_bounds() const
  {
    return broken_bounds;
  }

  /// How often an obstacle was not where its largest_acceleration allows, by obstacle.
  const std::vector<std::uint64_t> &
  n_broken_motions() const
  {
    return broken_motions;
  }

  /// Write to, or read from, a checkpoint what changes during a run.
  void serialize(Archive &archive);

private:
  static constexpr int n_sides = spacedim == 2 ? 8 : 14;
  using PolytopeType = Polytope<spacedim, n_sides>;

  /// Smallest and largest component of positions and velocities along a direction.
  struct Slab
  {
    double lower = std::numeric_limits<double>::infinity();  ///< [length]
    double upper = -std::numeric_limits<double>::infinity(); ///< [length]
    double lower_velocity = lower;                           ///< [length/time]
    double upper_velocity = upper;                           ///< [length/time]
  };

  /// A subtree: faces of one body that are neighbours in the order of the trees. An obstacle is one
  /// without faces.
  struct Subtree
  {
    unsigned int body;       ///< or, after the bodies, obstacle
    unsigned int begin, end; ///< range in face_order
    unsigned int depth;
    unsigned int children[2]; ///< if there is more than one face
    std::uint64_t look = 0;   ///< at which the volumes were fitted last
    Box<spacedim> box;
    Box<spacedim> velocities; ///< of the nodes, as a box
    MovingSphere<spacedim> sphere;
    std::uint64_t direction_look = 0; ///< at which thin_direction was fitted last
    /// Unit vector in which the oriented box of the nodes is thinnest: across a surface [-].
    dealii::Tensor<1, spacedim> thin_direction;

    bool
    is_leaf() const
    {
      return end - begin <= 1;
    }

    bool
    is_obstacle() const
    {
      return end == begin;
    }
  };

  /// How an obstacle moves from a look on.
  struct Motion
  {
    dealii::Tensor<1, spacedim> displacement; ///< at the look [length]
    dealii::Tensor<1, spacedim> velocity;     ///< mean until one resolution later [length/time]
    double growth = 0;                        ///< by which the velocity may be wrong [length/time]
    double growth_rate = 0;                   ///< largest acceleration [length/time^2]
  };

  /// What the time of a pair is from. The next stage is gone to when it has come.
  enum class Stage
  {
    earlier, ///< an earlier look
    sphere,
    box,
    oriented, ///< slabs across the directions in which the two are thin
    polytope,
    contact ///< it is the contact
  };

  struct Pair
  {
    double time;
    std::uint64_t number; ///< so that the order does not depend on the queue
    unsigned int first, second;
    Stage stage;

    bool
    operator<(const Pair &other) const
    {
      return time != other.time ? time > other.time : number > other.number;
    }
  };

  /// Throw dealii::ExceptionBase if what was read from a checkpoint cannot be true.
  void check_read() const;
  void build_trees(const NodeTable<spacedim> &nodes);
  unsigned int build_tree(const std::vector<dealii::Point<spacedim>> &centers, unsigned int body,
                          unsigned int begin, unsigned int end, unsigned int depth);
  /// Is the first contact of two bodies, or of a body and an obstacle, asked for?
  bool is_wanted(const Subtree &first, const Subtree &second) const;
  /// Have all that are asked for been found?
  bool is_complete() const;
  void check_bounds(const NodeTable<spacedim> &nodes, double time);
  void move_obstacles(double time);
  Motion motion_at(unsigned int obstacle, double time) const;
  void push(Pair pair, double time, Stage stage);
  void update_pair(const Pair &pair, const NodeTable<spacedim> &nodes, double time);
  /// Replace a pair by smaller ones, or test what its two faces, or face and obstacle, consist of.
  void go_down(const Pair &pair, const NodeTable<spacedim> &nodes, double time);
  void split(const Pair &pair, const NodeTable<spacedim> &nodes, double time);
  void split_in_itself(const Pair &pair, const NodeTable<spacedim> &nodes, double time);
  void push_new(Pair pair, unsigned int first, unsigned int second,
                const NodeTable<spacedim> &nodes, double time);
  void test_faces(const Pair &pair, const NodeTable<spacedim> &nodes, double time);
  void test_nodes(const Pair &pair, const NodeTable<spacedim> &nodes, double time);
  void note_distance(const Pair &pair);
  bool share_a_node(unsigned int first_face, unsigned int second_face) const;
  bool are_sides_of_crack(unsigned int first_face, unsigned int second_face,
                          const NodeTable<spacedim> &nodes);

  /// The subtree with volumes of this look.
  const Subtree &fitted(unsigned int subtree, const NodeTable<spacedim> &nodes);

  // Lower bounds of the time until contact, from now.
  double sphere_bound(const Pair &pair, const NodeTable<spacedim> &nodes);
  double box_bound(const Pair &pair) const;
  double oriented_bound(const Pair &pair, const NodeTable<spacedim> &nodes);
  const dealii::Tensor<1, spacedim> &thin_direction(unsigned int subtree,
                                                    const NodeTable<spacedim> &nodes);
  double polytope_bound(const Pair &pair, const NodeTable<spacedim> &nodes) const;
  double plane_bound(const Pair &pair, const NodeTable<spacedim> &nodes) const;
  /// Calls @p visit (node) for the nodes of all faces, some of them several times.
  template <typename Visit>
  void
  for_each_node(const Subtree &subtree, const Visit &visit) const
  {
    for (unsigned int i = subtree.begin; i < subtree.end; ++i)
    {
      const auto &face = surface.faces[face_order[i]];
      for (unsigned int c = 0; c < face.n_nodes; ++c)
        visit(face.nodes[c]);
    }
  }

  Slab slab(const Subtree &subtree, const dealii::Tensor<1, spacedim> &direction,
            const NodeTable<spacedim> &nodes) const;
  /// @param motion_of (node) is a MovingPoint
  template <typename MotionOf>
  Impact impact_of_faces(unsigned int first_face, unsigned int second_face,
                         const MotionOf &motion_of, double horizon, double reach);

  /// Twice the largest deviation from straight relative motion, over time squared.
  double bend(unsigned int first_body, unsigned int second_body) const;

  /// Bodies and obstacles.
  unsigned int
  n_targets() const
  {
    return bounds.size() + scope.obstacles.size();
  }

  /// Number of the obstacle that a subtree is.
  unsigned int
  obstacle_of(const Subtree &subtree) const
  {
    return subtree.body - bounds.size();
  }

  /// A sphere in the frame of an obstacle, grown by what is not known of the obstacle's motion.
  MovingSphere<spacedim> seen_from(unsigned int obstacle, MovingSphere<spacedim> sphere) const;

  char &
  is_done(const unsigned int first_body, const unsigned int second_body)
  {
    return done[first_body * n_targets() + second_body];
  }

  const Surface<spacedim> &surface;
  const std::vector<AccelerationBounds<spacedim>> bounds;
  const double resolution;
  const KineticScope<spacedim> scope;
  std::vector<unsigned int> face_order;
  std::vector<Subtree> subtrees;
  std::priority_queue<Pair> queue;
  std::uint64_t n_pairs = 0;
  std::vector<char> done; ///< by pair of bodies or obstacles: has the first contact been found?
  std::vector<WakeUp> looks;
  std::vector<FirstContact> found;
  std::vector<dealii::Tensor<1, spacedim>> last_velocities; ///< by node of the table
  std::uint64_t broken_bounds = 0;
  std::vector<Motion> motions; ///< by obstacle, from the last look on
  std::vector<std::uint64_t> broken_motions;
};
} // namespace KickDrift

#endif
