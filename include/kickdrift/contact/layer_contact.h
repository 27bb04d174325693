#ifndef KICKDRIFT_CONTACT_LAYER_CONTACT_H
#define KICKDRIFT_CONTACT_LAYER_CONTACT_H

#include <kickdrift/contact/contact_exceptions.h>
#include <kickdrift/contact/geometry/obstacles.h>
#include <kickdrift/contact/layers/exceptions.h>
#include <kickdrift/contact/layers/layer_clock.h>
#include <kickdrift/contact/layers/layer_impulses.h>
#include <kickdrift/contact/layers/layer_pair.h>
#include <kickdrift/contact/layers/layer_primitives.h>
#include <kickdrift/contact/layers/layer_profile.h>
#include <kickdrift/contact/parameters.h>
#include <kickdrift/contact/response/pairs.h>
#include <kickdrift/contact/response/statistics.h>
#include <kickdrift/contact/surface/motion_bounds.h>
#include <kickdrift/contact/surface/surface.h>
#include <kickdrift/contact/surface_contact.h>
#include <kickdrift/stepping/stepper.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace KickDrift
{
/**
 * Contact by penalty layers (Vouga, Harmon, Tamstorf & Grinspun 2011): around every primitive of
 * the surfaces lie potentials of bounded stiffness, each kicked on a clock of its own that is never
 * realigned, and as many of them are awake as are needed. The sum of all grows without bounds where
 * the distance goes to zero, so nothing passes through anything; momentum is kept to round-off, and
 * the energy does not drift. See LayerProfile for the potentials, and the theory pages.
 *
 * Pairs are nodes and faces, edges and edges (all of them, in 3D), and nodes and obstacles, of
 * different bodies and of one. Faces have two sides, so those of shells need nothing special:
 * layers around their middle surfaces begin where their real surfaces touch, unless a thickness is
 * given.
 *
 * Which layers are awake follows from certificates. Pairs nearer than 2 eta and a reserve are
 * listed; the list is good until bounds of motion (MotionBounds) say that another pair could have
 * come near. A listed pair sleeps as long as the slab between its two primitives cannot become
 * thinner than the first layer, whatever kicks do within those bounds; then its first layer is
 * kicked. As the kicks of a level come where intervals of the next one end, the kick of a level
 * decides whether the next one is awake until the kick after it. A kick that breaks a bound wakes
 * what depends on it at once.
 *
 * It needs no step classes: with Clocks::per_cell layers keep nested clocks of their own.
 */
template <int spacedim>
class LayerContact : public SurfaceContact<spacedim>,
                     public ContactExceptions,
                     public LayerExceptions
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// A pair whose layers are thinner: of two bodies that are nearer than thickness() at the start,
  /// or of one body if it is nearer than that over 0.9 then or in the reference state.
  struct NearPair
  {
    PrimitivePair primitives; ///< what they are
    double distance;          ///< at the start, or in the reference state [length]
  };

  /**
   * Watches the surface's nodes and attaches itself to @p stepper, both of which must outlive it.
   * Call start() after Stepper::start(). Throws ExcEmptySurface, ExcParameter and ExcNotWithLayers.
   */
  LayerContact(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper, Surface<spacedim> surface,
               const ContactParameters &parameters,
               std::vector<Obstacle<spacedim>> obstacles = std::vector<Obstacle<spacedim>>());

  /**
   * Find the first pairs; initial velocities must be set. Pairs of one body that are too near get
   * layers that begin at 0.9 of their distance; those of two bodies do if
   * ContactParameters::initial_overlap says otherwise, otherwise they are an error of check().
   * Throws ExcStepperNotStarted, ExcStartedTwice, ExcTouching or ExcTooStiff.
   */
  void start() override;

  /// Throw ExcTooNear if pairs of two bodies are too near at the start.
  void check_distances() const override;

  /// Throw ExcCrossing if something crosses at the start, which layers keep as it is.
  void check_crossings() const override;

  /// What passes through shells at the start, or shells through what: "The edge of nodes 3 and 4 of
  /// 'left' at (0, 0, 1) passes through a face of 'right'".
  const std::vector<std::string> *
  crossings() const override
  {
    return &crossing_texts;
  }

  /// None: layers keep surfaces apart.
  std::vector<Penetration<spacedim>>
  penetrations() override
  {
    return {};
  }

  std::vector<ContactState>
  states() const override
  {
    return {};
  }

  bool
  has_states() const override
  {
    return false;
  }

  void print_plan(std::ostream &out) const override;
  void print_near(std::ostream &out, unsigned int most) const override;
  void print_outcome(std::ostream &out) const override;
  ContactFigures figures() const override;

  /// Pairs that start too near, the nearest first.
  const std::vector<NearPair> &
  near_pairs() const
  {
    return near;
  }

  /// "node 3 of 'left' and face 5 of 'right'", node being that of the table.
  std::string text(const PrimitivePair &pair) const;

  /// Half the distance at which layers begin, eta, but for pairs of thick shells. If
  /// ContactParameters give it, or a stiffness, layers are as thick as that distance; otherwise as
  /// it takes to stop half the speed with which two bodies come near each other [length].
  double
  thickness() const
  {
    return eta;
  }

  /// Distance at which layers of two partners (obstacles count on after the bodies) begin: 2 eta
  /// or, if ContactParameters do not say how much that is, half the thicknesses of both shells
  /// together if that is more [length].
  double thickness(unsigned int partner, unsigned int other) const;

  /// Smallest and largest speed v_1 that the first layer stops alone, of all nodes of the surface
  /// against what is like them [length/time].
  std::pair<double, double> stopped_speeds() const;

  /// Largest speed with which two bodies, or a body and an obstacle, move towards each other
  /// somewhere at present, at most [length/time].
  double largest_approach_speed() const;

  /// What contact has done so far.
  const ContactStatistics<spacedim> &
  statistics() const override
  {
    return impulses.stats;
  }

  /// The same, about layers.
  const LayerStatistics &
  layer_statistics() const
  {
    return impulses.layer_stats;
  }

  /// What has been done with nodal impulses as Stepper::snapshot() sees them at the present time.
  ContactStatistics<spacedim> synchronised_statistics() const override;

  /// The same of the pairs of partners.
  ContactPairs<spacedim> synchronised_pairs() const override;

  /// Add the energy of the layers and what contact has taken so far, at the present time.
  void add_energy(EnergyBalance &balance) const override;

  /// Pairs that are near enough to be watched.
  const std::vector<LayerPair> &
  listed_pairs() const
  {
    return listed;
  }

  /// Pairs near each other, at the last search, that nothing keeps apart, since all their nodes are
  /// held.
  unsigned int
  n_held_pairs() const
  {
    return n_held;
  }

  double next_time() const override;

  void process(double time) override;

  void nodes_kicked(dealii::ArrayView<const unsigned int> nodes, double time) override;

  /// What the layers have still to give, see EventSource.
  void pending_impulses(double time,
                        const typename EventSource<spacedim>::OnImpulse &on_impulse) const override;

  bool
  has_ripple() const override
  {
    return false;
  }

  /// Write to, or read from, a checkpoint what has changed since start(), which must have been
  /// called.
  void serialize(Archive &archive) override;

private:
  using Base = SurfaceContact<spacedim>;
  using Base::nodes, Base::stepper, Base::parameters, Base::obstacles, Base::contact_surface,
      Base::partners, Base::exclusions, Base::spent, Base::started;
  using Gap = PrimitiveGap<spacedim>;
  using Configuration = typename LayerPrimitives<spacedim>::Configuration;

  /// How fast the distance of two partners may shrink, by the bounds of motion.
  struct Approach
  {
    double in_any_direction; ///< [length/time]
    double deviation;        ///< of velocities from the relative one, at most [length/time]
    Vector velocity;         ///< of the first relative to the second [length/time]
    bool is_short = false;   ///< is it known for the next step only?

    /// Bound of the rate at which a slab across @p normal gets thinner [length/time].
    double
    across(const Vector &normal) const
    {
      return std::max(0., deviation - normal * velocity);
    }
  };

  /// A pair that is due, sooner before later.
  struct Due
  {
    std::int64_t tick;
    unsigned int pair;
    bool
    operator<(const Due &other) const
    {
      return tick != other.tick ? tick > other.tick : pair > other.pair;
    }
  };

  /// What the layers of a pair have still to give up to a time, minus what was given beyond it.
  struct Pending
  {
    double impulse = 0;       ///< along the normal [mass*length/time]
    double obstacle_work = 0; ///< that a moving obstacle does by it [energy]
  };

  // layer_contact_thickness.cc: how thick layers are
  bool thickness_follows() const;
  void choose_thickness(LayerPair &pair, Gap &gap, double time);
  Gap gap_of(const LayerPair &pair, double time) const;
  static void add_to(Gap &gap, double way);

  // layer_contact_list.cc: which pairs are listed
  void choose_full_thickness();
  double largest_thickness() const;
  double full_thickness(const PrimitivePair &primitives) const;
  void find_node_classes();
  void find_near_pairs();
  void find_crossings();
  std::vector<PrimitivePair> search(double time, double range, Configuration configuration);
  void update_list(double time);
  LayerPair new_pair(const PrimitivePair &primitives) const;
  double thickness_of(const PrimitivePair &primitives) const;
  double ratio_of(const PrimitivePair &primitives) const;
  void find_next_search(double time);
  std::vector<double> ways(double time) const;
  double way_of_obstacle(unsigned int obstacle, double time) const;

  // layer_contact_certificates.cc: which layers are awake
  Approach approach(const LayerPair &pair, double time) const;
  bool stays_above(const LayerPair &pair, const Gap &gap, const Approach &approach, double interval,
                   unsigned int level) const;
  std::int64_t next_look(const LayerPair &pair, const Gap &gap, const Approach &approach,
                         double time, std::int64_t tick) const;
  void schedule(unsigned int pair, const Gap &gap, double time, std::int64_t tick);
  void check_depth(const LayerPair &pair, const Gap &gap, double interval, double time) const;
  void recheck_broken(double time);
  void set_next_tick(unsigned int pair, std::int64_t tick);
  void rebuild_queue();

  // layer_contact.cc
  void find_due(std::int64_t tick);
  void kick(std::int64_t tick, double time);
  void promote(const LayerPair &pair, const Gap &gap, double time);
  void set_target_velocity(const LayerPair &pair, double time, double step, Gap &gap) const;
  /// The same with (pair, gap, pending).
  template <typename Function>
  void for_each_pending(double time, const Function &f) const;
  /// Call @p f (pair, gap) for all pairs that are within their first layer, or were when it was
  /// kicked last.
  template <typename Function>
  void for_each_awake(double time, const Function &f) const;

  const LayerProfile profile;
  mutable LayerPrimitives<spacedim> primitives;
  MotionBounds<spacedim> bounds;
  LayerImpulses<spacedim> impulses;
  LayerClock clock;

  double eta = 0;   ///< see thickness() [length]
  double reach = 0; ///< pairs are listed up to this beyond their layers [length]
  std::vector<unsigned int> class_of_node; ///< of the finest kick of each node, see LayerClock
  std::vector<NearPair> near;              ///< by distance
  std::vector<std::string> crossing_texts; ///< see crossings()
  std::vector<NearPair> near_by_pair;      ///< the same by primitives
  unsigned int n_held = 0;                 ///< see n_held_pairs()

  std::vector<LayerPair> listed; ///< by primitives
  std::vector<Due> queue;        ///< a heap; entries whose tick is not the pair's do not count
  double next_search = -std::numeric_limits<double>::infinity(); ///< [time]
  std::vector<Vector> frames_at_search;                          ///< by body [length]
  std::vector<double> paths_at_search;                           ///< by body [length]
  std::vector<Vector> obstacles_at_search;                       ///< displacements [length]

  std::vector<unsigned int> due; ///< pairs at the present instant
  std::vector<Gap> gaps;         ///< of these
  std::vector<unsigned int> kicked;
};
} // namespace KickDrift

#endif
