// Points that are added within faces.

#include <kickdrift/contact/surface/surface.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

using namespace KickDrift;
using dealii::Point;
using dealii::Tensor;

TEST(FacePoints, are_the_middles_of_equal_parts)
{
  Surface<3> surface;
  surface.faces = {{{{0, 1, 2, 3}}, 4, 0, 0}, {{{1, 4, 3, 0}}, 3, 0, 0}, {{{5, 4, 3, 0}}, 3, 0, 0}};
  for (unsigned int n = 0; n < 5; ++n) // node 5 is none
    surface.contactors.push_back({n, 0, 1. + n});
  add_face_points(surface, 3);
  ASSERT_EQ(surface.contactors.size(), 5 + 9 + 9u);
  const std::array<Point<3>, 5> nodes = {Point<3>(0, 0, 0), Point<3>(3, 0, 0), Point<3>(0, 6, 0),
                                         Point<3>(3, 6, 0), Point<3>(9, 0, 0)};
  std::array<Tensor<1, 3>, 2> sum;
  double nearest = 1e300;
  std::vector<Tensor<1, 3>> points;
  for (unsigned int c = 5; c < surface.contactors.size(); ++c)
  {
    const Contactor &contactor = surface.contactors[c];
    const auto &face = surface.faces[contactor.face];
    EXPECT_EQ(contactor.n_nodes, face.n_nodes);
    EXPECT_EQ(contactor.length, contactor.face == 0 ? 1 : 2);
    double weights = 0;
    Tensor<1, 3> x;
    for (unsigned int i = 0; i < contactor.n_nodes; ++i)
    {
      EXPECT_GT(contactor.weights[i], 0);
      weights += contactor.weights[i];
      x += contactor.weights[i] * nodes[contactor.nodes[i]];
    }
    EXPECT_NEAR(weights, 1, 1e-15);
    sum[contactor.face] += x / 9;
    for (const Tensor<1, 3> &other : points)
      nearest = std::min(nearest, (x - other).norm());
    points.push_back(x);
  }
  EXPECT_NEAR((sum[0] - Tensor<1, 3>({1.5, 3, 0})).norm(), 0, 1e-14);
  EXPECT_NEAR((sum[1] - Tensor<1, 3>({5, 2, 0})).norm(), 0, 1e-14);
  EXPECT_GT(nearest, 0.9);

  Surface<2> segments;
  segments.faces = {{{{0, 1}}, 2, 0, 0}};
  segments.contactors = {{0, 0, 1.}, {1, 0, 2.}};
  add_face_points(segments, 2);
  ASSERT_EQ(segments.contactors.size(), 4u);
  EXPECT_EQ(segments.contactors[2].weights[0], 0.75);
  EXPECT_EQ(segments.contactors[3].weights[0], 0.25);
}
