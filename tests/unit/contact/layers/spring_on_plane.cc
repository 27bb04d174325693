// Two masses and a spring between them fall on a plane (Vouga et al. 2011, section 8.1), for
// thousands of bounces, and rest on it.

#include "layer_runs.h"

#include <kickdrift/potentials/simple_kicks.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

using namespace KickDriftTests;

namespace
{
/// A spring of stiffness and length one along y that may turn inside out, unlike Springs, and the
/// weight of its masses, which grows until the time @p ramp.
class LinearSpring : public SimpleKicks<2>
{
public:
  LinearSpring(const double gravity, const double ramp) : gravity(gravity), ramp(ramp) {}
  std::string
  name() const override
  {
    return "linear spring";
  }
  unsigned int
  n_kicks() const override
  {
    return 1;
  }
  std::vector<unsigned int>
  support(unsigned int) const override
  {
    return {0, 1};
  }
  void
  nodal_stiffness(unsigned int, std::vector<double> &stiffness) const override
  {
    stiffness.assign(2, 1.);
  }
  void
  force(const NodeTable<2> &nodes, unsigned int, const double time,
        std::vector<Vector> &force) const override
  {
    force.assign(2, Vector());
    const double pull = nodes.position_at(1, time)[1] - nodes.position_at(0, time)[1] - 1;
    const double weight = gravity * (time < ramp ? time / ramp : 1);
    force[0][1] = pull - weight;
    force[1][1] = -pull - weight;
  }
  double
  energy(const NodeTable<2> &nodes, unsigned int) const override
  {
    const double stretch = nodes.position(1)[1] - nodes.position(0)[1] - 1;
    return 0.5 * stretch * stretch + gravity * (nodes.position(0)[1] + nodes.position(1)[1]);
  }

private:
  const double gravity, ramp;
};

/// The case of the paper: masses, stiffness, length and gravity of one.
struct SpringOnPlane
{
  SpringOnPlane(const ContactParameters &parameters, const double material_step,
                const double height, const double gravity = 1, const double ramp = 0)
  {
    Tensor<1, 2> up;
    up[1] = 1;
    nodes.add(Point<2>(0., height), 1.);
    nodes.add(Point<2>(0., height + 1), 1.);
    surface.contactors.push_back({0, 0, 1.});
    surface.body_names = {"spring"};
    StepperParameters stepping;
    stepping.time_step_ratio = material_step / std::sqrt(2.); // omega^2 = 2
    stepper = std::make_unique<Stepper<2>>(nodes, stepping);
    stepper->add(std::make_shared<LinearSpring>(gravity, ramp));
    contact = std::make_unique<LayerContact<2>>(
        nodes, *stepper, surface, parameters,
        std::vector<Obstacle<2>>{{"plane", std::make_shared<HalfSpace<2>>(Point<2>(), up), {}}});
    stepper->start();
    contact->start();
  }

  double
  energy() const
  {
    EnergyBalance balance = stepper->energy(stepper->snapshot(stepper->time()));
    contact->add_energy(balance);
    return balance.total();
  }

  /// Energy less that at @p begin by quarter of the run.
  struct Deviations
  {
    std::array<double, 4> largest{}; ///< without sign
    std::array<double, 4> mean{};
  };

  Deviations
  deviations(const double end, const double begin = 0)
  {
    Deviations result;
    std::array<unsigned int, 4> n{};
    stepper->advance_to(begin);
    const double first = energy();
    constexpr double interval = 0.0371;
    for (double time = begin; time < end; time += interval)
    {
      stepper->advance_to(time);
      const unsigned int quarter = std::min(3u, static_cast<unsigned int>(4 * time / end));
      const double deviation = energy() - first;
      result.largest[quarter] = std::max(result.largest[quarter], std::abs(deviation));
      result.mean[quarter] += deviation;
      ++n[quarter];
    }
    for (unsigned int i = 0; i < 4; ++i)
      result.mean[i] /= std::max(1u, n[i]);
    return result;
  }

  NodeTable<2> nodes;
  Surface<2> surface;
  std::unique_ptr<Stepper<2>> stepper;
  std::unique_ptr<LayerContact<2>> contact;
};

/// With the numbers of the paper: eta = 0.1, k = 1000.
ContactParameters
of_paper(const double ratio, const LayerShape shape)
{
  ContactParameters parameters = layers(0.1, 0.5 * ratio); // twice that at obstacles
  parameters.layers.stiffness = 1000;
  parameters.layers.shape = shape;
  return parameters;
}

/// Energy errors by quarter over the energy, which is 3 above the plane.
SpringOnPlane::Deviations
errors_of_bounces(const double ratio, const LayerShape shape, const double end,
                  const double height = 1)
{
  SpringOnPlane spring(of_paper(ratio, shape), 1. / 128, height);
  auto result = spring.deviations(end);
  const auto &stats = spring.contact->layer_statistics();
  EXPECT_GT(stats.closest, 0);
  EXPECT_GT(stats.contacts, 0.6 * end);
  std::cout << "ratio " << ratio << ", " << stats.contacts << " bounces, "
            << spring.contact->statistics().collisions / double(stats.contacts)
            << " kicks each, largest and mean energy error by quarter";
  for (unsigned int i = 0; i < 4; ++i)
  {
    result.largest[i] /= 3;
    result.mean[i] /= 3;
    std::cout << "; " << result.largest[i] << " " << result.mean[i];
  }
  std::cout << "\n";
  return result;
}

/// How far the energy has walked in the last quarter of runs from several heights.
struct Walk
{
  double rms, mean;
  unsigned int n;
};

Walk
walk_of_bounces(const double ratio, const LayerShape shape)
{
  Walk walk{0, 0, 12};
  for (unsigned int i = 0; i < walk.n; ++i)
  {
    // bounces are chaotic: a thousandth of the height makes other ones of the first dozens on
    const double walked = errors_of_bounces(ratio, shape, 2500, 1 + 1e-3 * i).mean[3];
    walk.rms += walked * walked / walk.n;
    walk.mean += walked / walk.n;
  }
  walk.rms = std::sqrt(walk.rms);
  std::cout << "ratio " << ratio << ": energy has walked by " << walk.rms << " (rms), " << walk.mean
            << " (mean)\n";
  return walk;
}
} // namespace

TEST(SpringOnPlane, EnergyStaysBounded)
{
  const auto coarse = errors_of_bounces(0.4, LayerShape::cubic, 400);
  EXPECT_LT(coarse.largest[3], 0.02);
  const auto fine = errors_of_bounces(0.1, LayerShape::cubic, 1000);
  EXPECT_LT(fine.largest[3], 0.002);
  EXPECT_LT(fine.largest[3], 2 * fine.largest[0]);
}

TEST(SpringOnPlane, SlowEnergyStaysBounded)
{
  const auto fine = errors_of_bounces(0.1, LayerShape::cubic, 10000);
  EXPECT_LT(fine.largest[3], 0.002);
  EXPECT_LT(fine.largest[3], 2 * fine.largest[0]);
}

TEST(SpringOnPlane, SlowEnergyWalksInThirdOrderQuadraticLayersFurther)
{
  // A bounce adds up kicks where exact motion has an integral. The end corrections of such sums
  // (Euler and Maclaurin) depend on the phase of the clock at which the layer is entered: they are
  // of the order h^3 if the force begins like (th - d)^2, and h^2 if it begins like th - d. Phases
  // are as good as random, so the energy walks by that times the root of the number of bounces,
  // which no single run can show: three standard errors of twelve are a factor of 2.5.
  const Walk coarse = walk_of_bounces(0.4, LayerShape::cubic),
             fine = walk_of_bounces(0.2, LayerShape::cubic),
             quadratic = walk_of_bounces(0.1, LayerShape::quadratic);
  EXPECT_GT(coarse.rms, 8 / 2.5 * fine.rms);
  EXPECT_LT(coarse.rms, 8 * 2.5 * fine.rms);
  // nowhere in particular
  for (const Walk &walk : {coarse, fine})
    EXPECT_LT(std::abs(walk.mean), 4 * walk.rms / std::sqrt(walk.n));
  EXPECT_LT(coarse.rms, 0.02);
  EXPECT_GT(quadratic.rms, 30 * fine.rms);
}

TEST(SpringOnPlane, RestsWithoutResonanceWhateverTheStepOfTheSpring)
{
  // pressed by 0.6 the layers have the frequency omega; the spring's own step times that is up to 7
  const ContactParameters parameters = of_paper(0.2, LayerShape::cubic);
  const LayerProfile profile(LayerShape::cubic, 20);
  const double k = 1000, thickness = 0.2, weight = 0.6;
  double low = 0.01, high = 1;
  for (unsigned int i = 0; i < 60; ++i) // where the layers carry the weight
  {
    const double middle = 0.5 * (low + high);
    double force = 0;
    for (unsigned int m = 0; m < 20; ++m)
      force += middle < profile.thickness(m) ? k * thickness * profile.force(m, middle) : 0.;
    (force > weight ? low : high) = middle;
  }
  const double omega = std::sqrt(k * profile.curvature(low));
  for (const double phase : {0.5, 1.4, 2.5, 3.04, 3.6, 5., 7.})
  {
    // layers are empty at the start, and the weight comes slowly
    SpringOnPlane spring(parameters, phase / omega, thickness, 0.5 * weight, 100);
    const auto deviation = spring.deviations(1000, 110);
    const double energy = spring.energy();
    std::cout << "omega H = " << phase << ": energy error by quarter";
    for (const double d : deviation.largest)
      std::cout << " " << d / energy;
    std::cout << "; promoted " << spring.stepper->levels().n_promoted() << "\n";
    EXPECT_LT(deviation.largest[3] / energy, 0.02);
    EXPECT_LT(deviation.largest[3], 2 * deviation.largest[0] + 1e-4 * energy);
  }
}
