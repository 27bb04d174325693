#include <kickdrift/contact/reference/coupled_response.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace KickDrift
{
namespace
{
// By this share the diagonal is enlarged.
constexpr double regularisation = 1e-10;
// A pivot below this share of the diagonal means that the constraint depends on those before.
constexpr double dependent = 1e-7;
// Impulses may be negative by this share of the largest one: those that redundant constraints share
// are known that well.
constexpr double share_of_impulse = 1e-6;
// Rates may be negative by this share of the largest one.
constexpr double share_of_rate = 1e-9;
// Exchanges of whole blocks without progress before contacts are exchanged one by one.
constexpr unsigned int n_patient_exchanges = 10;

constexpr unsigned int none = -1;
} // namespace

/// Contacts that depend on each other, and which of them are active while pivoting.
template <int spacedim>
class CoupledResponse<spacedim>::Group
{
public:
  Group(const CoupledResponse &system, const unsigned int first, const unsigned int end,
        const std::vector<double> &rates)
      : system(system),
        rates(rates),
        members(&system.order[first], &system.order[first] + end - first)
  {
    for (const unsigned int i : members)
      largest_rate = std::max(largest_rate, std::abs(rates[i]));
  }

  void
  solve(std::vector<unsigned int> &position, Solution &solution)
  {
    is_active.assign(members.size(), false);
    for (unsigned int m = 0; m < members.size(); ++m)
      is_active[m] = rates[members[m]] < 0;
    unsigned int fewest = none, patience = n_patient_exchanges;
    for (unsigned int n = 0;; ++n)
    {
      AssertThrow(n < 100 + 10 * members.size(),
                  dealii::ExcMessage("The coupled response of " + std::to_string(members.size()) +
                                     " contacts has not been found; try Contact/Reference/Solver = "
                                     "sequential."));
      find_multipliers(position, solution);
      find_violations(solution.multipliers);
      if (violations.empty())
        break;
      if (violations.size() < fewest)
      {
        fewest = violations.size();
        patience = n_patient_exchanges;
      }
      else if (patience > 0)
        --patience;
      if (patience == 0)
        violations.assign(1, violations.back());
      for (const unsigned int m : violations)
        is_active[m] = !is_active[m];
    }
    solution.n_active += active.size();
    solution.rank += rank;
  }

private:
  /// Those of the active contacts, such that their rates vanish; zero for the others.
  void
  find_multipliers(std::vector<unsigned int> &position, Solution &solution)
  {
    active.clear();
    for (unsigned int m = 0; m < members.size(); ++m)
    {
      solution.multipliers[members[m]] = 0;
      if (is_active[m])
      {
        position[members[m]] = active.size();
        active.push_back(members[m]);
      }
    }
    if (active.empty())
    {
      rank = 0;
      return;
    }
    factorise(position);
    ++solution.n_factorisations;
    for (const unsigned int i : active)
      position[i] = none;
    substitute();
    for (unsigned int p = 0; p < active.size(); ++p)
      solution.multipliers[active[p]] = x[p];
  }

  /// Cholesky factor of the regularised matrix: row p holds the columns from first[p] to p.
  void
  factorise(const std::vector<unsigned int> &position)
  {
    const unsigned int n = active.size();
    first.resize(n);
    start.resize(n + 1);
    start[0] = 0;
    for (unsigned int p = 0; p < n; ++p)
    {
      first[p] = p;
      const unsigned int i = active[p];
      for (const Entry &e : system.rows.row(i))
        first[p] = std::min(first[p], position[e.column]);
      start[p + 1] = start[p] + p + 1 - first[p];
    }
    factor.assign(start[n], 0.);
    rank = 0;
    for (unsigned int p = 0; p < n; ++p)
    {
      const unsigned int i = active[p];
      double *row = row_of(p);
      for (const Entry &e : system.rows.row(i))
        if (position[e.column] <= p)
          row[position[e.column]] = e.value;
      for (unsigned int q = first[p]; q < p; ++q)
      {
        const double *other = row_of(q);
        row[q] = (row[q] - dot(row, other, std::max(first[p], first[q]), q)) / other[q];
      }
      const double pivot = row[p] - dot(row, row, first[p], p);
      rank += pivot > dependent * system.diagonal[i];
      // rounding may have taken more than what is left of a dependent one
      row[p] = std::sqrt(std::max(pivot, 0.) + regularisation * system.diagonal[i]);
    }
  }

  void
  substitute()
  {
    const unsigned int n = active.size();
    x.resize(n);
    for (unsigned int p = 0; p < n; ++p)
    {
      const double *row = row_of(p);
      x[p] = (-rates[active[p]] - dot(row, x.data(), first[p], p)) / row[p];
    }
    for (unsigned int p = n; p-- > 0;)
    {
      const double *row = row_of(p);
      x[p] /= row[p];
      for (unsigned int q = first[p]; q < p; ++q)
        x[q] -= row[q] * x[p];
    }
  }

  /// Active contacts that pull, and others that approach.
  void
  find_violations(const std::vector<double> &multipliers)
  {
    violations.clear();
    double largest = 0;
    for (const unsigned int i : members)
      largest = std::max(largest, multipliers[i]);
    for (unsigned int m = 0; m < members.size(); ++m)
    {
      const unsigned int i = members[m];
      if (is_active[m] ? multipliers[i] < -share_of_impulse * largest
                       : rate_after(i, multipliers) < -share_of_rate * largest_rate)
        violations.push_back(m);
    }
  }

  double
  rate_after(const unsigned int i, const std::vector<double> &multipliers) const
  {
    double rate = rates[i];
    for (const Entry &e : system.rows.row(i))
      rate += e.value * multipliers[e.column];
    return rate;
  }

  /// Such that column q of row p is row_of(p)[q].
  double *
  row_of(const unsigned int p)
  {
    return factor.data() + start[p] - first[p];
  }

  static double
  dot(const double *a, const double *b, const unsigned int begin, const unsigned int end)
  {
    double sums[4] = {0, 0, 0, 0};
    unsigned int k = begin;
    for (; k + 4 <= end; k += 4)
      for (unsigned int lane = 0; lane < 4; ++lane)
        sums[lane] += a[k + lane] * b[k + lane];
    for (; k < end; ++k)
      sums[0] += a[k] * b[k];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  const CoupledResponse &system;
  const std::vector<double> &rates;
  const std::vector<unsigned int> members; ///< contacts
  double largest_rate = 0;
  std::vector<bool> is_active;      ///< by member
  std::vector<unsigned int> active; ///< contacts
  std::vector<unsigned int> violations;
  std::vector<unsigned int> first; ///< column, by row of the factor
  std::vector<std::size_t> start;  ///< by row of the factor
  std::vector<double> factor, x;
  unsigned int rank = 0;
};

template <int spacedim>
void
CoupledResponse<spacedim>::assemble(const NodeTable<spacedim> &nodes,
                                    const std::vector<ContactStencil<spacedim>> &stencils)
{
  using Vector = dealii::Tensor<1, spacedim>;
  /// The share of a contact in a node.
  struct Share
  {
    unsigned int node, contact;
    Vector gradient, change; ///< c n, and W c n
  };
  std::vector<Share> shares;
  for (unsigned int i = 0; i < stencils.size(); ++i)
    for (unsigned int a = 0; a < stencils[i].n_nodes; ++a)
    {
      const unsigned int node = stencils[i].nodes[a];
      const Vector gradient = stencils[i].coefficients[a] * stencils[i].normal;
      shares.push_back({node, i, gradient, nodes.velocity_change(node, gradient)});
    }
  std::vector<unsigned int> by_node(shares.size());
  std::iota(by_node.begin(), by_node.end(), 0);
  std::stable_sort(by_node.begin(), by_node.end(),
                   [&](const unsigned int a, const unsigned int b)
                   { return shares[a].node < shares[b].node; });
  std::vector<unsigned int> begin(shares.size()), end(shares.size());
  for (unsigned int b = 0, e = 0; b < by_node.size(); b = e)
  {
    while (e < by_node.size() && shares[by_node[e]].node == shares[by_node[b]].node)
      ++e;
    for (unsigned int k = b; k < e; ++k)
    {
      begin[by_node[k]] = b;
      end[by_node[k]] = e;
    }
  }

  rows.clear();
  diagonal.assign(stencils.size(), 0.);
  std::vector<Entry> row;
  std::vector<unsigned int> place(stencils.size(), none); // of a column in the row
  for (unsigned int s = 0, i = 0; i < stencils.size(); ++i)
  {
    row.clear();
    for (unsigned int a = 0; a < stencils[i].n_nodes; ++a, ++s)
      for (unsigned int k = begin[s]; k < end[s]; ++k)
      {
        const Share &other = shares[by_node[k]];
        if (place[other.contact] == none)
        {
          place[other.contact] = row.size();
          row.push_back({other.contact, 0.});
        }
        row[place[other.contact]].value += shares[s].change * other.gradient;
      }
    diagonal[i] = row[place[i]].value;
    for (const Entry &entry : row)
    {
      place[entry.column] = none;
      rows.push_back(entry);
    }
    rows.finish_row();
  }
  find_groups();
}

/// Breadth first from both ends of each group (Cuthill & McKee): contacts that share nodes get
/// numbers near each other, which keeps the envelope of the factor small.
template <int spacedim>
void
CoupledResponse<spacedim>::find_groups()
{
  const unsigned int n = diagonal.size();
  order.clear();
  groups.clear();
  std::vector<unsigned int> visited(n, 0);
  const auto walk = [&](const unsigned int from, const unsigned int mark)
  {
    order.push_back(from);
    visited[from] = mark;
    for (unsigned int k = order.size() - 1; k < order.size(); ++k)
      for (const Entry &e : rows.row(order[k]))
        if (visited[e.column] < mark)
        {
          visited[e.column] = mark;
          order.push_back(e.column);
        }
  };
  for (unsigned int i = 0; i < n; ++i)
  {
    if (visited[i] > 0)
      continue;
    const unsigned int first = order.size();
    walk(i, 1);
    const unsigned int far_end = order.back();
    order.resize(first);
    walk(far_end, 2);
    groups.push_back({first, order.size()});
  }
}

template <int spacedim>
typename CoupledResponse<spacedim>::Solution
CoupledResponse<spacedim>::solve(const std::vector<double> &rates) const
{
  Solution solution;
  solution.multipliers.assign(rates.size(), 0.);
  std::vector<unsigned int> position(rates.size(), none);
  for (const auto &[first, end] : groups)
    Group(*this, first, end, rates).solve(position, solution);
  return solution;
}

template <int spacedim>
std::vector<double>
CoupledResponse<spacedim>::apply(const std::vector<double> &multipliers) const
{
  std::vector<double> result(multipliers.size(), 0.);
  for (unsigned int i = 0; i < result.size(); ++i)
    for (const Entry &e : rows.row(i))
      result[i] += e.value * multipliers[e.column];
  return result;
}

template class CoupledResponse<2>;
template class CoupledResponse<3>;
} // namespace KickDrift
