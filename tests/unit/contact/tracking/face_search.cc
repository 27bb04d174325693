#include <kickdrift/contact/tracking/face_search.h>

#include <gtest/gtest.h>

#include <cmath>

using namespace KickDrift;

/// However a face lies and however slowly it turns, it counts as turned as soon as its normal has
/// changed by FaceSearch::normal_change: lists of what may come to face each other rely on that.
TEST(FaceSearch, FacesCountAsTurnedInTime)
{
  constexpr double step = 1e-3; // radian
  for (int degrees = 0; degrees < 90; degrees += 5)
  {
    NodeTable<2> nodes;
    Surface<2> surface;
    surface.body_names = {"needle"};
    surface.faces.push_back({{{0, 1}}, 2, 0, 0});
    for (unsigned int node = 0; node < 2; ++node)
    {
      nodes.add(dealii::Point<2>(node, 0.), 1.);
      surface.contactors.push_back({node, 0, 1.});
    }
    // so fast that boxes must be fitted at every time, but put back to where it is to be
    dealii::Tensor<1, 2> fast;
    fast[0] = 1e3;
    nodes.set_velocity(0, fast);
    const auto turn_to = [&](const double angle, const double time)
    {
      for (unsigned int node = 0; node < 2; ++node)
        nodes[node].drift(time);
      dealii::Tensor<1, 2> u;
      nodes.set_displacement(0, u);
      u[0] = std::cos(angle) - 1;
      u[1] = std::sin(angle);
      nodes.set_displacement(1, u);
    };
    const double start = degrees * dealii::numbers::PI / 180;
    turn_to(start, 0);
    MotionBounds<2> bounds(nodes, surface);
    bounds.start();
    FaceSearch<2> search(nodes, surface, bounds, BroadPhaseType::hierarchy);
    search.build(0, 0);
    const auto first = search.face_normal(0);
    ASSERT_EQ(search.n_normal_changes(0), 0u);
    for (unsigned int i = 1; search.n_normal_changes(0) == 0; ++i)
    {
      turn_to(start + i * step, i);
      search.fit(i);
      const double change = (search.face_normal(0) - first).norm();
      EXPECT_EQ(search.n_normal_changes(0) > 0, change > FaceSearch<2>::normal_change)
          << degrees << " degrees, turned by " << change;
      ASSERT_LT(change, 1);
    }
  }
}
