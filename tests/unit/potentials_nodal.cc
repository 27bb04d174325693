#include "potentials_cells.h"

#include <kickdrift/potentials/nodal_kicks.h>
#include <kickdrift/stepping/stepper.h>

#include <deal.II/lac/lapack_full_matrix.h>

#include <gtest/gtest.h>

using namespace PotentialsTest;

namespace
{
/// A random mesh with nodal integration.
template <int dim>
struct NodalBody : public Body<dim>
{
  NodalBody(const Mesh<dim> &mesh, const std::shared_ptr<const Material<dim>> &material)
      : Body<dim>(mesh, material), whole(material), kicks(make_nodal_integration(this->data, whole))
  {
  }

  std::vector<const StrainKicks<dim> *>
  all_families() const
  {
    std::vector<const StrainKicks<dim> *> all = {kicks.nodal.get()};
    for (const auto &family : kicks.stabilisation)
      all.push_back(family.get());
    return all;
  }

  double
  energy() const
  {
    EnergyBalance balance;
    for (const auto *family : all_families())
      family->add_energy(this->nodes, balance);
    return balance.strain;
  }

  /// Sum of all forces on each node, shape (n_nodes).
  std::vector<Tensor<1, dim>>
  forces() const
  {
    std::vector<Tensor<1, dim>> sum(this->nodes.size()), force;
    for (const auto *family : all_families())
      for (unsigned int k = 0; k < family->n_kicks(); ++k)
      {
        const auto support = family->support(k);
        family->force(this->nodes, k, 0., force);
        for (unsigned int a = 0; a < support.size(); ++a)
          sum[support[a]] += force[a];
      }
    return sum;
  }

  const std::shared_ptr<const Material<dim>> whole;
  const NodalIntegration<dim> kicks;
};

/// Random meshes of all shapes, with all materials.
template <int dim>
void
for_all_bodies(const std::function<void(NodalBody<dim> &, std::mt19937 &)> &check)
{
  std::mt19937 random(5);
  for (const Shape shape : all_shapes)
    for (const auto &material : all_materials<dim>())
    {
      SCOPED_TRACE("dim " + std::to_string(dim) + " shape " + std::to_string(int(shape)) + " law " +
                   std::to_string(int(material->built_in_law())));
      NodalBody<dim> body(block<dim>(shape, 2, random), material);
      check(body, random);
    }
}

/// Ascending, by LAPACK.
std::vector<double>
eigenvalues(dealii::LAPACKFullMatrix<double> &matrix)
{
  matrix.compute_eigenvalues();
  std::vector<double> values;
  for (unsigned int i = 0; i < matrix.n_rows(); ++i)
    values.push_back(matrix.eigenvalue(i).real());
  std::sort(values.begin(), values.end());
  return values;
}

double
largest_eigenvalue(dealii::LAPACKFullMatrix<double> &matrix)
{
  return eigenvalues(matrix).back();
}

/// M^-1/2 K M^-1/2 from central differences of @p forces with respect to the nodes' displacements.
template <int dim>
dealii::LAPACKFullMatrix<double>
dynamic_matrix(NodeTable<dim> &nodes, const std::vector<unsigned int> &support,
               const std::vector<double> &masses,
               const std::function<std::vector<Tensor<1, dim>>()> &forces)
{
  const unsigned int n = dim * support.size();
  const double increment = 1e-5;
  dealii::LAPACKFullMatrix<double> A(n);
  for (unsigned int j = 0; j < n; ++j)
  {
    double &u = nodes[support[j / dim]].displacement[j % dim];
    const double u0 = u;
    u = u0 + increment;
    const auto above = forces();
    u = u0 - increment;
    const auto below = forces();
    u = u0;
    for (unsigned int i = 0; i < n; ++i)
    {
      const double entry = (below[i / dim][i % dim] - above[i / dim][i % dim]) / (4 * increment) /
                           std::sqrt(masses[i / dim] * masses[j / dim]);
      A(i, j) += entry;
      A(j, i) += entry;
    }
  }
  return A;
}

template <int dim>
dealii::LAPACKFullMatrix<double>
global_matrix(NodalBody<dim> &body)
{
  std::vector<unsigned int> all(body.nodes.size());
  std::vector<double> masses(all.size());
  for (unsigned int i = 0; i < all.size(); ++i)
  {
    all[i] = i;
    masses[i] = body.nodes.mass(i);
  }
  return dynamic_matrix<dim>(body.nodes, all, masses, [&] { return body.forces(); });
}

template <int dim>
void
displace_randomly(Body<dim> &body, std::mt19937 &random, const double size)
{
  Tensor<2, dim> H;
  for (unsigned int d = 0; d < dim; ++d)
    H[d] = random_vector<dim>(random, size);
  body.displace([&](const Point<dim> &x) { return H * x + random_vector<dim>(random, size); });
}

template <int dim>
void
check_derivative()
{
  for_all_bodies<dim>(
      [](NodalBody<dim> &body, std::mt19937 &random)
      {
        displace_randomly<dim>(body, random, 0.05);
        const NodalKicks<dim> &kicks = *body.kicks.nodal;
        std::vector<Tensor<1, dim>> force;
        for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
        {
          kicks.force(body.nodes, k, 0., force);
          const auto support = kicks.support(k);
          for (unsigned int i = 0; i < dim * support.size(); ++i)
          {
            double &u = body.nodes[support[i / dim]].displacement[i % dim];
            const double u0 = u, increment = 1e-5;
            u = u0 + increment;
            const double above = kicks.energy(body.nodes, k);
            u = u0 - increment;
            const double below = kicks.energy(body.nodes, k);
            u = u0;
            EXPECT_NEAR(force[i / dim][i % dim], (below - above) / (2 * increment), 2e-9);
          }
        }
      });
}

/// Homogeneous deformation: the energy is that of the material, forces vanish in the interior.
template <int dim>
void
check_patch()
{
  for_all_bodies<dim>(
      [](NodalBody<dim> &body, std::mt19937 &random)
      {
        Tensor<2, dim> H;
        for (unsigned int d = 0; d < dim; ++d)
          H[d] = random_vector<dim>(random, 0.1);
        body.displace([&](const Point<dim> &x) { return H * x; });
        double volume = 0, largest = 0;
        for (const double weight : body.data.weights)
          volume += weight;
        const double energy = volume * body.whole->energy_density(H);
        EXPECT_NEAR(body.energy(), energy, 1e-12 * energy);
        const auto forces = body.forces();
        for (const auto &force : forces)
          largest = std::max(largest, force.norm());
        const unsigned int centre = (forces.size() - 1) / 2; // of 3^dim nodes
        EXPECT_LT(forces[centre].norm(), 1e-13 * largest);
        // stresses at nodes and in cells add up to the material's
        const auto &nodal = *body.kicks.nodal;
        const auto &cells = *body.kicks.stabilisation[0];
        const Tensor<2, dim> F = H + Tensor<2, dim>(dealii::unit_symmetric_tensor<dim>());
        Tensor<2, dim> stress = body.whole->stress(H);
        if (!body.whole->is_linear())
          stress = stress * transpose(F) / determinant(F);
        for (unsigned int k = 0; k < nodal.n_kicks(); ++k)
        {
          EXPECT_NEAR((nodal.gradient(body.nodes, k) - H).norm(), 0., 1e-14);
          EXPECT_NEAR((nodal.cauchy_stress(body.nodes, k) + cells.mean_stress(body.nodes, 0) -
                       symmetrize(stress))
                          .norm(),
                      0., 1e-14);
        }
      });
}

template <int dim>
void
check_momenta()
{
  for_all_bodies<dim>(
      [](NodalBody<dim> &body, std::mt19937 &random)
      {
        displace_randomly<dim>(body, random, 0.1);
        const auto forces = body.forces();
        Tensor<1, dim> sum;
        Tensor<2, dim> moment;
        double size = 0;
        for (unsigned int i = 0; i < forces.size(); ++i)
        {
          sum += forces[i];
          moment += outer_product(Tensor<1, dim>(body.nodes.position(i)), forces[i]);
          size += forces[i].norm();
        }
        EXPECT_LT(sum.norm(), 1e-14 * size);
        // small strains know no moment about the deformed position
        if (!body.whole->is_linear())
        {
          EXPECT_LT((moment - transpose(moment)).norm(), 1e-13 * size);
        }
      });
}

/// Kicks on clocks of their own do together what force() says, at another time than the nodes'.
template <int dim>
void
check_kicks()
{
  for_all_bodies<dim>(
      [](NodalBody<dim> &body, std::mt19937 &random)
      {
        NodalKicks<dim> &kicks = *body.kicks.nodal;
        displace_randomly<dim>(body, random, 0.05);
        for (unsigned int i = 0; i < body.nodes.size(); ++i)
        {
          body.nodes.set_velocity(i, random_vector<dim>(random, 0.1));
          body.nodes[i].time = uniform(random, 0., 0.1);
        }
        const double time = 0.3, step = 0.02;
        auto expected = body.nodes;
        std::vector<Tensor<1, dim>> force;
        for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
        {
          const auto support = kicks.support(k);
          kicks.force(body.nodes, k, time, force);
          for (unsigned int a = 0; a < support.size(); ++a)
            expected.apply_impulse(support[a], step * force[a]);
        }
        std::vector<unsigned int> clocks(kicks.n_kicks());
        for (unsigned int &clock : clocks)
          clock = random() % 3;
        kicks.assign_clocks(clocks, 4);
        kicks.change_clock(1, 3);
        // kicks at one time do not feel each other: nodes drift before the first of them
        for (unsigned int clock = 0; clock < 4; ++clock)
          kicks.kick(body.nodes, clock, time, step);
        for (unsigned int i = 0; i < body.nodes.size(); ++i)
          EXPECT_NEAR((body.nodes.velocity(i) - expected.velocity(i)).norm(), 0., 1e-15);
      });
}

/// Every kick's step against LAPACK, with the masses that carry it.
template <int dim>
void
check_steps(const double displacement)
{
  for_all_bodies<dim>(
      [&](NodalBody<dim> &body, std::mt19937 &random)
      {
        displace_randomly<dim>(body, random, displacement);
        const NodalKicks<dim> &kicks = *body.kicks.nodal;
        for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
        {
          std::vector<Tensor<1, dim>> force;
          const auto masses = kicks.masses(k);
          // Where there is no stiffness there is no mass, and the other way round.
          std::vector<double> positive = masses;
          for (double &mass : positive)
            mass = mass > 0 ? mass : 1.;
          auto A = dynamic_matrix<dim>(body.nodes, kicks.support(k), positive,
                                       [&]
                                       {
                                         kicks.force(body.nodes, k, 0., force);
                                         return force;
                                       });
          const double exact = 2 / std::sqrt(largest_eigenvalue(A));
          const double step = displacement > 0 ? kicks.current_critical_step(body.nodes, k)
                                               : kicks.critical_step(k);
          EXPECT_LE(step, exact * (1 + 1e-8));
          EXPECT_GE(step, exact * (1 - 1e-6));
        }
      });
}

/// All masses are given away, none twice.
template <int dim>
void
check_masses()
{
  for_all_bodies<dim>(
      [](NodalBody<dim> &body, std::mt19937 &)
      {
        const NodalKicks<dim> &kicks = *body.kicks.nodal;
        std::vector<double> sums(body.nodes.size(), 0.);
        for (unsigned int k = 0; k < kicks.n_kicks(); ++k)
        {
          const auto support = kicks.support(k);
          const auto masses = kicks.masses(k);
          for (unsigned int a = 0; a < support.size(); ++a)
            sums[support[a]] += masses[a];
        }
        const double share = sums[0] / body.nodes.mass(0);
        EXPECT_GT(share, 0.1);
        EXPECT_LT(share, 1);
        for (unsigned int i = 0; i < sums.size(); ++i)
          EXPECT_NEAR(sums[i], share * body.nodes.mass(i), 1e-6 * body.nodes.mass(i));
        for (const auto &family : body.kicks.stabilisation)
        {
          auto data = body.data;
          const std::shared_ptr<const Material<dim>> material(family, &family->material());
          const auto all = make_cell_kicks(data, material);
          for (const auto &with_all : all)
            for (unsigned int k = 0; k < with_all->n_kicks(); ++k)
              if (with_all->cell(k) == family->cell(0))
              {
                EXPECT_NEAR(family->critical_step(0),
                            std::sqrt(1 - share) * with_all->critical_step(k),
                            1e-6 * family->critical_step(0));
              }
        }
      });
}

/// No frequency of the whole is above the largest one of a potential.
template <int dim>
void
check_global_frequency(const double displacement)
{
  for_all_bodies<dim>(
      [&](NodalBody<dim> &body, std::mt19937 &random)
      {
        displace_randomly<dim>(body, random, displacement);
        double step = std::numeric_limits<double>::infinity();
        for (const auto *family : body.all_families())
          for (unsigned int k = 0; k < family->n_kicks(); ++k)
            step = std::min(step, displacement > 0 ? family->current_critical_step(body.nodes, k)
                                                   : family->critical_step(k));
        auto A = global_matrix(body);
        const double global = 2 / std::sqrt(largest_eigenvalue(A));
        EXPECT_LE(step, global * (1 + 1e-8));
        EXPECT_GE(step, 0.5 * global); // not at the price of tiny steps
      });
}

/// A free body has its rigid motions and no other modes without energy, nor with little of it.
template <int dim>
void
check_modes()
{
  for_all_bodies<dim>(
      [&](NodalBody<dim> &body, std::mt19937 &)
      {
        constexpr unsigned int n_rigid = dim * (dim + 1) / 2;
        auto A = global_matrix(body);
        const auto values = eigenvalues(A);
        EXPECT_LT(values[n_rigid - 1], 1e-8 * values.back());
        // wave speed and size of the block give the lowest frequency that can be expected
        const double shear_speed = std::sqrt(body.whole->lame().second / body.whole->density());
        EXPECT_GT(std::sqrt(values[n_rigid]), shear_speed / 4);
      });
}

/// A spinning, vibrating block for many steps.
template <int dim>
void
check_flight(const Clocks clocks, const double ratio)
{
  std::mt19937 random(3);
  for (const Shape shape : {Shape::general, Shape::simplex})
  {
    SCOPED_TRACE("dim " + std::to_string(dim) + " shape " + std::to_string(int(shape)));
    const auto material = std::make_shared<NeoHookean<dim>>(1.3, 2.1, 0.4);
    NodalBody<dim> body(block<dim>(shape, 2, random), material);
    NodeTable<dim> &nodes = body.nodes;
    for (unsigned int i = 0; i < nodes.size(); ++i)
    {
      const auto &x = nodes.reference(i);
      Tensor<1, dim> spin;
      spin[0] = -0.1 * x[1];
      spin[1] = 0.1 * x[0];
      nodes.set_velocity(i, spin + random_vector<dim>(random, 0.02));
    }
    Stepper<dim> stepper(nodes, {clocks, Phase::centred, ratio, 0.});
    double step = std::numeric_limits<double>::infinity();
    stepper.add(body.kicks.nodal);
    for (const auto &family : body.kicks.stabilisation)
      stepper.add(family);
    stepper.start();
    for (unsigned int unit = 0; unit < stepper.n_units(); ++unit)
      step = std::min(step, stepper.step_of_unit(unit));

    const auto momenta = [](const NodeTable<dim> &at)
    {
      std::array<double, dim + dim * dim> sums{};
      for (unsigned int i = 0; i < at.size(); ++i)
        for (unsigned int d = 0; d < dim; ++d)
        {
          sums[d] += at.mass(i) * at.velocity(i)[d];
          for (unsigned int e = 0; e < dim; ++e)
            sums[dim + dim * d + e] += at.mass(i) * (at.position(i)[d] * at.velocity(i)[e] -
                                                     at.position(i)[e] * at.velocity(i)[d]);
        }
      return sums;
    };
    const auto start = stepper.look(0);
    const double energy = stepper.energy(start).total();
    double error = 0;
    for (unsigned int i = 1; i <= 100; ++i)
    {
      stepper.advance_to(100 * i * step);
      const auto now = stepper.look(100 * i * step);
      error = std::max(error, std::abs(stepper.energy(now).total() / energy - 1));
      const auto before = momenta(start), after = momenta(now);
      for (unsigned int m = 0; m < before.size(); ++m)
        ASSERT_NEAR(after[m], before[m], 1e-11); // 10 000 steps with round-off
    }
    EXPECT_LT(error, 0.02);
  }
}
} // namespace

TEST(NodalKicks, ForceIsDerivativeOfEnergy)
{
  check_derivative<2>();
  check_derivative<3>();
}

TEST(NodalKicks, PatchTest)
{
  check_patch<2>();
  check_patch<3>();
}

TEST(NodalKicks, ForcesConserveMomentum)
{
  check_momenta<2>();
  check_momenta<3>();
}

TEST(NodalKicks, KickAgreesWithForce)
{
  check_kicks<2>();
  check_kicks<3>();
}

TEST(NodalKicks, CriticalStep)
{
  check_steps<2>(0.);
  check_steps<3>(0.);
}

TEST(NodalKicks, CriticalStepInTheCurrentState)
{
  check_steps<2>(0.05);
  check_steps<3>(0.05);
}

TEST(NodalKicks, MassesAddUp)
{
  check_masses<2>();
  check_masses<3>();
}

/// Masses of 1e-42, far below what single precision holds.
TEST(NodalKicks, AnyUnits)
{
  std::mt19937 random(7);
  auto mesh = block<3>(Shape::general, 2, random);
  const NodalBody<3> body(mesh, std::make_shared<NeoHookean<3>>(1., 1., 0.3));
  for (auto &point : mesh.points)
    point *= 1e-6;
  const NodalBody<3> scaled(mesh, std::make_shared<NeoHookean<3>>(1e-24, 1., 0.3));
  for (unsigned int k = 0; k < body.kicks.nodal->n_kicks(); ++k)
    EXPECT_NEAR(scaled.kicks.nodal->critical_step(k), 1e-18 * body.kicks.nodal->critical_step(k),
                1e-6 * scaled.kicks.nodal->critical_step(k));
}

TEST(NodalKicks, BoundsTheGlobalFrequency)
{
  check_global_frequency<2>(0.);
  check_global_frequency<3>(0.);
  check_global_frequency<2>(0.05);
  check_global_frequency<3>(0.05);
}

TEST(NodalKicks, NoSpuriousModes)
{
  check_modes<2>();
  check_modes<3>();
}

TEST(NodalKicks, LongFlight)
{
  for (const Clocks clocks : {Clocks::one, Clocks::nested})
  {
    check_flight<2>(clocks, 0.9);
    check_flight<3>(clocks, 0.9);
  }
  check_flight<3>(Clocks::per_cell, 0.2);
}
