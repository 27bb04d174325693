#include "cells.h"

#include <kickdrift/potentials/materials/plasticity.h>

#include <gtest/gtest.h>

#include <cstdlib>

using namespace PotentialsTest;

namespace
{
const char *variable = "KICKDRIFT_ISA";

enum class Scheme
{
  standard,
  one_point,
  mean_dilatation
};

/// Sets the environment variable for as long as it lives.
class Forced
{
public:
  explicit Forced(const std::string &name) { setenv(variable, name.c_str(), 1); }
  ~Forced() { unsetenv(variable); }
};

template <int dim>
NodeTable<dim>
kicked(const Mesh<dim> &mesh, const std::shared_ptr<const Material<dim>> &material,
       const Scheme scheme)
{
  Body<dim> body(mesh, material);
  if (scheme == Scheme::one_point)
    body.families = make_one_point_kicks(body.data, material);
  if (scheme == Scheme::mean_dilatation)
    body.families = make_mean_dilatation_kicks(body.data, material);
  std::mt19937 random(7);
  for (unsigned int i = 0; i < body.nodes.size(); ++i)
  {
    body.nodes.set_displacement(i, random_vector<dim>(random, 0.07));
    body.nodes.set_velocity(i, random_vector<dim>(random, 0.2));
  }
  for (unsigned int i = 0; i < 3; ++i)
  {
    body.families[0]->kick(body.nodes, 0, 0.02 * i, 0.02);
    body.families[0]->book(body.nodes, 0, 0.02 * i);
  }
  EnergyBalance balance;
  body.families[0]->add_energy(body.nodes, balance);
  // compared with the rest
  body.nodes[0].velocity[0] += balance.strain + balance.hourglass + balance.plastic_work;
  return body.nodes;
}

/// With some that flow.
template <int dim>
std::vector<std::shared_ptr<const Material<dim>>>
materials()
{
  auto result = all_materials<dim>();
  JohnsonCookParameters p;
  p.a = 0.02;
  p.b = 0.03;
  p.n = 0.4;
  p.c = 0.05;
  p.melting_temperature = 500;
  p.heat_capacity = 1e-4;
  result.push_back(std::make_shared<J2Plasticity<dim>>(1.3, 2.1, 0.3, 0.02, 0.05));
  result.push_back(std::make_shared<JohnsonCook<dim>>(1.3, 2.1, 0.3, p));
  return result;
}

template <int dim>
void
compare(const std::string &name)
{
  std::mt19937 random(4);
  bool any_bit_differs = false;
  for (const Shape shape : all_shapes)
    for (unsigned int i = 0; i < 2 * materials<dim>().size(); ++i)
    {
      const auto material = materials<dim>()[i / 2];
      const bool flows = i / 2 >= all_materials<dim>().size();
      const Scheme scheme = i % 2 == 0 || shape == Shape::simplex ? Scheme::standard
                            : flows                               ? Scheme::mean_dilatation
                                                                  : Scheme::one_point;
      const auto mesh = block<dim>(shape, 3, random);
      const auto expected = [&]
      {
        const Forced sse2("sse2");
        return kicked(mesh, material, scheme);
      }();
      const Forced forced(name);
      const auto nodes = kicked(mesh, material, scheme);
      for (unsigned int node = 0; node < nodes.size(); ++node)
      {
        const auto difference = nodes.velocity(node) - expected.velocity(node);
        EXPECT_LT(difference.norm(), 1e-13);
        any_bit_differs = any_bit_differs || difference.norm() > 0;
      }
    }
  EXPECT_TRUE(any_bit_differs) << "fused instructions should round differently";
}
} // namespace

#ifdef __x86_64__
TEST(InstructionSets, Avx2AgreesToRoundOff)
{
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    GTEST_SKIP();
  compare<2>("avx2");
  compare<3>("avx2");
}

TEST(InstructionSets, Avx512AgreesToRoundOff)
{
  if (!__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq"))
    GTEST_SKIP();
  compare<2>("avx512");
  compare<3>("avx512");
}
#endif

TEST(InstructionSets, UnknownNameIsAnError)
{
  std::mt19937 random(4);
  const auto mesh = block<2>(Shape::box, 1, random);
  const Forced forced("altivec");
  try
  {
    Body<2>(mesh, all_materials<2>()[0]);
    FAIL() << "no exception";
  }
  catch (const dealii::ExceptionBase &error)
  {
    EXPECT_NE(std::string(error.what()).find("KICKDRIFT_ISA=altivec is unknown"),
              std::string::npos);
  }
}
