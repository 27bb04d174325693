#ifndef KICKDRIFT_OUTPUT_SURFACE_RECORDER_H
#define KICKDRIFT_OUTPUT_SURFACE_RECORDER_H

#include <kickdrift/contact/surface/surface.h>
#include <kickdrift/output/files.h>
#include <kickdrift/output/recorder.h>
#include <kickdrift/output/vtu_file.h>

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
  /// Mean force of contact in the last interval, over the nodal area [force/length^(spacedim-1)].
  std::vector<dealii::Tensor<1, spacedim>> traction;
  std::vector<double> nodal_area; ///< shares of the deformed faces [length^(spacedim-1)]
};

/**
 * Outward area vector of a deformed face: normal times area (for a bilinear quadrilateral the
 * integral of the normal) [length^(spacedim-1)].
 */
template <int spacedim>
dealii::Tensor<1, spacedim> area_vector(const SurfaceFace<spacedim> &face,
                                        const NodeTable<spacedim> &nodes);

/**
 * `surface.pvd` and, in the folder `surface`, one file for each save time: the faces of all bodies
 * where they are, sharing their nodes, with fields of the nodes
 * - displacement: from the reference configuration [length];
 * - contact_impulse: accumulated since the start [mass*length/time];
 * - recent_contact_impulse: the same since the frame that was written before;
 * - friction_impulse: the part of contact_impulse that friction gave;
 * - pressure: inward part of the recent impulse over interval and nodal area, positive in
 *   compression, zero in the first frame [force/length^(spacedim-1)];
 * - contact_traction: the whole of the recent impulse over interval and nodal area; its sum over
 * the nodes, times nodal_area, is the mean force of contact since the frame before, zero in the
 * first frame [force/length^(spacedim-1)];
 * - nodal_area: the node's share of the deformed faces, area over number of corners
 *   [length^(spacedim-1)];
 * - gap: to the nearest target at the last test of the node, negative inside; not a number if none
 *   was in sight [length];
 * - status: 0 open, 1 slips (or has no friction), 2 sticks;
 * - node: index in the node table;
 *
 * and of the faces
 * - normal: outward, unit;
 * - body: its number.
 */
template <int spacedim>
class SurfaceRecorder : public Recorder<spacedim>
{
public:
  /**
   * Write every @p every -th frame, beginning with frame 0.
   * @param surface must outlive the recorder
   * @param states of all nodes, now; empty: all are open
   * @param present the surface as it is now, where it changes; empty: it does not
   */
  SurfaceRecorder(const std::string &folder, const Surface<spacedim> &surface,
                  const unsigned int every = 1,
                  std::function<std::vector<ContactState>()> states = {},
                  std::function<Surface<spacedim>()> present = {});

  void record(const Frame<spacedim> &frame) override;
  void serialize(Archive &archive) override;

private:
  SurfaceFields<spacedim> fields(const Frame<spacedim> &frame) const;
  /// The faces of the surface, and the nodes that are the points of the grid.
  void make_grid();
  std::vector<VtuField> node_fields(const NodeTable<spacedim> &nodes,
                                    const SurfaceFields<spacedim> &fields) const;
  std::vector<VtuField> face_fields(const Frame<spacedim> &frame) const;

  std::string folder;
  const Surface<spacedim> *surface; ///< may be the changed one
  unsigned int every;
  std::function<std::vector<ContactState>()> states;
  std::function<Surface<spacedim>()> present; ///< may be empty
  Surface<spacedim> changed;                  ///< what it has given
  PvdFile pvd;
  double previous_time;
  std::vector<dealii::Tensor<1, spacedim>> previous_impulse;
  VtuGrid grid;                         ///< points are set anew for every frame
  std::vector<unsigned int> grid_nodes; ///< of the node table, by point of the grid
};
} // namespace KickDrift

#endif
