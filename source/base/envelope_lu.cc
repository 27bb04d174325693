// SPDX-License-Identifier: LGPL-2.1-or-later
#include "lanes.h"
#include <kickdrift/base/envelope_lu.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
void
EnvelopeLu::begin()
{
  const std::size_t n_entries = begin_rows(std::vector<char>(n_unknowns(), 1));
  lower.assign(n_entries, 0.);
  upper.assign(n_entries, 0.);
}

KICKDRIFT_CLONES void
EnvelopeLu::factorise()
{
  const unsigned int n = rows.size();
  for (unsigned int i = 0; i < n; ++i)
  {
    const unsigned int first = rows[i].first;
    // from first on
    double *const row = lower.data() + rows[i].diagonal - (i - first);
    double *const column = upper.data() + rows[i].diagonal - (i - first);
    double &diagonal = column[i - first];
    const double least = n * std::numeric_limits<double>::epsilon() * std::abs(diagonal);
    for (unsigned int j = first; j < i; ++j)
    {
      const unsigned int from = std::max(first, rows[j].first), length = j - from;
      const double *const row_j = lower.data() + rows[j].diagonal - length;
      const double *const column_j = upper.data() + rows[j].diagonal - length;
      row[j - first] = (row[j - first] - lane_product(row + (from - first), column_j, length)) /
                       column_j[length];
      column[j - first] -= lane_product(row_j, column + (from - first), length);
    }
    diagonal -= lane_product(row, column, i - first);
    if (!(std::abs(diagonal) > least))
      diagonal = std::numeric_limits<double>::infinity();
  }
}

KICKDRIFT_CLONES void
EnvelopeLu::solve(std::vector<double> &b)
{
  const unsigned int n = rows.size();
  reordered.resize(n);
  for (unsigned int i = 0; i < n; ++i)
  {
    const unsigned int first = rows[i].first;
    const double *const row = lower.data() + rows[i].diagonal - (i - first);
    reordered[i] = b[rows[i].unknown] - lane_product(row, reordered.data() + first, i - first);
  }
  for (unsigned int i = n; i-- > 0;)
  {
    const unsigned int first = rows[i].first;
    const double *const column = upper.data() + rows[i].diagonal - (i - first);
    reordered[i] /= column[i - first];
    for (unsigned int k = first; k < i; ++k)
      reordered[k] -= column[k - first] * reordered[i];
    b[rows[i].unknown] = reordered[i];
  }
}
} // namespace KickDrift
