// A surface of facets: what lies beside what, walks over it, and who may meet whom.

#include <kickdrift/contact/flight/feature_edges.h>
#include <kickdrift/contact/flight/walk.h>
#include <kickdrift/contact/search/candidates.h>
#include <kickdrift/contact/search/co_moving_frame.h>

#include <deal.II/base/exceptions.h>

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

using namespace KickDrift;
using dealii::Point;
using dealii::Tensor;

namespace
{
/// The faces of a cube with the nodes 0 to 7, lexicographic.
Surface<3>
cube()
{
  constexpr unsigned int faces[6][4] = {{0, 4, 2, 6}, {1, 3, 5, 7}, {0, 1, 4, 5},
                                        {2, 6, 3, 7}, {0, 2, 1, 3}, {4, 5, 6, 7}};
  Surface<3> surface;
  surface.body_names = {"cube"};
  for (const auto &nodes : faces)
  {
    SurfaceFace<3> face;
    for (unsigned int i = 0; i < 4; ++i)
      face.nodes[i] = nodes[i];
    face.n_nodes = 4;
    face.body = 0;
    face.boundary_id = 0;
    surface.faces.push_back(face);
  }
  for (unsigned int node = 0; node < 8; ++node)
    surface.contactors.emplace_back(node, 0, 1.);
  return surface;
}

Point<3>
corner_of_cube(const unsigned int node)
{
  return Point<3>(node & 1, (node >> 1) & 1, (node >> 2) & 1);
}

/// A polygon, convex or not, with its corners in order.
Surface<2>
polygon(const unsigned int n)
{
  Surface<2> surface;
  surface.body_names = {"polygon"};
  for (unsigned int i = 0; i < n; ++i)
  {
    SurfaceFace<2> face;
    face.nodes = {{i, (i + 1) % n}};
    face.n_nodes = 2;
    face.body = 0;
    face.boundary_id = 0;
    surface.faces.push_back(face);
    surface.contactors.emplace_back(i, 0, 1.);
  }
  return surface;
}

template <int dim>
Point<dim>
position(const Facets<dim> &facets, const unsigned int corner, const std::vector<Point<dim>> &nodes)
{
  const auto &own = facets.corners()[corner];
  dealii::Tensor<1, dim> sum;
  for (unsigned int i = 0; i < own.n_nodes; ++i)
    sum += nodes[own.nodes[i]] / own.n_nodes;
  return Point<dim>(sum);
}
} // namespace

/// How many edges of the cube are features, with corners at @p x(node).
template <typename Position>
unsigned int
n_features(const Surface<3> &surface, const double smallest_angle, const Position &x)
{
  NodeTable<3> nodes;
  for (unsigned int node = 0; node < 8; ++node)
    nodes.add(x(node), 1.);
  const Facets<3> facets(surface, 8);
  unsigned int n = 0;
  for (unsigned int e = 0; e < facets.edges().size(); ++e)
    n += is_feature_edge(nodes, facets, e, smallest_angle);
  return n;
}

TEST(Facets, EdgesThatBendOutwardsAreFeatures)
{
  Surface<3> surface = cube();
  EXPECT_EQ(n_features(surface, 30, corner_of_cube), 12u); // not those within faces
  EXPECT_EQ(n_features(surface, 89, corner_of_cube), 12u);
  EXPECT_EQ(n_features(surface, 91, corner_of_cube), 0u);
  // the walls of a room
  const auto mirrored = [](const unsigned int node)
  {
    Point<3> x = corner_of_cube(node);
    x[0] = -x[0];
    return x;
  };
  EXPECT_EQ(n_features(surface, 30, mirrored), 0u);
  // without a lid: where the surface ends, whatever the angle
  surface.faces.pop_back();
  EXPECT_EQ(n_features(surface, 30, corner_of_cube), 12u);
  EXPECT_EQ(n_features(surface, 91, corner_of_cube), 4u);
}

TEST(Facets, OfACubeCloseIt)
{
  const Facets<3> facets(cube(), 10);
  EXPECT_EQ(facets.nodes().size(), 8u);
  EXPECT_EQ(facets.corners().size(), 14u); // with the middles
  EXPECT_EQ(facets.facets().size(), 24u);
  EXPECT_EQ(facets.corners().size() + facets.facets().size() - facets.edges().size(), 2u); // Euler
  EXPECT_EQ(facets.place_of_node(9), Facets<3>::none);
  std::vector<Point<3>> nodes;
  for (unsigned int node = 0; node < 8; ++node)
    nodes.push_back(corner_of_cube(node));
  const Point<3> middle(0.5, 0.5, 0.5);
  for (unsigned int f = 0; f < facets.facets().size(); ++f)
  {
    const auto corners = corners_of<3>(
        facets, f, [&](const unsigned int corner) { return position<3>(facets, corner, nodes); });
    EXPECT_GT(facet_normal<3>(corners) * (corners[0] - middle), 0.4); // outwards
    for (unsigned int k = 0; k < 3; ++k)
    {
      const auto &own = facets.facets()[f];
      const unsigned int g = own.neighbours[k];
      ASSERT_NE(g, Facets<3>::none);
      const auto &other = facets.facets()[g];
      const auto back = std::find(other.neighbours.begin(), other.neighbours.end(), f);
      ASSERT_NE(back, other.neighbours.end());
      const unsigned int l = back - other.neighbours.begin();
      EXPECT_EQ(own.corners[k], other.corners[(l + 1) % 3]); // the other way round
      EXPECT_EQ(own.edges[k], other.edges[l]);
      const auto &edge = facets.edges()[own.edges[k]];
      EXPECT_EQ(edge.corners[0] == own.corners[k] ? edge.facets[0] : edge.facets[1], f);
    }
  }
}

TEST(Facets, HangingNodesAreSeen)
{
  EXPECT_FALSE(Facets<3>(cube(), 8).body_with_hanging_node());
  Surface<3> open = cube();
  open.faces.pop_back();
  EXPECT_FALSE(Facets<3>(open, 8).body_with_hanging_node());
  // the last face in two halves, between nodes in the middle of two of its edges
  Surface<3> refined = open;
  for (const std::array<unsigned int, 4> &nodes :
       {std::array<unsigned int, 4>{{4, 8, 6, 9}}, std::array<unsigned int, 4>{{8, 5, 9, 7}}})
  {
    SurfaceFace<3> face = cube().faces.back();
    face.nodes = nodes;
    refined.faces.push_back(face);
  }
  EXPECT_EQ(Facets<3>(refined, 10).body_with_hanging_node(), 0u);
}

TEST(Facets, AWalkFindsTheFoot)
{
  // convex, concave at node 3
  const std::vector<Point<2>> nodes = {Point<2>(0, 0), Point<2>(2, 0), Point<2>(2, 2),
                                       Point<2>(1, 1), Point<2>(0, 2)};
  const Facets<2> facets(polygon(5), 5);
  const auto corner = [&](const unsigned int c) { return nodes[c]; };
  const auto nobody = [](unsigned int) { return false; };
  const auto walk_from = [&](const unsigned int facet, const Point<2> &point)
  { return walk<2>(facets, facet, point, corner, nobody); };

  EXPECT_NEAR(walk_from(0, Point<2>(0.5, -0.1)).gap, 0.1, 1e-14);
  EXPECT_NEAR(walk_from(0, Point<2>(0.5, 0.1)).gap, -0.1, 1e-14);
  // over a convex corner to the facet where the foot is
  EXPECT_EQ(walk_from(0, Point<2>(2.1, 0.5)).facet, 1u);
  EXPECT_TRUE(walk_from(0, Point<2>(2.1, 0.5)).is_over_convex);
  EXPECT_NEAR(walk_from(0, Point<2>(2.1, 0.5)).gap, 0.1, 1e-14);
  // in front of the corner: nothing is there
  const auto off = walk_from(0, Point<2>(2.3, -0.4));
  EXPECT_TRUE(off.is_off);
  EXPECT_NEAR(off.gap, 0.5, 1e-14);
  // a concave corner: the other plane, and the deeper one of both
  EXPECT_EQ(walk_from(2, Point<2>(0.2, 1.6)).facet, 3u);
  EXPECT_TRUE(walk_from(2, Point<2>(0.2, 1.6)).is_over_concave);
  const auto deep = walk_from(2, Point<2>(0.95, 0.9));
  EXPECT_NEAR(deep.gap, (Point<2>(0.95, 0.9) - nodes[3]) * Point<2>(std::sqrt(0.5), std::sqrt(0.5)),
              1e-14);
}

namespace
{
constexpr unsigned int n_cubes = 6;

/// Cubes that overlap; together they are one body or each is one.
Surface<3>
cubes(const bool is_one_body, std::mt19937 &random, std::vector<Point<3>> &nodes)
{
  Surface<3> surface;
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (unsigned int c = 0; c < n_cubes; ++c)
  {
    Surface<3> one = cube();
    const Point<3> shift(uniform(random), uniform(random), uniform(random));
    for (auto &face : one.faces)
    {
      for (unsigned int &node : face.nodes)
        node += 8 * c;
      face.body = is_one_body ? 0 : c;
      surface.faces.push_back(face);
    }
    for (unsigned int node = 0; node < 8; ++node)
    {
      nodes.push_back(corner_of_cube(node) + (shift - Point<3>()));
      surface.contactors.emplace_back(8 * c + node, is_one_body ? 0 : c, 1.);
    }
  }
  surface.body_names.resize(is_one_body ? 1 : n_cubes, "cube");
  return surface;
}

/// Nodes of one body stay near their places in a frame that flies and turns, those of several
/// bodies stay in boxes.
void
expect_candidates_are_all_that_meet(const bool is_one_body)
{
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Point<3>> nodes;
  const Surface<3> surface = cubes(is_one_body, random, nodes);
  const Facets<3> facets(surface, nodes.size());
  std::vector<Candidates<3>::CarriedPoint> points;
  for (unsigned int p = 0; p < nodes.size(); ++p)
    points.push_back({{p}, surface.contactors[p].body});
  std::vector<unsigned int> edges(facets.edges().size());
  for (unsigned int e = 0; e < edges.size(); ++e)
    edges[e] = e;
  const auto cube_of_facet = [&](const unsigned int f) { return facets.nodes_of_facet(f)[0] / 8; };
  const auto others = [&](const unsigned int point, const unsigned int facet)
  { return point / 8 != cube_of_facet(facet); };
  const auto other_edges = [&](const unsigned int a, const unsigned int b)
  {
    return cube_of_facet(facets.edges()[a].facets[0]) != cube_of_facet(facets.edges()[b].facets[0]);
  };
  const auto no_obstacles = [](unsigned int, const Box<3> &)
  { return std::vector<unsigned int>(); };
  Candidates<3> candidates(facets, points, {edges, edges},
                           is_one_body ? Candidates<3>::Of::one_body
                                       : Candidates<3>::Of::different_bodies,
                           {others, other_edges, no_obstacles});
  std::vector<Point<3>> ends = nodes;
  double time = 0;
  CoMovingFrame<3> frame;
  const auto renew_frame = [&]
  {
    std::vector<Tensor<1, 3>> velocities;
    const Tensor<1, 3> spin({1, -2, 0.5}), drift({3, 0, -1});
    for (const Point<3> &node : nodes)
      velocities.push_back(drift + cross_product_3d(spin, Tensor<1, 3>(node)));
    frame = CoMovingFrame<3>(nodes, velocities, time);
    EXPECT_LT((frame.angular_velocity - spin).norm(), 1e-12);
  };
  if (is_one_body)
    renew_frame();
  const double step = is_one_body ? 0.02 : 0;
  const auto box_of = [&](const unsigned int node, const double room)
  {
    Box<3> box = empty_box<3>();
    if (is_one_body)
    {
      const Point<3> middle = frame.place_of(nodes[node], time);
      return grown(Box<3>{middle, middle},
                   room + (ends[node] - frame.at(middle, time + step)).norm());
    }
    extend(box, nodes[node]);
    extend(box, ends[node]);
    return grown(box, room);
  };
  const auto is_left = [&](const unsigned int node)
  {
    const Box<3> &box = candidates.box(node);
    if (!is_one_body)
      return !is_inside(box, nodes[node]) || !is_inside(box, ends[node]);
    const Point<3> middle = box.lower + (box.upper - box.lower) / 2;
    const double reach = 0.5 * (box.upper[0] - box.lower[0]);
    return (nodes[node] - frame.at(middle, time)).norm() > reach ||
           (ends[node] - frame.at(middle, time + step)).norm() > reach;
  };
  std::vector<Box<3>> boxes;
  for (unsigned int node = 0; node < nodes.size(); ++node)
    boxes.push_back(box_of(node, 0.05));
  candidates.start(boxes);

  unsigned int n_met = 0, n_candidates = 0, n_pairs = 0, n_moved = 0;
  for (unsigned int round = 0; round < 60; ++round)
  {
    // everybody flies, each in its own way
    nodes = ends;
    time += step;
    const bool is_new_frame = is_one_body && round % 20 == 10;
    if (is_new_frame)
      renew_frame();
    std::vector<std::pair<unsigned int, Box<3>>> moved;
    for (unsigned int node = 0; node < nodes.size(); ++node)
    {
      if (is_one_body)
        ends[node] = frame.at(frame.place_of(nodes[node], time), time + step);
      for (unsigned int d = 0; d < 3; ++d)
        ends[node][d] += 0.03 * uniform(random);
      if (is_new_frame || is_left(node))
        moved.emplace_back(node, box_of(node, 0.05));
    }
    n_moved += moved.size();
    candidates.move(moved);
    const auto flight = [&](const unsigned int corner)
    {
      return StraightFlight<3>{position<3>(facets, corner, nodes),
                               position<3>(facets, corner, ends)};
    };
    std::vector<unsigned int> n_pairs_of(nodes.size(), 0);
    for (unsigned int p = 0; p < points.size(); ++p)
      for (unsigned int f = 0; f < facets.facets().size(); ++f)
      {
        if (!others(p, f))
          continue;
        const auto &near = candidates.facets_of_point(p);
        const bool is_candidate = std::binary_search(near.begin(), near.end(), f);
        const auto &back = candidates.points_of_facet(f);
        ASSERT_EQ(is_candidate, std::binary_search(back.begin(), back.end(), p));
        ++n_pairs;
        n_candidates += is_candidate;
        n_pairs_of[p] += is_candidate;
        for (const unsigned int node : facets.nodes_of_facet(f))
          n_pairs_of[node] += is_candidate;
        const auto &corners = facets.facets()[f].corners;
        if (first_crossing<3>(flight(p),
                              {{flight(corners[0]), flight(corners[1]), flight(corners[2])}}, 0))
        {
          ++n_met;
          ASSERT_TRUE(is_candidate) << p << " " << f;
        }
      }
    for (unsigned int a = 0; a < edges.size(); ++a)
      for (unsigned int b = a + 1; b < edges.size(); ++b)
      {
        std::array<EdgeCrossing, 4> crossings;
        const auto ends_of = [&](const unsigned int e)
        {
          const auto &corners = facets.edges()[e].corners;
          return std::array<StraightFlight<3>, 2>{{flight(corners[0]), flight(corners[1])}};
        };
        if (!other_edges(a, b))
          continue;
        const auto &near = candidates.edges_of_edge(a), &back = candidates.edges_of_edge(b);
        const bool is_candidate = std::binary_search(near.begin(), near.end(), b);
        ASSERT_EQ(is_candidate, std::binary_search(back.begin(), back.end(), a));
        for (const unsigned int e : {a, b})
          for (const unsigned int corner : facets.edges()[e].corners)
            for (unsigned int i = 0; i < facets.corners()[corner].n_nodes; ++i)
              n_pairs_of[facets.corners()[corner].nodes[i]] += is_candidate;
        if (find_crossings(ends_of(a), ends_of(b), 0, crossings) == 0)
          continue;
        ++n_met;
        ASSERT_TRUE(is_candidate) << a << " " << b;
      }
    for (unsigned int node = 0; node < nodes.size(); ++node)
      ASSERT_EQ(candidates.has_any(node), n_pairs_of[node] > 0);
  }
  EXPECT_GT(n_met, 100u);
  EXPECT_LT(n_candidates, n_pairs / 4); // and most are not
  EXPECT_LT(n_moved, 30 * nodes.size());
}
} // namespace

TEST(Facets, CandidatesAreAllThatMeetInFlight)
{
  expect_candidates_are_all_that_meet(false);
}

TEST(Facets, CandidatesOfOneBodyAreAllThatMeetInItsFrame)
{
  expect_candidates_are_all_that_meet(true);
}

/// However far it turns, nothing comes nearer to anything else.
TEST(CoMovingFrame, NeverBringsPlacesTogether)
{
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto point = [&] { return Point<3>(uniform(random), uniform(random), uniform(random)); };
  for (unsigned int run = 0; run < 100; ++run)
  {
    std::vector<Point<3>> places;
    std::vector<Tensor<1, 3>> velocities;
    for (unsigned int i = 0; i < 5; ++i)
    {
      places.push_back(point());
      velocities.push_back(3. * Tensor<1, 3>(point()));
    }
    const CoMovingFrame<3> frame(places, velocities, 2);
    const Point<3> a = point(), b = point();
    const double time = 2 + 3 * uniform(random);
    EXPECT_GE((frame.at(a, time) - frame.at(b, time)).norm(), (a - b).norm() * (1 - 1e-14));
    EXPECT_LT((frame.at(frame.place_of(a, time), time) - a).norm(), 1e-13);
    EXPECT_LT((frame.at(a, 2) - a).norm(), 1e-15);
  }
  // in the plane, and where everything is on a line
  const CoMovingFrame<2> plane({Point<2>(0, 0), Point<2>(1, 0), Point<2>(0, 1)},
                               {Tensor<1, 2>({1, 0}), Tensor<1, 2>({1, 2}), Tensor<1, 2>({-1, 0})},
                               0);
  EXPECT_NEAR(plane.angular_velocity[2], 2, 1e-14);
  EXPECT_LT((plane.at(Point<2>(1, 0), 0.5) - Point<2>(1.5, 1)).norm(), 1e-14);
  const CoMovingFrame<3> line({Point<3>(), Point<3>(1, 0, 0)},
                              {Tensor<1, 3>(), Tensor<1, 3>({0, 1, 0})}, 0);
  EXPECT_EQ(line.angular_velocity.norm(), 0);
  EXPECT_THROW(CoMovingFrame<2>({}, {}, 0), dealii::ExceptionBase);
}
