#include <kickdrift/base/eigenvalues.h>
#include <kickdrift/stepping/stability_limit.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace KickDrift
{
namespace
{
constexpr unsigned int max_iterations = 400, iterations_between_checks = 10;

/// Change between two checks at which the largest Ritz value is taken to have converged.
constexpr double tolerance = 1e-4;

/// Strain at which forces are taken to be linear.
constexpr double small_strain = 1e-5;

template <int spacedim>
using NodeVector = std::vector<dealii::Tensor<1, spacedim>>;

/// The tangent of all kicks in the undeformed state, x -> M^-1 K x.
template <int spacedim>
class Operator
{
public:
  Operator(const std::vector<std::shared_ptr<const Kicks<spacedim>>> &families,
           const NodeTable<spacedim> &nodes)
      : families(families), nodes(nodes)
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
    const double factor = small_strain * smallest_length / largest;
    for (unsigned int node = 0; node < nodes.size(); ++node)
      nodes.set_displacement(node, factor * x[node]);
    NodeVector<spacedim> result(nodes.size()), force;
    auto support = supports.begin();
    for (const auto &family : families)
      for (unsigned int k = 0; k < family->n_kicks(); ++k, ++support)
      {
        family->force(nodes, k, 0., force);
        for (unsigned int i = 0; i < force.size(); ++i)
          result[(*support)[i]] -= force[i];
      }
    for (unsigned int node = 0; node < nodes.size(); ++node)
      result[node] *= nodes[node].inverse_mass / factor;
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
  std::vector<std::vector<unsigned int>> supports;
  double smallest_length = std::numeric_limits<double>::infinity(); ///< between nodes of a kick
  NodeTable<spacedim> nodes;                                        ///< a copy to displace
};

/// Estimate of the square of the largest frequency.
template <int spacedim>
double
largest_square(Operator<spacedim> &matrix)
{
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
    if (diagonal.size() % iterations_between_checks == 0)
    {
      const double now = largest_eigenvalue(diagonal, off_diagonal);
      if (now - last <= tolerance * now)
        return now;
      last = now;
    }
    off_diagonal.push_back(length);
    previous = std::move(q);
    q = std::move(next);
  }
  if (off_diagonal.size() == diagonal.size() && !off_diagonal.empty())
    off_diagonal.pop_back();
  return largest_eigenvalue(diagonal, off_diagonal);
}
} // namespace

template <int spacedim>
double
stability_limit(const std::vector<std::shared_ptr<const Kicks<spacedim>>> &families,
                const NodeTable<spacedim> &nodes)
{
  double bound = std::numeric_limits<double>::infinity();
  for (const auto &family : families)
    for (unsigned int k = 0; k < family->n_kicks(); ++k)
      bound = std::min(bound, family->critical_step(k));
  Operator<spacedim> matrix(families, nodes);
  return std::max(bound, 2 / std::sqrt(largest_square(matrix)));
}

template double stability_limit(const std::vector<std::shared_ptr<const Kicks<2>>> &,
                                const NodeTable<2> &);
template double stability_limit(const std::vector<std::shared_ptr<const Kicks<3>>> &,
                                const NodeTable<3> &);
} // namespace KickDrift
