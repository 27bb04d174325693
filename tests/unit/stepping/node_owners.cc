#include <kickdrift/stepping/node_owners.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

using namespace KickDrift;

namespace
{
constexpr unsigned int n_nodes = 5000, n_classes = 4, n_ranks = 7;

struct Model
{
  Model()
  {
    std::mt19937 random(5);
    for (unsigned int node = 0; node < n_nodes; ++node)
    {
      // fine in the middle
      classes.push_back(std::min<unsigned int>(n_classes - 1, std::abs(int(node) - 2500) / 400));
      work.push_back(1 + random() % 8);
    }
  }
  std::vector<unsigned int> classes, work;
};
} // namespace

TEST(NodeOwners, every_process_has_its_share_of_every_class)
{
  const Model model;
  const NodeOwners owners(n_ranks, model.classes, model.work, {});
  std::vector<std::vector<double>> work(n_classes, std::vector<double>(n_ranks, 0.));
  std::vector<double> sums(n_classes, 0.);
  for (unsigned int node = 0; node < n_nodes; ++node)
  {
    ASSERT_LT(owners(node), n_ranks);
    work[model.classes[node]][owners(node)] += model.work[node];
    sums[model.classes[node]] += model.work[node];
  }
  for (unsigned int c = 0; c < n_classes; ++c)
    for (unsigned int rank = 0; rank < n_ranks; ++rank)
      EXPECT_NEAR(work[c][rank], sums[c] / n_ranks, 8) << c << " " << rank; // the work of a node
}

TEST(NodeOwners, pieces_of_a_class_are_in_one_piece_along_the_numbers)
{
  const Model model;
  const NodeOwners owners(n_ranks, model.classes, model.work, {});
  std::vector<unsigned int> last(n_classes, 0);
  for (unsigned int node = 0; node < n_nodes; ++node)
  {
    EXPECT_GE(owners(node), last[model.classes[node]]);
    last[model.classes[node]] = owners(node);
  }
}

TEST(NodeOwners, what_is_everybodys_is_held_by_all)
{
  const Model model;
  const NodeOwners owners(n_ranks, model.classes, model.work, {3, 2500});
  EXPECT_EQ(owners(3), NodeOwners::everybody);
  const std::vector<unsigned int> at_surface = {2, 3, 4}, inside = {10, 11};
  EXPECT_EQ(owners.holders(at_surface), std::vector<unsigned int>{NodeOwners::everybody});
  EXPECT_EQ(owners.holders(inside), std::vector<unsigned int>{0});
  for (unsigned int rank = 0; rank < n_ranks; ++rank)
  {
    EXPECT_TRUE(owners.is_held(at_surface, rank));
    EXPECT_EQ(owners.is_held(inside, rank), rank == 0);
  }
}

TEST(NodeOwners, more_processes_than_nodes)
{
  const NodeOwners owners(9, {0, 0, 1}, {1, 1, 1}, {1});
  for (const unsigned int node : {0u, 2u})
    EXPECT_LT(owners(node), 9u);
}
