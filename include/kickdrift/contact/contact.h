#ifndef KICKDRIFT_CONTACT_CONTACT_H
#define KICKDRIFT_CONTACT_CONTACT_H

#include <kickdrift/contact/contact_exceptions.h>
#include <kickdrift/contact/detection/detector.h>
#include <kickdrift/contact/detection/face_detector.h>
#include <kickdrift/contact/geometry/obstacles.h>
#include <kickdrift/contact/parameters.h>
#include <kickdrift/contact/response/pairs.h>
#include <kickdrift/contact/response/sequential_response.h>
#include <kickdrift/contact/response/simultaneous_response.h>
#include <kickdrift/contact/response/statistics.h>
#include <kickdrift/contact/surface/exclusions.h>
#include <kickdrift/contact/surface/motion_bounds.h>
#include <kickdrift/contact/surface/surface.h>
#include <kickdrift/stepping/stepper.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>

namespace KickDrift
{
/// A contactor found behind the surface of a target.
template <int spacedim>
struct Penetration
{
  unsigned int body;             ///< of the contactor
  unsigned int target;           ///< the other partner, see ContactPairs
  double depth;                  ///< positive [length]
  double relative_depth;         ///< depth over the size of the face that was hit [-]
  dealii::Point<spacedim> point; ///< where the contactor is [length]
};

/**
 * Asynchronous contact: every contactor (a surface node, a point of a face, an edge) is tested and
 * answered at its own times, one small closed-form collision at a time (decomposition contact
 * response, Cirak & West 2005, Wolff & Bucher 2013). Detectors find what touches what. Contactors
 * and targets are what others call secondary and main, or slave and master.
 *
 * All contactors that are due at an instant are tested first, by all threads of the stepper, which
 * changes no node; then contacts are answered one after the other. So the bits of a run do not
 * depend on the number of threads.
 *
 * With nested clocks (or one clock) tests come halfway between the kicks of the cells around the
 * contactor, and the cells that own the nodes of an active contact are asked to share the finest
 * class among them (a contact zone; Stepper::promote). That is what keeps the energy: see the
 * theory pages. Contactors that touch nothing keep the cheap schedule of the parameters. With
 * Schedule::predicted they sleep until bounds of motion (MotionBounds) say that they could touch
 * something; a kick that breaks a bound wakes those that depend on it.
 */
template <int spacedim>
class Contact : public EventSource, public ContactExceptions
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /**
   * Watches the surface's nodes and attaches itself to @p stepper, both of which must outlive it.
   * Call start() after Stepper::start(). Throws ExcEmptySurface and ExcParameter.
   */
  Contact(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper, Surface<spacedim> surface,
          const ContactParameters &parameters,
          std::vector<Obstacle<spacedim>> obstacles = std::vector<Obstacle<spacedim>>());

  Contact(const Contact &) = delete; // detectors refer to it

  /// Build the detectors and schedule the first tests; initial velocities must be set. Throws
  /// ExcStepperNotStarted or ExcStartedTwice.
  void start();

  /// All contactors that are behind a target's surface now, deepest first. No node changes, but
  /// which of two targets that are equally near is taken later may depend on it.
  std::vector<Penetration<spacedim>> penetrations();

  /// What contact has done so far.
  const ContactStatistics<spacedim> &
  statistics() const
  {
    return response.stats;
  }

  /// Add what contact has taken, given and kept so far.
  void
  add_energy(EnergyBalance &balance) const
  {
    const auto &done = statistics();
    balance.restitution_loss += done.restitution_loss;
    balance.friction_loss += done.friction_loss;
    balance.prescribed_work += done.obstacle_work;
    balance.contact_account += done.reservoir;
  }

  /// Of all nodes of the table at the last tests of their own; targets and nodes that are no
  /// contactors have none.
  std::vector<ContactState> states() const;

  /// What is left of the surface after exclusions.
  const Surface<spacedim> &
  surface() const
  {
    return contact_surface;
  }

  /// Coefficients and resultants of all pairs of bodies and obstacles.
  const ContactPairs<spacedim> &
  pairs() const
  {
    return partners;
  }

  /// Time spent on contact so far, the search's upkeep after kicks included [seconds].
  double
  wall_time() const
  {
    return std::chrono::duration<double>(spent).count();
  }

  double
  next_time() const override
  {
    return std::min(queue.time(), next_update);
  }

  void process(double time) override;

  void nodes_kicked(dealii::ArrayView<const unsigned int> nodes, double time) override;

  /// Write to, or read from, a checkpoint what has changed since start(), which must have been
  /// called.
  void serialize(Archive &archive);

private:
  /// A contactor of a detector and what is remembered about it between its tests.
  struct Slot
  {
    Slot(Detector<spacedim> &detector, const unsigned int contactor)
        : detector(&detector), contactor(contactor)
    {
    }

    Detector<spacedim> *detector;
    unsigned int contactor;
    ContactHistory memory;
    unsigned int coarsest_natural_class = 0;                        ///< of the cells around it
    double constant_step = std::numeric_limits<double>::infinity(); ///< smallest critical [time]
    double last_contact = -std::numeric_limits<double>::infinity(); ///< was behind a face [time]
    double last_test = 0;                                           ///< [time]
    double depth = 0;                                               ///< at the last test [length]
    double time_to_reach = 0; ///< what is in front, at the relative speed of the last test [time]
    double gap = 0;           ///< at the last test, if there was anything in sight [length]
    ContactFreeInterval free_interval{0, 0}; ///< while it sleeps
    bool sees = false;

    double
    length() const
    {
      return detector->length(contactor);
    }

    void serialize(Archive &archive);
  };

  void make_detectors();
  std::vector<unsigned int> surface_nodes() const;
  void add_slots();
  /// Detectors will be asked about @p time now.
  void enter_instant(double time);
  /// Find what the contactors that are due touch, and for how long those that touch nothing can
  /// sleep.
  void test_due(double time);
  void test(Slot &slot, double time, ContactPoint<spacedim> &found);
  /// Do two slots share what is remembered about them?
  static bool share_memory(const Slot &a, const Slot &b);
  /// Answer a slot that has looked.
  void answer(Slot &slot, double time, const ContactPoint<spacedim> &found);
  /// Answer what the tests of this instant have collected.
  void respond_to_collected(double time);
  void start_detectors(const std::vector<unsigned int> &on_surface);
  double speed(const Slot &slot) const;
  /// Was the contactor behind a surface during the last few periods?
  bool in_contact(const Slot &slot, double time) const;
  bool may_sleep(const Slot &slot, double time) const;
  /// Can a contactor that sleeps go on doing so, as far as coarse_free_interval() tells?
  bool sleeps_on(Slot &slot, double time);
  double next_test(const Slot &slot, double time) const;
  double next_predicted_test(const Slot &slot, double time) const;
  double schedule_step(const Slot &slot) const;
  /// Look after what bounds of motion, boxes of faces and moving targets ask for.
  void update_search(double time);
  void find_next_update();
  void find_rates();
  /// Bounds of motion may have been broken: bring tests forward.
  void reschedule(double time);
  void wake(unsigned int slot, double time);

  NodeTable<spacedim> &nodes;
  Stepper<spacedim> &stepper;
  const ContactParameters parameters;
  const std::vector<Obstacle<spacedim>> obstacles;
  Surface<spacedim> contact_surface;
  ContactPairs<spacedim> partners;
  const Exclusions exclusions; ///< what they exclude has been taken out of the surface
  MotionBounds<spacedim> bounds;
  SequentialResponse<spacedim> response;
  SimultaneousResponse<spacedim> simultaneous_response;
  std::vector<std::unique_ptr<Detector<spacedim>>> detectors;
  FaceDetector<spacedim> *faces = nullptr; ///< one of the detectors
  std::vector<Slot> slots;
  std::vector<unsigned int> blocks;            ///< by slot: those of one block are for one thread
  TournamentTree queue;                        ///< by slot
  std::vector<unsigned int> due;               ///< slots, at the present instant
  std::vector<ContactPoint<spacedim>> touches; ///< of those that are due
  std::vector<double> rates; ///< by body: fastest of MotionBounds::rate() [length/time]
  std::vector<unsigned int>
      normal_changes;      ///< by body: FaceSearch::n_normal_changes() when it was last looked at
  double average_step = 0; ///< mean of all critical steps [time]
  double longest_step = 0; ///< between tests [time]
  double target_speed = 0; ///< that no target exceeds which moves by itself [length/time]
  double next_target_check = 0; ///< [time]
  double next_update = 0;       ///< see update_search() [time]
  bool has_zones = false;
  bool started = false;
  std::chrono::steady_clock::duration spent{0};
};
} // namespace KickDrift

#endif
