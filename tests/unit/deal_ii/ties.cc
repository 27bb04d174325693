// Tied bodies: nodes of one follow faces of another.
#include "tied_blocks.h"

#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/deal_ii/load_shares.h>
#include <kickdrift/stepping/steps/critical_steps.h>

#include <deal.II/dofs/dof_tools.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/lapack_full_matrix.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

using namespace KickDrift;
using namespace KickDriftTests;

namespace
{
template <int dim>
std::vector<TiedBlocksSetting<dim>>
settings()
{
  using Setting = TiedBlocksSetting<dim>;
  std::vector<Setting> result;
  for (const bool simplex_masters : {false, true})
    for (const bool simplex_followers : {false, true})
      for (const bool moved : {false, true})
      {
        Setting setting;
        setting.simplex_masters = simplex_masters;
        setting.simplex_followers = simplex_followers;
        setting.gap = moved ? 0.01 : 0.;
        if (moved)
          setting.place = Placement<dim>::somewhere();
        result.push_back(setting);
        std::swap(setting.n_masters, setting.n_followers);
        result.push_back(setting);
        setting.refined = !simplex_masters;
        result.push_back(setting);
      }
  return result;
}

template <int dim>
Tensor<2, dim>
some_gradient()
{
  Tensor<2, dim> G;
  for (unsigned int i = 0; i < dim; ++i)
    for (unsigned int j = 0; j < dim; ++j)
      G[i][j] = 0.03 * std::sin(1. + 3 * i + 5 * j);
  return G;
}

/// Linear displacements go through the tie exactly, and so does the stress.
template <int dim>
void
check_patch(const TiedBlocksSetting<dim> &setting)
{
  TiedBlocks<dim> blocks(setting);
  blocks.add_nodes();
  const auto G = some_gradient<dim>();
  const Point<dim> origin = blocks.nodes.reference(0); // may be far away
  blocks.displace([&](const Point<dim> &x) { return G * (x - origin); });
  const unsigned int n = setting.n_followers + 1;
  EXPECT_EQ(blocks.followers->n_tied_nodes(), dim == 2 ? n : n * n);
  EXPECT_EQ(blocks.report.n_tied, blocks.followers->n_tied_nodes());
  EXPECT_EQ(blocks.masters->n_tied_nodes(), 0u);
  const double size = setting.place.unit;
  EXPECT_NEAR(blocks.gap, size * setting.gap, 1e-12);

  Vector<double> vector(blocks.above.dof_handler.n_dofs());
  blocks.followers->get_displacement(blocks.nodes, vector);
  for (const auto &cell : blocks.above.dof_handler.active_cell_iterators())
    for (const unsigned int v : cell->vertex_indices())
      for (unsigned int d = 0; d < dim; ++d)
        EXPECT_NEAR(vector[cell->vertex_dof_index(v, d)], (G * (cell->vertex(v) - origin))[d],
                    1e-14 * (size + origin.norm()));
  const double scale = blocks.material->stress(G).norm();
  Tensor<1, dim> sum;
  const auto forces = blocks.forces();
  for (const auto &force : forces)
    sum += force;
  EXPECT_LT(sum.norm(), 1e-11 * scale * std::pow(size, dim - 1.));
  const double volume = (2 + setting.gap) * std::pow(size, 1. * dim);
  const double exact = blocks.material->energy_density(G) * volume;
  EXPECT_NEAR(blocks.energy(), exact, 1e-9 * exact);
}

/// Where one mesh contains the other, no node inside feels a force.
template <int dim>
void
check_nested_patch(const bool simplices, const unsigned int n_masters,
                   const unsigned int n_followers)
{
  TiedBlocksSetting<dim> setting;
  setting.n_masters = n_masters;
  setting.n_followers = n_followers;
  setting.simplex_masters = setting.simplex_followers = simplices;
  TiedBlocks<dim> blocks(setting);
  blocks.add_nodes();
  const auto G = some_gradient<dim>();
  blocks.displace([&](const Point<dim> &x) { return G * Tensor<1, dim>(x); });
  const auto forces = blocks.forces();
  unsigned int n_inside = 0;
  for (unsigned int node = 0; node < forces.size(); ++node)
  {
    const auto &x = blocks.nodes.reference(node);
    bool inside = x[dim - 1] > 1e-9 && x[dim - 1] < 2 - 1e-9;
    for (unsigned int d = 0; d + 1 < dim; ++d)
      inside = inside && x[d] > 1e-9 && x[d] < 1 - 1e-9;
    if (!inside)
      continue;
    n_inside += std::abs(x[dim - 1] - 1) < 1e-9;
    EXPECT_LT(forces[node].norm(), 1e-14) << x;
  }
  EXPECT_GT(n_inside, 0u);
}

template <int dim>
void
check_masses(const TiedBlocksSetting<dim> &setting)
{
  TiedBlocks<dim> blocks(setting);
  blocks.add_nodes();
  double mass = 0;
  Tensor<1, dim> moment;
  const Point<dim> origin = blocks.nodes.reference(0);
  for (unsigned int n = 0; n < blocks.nodes.size(); ++n)
  {
    mass += blocks.nodes.mass(n);
    moment += blocks.nodes.mass(n) * (blocks.nodes.reference(n) - origin);
  }
  const double unit = std::pow(setting.place.unit, 1. * dim);
  Tensor<1, dim> exact;
  for (const double height : {1., 1 + setting.gap})
  {
    Point<dim> centre;
    for (unsigned int d = 0; d + 1 < dim; ++d)
      centre[d] = 0.5;
    centre[dim - 1] = height == 1 && exact.norm() == 0 ? 0.5 : 1 + height / 2;
    exact += 2.5 * height * unit * (setting.place(centre) - origin);
  }
  EXPECT_NEAR(mass, 2.5 * (2 + setting.gap) * unit, 1e-9 * unit);
  EXPECT_LT((moment - exact).norm(), 1e-9 * unit * setting.place.unit);

  // each body knows what of that is its own
  std::vector<double> sums(blocks.nodes.size(), 0.);
  for (const auto *body : {blocks.masters.get(), blocks.followers.get()})
  {
    double own = 0;
    for (const auto &part : body->mass_fractions())
    {
      sums[part.node] += part.fraction;
      own += part.fraction * blocks.nodes.mass(part.node);
    }
    const double height = body == blocks.masters.get() ? 1 : 1 + setting.gap;
    EXPECT_NEAR(own, 2.5 * height * unit, 1e-9 * unit);
  }
  for (const double sum : sums)
    EXPECT_NEAR(sum, 1, 1e-13);
}

template <int dim>
void
check_forces_by_differences(const TiedBlocksSetting<dim> &setting)
{
  TiedBlocks<dim> blocks(setting);
  blocks.add_nodes();
  std::mt19937 random(7);
  blocks.displace([&](const Point<dim> &) { return random_vector<dim>(random, 0.01); });
  const auto forces = blocks.forces();
  for (unsigned int n = 0; n < blocks.nodes.size(); ++n)
    for (unsigned int d = 0; d < dim; ++d)
    {
      const double h = 1e-5;
      double &u = blocks.nodes[n].displacement[d];
      u += h;
      const double above = blocks.energy();
      u -= 2 * h;
      const double below = blocks.energy();
      u += h;
      EXPECT_NEAR(forces[n][d], -(above - below) / (2 * h), 2e-7);
    }
}

/// The smallest step against that of the whole stiffness and mass.
template <int dim>
void
check_critical_steps(const TiedBlocksSetting<dim> &setting)
{
  TiedBlocks<dim> blocks(setting);
  blocks.material = std::make_shared<LinearElastic<dim>>(2.5, 3., 0.3);
  blocks.add_nodes();
  NodeTable<dim> &nodes = blocks.nodes;
  const unsigned int n = dim * nodes.size();
  LAPACKFullMatrix<double> K(n, n);
  for (unsigned int j = 0; j < n; ++j)
  {
    nodes[j / dim].displacement[j % dim] = 1;
    const auto forces = blocks.forces();
    nodes[j / dim].displacement[j % dim] = 0;
    for (unsigned int i = 0; i < n; ++i)
      K(i, j) = -forces[i / dim][i % dim] / std::sqrt(nodes.mass(i / dim) * nodes.mass(j / dim));
  }
  K.compute_eigenvalues();
  double largest = 0;
  unsigned int n_rigid = 0;
  for (unsigned int i = 0; i < n; ++i)
  {
    largest = std::max(largest, K.eigenvalue(i).real());
    n_rigid += std::abs(K.eigenvalue(i)) < 1e-9;
  }
  EXPECT_EQ(n_rigid, dim == 2 ? 3u : 6u); // and no more: nothing is loose
  const double step = 2 / std::sqrt(largest);
  const auto families = blocks.families();
  const auto steps = CriticalSteps<dim>({families.begin(), families.end()}, nodes).reference();
  const double smallest = *std::min_element(steps.begin(), steps.end());
  EXPECT_LE(smallest, step * (1 + 1e-12));
  EXPECT_GT(smallest, 0.4 * step);
}

/// Two tied blocks that fly, spin and vibrate.
template <int dim>
NodeTable<dim>
run(const TiedBlocksSetting<dim> &setting, const StepperParameters &parameters, const double end,
    const std::function<void(const NodeTable<dim> &, const EnergyBalance &)> &look = {})
{
  TiedBlocks<dim> blocks(setting);
  blocks.tie_bodies();
  Dynamics<dim> dynamics(parameters);
  dynamics.add_body(std::move(blocks.followers)); // its masters come later
  dynamics.add_body(std::move(blocks.masters));
  std::mt19937 random(3);
  auto &nodes = dynamics.nodes();
  for (unsigned int n = 0; n < nodes.size(); ++n)
  {
    const auto &x = nodes.reference(n);
    Tensor<1, dim> v = random_vector<dim>(random, 0.02);
    v[0] += 0.1 - 0.3 * x[1];
    v[1] += 0.3 * x[0];
    nodes.set_velocity(n, v);
  }
  for (unsigned int i = 0; i <= 10; ++i)
  {
    dynamics.advance_to(end * i / 10);
    if (look)
      look(dynamics.state(), dynamics.energy());
  }
  return dynamics.state();
}

template <int dim>
void
check_conservation(const TiedBlocksSetting<dim> &setting, const Clocks clocks,
                   const ClassBoundary boundary)
{
  StepperParameters parameters;
  parameters.clocks = clocks;
  parameters.class_boundary = boundary;
  // filtered boundaries keep it to the tolerance of their sweeps
  const double spin_error = parameters.has_filtered_boundaries() ? 2e-5 : 1e-11;
  std::pair<Tensor<1, dim>, Tensor<1, 3>> first;
  double energy = 0;
  bool is_first = true;
  run<dim>(setting, parameters, 10.,
           [&](const NodeTable<dim> &nodes, const EnergyBalance &balance)
           {
             const auto now = momenta(nodes);
             if (is_first)
             {
               first = now;
               energy = balance.total();
             }
             is_first = false;
             EXPECT_LT((now.first - first.first).norm(), 1e-12 * first.first.norm());
             EXPECT_LT((now.second - first.second).norm(), spin_error * first.second.norm());
             EXPECT_NEAR(balance.total(), energy, 5e-3 * energy);
           });
}

/// Squares and triangles, or hexahedra and tetrahedra, of different sizes.
template <int dim>
TiedBlocksSetting<dim>
unlike()
{
  TiedBlocksSetting<dim> setting;
  setting.simplex_followers = true;
  return setting;
}

/// How often the edges (in 2D nodes) of a body's faces are run through, forth minus back.
template <int dim>
int
n_open_edges(const std::vector<SurfaceFace<dim>> &faces)
{
  std::map<std::pair<unsigned int, unsigned int>, int> balance;
  for (const auto &face : faces)
    if (dim == 2)
    {
      ++balance[{face.nodes[0], 0}];
      --balance[{face.nodes[1], 0}];
    }
    else
      for (unsigned int e = 0; e < face.n_nodes; ++e)
      {
        const auto ends = ends_of_edge(face.n_nodes, e);
        const unsigned int a = face.nodes[ends[0]], b = face.nodes[ends[1]];
        balance[{std::min(a, b), std::max(a, b)}] += a < b ? 1 : -1;
      }
  return std::count_if(balance.begin(), balance.end(),
                       [](const auto &entry) { return entry.second != 0; });
}

template <int dim>
Surface<dim>
surface_of(TiedBlocks<dim> &blocks)
{
  blocks.add_nodes();
  Surface<dim> surface;
  blocks.masters->add_surface(surface, 0);
  blocks.followers->add_surface(surface, 1);
  return surface;
}

template <int dim>
double
area_of(const SurfaceFace<dim> &face, const NodeTable<dim> &nodes)
{
  const auto x = [&](const unsigned int i) { return nodes.reference(face.nodes[i]); };
  if constexpr (dim == 2)
    return (x(1) - x(0)).norm();
  else if (face.n_nodes == 3)
    return 0.5 * cross_product_3d(x(1) - x(0), x(2) - x(0)).norm();
  else
    return 0.5 * cross_product_3d(x(3) - x(0), x(2) - x(1)).norm();
}

/// Faces of the followers that contact has, and their area but for the tied side.
template <int dim>
void
check_surface(const TiedBlocksSetting<dim> &setting)
{
  TiedBlocks<dim> blocks(setting);
  const auto surface = surface_of(blocks);
  EXPECT_EQ(surface.n_turned, 0u);
  std::vector<SurfaceFace<dim>> of_followers = surface.closures;
  double area = 0;
  for (const auto &face : surface.faces)
    if (face.body == 1)
    {
      of_followers.push_back(face);
      area += area_of(face, blocks.nodes);
      EXPECT_NE(face.boundary_id, TiedBlocks<dim>::bottom);
    }
  for (const auto &face : surface.closures)
    EXPECT_EQ(face.boundary_id, TiedBlocks<dim>::bottom);
  EXPECT_FALSE(surface.closures.empty());
  EXPECT_EQ(n_open_edges(of_followers), 0);
  EXPECT_NEAR(area, dim == 2 ? 3 : 5, 1e-12);
  for (const auto &contactor : surface.contactors)
    EXPECT_TRUE(contactor.body == 0 ||
                contactor.nodes[0] - blocks.followers->first_node() < blocks.followers->n_nodes());
}
} // namespace

TEST(Ties, reproduce_linear_fields)
{
  for (const auto &setting : settings<2>())
    check_patch<2>(setting);
  for (const auto &setting : settings<3>())
    check_patch<3>(setting);
}

TEST(Ties, pass_the_patch_test_if_one_mesh_contains_the_other)
{
  for (const bool simplices : {false, true})
  {
    check_nested_patch<2>(simplices, 3, 3);
    check_nested_patch<2>(simplices, 2, 6);
    check_nested_patch<3>(simplices, 2, 2);
    if (!simplices) // diagonals do not fit
      check_nested_patch<3>(simplices, 2, 4);
  }
}

TEST(Ties, keep_masses_and_their_moments)
{
  for (const auto &setting : settings<2>())
    check_masses<2>(setting);
  for (const auto &setting : settings<3>())
    check_masses<3>(setting);
}

TEST(Ties, forces_are_derivatives_of_the_energy)
{
  auto plane = unlike<2>();
  check_forces_by_differences<2>(plane);
  plane.refined = true;
  check_forces_by_differences<2>(plane);
  check_forces_by_differences<3>(unlike<3>());
}

TEST(Ties, critical_steps_count_what_follows)
{
  for (const unsigned int n : {2u, 3u, 5u})
  {
    auto plane = unlike<2>();
    plane.n_followers = n;
    check_critical_steps<2>(plane);
    auto space = unlike<3>();
    space.n_followers = std::min(n, 3u);
    space.n_masters = n == 2 ? 1 : 2;
    check_critical_steps<3>(space);
  }
}

TEST(Ties, conserve_momenta_and_energy)
{
  for (const auto &[clocks, boundary] : {std::pair{Clocks::one, ClassBoundary::plain},
                                         {Clocks::nested, ClassBoundary::plain},
                                         {Clocks::nested, ClassBoundary::filtered},
                                         {Clocks::per_cell, ClassBoundary::plain}})
    for (const bool refined : {false, true})
    {
      auto plane = unlike<2>();
      plane.refined = refined;
      check_conservation<2>(plane, clocks, boundary);
      auto space = unlike<3>();
      space.refined = refined;
      space.gap = 0.02;
      check_conservation<3>(space, clocks, boundary);
    }
}

TEST(Ties, give_the_same_bits_with_threads)
{
  for (const Clocks clocks : {Clocks::one, Clocks::nested})
  {
    StepperParameters parameters;
    parameters.clocks = clocks;
    auto setting = unlike<3>();
    setting.n_masters = 3;
    setting.n_followers = 4;
    const auto alone = run<3>(setting, parameters, 1.);
    parameters.threads = 3;
    const auto together = run<3>(setting, parameters, 1.);
    for (unsigned int n = 0; n < alone.size(); ++n)
      for (unsigned int d = 0; d < 3; ++d)
      {
        EXPECT_EQ(alone[n].displacement[d], together[n].displacement[d]);
        EXPECT_EQ(alone[n].velocity[d], together[n].velocity[d]);
      }
  }
}

// Loads on tied nodes go to what they follow: their sums and moments stay.
TEST(Ties, loads_go_to_masters)
{
  TiedBlocks<3> blocks(unlike<3>());
  blocks.add_nodes();
  const auto shares = boundary_load_shares<3, 3>(*blocks.followers, {TiedBlocks<3>::bottom});
  ASSERT_NE(shares.points, nullptr);
  double area = 0;
  Tensor<1, 3> moment;
  for (unsigned int i = 0; i < shares.point_numbers.size(); ++i)
    for (const Parent &parent : shares.points->parents(shares.point_numbers[i]))
    {
      EXPECT_GE(parent.node, blocks.masters->first_node());
      area += parent.weight * shares.shares[i];
      moment += parent.weight * shares.shares[i] * blocks.nodes.reference(parent.node);
    }
  EXPECT_NEAR(area, 1, 1e-13);
  EXPECT_LT((moment - Point<3>(0.5, 0.5, 1)).norm(), 1e-13);
}

TEST(Ties, surfaces_stay_closed)
{
  for (const bool simplices : {false, true})
    for (const unsigned int n_masters : {2u, 3u, 5u})
      for (const unsigned int n_followers : {2u, 3u, 5u})
      {
        TiedBlocksSetting<2> plane;
        plane.n_masters = n_masters;
        plane.n_followers = n_followers;
        plane.simplex_followers = simplices;
        check_surface<2>(plane);
        TiedBlocksSetting<3> space;
        space.n_masters = n_masters;
        space.n_followers = n_followers;
        space.simplex_followers = simplices;
        check_surface<3>(space);
      }
}

// A block whose rim lies within faces of another one: what would look elsewhere is no target.
TEST(Ties, faces_are_not_turned)
{
  TiedBlocksSetting<3> setting;
  setting.n_masters = 2;
  setting.n_followers = 2;
  setting.inset = 0.3;
  setting.width = 0.4;
  TiedBlocks<3> blocks(setting);
  const auto surface = surface_of(blocks);
  EXPECT_GT(surface.n_turned, 0u);
  const auto position = [&](const unsigned int node) { return blocks.nodes.reference(node); };
  for (const auto &face : surface.faces)
    if (face.body == 1)
    {
      const auto normal = unit_normal(face, position);
      const unsigned int d = face.boundary_id / 2;
      EXPECT_GT(normal[d] * (face.boundary_id % 2 == 0 ? -1 : 1), 0.93);
    }
}

// A follower of a follower.
TEST(Ties, may_be_chained)
{
  Block<2> a({0, 0}, {1, 1}, {2, 2}, false), b({0, 1}, {1, 2}, {3, 3}, true),
      c({0, 2}, {1, 3}, {4, 4}, false);
  const auto material = std::make_shared<NeoHookean<2>>(2.5, 3., 0.3);
  auto body_a = a.body("a", material), body_b = b.body("b", material),
       body_c = c.body("c", material);
  EXPECT_EQ(tie<2>({{{body_b.get(), {2}}}, {{body_a.get(), {3}}}}).n_tied, 4u);
  EXPECT_EQ(tie<2>({{{body_c.get(), {2}}}, {{body_b.get(), {3}}}}).n_tied, 5u);
  NodeTable<2> nodes;
  body_c->add_nodes(nodes);
  body_b->add_nodes(nodes);
  body_a->add_nodes(nodes);
  double mass = 0;
  for (unsigned int n = 0; n < nodes.size(); ++n)
    mass += nodes.mass(n);
  EXPECT_NEAR(mass, 7.5, 1e-13);
  EXPECT_EQ(body_c->masters().size(), 1u);
}

// What is followed follows others afterwards, at the same nodes: masses go on to these.
TEST(Ties, pass_masses_on)
{
  Block<2> a({0, 0}, {1, 1}, {2, 2}, false), b({0, 1}, {1, 2}, {3, 3}, true),
      c({0, 0}, {1, 1}, {5, 5}, false);
  const auto material = std::make_shared<NeoHookean<2>>(2.5, 3., 0.3);
  auto body_a = a.body("a", material), body_b = b.body("b", material),
       body_c = c.body("c", material);
  EXPECT_EQ(tie<2>({{{body_c.get(), {3}}}, {{body_b.get(), {2}}}}).n_tied, 6u);
  EXPECT_EQ(tie<2>({{{body_b.get(), {2}}}, {{body_a.get(), {3}}}}).n_tied, 4u);
  NodeTable<2> nodes;
  body_c->add_nodes(nodes);
  body_b->add_nodes(nodes);
  body_a->add_nodes(nodes);
  double mass = 0;
  for (unsigned int n = 0; n < nodes.size(); ++n)
    mass += nodes.mass(n);
  EXPECT_NEAR(mass, 7.5, 1e-13);
  EXPECT_EQ(body_c->masters().size(), 2u);
  for (const auto &tied : body_c->tied_nodes())
    for (const Parent &parent : tied.parents)
      EXPECT_GE(parent.node, body_a->first_node());
}

// One layer of cells between two blocks follows both; its nodes would all be tied.
TEST(Ties, follow_through_other_followers)
{
  Block<2> a({0, 0}, {1, 1}, {2, 2}, false), b({0, 1}, {1, 2}, {3, 1}, false),
      c({0, 2}, {1, 3}, {4, 4}, false);
  const auto material = std::make_shared<NeoHookean<2>>(2.5, 3., 0.3);
  auto body_a = a.body("a", material), body_b = b.body("b", material),
       body_c = c.body("c", material);
  tie<2>({{{body_c.get(), {2}}}, {{body_b.get(), {3}}}});
  // afterwards, what was followed follows
  tie<2>({{{body_b.get(), {2}}}, {{body_a.get(), {3}}}});
  NodeTable<2> nodes;
  body_a->add_nodes(nodes);
  body_b->add_nodes(nodes);
  body_c->add_nodes(nodes);
  double mass = 0, height = 0;
  for (unsigned int n = 0; n < nodes.size(); ++n)
  {
    mass += nodes.mass(n);
    height += nodes.mass(n) * nodes.reference(n)[1];
  }
  EXPECT_NEAR(mass, 7.5, 1e-13);
  EXPECT_NEAR(height, 7.5 * 1.5, 1e-13);

  auto again_b = b.body("b", material), again_a = a.body("a", material),
       again_c = c.body("c", material);
  tie<2>({{{again_b.get(), {2}}}, {{again_a.get(), {3}}}});
  tie<2>({{{again_b.get(), {3}}}, {{again_c.get(), {2}}}});
  NodeTable<2> others;
  EXPECT_TRUE(contains(message_of([&] { again_b->add_nodes(others); }), "node of its own"));
}

// A bent strip whose ends are glued.
TEST(Ties, a_body_may_be_tied_to_itself)
{
  Block<2> ring({1, 0}, {1.2, 6}, {2, 40}, false);
  GridTools::transform(
      [](const Point<2> &p)
      {
        const double angle = 2 * numbers::PI * p[1] / 6.001;
        return Point<2>(p[0] * std::cos(angle), p[0] * std::sin(angle));
      },
      ring.triangulation);
  const Tie<TiedMesh<2>> meshes{{{&ring.triangulation, {2}}}, {{&ring.triangulation, {3}}}};
  EXPECT_GT(close_gaps<2>({meshes})[0], 1e-4);
  auto body = ring.body("ring", std::make_shared<NeoHookean<2>>(2.5, 3., 0.3));
  EXPECT_EQ(tie<2>({{{body.get(), {2}}}, {{body.get(), {3}}}}).n_tied, 3u);
  const auto *address = body.get();
  Dynamics<2> dynamics;
  dynamics.add_body(std::move(body));
  EXPECT_EQ(address->n_nodes(), 3u * 40);
  dynamics.enable_contact(ContactParameters());
  dynamics.advance_to(0.1);
  EXPECT_EQ(dynamics.contact_statistics().collisions, 0u);
}

TEST(Ties, what_cannot_be_is_named)
{
  const auto material = std::make_shared<NeoHookean<2>>(2.5, 3., 0.3);
  Block<2> a({0, 0}, {1, 1}, {2, 2}, false), b({0, 1}, {1, 2}, {2, 2}, false),
      far({0, 3}, {1, 4}, {2, 2}, false), near({0, 1.001}, {1, 2}, {2, 2}, false),
      wide({0, 1}, {2, 2}, {4, 2}, false);
  const auto body_a = a.body("a", material);
  const auto text = [&](Block<2> &block, const Tie<TiedBoundary<2>> &how)
  {
    const auto body = block.body("b", material);
    auto own = how;
    own.followers = {{body.get(), {2}}};
    if (own.masters.empty())
      own.masters = {{body_a.get(), {3}}};
    return message_of([&] { tie<2>(own); });
  };
  EXPECT_TRUE(contains(text(far, {}), "3 nodes that are to be tied find no face"));
  EXPECT_TRUE(contains(text(far, {}), "the nearest face is 2 away"));
  EXPECT_TRUE(contains(text(near, {}), "close_gaps()"));
  for (auto *blocks : {&far, &near})
  {
    EXPECT_TRUE(contains(text(*blocks, {}), "' at ("));
    EXPECT_FALSE(contains(text(*blocks, {}), "(("));
  }
  EXPECT_TRUE(contains(text(b, {{}, {}, 0.}), "tolerance"));
  EXPECT_TRUE(contains(text(b, {{}, {{body_a.get(), {8}}}}), "no boundary face"));
  EXPECT_TRUE(contains(text(wide, {}), "2 nodes that are to be tied find no face"));
  {
    const auto body = wide.body("wide", material);
    const auto report = tie<2>({{{body.get(), {2}}}, {{body_a.get(), {3}}}, 0.1, true});
    EXPECT_EQ(report.n_tied, 3u);
    EXPECT_EQ(report.untied.size(), 2u);
  }

  // twice, to itself, in a circle
  const auto one = a.body("one", material), other = b.body("other", material);
  EXPECT_EQ(tie<2>({{{other.get(), {2}}}, {{one.get(), {3}}}}).n_tied, 3u);
  const auto again = tie<2>({{{other.get(), {2}}}, {{one.get(), {3}}}});
  EXPECT_EQ(again.n_tied, 0u);
  EXPECT_EQ(again.n_tied_before, 3u);
  EXPECT_TRUE(contains(message_of(
                           [&] {
                             tie<2>({{{one.get(), {3}}}, {{other.get(), {2}}}});
                           }),
                       "would follow itself"));
  EXPECT_TRUE(contains(message_of(
                           [&] {
                             tie<2>({{{one.get(), {3}}}, {{one.get(), {3}}}});
                           }),
                       "cannot be tied to itself"));
  EXPECT_TRUE(contains(message_of(
                           [&] {
                             tie<2>({{{one.get(), {}}}, {{one.get(), {0}}}});
                           }),
                       "cannot be tied to itself"));
  EXPECT_TRUE(contains(
      message_of([&] { other->follow(b.dof_handler.begin_active()->vertex_dof_index(0, 0), {}); }),
      "already"));

  // too late, or without its masters
  NodeTable<2> nodes;
  one->add_nodes(nodes);
  const auto third = b.body("third", material);
  EXPECT_TRUE(contains(message_of(
                           [&] {
                             tie<2>({{{third.get(), {2}}}, {{one.get(), {3}}}});
                           }),
                       "have been added already"));
  const auto masters = a.body("masters", material);
  auto followers = b.body("followers", material);
  tie<2>({{{followers.get(), {2}}}, {{masters.get(), {3}}}});
  Dynamics<2> dynamics;
  dynamics.add_body(std::move(followers));
  EXPECT_TRUE(contains(message_of([&] { dynamics.start(); }),
                       "tied to body 'masters', which has not been added"));

  const auto nodal = a.body("nodal", material, StrainIntegration::nodal),
             top = b.body("top", material);
  EXPECT_TRUE(contains(message_of(
                           [&] {
                             tie<2>({{{nodal.get(), {3}}}, {{top.get(), {2}}}});
                           }),
                       "nodal integration"));
  EXPECT_EQ(tie<2>({{{top.get(), {2}}}, {{nodal.get(), {3}}}}).n_tied, 3u);
}

TEST(Ties, supports_must_hold_what_is_followed)
{
  const auto make =
      [](const bool hold_masters, const ContactParameters *contact, const bool by_dofs = false)
  {
    TiedBlocks<2> blocks(unlike<2>());
    blocks.tie_bodies();
    Dynamics<2> dynamics;
    auto &followers = dynamics.add_body(std::move(blocks.followers));
    const ComponentMask along_x(std::vector<bool>{true, false});
    AffineConstraints<double> constraints;
    DoFTools::make_zero_boundary_constraints(followers.body().dof_handler(), 0, constraints,
                                             along_x);
    constraints.close();
    if (by_dofs)
      followers.restrain(constraints);
    else
      followers.restrain({0}, along_x);
    auto &masters = dynamics.add_body(std::move(blocks.masters));
    if (hold_masters)
      masters.restrain({0}, ComponentMask(std::vector<bool>{true, false}));
    if (contact)
      dynamics.enable_contact(*contact);
    return message_of([&] { dynamics.start(); });
  };
  EXPECT_TRUE(
      contains(make(false, nullptr), "), which is tied and follows nodes that are not held"));
  EXPECT_EQ(make(true, nullptr), "");
  EXPECT_TRUE(
      contains(make(false, nullptr, true), "which is tied and follows nodes that are not held"));
  EXPECT_EQ(make(true, nullptr, true), "");
  ContactParameters contact;
  EXPECT_EQ(make(true, &contact), "");
}

// Blocks that are mirrored, with a tie that is, move like mirror images.
TEST(Ties, are_symmetric)
{
  std::vector<NodeTable<2>> results;
  for (const double side : {1., -1.})
  {
    Block<2> below({-1, 0}, {1, 1}, {2, 2}, false), above({-1, 1}, {1, 2}, {6, 3}, false);
    const auto material = std::make_shared<NeoHookean<2>>(2.5, 3., 0.3);
    auto masters = below.body("below", material), followers = above.body("above", material);
    tie<2>({{{followers.get(), {2}}}, {{masters.get(), {3}}}});
    Dynamics<2> dynamics;
    dynamics.add_body(std::move(masters));
    dynamics.add_body(std::move(followers));
    auto &nodes = dynamics.nodes();
    for (unsigned int n = 0; n < nodes.size(); ++n)
    {
      const double x = side * nodes.reference(n)[0], y = nodes.reference(n)[1];
      nodes.set_velocity(n,
                         Point<2>(side * (0.1 * std::sin(2 * x + y)), 0.1 * std::cos(x - 2 * y)));
    }
    dynamics.advance_to(3.);
    results.push_back(dynamics.state());
  }
  const auto &one = results[0], &other = results[1];
  for (unsigned int n = 0; n < one.size(); ++n)
  {
    const Point<2> mirrored(-one.reference(n)[0], one.reference(n)[1]);
    unsigned int m = 0;
    while (m < other.size() && other.reference(m).distance(mirrored) > 1e-9)
      ++m;
    ASSERT_LT(m, other.size());
    EXPECT_NEAR(one.displacement(n)[0], -other.displacement(m)[0], 1e-13);
    EXPECT_NEAR(one.displacement(n)[1], other.displacement(m)[1], 1e-13);
  }
}

// Rotated, shifted and in another unit, they do the same.
TEST(Ties, do_not_depend_on_place_and_unit)
{
  std::vector<std::vector<Tensor<1, 3>>> results;
  for (const bool moved : {false, true})
  {
    auto setting = unlike<3>();
    if (moved)
      setting.place = Placement<3>::somewhere();
    TiedBlocks<3> blocks(setting, moved ? 2.5e6 : 2.5); // the same wave speed per length
    blocks.tie_bodies();
    Dynamics<3> dynamics;
    dynamics.add_body(std::move(blocks.masters));
    dynamics.add_body(std::move(blocks.followers));
    auto &nodes = dynamics.nodes();
    std::vector<std::pair<Point<3>, unsigned int>> order;
    for (unsigned int n = 0; n < nodes.size(); ++n)
    {
      const auto back =
          transpose(setting.place.rotation) *
          (Tensor<1, 3>(nodes.reference(n)) / setting.place.unit - setting.place.shift);
      Point<3> x(back);
      Tensor<1, 3> v;
      for (unsigned int d = 0; d < 3; ++d)
        v[d] = 0.1 * std::sin(x[d] + 2 * x[(d + 1) % 3]);
      nodes.set_velocity(n, setting.place.unit * (setting.place.rotation * v));
      for (unsigned int d = 0; d < 3; ++d)
        x[d] = std::round(1e6 * x[d]);
      order.emplace_back(x, n);
    }
    std::sort(order.begin(), order.end(),
              [](const auto &a, const auto &b)
              {
                for (unsigned int d = 0; d < 3; ++d)
                  if (a.first[d] != b.first[d])
                    return a.first[d] < b.first[d];
                return a.second < b.second;
              });
    dynamics.advance_to(1.);
    results.emplace_back();
    for (const auto &entry : order)
      results.back().push_back(transpose(setting.place.rotation) *
                               dynamics.state().displacement(entry.second) / setting.place.unit);
  }
  ASSERT_EQ(results[0].size(), results[1].size());
  for (unsigned int n = 0; n < results[0].size(); ++n)
    EXPECT_LT((results[0][n] - results[1][n]).norm(), 1e-8);
}
