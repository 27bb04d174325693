#ifndef KICKDRIFT_CONTACT_CONTACT_H
#define KICKDRIFT_CONTACT_CONTACT_H

#include <kickdrift/contact/contact_exceptions.h>
#include <kickdrift/contact/contact_method.h>
#include <kickdrift/contact/contact_schedule.h>
#include <kickdrift/contact/detection/detector.h>
#include <kickdrift/contact/geometry/obstacles.h>
#include <kickdrift/contact/parameters.h>
#include <kickdrift/contact/response/pairs.h>
#include <kickdrift/contact/response/sequential_response.h>
#include <kickdrift/contact/response/simultaneous_response.h>
#include <kickdrift/contact/response/statistics.h>
#include <kickdrift/contact/surface/eroding_surface.h>
#include <kickdrift/contact/surface/exclusions.h>
#include <kickdrift/contact/surface/motion_bounds.h>
#include <kickdrift/contact/surface/surface.h>
#include <kickdrift/contact/tracking/face_search.h>
#include <kickdrift/stepping/stepper.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>

namespace KickDrift
{
/**
 * Asynchronous contact: every contactor (a surface node, a point of a face, an edge) is tested and
 * answered at its own times, one small closed-form collision at a time (decomposition contact
 * response, Cirak & West 2005, Wolff & Bucher 2013). Detectors find what touches what. Contactors
 * and targets are what others call secondary and main, or slave and master.
 *
 * All contactors that are due at an instant are tested first, by all processes and threads of the
 * stepper (DividedLooks), which changes no node; then contacts are answered one after the other, by
 * all processes alike. So the bits of a run do not depend on the number of threads or processes.
 *
 * With nested clocks (or one clock) tests come halfway between the kicks of the cells around the
 * contactor, and the cells that own the nodes of an active contact are asked to share the finest
 * class among them (a contact zone; Stepper::promote). That is what keeps the energy: see the
 * theory pages. Contactors that touch nothing keep the cheap schedule of the parameters, or rest
 * while nothing is near their patch of the surface (PatchPairs). With Schedule::predicted those
 * that do not rest sleep until bounds of motion (MotionBounds) say that they could touch something;
 * a kick that breaks a bound wakes those that depend on it.
 *
 * Bodies may lose cells (ErodingSurface). Then the surface, and all that is known about it, is made
 * anew at once, before the next tests; contactors that stay keep what is remembered about their
 * contacts. What others keep goes back to the nodes that it was taken from.
 */
template <int spacedim>
class Contact : public ContactMethod<spacedim>, public ContactExceptions
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /**
   * Watches the surface's nodes and attaches itself to @p stepper, both of which must outlive it.
   * Call start() after Stepper::start(). Throws ExcEmptySurface and ExcParameter.
   *
   * @param eroding null if no cells are deleted; needs a surface without shells and ties, and goes
   * with Response::reflect and Response::look_ahead, without projection
   */
  Contact(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper, Surface<spacedim> surface,
          const ContactParameters &parameters,
          std::vector<Obstacle<spacedim>> obstacles = std::vector<Obstacle<spacedim>>(),
          std::shared_ptr<const ErodingSurface<spacedim>> eroding = nullptr);

  Contact(const Contact &) = delete; // detectors refer to it

  /// Build the detectors and schedule the first tests; initial velocities must be set. Throws
  /// ExcStepperNotStarted or ExcStartedTwice.
  void start() override;

  /// Collective: all contactors that are behind a target's surface now, deepest first. No node
  /// changes, but which of two targets that are equally near is taken later may depend on it. All
  /// processes get the same.
  std::vector<Penetration<spacedim>> penetrations() override;

  /// What contact has done so far.
  const ContactStatistics<spacedim> &
  statistics() const override
  {
    return response.stats;
  }

  /// The same with nodal impulses as Stepper::snapshot() sees them at the present time: of those
  /// that recur, what belongs to the time before.
  ContactStatistics<spacedim> synchronised_statistics() const override;

  /// The same of the pairs.
  ContactPairs<spacedim> synchronised_pairs() const override;

  /// Add what contact has taken, given and kept so far.
  void
  add_energy(EnergyBalance &balance) const override
  {
    response.books.add_energy(stepper.time(), balance);
  }

  /// Of all nodes of the table at the last tests of their own; targets and nodes that are no
  /// contactors have none.
  std::vector<ContactState> states() const override;

  /// Nodes are tested at instants, and may go far between two of them.
  bool
  misses_nothing() const override
  {
    return false;
  }

  /// What is left of the surface after exclusions. Faces and contactors are others after cells of
  /// an ErodingSurface have been deleted.
  const Surface<spacedim> &
  surface() const override
  {
    return contact_surface;
  }

  /// Coefficients and resultants of all pairs of bodies and obstacles.
  const ContactPairs<spacedim> &
  pairs() const override
  {
    return partners;
  }

  /// Time spent on contact so far, the search's upkeep after kicks included [seconds].
  double
  wall_time() const override
  {
    return std::chrono::duration<double>(spent).count();
  }

  double
  next_time() const override
  {
    return std::min(schedule.next_time(), next_renewal);
  }

  void process(double time) override;

  void nodes_kicked(dealii::ArrayView<const unsigned int> nodes, double time) override;

  void classes_changed() override;

  /// Those of lasting contacts, see EventSource.
  void pending_impulses(double time,
                        const typename EventSource<spacedim>::OnImpulse &on_impulse) const override;

  void gather() override;

  bool
  has_ripple() const override
  {
    return !schedule.answers_after_kicks();
  }

  /// Write to, or read from, a checkpoint what has changed since start(), which must have been
  /// called.
  void serialize(Archive &archive) override;

private:
  using Slot = ContactSlot<spacedim>;

  /// What all surfaces get.
  void complete_surface();
  void make_detectors();
  void find_short_time(const std::vector<unsigned int> &on_surface);
  double average_critical_step() const;
  void start_detectors(double time);
  /// All that may be in contact.
  std::vector<unsigned int> surface_nodes() const;
  /// Cells have been deleted: make the surface anew.
  void renew(double time);
  /// Surface, bounds, search, detectors and slots, of nodes as they are at @p time.
  void make_again(double time);
  void serialize_renewal(Archive &archive);
  /// Detectors will be asked about @p time now.
  void enter_instant(double time);
  /// Find what the contactors that are due touch.
  void test_due(double time);
  /// Answer a contactor that has been tested.
  void answer(Slot &slot, double time, const ContactPoint<spacedim> &found);

  NodeTable<spacedim> &nodes;
  Stepper<spacedim> &stepper;
  const ContactParameters parameters;
  const std::vector<Obstacle<spacedim>> obstacles;
  const std::shared_ptr<const ErodingSurface<spacedim>> eroding; ///< may be null
  Surface<spacedim> contact_surface;
  ContactPairs<spacedim> partners;
  const Exclusions exclusions; ///< what they exclude has been taken out of the surface
  MotionBounds<spacedim> bounds;
  SequentialResponse<spacedim> response;
  SimultaneousResponse<spacedim> simultaneous_response;
  FaceSearch<spacedim> search;
  typename ContactSchedule<spacedim>::Detectors detectors;
  ContactSchedule<spacedim> schedule;
  std::vector<ContactPoint<spacedim>> touches; ///< of the contactors that are due
  bool started = false;
  double short_time = 0; ///< much shorter than the critical steps at the start [time]
  // of bodies that lose cells
  Surface<spacedim> first_surface;         ///< before any is lost, not completed
  unsigned int n_deleted = 0;              ///< cells that the surface knows to be
  double last_renewal = 0;                 ///< [time]
  std::vector<NodeState> nodes_at_renewal; ///< those of the surface: what was made of them
  double next_renewal = std::numeric_limits<double>::infinity(); ///< [time]
  std::chrono::steady_clock::duration spent{0};
};
} // namespace KickDrift

#endif
