// Loads on one body of Dynamics, its damping, and motions that are prescribed.

#include <kickdrift/base/messages.h>
#include <kickdrift/base/vector_value.h>
#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/deal_ii/load_kicks.h>
#include <kickdrift/potentials/loads/damping.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// A function that knows the time of Dynamics, asked with that of the stepper.
template <int dim>
class LaterFunction : public Function<dim>
{
public:
  LaterFunction(std::shared_ptr<Function<dim>> function, const double &begin)
      : Function<dim>(function->n_components), function(std::move(function)), begin(begin)
  {
  }

  void
  set_time(const double time) override
  {
    Function<dim>::set_time(time);
    function->set_time(begin + time);
  }

  double
  value(const Point<dim> &point, const unsigned int component) const override
  {
    return function->value(point, component);
  }

  void
  vector_value(const Point<dim> &point, Vector<double> &values) const override
  {
    function->vector_value(point, values);
  }

private:
  const std::shared_ptr<Function<dim>> function;
  const double &begin; ///< time of Dynamics at the start [time]
};

/// The load for a clock that is 0 at the time @p begin, which may change, and outlives it.
template <int dim>
BodyLoad<dim>
load_from(BodyLoad<dim> load, const double &begin)
{
  if (load.factor)
    load.factor = [factor = load.factor, &begin](const double time)
    { return factor(begin + time); };
  else
    load.value = std::make_shared<LaterFunction<dim>>(load.value, begin);
  return load;
}
} // namespace

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::check_boundaries(const std::set<types::boundary_id> &boundaries) const
{
  const auto present = own_body->dof_handler().get_triangulation().get_boundary_ids();
  for (const auto id : boundaries)
    AssertThrow(std::find(present.begin(), present.end(), id) != present.end(),
                ExcNoSuchBoundary(own_body->name(), id));
}

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::check_function(const Function<spacedim> *const function,
                                           const std::string &what,
                                           const unsigned int n_components) const
{
  AssertThrow(function, ExcNoFunction(own_body->name(), what));
  AssertThrow(function->n_components == n_components,
              ExcFunctionComponents(own_body->name(), what, function->n_components, n_components));
}

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::move(const std::set<types::boundary_id> &boundaries,
                                 std::shared_ptr<Function<spacedim>> displacement,
                                 const ComponentMask &mask)
{
  dynamics.check_not_started("move()");
  check_function(displacement.get(), "motion", spacedim);
  restrain(boundaries, mask);
  std::vector<Tensor<1, spacedim>> directions;
  for (unsigned int d = 0; d < spacedim; ++d)
    if (mask[d])
      directions.push_back(Point<spacedim>::unit_vector(d));
  dynamics.given_loads.push_back(
      [this, boundaries, displacement, directions]
      {
        NodeTable<spacedim> &nodes = dynamics.nodes();
        const auto at = [&nodes, displacement,
                         &begin = dynamics.start_time](const unsigned int node, const double time)
        {
          displacement->set_time(begin + time);
          return vector_value(*displacement, nodes.reference(node));
        };
        const auto moved = own_body->boundary_nodes(boundaries);
        for (const unsigned int node : moved)
        {
          const auto begin = at(node, 0.), present = nodes.displacement(node);
          // of a run that goes on, nodes are on chords of their ways
          for (const auto &direction : directions)
            AssertThrow(dynamics.balance_before || std::abs(direction * (begin - present)) <=
                                                       1e-8 * (begin.norm() + present.norm()) +
                                                           1e-14 * nodes.reference(node).norm(),
                        ExcMotionAtStart(own_body->name(), point_text(nodes.reference(node)),
                                         point_text(Point<spacedim>(begin)),
                                         point_text(Point<spacedim>(present))));
        }
        dynamics.stepper().prescribe(moved, directions, at);
      });
}

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::load(const BodyLoad<spacedim> &load,
                                 const std::set<types::boundary_id> &boundaries)
{
  dynamics.check_not_started("load()");
  check_function(load.value.get(), "load",
                 load.type == BodyLoad<spacedim>::Type::pressure ? 1 : spacedim);
  AssertThrow(boundaries.empty() || (load.acts_on_boundary() && dim == spacedim),
              ExcNotOnBoundary(own_body->name()));
  check_boundaries(boundaries);
  dynamics.given_loads.push_back(
      [this, load, boundaries]
      {
        const std::string name = "load " + std::to_string(dynamics.loads.size() + 1);
        dynamics.loads.push_back(add_load(name, load, boundaries));
      });
}

template <int dim, int spacedim>
std::shared_ptr<Kicks<spacedim>>
DynamicBody<dim, spacedim>::add_load(const std::string &name, const BodyLoad<spacedim> &load,
                                     const std::set<types::boundary_id> &boundaries)
{
  NodeTable<spacedim> &nodes = dynamics.nodes();
  LoadShares<spacedim> shares;
  if constexpr (dim == spacedim)
    shares = load_shares(load, *own_body, boundaries);
  else
    shares = load_shares(load, *own_body);
  if (load.type == BodyLoad<spacedim>::Type::acceleration && rigid_body)
    give_mass_to(shares, nodes.rigid_bodies.motion(*rigid_body).mass());
  const auto made = make_loads(name, load_from(load, dynamics.start_time), shares, nodes);
  add_on_cells(made);
  return made.kicks;
}

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::add_on_cells(const KicksWithBooks<spacedim> &made)
{
  std::vector<unsigned int> clocks;
  for (const unsigned int cell : made.active_cell_indices)
    clocks.push_back(id_of_cell(cell));
  dynamics.stepper().add_on_clock_of(made.kicks, std::move(clocks));
}

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::check_changeable(const std::string &what) const
{
  dynamics.check_not_started(what);
  AssertThrow(dim == spacedim, ExcNotForShells(what, own_body->name()));
  AssertThrow(!is_rigid(), ExcNotForRigid(what, own_body->name()));
}

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::set_viscosity(const Viscosity &viscosity)
{
  check_changeable("set_viscosity()");
  const bool is_first = !viscosity_of_cells;
  viscosity_of_cells = viscosity;
  if constexpr (dim == spacedim)
    if (is_first)
      dynamics.given_loads.push_back(
          [this]
          {
            if (dynamics.strain == Dynamics<spacedim>::Strain::on && viscosity_of_cells->any())
              for (const auto &made :
                   make_viscosity(*own_body, *viscosity_of_cells, dynamics.nodes()))
                add_on_cells(made);
          });
}

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::set_failure_strain(const double strain)
{
  check_changeable("set_failure_strain()");
  AssertThrow(!has_kicks, ExcKicksMade("set_failure_strain()", own_body->name()));
  if constexpr (dim == spacedim)
    own_body->set_failure_strain(strain);
}

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::set_initial_stress(
    std::function<SymmetricTensor<2, 3>(const Point<spacedim> &)> stress)
{
  check_changeable("set_initial_stress()");
  AssertThrow(!has_kicks, ExcKicksMade("set_initial_stress()", own_body->name()));
  AssertThrow(stress, ExcNoFunction(own_body->name(), "initial stress"));
  if constexpr (dim == spacedim)
    own_body->set_initial_stress(std::move(stress));
}

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::set_initial_states(
    std::function<std::vector<double>(const HistoryMaterial<dim> &, const Point<spacedim> &)> state)
{
  check_changeable("set_initial_states()");
  AssertThrow(!has_kicks, ExcKicksMade("set_initial_states()", own_body->name()));
  AssertThrow(state, ExcNoFunction(own_body->name(), "initial states"));
  if constexpr (dim == spacedim)
    own_body->set_initial_states(std::move(state));
}

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::damp(std::function<double(double)> rate)
{
  dynamics.check_not_started("damp()");
  AssertThrow(rate, ExcNoFunction(own_body->name(), "damping"));
  AssertThrow(!is_damped, ExcDampedTwice(own_body->name()));
  is_damped = true;
  dynamics.given_loads.push_back(
      [this, rate]
      {
        const auto own_rate = [rate, &begin = dynamics.start_time](const double time)
        { return rate(begin + time); };
        std::vector<unsigned int> damped(own_body->n_nodes());
        std::iota(damped.begin(), damped.end(), own_body->first_node());
        dynamics.stepper().add_damping(
            std::make_shared<Damping<spacedim>>(std::move(damped), own_rate));
        if (!dynamics.contact_parameters)
          return;
        // what contacts keep is energy of a vibration
        auto &of_contact = dynamics.contact_parameters->damping;
        of_contact.resize(dynamics.faces.body_names.size());
        of_contact[number] = own_rate;
      });
}

template <int dim, int spacedim>
void
DynamicBody<dim, spacedim>::damp(const double rate)
{
  AssertThrow(rate >= 0 && std::isfinite(rate), ExcDamping(own_body->name(), rate));
  damp([rate](double) { return rate; });
}

template <int spacedim>
void
Dynamics<spacedim>::add_loads()
{
  // one by one: start() may be called again after one that throws
  for (; !given_loads.empty(); given_loads.pop_front())
    given_loads.front()();
}

#define INSTANTIATE(dim, spacedim)                                                                 \
  template void DynamicBody<dim, spacedim>::check_boundaries(const std::set<types::boundary_id> &) \
      const;                                                                                       \
  template void DynamicBody<dim, spacedim>::move(const std::set<types::boundary_id> &,             \
                                                 std::shared_ptr<Function<spacedim>>,              \
                                                 const ComponentMask &);                           \
  template void DynamicBody<dim, spacedim>::load(const BodyLoad<spacedim> &,                       \
                                                 const std::set<types::boundary_id> &);            \
  template void DynamicBody<dim, spacedim>::damp(std::function<double(double)>);                   \
  template void DynamicBody<dim, spacedim>::damp(double);                                          \
  template void DynamicBody<dim, spacedim>::set_viscosity(const Viscosity &);                      \
  template void DynamicBody<dim, spacedim>::set_failure_strain(double);                            \
  template void DynamicBody<dim, spacedim>::set_initial_stress(                                    \
      std::function<SymmetricTensor<2, 3>(const Point<spacedim> &)>);                              \
  template void DynamicBody<dim, spacedim>::set_initial_states(                                    \
      std::function<std::vector<double>(const HistoryMaterial<dim> &, const Point<spacedim> &)>);
INSTANTIATE(2, 2)
INSTANTIATE(3, 3)
INSTANTIATE(2, 3)
#undef INSTANTIATE
template void Dynamics<2>::add_loads();
template void Dynamics<3>::add_loads();
} // namespace KickDrift
