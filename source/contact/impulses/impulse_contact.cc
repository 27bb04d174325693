// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/contact/flight/feature_edges.h>
#include <kickdrift/contact/impulses/impulse_contact.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
// how often what still crosses at the end of an instant is looked for
constexpr unsigned int most_last_looks = 8;
// of islands whose contacts do not say how closely they are to be solved; all of ours do
constexpr double tolerance = 1e-9;
constexpr unsigned int most_island_sweeps = 100;
} // namespace

std::string
unknown_to_records(const ContactParameters &parameters)
{
  return parameters.projection                            ? "'Contact/Reference/Projection'"
         : parameters.solver != ContactSolver::sequential ? "'Contact/Reference/Solver' = coupled"
         : parameters.schedule == Schedule::constant ? "'Contact/Reference/Schedule' = constant"
                                                     : "";
}

template <int spacedim>
ImpulseContact<spacedim>::ImpulseContact(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper,
                                         const Surface<spacedim> &surface,
                                         const ContactParameters &parameters,
                                         std::vector<Obstacle<spacedim>> given_obstacles,
                                         std::shared_ptr<const ErodingSurface<spacedim>> eroding)
    : BookedContact<spacedim>(nodes, stepper, surface, parameters, std::move(given_obstacles),
                              parameters.exclude),
      whole_surface(parameters.initial_overlap == OverlapRule::resolve ? surface
                                                                       : Surface<spacedim>()),
      eroding(std::move(eroding)),
      first_surface(this->eroding ? contact_surface : Surface<spacedim>()),
      facets(this->complete_surface(), nodes.size(),
             this->eroding ? this->eroding->nodes() : std::vector<unsigned int>()),
      zones(stepper),
      solver(nodes, {tolerance, most_island_sweeps})
{
  const std::string unknown = unknown_to_records(parameters);
  AssertThrow(unknown.empty(), ExcNoRecords(unknown));
  AssertThrow(this->eroding || !contact_surface.faces.empty() ||
                  !contact_surface.contactors.empty(),
              ExcEmptySurface());
  AssertThrow(!this->eroding || (contact_surface.tied.empty() && !contact_surface.has_shells()),
              ExcEroding());
  AssertThrow(!contact_surface.has_shells() || parameters.initial_overlap != OverlapRule::resolve,
              ExcNoResolve(", and bodies that all have an inside, not shells"));
  if (const auto body = facets.body_with_hanging_node())
    throw ExcNoRecords("hanging nodes on the surface of body '" +
                       contact_surface.body_names[*body] + "'");
  // cells that fail may bare any node of a body
  stepper.watch(facets.nodes(), this->eroding ? WatchedKicks::by_all : WatchedKicks::divided);
  stepper.attach(*this);
}

template <int spacedim>
void
ImpulseContact<spacedim>::start()
{
  this->check_start();
  const double time = stepper.time();
  has_zones = stepper.levels().has_classes() && parameters.zone_layers > 0;
  books.start(facets.nodes());
  if (has_zones)
    zones.start(facets.nodes(), nodes.size());
  flights = std::make_unique<Flights<spacedim>>(nodes, stepper, facets);
  flights->begin(time);
  make_parts();
  in_flight->find_rounding();
  proximity->set_longest_step(longest_step());
  if (parameters.initial_overlap == OverlapRule::resolve)
    record_overlaps();
  kicked = facets.nodes();
  note_momenta();
  next = time;
  started = true;
}

template <int spacedim>
void
ImpulseContact<spacedim>::make_parts()
{
  in_flight = std::make_unique<SurfaceFlight<spacedim>>(nodes, contact_surface, facets, *flights,
                                                        obstacles, exclusions);
  geometry = std::make_unique<ContactGeometry<spacedim>>(nodes, contact_surface, facets, *in_flight,
                                                         obstacles);
  proximity =
      std::make_unique<Proximity<spacedim>>(contact_surface, facets, *flights, *in_flight,
                                            edges_that_take_part(), parameters.room_in_lists);
  search = std::make_unique<CrossingSearch<spacedim>>(contact_surface, facets, *flights, *in_flight,
                                                      *geometry, *proximity, obstacles);
}

template <int spacedim>
typename Candidates<spacedim>::Edges
ImpulseContact<spacedim>::edges_that_take_part() const
{
  typename Candidates<spacedim>::Edges result;
  for (unsigned int e = 0; e < facets.edges().size() && parameters.edges != Edges::none; ++e)
  {
    const unsigned int node =
        facets.nodes()[facets.corners()[facets.edges()[e].corners[0]].nodes[0]];
    if (nodes.is_rigid(node) && !in_flight->stands_out(e, 0))
      continue;
    result.all.push_back(e);
    // what passes flat edges of a shell is through it, on a solid as deep as it bends between nodes
    if (parameters.edges == Edges::all || contact_surface.thickness(facets.edges()[e].body) > 0 ||
        is_feature_edge(nodes, facets, e, parameters.feature_angle))
      result.features.push_back(e);
  }
  return result;
}

template <int spacedim>
double
ImpulseContact<spacedim>::longest_step() const
{
  double longest = 0;
  for (const unsigned int node : facets.nodes())
    for (const unsigned int id : stepper.supports().kicks_of_node(node))
      longest = std::max(longest, stepper.levels().natural_step(id));
  return longest;
}

template <int spacedim>
void
ImpulseContact<spacedim>::nodes_kicked(const dealii::ArrayView<const unsigned int> some,
                                       const double time)
{
  kicked.insert(kicked.end(), some.begin(), some.end());
  next = time;
}

template <int spacedim>
void
ImpulseContact<spacedim>::kicks_moved(const dealii::ArrayView<const unsigned int> ids,
                                      const double time)
{
  // flights have been looked at up to the kicks that were to come
  for (const unsigned int id : ids)
    for (const unsigned int node : stepper.supports().nodes_of_kick(id))
      if (facets.place_of_node(node) != Facets<spacedim>::none)
      {
        kicked.push_back(node);
        next = time;
      }
}

template <int spacedim>
void
ImpulseContact<spacedim>::classes_changed()
{
  if (has_zones)
    zones.classes_changed();
  proximity->set_longest_step(longest_step());
}

/// In whatever order: nothing depends on it.
template <int spacedim>
void
ImpulseContact<spacedim>::keep_once(std::vector<unsigned int> &places)
{
  is_listed.resize(facets.nodes().size(), 0);
  places.erase(std::remove_if(places.begin(), places.end(),
                              [this](const unsigned int place)
                              { return std::exchange(is_listed[place], 1) != 0; }),
               places.end());
  for (const unsigned int place : places)
    is_listed[place] = 0;
}

template <int spacedim>
void
ImpulseContact<spacedim>::process(const double time)
{
  AssertThrow(started, ExcNotStarted());
  const auto begin = std::chrono::steady_clock::now();
  next = std::numeric_limits<double>::infinity();
  books.enter_instant(time);
  if (has_zones)
    zones.enter_instant(time);
  flights->begin(time);
  if (eroding && eroding->n_deleted() != n_deleted)
    renew();
  to_look.clear();
  for (const unsigned int node : kicked)
    if (const unsigned int place = facets.place_of_node(node); place != Facets<spacedim>::none)
      to_look.push_back(place);
  kicked.clear();
  take_arrivals();
  keep_once(to_look);
  proximity->follow(to_look);
  forget_arrivals(to_look);
  const std::vector<unsigned int> just_kicked = has_zones ? to_look : std::vector<unsigned int>();

  const auto begin_of_answers = std::chrono::steady_clock::now();
  if (time >= end_of_overlaps && end_of_overlaps > begin_of_overlaps)
  {
    for (auto &record : records)
      record.overlap = 0;
    in_flight->overlapping.clear();
    in_flight->inside.clear();
    end_of_overlaps = begin_of_overlaps;
  }
  contacts.clear();
  find_active();
  is_settled = settle();
  if (!contacts.list.empty() || !pool.empty())
  {
    open();
    // what still crosses is remembered, so that it is not lost
    for (unsigned int i = 0; i < most_last_looks && !is_settled && look(true); ++i)
      ;
    books.stats.unsolved += !is_settled;
    for (Contact &contact : contacts.list)
      book(contact);
    share_debts();
    apply();
    keep_records();
  }
  // last, since it may move the kicks that flights lead to
  promote_ahead(just_kicked);
  note_momenta();
  for (const auto &[pair, arrival] : arrivals)
    next = std::min(next, arrival);
  const auto end = std::chrono::steady_clock::now();
  books.stats.response_time += std::chrono::duration<double>(end - begin_of_answers).count();
  spent += end - begin;
}

template <int spacedim>
std::vector<ContactState>
ImpulseContact<spacedim>::states() const
{
  std::vector<ContactState> result(nodes.size());
  for (const ContactRecord<spacedim> &record : records)
  {
    if (record.key.kind == ContactKind::edge_on_edge)
      continue;
    const Contactor &contactor = contact_surface.contactors[record.key.first];
    if (contactor.n_nodes > 1)
      continue;
    ContactState &state = result[contactor.nodes[0]];
    state.gap = 0;
    state.status = std::max(state.status, record.memory.status);
  }
  return result;
}

template <int spacedim>
std::vector<Penetration<spacedim>>
ImpulseContact<spacedim>::penetrations()
{
  // of bodies that have an inside find_overlaps() knows
  std::vector<Penetration<spacedim>> result;
  flights->begin(stepper.time());
  for (unsigned int p = 0; p < contact_surface.contactors.size(); ++p)
    for (unsigned int obstacle = 0; obstacle < obstacles.size(); ++obstacle)
    {
      const Contactor &contactor = contact_surface.contactors[p];
      const auto point = in_flight->point_at(p, 0);
      const double depth = in_flight->offset({ContactKind::point_on_obstacle, p, obstacle}) -
                           obstacles[obstacle].shape->distance(
                               dealii::Point<spacedim>(point - in_flight->shift_of(obstacle, 0)));
      if (depth > in_flight->rounding && in_flight->may_meet_obstacle(p, obstacle))
        result.push_back({contactor.body,
                          static_cast<unsigned int>(contact_surface.body_names.size() + obstacle),
                          depth, depth / contactor.length, point});
    }
  add_penetrations_of_shells(result);
  std::sort(result.begin(), result.end(),
            [](const auto &a, const auto &b) { return a.depth > b.depth; });
  return result;
}

template <int spacedim>
void
ImpulseContact<spacedim>::add_penetrations_of_shells(std::vector<Penetration<spacedim>> &result)
{
  if (!contact_surface.has_shells())
    return;
  const auto extend_by_node = [&](Box<spacedim> &box, const unsigned int place)
  {
    const Box<spacedim> around = grown(Box<spacedim>{flights->now(place), flights->now(place)},
                                       in_flight->half_thickness(place));
    extend(box, around.lower);
    extend(box, around.upper);
  };
  std::vector<Box<spacedim>> boxes(facets.facets().size(), empty_box<spacedim>());
  for (unsigned int f = 0; f < boxes.size(); ++f)
    for (const unsigned int place : facets.nodes_of_facet(f))
      extend_by_node(boxes[f], place);
  Hierarchy<spacedim> tree;
  tree.build(boxes);
  std::vector<unsigned int> near;
  for (unsigned int p = 0; p < contact_surface.contactors.size(); ++p)
  {
    const Contactor &contactor = contact_surface.contactors[p];
    Box<spacedim> box = empty_box<spacedim>();
    for (const unsigned int place : in_flight->nodes_of_point(p))
      extend_by_node(box, place);
    near.clear();
    tree.query(box, near);
    double deepest = in_flight->rounding;
    Penetration<spacedim> found;
    for (const unsigned int f : near)
    {
      const double offset = in_flight->offset({ContactKind::point_on_facet, p, f});
      if (!(offset > 0) || !in_flight->may_meet(p, f))
        continue;
      const NearestPlace<spacedim> place = in_flight->nearest(p, f, 0);
      const double depth = offset - place.apart.norm();
      if (place.facet != f || !(depth > deepest))
        continue;
      deepest = depth;
      found = {contactor.body, facets.facets()[f].body, depth, depth / contactor.length,
               in_flight->point_at(p, 0)};
    }
    if (deepest > in_flight->rounding)
      result.push_back(found);
  }
}

template class ImpulseContact<2>;
template class ImpulseContact<3>;
} // namespace KickDrift
