#ifndef KICKDRIFT_CONTACT_MASSLESS_TARGETS_H
#define KICKDRIFT_CONTACT_MASSLESS_TARGETS_H

#include <kickdrift/base/archive.h>
#include <kickdrift/base/compressed_rows.h>
#include <kickdrift/contact/geometry/closest_point.h>
#include <kickdrift/contact/geometry/obstacles.h>
#include <kickdrift/contact/response/pairs.h>
#include <kickdrift/contact/surface/contact_point.h>
#include <kickdrift/contact/surface/exclusions.h>
#include <kickdrift/contact/surface/surface.h>
#include <kickdrift/nodes/node_table.h>

#include <array>
#include <set>
#include <utility>
#include <vector>

namespace KickDrift
{
/// A place on a target: near a point of a face, which moves with its nodes, or a point of space.
template <int spacedim>
struct MasslessPlace
{
  static constexpr unsigned int no_face = -1; ///< the place is a point of space

  unsigned int face = no_face; ///< index into the faces of MasslessTargets
  std::array<double, ClosestPoint<spacedim>::max_nodes> weights{}; ///< shape values at it [-]
  dealii::Point<spacedim>
      point; ///< the place, or how far it is from that point of the face [length]

  /// Write to, or read from, a checkpoint.
  void
  serialize(Archive &archive)
  {
    archive(face, weights, point);
  }
};

/// What is remembered of a node and what it may touch.
template <int spacedim>
struct MasslessContactMemory
{
  static constexpr unsigned int no_face = -1; ///< there is none in sight

  unsigned int face = no_face;          ///< the nearest, index into the faces of MasslessTargets
  double force = 0;                     ///< multiplier: along the normal, not negative [force]
  dealii::Tensor<1, spacedim> friction; ///< on the node, across the normal [force]
  bool is_anchored = false;             ///< is there an anchor?
  MasslessPlace<spacedim> anchor;       ///< to which the node sticks

  /// Write to, or read from, a checkpoint.
  void
  serialize(Archive &archive)
  {
    archive(face, force, friction, is_anchored, anchor);
  }
};

/// A gap that may close: g = normal . (sum of coefficient times position) for small motions.
template <int spacedim>
struct MasslessContact
{
  ContactStencil<spacedim> stencil; ///< of the gap, the contactor first; with the normal [-]
  double gap = 0;                   ///< negative: the contactor is inside [length]
  ContactStencil<spacedim> anchor;  ///< of the slip; no nodes: there is none, or no friction
  dealii::Tensor<1, spacedim> slip; ///< of the contactor from its anchor, tangential [length]
  double friction = 0;              ///< coefficient [-]
  unsigned int pair = 0;            ///< which of the pairs of MasslessTargets it is

  /// Is the other side an obstacle?
  bool
  is_with_obstacle() const
  {
    return stencil.n_nodes == 1;
  }

  /// The part of a vector across the normal.
  dealii::Tensor<1, spacedim>
  tangential(const dealii::Tensor<1, spacedim> &vector) const
  {
    return vector - (vector * stencil.normal) * stencil.normal;
  }
};

/**
 * What massless nodes may touch: faces of other bodies with massless nodes, and rigid obstacles
 * that stand still. A pair is a node and either all faces or one obstacle; it has at most one
 * contact.
 *
 * A gap is a smooth function of positions where the closest point is within a face, or on an edge
 * of faces in one plane; where faces fold its normal jumps, and so do forces, by the angle.
 *
 * The nearest face is remembered. From there the walk goes on to the faces around the closest point
 * while one of them is nearer; search() looks at all faces.
 */
template <int spacedim>
class MasslessTargets
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;
  /// Of a pair.
  using Memory = MasslessContactMemory<spacedim>;
  /// By pair.
  using Memories = std::vector<Memory>;

  /// A node that is tested, in contact with others.
  struct Contactor
  {
    unsigned int node; ///< of the table
    unsigned int body; ///< of the surface
  };

  /**
   * @param faces of massless surfaces; their nodes are the contactors
   * @param n_bodies obstacles count on after the bodies in @p exclusions and @p pairs
   * @param pairs of which coefficients of friction are taken
   * @param without_zone partners that are left to others, see Surface::without_zone
   */
  MasslessTargets(std::vector<SurfaceFace<spacedim>> faces,
                  std::vector<Obstacle<spacedim>> obstacles, const Exclusions &exclusions,
                  unsigned int n_bodies, const ContactPairs<spacedim> &pairs,
                  std::set<std::pair<unsigned int, unsigned int>> without_zone = {});

  /// Number of pairs.
  unsigned int
  n_pairs() const
  {
    return contactors.size() * (1 + obstacles.size());
  }

  /// Is there such a face, or is it no face?
  bool
  has_face(const unsigned int face) const
  {
    return face < faces.size() || face == Memory::no_face;
  }

  /// Nodes of the faces, ascending.
  const std::vector<Contactor> &
  all_contactors() const
  {
    return contactors;
  }

  /// Remember the nearest of all faces that look at each node, for nodes that are all at one time.
  void search(const NodeTable<spacedim> &nodes, Memories &memories) const;

  /// Go on from the remembered faces to nearer ones.
  void walk(const NodeTable<spacedim> &nodes, Memories &memories) const;

  /// All gaps of pairs that are near each other, in the order of the pairs.
  void find(const NodeTable<spacedim> &nodes, const Memories &memories,
            std::vector<MasslessContact<spacedim>> &contacts) const;

  /**
   * The slip of a contactor that is more than the @p elastic part, which its contact force causes;
   * for contacts found where the @p nodes are about. Zero without an anchor.
   */
  Vector slip_beyond(const NodeTable<spacedim> &nodes, const MasslessContact<spacedim> &contact,
                     const Memory &memory, const Vector &elastic) const;

  /// Put the anchor of a contact where the node has slipped this far, less the @p elastic part.
  void move_anchor(const NodeTable<spacedim> &nodes, const MasslessContact<spacedim> &contact,
                   const Vector &elastic, Memory &memory) const;

  /// The body of a pair's contactor.
  unsigned int
  body(const unsigned int pair) const
  {
    return contactors[pair / (1 + obstacles.size())].body;
  }

  /// The body or obstacle of the other side, as Exclusions counts.
  unsigned int target(unsigned int pair, const Memory &memory) const;

private:
  using Closest = ClosestPoint<spacedim>;

  Closest closest(const NodeTable<spacedim> &nodes, unsigned int node, unsigned int face) const;
  /// Index of an own body; obstacles count on.
  unsigned int own_number(unsigned int partner) const;
  bool sees(unsigned int contactor, unsigned int target) const;
  /// Mean outward normal of the faces around a contactor.
  Vector normal_at(const NodeTable<spacedim> &nodes, unsigned int contactor) const;
  void walk_one(const NodeTable<spacedim> &nodes, unsigned int node, Memory &memory) const;
  bool gap_to_face(const NodeTable<spacedim> &nodes, unsigned int node, unsigned int face,
                   MasslessContact<spacedim> &contact) const;
  void add_anchor(const NodeTable<spacedim> &nodes, const Memory &memory,
                  MasslessContact<spacedim> &contact) const;
  dealii::Point<spacedim> position(const NodeTable<spacedim> &nodes,
                                   const MasslessPlace<spacedim> &place) const;
  double friction(unsigned int pair, const Memory &memory) const;
  void gap_to_obstacle(const NodeTable<spacedim> &nodes, unsigned int node, unsigned int obstacle,
                       MasslessContact<spacedim> &contact) const;
  double size(const NodeTable<spacedim> &nodes, unsigned int face) const;

  std::vector<SurfaceFace<spacedim>> faces;
  std::vector<Obstacle<spacedim>> obstacles;
  Exclusions exclusions;
  unsigned int n_bodies;
  std::vector<Contactor> contactors;
  std::set<std::pair<unsigned int, unsigned int>> without_zone;
  std::vector<unsigned int> own_bodies; ///< ascending
  std::vector<double> frictions;        ///< shape (own bodies, own bodies and obstacles) [-]
  CompressedRows<unsigned int> faces_of_contactor; ///< faces that have its node
  CompressedRows<unsigned int> faces_around;       ///< by face, those that share a node with it
};
} // namespace KickDrift

#endif
