#ifndef KICKDRIFT_SOURCE_CONTACT_DETECTION_FACE_WALKS_H
#define KICKDRIFT_SOURCE_CONTACT_DETECTION_FACE_WALKS_H

#include <kickdrift/contact/detection/face_detector.h>

#include "kernels/face_projection.h"

#include <array>
#include <vector>

namespace KickDrift
{
/// Nothing else counts if it is not certain.
template <int spacedim>
struct FaceDetector<spacedim>::WalkEnd
{
  bool is_certain = false;
  unsigned int face = FaceProjection<spacedim>::none; ///< the nearest one
  std::array<double, 2> place{};                      ///< of the closest point of that face
  double distance = 0;                                ///< from it [length]
  FaceProjection<spacedim> hit;                       ///< see FaceDetector::blend_normals()
};

/**
 * Contactors that walk from face to face until they are at the nearest one of those that they look
 * at: from a face on to those beyond its edges that are as near as the face itself is. Nothing but
 * faces around the first one may be near, see Clearance. All walks take their steps together.
 */
template <int spacedim>
class FaceDetector<spacedim>::Walks
{
public:
  /// Forget all walks; those that are added are walks at @p time. The detector must outlive them.
  void begin(const FaceDetector &detector, double time);

  /// A walk of a contactor that is a node, from the face that it looked at last.
  void add(unsigned int contactor);

  /// Walk.
  void run();

  /// Where walk number @p w, as they were added, has ended.
  WalkEnd end(unsigned int w) const;

private:
  /// Steps of one walk.
  struct Walk
  {
    static constexpr unsigned int max_steps = 16;

    unsigned int contactor;
    bool is_certain = true;
    unsigned int n_steps = 0;
    unsigned int nearest = -1;                 ///< step whose face is the nearest so far
    std::array<unsigned int, max_steps> steps; ///< indices of pairs
  };

  void step_to(Walk &walk, unsigned int face, const std::array<double, 2> &guess);
  void examine(Walk &walk, unsigned int step);
  void look_around(Walk &walk, unsigned int step, double reach);
  bool is_outside(const Walk &walk, double rim) const;
  void blend_normals(const Walk &walk, FaceProjection<spacedim> &hit) const;

  const FaceDetector *detector = nullptr;
  FaceKernels::Nodes nodes{};
  FaceKernels::Kernel project = nullptr;
  unsigned int n_corners = 0; ///< that all faces must have
  std::vector<Walk> walks;
  std::vector<FaceKernels::Pair> pairs;
  std::vector<unsigned int> faces;                  ///< by pair
  std::vector<unsigned int> walk_of;                ///< by pair
  std::vector<FaceKernels::Projection> projections; ///< by pair
};
} // namespace KickDrift

#endif
