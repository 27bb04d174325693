#include <kickdrift/contact/detection/face_detector.h>
#include <kickdrift/contact/geometry/closest_point.h>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>

using namespace KickDrift;
using Point = dealii::Point<3>;
using Vector = dealii::Tensor<1, 3>;

namespace
{
/// Where a point of a body is at a time.
using Motion = std::function<Point(const Point &, double)>;

/**
 * Bodies that move as they are told, through each other if need be, in straight lines within steps.
 * What the detector sees, and for how long it lets contactors sleep, is compared with a look at
 * every face.
 */
struct Scene
{
  static constexpr double radius = 0.3, length = 0.2, step = 0.02, largest_face = 0.4;

  void
  add_body(const Motion &motion)
  {
    surface.body_names.push_back("body");
    motions.push_back(motion);
  }

  /// The surface of a block of @p n cells as a part of the body that was added last.
  void
  add_block(const Point &corner, const Vector &size, const std::array<unsigned int, 3> &n)
  {
    using Place = std::array<unsigned int, 3>;
    const unsigned int body = surface.body_names.size() - 1;
    std::map<Place, unsigned int> numbers;
    const auto node = [&](const Place &place)
    {
      const auto known = numbers.find(place);
      if (known != numbers.end())
        return known->second;
      Point point = corner;
      for (unsigned int d = 0; d < 3; ++d)
        point[d] += size[d] * place[d] / n[d];
      const unsigned int number = nodes.add(point, 1);
      surface.contactors.push_back({number, body, length});
      return numbers[place] = number;
    };
    for (unsigned int d = 0; d < 3; ++d)
      for (const bool is_upper : {false, true})
      {
        const unsigned int a = (d + (is_upper ? 1 : 2)) % 3, b = (d + (is_upper ? 2 : 1)) % 3;
        for (unsigned int i = 0; i < n[a]; ++i)
          for (unsigned int j = 0; j < n[b]; ++j)
          {
            SurfaceFace<3> face;
            for (unsigned int k = 0; k < 4; ++k)
            {
              Place place;
              place[d] = is_upper ? n[d] : 0;
              place[a] = i + k % 2;
              place[b] = j + k / 2;
              face.nodes[k] = node(place);
            }
            face.n_nodes = 4;
            face.body = body;
            face.boundary_id = 0;
            surface.faces.push_back(face);
          }
      }
  }

  void
  start()
  {
    bounds = std::make_unique<MotionBounds<3>>(nodes, surface);
    bodies.resize(nodes.size());
    for (const Contactor &contactor : surface.contactors)
      bodies[contactor.nodes[0]] = contactor.body;
    faces_of_node.resize(nodes.size());
    for (unsigned int f = 0; f < surface.faces.size(); ++f)
      for (const unsigned int node : surface.faces[f].nodes)
        faces_of_node[node].push_back(f);
    find_normals();
    aim();
    bounds->start();
    search = std::make_unique<FaceSearch<3>>(nodes, surface, *bounds, type);
    search->build(0, 1e-6);
    detector = std::make_unique<FaceDetector<3>>(nodes, surface, exclusions, *search, *bounds);
    normal_changes.assign(motions.size(), 0);
    sleeps_until.assign(surface.contactors.size(), 0);
  }

  /// Velocities with which all nodes come where they must be after a step.
  void
  aim()
  {
    for (unsigned int node = 0; node < nodes.size(); ++node)
      nodes.set_velocity(
          node, (motions[bodies[node]](nodes.reference(node), time + step) - nodes.position(node)) /
                    step);
  }

  void
  advance()
  {
    time += step;
    for (unsigned int node = 0; node < nodes.size(); ++node)
      nodes[node].drift(time);
    find_normals();
    if (time >= search->next_fit())
      search->fit(time);
    for (unsigned int b = 0; b < normal_changes.size(); ++b)
    {
      if (normal_changes[b] != search->n_normal_changes(b))
        for (unsigned int c = 0; c < sleeps_until.size(); ++c)
          if (sleeps_until[c] > time && detector->may_wake(c, b, normal_changes[b], time))
          {
            sleeps_until[c] = time;
            ++n_wakes;
          }
      normal_changes[b] = search->n_normal_changes(b);
    }
    aim();
    std::vector<unsigned int> all(nodes.size());
    for (unsigned int node = 0; node < nodes.size(); ++node)
      all[node] = node;
    bounds->check(dealii::make_array_view(all), time);
    if (!bounds->broken().empty())
      sleeps_until.assign(sleeps_until.size(), time);
    bounds->forget();
    search->find_next_fit();
  }

  void
  find_normals()
  {
    normals.clear();
    for (const auto &face : surface.faces)
      normals.push_back(
          unit_normal(face, [&](const unsigned int node) { return nodes.position(node); }));
  }

  /// The nearest face that a contactor looks at beyond doubt, whatever reserves there are.
  FaceProjection<3>
  nearest_face(const unsigned int c) const
  {
    const unsigned int node = surface.contactors[c].nodes[0], body = bodies[node];
    const auto has_node = [&](const SurfaceFace<3> &face)
    { return std::find(face.nodes.begin(), face.nodes.end(), node) != face.nodes.end(); };
    Vector outward;
    for (const unsigned int f : faces_of_node[node])
      outward += normals[f];
    outward /= outward.norm();
    const Point point = nodes.position(node);
    FaceProjection<3> hit;
    for (unsigned int f = 0; f < surface.faces.size(); ++f)
    {
      const auto &face = surface.faces[f];
      if (point.distance(nodes.position(face.nodes[0])) > radius + largest_face)
        continue;
      std::array<Point, 4> x, reference;
      for (unsigned int i = 0; i < 4; ++i)
      {
        x[i] = nodes.position(face.nodes[i]);
        reference[i] = nodes.reference(face.nodes[i]);
      }
      const auto closest = closest_point<3>(x.data(), 4, point);
      if (closest.distance > radius || outward * closest.normal > -0.25 - 0.3 || has_node(face))
        continue;
      if (face.body == body &&
          closest_point<3>(reference.data(), 4, nodes.reference(node)).distance <
              2.5 * closest.distance)
        continue;
      if (hit.face != FaceProjection<3>::none && closest.distance >= hit.closest.distance)
        continue;
      hit.face = f;
      hit.closest = closest;
      hit.depth = -(closest.normal * (point - closest.point));
    }
    return hit;
  }

  /// Is a contactor inside another body? Those are convex.
  bool
  is_inside_other(const unsigned int c) const
  {
    const unsigned int node = surface.contactors[c].nodes[0];
    std::vector<char> is_inside(motions.size(), true);
    is_inside[bodies[node]] = false;
    for (unsigned int f = 0; f < surface.faces.size(); ++f)
    {
      const auto &face = surface.faces[f];
      if (normals[f] * (nodes.position(node) - nodes.position(face.nodes[0])) > 0)
        is_inside[face.body] = false;
    }
    return std::find(is_inside.begin(), is_inside.end(), true) != is_inside.end();
  }

  void
  check(const unsigned int c)
  {
    const FaceProjection<3> nearest = nearest_face(c);
    const bool is_awake = time >= sleeps_until[c];
    // some of those that sleep remember little, because nobody asks
    if (is_awake || c % 2 == 0)
      update(c, nearest, is_awake);
    // just behind: what comes in backwards, deep behind another face, is no contact
    const bool is_behind = nearest.face != FaceProjection<3>::none && nearest.depth > 0.01 &&
                           nearest.depth < 0.1 && nearest.depth > 0.99 * nearest.closest.distance;
    n_touching += is_behind;
    ASSERT_FALSE(is_behind && !is_awake)
        << "contactor " << c << " sleeps at t = " << time << " behind face " << nearest.face;
    n_asleep += sleeps_until[c] > time;
  }

  void
  update(const unsigned int c, const FaceProjection<3> &nearest, const bool is_awake)
  {
    Detector<3> &base = *detector;
    const ContactPoint<3> touch = base.find({c, time, radius, false});
    if (nearest.face != FaceProjection<3>::none)
    {
      ++n_seen;
      ASSERT_TRUE(touch.sees) << "contactor " << c << " at t = " << time << " does not see face "
                              << nearest.face;
      ASSERT_LE(touch.distance, nearest.closest.distance + 1e-12);
    }
    if (is_awake && !touch.touches && !is_inside_other(c))
      sleeps_until[c] = base.free_interval(c, time, 0).until;
  }

  void
  run(const unsigned int n_steps, const unsigned int every)
  {
    start();
    for (unsigned int n = 0; n < n_steps && !testing::Test::HasFatalFailure(); ++n)
    {
      advance();
      for (unsigned int c = n % every; c < surface.contactors.size(); c += every)
        check(c);
    }
  }

  BroadPhaseType type = BroadPhaseType::hierarchy;
  NodeTable<3> nodes;
  Surface<3> surface;
  Exclusions exclusions;
  std::vector<std::vector<unsigned int>> faces_of_node;
  std::vector<Vector> normals;              ///< by face
  std::vector<Motion> motions;              ///< by body
  std::vector<unsigned int> bodies;         ///< by node
  std::vector<unsigned int> normal_changes; ///< by body: FaceSearch::n_normal_changes()
  std::vector<double> sleeps_until;         ///< by contactor
  std::unique_ptr<MotionBounds<3>> bounds;
  std::unique_ptr<FaceSearch<3>> search;
  std::unique_ptr<FaceDetector<3>> detector;
  double time = 0;
  unsigned int n_seen = 0, n_touching = 0, n_asleep = 0, n_wakes = 0;
};

Point
rotated(const Vector &arm, const Vector &spin, const double time)
{
  const double speed = spin.norm(), angle = speed * time;
  const Vector axis = spin / speed;
  return Point(std::cos(angle) * arm + std::sin(angle) * cross_product_3d(axis, arm) +
               (1 - std::cos(angle)) * (axis * arm) * axis);
}

/// A body that spins about @p centre, which moves.
Motion
spinning(const Point &centre, const Vector &velocity, const Vector &spin)
{
  return [=](const Point &point, const double time)
  { return rotated(point - centre, spin, time) + (centre + time * velocity - Point()); };
}
} // namespace

TEST(ContactNeighborhood, spinning_bodies_see_each_other)
{
  for (const unsigned int seed : {1, 2, 3, 4})
  {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> component(-1, 1);
    Scene scene;
    scene.type = seed == 4 ? BroadPhaseType::grid : BroadPhaseType::hierarchy;
    scene.add_body(spinning(Point(), Vector(), Vector({0, 0, 0.05})));
    scene.add_block(Point(-1, -1, -0.5), Vector({2, 2, 1}), {{8, 8, 4}});
    for (unsigned int i = 0; i < 3; ++i)
    {
      // they meet above the block, and fly through it
      const Vector velocity({0.3 * component(random), 0.3 * component(random), -0.5 - 0.2 * i});
      const Point centre =
          Point(0.2 * component(random), 0.2 * component(random), 0.6) - 1.6 * velocity;
      const Vector spin({2 * component(random), 2 * component(random), 3});
      scene.add_body(spinning(centre, velocity, spin));
      const double size = 0.3 + 0.1 * i;
      scene.add_block(centre - 0.5 * Vector({size, size, size}), Vector({size, size, size}),
                      {{2, 2, 2}});
    }
    scene.run(180, 6);
    EXPECT_GT(scene.n_seen, 100u);
    EXPECT_GT(scene.n_touching, 15u);
    EXPECT_GT(scene.n_asleep, 1500u);
  }
}

TEST(ContactNeighborhood, a_book_closes)
{
  // the body's own pages do not look at each other before they have turned; or nearly do from the
  // beginning, so that they are remembered without being looked at
  for (const auto &[opened, type] :
       {std::pair(0., BroadPhaseType::hierarchy), std::pair(1.75, BroadPhaseType::hierarchy),
        std::pair(0., BroadPhaseType::grid)})
  {
    Scene scene;
    scene.type = type;
    scene.add_body(
        [opened = opened](const Point &point, const double time)
        {
          return point[0] > 0 ? point
                              : rotated(point - Point(), Vector({0, 1, 0}),
                                        opened + std::max(0., time - 0.5));
        });
    scene.add_block(Point(0.1, 0, -1), Vector({2, 1, 1}), {{8, 4, 4}});
    scene.add_block(Point(-2.1, 0, -1), Vector({2, 1, 1}), {{8, 4, 4}});
    scene.run(188 - opened / Scene::step, 6);
    EXPECT_GT(scene.n_seen, 100u);
    EXPECT_GT(scene.n_touching, 10u);
    EXPECT_GT(scene.n_asleep, 1500u);
    EXPECT_GT(scene.n_wakes, 0u);
  }
}

TEST(ContactNeighborhood, a_piece_of_a_body_flies_around_another)
{
  // it begins deep behind the face that it comes to, and nothing turns
  Scene scene;
  scene.add_body(
      [](const Point &point, const double time)
      {
        if (point[0] > 0)
          return point;
        const double up = std::min(time, 1.5), right = std::min(std::max(0., time - 1.5), 4.),
                     down = std::min(std::max(0., time - 5.5), 1.5), left = std::max(0., time - 7.);
        return point + 2 * Vector({right - left, up - down, 0});
      });
  scene.add_block(Point(0.1, 0, 0), Vector({1, 1, 1}), {{4, 4, 4}});
  scene.add_block(Point(-3.1, 0.1, 0.1), Vector({1, 0.8, 0.8}), {{4, 4, 4}});
  scene.run(465, 6);
  EXPECT_GT(scene.n_seen, 80u);
  EXPECT_GT(scene.n_touching, 10u);
  EXPECT_GT(scene.n_asleep, 1500u);
}

TEST(ContactNeighborhood, a_small_book_trembles_and_closes)
{
  // so few faces that turns are remembered; a contactor that sleeps has turned little by little
  // since its list was made
  Scene scene;
  scene.add_body(
      [](const Point &point, const double time)
      {
        const Point trembling =
            point + 0.003 * std::sin(60 * time) * Vector({point[2], point[0], point[1]});
        return point[0] > 0
                   ? trembling
                   : rotated(trembling - Point(), Vector({0, 0.5, 0}), std::max(0., time - 1));
      });
  scene.add_block(Point(0.1, 0, -0.3), Vector({0.9, 0.3, 0.3}), {{3, 1, 1}});
  scene.add_block(Point(-1, 0, -0.3), Vector({0.9, 0.3, 0.3}), {{3, 1, 1}});
  scene.run(370, 2);
  EXPECT_GT(scene.n_seen, 50u);
  EXPECT_GT(scene.n_touching, 10u);
}
