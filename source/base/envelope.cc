// SPDX-License-Identifier: LGPL-2.1-or-later
#include <kickdrift/base/envelope.h>

#include <algorithm>
#include <utility>

namespace KickDrift
{
// dealii::SparsityTools::reorder_Cuthill_McKee() wants the pattern entry by entry: for the contacts
// of two meshes of 16 x 16 faces that takes twice as long as this, and longer than the factor.
void
Envelope::set_pattern(const unsigned int n, CompressedRows<unsigned int> new_cliques)
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
Envelope::furthest_from(const unsigned int unknown)
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
Envelope::number_from(const unsigned int unknown)
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

std::size_t
Envelope::begin_rows(const std::vector<char> &takes_part)
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
  return n_entries;
}
} // namespace KickDrift
