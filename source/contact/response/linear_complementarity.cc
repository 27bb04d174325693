// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/contact/response/linear_complementarity.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace KickDrift
{
namespace
{
// Added to the diagonal, relative to it. Any will do that is well above the rounding of the factor:
// the more, the more often solutions have to be improved, at most so often, and the fewer changes
// each takes.
constexpr double proximal_share = 1e-7;
constexpr unsigned int most_centers = 20;
// one by one, all unknowns may change several times
constexpr unsigned int most_iterations = 1000;
// for cost alone: what has changed is a dense system
constexpr unsigned int most_bordered = 15;
// how often all that are wrong may change at once without fewer of them
constexpr unsigned int patience = 5;
// of the tolerance, for all of it: rows that are not active, unknowns that are zero, the center
constexpr double share_of_row = 0.5, share_of_unknown = 0.25, share_of_center = 0.25;

bool
is_finite(const std::vector<double> &x)
{
  return std::all_of(x.begin(), x.end(), [](const double value) { return std::isfinite(value); });
}

/// Solve a small dense system by elimination with pivots; @p b becomes the solution. @p matrix :
/// row by row.
void
eliminate(std::vector<double> &matrix, std::vector<double> &b)
{
  const unsigned int n = b.size();
  const auto row = [&](const unsigned int i) { return matrix.data() + i * n; };
  for (unsigned int k = 0; k < n; ++k)
  {
    unsigned int pivot = k;
    for (unsigned int i = k + 1; i < n; ++i)
      if (std::abs(row(i)[k]) > std::abs(row(pivot)[k]))
        pivot = i;
    std::swap_ranges(row(k), row(k) + n, row(pivot));
    std::swap(b[k], b[pivot]);
    for (unsigned int i = k + 1; i < n; ++i)
    {
      const double factor = row(i)[k] / row(k)[k];
      for (unsigned int j = k; j < n; ++j)
        row(i)[j] -= factor * row(k)[j];
      b[i] -= factor * b[k];
    }
  }
  for (unsigned int k = n; k-- > 0;)
  {
    for (unsigned int j = k + 1; j < n; ++j)
      b[k] -= row(k)[j] * b[j];
    b[k] /= row(k)[k];
  }
}
} // namespace

void
LinearComplementarity::set_matrix(CompressedRows<Entry> new_matrix,
                                  CompressedRows<unsigned int> cliques)
{
  matrix = std::move(new_matrix);
  const unsigned int n = matrix.n_rows();
  diagonal.assign(n, 0.);
  for (unsigned int i = 0; i < n; ++i)
    for (const auto &[j, value] : matrix.row(i))
      if (j == i)
        diagonal[i] = value;
  factor.set_pattern(n, std::move(cliques));
  is_active.clear();
  is_in_factor.clear();
  columns.clear();
}

void
LinearComplementarity::add_product(const Vector &x, Vector &result) const
{
  for (unsigned int i = 0; i < x.size(); ++i)
    for (const auto &[j, value] : matrix.row(i))
      result[i] += value * x[j];
}

double
LinearComplementarity::residual(const Vector &b, const Vector &x, const unsigned int row) const
{
  double result = -b[row];
  for (const auto &[j, value] : matrix.row(row))
    result += value * x[j];
  return result;
}

bool
LinearComplementarity::solve(const Vector &b, const double tolerance, Vector &x)
{
  const unsigned int n = x.size();
  if (is_active.empty())
    for (unsigned int i = 0; i < n; ++i)
      is_active.push_back(x[i] - residual(b, x, i) / diagonal[i] > 0);
  Vector result = x, center;
  double change = 0;
  for (unsigned int k = 0; k == 0 || (k < most_centers && change > share_of_center * tolerance);
       ++k)
  {
    center = result;
    if (!search(b, tolerance, result))
    {
      is_active.clear();
      return false;
    }
    change = 0;
    for (unsigned int i = 0; i < n; ++i)
      change = std::max(change, proximal_share * diagonal[i] * std::abs(result[i] - center[i]));
  }
  for (unsigned int i = 0; i < n; ++i)
    x[i] = std::max(0., result[i]);
  return true;
}

bool
LinearComplementarity::search(const Vector &b, const double tolerance, Vector &x)
{
  const unsigned int n = x.size();
  Vector right_side(n);
  for (unsigned int i = 0; i < n; ++i)
    right_side[i] = b[i] + proximal_share * diagonal[i] * x[i];
  unsigned int fewest = n + 1, left = patience;
  std::vector<unsigned int> wrong;
  while (true)
  {
    x = right_side;
    solve_active(x);
    wrong.clear();
    for (unsigned int i = 0; i < n; ++i)
      if (is_active[i] ? x[i] * diagonal[i] < -share_of_unknown * tolerance
                       : residual(b, x, i) < -share_of_row * tolerance)
        wrong.push_back(i);
    if (wrong.empty())
      return is_finite(x);
    if (wrong.size() < fewest)
    {
      fewest = wrong.size();
      left = patience;
    }
    else if (left-- == 0)
      return descend(b, right_side, tolerance, x);
    for (const unsigned int i : wrong)
      is_active[i] = !is_active[i];
  }
}

/// The method of Lawson & Hanson, from the positive part of @p x.
bool
LinearComplementarity::descend(const Vector &b, const Vector &right_side, const double tolerance,
                               Vector &x)
{
  const unsigned int n = x.size();
  for (unsigned int i = 0; i < n; ++i)
  {
    is_active[i] = is_active[i] && x[i] > 0;
    if (!is_active[i])
      x[i] = 0;
  }
  Vector aim, share(n);
  std::vector<char> is_useless(n, 0); // by rounding: it would not become positive
  unsigned int last = n;              // that has become active
  for (unsigned int iteration = 0; iteration < most_iterations; ++iteration)
  {
    aim = right_side;
    solve_active(aim);
    // as far as nothing becomes negative
    double way = 1;
    for (unsigned int i = 0; i < n; ++i)
      if (is_active[i] && aim[i] < 0)
        way = std::min(way, share[i] = x[i] / (x[i] - aim[i]));
    if (way > 0)
      std::fill(is_useless.begin(), is_useless.end(), 0);
    else if (last < n && aim[last] < 0)
      is_useless[last] = 1;
    for (unsigned int i = 0; i < n; ++i)
    {
      if (!is_active[i])
        continue;
      const bool ends = aim[i] < 0 && share[i] <= way;
      x[i] = ends ? 0 : way == 1 ? aim[i] : x[i] + way * (aim[i] - x[i]);
      is_active[i] = !ends;
    }
    if (way < 1)
      continue;
    double largest = share_of_row * tolerance;
    last = n;
    for (unsigned int i = 0; i < n; ++i)
      if (const double missing = is_active[i] || is_useless[i] ? 0 : -residual(b, x, i);
          missing > largest)
      {
        largest = missing;
        last = i;
      }
    if (last == n)
      return is_finite(x);
    is_active[last] = true;
  }
  return false;
}

/// The right-hand side becomes the solution; what is not active becomes zero.
void
LinearComplementarity::solve_active(Vector &x)
{
  const unsigned int n = x.size();
  std::vector<unsigned int> changed;
  if (!is_in_factor.empty())
    for (unsigned int i = 0; i < n; ++i)
      if (is_active[i] != is_in_factor[i])
        changed.push_back(i);
  if (is_in_factor.empty() || changed.size() > most_changes)
  {
    factorise();
    changed.clear();
  }
  // [ A  B ] [ x ]   [ b ]   A: in the factor; B: columns of those that are not in it, unit vectors
  // [ B' C ] [ y ] = [ c ]   for those that are to be zero; C and c of the first kind alone
  const unsigned int m = changed.size();
  Vector schur(m * m), y(m); // y: c, and what becomes of it
  std::vector<const Vector *> solved;
  for (unsigned int k = 0; k < m; ++k)
    if (is_active[changed[k]])
      y[k] = x[changed[k]];
  for (unsigned int i = 0; i < n; ++i)
    if (!is_in_factor[i])
      x[i] = 0;
  factor.solve(x);
  const auto product = [this](const unsigned int unknown, const Vector &vector)
  {
    if (is_in_factor[unknown])
      return vector[unknown];
    double sum = 0;
    for (const auto &[j, value] : matrix.row(unknown))
      sum += value * vector[j]; // zero if not in the factor
    return sum;
  };
  for (unsigned int k = 0; k < m; ++k)
    solved.push_back(&column(changed[k]));
  for (unsigned int k = 0; k < m; ++k)
  {
    y[k] -= product(changed[k], x);
    for (unsigned int l = 0; l < m; ++l)
      schur[k * m + l] = -product(changed[k], *solved[l]);
    if (!is_in_factor[changed[k]])
      for (unsigned int l = 0; l < m; ++l)
        if (!is_in_factor[changed[l]])
          for (const auto &[j, value] : matrix.row(changed[k]))
            if (j == changed[l])
              schur[k * m + l] += k == l ? (1 + proximal_share) * value : value;
  }
  eliminate(schur, y);
  for (unsigned int k = 0; k < m; ++k)
    for (unsigned int i = 0; i < n; ++i)
      x[i] -= y[k] * (*solved[k])[i];
  for (unsigned int k = 0; k < m; ++k)
    x[changed[k]] = is_active[changed[k]] ? y[k] : 0.;
}

void
LinearComplementarity::factorise()
{
  is_in_factor = is_active;
  columns.clear();
  factor.begin(is_active);
  for (unsigned int i = 0; i < is_active.size(); ++i)
    if (is_active[i])
      for (const auto &[j, value] : matrix.row(i))
        if (j <= i && is_active[j])
          factor.add(i, j, j == i ? (1 + proximal_share) * value : value);
  factor.factorise();
  // a factor costs as much as a quarter of its mean row's entries solutions
  most_changes = std::min<std::size_t>(most_bordered,
                                       factor.n_entries() / (4 * std::max(1u, factor.n_rows())));
}

const LinearComplementarity::Vector &
LinearComplementarity::column(const unsigned int unknown)
{
  const auto entry = columns.find(unknown);
  if (entry != columns.end())
    return entry->second;
  Vector &result = columns[unknown];
  result.assign(is_active.size(), 0.);
  if (is_in_factor[unknown])
    result[unknown] = 1;
  else
    for (const auto &[j, value] : matrix.row(unknown))
      if (is_in_factor[j])
        result[j] = value;
  factor.solve(result);
  return result;
}
} // namespace KickDrift
