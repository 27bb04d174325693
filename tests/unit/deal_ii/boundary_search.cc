// Searches on boundaries of triangulations, used as outside programs do.

#include <kickdrift/deal_ii/boundary_search.h>

#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace
{
using namespace KickDrift;
using namespace dealii;

/// The whole of it: a ball flies at a wall that is 3 away.
TEST(BoundarySearch, Example)
{
  Triangulation<3> ball, wall;
  GridGenerator::hyper_ball(ball);
  ball.refine_global(2);
  GridGenerator::hyper_rectangle(wall, Point<3>(4, -2, -2), Point<3>(5, 2, 2));
  const MappingQ<3> straight(1), curved(2);

  const BoundarySearch<3> search(ball, curved, 2);
  const auto nearest = search.nearest_face(Point<3>(0.3, 0.4, 1.2));
  EXPECT_NEAR(nearest.distance, 0.3, 1e-4); // |(0.3, 0.4, 1.2)| = 1.3
  EXPECT_TRUE(search.cell(nearest.face)->face(search.face_number(nearest.face))->at_boundary());
  EXPECT_EQ(search.faces_within(Point<3>(), 0.9).size(), 0);
  EXPECT_EQ(search.faces_within(Point<3>(), 1.1).size(), search.n_faces());

  const BoundarySearch<3> body(ball, straight), target(wall, straight);
  const auto contact = first_contact<3>(
      body,
      [](const Point<3> &) {
        return Tensor<1, 3>({2., 0., 0.});
      }, //
      target, [](const Point<3> &) { return Tensor<1, 3>(); });
  EXPECT_NEAR(contact.time, 1.5, 1e-9);
  EXPECT_EQ(target.corners(contact.second_face)[0][0], 4);
}

/// Curved faces are nearer to the true sphere by orders.
TEST(BoundarySearch, CurvedFacesOfABall)
{
  Triangulation<3> ball;
  GridGenerator::hyper_ball(ball);
  ball.refine_global(2);
  std::array<double, 4> errors{};
  for (unsigned int degree = 1; degree <= 3; ++degree)
  {
    const MappingQ<3> mapping(degree);
    const BoundarySearch<3> search(ball, mapping, degree);
    std::mt19937 engine(1);
    std::uniform_real_distribution<double> random(-1, 1);
    for (unsigned int i = 0; i < 10; ++i)
    {
      const Point<3> p(2 * random(engine), 2 * random(engine), 2 * random(engine));
      const double exact = std::abs(p.norm() - 1);
      errors[degree] = std::max(errors[degree], std::abs(search.nearest_face(p).distance - exact));
    }
  }
  EXPECT_LT(errors[1], 0.04);
  EXPECT_LT(errors[2], 0.05 * errors[1]);
  EXPECT_LT(errors[3], 0.5 * errors[2]);
}

template <int dim>
void
check_against_all_faces(const Triangulation<dim> &triangulation, const Mapping<dim> &mapping)
{
  BoundarySearch<dim> search(triangulation, mapping);
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> random(-1, 2);
  for (unsigned int i = 0; i < 50; ++i)
  {
    Point<dim> p;
    for (unsigned int d = 0; d < dim; ++d)
      p[d] = random(engine);
    // all faces are within a large radius; the smallest that still finds one is the distance
    const auto nearest = search.nearest_face(p);
    EXPECT_EQ(search.faces_within(p, 10).size(), search.n_faces());
    EXPECT_TRUE(search.faces_within(p, nearest.distance * (1 - 1e-9)).empty());
    const auto within = search.faces_within(p, nearest.distance * (1 + 1e-9));
    EXPECT_EQ(std::count(within.begin(), within.end(), nearest.face), 1);
    EXPECT_NEAR((nearest.point - p).norm(), nearest.distance, 1e-14);
  }
}

TEST(BoundarySearch, HypercubesAndSimplices)
{
  Triangulation<2> quadrilaterals, triangles;
  GridGenerator::subdivided_hyper_cube(quadrilaterals, 4);
  check_against_all_faces<2>(quadrilaterals, MappingQ<2>(1));
  GridGenerator::subdivided_hyper_cube_with_simplices(triangles, 4);
  const MappingFE<2> linear_2(FE_SimplexP<2>(1));
  check_against_all_faces<2>(triangles, linear_2);
  EXPECT_ANY_THROW(BoundarySearch<2>(triangles, linear_2, 2));

  Triangulation<3> hexahedra, tetrahedra;
  GridGenerator::subdivided_hyper_cube(hexahedra, 3);
  check_against_all_faces<3>(hexahedra, MappingQ<3>(1));
  GridGenerator::subdivided_hyper_cube_with_simplices(tetrahedra, 2);
  const MappingFE<3> linear_3(FE_SimplexP<3>(1));
  check_against_all_faces<3>(tetrahedra, linear_3);
  EXPECT_EQ(BoundarySearch<3>(tetrahedra, linear_3).corners(0).size(), 3);
}

TEST(BoundarySearch, FollowsTheMapping)
{
  Triangulation<2> square;
  GridGenerator::subdivided_hyper_cube(square, 4);
  const MappingQ<2> mapping(1);
  BoundarySearch<2> search(square, mapping);
  EXPECT_NEAR(search.nearest_face({3, 0.5}).distance, 2, 1e-15);
  GridTools::shift(Tensor<1, 2>({1., 0.}), square);
  search.update(mapping);
  EXPECT_NEAR(search.nearest_face({3, 0.5}).distance, 1, 1e-15);
}

/// A turning square: the vertices move straight on, each with its own velocity.
TEST(BoundarySearch, ContactOfTurningSquares)
{
  Triangulation<2> square, other;
  GridGenerator::hyper_cube(square, -1, 1);
  GridGenerator::hyper_rectangle(other, Point<2>(2, -3), Point<2>(3, 3));
  const MappingQ<2> mapping(1);
  const BoundarySearch<2> first(square, mapping), second(other, mapping);
  const auto contact = first_contact<2>(
      first,
      [](const Point<2> &x) {
        return Tensor<1, 2>({-x[1], x[0]});
      }, //
      second, [](const Point<2> &) { return Tensor<1, 2>(); });
  EXPECT_NEAR(contact.time, 1, 1e-10); // the vertex (1, -1) moves with (1, 1)
  const auto never = first_contact<2>(
      first,
      [](const Point<2> &) {
        return Tensor<1, 2>({0., 1.});
      }, //
      second, [](const Point<2> &) { return Tensor<1, 2>(); });
  EXPECT_EQ(never.time, std::numeric_limits<double>::infinity());
}

TEST(BoundarySearch, NeedsABoundary)
{
  Triangulation<2> nothing;
  EXPECT_ANY_THROW(BoundarySearch<2>(nothing, MappingQ<2>(1)));
}
} // namespace
