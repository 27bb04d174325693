#include "cells.h"

#include <kickdrift/stepping/stepper.h>

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

using namespace PotentialsTest;
using Form = HourglassControl::Form;

namespace
{
constexpr std::array<Form, 2> forms = {{Form::physical, Form::flanagan_belytschko}};
constexpr std::array<Shape, 3> shapes = {{Shape::box, Shape::affine, Shape::general}};

template <int dim>
struct OnePointBody : Body<dim>
{
  OnePointBody(const Mesh<dim> &mesh, const std::shared_ptr<const Material<dim>> &material,
               const HourglassControl &control)
      : Body<dim>(mesh, material)
  {
    this->families = make_one_point_kicks(this->data, material, control);
  }

  EnergyBalance
  energy() const
  {
    EnergyBalance balance;
    for (const auto &family : this->families)
      family->add_energy(this->nodes, balance);
    return balance;
  }

  double
  potential() const
  {
    const EnergyBalance balance = energy();
    return balance.strain + balance.hourglass;
  }

  std::vector<Tensor<1, dim>>
  forces() const
  {
    std::vector<Tensor<1, dim>> sum(this->nodes.size()), force;
    for (const auto &family : this->families)
      for (unsigned int k = 0; k < family->n_kicks(); ++k)
      {
        family->force(this->nodes, k, 0, force);
        const auto support = family->support(k);
        for (unsigned int a = 0; a < support.size(); ++a)
          sum[support[a]] += force[a];
      }
    return sum;
  }
};

template <int dim>
using Check = std::function<void(OnePointBody<dim> &, const Material<dim> &, Form)>;

template <int dim>
void
for_all(const unsigned int n, const Check<dim> &check)
{
  std::mt19937 random(4);
  for (const Shape shape : shapes)
    for (const Form form : forms)
      for (const auto &material : all_materials<dim>())
      {
        SCOPED_TRACE("dim " + std::to_string(dim) + " shape " + std::to_string(int(shape)) +
                     " form " + std::to_string(int(form)));
        OnePointBody<dim> body(block<dim>(shape, n, random), material, {form, 0});
        check(body, *material, form);
      }
}

template <int dim>
void
deform(Body<dim> &body, const double size)
{
  std::mt19937 random(7);
  for (unsigned int i = 0; i < body.nodes.size(); ++i)
    body.nodes.set_displacement(i, random_vector<dim>(random, size));
}

template <int dim>
void
check_forces()
{
  for_all<dim>(2,
               [](OnePointBody<dim> &body, const Material<dim> &, Form)
               {
                 deform(body, 0.1);
                 EXPECT_GT(body.energy().hourglass, 1e-4);
                 const auto forces = body.forces();
                 const double h = 1e-5;
                 for (unsigned int i = 0; i < body.nodes.size(); ++i)
                   for (unsigned int d = 0; d < dim; ++d)
                   {
                     const double u = body.nodes[i].displacement[d];
                     body.nodes[i].displacement[d] = u + h;
                     const double forward = body.potential();
                     body.nodes[i].displacement[d] = u - h;
                     const double backward = body.potential();
                     body.nodes[i].displacement[d] = u;
                     EXPECT_NEAR(forces[i][d], -(forward - backward) / (2 * h), 2e-9);
                   }
               });
}

/// Linear fields have no hourglass energy, and no forces inside the block.
template <int dim>
void
check_patch()
{
  for_all<dim>(3,
               [](OnePointBody<dim> &body, const Material<dim> &material, Form)
               {
                 std::mt19937 random(3);
                 Tensor<2, dim> H;
                 for (unsigned int d = 0; d < dim; ++d)
                   H[d] = random_vector<dim>(random, 0.2);
                 body.displace([&](const Point<dim> &x) { return H * x; });
                 double volume = 0;
                 for (const double weight : body.data.weights)
                   volume += weight;
                 EXPECT_NEAR(body.energy().strain, volume * material.energy_density(H),
                             1e-12 * volume);
                 EXPECT_NEAR(body.energy().hourglass, 0, 1e-26);
                 const auto forces = body.forces();
                 unsigned int inside = 0;
                 for (unsigned int d = 0, stride = 1; d < dim; ++d, stride *= 4)
                   inside += stride;
                 EXPECT_LT(forces[inside].norm(), 1e-14);
                 EXPECT_GT(forces[0].norm(), 1e-3);
               });
}

/// Turning a deformed body changes neither part of the energy, and its forces balance.
template <int dim>
void
check_rotation()
{
  for_all<dim>(2,
               [](OnePointBody<dim> &body, const Material<dim> &material, const Form form)
               {
                 deform(body, 0.1);
                 const auto forces = body.forces();
                 Tensor<1, dim> sum;
                 Tensor<2, dim> moment;
                 for (unsigned int i = 0; i < body.nodes.size(); ++i)
                 {
                   sum += forces[i];
                   moment += outer_product(Tensor<1, dim>(body.nodes.position(i)), forces[i]);
                 }
                 EXPECT_LT(sum.norm(), 1e-14);
                 if (material.is_linear())
                   return;
                 EXPECT_LT((moment - transpose(moment)).norm(), 1e-14);

                 const EnergyBalance before = body.energy();
                 const auto R = rotation<dim>(1.1);
                 for (unsigned int i = 0; i < body.nodes.size(); ++i)
                   body.nodes.set_displacement(i, R * body.nodes.position(i) -
                                                      body.nodes.reference(i));
                 const EnergyBalance after = body.energy();
                 EXPECT_NEAR(after.strain, before.strain, 1e-13);
                 EXPECT_NEAR(after.hourglass, before.hourglass, 1e-13);
                 const auto turned = body.forces();
                 for (unsigned int i = 0; i < body.nodes.size(); ++i)
                   EXPECT_LT((turned[i] - R * forces[i]).norm(), 1e-13);
                 (void)form;
               });
}

/// Stiffness of a single cell, divided by the masses, by differences of the forces.
template <int dim>
std::vector<std::vector<double>>
stiffness_by_mass(OnePointBody<dim> &body)
{
  const unsigned int n = dim * body.nodes.size();
  std::vector<std::vector<double>> K(n, std::vector<double>(n));
  const double h = 1e-5;
  for (unsigned int j = 0; j < n; ++j)
  {
    double &u = body.nodes[j / dim].displacement[j % dim];
    u = h;
    const auto forward = body.forces();
    u = -h;
    const auto backward = body.forces();
    u = 0;
    for (unsigned int i = 0; i < n; ++i)
      K[i][j] = -(forward[i / dim][i % dim] - backward[i / dim][i % dim]) / (2 * h) /
                std::sqrt(body.nodes.mass(i / dim) * body.nodes.mass(j / dim));
  }
  return K;
}

/// Eigenvalues of a symmetric matrix by Jacobi's rotations, ascending.
std::vector<double>
eigenvalues(std::vector<std::vector<double>> A)
{
  const unsigned int n = A.size();
  for (unsigned int sweep = 0; sweep < 30; ++sweep)
    for (unsigned int p = 0; p < n; ++p)
      for (unsigned int q = p + 1; q < n; ++q)
      {
        const double angle = 0.5 * std::atan2(2 * A[p][q], A[q][q] - A[p][p]);
        const double c = std::cos(angle), s = std::sin(angle);
        for (unsigned int i = 0; i < n; ++i)
        {
          const double x = A[i][p], y = A[i][q];
          A[i][p] = c * x - s * y;
          A[i][q] = s * x + c * y;
        }
        for (unsigned int i = 0; i < n; ++i)
        {
          const double x = A[p][i], y = A[q][i];
          A[p][i] = c * x - s * y;
          A[q][i] = s * x + c * y;
        }
      }
  std::vector<double> values;
  for (unsigned int i = 0; i < n; ++i)
    values.push_back(A[i][i]);
  std::sort(values.begin(), values.end());
  return values;
}

/// Only rigid motions are without resistance, and the highest frequency sets the critical step.
template <int dim>
void
check_frequencies()
{
  for_all<dim>(1,
               [](OnePointBody<dim> &body, const Material<dim> &, Form)
               {
                 const auto squares = eigenvalues(stiffness_by_mass(body));
                 constexpr unsigned int n_rigid = dim * (dim + 1) / 2;
                 const double highest = squares.back();
                 for (unsigned int i = 0; i < n_rigid; ++i)
                   EXPECT_NEAR(squares[i], 0, 1e-8 * highest);
                 EXPECT_GT(squares[n_rigid], 1e-3 * highest);
                 const auto &kicks = *body.families[0];
                 const double exact = 2 / std::sqrt(highest);
                 const auto masses = body.own_masses(kicks, 0);
                 EXPECT_LT(kicks.critical_step(0, masses), exact * (1 + 1e-9));
                 EXPECT_GT(kicks.critical_step(0, masses), exact * (1 - 1e-7));
                 EXPECT_NEAR(kicks.current_critical_step(body.nodes, 0, masses), exact,
                             0.02 * exact);
                 // the coefficient is a factor: very stiff hourglass control shortens the step
                 const HourglassControl stiff = {Form::flanagan_belytschko, 100};
                 OnePointBody<dim> other(body.mesh, all_materials<dim>()[1], stiff);
                 const auto stiff_squares = eigenvalues(stiffness_by_mass(other));
                 EXPECT_GT(stiff_squares.back(), 10 * highest);
                 EXPECT_NEAR(other.families[0]->critical_step(0, masses),
                             2 / std::sqrt(stiff_squares.back()), 1e-7 * exact);
               });
}

/// A straight row of boxes along the first axis.
template <int dim>
Mesh<dim>
beam(const unsigned int n, const Point<dim> &cell)
{
  Mesh<dim> mesh;
  mesh.nodes_per_cell = 1 << dim;
  for (unsigned int i = 0; i <= n; ++i)
    for (unsigned int corner = 0; corner < 1u << (dim - 1); ++corner)
    {
      Point<dim> x;
      x[0] = i * cell[0];
      for (unsigned int d = 1; d < dim; ++d)
        x[d] = ((corner >> (d - 1) & 1) - 0.5) * cell[d];
      mesh.points.push_back(x);
    }
  for (unsigned int i = 0; i < n; ++i)
    for (unsigned int a = 0; a < 1u << dim; ++a)
      mesh.nodes.push_back((i + (a & 1)) * (1 << (dim - 1)) + (a >> 1));
  return mesh;
}

/// Pure bending of one layer of long cells has the energy of beam theory; standard cells lock.
template <int dim>
void
check_bending()
{
  const double E = 2.1, nu = 0.3, curvature = 1e-4;
  Point<dim> cell;
  cell[0] = 5;
  for (unsigned int d = 1; d < dim; ++d)
    cell[d] = d;
  const auto mesh = beam<dim>(4, cell);
  const auto material = std::make_shared<LinearElastic<dim>>(1., E, nu);
  const auto bend = [&](const Point<dim> &x)
  {
    Tensor<1, dim> u;
    u[0] = curvature * x[0] * x[1];
    u[1] = -0.5 * curvature * x[0] * x[0];
    return u;
  };
  const double volume = 4 * cell[0] * cell[1] * (dim == 3 ? cell[dim - 1] : 1);
  const double modulus = dim == 3 ? E : E / (1 - nu * nu);
  const double beam_theory =
      0.5 * modulus * curvature * curvature * volume * cell[1] * cell[1] / 12;
  OnePointBody<dim> body(mesh, material, {});
  body.displace(bend);
  EXPECT_NEAR(body.energy().strain, 0, 1e-12 * beam_theory);
  EXPECT_NEAR(body.energy().hourglass, beam_theory, 1e-10 * beam_theory);
  Body<dim> standard(mesh, material);
  standard.displace(bend);
  EnergyBalance locked;
  standard.families[0]->add_energy(standard.nodes, locked);
  EXPECT_GT(locked.strain, 5 * beam_theory);
}

template <int dim>
void
check_clocks()
{
  for_all<dim>(
      3,
      [](OnePointBody<dim> &body, const Material<dim> &, Form)
      {
        deform(body, 0.05);
        auto together = body.nodes, alone = body.nodes;
        auto &kicks = *body.families[0];
        kicks.kick(together, 0, 0.02, 0.02);
        std::vector<unsigned int> own(kicks.n_kicks());
        std::iota(own.begin(), own.end(), 0);
        kicks.assign_clocks(own, own.size());
        for (const unsigned int k : own)
          kicks.kick(alone, k, 0.02, 0.02);
        EXPECT_EQ(std::memcmp(together.data(), alone.data(), alone.size() * sizeof(NodeState)), 0);
      });
}
} // namespace

TEST(OnePointKicks, ForcesAreDerivativesOfTheEnergy)
{
  check_forces<2>();
  check_forces<3>();
}

TEST(OnePointKicks, PatchTest)
{
  check_patch<2>();
  check_patch<3>();
}

TEST(OnePointKicks, RotationsChangeNothing)
{
  check_rotation<2>();
  check_rotation<3>();
}

TEST(OnePointKicks, AllButRigidMotionsAreResistedAndTheCriticalStepIsExact)
{
  check_frequencies<2>();
  check_frequencies<3>();
}

TEST(OnePointKicks, BendingAsInBeamTheory)
{
  check_bending<2>();
  check_bending<3>();
}

TEST(OnePointKicks, TorsionHasTheShearEnergyOfTheTwist)
{
  const double E = 2.1, nu = 0.3, twist = 1e-4, mu = E / (2 * (1 + nu));
  const Point<3> cell(2., 1., 1.5);
  OnePointBody<3> body(beam<3>(3, cell), std::make_shared<LinearElastic<3>>(1., E, nu), {});
  body.displace(
      [&](const Point<3> &x)
      {
        Tensor<1, 3> u;
        u[1] = -twist * x[0] * x[2];
        u[2] = twist * x[0] * x[1];
        return u;
      });
  const double volume = 3 * cell[0] * cell[1] * cell[2];
  const double exact =
      0.5 * mu * twist * twist * volume * (cell[1] * cell[1] + cell[2] * cell[2]) / 12;
  EXPECT_NEAR(body.energy().strain, 0, 1e-12 * exact);
  EXPECT_NEAR(body.energy().hourglass, exact, 1e-10 * exact);
}

TEST(OnePointKicks, LanesGiveTheBitsOfOneByOne)
{
  check_clocks<2>();
  check_clocks<3>();
}

TEST(OnePointKicks, EnergyIsKept)
{
  std::mt19937 random(2);
  for (const Form form : forms)
  {
    OnePointBody<3> body(block<3>(Shape::general, 4, random), all_materials<3>()[2], {form, 0});
    for (unsigned int i = 0; i < body.nodes.size(); ++i)
      body.nodes.set_velocity(i, random_vector<3>(random, 0.1));
    StepperParameters parameters;
    parameters.time_step_ratio = 0.25;
    Stepper<3> stepper(body.nodes, parameters);
    for (const auto &family : body.families)
      stepper.add(family);
    stepper.start();
    const double start = stepper.energy(stepper.snapshot(0)).total();
    double largest = 0, hourglass = 0;
    for (double time = 0.5; time < 20; time += 0.5)
    {
      stepper.advance_to(time);
      const EnergyBalance balance = stepper.energy(stepper.snapshot(time));
      largest = std::max(largest, std::abs(balance.total() - start));
      hourglass = std::max(hourglass, balance.hourglass);
    }
    EXPECT_LT(largest, 5e-3 * start);
    EXPECT_GT(hourglass, 0.02 * start);
  }
}

TEST(OnePointKicks, MessagesForWhatDoesNotWork)
{
  std::mt19937 random(1);
  const auto material = all_materials<2>()[1];
  const auto triangles = cell_data(block<2>(Shape::simplex, 1, random), 1.);
  const auto quadrilaterals = cell_data(block<2>(Shape::box, 1, random), 1.);
  const auto message = [&](const CellData<2> &cells, const HourglassControl &control)
  {
    try
    {
      make_one_point_kicks<2>(cells, material, control);
    }
    catch (const std::exception &exception)
    {
      return std::string(exception.what());
    }
    return std::string();
  };
  EXPECT_NE(message(triangles, {}).find("quadrilaterals"), std::string::npos);
  EXPECT_NE(message(quadrilaterals, {Form::physical, -1}).find("hourglass coefficient is -1"),
            std::string::npos);
  EXPECT_EQ(message(quadrilaterals, {}), "");
}
