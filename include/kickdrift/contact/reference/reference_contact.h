// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_REFERENCE_REFERENCE_CONTACT_H
#define KICKDRIFT_CONTACT_REFERENCE_REFERENCE_CONTACT_H

#include <kickdrift/contact/booked_contact.h>
#include <kickdrift/contact/contact_exceptions.h>
#include <kickdrift/contact/reference/penetration_search.h>
#include <kickdrift/contact/reference/reflection.h>
#include <kickdrift/contact/reference/simultaneous_response.h>
#include <kickdrift/contact/reference/test_schedule.h>

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
class ReferenceContact : public BookedContact<spacedim>, public ContactExceptions
{
public:
  /**
   * Watches the surface's nodes and attaches itself to @p stepper, both of which must outlive it.
   * Throws ExcEmptySurface, ExcParameter and ExcNoReference.
   */
  ReferenceContact(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper,
                   Surface<spacedim> surface, const ContactParameters &parameters,
                   std::vector<Obstacle<spacedim>> obstacles = {});

  void start() override;

  /// Of obstacles; what overlaps of bodies find_overlaps() knows.
  std::vector<Penetration<spacedim>> penetrations() override;

  std::vector<ContactState> states() const override;

  bool
  misses_nothing() const override
  {
    return false;
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

private:
  using Base = BookedContact<spacedim>;
  using Base::nodes, Base::stepper, Base::parameters, Base::obstacles, Base::contact_surface,
      Base::partners, Base::exclusions, Base::books, Base::spent, Base::started;

  std::vector<unsigned int> features() const;
  double average_critical_step() const;
  /// Flights of these nodes of the table are others.
  template <typename Nodes>
  void change(const Nodes &some);
  /// All that follows looks at @p time.
  void enter(double time);
  void answer(TestState &state, double time, const ContactPoint<spacedim> &found);

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
};
} // namespace KickDrift

#endif
