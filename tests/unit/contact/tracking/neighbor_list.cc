#include <kickdrift/contact/tracking/neighbor_list.h>

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace KickDrift;
using Vector = dealii::Tensor<1, 3>;

namespace
{
/// Clouds of points that fly, are kicked and pushed at random; every point is a target.
struct Clouds
{
  static constexpr double radius = 0.3, length = 0.2;

  explicit Clouds(const unsigned int seed) : random(seed)
  {
    for (unsigned int body = 0; body < 5; ++body)
    {
      const Vector velocity({-2. * body, 0, 0}); // they fly through each other
      const dealii::Point<3> centre(4. * body, 0, 0);
      for (unsigned int i = 0; i < 40; ++i)
      {
        const unsigned int node = nodes.add(centre + 2 * vector(1), 1);
        nodes.set_velocity(node, velocity + vector(0.05));
        surface.contactors.push_back({node, body, length});
      }
      surface.body_names.push_back("cloud");
    }
    bounds = std::make_unique<MotionBounds<3>>(nodes, surface);
    bounds->start();
    lists.resize(nodes.size());
  }

  Vector
  vector(const double largest)
  {
    std::uniform_real_distribution<double> component(-largest, largest);
    return Vector({component(random), component(random), component(random)});
  }

  void
  advance(const double by)
  {
    time += by;
    for (unsigned int node = 0; node < nodes.size(); ++node)
      nodes[node].drift(time);
    for (unsigned int i = 0; i < 5; ++i)
    {
      const std::vector<unsigned int> kicked = {static_cast<unsigned int>(random() % nodes.size())};
      nodes.set_velocity(kicked[0], nodes.velocity(kicked[0]) + vector(0.1));
      bounds->check(dealii::make_array_view(kicked), time);
      const Vector push = vector(0.01);
      nodes.set_displacement(kicked[0], nodes.displacement(kicked[0]) + push);
      bounds->moved(bounds->body_of(kicked[0]), push.norm(), time);
    }
    bounds->shrink(random() % 5, time);
    bounds->forget();
  }

  double
  distance(const unsigned int a, const unsigned int b) const
  {
    return nodes.position(a).distance(nodes.position(b));
  }

  void
  fill(const unsigned int c)
  {
    ++n_fills;
    NeighborList<3> &list = lists[c];
    const auto point = nodes.position(c);
    const double reach = list.reach_for(radius, length);
    list.begin({&point, 1}, time, reach, *bounds);
    for (unsigned int body = 0; body < 5; ++body)
    {
      double nearest = std::numeric_limits<double>::infinity();
      for (unsigned int node = 0; node < nodes.size(); ++node)
        if (node != c && bounds->body_of(node) == body)
          nearest = std::min(nearest, distance(c, node));
      if (nearest > NeighborList<3>::watched * reach)
      {
        list.rule_out(nearest);
        continue;
      }
      list.add_body(body, std::max(reach, nearest), *bounds);
      for (unsigned int node = 0; node < nodes.size(); ++node)
        if (node != c && bounds->body_of(node) == body && distance(c, node) <= reach)
          list.add(node, distance(c, node));
    }
    list.end();
  }

  /// Compare what the list of a contactor says with all targets.
  void
  check(const unsigned int c)
  {
    const auto point = nodes.position(c);
    const NeighborList<3>::Points points(&point, 1);
    if (!lists[c].holds(points, time, radius, *bounds))
    {
      fill(c);
      ASSERT_TRUE(lists[c].holds(points, time, radius, *bounds));
    }
    std::set<unsigned int> listed;
    for (const auto &target : lists[c].targets())
    {
      listed.insert(target.index);
      ASSERT_LE(lists[c].distance(target), distance(c, target.index) + 1e-12);
      ASSERT_LE(lists[c].distance_from_here_on(target), lists[c].distance(target));
    }
    for (unsigned int node = 0; node < nodes.size(); ++node)
      if (node != c && listed.count(node) == 0)
      {
        ASSERT_GT(distance(c, node), radius);
        const double range = lists[c].range(bounds->body_of(node), points, time, *bounds);
        ASSERT_TRUE(std::isinf(range) || distance(c, node) >= range - 1e-12);
      }
  }

  std::mt19937 random;
  NodeTable<3> nodes;
  Surface<3> surface;
  std::unique_ptr<MotionBounds<3>> bounds;
  std::vector<NeighborList<3>> lists;
  double time = 0;
  unsigned int n_fills = 0;
};
} // namespace

TEST(NeighborList, nothing_comes_near_unlisted)
{
  for (const unsigned int seed : {1, 2, 3})
  {
    Clouds clouds(seed);
    const unsigned int n_steps = 120;
    for (unsigned int step = 0; step < n_steps; ++step)
    {
      clouds.advance(0.02);
      for (unsigned int c = 0; c < clouds.nodes.size(); c += 3)
        clouds.check(c);
    }
    // lists last
    EXPECT_LT(clouds.n_fills, 0.5 * n_steps * clouds.nodes.size() / 3);
  }
}
