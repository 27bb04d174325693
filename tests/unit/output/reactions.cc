// Shares of supports in the reactions of nodes that several of them hold.
#include <kickdrift/output/reactions.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <unistd.h>

using namespace KickDrift;
using Vector = dealii::Tensor<1, 3>;
namespace fs = std::filesystem;

namespace
{
/// Numbers of the last row of reactions.csv: time, then force and impulse of each support.
std::vector<double>
last_row(const fs::path &folder)
{
  std::ifstream file(folder / "reactions.csv");
  std::string line, last;
  while (std::getline(file, line))
    last = line;
  std::istringstream fields(last);
  std::vector<double> numbers;
  while (std::getline(fields, line, ','))
    numbers.push_back(std::stod(line));
  return numbers;
}

Vector
vector_at(const std::vector<double> &row, const unsigned int column)
{
  return Vector({row[column], row[column + 1], row[column + 2]});
}
} // namespace

TEST(Reactions, shares_lie_along_the_directions_and_sum_up)
{
  const fs::path folder =
      fs::temp_directory_path() / ("kickdrift-reactions-" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::mt19937 random(42);
  std::normal_distribution<double> number;
  const auto random_vector = [&] {
    return Vector({number(random), number(random), number(random)});
  };
  for (unsigned int run = 0; run < 50; ++run)
  {
    NodeTable<3> nodes;
    nodes.add({}, 2.);
    nodes.add({}, 3.);
    // the last support holds what the first holds already
    const Vector a = random_vector(), b = random_vector(), c = random_vector();
    std::vector<Support<3>> supports = {
        {"a", {0, 1}, {a}}, {"b", {0}, {b}}, {"c", {0}, {c}}, {"again", {0, 1}, {-2. * a}}};
    supports.resize(1 + run % 4);
    for (const auto &support : supports)
      for (const unsigned int node : support.nodes)
        for (const auto &direction : support.directions)
          nodes.restraints.add(node, direction);

    ReactionsRecorder<3> recorder(folder.string(), supports);
    const ContactStatistics<3> contact;
    recorder.record({0, 0., nodes, {}, 0., 0, contact});
    Vector first;
    for (unsigned int interval = 1; interval <= 2; ++interval)
    {
      for (unsigned int node = 0; node < 2; ++node)
        nodes.apply_impulse(node, random_vector());
      recorder.record({interval, 0.5 * interval, nodes, {}, 0., 0, contact});
      const auto row = last_row(folder);
      Vector sum;
      for (unsigned int s = 0; s < supports.size(); ++s)
      {
        const Vector impulse = vector_at(row, 6 * s + 4), d = supports[s].directions[0];
        EXPECT_LT(cross_product_3d(impulse, d).norm(), 1e-12 * (1 + impulse.norm()) * d.norm());
        sum += impulse;
      }
      const Vector reactions = nodes.restraints.reaction(0) + nodes.restraints.reaction(1);
      EXPECT_LT((sum - reactions).norm(), 1e-10 * reactions.norm());
      const Vector force = vector_at(row, 1), now = vector_at(row, 4);
      EXPECT_LT((force - (now - first) / 0.5).norm(), 1e-12 * (1 + force.norm()));
      first = now;
      if (supports.size() == 4)
      {
        EXPECT_EQ(vector_at(row, 6 * 3 + 4).norm(), 0);
      }
    }
  }
  fs::remove_all(folder);
}
