// Rows of different lengths in one array: the same table, however it is built.

#include <kickdrift/base/compressed_rows.h>

#include <gtest/gtest.h>

namespace
{
using KickDrift::CompressedRows;

using Rows = std::vector<std::vector<unsigned int>>;

Rows
rows_of(const CompressedRows<unsigned int> &table)
{
  Rows rows;
  for (unsigned int i = 0; i < table.n_rows(); ++i)
    rows.emplace_back(table.row(i).begin(), table.row(i).end());
  return rows;
}

TEST(CompressedRows, has_no_rows_at_first)
{
  const CompressedRows<unsigned int> table;
  EXPECT_EQ(table.n_rows(), 0u);
  EXPECT_EQ(table.n_entries(), 0u);
}

TEST(CompressedRows, makes_entries_from_pairs_unique_and_ascending)
{
  const auto table =
      CompressedRows<unsigned int>::from_pairs({{3, 1}, {1, 9}, {1, 4}, {3, 1}, {1, 6}}, 5);
  EXPECT_EQ(rows_of(table), (Rows{{}, {4, 6, 9}, {}, {1}, {}}));
  EXPECT_EQ(table.n_entries(), 4u);
}

TEST(CompressedRows, keeps_the_order_of_rows_that_are_given)
{
  const Rows rows{{7, 2, 7}, {}, {1}};
  EXPECT_EQ(rows_of(CompressedRows<unsigned int>::from_rows(rows)), rows);
}

TEST(CompressedRows, can_be_filled_after_it_was_made_from_counts)
{
  auto table = CompressedRows<unsigned int>::from_counts({2, 0, 1});
  EXPECT_EQ(rows_of(table), (Rows{{0, 0}, {}, {0}}));
  table.row(0)[1] = 5;
  table.row(2)[0] = 8;
  EXPECT_EQ(rows_of(table), (Rows{{0, 5}, {}, {8}}));
}

TEST(CompressedRows, grows_row_by_row)
{
  CompressedRows<unsigned int> table;
  table.push_back(4);
  table.push_back(3);
  EXPECT_EQ(table.n_rows(), 0u); // not finished
  table.finish_row();
  table.finish_row();
  EXPECT_EQ(rows_of(table), (Rows{{4, 3}, {}}));
  table.clear();
  EXPECT_EQ(table.n_rows(), 0u);
  table.push_back(1);
  table.finish_row();
  EXPECT_EQ(rows_of(table), (Rows{{1}}));
}
} // namespace
