// Locally refined meshes: hanging nodes follow their parents.
#include "refined_mesh.h"

#include <kickdrift/deal_ii/load_shares.h>
#include <kickdrift/potentials/cells/kicks_at_points.h>
#include <kickdrift/potentials/loads/loads.h>
#include <kickdrift/potentials/loads/pressure_loads.h>
#include <kickdrift/stepping/steps/critical_steps.h>

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/grid/tria_description.h>
#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/lapack_full_matrix.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

using namespace KickDrift;
using namespace KickDriftTests;

namespace
{
constexpr unsigned int n_seeds = 6;

const Lame moduli = Lame::from_young_and_poisson(3., 0.3);

template <int dim>
std::shared_ptr<const Material<dim>>
linear_material()
{
  return std::make_shared<LinearElastic<dim>>(2.5, 3., 0.3);
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

template <int dim>
double
volume(const Triangulation<dim> &triangulation)
{
  double sum = 0;
  for (const auto &cell : triangulation.active_cell_iterators())
    sum += cell->measure();
  return sum;
}

/// Largest eigenvalue of M^-1/2 K M^-1/2.
double
largest_square_frequency(const FullMatrix<double> &K, const std::vector<double> &masses)
{
  LAPACKFullMatrix<double> scaled(K.m(), K.n());
  for (unsigned int i = 0; i < K.m(); ++i)
    for (unsigned int j = 0; j < K.n(); ++j)
      scaled(i, j) = K(i, j) / std::sqrt(masses[i] * masses[j]);
  scaled.compute_eigenvalues();
  double largest = 0;
  for (unsigned int i = 0; i < K.m(); ++i)
    largest = std::max(largest, scaled.eigenvalue(i).real());
  return largest;
}

/// Stiffness and lumped masses as deal.II assembles them, hanging nodes condensed away.
template <int dim>
struct Assembled
{
  Assembled(const DoFHandler<dim> &dof_handler, const Mapping<dim> &mapping, const double density)
      : stiffness(dof_handler.n_dofs(), dof_handler.n_dofs()), masses(dof_handler.n_dofs())
  {
    DoFTools::make_hanging_node_constraints(dof_handler, constraints);
    constraints.close();
    const auto &element = dof_handler.get_fe();
    FEValues<dim> values(mapping, element, QGauss<dim>(2),
                         update_values | update_gradients | update_JxW_values);
    const FEValuesExtractors::Vector u(0);
    const unsigned int n = element.n_dofs_per_cell();
    std::vector<types::global_dof_index> dofs(n);
    for (const auto &cell : dof_handler.active_cell_iterators())
    {
      values.reinit(cell);
      FullMatrix<double> matrix(n, n);
      Vector<double> mass(n);
      for (const unsigned int q : values.quadrature_point_indices())
        for (unsigned int i = 0; i < n; ++i)
        {
          const auto strain = values[u].symmetric_gradient(i, q);
          mass(i) += density * values.shape_value(i, q) * values.JxW(q);
          for (unsigned int j = 0; j < n; ++j)
          {
            const auto other = values[u].symmetric_gradient(j, q);
            matrix(i, j) +=
                (moduli.lambda * trace(strain) * trace(other) + 2 * moduli.mu * (strain * other)) *
                values.JxW(q);
          }
        }
      cell->get_dof_indices(dofs);
      constraints.distribute_local_to_global(matrix, dofs, stiffness);
      constraints.distribute_local_to_global(mass, dofs, masses);
    }
  }
  AffineConstraints<double> constraints;
  FullMatrix<double> stiffness;
  Vector<double> masses;
};

template <int dim>
void
check_masses(const unsigned int seed, const bool plain)
{
  const RefinedMesh<dim> mesh(seed, plain);
  RefinedBody<dim> refined(mesh.triangulation, linear_material<dim>());
  const Body<dim> &body = *refined.body;
  EXPECT_GT(body.n_hanging_nodes(), 0u);
  EXPECT_EQ((body.n_nodes() + body.n_hanging_nodes()) * dim, refined.dof_handler.n_dofs());
  double mass = 0;
  Tensor<1, dim> moment, exact;
  for (unsigned int n = 0; n < refined.nodes.size(); ++n)
  {
    EXPECT_GT(refined.nodes.mass(n), 0.);
    mass += refined.nodes.mass(n);
    moment += refined.nodes.mass(n) * refined.nodes.reference(n);
  }
  FEValues<dim> values(refined.mapping, refined.dof_handler.get_fe(), QGauss<dim>(3),
                       update_quadrature_points | update_JxW_values);
  for (const auto &cell : refined.dof_handler.active_cell_iterators())
  {
    values.reinit(cell);
    for (const unsigned int q : values.quadrature_point_indices())
      exact += 2.5 * values.JxW(q) * values.quadrature_point(q);
  }
  EXPECT_NEAR(mass, 2.5 * volume(mesh.triangulation), 1e-12);
  EXPECT_LT((moment - exact).norm(), 1e-12);
}

template <int dim>
void
check_patch(const unsigned int seed, const bool plain, const StrainIntegration integration)
{
  const auto G = some_gradient<dim>();
  const RefinedMesh<dim> mesh(seed, plain);
  for (const std::shared_ptr<const Material<dim>> &material :
       {linear_material<dim>(),
        std::shared_ptr<const Material<dim>>(std::make_shared<NeoHookean<dim>>(2.5, 3., 0.3))})
  {
    RefinedBody<dim> refined(mesh.triangulation, material, integration);
    refined.displace([&](const Point<dim> &x) { return G * Tensor<1, dim>(x); });
    const auto boundary = refined.body->boundary_nodes();
    const std::set<unsigned int> on_boundary(boundary.begin(), boundary.end());
    const auto forces = refined.forces();
    const double scale = material->stress(G).norm();
    unsigned int n_inside = 0;
    for (unsigned int n = 0; n < forces.size(); ++n)
      if (on_boundary.count(n) == 0)
      {
        ++n_inside;
        EXPECT_LT(forces[n].norm(), 1e-13 * scale);
      }
    EXPECT_GT(n_inside, 0u);
    const double exact = material->energy_density(G) * volume(mesh.triangulation);
    EXPECT_NEAR(refined.energy(), exact, 1e-12 * exact);
    for (const auto &family : refined.body->kicks())
      for (unsigned int k = 0; k < family->n_kicks(); ++k)
      {
        const auto stress = family->mean_stress(refined.nodes, k);
        EXPECT_LT((stress - refined.body->kicks()[0]->mean_stress(refined.nodes, 0)).norm(),
                  1e-11 * scale);
      }

    // linear in the nodes is linear in the vector with the hanging ones
    Vector<double> vector(refined.dof_handler.n_dofs());
    refined.body->get_displacement(refined.nodes, vector);
    for (const auto &cell : refined.dof_handler.active_cell_iterators())
      for (const unsigned int v : cell->vertex_indices())
        for (unsigned int d = 0; d < dim; ++d)
          EXPECT_NEAR(vector[cell->vertex_dof_index(v, d)],
                      (G * Tensor<1, dim>(cell->vertex(v)))[d], 1e-14);
  }
}

template <int dim>
void
check_rigid_motion(const unsigned int seed)
{
  const RefinedMesh<dim> mesh(seed, false);
  RefinedBody<dim> refined(mesh.triangulation,
                           std::make_shared<StVenantKirchhoff<dim>>(2.5, 3., 0.3));
  refined.displace(
      [](const Point<dim> &x)
      {
        Tensor<1, dim> u;
        const double c = std::cos(1.), s = std::sin(1.);
        u[0] = c * x[0] - s * x[1] - x[0] + 3;
        u[1] = s * x[0] + c * x[1] - x[1] - 1;
        return u;
      });
  for (const auto &force : refined.forces())
    EXPECT_LT(force.norm(), 1e-13);
  EXPECT_NEAR(refined.energy(), 0., 1e-26);
}

template <int dim>
void
check_forces_by_differences(const unsigned int seed, const StrainIntegration integration)
{
  std::mt19937 random(seed);
  const RefinedMesh<dim> mesh(seed, false);
  RefinedBody<dim> refined(mesh.triangulation, std::make_shared<NeoHookean<dim>>(2.5, 3., 0.3),
                           integration);
  refined.displace([&](const Point<dim> &) { return random_vector<dim>(random, 0.02); });
  const auto forces = refined.forces();
  Tensor<1, dim> sum;
  for (unsigned int n = 0; n < refined.nodes.size(); ++n)
  {
    sum += forces[n];
    for (unsigned int d = 0; d < dim; ++d)
    {
      const double h = 1e-5;
      double &u = refined.nodes[n].displacement[d];
      u += h;
      const double above = refined.energy();
      u -= 2 * h;
      const double below = refined.energy();
      u += h;
      EXPECT_NEAR(forces[n][d], -(above - below) / (2 * h), 1e-7);
    }
  }
  EXPECT_LT(sum.norm(), 1e-13);
}

template <int dim>
void
check_against_assembly(const unsigned int seed, const bool plain)
{
  const RefinedMesh<dim> mesh(seed, plain);
  RefinedBody<dim> refined(mesh.triangulation, linear_material<dim>());
  const Body<dim> &body = *refined.body;
  const Assembled<dim> assembled(refined.dof_handler, refined.mapping, 2.5);
  std::mt19937 random(seed);
  refined.displace([&](const Point<dim> &) { return random_vector<dim>(random, 1.); });
  Vector<double> u(refined.dof_handler.n_dofs()), Ku(u.size());
  body.get_displacement(refined.nodes, u);
  {
    Vector<double> distributed = u;
    assembled.constraints.distribute(distributed);
    distributed -= u;
    EXPECT_LT(distributed.linfty_norm(), 1e-15);
    for (types::global_dof_index dof = 0; dof < u.size(); ++dof)
      if (assembled.constraints.is_constrained(dof))
        u[dof] = 0;
  }
  assembled.stiffness.vmult(Ku, u);
  const auto forces = refined.forces();
  std::vector<types::global_dof_index> free_dofs;
  std::vector<double> masses;
  for (unsigned int n = 0; n < refined.nodes.size(); ++n)
    for (unsigned int d = 0; d < dim; ++d)
    {
      const auto dof = body.dofs_of_node(n)[d];
      EXPECT_FALSE(assembled.constraints.is_constrained(dof));
      EXPECT_NEAR(forces[n][d], -Ku[dof], 1e-12 * Ku.linfty_norm());
      EXPECT_NEAR(refined.nodes.mass(n), assembled.masses[dof], 1e-14);
      free_dofs.push_back(dof);
      masses.push_back(assembled.masses[dof]);
    }
  EXPECT_NEAR(refined.energy(), 0.5 * (u * Ku), 1e-12 * (u * Ku));

  FullMatrix<double> K(free_dofs.size(), free_dofs.size());
  for (unsigned int i = 0; i < free_dofs.size(); ++i)
    for (unsigned int j = 0; j < free_dofs.size(); ++j)
      K(i, j) = assembled.stiffness(free_dofs[i], free_dofs[j]);
  const double step = 2 / std::sqrt(largest_square_frequency(K, masses));
  const auto &families = refined.body->kicks();
  const auto steps =
      CriticalSteps<dim>({families.begin(), families.end()}, refined.nodes).reference();
  const double smallest = *std::min_element(steps.begin(), steps.end());
  EXPECT_LE(smallest, step);
  EXPECT_GT(smallest, 0.5 * step);
}

/// The step of every cell against that of its condensed stiffness and mass.
template <int dim>
void
check_critical_steps(const unsigned int seed, const bool plain)
{
  const RefinedMesh<dim> mesh(seed, plain);
  RefinedBody<dim> refined(mesh.triangulation, linear_material<dim>());
  Body<dim> &body = *refined.body;
  const auto all_masses = cell_load_shares(body, LoadPer::mass);
  std::map<unsigned int, unsigned int> piece_of_cell;
  for (unsigned int i = 0; i < all_masses.active_cell_indices.size(); ++i)
    piece_of_cell[all_masses.active_cell_indices[i]] = i;
  std::vector<Tensor<1, dim>> force;
  for (unsigned int f = 0; f < body.kicks().size(); ++f)
    for (unsigned int k = 0; k < body.kicks()[f]->n_kicks(); ++k)
    {
      const auto &family = *body.kicks()[f];
      const auto support = family.support(k);
      std::map<unsigned int, double> mass_of_node;
      const unsigned int piece = piece_of_cell[body.cell_of_kick(f, k)];
      for (unsigned int a = 0; a < all_masses.nodes_per_piece; ++a)
      {
        const unsigned int i = piece * all_masses.nodes_per_piece + a;
        for (const Parent &parent : all_masses.points->parents(all_masses.point_numbers[i]))
          mass_of_node[parent.node] += parent.weight * all_masses.shares[i];
      }
      ASSERT_EQ(mass_of_node.size(), support.size());
      const unsigned int n = dim * support.size();
      FullMatrix<double> K(n, n);
      std::vector<double> masses(n);
      for (unsigned int j = 0; j < n; ++j)
      {
        refined.nodes[support[j / dim]].displacement[j % dim] = 1;
        family.force(refined.nodes, k, 0., force);
        refined.nodes[support[j / dim]].displacement[j % dim] = 0;
        masses[j] = mass_of_node[support[j / dim]];
        for (unsigned int i = 0; i < n; ++i)
          K(i, j) = -force[i / dim][i % dim];
      }
      const double exact = 2 / std::sqrt(largest_square_frequency(K, masses));
      std::vector<double> own;
      family.own_masses(k, own);
      for (unsigned int i = 0; i < own.size(); ++i)
        EXPECT_NEAR(own[i], mass_of_node[support[i]], 1e-6 * own[i]);
      for (unsigned int i = 0; i < own.size(); ++i)
        own[i] = mass_of_node[support[i]];
      EXPECT_LE(family.critical_step(k, own), exact * (1 + 1e-12));
      EXPECT_GT(family.critical_step(k, own), 0.5 * exact);
      EXPECT_LE(family.current_critical_step(refined.nodes, k, own), exact * (1 + 1e-12));
    }
}

/// A free body that vibrates and spins.
template <int dim>
NodeTable<dim>
run(const unsigned int seed, const StepperParameters &parameters, const double end,
    const std::function<void(double, const NodeTable<dim> &, const EnergyBalance &)> &look = {})
{
  const RefinedMesh<dim> mesh(seed, false);
  RefinedBody<dim> refined(mesh.triangulation, std::make_shared<NeoHookean<dim>>(2.5, 3., 0.3));
  std::mt19937 random(seed);
  for (unsigned int n = 0; n < refined.nodes.size(); ++n)
  {
    const auto &x = refined.nodes.reference(n);
    Tensor<1, dim> v = random_vector<dim>(random, 0.02);
    v[0] += 0.1 - 0.3 * x[1];
    v[1] += 0.3 * x[0];
    refined.nodes.set_velocity(n, v);
  }
  Stepper<dim> stepper(refined.nodes, parameters);
  for (const auto &family : refined.body->strain_kicks())
    stepper.add(family);
  stepper.start();
  for (unsigned int i = 0; i <= 10; ++i)
  {
    const double time = end * i / 10;
    stepper.advance_to(time);
    const auto nodes = stepper.snapshot(time);
    if (look)
      look(time, nodes, stepper.energy(nodes));
  }
  return stepper.snapshot(end);
}

/// Pressure and a body force that follow the cells of a body with hanging nodes.
template <int dim>
void
check_loads(const unsigned int seed)
{
  const RefinedMesh<dim> mesh(seed, false);
  RefinedBody<dim> refined(mesh.triangulation, linear_material<dim>());
  std::mt19937 random(seed);
  NodeTable<dim> &nodes = refined.nodes;
  refined.displace([&](const Point<dim> &) { return random_vector<dim>(random, 0.01); });
  const auto total = [&](const Kicks<dim> &kicks)
  {
    std::pair<Tensor<1, dim>, Tensor<1, 3>> result;
    std::vector<Tensor<1, dim>> force;
    for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
    {
      kicks.force(nodes, k, 0., force);
      const auto support = kicks.support(k);
      for (unsigned int i = 0; i < support.size(); ++i)
      {
        Tensor<1, 3> x, f;
        for (unsigned int d = 0; d < dim; ++d)
        {
          x[d] = nodes.position(support[i])[d];
          f[d] = force[i][d];
        }
        result.first += force[i];
        result.second += cross_product_3d(x, f);
      }
    }
    return result;
  };

  const auto faces = boundary_load_shares(*refined.body, {});
  ASSERT_NE(faces.points, nullptr);
  const KicksAtPoints<dim> pressure(
      std::make_shared<PressureLoads<dim>>("pressure", faces.nodes_per_piece, faces.point_numbers,
                                           [](const Point<dim> &, double) { return 7.; }),
      faces.points);
  EXPECT_LT(total(pressure).first.norm(), 1e-12);
  EXPECT_LT(total(pressure).second.norm(), 1e-12);

  const auto cells = cell_load_shares(*refined.body, LoadPer::mass);
  const auto direction = random_vector<dim>(random, 1.);
  std::vector<Tensor<1, dim>> forces;
  for (const double share : cells.shares)
    forces.push_back(share * direction);
  const auto gravity = std::make_shared<ConstantLoads<dim>>("gravity", cells.nodes_per_piece,
                                                            cells.point_numbers, forces);
  KicksAtPoints<dim> at_points(gravity, cells.points);
  gravity->begin(at_points.points_at(nodes));
  const double mass = 2.5 * volume(mesh.triangulation);
  EXPECT_LT((total(at_points).first - mass * direction).norm(), 1e-12);

  // A kick of all cells at once gives every node the same velocity, at its time.
  at_points.assign_clocks(std::vector<unsigned int>(at_points.n_kicks(), 0), 1);
  NodeTable<dim> moving = nodes;
  at_points.kick(moving, 0, 0.5, 0.1);
  for (unsigned int n = 0; n < moving.size(); ++n)
  {
    EXPECT_LT((moving.velocity(n) - 0.1 * direction).norm(), 1e-14);
    EXPECT_EQ(moving[n].time, 0.5);
  }
  // Its work is the weight times the way of the centre of mass.
  refined.displace([&](const Point<dim> &) { return random_vector<dim>(random, 0.01); });
  double work = 0;
  for (unsigned int n = 0; n < nodes.size(); ++n)
    work += nodes.mass(n) * direction * (nodes.displacement(n) - moving.displacement(n));
  EnergyBalance balance;
  at_points.add_energy(nodes, balance);
  EXPECT_NEAR(balance.external_work, work, 1e-14);
}

/// The contact surface is closed: every edge is passed once in each direction, between nodes.
template <int dim>
void
check_surface(const unsigned int seed, const bool plain)
{
  const RefinedMesh<dim> mesh(seed, plain);
  RefinedBody<dim> refined(mesh.triangulation, linear_material<dim>());
  Surface<dim> surface;
  refined.body->add_surface(surface, 0);
  const auto on_boundary = refined.body->boundary_nodes();
  const std::set<unsigned int> boundary(on_boundary.begin(), on_boundary.end());
  EXPECT_EQ(surface.contactors.size(), boundary.size());
  std::map<std::pair<unsigned int, unsigned int>, int> edges;
  std::set<unsigned int> corners;
  double area = 0, enclosed = 0;
  for (const auto &face : surface.faces)
  {
    std::vector<Point<dim>> x;
    for (unsigned int v = 0; v < face.n_nodes; ++v)
    {
      ASSERT_EQ(boundary.count(face.nodes[v]), 1u);
      corners.insert(face.nodes[v]);
      x.push_back(refined.nodes.reference(face.nodes[v]));
    }
    if constexpr (dim == 2)
    {
      ++edges[{face.nodes[0], 0}];
      --edges[{face.nodes[1], 0}];
      area += x[0].distance(x[1]);
      enclosed += 0.5 * cross_product_2d(x[1] - x[0]) * Tensor<1, dim>(x[0]);
    }
    else
    {
      const std::vector<unsigned int> ring = face.n_nodes == 3
                                                 ? std::vector<unsigned int>{0, 1, 2}
                                                 : std::vector<unsigned int>{0, 1, 3, 2};
      for (unsigned int i = 0; i < ring.size(); ++i)
      {
        const unsigned int a = face.nodes[ring[i]], b = face.nodes[ring[(i + 1) % ring.size()]];
        edges[{std::min(a, b), std::max(a, b)}] += a < b ? 1 : -1;
      }
      const Tensor<1, dim> vector = face.n_nodes == 3
                                        ? 0.5 * cross_product_3d(x[1] - x[0], x[2] - x[0])
                                        : 0.5 * cross_product_3d(x[3] - x[0], x[2] - x[1]);
      area += vector.norm();
      Tensor<1, dim> centre;
      for (const auto &corner : x)
        centre += corner / double(x.size());
      enclosed += vector * centre / 3;
    }
  }
  for (const auto &[edge, count] : edges)
    EXPECT_EQ(count, 0) << edge.first << " " << edge.second;
  EXPECT_EQ(corners, boundary);
  if (plain)
  {
    EXPECT_NEAR(area, dim == 2 ? 4. : 6., 1e-13);
    EXPECT_NEAR(enclosed, 1., 1e-13);
  }
  else
    EXPECT_NEAR(enclosed, volume(mesh.triangulation), 1e-2 * enclosed);
}

template <int dim>
std::string
refusal(const Triangulation<dim> &triangulation,
        const StrainIntegration integration = StrainIntegration::standard)
{
  return message_of([&] { RefinedBody<dim>(triangulation, linear_material<dim>(), integration); });
}

/// Kicks, one at a time, are forces at their time, whatever the times of the nodes before.
template <int dim>
void
check_kicks(const unsigned int seed)
{
  const RefinedMesh<dim> mesh(seed, false);
  RefinedBody<dim> refined(mesh.triangulation, std::make_shared<NeoHookean<dim>>(2.5, 3., 0.3));
  std::mt19937 random(seed);
  NodeTable<dim> &nodes = refined.nodes;
  refined.displace([&](const Point<dim> &) { return random_vector<dim>(random, 0.01); });
  for (unsigned int n = 0; n < nodes.size(); ++n)
  {
    nodes.set_velocity(n, random_vector<dim>(random, 0.1));
    nodes[n].time = 0.001 * (n % 7);
  }
  const double time = 0.1, step = 0.03;
  std::vector<Tensor<1, dim>> force;
  for (const auto &family : refined.body->kicks())
  {
    family->assign_clocks(std::vector<unsigned int>(family->n_kicks(), 0), 2);
    for (unsigned int k = 0; k < family->n_kicks(); ++k)
    {
      family->force(nodes, k, time, force);
      const auto support = family->support(k);
      family->change_clock(k, 1);
      NodeTable<dim> kicked = nodes;
      family->kick(kicked, 1, time, step);
      family->change_clock(k, 0);
      for (unsigned int n = 0; n < nodes.size(); ++n)
      {
        const auto i = std::find(support.begin(), support.end(), n) - support.begin();
        const bool is_kicked = i < std::ptrdiff_t(support.size());
        const Tensor<1, dim> change =
            is_kicked ? step * force[i] / nodes.mass(n) : Tensor<1, dim>();
        EXPECT_LT((kicked.velocity(n) - nodes.velocity(n) - change).norm(), 1e-14);
        EXPECT_EQ(kicked[n].time, is_kicked ? time : nodes[n].time);
      }
    }
  }
}

template <int dim>
void
check_run(const Clocks clocks)
{
  StepperParameters parameters;
  parameters.clocks = clocks;
  std::pair<Tensor<1, dim>, Tensor<1, 3>> start;
  double energy = 0;
  run<dim>(3, parameters, 20.,
           [&](const double time, const NodeTable<dim> &nodes, const EnergyBalance &balance)
           {
             if (time == 0)
             {
               start = momenta(nodes);
               energy = balance.total();
             }
             const auto now = momenta(nodes);
             EXPECT_LT((now.first - start.first).norm(), 1e-13 * start.first.norm());
             EXPECT_LT((now.second - start.second).norm(), 1e-12 * start.second.norm());
             EXPECT_NEAR(balance.total(), energy, 2e-3 * energy);
           });
}
} // namespace

TEST(HangingNodes, masses_go_to_parents)
{
  for (unsigned int seed = 0; seed < n_seeds; ++seed)
    for (const bool plain : {true, false})
    {
      check_masses<2>(seed, plain);
      check_masses<3>(seed, plain);
    }
}

TEST(HangingNodes, pass_the_patch_test)
{
  for (unsigned int seed = 0; seed < n_seeds; ++seed)
    for (const bool plain : {true, false})
    {
      check_patch<2>(seed, plain, StrainIntegration::standard);
      check_patch<3>(seed, plain, StrainIntegration::standard);
      check_patch<2>(seed, plain, StrainIntegration::one_point);
      check_patch<3>(seed, plain, StrainIntegration::one_point);
    }
}

TEST(HangingNodes, rigid_motions_give_no_force)
{
  for (unsigned int seed = 0; seed < n_seeds; ++seed)
  {
    check_rigid_motion<2>(seed);
    check_rigid_motion<3>(seed);
  }
}

TEST(HangingNodes, forces_are_derivatives_of_the_energy)
{
  for (const auto integration : {StrainIntegration::standard, StrainIntegration::one_point})
  {
    check_forces_by_differences<2>(1, integration);
    check_forces_by_differences<3>(2, integration);
  }
}

TEST(HangingNodes, agree_with_the_condensed_system_that_deal_ii_assembles)
{
  for (unsigned int seed = 0; seed < 3; ++seed)
    for (const bool plain : {true, false})
    {
      check_against_assembly<2>(seed, plain);
      check_against_assembly<3>(seed, plain);
    }
}

TEST(HangingNodes, steps_are_safe_for_condensed_cells)
{
  for (const bool plain : {true, false})
  {
    check_critical_steps<2>(0, plain);
    check_critical_steps<3>(1, plain);
  }
}

TEST(HangingNodes, are_kicked_at_the_time_of_the_kick)
{
  check_kicks<2>(0);
  check_kicks<3>(1);
}

TEST(HangingNodes, keep_momentum_and_energy)
{
  for (const auto clocks : {Clocks::one, Clocks::nested, Clocks::per_cell})
  {
    check_run<2>(clocks);
    check_run<3>(clocks);
  }
}

TEST(HangingNodes, same_bits_on_any_number_of_threads)
{
  StepperParameters parameters;
  const auto one = run<3>(4, parameters, 3.);
  parameters.threads = 3;
  const auto three = run<3>(4, parameters, 3.);
  for (unsigned int n = 0; n < one.size(); ++n)
    for (unsigned int d = 0; d < 3; ++d)
    {
      EXPECT_EQ(one[n].displacement[d], three[n].displacement[d]);
      EXPECT_EQ(one[n].velocity[d], three[n].velocity[d]);
    }
}

TEST(HangingNodes, pass_loads_on)
{
  for (unsigned int seed = 0; seed < n_seeds; ++seed)
  {
    check_loads<2>(seed);
    check_loads<3>(seed);
  }
}

TEST(HangingNodes, leave_no_gap_in_the_contact_surface)
{
  for (unsigned int seed = 0; seed < 40; ++seed)
    for (const bool plain : {true, false})
    {
      SCOPED_TRACE(seed);
      check_surface<2>(seed, plain);
      check_surface<3>(seed, plain);
    }
}

TEST(HangingNodes, of_vectors_are_not_read)
{
  const RefinedMesh<2> mesh(0, true);
  RefinedBody<2> refined(mesh.triangulation, linear_material<2>());
  const Assembled<2> assembled(refined.dof_handler, refined.mapping, 1.);
  Vector<double> vector(refined.dof_handler.n_dofs()), again(vector.size());
  for (unsigned int i = 0; i < vector.size(); ++i)
    vector[i] = std::sin(1. + i);
  refined.body->set_velocity(refined.nodes, vector);
  refined.body->get_velocity(refined.nodes, again);
  assembled.constraints.distribute(vector);
  vector -= again;
  EXPECT_LT(vector.linfty_norm(), 1e-15);
}

TEST(HangingNodes, are_no_nodes_where_nodes_are_asked_for)
{
  const RefinedMesh<3> mesh(0, true);
  RefinedBody<3> refined(mesh.triangulation, linear_material<3>());
  const Body<3> &body = *refined.body;
  unsigned int n_hanging = 0;
  std::set<types::global_dof_index> hanging;
  for (const auto &cell : body.cells())
  {
    const auto nodes = body.nodes_of_cell(cell);
    bool any = false;
    for (const unsigned int v : cell->vertex_indices())
    {
      const auto parents = body.parents_of_vertex(cell, v);
      const auto dof = cell->vertex_dof_index(v, 0);
      double sum = 0;
      Point<3> position;
      for (const Parent &parent : parents)
      {
        sum += parent.weight;
        position += parent.weight * refined.nodes.reference(parent.node);
      }
      EXPECT_EQ(sum, 1.);
      EXPECT_LT(position.distance(cell->vertex(v)), 1e-15);
      EXPECT_EQ(body.node_of_dof(dof), nodes[v]);
      if (nodes[v] != numbers::invalid_unsigned_int)
      {
        ASSERT_EQ(parents.size(), 1u);
        EXPECT_EQ(parents[0].node, nodes[v]);
        continue;
      }
      any = true;
      EXPECT_GE(parents.size(), 2u);
      hanging.insert(dof);
    }
    EXPECT_EQ(any, body.has_follower(cell));
    n_hanging += any;
  }
  EXPECT_GT(n_hanging, 0u);
  EXPECT_EQ(hanging.size(), body.n_hanging_nodes());
}

// Where a face begins, and which of its cells is the first, must not change a bit of its middle.
TEST(HangingNodes, straightened_whatever_the_numbering)
{
  const unsigned int right[] = {1, 8, 3, 9, 5, 10, 7, 11}; // vertices; others are those of the left
  std::mt19937 random(3);
  for (unsigned int trial = 0; trial < 10; ++trial)
  {
    std::vector<Point<3>> vertices;
    for (unsigned int v = 0; v < 12; ++v)
      vertices.emplace_back(
          Point<3>(v < 8 ? v % 2 : 2, v < 8 ? v / 2 % 2 : v % 2, v < 8 ? v / 4 : v / 2 % 2) +
          random_vector<3>(random, 0.1));
    std::set<std::vector<double>> middles;
    for (unsigned int turn = 0; turn < 4; ++turn)
      for (const bool right_is_first : {false, true})
      {
        dealii::CellData<3> coarse, fine;
        // a quarter turn about x
        const unsigned int turned[] = {2, 3, 6, 7, 0, 1, 4, 5};
        for (unsigned int v = 0; v < 8; ++v)
        {
          unsigned int w = v;
          for (unsigned int i = 0; i < turn; ++i)
            w = turned[w];
          coarse.vertices[v] = v;
          fine.vertices[v] = right[w];
        }
        Triangulation<3> mesh;
        mesh.create_triangulation(vertices,
                                  right_is_first ? std::vector<dealii::CellData<3>>{fine, coarse}
                                                 : std::vector<dealii::CellData<3>>{coarse, fine},
                                  SubCellData());
        for (const auto &cell : mesh.active_cell_iterators())
          if (cell->center()[0] > 1)
            cell->set_refine_flag();
        mesh.execute_coarsening_and_refinement();
        for (const auto &cell : mesh.active_cell_iterators())
          for (const unsigned int v : cell->vertex_indices())
            if (cell->level() == 1 && cell->vertex(v)[0] < 1.2)
              cell->vertex(v)[2] += 1e-3; // away from where refinement puts it
        straighten_hanging_nodes(mesh);
        for (const auto &cell : mesh.active_cell_iterators())
          if (cell->level() == 0)
          {
            const auto face = cell->face(1);
            const Point<3> middle = face->child(0)->vertex(3);
            Point<3> mean;
            for (const unsigned int v : face->vertex_indices())
              mean += face->vertex(v) / 4.;
            EXPECT_LT(middle.distance(mean), 1e-15);
            middles.insert({middle[0], middle[1], middle[2]});
          }
      }
    EXPECT_EQ(middles.size(), 1u);
  }
}

TEST(HangingNodes, refusals)
{
  {
    const RefinedMesh<2> mesh(0, true);
    EXPECT_EQ(refusal(mesh.triangulation), "");
    const auto message = refusal(mesh.triangulation, StrainIntegration::nodal);
    EXPECT_TRUE(contains(message, "'refined'") && contains(message, "nodal")) << message;
  }
  {
    Triangulation<3> moved;
    refine_by_lot(moved, 0);
    std::set<unsigned int> seen; // GridTools::transform() would straighten
    for (const auto &cell : moved.active_cell_iterators())
      for (const unsigned int v : cell->vertex_indices())
        if (seen.insert(cell->vertex_index(v)).second)
          cell->vertex(v) = warp(cell->vertex(v));
    const auto message = refusal(moved);
    EXPECT_TRUE(contains(message, "straighten_hanging_nodes()")) << message;
    EXPECT_TRUE(contains(message, "the hanging node at (")) << message;
  }
  {
    Triangulation<2> triangles;
    GridGenerator::subdivided_hyper_cube_with_simplices(triangles, 2);
    triangles.begin_active()->set_refine_flag();
    triangles.execute_coarsening_and_refinement();
    DoFHandler<2> dof_handler(triangles);
    dof_handler.distribute_dofs(FE_SimplexP<2>(1));
    const MappingFE<2> mapping(FE_SimplexP<2>(1));
    const auto message =
        message_of([&] { Body<2>(dof_handler, mapping, "wheel", linear_material<2>()); });
    EXPECT_TRUE(contains(message, "'wheel'") && contains(message, "triangles and tetrahedra"))
        << message;
  }
}
