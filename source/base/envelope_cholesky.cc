// SPDX-License-Identifier: LGPL-2.1-or-later
#include "lanes.h"
#include <kickdrift/base/envelope_cholesky.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace KickDrift
{
void
EnvelopeCholesky::begin()
{
  begin(std::vector<char>(n_unknowns(), 1));
}

void
EnvelopeCholesky::begin(const std::vector<char> &takes_part)
{
  entries.assign(begin_rows(takes_part), 0.);
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
          (row[j - first] - lane_product(row + (from - first), other - (j - from), j - from)) /
          *other;
    }
    diagonal -= lane_product(row, row, i - first);
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
    reordered[i] =
        (b[rows[i].unknown] - lane_product(row_of(i), reordered.data() + first, i - first)) /
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
} // namespace KickDrift
