#include <kickdrift/contact/detection/face_detector.h>
#include <kickdrift/contact/geometry/closest_point.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <random>

using namespace KickDrift;

namespace
{
/// Boxes whose nodes have been moved by a little and fly on, and how they are tested.
template <int dim>
struct Flight
{
  using Point = dealii::Point<dim>;
  using Vector = dealii::Tensor<1, dim>;
  using Place = std::array<unsigned int, dim>;
  using Tests = std::vector<PendingTest<dim>>;

  /// The surface of a box with its own velocity, in 3D of quadrilaterals or triangles.
  void
  add_box(const Point &lower, const Point &upper, const Place &n, const Vector &velocity,
          const bool triangles = false)
  {
    const unsigned int body = surface.body_names.size();
    surface.body_names.push_back("box");
    double length = 1e300;
    for (unsigned int d = 0; d < dim; ++d)
      length = std::min(length, (upper[d] - lower[d]) / n[d]);
    std::map<Place, unsigned int> numbers;
    const auto node = [&](const Place &place)
    {
      const auto [known, is_new] = numbers.emplace(place, nodes.size());
      if (!is_new)
        return known->second;
      Point x = lower;
      for (unsigned int d = 0; d < dim; ++d)
        x[d] += (upper[d] - lower[d]) * place[d] / n[d];
      surface.contactors.push_back({nodes.size(), body, length});
      nodes.set_velocity(nodes.add(x, 1), velocity);
      return known->second;
    };
    for (unsigned int d = 0; d < dim; ++d)
      for (const bool is_upper : {false, true})
        add_side(body, d, is_upper, n, node, triangles);
  }

  template <typename NodeAt>
  void
  add_side(const unsigned int body, const unsigned int d, const bool is_upper, const Place &n,
           const NodeAt &node, const bool triangles)
  {
    // such that the normal points outward
    const unsigned int a = dim == 2 ? 1 - d : (d + (is_upper ? 1 : 2)) % dim,
                       b = (d + (is_upper ? 2 : 1)) % dim;
    const auto at = [&](const unsigned int i, const unsigned int j)
    {
      Place place{};
      place[d] = is_upper ? n[d] : 0;
      place[a] = i;
      if (dim == 3)
        place[b] = j;
      return node(place);
    };
    for (unsigned int i = 0; i < n[a]; ++i)
      if constexpr (dim == 2)
      {
        const bool turn = is_upper != (d == 0);
        surface.faces.push_back({{{at(i + turn, 0), at(i + !turn, 0)}}, 2, body, 0});
      }
      else
        for (unsigned int j = 0; j < n[b]; ++j)
        {
          const unsigned int x[4] = {at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)};
          if (!triangles)
            surface.faces.push_back({{{x[0], x[1], x[2], x[3]}}, 4, body, 0});
          else
          {
            surface.faces.push_back({{{x[0], x[1], x[2], 0}}, 3, body, 0});
            surface.faces.push_back({{{x[1], x[3], x[2], 0}}, 3, body, 0});
          }
        }
  }

  /// Move all nodes by up to @p bumps and let them fly with up to @p speed more.
  void
  start(const double bumps, const double speed)
  {
    for (unsigned int node = 0; node < nodes.size(); ++node)
    {
      Vector u, v = nodes.velocity(node);
      for (unsigned int d = 0; d < dim; ++d)
      {
        u[d] = random(bumps);
        v[d] += random(speed);
      }
      nodes.set_displacement(node, u);
      nodes.set_velocity(node, v);
    }
    bounds.start();
    search.build(0, 0);
    for (auto &detector : detectors)
      detector = std::make_unique<FaceDetector<dim>>(nodes, surface, exclusions, search, bounds);
  }

  double
  random(const double largest)
  {
    return std::uniform_real_distribution<double>(-largest, largest)(generator);
  }

  ContactTest
  test_of(const unsigned int c, const double time) const
  {
    return {c, time, surface.contactors[c].length, true};
  }

  /// Tests at @p time: one after the other, all together, and together with nobody.
  void
  test_all(const double time)
  {
    search.fit(time);
    for (auto &detector : detectors)
      detector->enter_instant(time);
    const unsigned int n = surface.contactors.size();
    std::vector<ContactPoint<dim>> together(n), alone(n);
    Tests tests;
    for (unsigned int c = 0; c < n; ++c)
      tests.push_back({test_of(c, time), &together[c], false});
    detectors[1]->find_many(tests);
    for (unsigned int c = 0; c < n; ++c)
    {
      Tests test{{test_of(c, time), &alone[c], false}};
      detectors[2]->find_many(test);
      ASSERT_EQ(test[0].is_done, tests[c].is_done);
      if (!tests[c].is_done)
      {
        together[c] = detectors[1]->find(tests[c].test);
        alone[c] = detectors[2]->find(tests[c].test);
      }
      expect_same_bits(together[c], alone[c]);
      const ContactPoint<dim> wanted = detectors[0]->find(tests[c].test);
      n_touches += wanted.touches;
      if (tests[c].is_done)
      {
        ++n_done;
        compare(together[c], wanted);
        is_nearest(c, together[c], time);
      }
    }
  }

  static void
  expect_same_bits(const ContactPoint<dim> &a, const ContactPoint<dim> &b)
  {
    ASSERT_EQ(a.sees, b.sees);
    if (!a.sees)
      return;
    EXPECT_EQ(a.touches, b.touches);
    EXPECT_EQ(a.depth, b.depth);
    EXPECT_EQ(a.distance, b.distance);
    EXPECT_EQ(a.stencil.n_nodes, b.stencil.n_nodes);
    for (unsigned int i = 0; i < a.stencil.n_nodes; ++i)
    {
      EXPECT_EQ(a.stencil.nodes[i], b.stencil.nodes[i]);
      EXPECT_EQ(a.stencil.coefficients[i], b.stencil.coefficients[i]);
    }
    EXPECT_EQ(a.stencil.normal, b.stencil.normal);
  }

  /// The same up to rounding; where the closest point is on an edge rounding may decide which of
  /// the two faces it is.
  void
  compare(const ContactPoint<dim> &found, const ContactPoint<dim> &wanted)
  {
    ASSERT_TRUE(found.sees && wanted.sees);
    EXPECT_EQ(found.target, wanted.target);
    EXPECT_EQ(found.body, wanted.body);
    EXPECT_NEAR(found.distance, wanted.distance, 2e-12);
    EXPECT_EQ(found.is_lost, wanted.is_lost);
    ASSERT_EQ(found.stencil.n_nodes, wanted.stencil.n_nodes);
    const auto nodes_of = [](const ContactPoint<dim> &point)
    {
      const auto &nodes = point.stencil.nodes;
      return std::vector<unsigned int>(nodes.begin(), nodes.begin() + point.stencil.n_nodes);
    };
    if (nodes_of(found) != nodes_of(wanted))
    {
      ++n_other_faces;
      double least = 1;
      for (unsigned int i = 1; i < found.stencil.n_nodes; ++i)
        least = std::min(least, -found.stencil.coefficients[i]);
      EXPECT_NEAR(least, 0, 1e-7);
      return;
    }
    EXPECT_EQ(found.touches, wanted.touches);
    EXPECT_NEAR(found.depth, wanted.depth, 1e-7);
    EXPECT_EQ(found.size, wanted.size);
    EXPECT_NEAR((found.stencil.normal - wanted.stencil.normal).norm(), 0, 1e-7);
    for (unsigned int i = 0; i < found.stencil.n_nodes; ++i)
      EXPECT_NEAR(found.stencil.coefficients[i], wanted.stencil.coefficients[i], 1e-7);
  }

  /// Of all faces of other bodies that look clearly at the contactor, none may be nearer.
  void
  is_nearest(const unsigned int c, const ContactPoint<dim> &found, const double time)
  {
    const Contactor &contactor = surface.contactors[c];
    const Vector outward = search.nodal_normal(contactor.nodes[0]);
    for (const auto &face : surface.faces)
    {
      if (face.body == contactor.body)
        continue;
      std::array<Point, SurfaceFace<dim>::max_nodes> corners;
      for (unsigned int i = 0; i < face.n_nodes; ++i)
        corners[i] = nodes.position_at(face.nodes[i], time);
      const auto closest = closest_point<dim>(corners.data(), face.n_nodes,
                                              nodes.position_at(contactor.nodes[0], time));
      if (outward * closest.normal < -0.3)
      {
        // near edges, where normals are blended, the contact is a little further away
        EXPECT_GE(closest.distance, found.distance - 0.05 * found.size) << "contactor " << c;
      }
    }
  }

  NodeTable<dim> nodes;
  Surface<dim> surface;
  Exclusions exclusions;
  MotionBounds<dim> bounds{nodes, surface};
  FaceSearch<dim> search{nodes, surface, bounds, BroadPhaseType::hierarchy};
  std::array<std::unique_ptr<FaceDetector<dim>>, 3> detectors;
  std::mt19937 generator;
  unsigned int n_done = 0, n_touches = 0, n_other_faces = 0;
};

/// Test at instants from 0 on.
template <int dim>
void
fly(Flight<dim> &flight, const unsigned int n_instants, const double step)
{
  for (unsigned int i = 0; i < n_instants && !testing::Test::HasFatalFailure(); ++i)
  {
    flight.test_all(i * step);
    for (unsigned int node = i % 3; node < flight.nodes.size(); node += 3)
      flight.nodes[node].drift(i * step);
  }
  // a few contactors are on edges of flat faces
  EXPECT_LT(flight.n_other_faces, 0.02 * flight.n_done + 5);
}
} // namespace

TEST(LastingFaces, are_those_that_are_found_one_by_one)
{
  for (const bool triangles : {false, true})
    for (const double bumps : {0., 0.005, 0.02})
    {
      Flight<3> flight;
      flight.add_box({0, 0, 0}, {1, 1, 0.5}, {{4, 4, 2}}, {}, triangles);
      flight.add_box({0.1, 0.05, 0.495}, {0.9, 1.1, 1}, {{5, 4, 2}},
                     dealii::Tensor<1, 3>({1, 0.3, 0.01}), triangles);
      flight.start(bumps, 0.05);
      fly(flight, 100, 0.004);
      EXPECT_GT(flight.n_touches, 1000u);
      EXPECT_GT(flight.n_done, (bumps < 0.01 ? 0.7 : 0.3) * flight.n_touches);
    }
}

TEST(LastingFaces, are_found_in_the_plane)
{
  for (const double bumps : {0., 0.003, 0.008})
  {
    Flight<2> flight;
    flight.add_box({0, 0}, {1, 0.5}, {{7, 4}}, {});
    flight.add_box({0.1, 0.495}, {0.9, 1}, {{6, 4}}, dealii::Tensor<1, 2>({1, 0.01}));
    flight.start(bumps, 0.05);
    fly(flight, 400, 0.001);
    EXPECT_GT(flight.n_touches, 1000u);
    EXPECT_GT(flight.n_done, 0.5 * flight.n_touches);
  }
}

TEST(LastingFaces, may_belong_to_neighbours)
{
  // the upper box lies on two others, and a third one comes from the side
  Flight<3> flight;
  flight.add_box({0, 0, 0}, {0.5, 1, 0.5}, {{2, 4, 2}}, {});
  flight.add_box({0.51, 0, 0}, {1, 1, 0.5}, {{2, 4, 2}}, dealii::Tensor<1, 3>({0, 0, 0.01}));
  flight.add_box({0.1, 0.05, 0.495}, {0.9, 0.95, 1}, {{5, 4, 2}},
                 dealii::Tensor<1, 3>({0.3, 0, 0}));
  flight.add_box({1.15, 0.1, 0.51}, {1.8, 0.9, 1.2}, {{3, 3, 3}},
                 dealii::Tensor<1, 3>({-0.5, 0, 0}));
  flight.start(0.003, 0.05);
  fly(flight, 200, 0.002);
  EXPECT_GT(flight.n_touches, 1000u);
  EXPECT_GT(flight.n_done, 0.3 * flight.n_touches);
}

TEST(LastingFaces, of_equal_meshes_are_found)
{
  Flight<3> flight;
  flight.add_box({0, 0, 0}, {1, 1, 0.5}, {{4, 4, 2}}, {});
  flight.add_box({0, 0, 0.499}, {1, 1, 1}, {{4, 4, 2}}, {});
  flight.start(0, 1e-3);
  fly(flight, 100, 0.004);
  EXPECT_GT(flight.n_touches, 1000u);
  EXPECT_GT(flight.n_done, 0.7 * flight.n_touches);
}
