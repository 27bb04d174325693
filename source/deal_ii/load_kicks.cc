#include <kickdrift/base/vector_value.h>
#include <kickdrift/deal_ii/load_kicks.h>
#include <kickdrift/potentials/cells/kicks_at_points.h>
#include <kickdrift/potentials/cells/viscosity.h>
#include <kickdrift/potentials/loads/pressure_loads.h>

#include <deal.II/base/exceptions.h>

#include <numeric>
#include <utility>

namespace KickDrift
{
using namespace dealii;

template <int spacedim>
LoadShares<spacedim>
load_shares(const BodyLoad<spacedim> &load, const Body<spacedim> &body,
            const std::set<types::boundary_id> &boundaries)
{
  if (load.acts_on_boundary())
    return boundary_load_shares(body, boundaries);
  return cell_load_shares(
      body, load.type == BodyLoad<spacedim>::Type::acceleration ? LoadPer::mass : LoadPer::volume);
}

LoadShares<3>
load_shares(const BodyLoad<3> &load, const Shell &shell)
{
  using Type = BodyLoad<3>::Type;
  if (load.type == Type::pressure)
    return shell_pressure_shares(shell);
  return shell_load_shares(shell, load.type == Type::traction ? 1.
                                  : load.type == Type::acceleration
                                      ? shell.section().mass_per_area()
                                      : shell.section().thickness);
}

template <int spacedim>
void
give_mass_to(LoadShares<spacedim> &shares, const RigidMass &mass)
{
  const auto &positions = shares.positions;
  const double sum = std::accumulate(shares.shares.begin(), shares.shares.end(), 0.);
  Tensor<1, spacedim> centre;
  for (std::size_t i = 0; i < positions.size(); ++i)
    centre += shares.shares[i] / sum * positions[i];
  Tensor<2, spacedim> moments;
  for (std::size_t i = 0; i < positions.size(); ++i)
    moments += shares.shares[i] / sum * outer_product(positions[i] - centre, positions[i] - centre);
  const Tensor<1, spacedim> shift = from_space<spacedim>(Tensor<1, 3>(mass.centre)) - centre;
  // without rounding where the mesh has the centre
  const Tensor<1, spacedim> slope = shift.norm_square() > 1e-24 * trace(moments)
                                        ? invert(moments) * shift
                                        : Tensor<1, spacedim>();
  for (std::size_t i = 0; i < positions.size(); ++i)
    shares.shares[i] *= mass.mass / sum * (1 + slope * (positions[i] - centre));
}

namespace
{
template <int spacedim>
std::shared_ptr<Loads<spacedim>>
loads_at_nodes(const std::string &name, const BodyLoad<spacedim> &load,
               const LoadShares<spacedim> &shares)
{
  const auto function = load.value;
  if (load.type == BodyLoad<spacedim>::Type::pressure)
    return std::make_shared<PressureLoads<spacedim>>(
        name, shares.nodes_per_piece, shares.points_or_nodes(),
        [function, factor = load.factor](const Point<spacedim> &x, const double t)
        {
          if (factor)
            return factor(t) * function->value(x);
          function->set_time(t);
          return function->value(x);
        });
  LoadPoints<spacedim> points;
  const unsigned int n = shares.nodes_per_piece;
  points.nodes_per_kick = n;
  points.points_per_kick = n;
  points.nodes = shares.points_or_nodes();
  points.points = shares.positions;
  points.weights.resize(shares.shares.size() * n, 0.);
  for (std::size_t i = 0; i < shares.shares.size(); ++i)
    points.weights[i * n + i % n] = shares.shares[i];
  const auto at_start = [function](const Point<spacedim> &x) { return vector_value(*function, x); };
  if (load.factor)
    return std::make_shared<ScaledLoads<spacedim>>(name, points, at_start, load.factor);
  if (load.depends_on_time)
    return std::make_shared<VaryingLoads<spacedim>>(
        name, std::move(points),
        [function](const Point<spacedim> &x, const double t)
        {
          function->set_time(t);
          return vector_value(*function, x);
        });
  return std::make_shared<ConstantLoads<spacedim>>(name, points, at_start);
}

/// Kicks of nodes, or of the points whose numbers they take for nodes.
template <typename Family, int spacedim>
KicksWithBooks<spacedim>
with_books(const std::shared_ptr<Family> &family,
           const std::shared_ptr<const Interpolation<spacedim>> &points,
           const std::vector<unsigned int> &cells, const NodeTable<spacedim> &nodes)
{
  KicksWithBooks<spacedim> result{family, cells, [family, &nodes] { family->begin(nodes); }};
  if (points)
  {
    const auto at_points = std::make_shared<KicksAtPoints<spacedim>>(family, points);
    result.kicks = at_points;
    result.begin = [family, at_points, &nodes] { family->begin(at_points->points_at(nodes)); };
  }
  result.begin();
  return result;
}
} // namespace

template <int spacedim>
KicksWithBooks<spacedim>
make_loads(const std::string &name, const BodyLoad<spacedim> &load,
           const LoadShares<spacedim> &shares, const NodeTable<spacedim> &nodes)
{
  return with_books(loads_at_nodes(name, load, shares), shares.points, shares.active_cell_indices,
                    nodes);
}

template <int dim>
std::vector<KicksWithBooks<dim>>
make_viscosity(const Body<dim> &body, const Viscosity &viscosity, const NodeTable<dim> &nodes)
{
  std::vector<KicksWithBooks<dim>> result;
  for (const auto &block : body.cell_blocks())
    result.push_back(
        with_books(std::make_shared<CellViscosity<dim>>(block.data, *block.material,
                                                        body.strain_integration(), viscosity),
                   block.points, block.active_cell_indices, nodes));
  return result;
}

#define INSTANTIATE(dim)                                                                           \
  template LoadShares<dim> load_shares(const BodyLoad<dim> &, const Body<dim> &,                   \
                                       const std::set<types::boundary_id> &);                      \
  template void give_mass_to(LoadShares<dim> &, const RigidMass &);                                \
  template KicksWithBooks<dim> make_loads(const std::string &, const BodyLoad<dim> &,              \
                                          const LoadShares<dim> &, const NodeTable<dim> &);        \
  template std::vector<KicksWithBooks<dim>> make_viscosity(const Body<dim> &, const Viscosity &,   \
                                                           const NodeTable<dim> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
