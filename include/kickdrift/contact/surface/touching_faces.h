#ifndef KICKDRIFT_CONTACT_SURFACE_TOUCHING_FACES_H
#define KICKDRIFT_CONTACT_SURFACE_TOUCHING_FACES_H

#include <kickdrift/contact/geometry/obstacles.h>
#include <kickdrift/contact/surface/surface.h>
#include <kickdrift/nodes/node_table.h>

#include <functional>
#include <vector>

namespace KickDrift
{
/**
 * Faces that lie on faces of other bodies or on obstacles, or before them with a small gap: their
 * normals look at each other, and a node of one is no further from the other one than @p gap times
 * the size of a face. Shallow overlaps count, too; what restraints hold on both sides does not.
 *
 * @param may_touch whether contacts of two partners are of interest; obstacles count on after the
 * bodies
 * @return by face of the surface, is it one of them?
 */
template <int spacedim>
std::vector<char>
touching_faces(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
               const std::vector<Obstacle<spacedim>> &obstacles, double gap,
               const std::function<bool(unsigned int body, unsigned int partner)> &may_touch);
} // namespace KickDrift

#endif
