// Two masses on springs that are fixed to the ground, one ten times as stiff as the other: each is
// kicked at a step of its own, and both are back where they started after their periods.

#include <kickdrift/stepping/stepper.h>

#include <cmath>
#include <iostream>

using namespace KickDrift;

constexpr double pi = 3.14159265358979323846;

class Springs : public Kicks<2>
{
public:
  Springs(const std::vector<double> &stiffness) : stiffness(stiffness) {}

  std::string
  name() const override
  {
    return "spring";
  }
  unsigned int
  n_kicks() const override
  {
    return stiffness.size();
  }
  std::vector<unsigned int>
  support(unsigned int k) const override
  {
    return {k};
  }
  void
  nodal_stiffness(unsigned int k, std::vector<double> &of_nodes) const override
  {
    of_nodes = {stiffness[k]};
  }
  void
  assign_clocks(const std::vector<unsigned int> &clock_of_kick, unsigned int) override
  {
    clocks = clock_of_kick;
  }
  void
  change_clock(unsigned int k, unsigned int clock) override
  {
    clocks[k] = clock;
  }
  void
  kick(NodeTable<2> &nodes, unsigned int clock, double time, double step) const override
  {
    for (unsigned int k = 0; k < n_kicks(); ++k)
      if (clocks[k] == clock)
      {
        nodes[k].drift(time);
        for (unsigned int d = 0; d < 2; ++d)
          nodes[k].velocity[d] -=
              step * nodes[k].inverse_mass * stiffness[k] * nodes[k].displacement[d];
      }
  }
  void
  force(const NodeTable<2> &nodes, unsigned int k, double time,
        std::vector<Vector> &force) const override
  {
    NodeTable<2> extrapolated = nodes;
    extrapolated[k].drift(time);
    force.assign(1, -stiffness[k] * extrapolated.displacement(k));
  }
  void
  add_energy(const NodeTable<2> &nodes, EnergyBalance &balance) const override
  {
    for (unsigned int k = 0; k < n_kicks(); ++k)
      balance.strain += stiffness[k] / 2 * nodes.displacement(k).norm_square();
  }

private:
  std::vector<double> stiffness;
  std::vector<unsigned int> clocks;
};

int
main()
{
  const std::vector<double> stiffness = {1., 10.};
  NodeTable<2> nodes;
  for (unsigned int k = 0; k < 2; ++k)
  {
    nodes.add(dealii::Point<2>(k, 0.), 1.);
    nodes.set_displacement(k, dealii::Tensor<1, 2>({1., 0.}));
  }

  StepperParameters parameters;
  parameters.time_step_ratio = 0.05;
  Stepper<2> stepper(nodes, parameters);
  stepper.add(std::make_shared<Springs>(stiffness));
  stepper.start();

  double largest_error = 0;
  for (const unsigned int k : {1u, 0u})
  {
    const double period = 2 * pi / std::sqrt(stiffness[k]);
    stepper.advance_to(period);
    largest_error =
        std::max(largest_error, std::abs(stepper.snapshot(period).displacement(k)[0] - 1));
  }
  std::cout << "Error of the displacements after a period: " << largest_error << std::endl;
  return largest_error < 1e-3 ? 0 : 1;
}
