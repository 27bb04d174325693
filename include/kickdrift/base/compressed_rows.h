#ifndef KICKDRIFT_BASE_COMPRESSED_ROWS_H
#define KICKDRIFT_BASE_COMPRESSED_ROWS_H

#include <deal.II/base/array_view.h>
#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace KickDrift
{
/**
 * Rows of different lengths, one after the other in one array (compressed row storage).
 *
 * Built at once by one of the functions from_*(), or row by row by push_back() and finish_row().
 */
template <typename T>
class CompressedRows
{
public:
  /// No rows.
  CompressedRows() : offsets(1, 0) {}

  /// Entry pair.second in row pair.first < @p n_rows; entries of a row become unique and ascending.
  static CompressedRows
  from_pairs(std::vector<std::pair<unsigned int, T>> pairs, const unsigned int n_rows)
  {
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    Assert(pairs.empty() || pairs.back().first < n_rows,
           dealii::ExcIndexRange(pairs.back().first, 0, n_rows));
    CompressedRows result;
    result.entries.reserve(pairs.size());
    result.offsets.reserve(n_rows + 1);
    auto pair = pairs.begin();
    for (unsigned int i = 0; i < n_rows; ++i)
    {
      for (; pair != pairs.end() && pair->first == i; ++pair)
        result.entries.push_back(pair->second);
      result.finish_row();
    }
    return result;
  }

  /// Row i with @p counts [i] entries T().
  static CompressedRows
  from_counts(const std::vector<unsigned int> &counts)
  {
    CompressedRows result;
    result.offsets.reserve(counts.size() + 1);
    for (const unsigned int count : counts)
      result.offsets.push_back(result.offsets.back() + count);
    result.entries.resize(result.offsets.back());
    return result;
  }

  /// Row i with the entries of @p rows [i], in their order.
  static CompressedRows
  from_rows(const std::vector<std::vector<T>> &rows)
  {
    CompressedRows result;
    result.offsets.reserve(rows.size() + 1);
    for (const std::vector<T> &row : rows)
    {
      result.entries.insert(result.entries.end(), row.begin(), row.end());
      result.finish_row();
    }
    return result;
  }

  /// Make room for @p n_entries entries of @p n_rows rows.
  void
  reserve(const unsigned int n_rows, const std::size_t n_entries)
  {
    offsets.reserve(n_rows + 1);
    entries.reserve(n_entries);
  }

  /// Append an entry to the row that the next finish_row() closes.
  void
  push_back(const T &entry)
  {
    entries.push_back(entry);
  }

  /// End the row of the entries appended since the last call.
  void
  finish_row()
  {
    offsets.push_back(entries.size());
  }

  /// Remove all rows; the memory is kept.
  void
  clear()
  {
    offsets.resize(1);
    entries.clear();
  }

  /// Number of (finished) rows.
  unsigned int
  n_rows() const
  {
    return offsets.size() - 1;
  }

  /// Number of entries of all rows.
  std::size_t
  n_entries() const
  {
    return entries.size();
  }

  /// Entries of row @p i.
  dealii::ArrayView<const T>
  row(const unsigned int i) const
  {
    AssertIndexRange(i, n_rows());
    return {entries.data() + offsets[i], offsets[i + 1] - offsets[i]};
  }

  /// Entries of row @p i.
  dealii::ArrayView<T>
  row(const unsigned int i)
  {
    AssertIndexRange(i, n_rows());
    return {entries.data() + offsets[i], offsets[i + 1] - offsets[i]};
  }

  /// Memory that the rows take [bytes].
  std::size_t
  memory_consumption() const
  {
    return offsets.capacity() * sizeof(std::size_t) + entries.capacity() * sizeof(T);
  }

private:
  std::vector<std::size_t> offsets; ///< of the rows' first entries, and of the end
  std::vector<T> entries;
};
} // namespace KickDrift

#endif
