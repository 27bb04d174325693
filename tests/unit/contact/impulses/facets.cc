// A surface of facets: what lies beside what, walks over it, and who may meet whom.

#include <kickdrift/contact/impulses/candidates.h>
#include <kickdrift/contact/impulses/walk.h>

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

using namespace KickDrift;
using dealii::Point;

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

TEST(Facets, CandidatesAreAllThatMeetInFlight)
{
  constexpr unsigned int n_cubes = 6;
  Surface<3> surface;
  std::vector<Point<3>> nodes;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (unsigned int c = 0; c < n_cubes; ++c)
  {
    Surface<3> one = cube();
    const Point<3> shift(uniform(random), uniform(random), uniform(random));
    for (auto &face : one.faces)
    {
      for (unsigned int &node : face.nodes)
        node += 8 * c;
      face.body = c;
      surface.faces.push_back(face);
    }
    for (unsigned int node = 0; node < 8; ++node)
    {
      nodes.push_back(corner_of_cube(node) + (shift - Point<3>()));
      surface.contactors.emplace_back(8 * c + node, c, 1.);
    }
    surface.body_names.push_back("cube");
  }
  const Facets<3> facets(surface, nodes.size());
  std::vector<std::vector<unsigned int>> points;
  for (unsigned int p = 0; p < nodes.size(); ++p)
    points.push_back({p});
  std::vector<unsigned int> edges(facets.edges().size());
  for (unsigned int e = 0; e < edges.size(); ++e)
    edges[e] = e;
  const auto others = [&](const unsigned int point, const unsigned int facet)
  { return point / 8 != facets.facets()[facet].body; };
  const auto other_edges = [&](const unsigned int a, const unsigned int b)
  { return facets.edges()[a].body != facets.edges()[b].body; };
  const auto no_obstacles = [](unsigned int, const Box<3> &)
  { return std::vector<unsigned int>(); };
  Candidates<3> candidates(facets, points, edges, {others, other_edges, no_obstacles});
  std::vector<Point<3>> ends = nodes;
  const auto box_of = [&](const unsigned int node, const double room)
  {
    Box<3> box = empty_box<3>();
    extend(box, nodes[node]);
    extend(box, ends[node]);
    return grown(box, room);
  };
  std::vector<Box<3>> boxes;
  for (unsigned int node = 0; node < nodes.size(); ++node)
    boxes.push_back(box_of(node, 0.05));
  candidates.start(boxes);

  unsigned int n_met = 0, n_candidates = 0, n_pairs = 0;
  for (unsigned int step = 0; step < 60; ++step)
  {
    // everybody flies, each in its own way
    nodes = ends;
    std::vector<std::pair<unsigned int, Box<3>>> moved;
    for (unsigned int node = 0; node < nodes.size(); ++node)
    {
      for (unsigned int d = 0; d < 3; ++d)
        ends[node][d] += 0.03 * uniform(random);
      const Box<3> needed = box_of(node, 0);
      if (!is_inside(candidates.box(node), needed.lower) ||
          !is_inside(candidates.box(node), needed.upper))
        moved.emplace_back(node, box_of(node, 0.05));
    }
    candidates.move(moved);
    const auto flight = [&](const unsigned int corner)
    {
      return StraightFlight<3>{position<3>(facets, corner, nodes),
                               position<3>(facets, corner, ends)};
    };
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
        if (!other_edges(a, b) || find_crossings(ends_of(a), ends_of(b), 0, crossings) == 0)
          continue;
        ++n_met;
        const auto &near = candidates.edges_of_edge(a), &back = candidates.edges_of_edge(b);
        ASSERT_TRUE(std::binary_search(near.begin(), near.end(), b));
        ASSERT_TRUE(std::binary_search(back.begin(), back.end(), a));
      }
  }
  EXPECT_GT(n_met, 100u);
  EXPECT_LT(n_candidates, n_pairs / 4); // and most are not
}
