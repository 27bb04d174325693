// What goes through a section, against the momenta of what is behind it.

#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/deal_ii/shell.h>
#include <kickdrift/potentials/materials/built_in_materials.h>
#include <kickdrift/potentials/section_impulses.h>
#include <kickdrift/potentials/shells/shell_kicks.h>

#include <deal.II/grid/tria_description.h>

#include "test_body.h"

#include <gtest/gtest.h>

#include <limits>

using namespace KickDriftTests;
using namespace KickDrift;

namespace
{
/// Momentum of some nodes, and angular momentum about a point.
template <int dim>
struct Momenta
{
  Momenta(const NodeTable<dim> &nodes, const std::vector<char> &chosen, const Point<dim> &origin)
  {
    for (unsigned int node = 0; node < nodes.size(); ++node)
    {
      if (!chosen[node])
        continue;
      const Tensor<1, dim> p = nodes.mass(node) * nodes.velocity(node);
      const Tensor<1, dim> arm = nodes.position(node) - origin;
      linear += p;
      scale += p.norm();
      if constexpr (dim == 2)
        angular[0] += arm[0] * p[1] - arm[1] * p[0];
      else
        angular += cross_product_3d(arm, p);
    }
  }

  Tensor<1, dim> linear;
  Tensor<1, SectionImpulse<dim>::n_moments> angular;
  double scale = 0;
};

/// The kicks of some families that act on both sides.
template <int dim, typename Families>
std::vector<typename SectionImpulses<dim>::Cut>
cuts(const Families &families, const std::vector<unsigned int> &first_ids,
     const std::vector<char> &is_behind)
{
  std::vector<typename SectionImpulses<dim>::Cut> result;
  for (unsigned int f = 0; f < first_ids.size(); ++f)
    for (unsigned int k = 0; k < families[f]->n_kicks(); ++k)
    {
      const auto support = families[f]->support(k);
      const auto n = std::count_if(support.begin(), support.end(),
                                   [&](const unsigned int node) { return is_behind[node]; });
      if (n > 0 && n < static_cast<std::ptrdiff_t>(support.size()))
        result.push_back({families[f], k, first_ids[f] + k});
    }
  return result;
}

template <int dim>
void
set_velocities(NodeTable<dim> &nodes, const double size)
{
  for (unsigned int node = 0; node < nodes.size(); ++node)
  {
    Tensor<1, dim> v;
    for (unsigned int d = 0; d < dim; ++d)
      v[d] = size * std::sin(1. + node * (1.3 + d));
    nodes.set_velocity(node, v);
  }
}

/// Run a free body, and compare.
template <int dim>
void
compare(Dynamics<dim> &dynamics, SectionImpulses<dim> &section, const std::vector<char> &is_behind,
        const Point<dim> &origin, const double end)
{
  const Momenta<dim> before(dynamics.state(), is_behind, origin);
  for (const double time : {0.37 * end, end})
  {
    dynamics.advance_to(time);
    const Momenta<dim> now(dynamics.state(), is_behind, origin);
    const auto impulse = section.impulse(dynamics.state(), time,
                                         [&](const unsigned int id)
                                         { return dynamics.stepper().levels().covered_until(id); });
    EXPECT_GT(impulse.linear.norm(), 1e-3 * before.scale);
    EXPECT_NEAR((now.linear - before.linear - impulse.linear).norm(), 0, 1e-12 * before.scale);
    EXPECT_NEAR((now.angular - before.angular - impulse.angular).norm(), 0,
                1e-11 * before.scale * origin.norm());
  }
}

template <int dim>
void
check_solid(const StepperParameters &parameters, const StrainIntegration integration,
            const bool simplices = false)
{
  const TestMesh<dim> mesh(simplices);
  Dynamics<dim> dynamics(parameters);
  auto &moving = dynamics.add_body(
      std::make_unique<Body<dim>>(mesh.dof_handler, *mesh.mapping, "body",
                                  std::make_shared<NeoHookean<dim>>(1., 1., 0.3), integration));
  NodeTable<dim> &nodes = dynamics.nodes();
  set_velocities(nodes, 0.02);
  const Point<dim> origin = nodes.reference(nodes.size() / 2);
  std::vector<char> is_behind;
  for (unsigned int node = 0; node < nodes.size(); ++node)
    is_behind.push_back(nodes.reference(node)[0] < origin[0] + 0.01);
  const auto section = std::make_shared<SectionImpulses<dim>>(
      cuts<dim>(moving.body().strain_kicks(), moving.first_ids(), is_behind), is_behind, origin);
  dynamics.stepper().add_on_clock_of(section, section->ids());
  compare(dynamics, *section, is_behind, origin, 3.);
}

StepperParameters
stepping(const Clocks clocks, const Phase phase = Phase::centred)
{
  StepperParameters result;
  result.clocks = clocks;
  result.phase = phase;
  return result;
}
} // namespace

TEST(SectionImpulses, are_what_the_part_behind_gets)
{
  for (const Clocks clocks : {Clocks::one, Clocks::nested, Clocks::per_cell})
    for (const Phase phase : {Phase::centred, Phase::start})
    {
      SCOPED_TRACE(static_cast<int>(clocks) * 10 + static_cast<int>(phase));
      check_solid<2>(stepping(clocks, phase), StrainIntegration::standard);
      check_solid<3>(stepping(clocks, phase), StrainIntegration::standard, true);
    }
}

TEST(SectionImpulses, for_all_integrations)
{
  using Kind = StrainIntegration;
  for (const Kind kind : {Kind::nodal, Kind::one_point, Kind::mean_dilatation})
  {
    SCOPED_TRACE(static_cast<int>(kind));
    check_solid<3>(stepping(Clocks::nested), kind);
  }
}

TEST(SectionImpulses, of_shells)
{
  Triangulation<2, 3> triangulation;
  Triangulation<2> flat;
  GridGenerator::subdivided_hyper_rectangle_with_simplices(flat, {6, 3}, Point<2>(),
                                                           Point<2>(2, 1));
  std::vector<Point<3>> vertices;
  for (const auto &x : flat.get_vertices())
    vertices.emplace_back(x[0], x[1], 0.1 * std::sin(2 * x[0]));
  std::vector<dealii::CellData<2>> cells;
  for (const auto &cell : flat.active_cell_iterators())
  {
    cells.emplace_back(3);
    for (const unsigned int v : cell->vertex_indices())
      cells.back().vertices[v] = cell->vertex_index(v);
  }
  triangulation.create_triangulation(vertices, cells, SubCellData());
  DoFHandler<2, 3> dofs(triangulation);
  dofs.distribute_dofs(FESystem<2, 3>(FE_SimplexP<2, 3>(1), 3));
  const MappingFE<2, 3> mapping(FE_SimplexP<2, 3>(1));
  for (const Bending bending : {Bending::triangle, Bending::hinge, Bending::loop})
  {
    Dynamics<3> dynamics;
    auto &moving = dynamics.add_shell(dofs, mapping, ShellSection{1., 0.3, 1., 0.05}, bending);
    set_velocities(dynamics.nodes(), 0.01);
    const Point<3> origin(1.1, 0.4, 0);
    std::vector<char> is_behind;
    for (unsigned int node = 0; node < dynamics.nodes().size(); ++node)
      is_behind.push_back(dynamics.nodes().reference(node)[0] < 1.1);
    const auto section = std::make_shared<SectionImpulses<3>>(
        cuts<3>(moving.body().strain_kicks(), moving.first_ids(), is_behind), is_behind, origin);
    dynamics.stepper().add_on_clock_of(section, section->ids());
    compare(dynamics, *section, is_behind, origin, 2.);
  }
}
