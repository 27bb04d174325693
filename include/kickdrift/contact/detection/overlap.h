#ifndef KICKDRIFT_CONTACT_DETECTION_OVERLAP_H
#define KICKDRIFT_CONTACT_DETECTION_OVERLAP_H

#include <kickdrift/contact/geometry/obstacles.h>
#include <kickdrift/contact/surface/surface.h>
#include <kickdrift/nodes/node_table.h>

#include <functional>

namespace KickDrift
{
/// A point of one body that lies within another body, or within another part of itself.
template <int spacedim>
struct Overlap
{
  unsigned int body;             ///< whose point it is
  unsigned int face;             ///< nearest face of the other body, index into Surface::faces
  double depth;                  ///< distance to that face; of itself at least this [length]
  double relative_depth;         ///< depth over the size of the face [-]
  dealii::Point<spacedim> point; ///< where it is [length]
};

/**
 * Points of bodies inside other bodies, deepest first: boundary nodes, and for pairs of bodies
 * without such nodes (which may coincide, or cross like beams) points behind the middles of faces
 * that are inside both. Of bodies whose surface has several parts also points behind faces that are
 * inside twice; a cavity has a surface of its own, too, but nothing is inside it. Shells have no
 * inside. Search behind faces like that of contact cannot see these if they are deep. Only depths
 * above @p smallest_relative_depth are reported.
 *
 * @param skip may say for a pair of bodies, or for twice the same one, that it shall not be looked
 * at
 */
template <int spacedim>
std::vector<Overlap<spacedim>>
find_overlaps(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
              double smallest_relative_depth,
              const std::function<bool(unsigned int, unsigned int)> &skip);

/// A point of an obstacle's surface that lies within a body.
template <int spacedim>
struct ObstacleInBody
{
  unsigned int obstacle;         ///< index into obstacles
  unsigned int body;             ///< it is in
  double depth;                  ///< distance to the body's surface [length]
  double relative_depth;         ///< depth over the size of the nearest face [-]
  dealii::Point<spacedim> point; ///< where it is [length]
};

/**
 * Obstacles that are in bodies, even if no node is in the obstacle, which may be small or inside as
 * a whole; of each the deepest point that is found. From every node of a body a point goes along
 * the obstacle's normal until it is on its surface, in several steps where distance() is only a
 * bound; if it is within the body then, so is a part of the obstacle.
 *
 * @param time that obstacles are where they are at [time]
 * @param skip may say for a body and an obstacle that they shall not be looked at
 */
template <int spacedim>
std::vector<ObstacleInBody<spacedim>>
find_obstacles_in_bodies(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
                         const std::vector<Obstacle<spacedim>> &obstacles, double time,
                         double smallest_relative_depth,
                         const std::function<bool(unsigned int, unsigned int)> &skip);
} // namespace KickDrift

#endif
