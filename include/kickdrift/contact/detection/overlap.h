#ifndef KICKDRIFT_CONTACT_DETECTION_OVERLAP_H
#define KICKDRIFT_CONTACT_DETECTION_OVERLAP_H

#include <kickdrift/contact/surface/surface.h>
#include <kickdrift/nodes/node_table.h>

#include <functional>

namespace KickDrift
{
/// A point of one body that lies within another body.
template <int spacedim>
struct Overlap
{
  unsigned int body;             ///< whose point it is
  unsigned int face;             ///< nearest face of the other body, index into Surface::faces
  double depth;                  ///< distance to that face [length]
  double relative_depth;         ///< depth over the size of the face [-]
  dealii::Point<spacedim> point; ///< where it is [length]
};

/**
 * Points of bodies inside other bodies, deepest first: boundary nodes, and for pairs of bodies
 * without such nodes (which may coincide, or cross like beams) points behind the middles of faces
 * that are inside both. Shells have no inside. Search behind faces like that of contact cannot see
 * these if they are deep. Only depths above @p smallest_relative_depth are reported.
 *
 * @param skip may say for a pair of bodies that it shall not be looked at
 */
template <int spacedim>
std::vector<Overlap<spacedim>>
find_overlaps(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
              double smallest_relative_depth,
              const std::function<bool(unsigned int, unsigned int)> &skip);
} // namespace KickDrift

#endif
