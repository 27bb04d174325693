#ifndef KICKDRIFT_CONTACT_INITIAL_OVERLAP_H
#define KICKDRIFT_CONTACT_INITIAL_OVERLAP_H

#include <kickdrift/contact/contact_method.h>
#include <kickdrift/contact/geometry/obstacles.h>
#include <kickdrift/contact/parameters.h>

#include <string>
#include <vector>

namespace KickDrift
{
/// Where bodies are in each other at the start.
template <int spacedim>
struct InitialOverlap
{
  /// Points of bodies in other bodies, in other parts of themselves and in obstacles, and of
  /// obstacles (Penetration::body counts them after the bodies) in bodies, by more than 1e-6 of the
  /// size of a face; the deepest first.
  std::vector<Penetration<spacedim>> penetrations;
  /// Where shells pass through something, or something through them: "an edge of body 'left' at
  /// (0, 0, 1) passes through a face of body 'right'".
  std::vector<std::string> crossings;
  std::vector<std::string> partner_names; ///< bodies, then obstacles
  unsigned int n_bodies = 0;              ///< of these

  /// "0.01 (0.1 of the face) at (0, 0, 1), body 'left' in body 'right'".
  std::string text(const Penetration<spacedim> &penetration) const;
};

/**
 * Look for overlaps when contact has been started. Collective, as Contact::penetrations().
 * @param surface all faces and contactors, before exclusions
 * @param obstacles in the order in which they count as partners
 */
template <int spacedim>
InitialOverlap<spacedim>
find_initial_overlap(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
                     const std::vector<Obstacle<spacedim>> &obstacles, double time,
                     const ContactParameters &parameters, ContactMethod<spacedim> &contact);

/**
 * Throw unless bodies are apart at the start, or ContactParameters::initial_overlap says otherwise:
 * ContactExceptions::ExcOverlap or ExcShellsCross, and for what is nearer than where its layers
 * begin LayerExceptions::ExcTooNear. LayerExceptions::ExcCrossing is thrown in any case.
 * Parameters are those of find_initial_overlap().
 */
template <int spacedim>
void check_initial_overlap(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
                           const std::vector<Obstacle<spacedim>> &obstacles, double time,
                           const ContactParameters &parameters, ContactMethod<spacedim> &contact);
} // namespace KickDrift

#endif
