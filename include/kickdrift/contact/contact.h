#ifndef KICKDRIFT_CONTACT_CONTACT_H
#define KICKDRIFT_CONTACT_CONTACT_H

#include <kickdrift/contact/collision_response.h>
#include <kickdrift/contact/detector.h>
#include <kickdrift/contact/parameters.h>
#include <kickdrift/contact/statistics.h>
#include <kickdrift/contact/surface.h>
#include <kickdrift/stepping/stepper.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <string>

namespace KickDrift
{
/// A contactor found behind a face.
template <int spacedim>
struct Penetration
{
  unsigned int contactor;        ///< index into Surface::contactors
  unsigned int face;             ///< index into Surface::faces
  double depth;                  ///< positive [length]
  double relative_depth;         ///< depth over the size of the face [-]
  dealii::Point<spacedim> point; ///< where the contactor is [length]
};

/**
 * Asynchronous contact: every surface node is tested and answered at its own times, one small
 * closed-form collision at a time (decomposition contact response, Cirak & West 2005, Wolff &
 * Bucher 2013).
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
          const ContactParameters &parameters);

  /// Build the hierarchy and schedule the first tests; initial velocities must be set.
  void start();

  /// All contactors that are behind a face now, deepest first; the run is not touched.
  std::vector<Penetration<spacedim>> penetrations();

  const ContactStatistics<spacedim> &
  statistics() const
  {
    return stats;
  }

  const Surface<spacedim> &
  surface() const
  {
    return detector.surface();
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
  const std::vector<Contactor> &
  contactors() const
  {
    return detector.surface().contactors;
  }

  /// What is remembered about a contactor between its tests.
  struct Memory
  {
    double last_answer = -std::numeric_limits<double>::infinity();  ///< [time]
    double last_contact = -std::numeric_limits<double>::infinity(); ///< was behind a face [time]
    double last_test = 0;                                           ///< [time]
    double depth = 0;                                               ///< at the last test [length]
    double time_to_reach = 0; ///< the face in front, at the relative speed of the last test [time]
    double sleep = 0;         ///< nothing can come into sight for so long [time]
    unsigned int zone_class = 0; ///< step class of its contact
  };

  /// What two bodies are to each other; a body may also touch itself.
  struct Pair
  {
    double restitution = 1;
    double friction = 0;
    double account = 0; ///< taken by looking-ahead impulses, not yet given back [energy]
  };

  /// What kicks have done to a node between two instants at which its contacts were answered.
  struct Trace
  {
    double time = -std::numeric_limits<double>::infinity();
    double interval = std::numeric_limits<double>::infinity(); ///< since the instant before
    Vector velocity;                                           ///< when the instant was left
    Vector increment;                                          ///< by kicks, over the interval
  };

  using VectorOfNode = std::function<Vector(unsigned int node)>;

  void test(unsigned int contactor, double time);
  double relative_speed(unsigned int contactor, const Hit<spacedim> &hit) const;
  void respond(unsigned int contactor, const Hit<spacedim> &hit, double time);
  FrictionalImpulse<spacedim> reflect(const Pair &bodies, const ContactStencil<spacedim> &stencil,
                                      const VectorOfNode &velocity);
  FrictionalImpulse<spacedim> look_ahead(Pair &bodies, const ContactStencil<spacedim> &stencil,
                                         double gap, double period);
  void book_impulse(const ContactStencil<spacedim> &stencil,
                    const FrictionalImpulse<spacedim> &impulse);
  unsigned int lease_zone(const ContactStencil<spacedim> &stencil, double time);
  /// What the kicks of one period add to the velocity of a node [length/time].
  Vector kick_increment(unsigned int node, double period) const;
  void set_up_pairs();
  Pair &
  pair(unsigned int body, unsigned int other_body)
  {
    return pairs[body < other_body ? other_body * (other_body + 1) / 2 + body
                                   : body * (body + 1) / 2 + other_body];
  }
  void enter_instant(unsigned int node, double time);
  /// Wake all contactors if a node has become faster than those that sleep have assumed.
  void check_speeds(double time);
  /// Was the contactor behind a face during the last few periods?
  bool in_contact(unsigned int contactor, double time) const;
  double next_test(unsigned int contactor, double time) const;
  double schedule_step(unsigned int contactor) const;

  NodeTable<spacedim> &nodes;
  Stepper<spacedim> &stepper;
  const ContactParameters parameters;
  Detector<spacedim> detector;
  TournamentTree queue; ///< by contactor
  std::vector<Memory> memories;
  std::vector<Trace> traces;         ///< by node
  std::vector<double> constant_step; ///< by contactor: smallest critical step around it [time]
  std::vector<unsigned int> coarsest_home_class; ///< by contactor
  double longest_step = 0;                       ///< between tests [time]
  double assumed_speed = 0;    ///< that no surface node exceeds while others sleep
  double fastest = 0;          ///< speed of the fastest contactor at the last check
  double next_speed_check = 0; ///< [time]
  bool has_zones = false;
  std::vector<Pair> pairs; ///< of bodies, see pair()
  ContactStatistics<spacedim> stats;
  std::chrono::steady_clock::duration spent{0};
};
} // namespace KickDrift

#endif
