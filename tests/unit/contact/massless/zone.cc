// Nodes without mass: the kick of a zone is the gradient of a potential, equilibria are those of
// the full system, and runs keep momentum and energy.

#include <kickdrift/contact/contact.h>
#include <kickdrift/potentials/springs.h>

#include "blocks.h"

#include <deal.II/lac/full_matrix.h>
#include <deal.II/lac/vector.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

using namespace KickDriftTests;

namespace
{
/// As exact as doubles allow.
ContactParameters
exact(const double compliance)
{
  ContactParameters parameters;
  parameters.massless.tolerance = 1e-12;
  parameters.massless.compliance = compliance;
  parameters.massless.most_sweeps = 5000;
  parameters.massless.most_iterations = 100;
  return parameters;
}

template <int dim>
void
displace(NodeTable<dim> &nodes, const double size)
{
  std::mt19937 random(3);
  for (unsigned int node = 0; node < nodes.size(); ++node)
    nodes.set_displacement(node, PotentialsTest::random_vector<dim>(random, size));
}

/// Momentum that one kick of all cells gives the nodes, with a step of 1.
template <int dim>
std::vector<Tensor<1, dim>>
impulses(const Blocks<dim> &blocks)
{
  NodeTable<dim> table = blocks.nodes;
  blocks.kick_zone(table, 1.);
  std::vector<Tensor<1, dim>> result;
  for (unsigned int node = 0; node < table.size(); ++node)
    result.push_back(table.mass(node) * table.velocity(node));
  const std::set<unsigned int> replaced(blocks.zone().ids().begin(), blocks.zone().ids().end());
  std::vector<Tensor<1, dim>> force;
  for (unsigned int f = 0; f < blocks.families.size(); ++f)
    for (unsigned int k = 0; k < blocks.families[f]->n_kicks(); ++k)
      if (replaced.count(blocks.first_ids[f] + k) == 0)
      {
        const auto support = blocks.families[f]->support(k);
        blocks.families[f]->force(table, k, 0., force);
        for (unsigned int i = 0; i < support.size(); ++i)
          result[support[i]] += force[i];
      }
  return result;
}

/// The same, but faces stay plane: each body is deformed by a linear field.
template <int dim>
void
displace_linearly(Blocks<dim> &blocks, const double size)
{
  std::mt19937 random(3);
  Point<dim> middle; // of the interface
  for (unsigned int d = 0; d < dim; ++d)
    middle[d] = d == dim - 1 ? 1 : 0.5;
  for (unsigned int body = 0; body < blocks.surface.body_names.size(); ++body)
  {
    Tensor<2, dim> gradient;
    for (unsigned int d = 0; d < dim; ++d)
      gradient[d] = PotentialsTest::random_vector<dim>(random, size);
    for (unsigned int node = 0; node < blocks.nodes.size(); ++node)
      if ((blocks.nodes.reference(node)[dim - 1] > 0.99) == (body == 1))
        blocks.nodes.set_displacement(node, gradient * (blocks.nodes.reference(node) - middle));
  }
}

/// The kick against differences of the energy at equilibria. Where triangles fold there is a kink
/// in the gap, so that they have to stay @p flat.
template <int dim>
void
check_potential(Blocks<dim> &blocks, const bool flat = false)
{
  if (flat)
    displace_linearly(blocks, 0.01);
  else
    displace(blocks.nodes, 0.004);
  const auto energy = [&]
  {
    NodeTable<dim> table = blocks.nodes;
    blocks.kick_zone(table, 0.);
    return blocks.strain_energy(table);
  };
  const auto kicks = impulses(blocks);
  double largest = 0, contact = 0;
  for (const auto &kick : kicks)
    largest = std::max(largest, kick.norm());
  for (unsigned int node = 0; node < blocks.nodes.size(); ++node)
    for (unsigned int d = 0; d < dim && !blocks.nodes.is_massless(node); ++d)
    {
      double &u = blocks.nodes[node].displacement[d];
      const double before = u, h = 1e-6;
      u = before + h;
      const double ahead = energy();
      u = before - h;
      const double behind = energy();
      u = before;
      EXPECT_NEAR(kicks[node][d], -(ahead - behind) / (2 * h), 2e-7 + 1e-5 * largest)
          << "node " << node << ", component " << d;
    }
  // there is contact, or nothing was tested
  NodeTable<dim> table = blocks.nodes;
  blocks.kick_zone(table, 1.);
  blocks.zones().book(table, blocks.clock(), 0.);
  for (const auto &impulse : blocks.zones().statistics().impulse)
    contact += impulse.norm();
  EXPECT_GT(contact, 0.1 * largest);
  EXPECT_EQ(blocks.zones().efforts().unfinished, 0u);
}

template <int dim>
std::vector<std::pair<CellKind, std::shared_ptr<const Material<dim>>>>
kinds_of_cells()
{
  const auto linear = std::make_shared<LinearElastic<dim>>(1.3, 2.1, 0.3);
  const auto neo_hookean = std::make_shared<NeoHookean<dim>>(1.3, 2.1, 0.3);
  return {{CellKind::boxes, linear},
          {CellKind::distorted, neo_hookean},
          {CellKind::simplices, std::make_shared<StVenantKirchhoff<dim>>(1.3, 2.1, 0.3)},
          {CellKind::one_point, neo_hookean},
          {CellKind::nodal, linear}};
}

template <int dim>
Obstacle<dim>
plane_at(const double height)
{
  Point<dim> point;
  point[dim - 1] = height;
  Tensor<1, dim> normal;
  normal[dim - 1] = 1;
  return {"plane", std::make_shared<HalfSpace<dim>>(point, normal), {}};
}

template <int n>
struct Dimension
{
  static constexpr int dim = n;
};
} // namespace

template <typename Space>
class MasslessZoneIn : public testing::Test
{
};
using Spaces = testing::Types<Dimension<2>, Dimension<3>>;
TYPED_TEST_SUITE(MasslessZoneIn, Spaces);

TYPED_TEST(MasslessZoneIn, kick_is_the_gradient_of_a_potential_between_bodies)
{
  constexpr int dim = TypeParam::dim;
  for (const auto &[kind, material] : kinds_of_cells<dim>())
  {
    SCOPED_TRACE("cells of kind " + std::to_string(static_cast<int>(kind)));
    Blocks<dim> blocks(two_blocks<dim>(kind, material));
    blocks.start({{0, 1}, {1, 0}}, exact(0.1));
    check_potential(blocks, kind == CellKind::simplices && dim == 3);
  }
}

TYPED_TEST(MasslessZoneIn, kick_is_the_gradient_of_a_potential_on_an_obstacle)
{
  constexpr int dim = TypeParam::dim;
  for (const auto &[kind, material] : kinds_of_cells<dim>())
  {
    SCOPED_TRACE("cells of kind " + std::to_string(static_cast<int>(kind)));
    Blocks<dim> blocks({two_blocks<dim>(kind, material)[0]});
    // a node whose layer is held, and one that slides
    Tensor<1, dim> along;
    along[0] = 1;
    blocks.nodes.restraints.add(0, along);
    blocks.start({{0, 0}}, exact(0.), {plane_at<dim>(0.003)});
    check_potential(blocks);
  }
}

// Nodes that stick are held by their anchors: one more constraint of the potential.
TYPED_TEST(MasslessZoneIn, kick_with_sticking_nodes_is_the_gradient_of_a_potential)
{
  constexpr int dim = TypeParam::dim;
  for (const auto &[kind, material] : kinds_of_cells<dim>())
  {
    SCOPED_TRACE("cells of kind " + std::to_string(static_cast<int>(kind)));
    auto parameters = exact(0.);
    parameters.friction = 1e3;
    parameters.massless.most_sweeps = 1000;
    parameters.massless.most_iterations = 20;
    Blocks<dim> blocks({two_blocks<dim>(kind, material)[0]});
    blocks.start({{0, 0}}, parameters, {plane_at<dim>(0.01)});
    check_potential(blocks);
    double friction = 0, all = 0;
    for (unsigned int node = 0; node < blocks.nodes.size(); ++node)
    {
      friction += blocks.zones().statistics().friction_impulse[node].norm();
      all += blocks.zones().statistics().impulse[node].norm();
    }
    EXPECT_GT(friction, 0.05 * all);
    EXPECT_LT(std::abs(blocks.zones().statistics().friction_loss), 1e-15);
  }
}

// Static condensation of the full system, with the constraints that bear and their compliance.
TYPED_TEST(MasslessZoneIn, equilibrium_is_that_of_the_full_system)
{
  constexpr int dim = TypeParam::dim;
  const double compliance = 0.05;
  Blocks<dim> blocks(
      two_blocks<dim>(CellKind::boxes, std::make_shared<LinearElastic<dim>>(1.3, 2.1, 0.3)));
  blocks.start({{0, 1}, {1, 0}}, exact(compliance));
  displace(blocks.nodes, 0.004);
  NodeTable<dim> table = blocks.nodes;
  blocks.kick_zone(table, 0.);

  // stiffness of all cells on massless nodes: forces of unit displacements of a linear material
  const auto &loans = blocks.zone().loans();
  const unsigned int n = dim * loans.size();
  std::vector<unsigned int> index(table.size(), -1);
  for (unsigned int a = 0; a < loans.size(); ++a)
    index[loans[a].node] = a;
  const auto forces = [&](const NodeTable<dim> &nodes)
  {
    std::vector<double> result(n, 0.);
    std::vector<Tensor<1, dim>> force;
    for (const auto &family : blocks.families)
      for (unsigned int k = 0; k < family->n_kicks(); ++k)
      {
        const auto support = family->support(k);
        family->force(nodes, k, 0., force);
        for (unsigned int i = 0; i < support.size(); ++i)
          for (unsigned int d = 0; d < dim && index[support[i]] != -1u; ++d)
            result[dim * index[support[i]] + d] += force[i][d];
      }
    return result;
  };
  const auto start = forces(blocks.nodes);
  dealii::FullMatrix<double> K(n, n);
  for (unsigned int j = 0; j < n; ++j)
  {
    NodeTable<dim> moved = blocks.nodes;
    moved[loans[j / dim].node].displacement[j % dim] += 1;
    const auto ahead = forces(moved);
    for (unsigned int i = 0; i < n; ++i)
      K(i, j) = start[i] - ahead[i];
  }

  // gaps, linear about the equilibrium, of the targets on their own
  Surface<dim> surface = blocks.surface;
  std::vector<SurfaceFace<dim>> faces;
  for (const auto &face : surface.faces)
    if (face.boundary_id == 1 - face.body)
      faces.push_back(face);
  const MasslessTargets<dim> targets(faces, {}, Exclusions(), 2,
                                     ContactPairs<dim>(surface.body_names, ResponseParameters()));
  typename MasslessTargets<dim>::Memories memories(targets.n_pairs());
  targets.search(table, memories);
  std::vector<MasslessContact<dim>> contacts;
  targets.find(table, memories, contacts);
  ASSERT_GT(contacts.size(), loans.size() / 2);

  // active constraints are added and dropped until none is violated and none pulls
  std::set<unsigned int> active;
  std::vector<double> solution, flexibility(contacts.size());
  for (unsigned int c = 0; c < contacts.size(); ++c)
  {
    dealii::FullMatrix<double> block(dim, dim), inverse(dim, dim);
    for (unsigned int i = 0; i < dim; ++i)
      for (unsigned int j = 0; j < dim; ++j)
        block(i, j) = K(dim * index[contacts[c].stencil.nodes[0]] + i,
                        dim * index[contacts[c].stencil.nodes[0]] + j);
    inverse.invert(block);
    flexibility[c] = inverse.trace() / dim;
    active.insert(c);
  }
  const auto gap_of = [&](const MasslessContact<dim> &contact, const std::vector<double> &u)
  {
    // from the table at the equilibrium to the displacements u from the start
    double gap = contact.gap;
    for (unsigned int i = 0; i < contact.stencil.n_nodes; ++i)
      for (unsigned int d = 0; d < dim && index[contact.stencil.nodes[i]] != -1u; ++d)
        gap += contact.stencil.coefficients[i] * contact.stencil.normal[d] *
               (u[dim * index[contact.stencil.nodes[i]] + d] +
                blocks.nodes.displacement(contact.stencil.nodes[i])[d] -
                table.displacement(contact.stencil.nodes[i])[d]);
    return gap;
  };
  for (bool changed = true; changed;)
  {
    const std::vector<unsigned int> rows(active.begin(), active.end());
    const unsigned int size = n + rows.size();
    dealii::FullMatrix<double> system(size, size), inverse(size, size);
    dealii::Vector<double> right(size), result(size);
    for (unsigned int i = 0; i < n; ++i)
    {
      right[i] = start[i];
      for (unsigned int j = 0; j < n; ++j)
        system(i, j) = K(i, j);
    }
    for (unsigned int r = 0; r < rows.size(); ++r)
    {
      const auto &contact = contacts[rows[r]];
      for (unsigned int i = 0; i < contact.stencil.n_nodes; ++i)
        for (unsigned int d = 0; d < dim && index[contact.stencil.nodes[i]] != -1u; ++d)
        {
          const unsigned int column = dim * index[contact.stencil.nodes[i]] + d;
          const double entry = contact.stencil.coefficients[i] * contact.stencil.normal[d];
          system(n + r, column) += entry;
          system(column, n + r) -= entry;
        }
      system(n + r, n + r) = compliance * flexibility[rows[r]];
      right[n + r] = -gap_of(contact, std::vector<double>(n, 0.));
    }
    inverse.invert(system);
    inverse.vmult(result, right);
    solution.assign(result.begin(), result.end());
    changed = false;
    for (unsigned int r = 0; r < rows.size(); ++r)
      if (result[n + r] < 0)
        changed = active.erase(rows[r]) > 0;
    for (unsigned int c = 0; c < contacts.size() && !changed; ++c)
      if (active.count(c) == 0 && gap_of(contacts[c], solution) < -1e-12)
        changed = active.insert(c).second;
  }
  EXPECT_GT(active.size(), 2u);
  EXPECT_TRUE(dim == 2 || active.size() < contacts.size()); // some are open
  for (unsigned int i = 0; i < n; ++i)
    EXPECT_NEAR(solution[i],
                table.displacement(loans[i / dim].node)[i % dim] -
                    blocks.nodes.displacement(loans[i / dim].node)[i % dim],
                1e-9);
  std::vector<Tensor<1, dim>> contact_forces(table.size());
  unsigned int r = 0;
  for (const unsigned int c : active)
  {
    for (unsigned int i = 0; i < contacts[c].stencil.n_nodes; ++i)
      contact_forces[contacts[c].stencil.nodes[i]] +=
          solution[n + r] * contacts[c].stencil.coefficients[i] * contacts[c].stencil.normal;
    ++r;
  }
  blocks.kick_zone(blocks.nodes, 1.);
  blocks.zones().book(blocks.nodes, blocks.clock(), 0.);
  for (unsigned int node = 0; node < table.size(); ++node)
    EXPECT_LT((blocks.zones().statistics().impulse[node] - contact_forces[node]).norm(), 1e-9);
}

// However bad the equilibria are, nothing is lost; if they are good, neither is energy.
TYPED_TEST(MasslessZoneIn, collision_keeps_momentum_at_any_tolerance_and_energy)
{
  constexpr int dim = TypeParam::dim;
  const auto material = std::make_shared<NeoHookean<dim>>(1.3, 2.1, 0.3);
  for (const double tolerance : {0.1, 1e-6})
  {
    auto both = two_blocks<dim>(CellKind::distorted, material);
    both[1].lower[dim - 1] += 0.02;
    both[1].upper[dim - 1] += 0.02;
    Blocks<dim> blocks(both);
    for (unsigned int node = 0; node < blocks.nodes.size(); ++node)
    {
      Tensor<1, dim> velocity;
      velocity[dim - 1] = blocks.nodes.reference(node)[dim - 1] > 1.01 ? -0.1 : 0;
      velocity[0] = 0.01;
      blocks.nodes.set_velocity(node, velocity);
    }
    ContactParameters parameters;
    parameters.massless.tolerance = tolerance;
    parameters.friction = 0.3;
    StepperParameters stepping;
    stepping.time_step_ratio = 0.2;
    const auto momentum = [&](const NodeTable<dim> &nodes)
    {
      Tensor<1, dim> sum;
      for (unsigned int node = 0; node < nodes.size(); ++node)
        sum += nodes.mass(node) * nodes.velocity(node);
      return sum;
    };
    const auto momentum_before = momentum(blocks.nodes);
    blocks.start({{0, 1}, {1, 0}}, parameters, {}, stepping);
    const double energy_before = blocks.stepper->energy(blocks.stepper->snapshot(0.)).total();
    ASSERT_EQ(blocks.stepper->energy(blocks.stepper->snapshot(0.)).friction_loss, 0.);
    blocks.stepper->advance_to(4.);
    const NodeTable<dim> after = blocks.stepper->snapshot(4.);
    EXPECT_LT((momentum(after) - momentum_before).norm(), 1e-13);
    if (tolerance < 0.1)
    {
      EXPECT_NEAR(blocks.stepper->energy(after).total(), energy_before, 2e-3 * energy_before);
      EXPECT_EQ(blocks.zones().efforts().unfinished, 0u);
      EXPECT_GT(blocks.stepper->energy(after).friction_loss, 1e-4 * energy_before);
    }
    // the upper one has been thrown back
    double velocity = 0, mass = 0;
    for (unsigned int node = 0; node < after.size(); ++node)
      if (after.reference(node)[dim - 1] > 1.01)
      {
        velocity += after.mass(node) * after.velocity(node)[dim - 1];
        mass += after.mass(node);
      }
    EXPECT_GT(velocity, 0.01 * mass);
  }
}

// Both sides of a body of one layer of cells cannot be massless; impulses answer its contacts.
TEST(MasslessRefusals, bodies_without_a_node_that_can_carry_the_mass)
{
  auto thin = two_blocks<2>(CellKind::boxes, std::make_shared<LinearElastic<2>>(1.3, 2.1, 0.3));
  thin[0].cells[1] = 1;
  Blocks<2> blocks(thin);
  blocks.start({{0, 0}, {0, 1}, {1, 0}});
  EXPECT_EQ(blocks.zones().n_massless(), 3u);
  ASSERT_EQ(blocks.zones().refusals().size(), 1u);
  EXPECT_EQ(blocks.zones().refusals()[0].body, 0u);
  EXPECT_EQ(blocks.zones().refusals()[0].n_faces, 6u);
  ASSERT_EQ(blocks.plan.left_to_impulses.size(), 1u);
  EXPECT_NE(blocks.plan.left_to_impulses[0].find("6 faces of 'block 0'"), std::string::npos);
  for (const auto &face : blocks.zones().surface().faces)
    EXPECT_EQ(face.zone, face.body == 1 && face.boundary_id == 0 ? 0u : no_zone);
}

// Cells that hang on one node could turn around it.
TEST(MasslessRefusals, cells_that_hang_on_too_few_nodes)
{
  const auto material = std::make_shared<LinearElastic<2>>(1.3, 2.1, 0.3);
  for (const unsigned int n_wanted : {1u, 2u})
  {
    Blocks<2> blocks({{{0, 0}, {1, 1}, {1, 1}, CellKind::simplices, material}});
    Stepper<2> stepper(blocks.nodes, {});
    for (const auto &family : blocks.families)
      stepper.add(family);
    stepper.find_critical_steps();
    const MasslessLenders<2> lenders(blocks.nodes, stepper);
    std::vector<unsigned int> refused;
    // two triangles: without 1 and 2, which both have, 0 and 3 are on both sides of each
    const std::vector<unsigned int> wanted =
        n_wanted == 1 ? std::vector<unsigned int>{1} : std::vector<unsigned int>{0, 1, 2};
    EXPECT_EQ(lenders.find(wanted, refused).size(), wanted.size());
    EXPECT_EQ(refused.empty(), n_wanted == 1);
  }
}

// What a spring leads to is no part of the body.
TEST(MasslessRefusals, springs_carry_no_masses)
{
  auto both = two_blocks<2>(CellKind::boxes, std::make_shared<LinearElastic<2>>(1.3, 2.1, 0.3));
  both[0].cells = {{1, 1}};
  Blocks<2> blocks(both);
  const auto spring =
      std::make_shared<Springs<2>>(std::vector<Spring>{{0, blocks.nodes.size() - 1, 1., 1.}});
  Stepper<2> stepper(blocks.nodes, {});
  for (const auto &family : blocks.families)
    stepper.add(family);
  stepper.add(spring);
  stepper.find_critical_steps();
  const MasslessLenders<2> lenders(blocks.nodes, stepper);
  std::vector<unsigned int> refused;
  lenders.find({0, 1, 2, 3}, refused);
  EXPECT_EQ(refused, (std::vector<unsigned int>{0, 1, 2, 3}));
  EXPECT_EQ(lenders.kicks_of_node(0).size(), 2u); // but the spring acts on it
}

TEST(MasslessRefusals, surfaces_that_are_held_and_surfaces_that_there_are_not)
{
  const auto material = std::make_shared<LinearElastic<2>>(1.3, 2.1, 0.3);
  Blocks<2> held(two_blocks<2>(CellKind::boxes, material));
  for (unsigned int node = 0; node < 4; ++node)
    for (unsigned int d = 0; d < 2; ++d)
      held.nodes.restraints.add(node, Point<2>::unit_vector(d));
  held.start({{0, 0}}, {}, {plane_at<2>(-1)});
  EXPECT_EQ(held.zones().n_massless(), 0u);
  Blocks<2> blocks(two_blocks<2>(CellKind::boxes, material));
  EXPECT_THROW(blocks.start({{0, 7}}), dealii::ExceptionBase);
}

// The force of this material is largest at a stretch of 0.58; nothing is stable beyond.
TEST(MasslessMisuse, cells_that_are_compressed_too_far)
{
  Blocks<2> blocks(
      two_blocks<2>(CellKind::boxes, std::make_shared<StVenantKirchhoff<2>>(1.3, 2.1, 0.)));
  for (unsigned int node = 0; node < blocks.nodes.size(); ++node)
  {
    Tensor<1, 2> u;
    u[1] = -0.6 * blocks.nodes.reference(node)[1];
    blocks.nodes.set_displacement(node, u);
  }
  EXPECT_THROW(blocks.start({{0, 1}, {1, 0}}), MasslessExceptions::ExcNoEquilibrium);
}

TEST(MasslessRefusals, what_massless_nodes_cannot_do)
{
  const auto material = std::make_shared<LinearElastic<2>>(1.3, 2.1, 0.3);
  const auto n_massless = [&](const ContactParameters &contact,
                              const StepperParameters &stepping = {},
                              const std::vector<Obstacle<2>> &obstacles = {})
  {
    Blocks<2> blocks(two_blocks<2>(CellKind::boxes, material));
    for (const auto &face : blocks.surface.faces) // no overlap
      EXPECT_LT(face.body, 2u);
    auto parameters = contact;
    parameters.massless_surfaces = {{"block 0", "1"}, {"block 1", "0"}};
    Stepper<2> stepper(blocks.nodes, stepping);
    for (const auto &family : blocks.families)
      stepper.add(family);
    const auto plan =
        make_massless_contact<2>(blocks.nodes, stepper, blocks.surface, parameters, obstacles);
    EXPECT_EQ(plan.left_to_impulses.empty(), plan.zones && plan.zones->n_massless() == 7);
    return plan.zones ? plan.zones->n_massless() : 0;
  };
  EXPECT_EQ(n_massless({}), 7u);
  ContactParameters contact;
  contact.restitution = 0.9;
  EXPECT_EQ(n_massless(contact), 0u);
  contact = {};
  contact.restitution_of_pairs = {{"block 0", "block 1", 0.5}};
  EXPECT_EQ(n_massless(contact), 0u);
  contact = {};
  contact.projection = true;
  EXPECT_EQ(n_massless(contact), 0u);
  StepperParameters stepping;
  stepping.clocks = Clocks::per_cell;
  EXPECT_EQ(n_massless({}, stepping), 0u);
  auto moving = plane_at<2>(-1);
  moving.displacement = [](double) { return Tensor<1, 2>(); };
  contact = {};
  contact.restitution_of_pairs = {{"block 0", "block 1", 0.5}};
  EXPECT_EQ(n_massless(contact, {}, {moving}), 0u);
}
