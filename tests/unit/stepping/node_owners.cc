#include <kickdrift/stepping/division/division.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>
#include <utility>
#include <vector>

using namespace KickDrift;
using namespace dealii;

namespace
{
/// A lattice of squares, or several of them, whose cells are kicks.
struct Lattice
{
  /// @param place of a corner of the lattice, on which nx x ny cells of length 1 begin
  template <typename ClassOf>
  void
  add(const unsigned int nx, const unsigned int ny, const ClassOf &class_of,
      const Point<2> &place = Point<2>(), const double noise = 0)
  {
    std::uniform_real_distribution<double> shift(-noise, noise);
    const unsigned int first = nodes.size();
    for (unsigned int i = 0; i <= nx; ++i)
      for (unsigned int j = 0; j <= ny; ++j)
        nodes.add(Point<2>(place[0] + i + shift(random), place[1] + j + shift(random)), 1.);
    for (unsigned int i = 0; i < nx; ++i)
      for (unsigned int j = 0; j < ny; ++j)
      {
        for (const unsigned int corner : {0, 1, 2, 3})
          cells.push_back(first + (i + corner % 2) * (ny + 1) + j + corner / 2);
        cells.finish_row();
        classes.push_back(class_of(i, j));
      }
  }

  NodeOwners
  divide(const unsigned int n_ranks, const std::vector<unsigned int> &for_all = {}) const
  {
    return divide_nodes(nodes, cells, classes, n_ranks, for_all);
  }

  std::vector<unsigned int>
  cell(const unsigned int c) const
  {
    return {cells.row(c).begin(), cells.row(c).end()};
  }

  /// Cells that a process holds, by class.
  std::vector<unsigned int>
  held(const NodeOwners &owners, const unsigned int rank) const
  {
    std::vector<unsigned int> result(1 + *std::max_element(classes.begin(), classes.end()), 0);
    for (unsigned int c = 0; c < classes.size(); ++c)
      result[classes[c]] += owners.is_held(cell(c), rank);
    return result;
  }

  unsigned int
  n_held(const NodeOwners &owners, const unsigned int n_ranks) const
  {
    unsigned int result = 0;
    for (unsigned int rank = 0; rank < n_ranks; ++rank)
      for (const unsigned int n : held(owners, rank))
        result += n;
    return result;
  }

  NodeTable<2> nodes;
  CompressedRows<unsigned int> cells;
  std::vector<unsigned int> classes;
  std::mt19937 random{5};
};

const auto all_alike = [](unsigned int, unsigned int) { return 0u; };
} // namespace

TEST(NodeOwners, every_process_has_its_share_of_every_class)
{
  Lattice lattice; // fine in the middle
  lattice.add(120, 24,
              [](const unsigned int i, unsigned int)
              { return std::min(3u, static_cast<unsigned int>(std::abs(int(i) - 60) / 10)); });
  for (const unsigned int n_ranks : {2, 3, 7})
  {
    const NodeOwners owners = lattice.divide(n_ranks);
    std::vector<double> of_all(4, 0.);
    for (const unsigned int c : lattice.classes)
      ++of_all[c];
    for (unsigned int rank = 0; rank < n_ranks; ++rank)
    {
      const auto held = lattice.held(owners, rank);
      for (unsigned int c = 0; c < 4; ++c)
      {
        EXPECT_GT(held[c], of_all[c] / n_ranks * 0.9) << n_ranks << " " << rank << " " << c;
        EXPECT_LT(held[c], of_all[c] / n_ranks * 1.5) << n_ranks << " " << rank << " " << c;
      }
    }
  }
}

/// A strip is cut across, a square in quarters; the cells along each cut are held twice.
TEST(NodeOwners, cuts_are_short)
{
  Lattice strip, square;
  strip.add(99, 10, all_alike);
  square.add(39, 39, all_alike);
  EXPECT_EQ(strip.n_held(strip.divide(2), 2), 990 + 10);
  // a cut that ends within a column of nodes costs one more
  EXPECT_LE(strip.n_held(strip.divide(4), 4), 990 + 3 * (10 + 1));
  // of four processes the one cell in the middle is held by all
  EXPECT_EQ(square.n_held(square.divide(4), 4), 39 * 39 + 2 * 39 + 1);
}

/// A cut that ends within a line of nodes takes them in their order.
TEST(NodeOwners, rounding_of_positions_does_not_fray_cuts)
{
  Lattice exact, rounded;
  exact.add(40, 40, all_alike);
  rounded.add(40, 40, all_alike, Point<2>(), 1e-13);
  EXPECT_EQ(rounded.n_held(rounded.divide(4), 4), exact.n_held(exact.divide(4), 4));
}

/// The coarse layer on a fine one would be cut the other way if it were alone.
TEST(NodeOwners, classes_are_cut_beside_each_other)
{
  Lattice lattice;
  lattice.add(39, 55, [](unsigned int, const unsigned int j) { return j < 10 ? 0u : 1u; });
  EXPECT_EQ(lattice.n_held(lattice.divide(2), 2), 39 * 55 + 55);
}

/// A class whose cells are long the other way is cut where it is short.
TEST(NodeOwners, classes_are_cut_each_along_its_own_axis)
{
  Lattice lattice; // an L whose arms do not touch
  lattice.add(59, 6, all_alike);
  lattice.add(
      6, 59, [](unsigned int, unsigned int) { return 1u; }, Point<2>(100, 0));
  EXPECT_EQ(lattice.n_held(lattice.divide(2), 2), 2 * 59 * 6 + 2 * 6);
}

/// Of three processes the first has a third: that of the coarse class is beside that of the fine
/// one.
TEST(NodeOwners, thirds_of_classes_are_beside_each_other)
{
  Lattice lattice;
  lattice.add(90, 20, [](const unsigned int i, unsigned int) { return i < 60 ? 1u : 0u; });
  EXPECT_LE(lattice.n_held(lattice.divide(3), 3), 90 * 20 + 4 * (20 + 1));
}

/// Small bodies far from each other, and from one that is everybody's, are cut as if they were
/// alone.
TEST(NodeOwners, distances_do_not_matter)
{
  for (const bool has_far_one : {false, true})
  {
    Lattice lattice;
    lattice.add(9, 9, all_alike);
    std::vector<unsigned int> for_all;
    if (has_far_one)
    {
      for_all.push_back(lattice.nodes.size());
      lattice.nodes.add(Point<2>(1e12, 0), 1.);
    }
    else
      lattice.nodes.add(Point<2>(1e8, 0), 1.);
    EXPECT_LE(lattice.n_held(lattice.divide(2, for_all), 2), 81 + 9 + 1);
  }
}

TEST(NodeOwners, boxes_are_cut_across)
{
  for (unsigned int longest = 0; longest < 3; ++longest)
  {
    std::array<unsigned int, 3> n = {3, 3, 3};
    n[longest] = 19;
    NodeTable<3> nodes;
    CompressedRows<unsigned int> cells;
    const auto index = [&](const unsigned int i, const unsigned int j, const unsigned int k)
    { return (i * (n[1] + 1) + j) * (n[2] + 1) + k; };
    for (unsigned int i = 0; i <= n[0]; ++i)
      for (unsigned int j = 0; j <= n[1]; ++j)
        for (unsigned int k = 0; k <= n[2]; ++k)
        {
          nodes.add(Point<3>(i, j, k), 1.);
          if (i == n[0] || j == n[1] || k == n[2])
            continue;
          for (unsigned int corner = 0; corner < 8; ++corner)
            cells.push_back(index(i + corner % 2, j + corner / 2 % 2, k + corner / 4));
          cells.finish_row();
        }
    const std::vector<unsigned int> classes(cells.n_rows(), 0);
    const NodeOwners owners = divide_nodes(nodes, cells, classes, 2, {});
    unsigned int n_held = 0;
    for (unsigned int c = 0; c < cells.n_rows(); ++c)
      for (unsigned int rank = 0; rank < 2; ++rank)
        n_held += owners.is_held({cells.row(c).begin(), cells.row(c).end()}, rank);
    EXPECT_EQ(n_held, 9 * 19 + 9);
  }
}

TEST(NodeOwners, bodies_are_not_cut_for_their_own_sake)
{
  Lattice lattice;
  for (const double x : {0., 20., 40., 60.})
    lattice.add(9, 9, all_alike, Point<2>(x, 0));
  for (const unsigned int n_ranks : {2, 4})
    EXPECT_EQ(lattice.n_held(lattice.divide(n_ranks), n_ranks), 4 * 81);
}

TEST(NodeOwners, what_is_everybodys_is_held_by_all)
{
  Lattice lattice;
  lattice.add(9, 1, all_alike);
  const NodeOwners owners = lattice.divide(3, {0, 1});
  EXPECT_EQ(owners(0), NodeOwners::everybody);
  EXPECT_EQ(owners(1), NodeOwners::everybody);
  EXPECT_EQ(owners.holders(lattice.cell(0)), std::vector<unsigned int>{NodeOwners::everybody});
  for (unsigned int rank = 0; rank < 3; ++rank)
    EXPECT_TRUE(owners.is_held(lattice.cell(0), rank));
  const unsigned int last = owners(19);
  EXPECT_EQ(owners.holders(lattice.cell(8)), std::vector<unsigned int>{last});
  for (unsigned int rank = 0; rank < 3; ++rank)
    EXPECT_EQ(owners.is_held(lattice.cell(8), rank), rank == last);
}

TEST(NodeOwners, every_node_has_one)
{
  Lattice lattice; // the last three in one place, without kicks
  lattice.add(1, 1, all_alike);
  for (unsigned int i = 0; i < 3; ++i)
    lattice.nodes.add(Point<2>(7, 7), 1.);
  for (const unsigned int n_ranks : {2, 3, 9})
  {
    const NodeOwners owners = lattice.divide(n_ranks);
    ASSERT_EQ(owners.size(), 7);
    for (unsigned int node = 0; node < 7; ++node)
      EXPECT_LT(owners(node), n_ranks);
  }
  EXPECT_EQ(divide_nodes(NodeTable<3>(), CompressedRows<unsigned int>(), {}, 4, {}).size(), 0);
}

/// Nodes that all have to know at one side of a lattice or everywhere. Counted by hand: cells of
/// the side are n, nodes n + 1.
TEST(NodeOwners, telling_pays_if_there_are_more_kicks_than_nodes_and_messages_cost)
{
  enum Place
  {
    side,
    everywhere
  };
  const auto pays = [](const unsigned int n, const unsigned int n_ranks, const Place place,
                       const unsigned int step_class)
  {
    Lattice lattice;
    lattice.add(n, 20, [&](unsigned int, unsigned int) { return step_class; });
    NodesOfAll nodes;
    for (unsigned int i = 0; i <= n; ++i)
      for (unsigned int j = 0; j <= 20; ++j)
        if (place == everywhere || j == 0)
          nodes.known.push_back(i * 21 + j);
    return pays_to_tell(lattice.cells, lattice.classes, lattice.divide(n_ranks), nodes, n_ranks);
  };
  // on two processes half of the kicks of the side are saved, for a third of as many nodes
  EXPECT_TRUE(pays(100, 2, side, 0));
  EXPECT_FALSE(pays(100, 1, side, 0));
  // of three in a row two have one more message to send, worth a hundred kicks
  EXPECT_FALSE(pays(250, 3, side, 0)); // 167 against 75 + 100
  EXPECT_TRUE(pays(300, 3, side, 0));  // 200 against 90 + 100
  EXPECT_TRUE(pays(300, 3, side, 2)) << "as often as all others";
  EXPECT_FALSE(pays(300, 8, side, 0)); // 263 against 90 + 600
  EXPECT_TRUE(pays(300, 8, everywhere, 0));
}

/// Where one of the nodes of a kick is everybody's all give it anyway.
TEST(NodeOwners, telling_saves_no_kicks_that_all_give)
{
  Lattice lattice;
  lattice.add(100, 1, all_alike);
  NodesOfAll nodes;
  for (unsigned int i = 0; i <= 100; ++i)
  {
    nodes.known.push_back(2 * i);
    nodes.kicked.push_back(2 * i + 1);
  }
  EXPECT_FALSE(
      pays_to_tell(lattice.cells, lattice.classes, lattice.divide(2, nodes.kicked), nodes, 2));
  EXPECT_TRUE(pays_to_tell(lattice.cells, lattice.classes, lattice.divide(2), nodes, 2));
}
