#ifndef KICKDRIFT_CONTACT_TRACKING_PATCH_PAIRS_H
#define KICKDRIFT_CONTACT_TRACKING_PATCH_PAIRS_H

#include <kickdrift/contact/search/hierarchy.h>
#include <kickdrift/contact/surface/exclusions.h>
#include <kickdrift/contact/surface/motion_bounds.h>
#include <kickdrift/contact/surface/surface_patches.h>
#include <kickdrift/contact/tracking/face_search.h>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace KickDrift
{
/**
 * Which contactors can rest since nothing that they might touch is near: groups of contactors on a
 * patch (SurfacePatches) rest as long as no patch is near whose faces look at them.
 *
 * Two patches are near each other if their boxes are, which is looked at when a box is renewed: as
 * long as no box is broken nothing comes near. Directions are cones of normals; they are renewed
 * when a normal has turned clearly since then, as FaceSearch sees it. So a group that rests costs
 * nothing, and it is woken by what happens to its own patch or to one that comes near.
 *
 * Patches of one body that look at each other, such as both sides of a wall, cannot touch as long
 * as what is between them differs little from what it was in the reference configuration, but for a
 * rotation, nor before they have come all the way.
 */
template <int spacedim>
class PatchPairs
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// What is known about contactors. Numbers are those of slots.
  class Contactors
  {
  public:
    virtual ~Contactors() = default;

    /// How many there are.
    virtual unsigned int size() const = 0;

    /// Nodes that carry a contactor.
    virtual dealii::ArrayView<const unsigned int> nodes(unsigned int contactor) const = 0;

    /// Faces whose normals say where it looks; none if it looks everywhere.
    virtual dealii::ArrayView<const unsigned int> faces(unsigned int contactor) const = 0;

    /// What it looks for; those of different kinds are in different groups. Contactors that look
    /// for faces come first, and have not more than 16 kinds.
    virtual unsigned int kind(unsigned int contactor) const = 0;

    /// The largest cosine of the normals of a contactor and a face that it touches, or that
    /// belongs to what it touches [-].
    virtual double limit(unsigned int kind) const = 0;

    /// Do those of a kind look for faces, or for targets that move by themselves?
    virtual bool looks_for_faces(unsigned int kind) const = 0;

    /// May a contactor that looks for such targets see one of them from anywhere in @p box?
    virtual bool may_see(unsigned int contactor, const Box<spacedim> &box) const = 0;
  };

  /// All must outlive it.
  PatchPairs(const Surface<spacedim> &surface, const NodeTable<spacedim> &nodes,
             const Exclusions &exclusions, const FaceSearch<spacedim> &search,
             MotionBounds<spacedim> &bounds);

  /// Form groups of @p contactors and find which of them can rest. Patches must have been started
  /// and the search built.
  void start(const Contactors &contactors, double time);

  /// Renew what is broken or has turned at @p time; the search must have been fitted.
  void update(const Contactors &contactors, double time);

  /// When update() is needed although no box is broken [time].
  double next_update() const;

  /// In self-contact it is enough to look at what is within this share of a contactor's length,
  /// beyond the thickness of a shell [-].
  static constexpr double sight_of_own = 0.25;

  /// The group of a contactor.
  unsigned int
  group(const unsigned int contactor) const
  {
    return group_of_contactor[contactor];
  }

  /// Is there nothing near a group that it might touch?
  bool
  rests(const unsigned int group) const
  {
    return groups[group].n_facing == 0;
  }

  /// Contactors of a group.
  const std::vector<unsigned int> &
  members(const unsigned int group) const
  {
    return groups[group].members;
  }

  /// Groups that have ceased to rest in the last update().
  const std::vector<unsigned int> &
  woken() const
  {
    return woken_groups;
  }

  /// Write to, or read from, a checkpoint what changes during a run.
  void serialize(Archive &archive);

private:
  /// Directions within an angle around an axis.
  struct Cone
  {
    Cone() = default;
    Cone(const Vector &axis, double angle);

    Vector axis;                 ///< unit vector
    double angle = 0;            ///< half of the opening, with the reserve for turns [radian]
    double cosine = 1, sine = 0; ///< of the angle
    bool everywhere = true;      ///< are all directions in it?
  };

  /// Contactors of one kind on one patch that look in about the same direction.
  struct Group
  {
    unsigned int patch, kind;
    bool looks_for_faces;
    double widest; ///< angle to the normals of faces that it touches at least [radian]
    std::vector<unsigned int> members;
    Cone cone;
    double cosine = 1, sine = 0; ///< of the widest angle less that of the cone
    unsigned int n_facing = 0;   ///< number of patches near that may look at it
  };

  /// A patch that is near another one.
  struct Partner
  {
    unsigned int patch;
    std::uint32_t facing = 0;  ///< bits: which groups of this one may touch the partner's faces
    std::uint32_t opposed = 0; ///< bits: groups whose directions allow that
    // if both are of one body
    std::uint32_t measured = 0; ///< bits: groups whose first distance is known
    std::uint32_t apart = 0;    ///< bits: groups that cannot meet the partner's faces for a while
    double first_distance = -1; ///< of those measured, in the reference configuration [length]
    double apart_until =
        -std::numeric_limits<double>::infinity(); ///< MotionBounds::path() before they can meet

    void serialize(Archive &archive);
  };

  /// How the nodes of a patch have moved since the reference configuration.
  struct Frame
  {
    Vector center;    ///< of its nodes, less MotionBounds::displacement() [length]
    Vector reference; ///< of the same in the reference configuration [length]
    dealii::Tensor<2, spacedim> rotation;
    double radius = 0; ///< around the centre, in the reference configuration [length]
    double deviation = std::numeric_limits<double>::infinity(); ///< of the nodes from the rotation,
                                                                ///< at most [length]
    double path = -1; ///< MotionBounds::path() when it was found [length]
  };

  static bool ///< The order of partners.
  comes_before(const Partner &partner, const unsigned int patch)
  {
    return partner.patch < patch;
  }

  void form_groups(const Contactors &contactors);
  Box<spacedim> near_box(unsigned int patch) const;
  void renew_box(const Contactors &contactors, unsigned int patch);
  void renew_cones(const Contactors &contactors, unsigned int patch);
  void find_turned(const Contactors &contactors);
  bool are_apart(unsigned int patch, unsigned int other) const;
  /// Near each other are @p patch and, anew, exactly these; ascending.
  void set_partners(const Contactors &contactors, unsigned int patch,
                    const std::vector<unsigned int> &near);
  /// Null if the other patch is not near.
  const Partner *find_partner(unsigned int patch, unsigned int other) const;
  Partner *
  find_partner(const unsigned int patch, const unsigned int other)
  {
    return const_cast<Partner *>(std::as_const(*this).find_partner(patch, other));
  }
  void set_facing(unsigned int patch, Partner &partner, std::uint32_t facing);
  void set_n_facing(unsigned int group, unsigned int n);
  void remove(unsigned int patch, unsigned int partner);
  std::uint32_t facing(const Contactors &contactors, unsigned int patch, Partner &partner);
  /// Which groups of a patch have directions with which they may touch faces of the other one?
  std::uint32_t opposed(unsigned int patch, unsigned int other) const;
  void renew_cone(const Contactors &contactors, Group &group);
  template <typename Position>
  double distance(const Contactors &contactors, unsigned int patch, unsigned int other,
                  std::uint32_t mask, const Position &position) const;
  void renew_frame(unsigned int patch);
  static double least_distance(const Frame &own, const Frame &other, double first);
  double find_apart(const Contactors &contactors, unsigned int patch, const Partner &partner,
                    bool measures);
  void keep_apart(const Contactors &contactors, unsigned int patch, Partner &partner,
                  bool measures);
  void check_apart(const Contactors &contactors);
  void look_at_own(const Contactors &contactors, unsigned int patch, double late);
  void find_first_deadline(unsigned int body);
  /// After reading from a checkpoint.
  void check_partners() const;
  Cone cone_of_faces(unsigned int patch) const;
  Cone cone_of_group(const Contactors &contactors, const Group &group) const;
  Vector direction(const Contactors &contactors, unsigned int contactor, double &spread) const;
  /// Remember how a face looks, of which a cone is made.
  void keep_normal(unsigned int face);
  /// Have normals of a face turned clearly since the cones were made of them?
  bool has_turned(unsigned int face) const;
  /// Angle between the normals of a face in its middle and anywhere on it at most [radian].
  double warp(unsigned int face) const;

  const Surface<spacedim> &surface;
  const NodeTable<spacedim> &nodes;
  const Exclusions &exclusions;
  const FaceSearch<spacedim> &search;
  MotionBounds<spacedim> &bounds;
  SurfacePatches<spacedim> &patches;
  std::vector<Group> groups;
  std::vector<unsigned int> group_of_contactor;
  std::vector<std::vector<unsigned int>> groups_of_patch;
  std::vector<std::vector<Partner>> partners; ///< by patch, ascending
  std::vector<Cone> face_cones;               ///< by patch; of the normals of its faces
  std::vector<Vector> normals;                ///< by face, that the cones are made of
  std::vector<Vector> hourglasses;            ///< by face, the same [length]
  std::vector<double> edges;                  ///< by face: square of the shortest then [length^2]
  std::vector<unsigned int> fits;             ///< by body, FaceSearch::n_fits() that they are from
  std::vector<Box<spacedim>> near_boxes;      ///< by patch: what is in sight of it [length]
  Hierarchy<spacedim> tree;                   ///< of near_boxes
  unsigned int n_updates = 0;                 ///< of the tree since it was refitted
  std::vector<Frame> frames;                  ///< by patch
  std::vector<double> deadlines; ///< by patch: first of Partner::apart_until, or sooner [length]
  std::vector<double> first_deadlines; ///< by body: the first of its patches [length]
  std::vector<std::vector<unsigned int>> patches_of_body;
  double now = 0; ///< [time]
  std::vector<unsigned int> woken_groups;
};
} // namespace KickDrift

#endif
