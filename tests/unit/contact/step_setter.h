#ifndef KICKDRIFT_TESTS_UNIT_CONTACT_STEP_SETTER_H
#define KICKDRIFT_TESTS_UNIT_CONTACT_STEP_SETTER_H

#include <kickdrift/potentials/simple_kicks.h>

#include <array>

namespace KickDriftTests
{
/// Kicks without forces between pairs of nodes, for free flight with a step as if there were
/// springs.
template <int dim>
class StepSetter : public KickDrift::SimpleKicks<dim>
{
public:
  using Vector = dealii::Tensor<1, dim>;

  StepSetter(std::vector<std::array<unsigned int, 2>> pairs, const double stiffness)
      : pairs(std::move(pairs)), stiffness(stiffness)
  {
  }
  std::string
  name() const override
  {
    return "none";
  }
  unsigned int
  n_kicks() const override
  {
    return pairs.size();
  }
  std::vector<unsigned int>
  support(const unsigned int k) const override
  {
    return {pairs[k][0], pairs[k][1]};
  }
  void
  nodal_stiffness(unsigned int, std::vector<double> &of_nodes) const override
  {
    of_nodes.assign(2, stiffness);
  }
  void
  force(const KickDrift::NodeTable<dim> &, unsigned int, double,
        std::vector<Vector> &force) const override
  {
    force.assign(2, Vector());
  }
  double
  energy(const KickDrift::NodeTable<dim> &, unsigned int) const override
  {
    return 0;
  }

private:
  const std::vector<std::array<unsigned int, 2>> pairs;
  const double stiffness;
};
} // namespace KickDriftTests

#endif
