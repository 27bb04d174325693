#ifndef KICKDRIFT_CONTACT_TRACKING_FACE_SEARCH_H
#define KICKDRIFT_CONTACT_TRACKING_FACE_SEARCH_H

#include <kickdrift/contact/search/broad_phase.h>
#include <kickdrift/contact/surface/motion_bounds.h>
#include <kickdrift/contact/surface/surface.h>
#include <kickdrift/nodes/node_table.h>

#include <deal.II/base/array_view.h>

#include <functional>
#include <memory>

namespace KickDrift
{
/**
 * Finds the faces near a point or an edge while nodes move at their own times.
 *
 * The faces of every body have a BroadPhase of their own, which flies along with the body's
 * reference velocity (MotionBounds). Boxes have a margin, and are fitted anew only when the body
 * may have deformed by more than that: kicks cost nothing here, and neither does free flight.
 */
template <int spacedim>
class FaceSearch
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// All must outlive it.
  FaceSearch(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
             MotionBounds<spacedim> &bounds, BroadPhaseType type);

  /// Build at @p time; bounds must have been started. Boxes are not fitted more often than every
  /// @p shortest_interval: a run that blows up must come to its end [time].
  void build(double time, double shortest_interval);

  /// When the first boxes must be fitted anew: queries at later times need fit() first.
  double
  next_fit() const
  {
    return next;
  }

  /// The shortest interval that build() was told [time].
  double
  least_interval() const
  {
    return shortest_interval;
  }

  /// Fit the boxes of bodies that are due at @p time. Nothing is drifted; kicks up to that time
  /// must have been done.
  void fit(double time);

  /// Bounds of motion have changed.
  void find_next_fit();

  /// Append to @p faces those of @p body that may come within @p radius of @p box at @p time.
  void candidates_of(unsigned int body, const Box<spacedim> &box, double radius, double time,
                     std::vector<unsigned int> &faces) const;

  /// Faces that face an observer. Normals are bounds of what the faces may turn to until they are
  /// fitted again, sizes are face_size().
  using NormalCone = typename BroadPhase<spacedim>::NormalCone;

  /// The same, but faces whose normals are outside of the @p cone of all of @p box may be left out.
  void candidates_of(unsigned int body, const Box<spacedim> &box, double radius,
                     const NormalCone &cone, double time, std::vector<unsigned int> &faces) const;

  /// The smallest of the distances that @p distance_to_face gives for those faces of @p body whose
  /// normals are in the @p cone of all of @p box (perhaps also for others), or @p furthest if that
  /// is less [length].
  double distance_to_nearest(unsigned int body, const Box<spacedim> &box, const NormalCone &cone,
                             double time, double furthest,
                             const std::function<double(unsigned int)> &distance_to_face) const;

  /// Distance from @p box to the box around all faces of a body at @p time; infinity if it has
  /// none.
  double distance_to_body(unsigned int body, const Box<spacedim> &box, double time) const;

  /// Of the thinnest place of a body behind one of its faces, not more than the face is large; what
  /// is behind the side of a shell is its other side, which does not count [length].
  double
  thickness(const unsigned int body) const
  {
    return parts[body].thickness;
  }

  /**
   * A time before which nothing that is inside @p box at @p time and belongs to the body @p own can
   * touch a face of @p body, while bounds hold. Times after @p enough may be given as that.
   */
  double free_until(unsigned int body, const Box<spacedim> &box, unsigned int own, double time,
                    double enough) const;

  /// Outward unit normal of a face, as it was when its box was last fitted.
  const Vector &
  face_normal(const unsigned int face) const
  {
    return face_normals[face];
  }

  /// Twice the vector between the middles of the diagonals of a quadrilateral, as it was when its
  /// box was last fitted; zero for other faces [length].
  const Vector &
  face_hourglass(const unsigned int face) const
  {
    return face_hourglasses[face];
  }

  /// Difference of unit normals by which a face has turned when it counts as turned.
  static constexpr double normal_change = 0.125;

  /// How much the angle between a contactor and a face, or their cosine, may change while neither
  /// counts as turned: both may have turned to one side before, and turn to the other one
  /// [radian].
  static constexpr double unnoticed_turn = 4 * normal_change;

  /// Grows by one whenever a face of the body has turned since it last did so.
  unsigned int
  n_normal_changes(const unsigned int body) const
  {
    return parts[body].normal_changes;
  }

  /// Is it still known which faces of a body have turned since n_normal_changes() was @p since?
  bool
  remembers_normal_changes_since(const unsigned int body, const unsigned int since) const
  {
    return parts[body].normal_changes - since <= parts[body].changed.size();
  }

  /// Faces of a body that have turned since n_normal_changes() was @p since, if that is known.
  dealii::ArrayView<const unsigned int>
  normals_changed_since(const unsigned int body, const unsigned int since) const
  {
    const Part &part = parts[body];
    const unsigned int n = part.normal_changes - since;
    return dealii::ArrayView<const unsigned int>(part.changed.data() + part.changed.size() - n, n);
  }

  /// How often the boxes of a body have been fitted so far, and its normals with them.
  unsigned int
  n_fits(const unsigned int body) const
  {
    return parts[body].fits;
  }

  /// Unit normal of a surface node: mean over its faces on that side, as they were when their boxes
  /// were last fitted. Zero if they cancel.
  Vector nodal_normal(unsigned int node, Side side = Side::only) const;

  /// Number of the piece that a face belongs to: faces that hang together, by nodes they share.
  unsigned int
  component(const unsigned int face) const
  {
    return components[face];
  }

  /// Do all faces of a body hang together?
  bool
  is_connected(const unsigned int body) const
  {
    return parts[body].is_connected;
  }

  /// Faces of a body.
  const std::vector<unsigned int> &
  faces_of_body(const unsigned int body) const
  {
    return parts[body].faces;
  }

  /// Largest distance of two corners of the face in the reference configuration [length].
  double
  face_size(const unsigned int face) const
  {
    return face_sizes[face];
  }

  /// Faces that contain the surface node.
  dealii::ArrayView<const unsigned int>
  faces_of_node(const unsigned int node) const
  {
    const unsigned int i = index_of_node[node];
    return dealii::ArrayView<const unsigned int>(node_faces.data() + node_face_offsets[i],
                                                 node_face_offsets[i + 1] - node_face_offsets[i]);
  }

  /// Those that are on a side of a shell.
  dealii::ArrayView<const unsigned int>
  faces_of_node(const unsigned int node, const Side side) const
  {
    const auto all = faces_of_node(node);
    if (side == Side::only)
      return all;
    const std::size_t n = all.size() / 2; // see add_other_sides()
    return {all.data() + (side == Side::back ? n : 0), n};
  }

  /// Write to, or read from, a checkpoint what changes during a run.
  void serialize(Archive &archive);

private:
  /// The faces of one body.
  struct Part
  {
    std::vector<unsigned int> faces;
    bool is_connected = true;                    ///< do its faces hang together?
    std::unique_ptr<BroadPhase<spacedim>> boxes; ///< of its faces, in that order
    Box<spacedim> bounds;                        ///< of all boxes
    Vector velocity;                             ///< of the frame of the boxes [length/time]
    double time = 0;                             ///< of the last fit
    double margin = 0;                           ///< of the boxes [length]
    double thickness = 0;                        ///< see thickness() [length]
    double valid_path = 0;             ///< MotionBounds::path() up to which the boxes hold [length]
    unsigned int normal_changes = 0;   ///< see n_normal_changes()
    std::vector<unsigned int> changed; ///< the faces that did so last
    unsigned int fits = 0;
  };

  /// Of the box around all faces of a body; zero if it has none [length].
  double
  diameter(const unsigned int body) const
  {
    return parts[body].faces.empty() ? 0.
                                     : parts[body].bounds.lower.distance(parts[body].bounds.upper);
  }

  void index_nodes();
  void find_components();
  void fit(Part &part, unsigned int body, double time);
  /// Boxes of all faces of a part at @p time.
  void find_boxes(Part &part, double time);
  void update_direction(Part &part, unsigned int leaf);
  double find_thickness(unsigned int body, double time) const;
  /// @p box in the frame of a part's boxes.
  static Box<spacedim> in_frame(const Part &part, const Box<spacedim> &box, double time);
  /// The view, with what faces may turn until they are fitted again.
  static NormalCone with_reserve(NormalCone cone);
  static void name_faces(const Part &part, std::size_t begin, std::vector<unsigned int> &found);
  static Box<spacedim> box_of_directions(const Vector &normal);
  Vector current_normal(unsigned int face, double time) const;

  const NodeTable<spacedim> &nodes;
  const Surface<spacedim> &surface;
  MotionBounds<spacedim> &bounds;
  const BroadPhaseType type;
  std::vector<Part> parts;                 ///< by body
  double next = 0;                         ///< [time]
  double shortest_interval = 0;            ///< [time]
  std::vector<unsigned int> index_of_node; ///< dense index of surface nodes
  std::vector<std::size_t> node_face_offsets;
  std::vector<unsigned int> node_faces;
  std::vector<Vector> face_normals;
  std::vector<Vector> face_hourglasses;  ///< see face_hourglass() [length]
  std::vector<Vector> listed_normals;    ///< that the boxes of directions are for
  std::vector<Vector> normals_at_change; ///< when the face last counted as turned
  std::vector<double> face_sizes;
  std::vector<unsigned int> components; ///< see piece()
  std::vector<Box<spacedim>> boxes;     ///< kept to avoid allocation
};
} // namespace KickDrift

#endif
