// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/base/envelope_cholesky.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace KickDrift
{
namespace
{
/// In a fixed order of sums that several lanes can work on.
__attribute__((always_inline)) inline double
product(const double *const x, const double *const y, const std::size_t n)
{
  constexpr std::size_t n_lanes = 8;
  double sums[n_lanes] = {};
  std::size_t k = 0;
  for (; k + n_lanes <= n; k += n_lanes)
    for (std::size_t lane = 0; lane < n_lanes; ++lane)
      sums[lane] += x[k + lane] * y[k + lane];
  double sum = 0;
  for (; k < n; ++k)
    sum += x[k] * y[k];
  for (const double of_lane : sums)
    sum += of_lane;
  return sum;
}
} // namespace

// Compiled once for each width of lanes, of which the machine at hand takes one. Sanitizers cannot
// choose before they have begun.
#if defined(__x86_64__) && __GNUC__ >= 12 && !defined(__clang__) && defined(__GLIBC__) &&          \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define KICKDRIFT_CLONES                                                                           \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define KICKDRIFT_CLONES
#endif

// dealii::SparsityTools::reorder_Cuthill_McKee() wants the pattern entry by entry: for the contacts
// of two meshes of 16 x 16 faces that takes twice as long as this, and longer than the factor.
void
EnvelopeCholesky::set_pattern(const unsigned int n, CompressedRows<unsigned int> new_cliques)
{
  cliques = std::move(new_cliques);
  std::vector<std::pair<unsigned int, unsigned int>> pairs;
  pairs.reserve(cliques.n_entries());
  n_neighbours.assign(n, 0);
  for (unsigned int c = 0; c < cliques.n_rows(); ++c)
    for (const unsigned int i : cliques.row(c))
    {
      pairs.emplace_back(i, c);
      n_neighbours[i] += cliques.row(c).size();
    }
  cliques_of = CompressedRows<unsigned int>::from_pairs(std::move(pairs), n);
  order.clear();
  is_found.assign(n, 0);
  is_clique_done.assign(cliques.n_rows(), 0);
  for (unsigned int i = 0; i < n; ++i)
    if (!is_found[i])
      number_from(furthest_from(furthest_from(i)));
  std::reverse(order.begin(), order.end());
}

/// The unknown that is found last on the way through what hangs together with @p unknown.
unsigned int
EnvelopeCholesky::furthest_from(const unsigned int unknown)
{
  const std::size_t n_before = order.size();
  number_from(unknown);
  const unsigned int last = order.back();
  for (std::size_t k = n_before; k < order.size(); ++k)
  {
    is_found[order[k]] = 0;
    for (const unsigned int c : cliques_of.row(order[k]))
      is_clique_done[c] = 0;
  }
  order.resize(n_before);
  return last;
}

/// Put what hangs together with @p unknown in order, neighbours of few others first.
void
EnvelopeCholesky::number_from(const unsigned int unknown)
{
  std::size_t next = order.size();
  order.push_back(unknown);
  is_found[unknown] = 1;
  for (; next < order.size(); ++next)
  {
    found.clear();
    for (const unsigned int c : cliques_of.row(order[next]))
    {
      if (is_clique_done[c])
        continue;
      is_clique_done[c] = 1;
      for (const unsigned int i : cliques.row(c))
        if (!is_found[i])
        {
          is_found[i] = 1;
          found.push_back(i);
        }
    }
    std::sort(found.begin(), found.end(),
              [this](const unsigned int i, const unsigned int j)
              { return std::make_pair(n_neighbours[i], i) < std::make_pair(n_neighbours[j], j); });
    order.insert(order.end(), found.begin(), found.end());
  }
}

void
EnvelopeCholesky::begin()
{
  begin(std::vector<char>(order.size(), 1));
}

void
EnvelopeCholesky::begin(const std::vector<char> &takes_part)
{
  rows.clear();
  places.resize(order.size());
  for (const unsigned int i : order)
    if (takes_part[i])
    {
      places[i] = rows.size();
      rows.push_back({places[i], i, 0});
    }
  for (unsigned int c = 0; c < cliques.n_rows(); ++c)
  {
    unsigned int first = rows.size();
    for (const unsigned int i : cliques.row(c))
      if (takes_part[i])
        first = std::min(first, places[i]);
    for (const unsigned int i : cliques.row(c))
      if (takes_part[i])
        rows[places[i]].first = std::min(rows[places[i]].first, first);
  }
  std::size_t n_entries = 0;
  for (unsigned int place = 0; place < rows.size(); ++place)
  {
    n_entries += place - rows[place].first + 1;
    rows[place].diagonal = n_entries - 1;
  }
  entries.assign(n_entries, 0.);
}

KICKDRIFT_CLONES void
EnvelopeCholesky::factorise()
{
  const unsigned int n = rows.size();
  for (unsigned int i = 0; i < n; ++i)
  {
    const unsigned int first = rows[i].first;
    double *const row = entries.data() + rows[i].diagonal - (i - first); // from first on
    double &diagonal = entries[rows[i].diagonal];
    const double least = n * std::numeric_limits<double>::epsilon() * diagonal;
    for (unsigned int j = first; j < i; ++j)
    {
      const unsigned int from = std::max(first, rows[j].first);
      const double *const other = entries.data() + rows[j].diagonal;
      row[j - first] =
          (row[j - first] - product(row + (from - first), other - (j - from), j - from)) / *other;
    }
    diagonal -= product(row, row, i - first);
    diagonal = diagonal > least ? std::sqrt(diagonal) : std::numeric_limits<double>::infinity();
  }
}

KICKDRIFT_CLONES void
EnvelopeCholesky::solve(std::vector<double> &b)
{
  const unsigned int n = rows.size();
  reordered.resize(n);
  const auto row_of = [this](const unsigned int i)
  { return entries.data() + rows[i].diagonal - (i - rows[i].first); };
  for (unsigned int i = 0; i < n; ++i)
  {
    const unsigned int first = rows[i].first;
    reordered[i] = (b[rows[i].unknown] - product(row_of(i), reordered.data() + first, i - first)) /
                   entries[rows[i].diagonal];
  }
  for (unsigned int i = n; i-- > 0;)
  {
    reordered[i] /= entries[rows[i].diagonal];
    const double *const row = row_of(i);
    for (unsigned int k = rows[i].first; k < i; ++k)
      reordered[k] -= row[k - rows[i].first] * reordered[i];
    b[rows[i].unknown] = reordered[i];
  }
}
#undef KICKDRIFT_CLONES
} // namespace KickDrift
