// Static equilibrium of bodies of all kinds, against a direct solution of what deal.II assembles,
// and against the forces of single kicks.

#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/deal_ii/load_shares.h>
#include <kickdrift/deal_ii/shell.h>
#include <kickdrift/potentials/loads/loads.h>
#include <kickdrift/potentials/materials/built_in_materials.h>
#include <kickdrift/potentials/shells/shell_kicks.h>
#include <kickdrift/stepping/relaxation.h>

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_values.h>
#include <deal.II/grid/tria_description.h>
#include <deal.II/lac/full_matrix.h>

#include "test_body.h"

#include <gtest/gtest.h>

using namespace KickDriftTests;
using namespace KickDrift;

namespace
{
/// Weight that is not uniform.
template <int dim>
Tensor<1, dim>
density_of_force(const Point<dim> &x, const double size)
{
  Tensor<1, dim> result;
  result[0] = 0.3 * size * (1 + x[dim - 1]);
  result[1] = -size * (1 + 0.2 * x[0]);
  return result;
}

/// A body held at boundary 0 and loaded, in equilibrium.
template <int dim>
struct Loaded
{
  Loaded(const TestMesh<dim> &mesh, std::shared_ptr<const Material<dim>> material,
         const StrainIntegration integration, const double load)
      : moving(dynamics.add_body(std::make_unique<Body<dim>>(mesh.dof_handler, *mesh.mapping,
                                                             "body", material, integration)))
  {
    moving.restrain({0});
    const LoadShares<dim> shares = cell_load_shares(moving.body());
    LoadPoints<dim> points;
    points.nodes_per_kick = points.points_per_kick = shares.nodes_per_piece;
    points.nodes = shares.nodes;
    points.points = shares.positions;
    points.weights.resize(shares.shares.size() * shares.nodes_per_piece, 0.);
    for (std::size_t i = 0; i < shares.shares.size(); ++i)
      points.weights[i * shares.nodes_per_piece + i % shares.nodes_per_piece] = shares.shares[i];
    std::vector<unsigned int> ids;
    for (const unsigned int cell : shares.active_cell_indices)
      ids.push_back(moving.id_of_cell(cell));
    weight = std::make_shared<ConstantLoads<dim>>(
        "weight", points, [=](const Point<dim> &x) { return density_of_force(x, load); });
    dynamics.stepper().add_on_clock_of(weight, ids);
    RelaxationParameters parameters;
    parameters.tolerance = 1e-11;
    const auto kicks = moving.body().strain_kicks();
    report =
        Relaxation<dim>({kicks.begin(), kicks.end()}, {weight}, dynamics.nodes(), parameters).run();
  }

  /// Largest force that is left at a free node, by single kicks, over the largest of a load.
  double
  residual()
  {
    const NodeTable<dim> &nodes = dynamics.nodes();
    std::vector<Tensor<1, dim>> sum(nodes.size()), force;
    double scale = 0;
    const auto add = [&](const Kicks<dim> &kicks)
    {
      for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
      {
        kicks.force(nodes, k, 0., force);
        const auto support = kicks.support(k);
        for (unsigned int i = 0; i < support.size(); ++i)
          sum[support[i]] += force[i];
      }
    };
    add(*weight);
    for (const auto &f : sum)
      scale = std::max(scale, f.norm());
    for (const auto &kicks : moving.body().strain_kicks())
      add(*kicks);
    double largest = 0;
    for (unsigned int node = 0; node < nodes.size(); ++node)
      largest = std::max(largest, nodes.restraints.project(node, sum[node]).norm());
    return largest / scale;
  }

  Dynamics<dim> dynamics;
  DynamicBody<dim> &moving;
  std::shared_ptr<ConstantLoads<dim>> weight;
  RelaxationReport report;
};

/// The same by Gauss elimination of what FEValues gives.
template <int dim>
Vector<double>
direct_solution(const TestMesh<dim> &mesh, const double lambda, const double mu, const double load,
                const bool simplices)
{
  const auto &dofs = mesh.dof_handler;
  const auto &element = *mesh.element;
  const Quadrature<dim> quadrature =
      simplices ? Quadrature<dim>(QGaussSimplex<dim>(1)) : Quadrature<dim>(QGauss<dim>(2));
  FEValues<dim> values(*mesh.mapping, element, quadrature, update_gradients | update_JxW_values);
  // loads are evaluated at the nodes, with int N_A dV of the masses
  const Quadrature<dim> for_shares =
      simplices ? Quadrature<dim>(QGaussSimplex<dim>(2)) : Quadrature<dim>(QGauss<dim>(2));
  FEValues<dim> share_values(*mesh.mapping, element, for_shares, update_values | update_JxW_values);
  FullMatrix<double> K(dofs.n_dofs(), dofs.n_dofs());
  Vector<double> f(dofs.n_dofs()), u(dofs.n_dofs());
  std::vector<char> is_held(dofs.n_dofs(), 0);
  std::vector<types::global_dof_index> index(element.n_dofs_per_cell());
  for (const auto &cell : dofs.active_cell_iterators())
  {
    values.reinit(cell);
    share_values.reinit(cell);
    cell->get_dof_indices(index);
    for (unsigned int i = 0; i < index.size(); ++i)
    {
      const unsigned int a = element.system_to_component_index(i).first;
      for (unsigned int j = 0; j < index.size(); ++j)
      {
        const unsigned int b = element.system_to_component_index(j).first;
        for (unsigned int q = 0; q < quadrature.size(); ++q)
        {
          const auto di = values.shape_grad(i, q), dj = values.shape_grad(j, q);
          K(index[i], index[j]) +=
              (lambda * di[a] * dj[b] + mu * di[b] * dj[a] + (a == b ? mu * (di * dj) : 0.)) *
              values.JxW(q);
        }
      }
      double share = 0;
      for (unsigned int q = 0; q < for_shares.size(); ++q)
        share += share_values.shape_value(i, q) * share_values.JxW(q);
      const unsigned int vertex = element.system_to_component_index(i).second;
      f[index[i]] += share * density_of_force(cell->vertex(vertex), load)[a];
    }
    for (const unsigned int face : cell->face_indices())
      if (cell->face(face)->at_boundary() && cell->face(face)->boundary_id() == 0)
        for (unsigned int v = 0; v < cell->face(face)->n_vertices(); ++v)
          for (unsigned int c = 0; c < dim; ++c)
            is_held[cell->face(face)->vertex_dof_index(v, c)] = 1;
  }
  for (unsigned int i = 0; i < dofs.n_dofs(); ++i)
    if (is_held[i])
    {
      for (unsigned int j = 0; j < dofs.n_dofs(); ++j)
        K(i, j) = K(j, i) = 0;
      K(i, i) = 1;
      f[i] = 0;
    }
  K.gauss_jordan();
  K.vmult(u, f);
  return u;
}

template <int dim>
void
check_against_direct_solution(const bool simplices)
{
  const TestMesh<dim> mesh(simplices);
  const double load = 0.01;
  const auto material = std::make_shared<LinearElastic<dim>>(1., 1., 0.3);
  Loaded<dim> loaded(mesh, material, StrainIntegration::standard, load);
  const auto [lambda, mu] = material->lame();
  const Vector<double> exact = direct_solution(mesh, lambda, mu, load, simplices);
  Vector<double> found(mesh.dof_handler.n_dofs());
  loaded.moving.get_displacement(found);
  EXPECT_GT(exact.linfty_norm(), 1e-3);
  found -= exact;
  EXPECT_LT(found.linfty_norm(), 1e-8 * exact.linfty_norm());
  EXPECT_LT(loaded.residual(), 1e-9);
  // of a node, whose largest component is that of the vector
  EXPECT_GE(loaded.report.largest_displacement, (1 - 1e-8) * exact.linfty_norm());
  EXPECT_LT(loaded.report.largest_displacement, 1.8 * exact.linfty_norm());

  // and it stays there
  loaded.dynamics.advance_to(5.);
  Vector<double> later(mesh.dof_handler.n_dofs());
  loaded.moving.get_velocity(later);
  EXPECT_LT(later.linfty_norm(), 1e-9 * exact.linfty_norm());
}
} // namespace

TEST(Equilibrium, linear_bodies_against_elimination)
{
  for (const bool simplices : {false, true})
  {
    SCOPED_TRACE(simplices);
    check_against_direct_solution<2>(simplices);
    check_against_direct_solution<3>(simplices);
  }
}

TEST(Equilibrium, all_integrations_and_materials)
{
  using Kind = StrainIntegration;
  const TestMesh<3> mesh(false);
  const std::shared_ptr<const Material<3>> materials[] = {
      std::make_shared<NeoHookean<3>>(1., 1., 0.3),
      std::make_shared<StVenantKirchhoff<3>>(1., 1., 0.3),
      std::make_shared<LinearElastic<3>>(1., 1., 0.3)};
  for (const auto &material : materials)
    for (const Kind kind : {Kind::standard, Kind::nodal, Kind::one_point, Kind::mean_dilatation})
    {
      if (kind == Kind::mean_dilatation && material->is_linear())
        continue; // which there is not
      SCOPED_TRACE(static_cast<int>(kind));
      Loaded<3> loaded(mesh, material, kind, 0.03);
      EXPECT_LT(loaded.residual(), 1e-9);
      EXPECT_GT(loaded.report.largest_displacement, 0.1);
      EXPECT_LT(loaded.report.n_iterations, 2000u);
    }
}

// A strip that is clamped at one end and bends under its weight, as a beam does.
TEST(Equilibrium, shells)
{
  Triangulation<2> flat;
  GridGenerator::subdivided_hyper_rectangle(flat, {8, 2}, Point<2>(), Point<2>(4, 1));
  std::vector<Point<3>> vertices;
  for (const auto &x : flat.get_vertices())
    vertices.emplace_back(x[0], x[1], 0);
  std::vector<dealii::CellData<2>> cells;
  for (const auto &cell : flat.active_cell_iterators())
    for (const auto &corners : {std::array<unsigned int, 3>{{0, 1, 3}}, {{0, 3, 2}}})
    {
      cells.emplace_back(3);
      for (unsigned int v = 0; v < 3; ++v)
        cells.back().vertices[v] = cell->vertex_index(corners[v]);
    }
  Triangulation<2, 3> triangulation;
  triangulation.create_triangulation(vertices, cells, SubCellData());
  DoFHandler<2, 3> dofs(triangulation);
  dofs.distribute_dofs(FESystem<2, 3>(FE_SimplexP<2, 3>(1), 3));
  const MappingFE<2, 3> mapping(FE_SimplexP<2, 3>(1));
  const double h = 0.4, weight = 1e-6; // per area
  for (const Bending bending : {Bending::triangle, Bending::hinge, Bending::loop})
  {
    SCOPED_TRACE(static_cast<int>(bending));
    Dynamics<3> dynamics;
    const Shell &shell =
        dynamics.add_shell(dofs, mapping, ShellSection{1., 0., 1., h}, bending).body();
    NodeTable<3> &nodes = dynamics.nodes();
    std::vector<unsigned int> all;
    std::vector<Tensor<1, 3>> forces;
    unsigned int tip = 0;
    for (unsigned int node = 0; node < nodes.size(); ++node)
    {
      all.push_back(node);
      forces.push_back(Tensor<1, 3>({0, 0, -weight * shell.area(node)}));
      // the slope is held by the second row of nodes
      for (unsigned int d = 0; d < 3 && nodes.reference(node)[0] < 0.6; ++d)
        nodes.restraints.add(node, Point<3>::unit_vector(d));
      if (nodes.reference(node)[0] > nodes.reference(tip)[0])
        tip = node;
    }
    const auto load = std::make_shared<ConstantLoads<3>>("weight", 1, all, forces);
    auto families = const_cast<Shell &>(shell).strain_kicks();
    RelaxationParameters parameters;
    parameters.tolerance = 1e-10;
    const auto report =
        Relaxation<3>({families.begin(), families.end()}, {load}, nodes, parameters).run();
    std::vector<Tensor<1, 3>> sum = forces, force;
    for (const auto &kicks : families)
      for (unsigned int k = 0; k < kicks->n_kicks(); ++k)
      {
        kicks->force(nodes, k, 0., force);
        const auto support = kicks->support(k);
        for (unsigned int i = 0; i < support.size(); ++i)
          sum[support[i]] += force[i];
      }
    for (unsigned int node = 0; node < nodes.size(); ++node)
      EXPECT_LT(nodes.restraints.project(node, sum[node]).norm(), 1e-6 * weight);
    // The slope is zero in the middle of the row that is held. What others take for curvature
    // depends on the pattern, or on points beyond the edge.
    const double deflection = weight * std::pow(3.75, 4) / (8 * std::pow(h, 3) / 12);
    EXPECT_NEAR(-nodes.displacement(tip)[2], deflection,
                (bending == Bending::triangle ? 0.03 : 0.6) * deflection);
    EXPECT_LT(report.n_iterations, 20000u);
  }
}

// A bar that is stretched until only the law of the material knows how far: F = A P(stretch).
TEST(Equilibrium, rubber_under_a_dead_load)
{
  Triangulation<3> triangulation;
  GridGenerator::subdivided_hyper_rectangle(triangulation, {4, 1, 1}, Point<3>(), Point<3>(4, 1, 1),
                                            true);
  DoFHandler<3> dofs(triangulation);
  dofs.distribute_dofs(FESystem<3>(FE_Q<3>(1), 3));
  const MappingQ<3> mapping(1);
  const auto rubber = std::make_shared<NeoHookean<3>>(1., 1., 0.);
  Dynamics<3> dynamics;
  auto &bar = dynamics.add_body(dofs, mapping, rubber);
  bar.restrain({0});
  const double force = 0.9;
  std::vector<unsigned int> loaded;
  for (const unsigned int node : bar.body().boundary_nodes({1}))
    loaded.push_back(node);
  ASSERT_EQ(loaded.size(), 4u);
  const auto pull = std::make_shared<ConstantLoads<3>>(
      "pull", 4, loaded, std::vector<Tensor<1, 3>>(4, Tensor<1, 3>({force / 4, 0, 0})));
  Relaxation<3>({bar.body().kicks()[0]}, {pull}, dynamics.nodes()).run();
  // stretch at which the stress of the law is the force, by bisection
  double low = 1, high = 10;
  for (unsigned int i = 0; i < 60; ++i)
  {
    Tensor<2, 3> H;
    H[0][0] = 0.5 * (low + high) - 1;
    (rubber->stress(H)[0][0] < force ? low : high) = 0.5 * (low + high);
  }
  EXPECT_GT(low, 1.5);
  for (const unsigned int node : loaded)
    EXPECT_NEAR(dynamics.nodes().displacement(node)[0], 4 * (low - 1), 1e-6);
}
