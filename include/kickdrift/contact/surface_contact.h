// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_SURFACE_CONTACT_H
#define KICKDRIFT_CONTACT_SURFACE_CONTACT_H

#include <kickdrift/contact/contact_method.h>
#include <kickdrift/contact/surface/exclusions.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace KickDrift
{
/// Contact of a surface with itself and with obstacles: what all methods hold.
template <int spacedim>
class SurfaceContact : public ContactMethod<spacedim>
{
public:
  SurfaceContact(const SurfaceContact &) = delete; // its parts refer to each other

  const ContactPairs<spacedim> &
  pairs() const override
  {
    return partners;
  }

  const Surface<spacedim> &
  surface() const override
  {
    return contact_surface;
  }

  double
  wall_time() const override
  {
    return std::chrono::duration<double>(spent).count();
  }

protected:
  /**
   * The surface without what is excluded, and without points on its faces, see complete_surface().
   * @p nodes and @p stepper must outlive it. Throws ExcParameter.
   * @param exclude see ContactParameters::exclude
   */
  SurfaceContact(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper, Surface<spacedim> surface,
                 const ContactParameters &parameters, std::vector<Obstacle<spacedim>> obstacles,
                 const std::vector<std::pair<std::string, std::string>> &exclude);

  /// Add the points on faces.
  const Surface<spacedim> &complete_surface();

  /// Throws ContactExceptions::ExcStepperNotStarted, ExcStartedTwice, or what distance_to() does.
  void check_start() const;

  NodeTable<spacedim> &nodes;                      ///< of all bodies
  Stepper<spacedim> &stepper;                      ///< that moves them
  const ContactParameters parameters;              ///< as given
  const std::vector<Obstacle<spacedim>> obstacles; ///< partners behind all bodies
  Surface<spacedim> contact_surface;               ///< see surface()
  ContactPairs<spacedim> partners;                 ///< see pairs()
  const Exclusions exclusions; ///< what they exclude has been taken out of the surface
  std::chrono::steady_clock::duration spent{0}; ///< see wall_time()
  bool started = false;                         ///< has start() been called?
};
} // namespace KickDrift

#endif
