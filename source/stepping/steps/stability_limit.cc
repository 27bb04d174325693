#include <kickdrift/base/eigenvalues.h>
#include <kickdrift/stepping/steps/critical_steps.h>
#include <kickdrift/stepping/steps/stability_limit.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace KickDrift
{
namespace
{
constexpr unsigned int max_iterations = 2000, iterations_between_checks = 10;

/// Change between two checks at which the largest Ritz value is taken to have converged.
constexpr double tolerance = 1e-4;

/// Displacements at which forces are taken to be linear, as a share of the smallest distance of two
/// nodes: slivers are hundreds of times thinner than their edges are long.
constexpr double small_displacement = 1e-6;

template <int spacedim>
using NodeVector = std::vector<dealii::Tensor<1, spacedim>>;

/// The tangent of all kicks in the undeformed state, x -> M^-1 K x.
template <int spacedim>
class Operator
{
public:
  Operator(const std::vector<std::shared_ptr<const Kicks<spacedim>>> &families,
           const NodeTable<spacedim> &nodes, const unsigned int n_clocks)
      : families(families), n_clocks(n_clocks), nodes(nodes)
  {
    for (unsigned int node = 0; node < nodes.size(); ++node)
    {
      this->nodes.set_velocity(node, {});
      this->nodes[node].time = 0;
    }
    for (const auto &family : families)
      for (unsigned int k = 0; k < family->n_kicks(); ++k)
        add_support(family->support(k));
  }

  NodeVector<spacedim>
  apply(const NodeVector<spacedim> &x)
  {
    double largest = 0;
    for (const auto &tensor : x)
      largest = std::max(largest, tensor.norm());
    const double factor = small_displacement * smallest_length / largest;
    NodeVector<spacedim> result(nodes.size());
    // central differences: forces of the reference state and quadratic terms cancel
    for (const double sign : {0.5, -0.5})
    {
      for (unsigned int node = 0; node < nodes.size(); ++node)
        nodes.set_displacement(node, 2 * sign * factor * x[node]);
      if (n_clocks > 0)
        subtract_kicks(sign, result);
      else
        subtract_forces(sign, result);
    }
    for (unsigned int node = 0; node < nodes.size(); ++node)
      result[node] *= (n_clocks > 0 ? 1. : nodes[node].inverse_mass) / factor;
    return result;
  }

  /// The scalar product in which the operator is symmetric, x M y.
  double
  product(const NodeVector<spacedim> &x, const NodeVector<spacedim> &y) const
  {
    double sum = 0;
    for (unsigned int node = 0; node < nodes.size(); ++node)
      sum += nodes.mass(node) * (x[node] * y[node]);
    return sum;
  }

  /// The start vector: the same in every run, and not orthogonal to any mode.
  NodeVector<spacedim>
  start() const
  {
    std::mt19937 generator(42);
    NodeVector<spacedim> x(nodes.size());
    for (auto &tensor : x)
      for (unsigned int d = 0; d < spacedim; ++d)
        tensor[d] = generator() / 4294967296. - 0.5;
    return x;
  }

private:
  /// result -= share times the forces in the current state.
  void
  subtract_forces(const double share, NodeVector<spacedim> &result)
  {
    auto support = supports.begin();
    for (const auto &family : families)
      for (unsigned int k = 0; k < family->n_kicks(); ++k, ++support)
      {
        family->checked_force(nodes, k, 0., support->size(), force);
        for (unsigned int i = 0; i < force.size(); ++i)
          result[(*support)[i]] -= share * force[i];
      }
  }

  /// result -= share times the accelerations in the current state.
  void
  subtract_kicks(const double share, NodeVector<spacedim> &result)
  {
    for (unsigned int node = 0; node < nodes.size(); ++node)
      nodes.set_velocity(node, {});
    for (const auto &family : families)
      for (unsigned int clock = 0; clock < n_clocks; ++clock)
        family->kick(nodes, clock, 0., 1.);
    for (unsigned int node = 0; node < nodes.size(); ++node)
    {
      result[node] -= share * nodes.velocity(node);
      nodes.set_velocity(node, {});
    }
  }

  void
  add_support(std::vector<unsigned int> support)
  {
    for (const unsigned int node : support)
    {
      const double length = nodes.reference(node).distance(nodes.reference(support[0]));
      if (length > 0)
        smallest_length = std::min(smallest_length, length);
    }
    supports.push_back(std::move(support));
  }

  const std::vector<std::shared_ptr<const Kicks<spacedim>>> &families;
  const unsigned int n_clocks; ///< that the kicks are on, or 0
  std::vector<std::vector<unsigned int>> supports;
  double smallest_length =
      std::numeric_limits<double>::infinity(); ///< from the first node of a kick
  NodeTable<spacedim> nodes;                   ///< a copy to displace
  NodeVector<spacedim> force;                  ///< of a kick
};

/// Estimate of the largest frequency, as the step that it allows.
template <int spacedim>
StabilityLimit
limit_by_lanczos(Operator<spacedim> &matrix)
{
  const auto limit = [](const double square, const bool has_converged, const std::size_t n) {
    return StabilityLimit{2 / std::sqrt(square), has_converged, static_cast<unsigned int>(n)};
  };
  NodeVector<spacedim> q = matrix.start(), previous(q.size());
  std::vector<double> diagonal, off_diagonal; // of the tridiagonal matrix
  double length = std::sqrt(matrix.product(q, q)), last = 0;
  while (diagonal.size() < max_iterations && length > 0)
  {
    for (auto &tensor : q)
      tensor /= length;
    NodeVector<spacedim> next = matrix.apply(q);
    diagonal.push_back(matrix.product(q, next));
    for (std::size_t node = 0; node < q.size(); ++node)
      next[node] -= diagonal.back() * q[node] +
                    (off_diagonal.empty() ? 0. : off_diagonal.back()) * previous[node];
    length = std::sqrt(matrix.product(next, next));
    AssertThrow(std::isfinite(length),
                dealii::ExcMessage("The largest stable step cannot be found: forces at small "
                                   "displacements from the reference state are not finite."));
    if (diagonal.size() % iterations_between_checks == 0)
    {
      const double now = largest_eigenvalue(diagonal, off_diagonal);
      if (now - last <= tolerance * now)
        return limit(now, true, diagonal.size());
      last = now;
    }
    off_diagonal.push_back(length);
    previous = std::move(q);
    q = std::move(next);
  }
  // the space is exhausted, or there were too many iterations
  const bool has_converged = !(length > 0);
  if (off_diagonal.size() == diagonal.size() && !off_diagonal.empty())
    off_diagonal.pop_back();
  return limit(largest_eigenvalue(diagonal, off_diagonal), has_converged, diagonal.size());
}
} // namespace

template <int spacedim>
StabilityLimit
stability_limit(const std::vector<std::shared_ptr<const Kicks<spacedim>>> &families,
                const NodeTable<spacedim> &nodes, const unsigned int n_clocks)
{
  const auto steps = CriticalSteps<spacedim>(families, nodes).reference();
  const double bound = *std::min_element(steps.begin(), steps.end());
  Operator<spacedim> matrix(families, nodes, n_clocks);
  StabilityLimit limit = limit_by_lanczos(matrix);
  limit.step = std::max(bound, limit.step);
  return limit;
}

template StabilityLimit stability_limit(const std::vector<std::shared_ptr<const Kicks<2>>> &,
                                        const NodeTable<2> &, unsigned int);
template StabilityLimit stability_limit(const std::vector<std::shared_ptr<const Kicks<3>>> &,
                                        const NodeTable<3> &, unsigned int);
} // namespace KickDrift
