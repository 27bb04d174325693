// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_IMPULSES_IMPULSE_CONTACT_H
#define KICKDRIFT_CONTACT_IMPULSES_IMPULSE_CONTACT_H

#include <kickdrift/contact/booked_contact.h>
#include <kickdrift/contact/contact_exceptions.h>
#include <kickdrift/contact/impulses/crossing_search.h>
#include <kickdrift/contact/parameters.h>
#include <kickdrift/contact/response/contact_zones.h>
#include <kickdrift/contact/response/impulse_solver.h>
#include <kickdrift/contact/surface/eroding_surface.h>

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace KickDrift
{
/// What Response::records does not know yet of what is asked for; empty: it knows all of it.
std::string unknown_to_records(const ContactParameters &parameters);

/**
 * Contact by impulses, ahead of time.
 *
 * What touches is remembered, what has no record is outside. Right after kicks, the flights of the
 * nodes that they have changed are looked at up to their next kicks (CrossingSearch): whoever
 * would cross something is met there. All contacts that move something in common get impulses
 * together (ImpulseSolver), so that at the end of their flights no gap is negative, and none that
 * has an impulse is open; along the present normals, over the surface as it will be then
 * (ContactGeometry). Friction is Coulomb's law for the chord of the flight: what sticks stays where
 * it was on the other's material. Shells are their middle surfaces, rounded by half of their
 * thickness: gaps are distances less Surface::offset().
 *
 * Energy: with kick and impulse p at one instant, the sum of m v- . v+ / 2 and the potential energy
 * changes by p . (v- + v+) / 2. What contacts take so they keep, and give back, times the square of
 * the coefficient of restitution, when they open, all that open together by one scale. Contacts of
 * two rigid bodies, in which nothing is compressed, give back their coefficient of restitution
 * times their impulse (Poisson), as far as that gives no energy.
 */
template <int spacedim>
class ImpulseContact : public BookedContact<spacedim>, public ContactExceptions
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /**
   * Watches the surface's nodes and attaches itself to @p stepper, both of which must outlive it.
   * Throws ExcEmptySurface, ExcNoRecords.
   * @param eroding null if no cells are deleted; needs a surface without ties, and goes with
   * @p surface as it is without deleted cells
   */
  ImpulseContact(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper,
                 const Surface<spacedim> &surface, const ContactParameters &parameters,
                 std::vector<Obstacle<spacedim>> obstacles,
                 std::shared_ptr<const ErodingSurface<spacedim>> eroding = nullptr);

  void start() override;
  std::vector<Penetration<spacedim>> penetrations() override;

  std::vector<ContactState> states() const override;

  std::vector<StoredContactEnergy> stored_energies() const override;
  void set_stored_energies(const std::vector<StoredContactEnergy> &stored) override;

  void serialize(Archive &archive) override;

  double
  next_time() const override
  {
    return next;
  }

  void process(double time) override;
  void nodes_kicked(dealii::ArrayView<const unsigned int> nodes, double time) override;
  void kicks_moved(dealii::ArrayView<const unsigned int> ids, double time) override;
  void classes_changed() override;

  bool
  has_ripple() const override
  {
    return false;
  }

private:
  using Contact = ActiveContact<spacedim>;
  using BodyPair = std::pair<unsigned int, unsigned int>;
  using Base = BookedContact<spacedim>;
  using Base::nodes, Base::stepper, Base::parameters, Base::obstacles, Base::contact_surface,
      Base::partners, Base::exclusions, Base::books, Base::spent, Base::started;

  /// Of contacts that are no more.
  struct Pooled
  {
    double energy = 0; ///< that they have kept
    double borne = 0;  ///< normal impulses [mass*length/time]
    /// Is kept until then even if the two do not touch: contacts are still to be found [time].
    double stays_until = -std::numeric_limits<double>::infinity();
  };

  static constexpr double time_rounding = 1e-9; ///< of intervals [-]

  /// What knows the points, facets and edges by their numbers.
  void make_parts();
  typename Candidates<spacedim>::Edges edges_that_take_part() const;
  double longest_step() const;
  /// The same for the nodes of two partners.
  double longest_step_of(const BodyPair &pair) const;
  void check_records() const;

  /// The surface that deleted cells have left.
  void make_surface_again();
  /// Cells have been deleted: what touches stays in contact as far as it is still there.
  void renew();
  void serialize_renewal(Archive &archive);
  /// What a thing is, whatever its number.
  using Name = std::vector<unsigned int>;
  Name name_of_point(unsigned int point) const;
  Name name_of_facet(unsigned int facet) const;
  Name name_of_corner(unsigned int corner) const;
  Name name_of_edge(unsigned int edge) const;

  /// Those that are nearer to shells, or parts of these, than they touch.
  void add_penetrations_of_shells(std::vector<Penetration<spacedim>> &result);
  /// With OverlapRule::resolve: points that are inside other bodies or obstacles at the start are
  /// in contact, with facets that their own surface can be pressed on.
  void record_overlaps();
  /// What is left of such depths @p time after the start, as a share.
  double share_of_overlaps(double time) const;

  /// Records that have something to do with nodes that were kicked, or with contacts, become
  /// contacts.
  void find_active();
  void add_present(const ContactRecord<spacedim> &record);
  void prepare(Contact &contact);
  void prepare_impact(Contact &contact);
  /// That of an obstacle during the flight.
  void set_target_velocity(Contact &contact);
  void damp(Contact &contact);
  /// What kicks of this instant have added to the relative velocity.
  Vector kicks(const ContactStencil<spacedim> &stencil);
  void note_momenta();
  /// Call @p f (number, is_held, place) for each node of a contact: what moves with it has one
  /// number, a rigid body one behind those of all places.
  template <typename Function>
  void for_each_moving(const ContactKey &key, const Function &f) const;

  /// Is a meeting answered when it comes, see CrossingSearch? Impacts of rigid bodies are: so they
  /// are over at once, and all that touch then stop at once.
  bool waits(const Contact &contact, double time);
  /// Flights of these nodes have changed: bodies may arrive at other times, or not at all.
  void forget_arrivals(const std::vector<unsigned int> &places);
  /// Bodies of the surface that these nodes belong to.
  std::set<unsigned int> bodies_of(const std::vector<unsigned int> &places) const;
  /// What is pending of the velocity of a node of a rigid body, see
  /// Stepper::synchronised_velocity() [length/time].
  Vector pending_velocity(unsigned int node);
  /// Which ones arrive now: their flights are looked at again.
  void take_arrivals();
  bool
  arrives(const ContactRecord<spacedim> &contact) const
  {
    return arriving.count(pair_of(contact)) > 0;
  }
  /// Mark contacts that are hit at this instant, themselves or through rigid bodies.
  void mark_hit();

  /// Find impulses until nothing crosses and all gaps are what they have to be. Returns whether
  /// they are.
  bool settle();
  void keep_once(std::vector<unsigned int> &places);
  bool look(bool all);
  /// Contacts that end behind a concave edge are met by the facet there, too.
  bool meet_beyond();
  /// Solve until gaps and slips at the ends of flights are what they have to be. Returns whether.
  bool solve_as_flown();
  void solve();
  /// Find gaps and slips at the ends of flights.
  void measure();
  /// How far gaps and slips are from that, over the rounding of lengths [-].
  double residual();
  void fly();

  /// Contacts that open give back what they keep.
  void open();
  std::vector<unsigned int> find_opening();
  bool count_no_more();
  /// Is it between two shells, or a shell and an obstacle?
  bool
  is_between_middles(const Contact &contact) const
  {
    const auto has_no_inside = [this](const unsigned int partner) {
      return partner >= contact_surface.body_names.size() || contact_surface.thickness(partner) > 0;
    };
    return contact.offset > 0 && has_no_inside(contact.body) && has_no_inside(contact.target);
  }
  /// Relative velocity right after the kicks, without impulses [length/time].
  Vector kicked_velocity(const Contact &contact) const;
  double normal_rate(const Contact &contact) const;
  /// That before the kicks of this instant.
  double normal_rate_before(const Contact &contact) const;
  /// p . (v- + v+) / 2 of all contacts.
  double work() const;
  double work(const Contact &contact) const;

  void apply();
  void book(Contact &contact);
  /// What a contact has given more than it had comes from those that are answered with it.
  void share_debts();
  void keep_records();
  /// A contact has ended.
  void drop(ContactRecord<spacedim> &contact);
  /// Put what a contact has kept into the pool.
  void pool_from(const ContactRecord<spacedim> &contact);
  /// What contacts that are no more have kept goes to those of the two that bear, as they do.
  void share_pool();
  /// How long a zone lasts without contact, in terms of ContactZones::hold.
  double zone_periods() const;
  void promote(Contact &contact);
  /// Zones have to be there before contacts begin: points and facets of unlike classes, some nodes
  /// of which are at these @p places, join if, as they fly now, they meet within two steps of the
  /// coarsest.
  void promote_ahead(const std::vector<unsigned int> &places);
  void promote_ahead(unsigned int point, unsigned int facet);
  /// A corner as it flies now, and the step classes of its nodes.
  struct CornerAhead
  {
    dealii::Point<spacedim> now;
    Vector velocity;
    unsigned int finest, coarsest;
    std::uint64_t number = 0; ///< of promote_ahead() that it has been found for
  };
  const CornerAhead &ahead_of(unsigned int corner);

  static BodyPair
  pair_of(const ContactRecord<spacedim> &contact)
  {
    return std::minmax(contact.body, contact.target);
  }

  const Surface<spacedim> whole_surface; ///< before exclusions, with OverlapRule::resolve
  const std::shared_ptr<const ErodingSurface<spacedim>> eroding; ///< may be null
  const Surface<spacedim> first_surface; ///< without deleted cells; where there are none empty
  Facets<spacedim> facets;
  ContactZones<spacedim> zones; ///< with step classes
  std::unique_ptr<Flights<spacedim>> flights;
  std::unique_ptr<SurfaceFlight<spacedim>> in_flight;
  std::unique_ptr<ContactGeometry<spacedim>> geometry;
  std::unique_ptr<Proximity<spacedim>> proximity;
  std::unique_ptr<CrossingSearch<spacedim>> search;
  ImpulseSolver<spacedim> solver;
  std::vector<ContactRecord<spacedim>> records; ///< in their order
  std::map<BodyPair, Pooled> pool;              ///< of contacts of the two that are no more
  ActiveContacts<spacedim> contacts;
  /// Of rigid bodies when the last instant was left: what they have more than that is of kicks.
  struct Momenta
  {
    dealii::Tensor<1, 3> linear, angular;
  };
  std::vector<Momenta> momenta;         ///< by rigid body
  std::map<BodyPair, double> arrivals;  ///< of rigid bodies and obstacles: when they meet [time]
  std::set<BodyPair> arriving;          ///< those that meet at this instant
  std::set<BodyPair> answered;          ///< those that have met since one of the two was kicked
  std::set<unsigned int> kicked_bodies; ///< at this instant, if anything arrives or has arrived
  /// By rigid body, see pending_velocity().
  std::map<unsigned int, CoMovingFrame<spacedim>> pending_motions;
  std::vector<unsigned int> kicked;  ///< nodes, since the last process()
  std::vector<unsigned int> to_look; ///< places whose flights have changed at this instant
  std::vector<char> is_listed;       ///< by place, within keep_once()
  std::vector<CornerAhead> ahead;    ///< by corner
  std::uint64_t n_times_ahead = 0;   ///< calls of promote_ahead()
  double next = std::numeric_limits<double>::infinity(); ///< [time]
  double begin_of_overlaps = 0, end_of_overlaps = 0;     ///< between which they are let out [time]
  unsigned int n_deleted = 0;                            ///< cells, when the surface was made
  bool is_settled = true; ///< has everything been solved at this instant?
  bool has_zones = false;
};

template <int spacedim>
template <typename Function>
void
ImpulseContact<spacedim>::for_each_moving(const ContactKey &key, const Function &f) const
{
  in_flight->for_each_node(key,
                           [&](const unsigned int place)
                           {
                             const unsigned int node = facets.nodes()[place];
                             const unsigned int body = nodes.rigid_bodies.body_of(node);
                             f(body == RigidBodies<spacedim>::none ? place
                                                                   : facets.nodes().size() + body,
                               nodes.restraints.holds(node), place);
                           });
}
} // namespace KickDrift

#endif
