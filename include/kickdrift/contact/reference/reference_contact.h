// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_REFERENCE_REFERENCE_CONTACT_H
#define KICKDRIFT_CONTACT_REFERENCE_REFERENCE_CONTACT_H

#include <kickdrift/contact/contact_exceptions.h>
#include <kickdrift/contact/contact_method.h>
#include <kickdrift/contact/reference/penetration_search.h>
#include <kickdrift/contact/reference/reflection.h>
#include <kickdrift/contact/reference/simultaneous_response.h>
#include <kickdrift/contact/reference/test_schedule.h>
#include <kickdrift/contact/surface/exclusions.h>

#include <chrono>
#include <memory>
#include <ostream>
#include <vector>

namespace KickDrift
{
/**
 * Contact as the papers have it, to compare with: every point of a surface, and every edge, is
 * tested at times of its own, and answered alone by a small closed-form collision (decomposition
 * contact response, Cirak & West 2005, Wolff & Bucher 2013); or all contacts of a synchronous step
 * together, coupled or with projection.
 *
 * What passes through between two tests, or is deep behind a surface, is not seen. Solid bodies
 * that can deform, and obstacles; of different bodies only. For everything else there is
 * ImpulseContact.
 */
template <int spacedim>
class ReferenceContact : public ContactMethod<spacedim>, public ContactExceptions
{
public:
  /**
   * Watches the surface's nodes and attaches itself to @p stepper, both of which must outlive it.
   * Throws ExcEmptySurface, ExcParameter and ExcNoReference.
   */
  ReferenceContact(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper,
                   Surface<spacedim> surface, const ContactParameters &parameters,
                   std::vector<Obstacle<spacedim>> obstacles = {});

  ReferenceContact(const ReferenceContact &) = delete; // its parts refer to each other

  void start() override;

  /// Of obstacles; what overlaps of bodies find_overlaps() knows.
  std::vector<Penetration<spacedim>> penetrations() override;

  const ContactStatistics<spacedim> &
  statistics() const override
  {
    return response.stats;
  }

  ContactStatistics<spacedim> synchronised_statistics() const override;

  const ContactPairs<spacedim> &
  pairs() const override
  {
    return partners;
  }

  ContactPairs<spacedim> synchronised_pairs() const override;
  void add_energy(EnergyBalance &balance) const override;
  std::vector<ContactState> states() const override;

  bool
  misses_nothing() const override
  {
    return false;
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

  /// What this method does not see.
  void print_plan(std::ostream &out) const override;

  void serialize(Archive &archive) override;

  double
  next_time() const override
  {
    return schedule.next_time();
  }

  void process(double time) override;
  void nodes_kicked(dealii::ArrayView<const unsigned int> nodes, double time) override;
  void kicks_moved(dealii::ArrayView<const unsigned int> ids, double time) override;
  void classes_changed() override;

  /// Those of lasting contacts, see EventSource.
  void pending_impulses(double time,
                        const typename EventSource<spacedim>::OnImpulse &on_impulse) const override;

private:
  const Surface<spacedim> &complete_surface();
  std::vector<unsigned int> features() const;
  double average_critical_step() const;
  /// Flights of these nodes of the table are others.
  template <typename Nodes>
  void change(const Nodes &some);
  /// All that follows looks at @p time.
  void enter(double time);
  void answer(TestState &state, double time, const ContactPoint<spacedim> &found);

  NodeTable<spacedim> &nodes;
  Stepper<spacedim> &stepper;
  const ContactParameters parameters;
  const std::vector<Obstacle<spacedim>> obstacles;
  Surface<spacedim> contact_surface;
  ContactPairs<spacedim> partners;
  const Exclusions exclusions; ///< what they exclude has been taken out of the surface
  const Facets<spacedim> facets;
  Reflection<spacedim> response;
  SimultaneousResponse<spacedim> simultaneous_response;
  TestSchedule<spacedim> schedule;
  Flights<spacedim> flights;
  SurfaceFlight<spacedim> in_flight;
  ContactGeometry<spacedim> geometry;
  std::unique_ptr<Proximity<spacedim>> proximity;
  std::unique_ptr<PenetrationSearch<spacedim>> search;
  std::vector<unsigned int> changed; ///< places, since flights were looked at
  std::vector<char> is_changed;      ///< by place
  double short_time = 0;             ///< much shorter than the steps at the start [time]
  bool started = false;
  std::chrono::steady_clock::duration spent{0};
};
} // namespace KickDrift

#endif
