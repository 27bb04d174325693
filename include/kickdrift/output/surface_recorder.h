#ifndef KICKDRIFT_OUTPUT_SURFACE_RECORDER_H
#define KICKDRIFT_OUTPUT_SURFACE_RECORDER_H

#include <kickdrift/contact/surface/surface.h>
#include <kickdrift/output/files.h>
#include <kickdrift/output/recorder.h>

#include <deal.II/base/data_out_base.h>

#include <functional>

namespace KickDrift
{
/// Fields on the nodes of surfaces, indexed like the node table.
template <int spacedim>
struct SurfaceFields
{
  /// Area vectors: sum over the faces of a node of outward normal times the node's share of the
  /// deformed area [length^(spacedim-1)].
  std::vector<dealii::Tensor<1, spacedim>> area;
  std::vector<dealii::Tensor<1, spacedim>> impulse;        ///< accumulated [mass*length/time]
  std::vector<dealii::Tensor<1, spacedim>> recent_impulse; ///< of the last interval
  std::vector<dealii::Tensor<1, spacedim>>
      friction_impulse;             ///< the part of the impulse that friction gave
  std::vector<ContactState> states; ///< by node
  std::vector<double> pressure;     ///< [force/length^(spacedim-1)]
};

/**
 * Outward area vector of a deformed face: normal times area (for a bilinear quadrilateral the
 * integral of the normal) [length^(spacedim-1)].
 */
template <int spacedim>
dealii::Tensor<1, spacedim> area_vector(const SurfaceFace<spacedim> &face,
                                        const NodeTable<spacedim> &nodes);

/// The faces of one body in the deformed configuration, as deal.II's writers want them.
template <int spacedim>
class SurfaceOutput : public dealii::DataOutInterface<spacedim - 1, spacedim>
{
public:
  /// A face.
  using Patch = dealii::DataOutBase::Patch<spacedim - 1, spacedim>;

  /// Take over the faces of a body and their fields.
  void build_patches(const Surface<spacedim> &surface, const unsigned int body,
                     const NodeTable<spacedim> &nodes, const SurfaceFields<spacedim> &fields);

  /// One for each face.
  const std::vector<Patch> &
  get_patches() const override
  {
    return patches;
  }
  /// Of the fields.
  std::vector<std::string> get_dataset_names() const override;

  /// Fields that are vectors.
  std::vector<std::tuple<unsigned int, unsigned int, std::string,
                         dealii::DataComponentInterpretation::DataComponentInterpretation>>
  get_nonscalar_data_ranges() const override;

private:
  std::vector<Patch> patches;
};

/**
 * `surface.pvd`, `surface_INDEX.pvtu` and `surface_INDEX_BODY.vtu`: the faces of all bodies where
 * they are, with the fields
 * - normal: outward, unit;
 * - contact_impulse: on the nodes, accumulated since the start [mass*length/time];
 * - recent_contact_impulse: the same since the frame that was written before;
 * - friction_impulse: the part of contact_impulse that friction gave;
 * - pressure: inward part of the recent impulse over interval and nodal area, positive in
 *   compression, zero in the first frame [force/length^(spacedim-1)];
 * - gap: to the nearest target at the last test of the node, negative inside; not a number if none
 *   was in sight [length];
 * - status: 0 open, 1 slips (or has no friction), 2 sticks;
 * - body: its number; node: index in the node table (the files repeat a node for every face it
 *   belongs to; sums over nodes must count it once).
 */
template <int spacedim>
class SurfaceRecorder : public Recorder<spacedim>
{
public:
  /**
   * Write every @p every -th frame, beginning with frame 0.
   * @param surface must outlive the recorder
   * @param states of all nodes, now; empty: all are open
   */
  SurfaceRecorder(const std::string &folder, const Surface<spacedim> &surface,
                  const unsigned int every = 1,
                  std::function<std::vector<ContactState>()> states = {});

  void record(const Frame<spacedim> &frame) override;
  void serialize(Archive &archive) override;

private:
  SurfaceFields<spacedim> fields(const Frame<spacedim> &frame) const;

  std::string folder;
  const Surface<spacedim> &surface;
  unsigned int every;
  std::function<std::vector<ContactState>()> states;
  PvdFile pvd;
  double previous_time;
  std::vector<dealii::Tensor<1, spacedim>> previous_impulse;
};
} // namespace KickDrift

#endif
