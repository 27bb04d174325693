#ifndef KICKDRIFT_CONTACT_CONTACT_H
#define KICKDRIFT_CONTACT_CONTACT_H

#include <kickdrift/contact/collision_response.h>
#include <kickdrift/contact/detector.h>
#include <kickdrift/contact/exclusions.h>
#include <kickdrift/contact/kick_traces.h>
#include <kickdrift/contact/obstacles.h>
#include <kickdrift/contact/pairs.h>
#include <kickdrift/contact/parameters.h>
#include <kickdrift/contact/statistics.h>
#include <kickdrift/contact/surface.h>
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
 * response, Cirak & West 2005, Wolff & Bucher 2013). Detectors say who touches whom.
 *
 * With nested clocks (or one clock) tests come halfway between the kicks of the cells around the
 * contactor, and the cells that own the nodes of an active contact are asked to share the finest
 * class among them (a contact zone; Stepper::lease). That is what keeps the energy: see the theory
 * pages. Contactors that touch nothing keep the cheap schedule of the parameters.
 */
template <int spacedim>
class Contact : public Instants
{
public:
  using Vector = dealii::Tensor<1, spacedim>;

  /**
   * Watches the surface's nodes and attaches itself to @p stepper, both of which must outlive it.
   * Call start() after Stepper::start().
   */
  Contact(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper, Surface<spacedim> surface,
          const ContactParameters &parameters,
          std::vector<Obstacle<spacedim>> obstacles = std::vector<Obstacle<spacedim>>());

  Contact(const Contact &) = delete; // detectors refer to it

  /// Build the hierarchies and schedule the first tests; initial velocities must be set.
  void start();

  /// All contactors that are behind a target's surface now, deepest first. Nodes are drifted to the
  /// stepper's time, so later positions may round differently.
  std::vector<Penetration<spacedim>> penetrations();

  const ContactStatistics<spacedim> &
  statistics() const
  {
    return stats;
  }

  /// Of all nodes of the table at the last tests of their own; targets and nodes that are no
  /// contactors have none.
  std::vector<ContactState> states() const;

  /// What is left of the surface after exclusions.
  const Surface<spacedim> &
  surface() const
  {
    return skin;
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
    // speeds are checked also while everybody sleeps
    return has_zones ? std::min(queue.time(), next_speed_check) : queue.time();
  }

  void process(double time) override;

  void nodes_kicked(dealii::ArrayView<const unsigned int> nodes, double time) override;

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
    unsigned int zone_class = 0;                                    ///< step class of its contact
    unsigned int coarsest_home_class = 0;                           ///< of the cells around it
    double constant_step = std::numeric_limits<double>::infinity(); ///< smallest critical [time]
    double last_answer = -std::numeric_limits<double>::infinity();  ///< [time]
    double last_contact = -std::numeric_limits<double>::infinity(); ///< was behind a face [time]
    double last_test = 0;                                           ///< [time]
    double depth = 0;                                               ///< at the last test [length]
    double time_to_reach = 0; ///< what is in front, at the relative speed of the last test [time]
    double gap = 0;           ///< at the last test, if there was anything in sight [length]
    ContactStatus status = ContactStatus::open; ///< of the last answer while that is recent
    bool sees = false;
    double sleep = 0; ///< nothing can come into sight for so long [time]

    double
    length() const
    {
      return detector->length(contactor);
    }
  };

  void add_slots();
  void test(Slot &slot, double time);
  void respond(Slot &slot, const Touch<spacedim> &touch, double time);
  void release(const Slot &slot, const Touch<spacedim> &touch, double time);
  template <typename VelocityOfNode>
  FrictionalImpulse<spacedim> reflect(const ContactPair<spacedim> &pair,
                                      const ContactStencil<spacedim> &stencil,
                                      const VelocityOfNode &velocity);
  FrictionalImpulse<spacedim> look_ahead(ContactPair<spacedim> &pair,
                                         const ContactStencil<spacedim> &stencil, double gap,
                                         double period);
  void book_impulse(const Touch<spacedim> &touch, const FrictionalImpulse<spacedim> &impulse);
  unsigned int lease_zone(const ContactStencil<spacedim> &stencil, double time);
  double speed(const Slot &slot) const;
  /// Wake all contactors if a node has become faster than those that sleep have assumed, or if
  /// bodies have turned.
  void check_speeds(double time);
  /// Was the contactor behind a surface during the last few periods?
  bool in_contact(const Slot &slot, double time) const;
  double next_test(const Slot &slot, double time) const;
  double schedule_step(const Slot &slot) const;

  NodeTable<spacedim> &nodes;
  Stepper<spacedim> &stepper;
  const ContactParameters parameters;
  const std::vector<Obstacle<spacedim>> obstacles;
  Surface<spacedim> skin;
  ContactPairs<spacedim> partners;
  const Exclusions exclusions; ///< what they exclude has been taken out of the surface
  std::vector<std::unique_ptr<Detector<spacedim>>> detectors;
  std::vector<Slot> slots;
  TournamentTree queue; ///< by slot
  KickTraces<spacedim> traces;
  std::vector<unsigned int> zone; ///< units of the last contact that was answered
  double average_step = 0;        ///< critical step of all units [time]
  double longest_step = 0;        ///< between tests [time]
  double assumed_speed = 0;       ///< that no surface node exceeds while others sleep
  double fastest = 0;             ///< speed of the fastest contactor or target at the last check
  unsigned int known_turns = 0;   ///< Detector::n_turns() at the last check
  double next_speed_check = 0;    ///< [time]
  bool has_zones = false;
  ContactStatistics<spacedim> stats;
  unsigned int n_seen = 0; ///< tests that had something in sight
  std::chrono::steady_clock::duration spent{0};
};
} // namespace KickDrift

#endif
