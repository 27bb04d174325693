// When straight flights come near to each other, against many small steps.

#include <kickdrift/contact/flight/approaches.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace KickDrift;
using dealii::Point;
using dealii::Tensor;

namespace
{
constexpr double band = 1e-11;

class Flying
{
public:
  template <int dim>
  StraightFlight<dim>
  flight()
  {
    StraightFlight<dim> result;
    for (unsigned int d = 0; d < dim; ++d)
    {
      result.begin[d] = uniform(random);
      result.end[d] = uniform(random);
    }
    return result;
  }

  template <int dim, std::size_t n>
  std::array<StraightFlight<dim>, n>
  flights()
  {
    std::array<StraightFlight<dim>, n> result;
    for (auto &one : result)
      one = flight<dim>();
    return result;
  }

private:
  std::mt19937 random{11};
  std::uniform_real_distribution<double> uniform{-1, 1};
};

template <int dim, std::size_t n>
std::array<Point<dim>, n>
at(const std::array<StraightFlight<dim>, n> &flights, const double time)
{
  std::array<Point<dim>, n> result;
  for (std::size_t i = 0; i < n; ++i)
    result[i] = flights[i].at(time);
  return result;
}

/// Distance of two things with these corners, by trying places on both.
template <int dim, std::size_t n, std::size_t m>
double
distance_by_trial(const std::array<Point<dim>, n> &first, const std::array<Point<dim>, m> &second)
{
  const auto place = [](const auto &corners, const double s, const double t)
  {
    Tensor<1, dim> result = (1 - s - t) * Tensor<1, dim>(corners[0]);
    result += s * Tensor<1, dim>(corners[std::min<std::size_t>(1, corners.size() - 1)]);
    return result + t * Tensor<1, dim>(corners[std::min<std::size_t>(2, corners.size() - 1)]);
  };
  constexpr unsigned int n_tries = 60;
  double least = 1e300;
  const auto tries = [](const std::size_t n_corners) { return n_corners == 1 ? 0 : n_tries; };
  for (unsigned int i = 0; i <= tries(n); ++i)
    for (unsigned int j = 0; j <= tries(m); ++j)
      for (unsigned int k = 0; k <= (m == 3 ? n_tries - j : 0); ++k)
        least = std::min(least, (place(first, 1. * i / n_tries, 0) -
                                 place(second, 1. * j / n_tries, 1. * k / n_tries))
                                    .norm());
  return least;
}

/// @p distance : function of time
template <typename Distance>
void
check_first(const std::optional<double> &found, const Distance &distance, const double offset)
{
  constexpr unsigned int n_steps = 400;
  if (found && *found > 0)
  {
    EXPECT_NEAR(distance(*found), offset, 2 * band);
  }
  else if (found)
  {
    EXPECT_LE(distance(0), offset + band);
  }
  for (unsigned int i = 0; i <= n_steps; ++i)
    if (const double time = 1. * i / n_steps; !found || time < *found)
    {
      EXPECT_GT(distance(time), offset) << time;
    }
}

template <int dim>
void
check_points()
{
  Flying flying;
  unsigned int n_found = 0;
  for (unsigned int i = 0; i < 500; ++i)
  {
    const auto point = flying.flight<dim>();
    const auto corners = flying.flights<dim, dim>();
    for (const double offset : {0.3, 0.01})
    {
      const auto found = first_approach<dim>(point, corners, offset, band);
      n_found += found && *found > 0;
      check_first(
          found,
          [&](const double time) {
            return nearest_on_facet<dim>(point.at(time), at<dim, dim>(corners, time)).apart.norm();
          },
          offset);
    }
  }
  EXPECT_GT(n_found, 100u);
}
} // namespace

TEST(Approaches, of_points_and_facets_are_the_first)
{
  check_points<2>();
  check_points<3>();
}

TEST(Approaches, of_edges_are_the_first)
{
  Flying flying;
  unsigned int n_found = 0;
  for (unsigned int i = 0; i < 500; ++i)
  {
    const auto first = flying.flights<3, 2>(), second = flying.flights<3, 2>();
    for (const double offset : {0.3, 0.01})
    {
      const auto found = first_approach(first, second, offset, band);
      n_found += found && *found > 0;
      check_first(
          found,
          [&](const double time)
          { return nearest_on_edges(at<3, 2>(first, time), at<3, 2>(second, time)).apart.norm(); },
          offset);
    }
  }
  EXPECT_GT(n_found, 100u);
}

TEST(Approaches, nearest_places_are_the_nearest)
{
  Flying flying;
  for (unsigned int i = 0; i < 100; ++i)
  {
    const auto point = flying.flights<3, 1>();
    const auto corners = flying.flights<3, 3>();
    const auto facet = at<3, 3>(corners, 0);
    const auto near = nearest_on_facet<3>(point[0].begin, facet);
    const double tried = distance_by_trial<3, 1, 3>({{point[0].begin}}, facet);
    EXPECT_LE(near.apart.norm(), tried + 1e-14);
    EXPECT_GE(near.apart.norm(), tried - 0.05);
    Tensor<1, 3> place;
    double sum = 0;
    for (unsigned int k = 0; k < 3; ++k)
    {
      EXPECT_GE(near.weights[k], 0);
      sum += near.weights[k];
      place += near.weights[k] * Tensor<1, 3>(facet[k]);
    }
    EXPECT_NEAR(sum, 1, 1e-14);
    EXPECT_LT((point[0].begin - Point<3>(place) - near.apart).norm(), 1e-14);

    const auto first = at<3, 2>(flying.flights<3, 2>(), 0),
               second = at<3, 2>(flying.flights<3, 2>(), 0);
    const auto edges = nearest_on_edges(first, second);
    const double tried_on_edges = distance_by_trial<3, 2, 2>(first, second);
    EXPECT_LE(edges.apart.norm(), tried_on_edges + 1e-14);
    EXPECT_GE(edges.apart.norm(), tried_on_edges - 0.05);
    EXPECT_EQ(edges.is_within,
              edges.place[0] > 0 && edges.place[0] < 1 && edges.place[1] > 0 && edges.place[1] < 1);
  }
}

// What comes straight is there after one slab, what slides along never gets there.
TEST(Approaches, of_sheets_that_slide_are_none)
{
  const auto flight = [](const double x, const double y, const double z, const Tensor<1, 3> &way) {
    return StraightFlight<3>{Point<3>(x, y, z), Point<3>(x, y, z) + way};
  };
  const std::array<StraightFlight<3>, 3> facet{
      {flight(0, 0, 0, {}), flight(1, 0, 0, {}), flight(0, 1, 0, {})}};
  for (const double gap : {1e-3, 0., -1e-3})
  {
    const auto slides = flight(0.2, 0.2, 0.1 + gap, Tensor<1, 3>({0.3, 0.1, 0}));
    const auto found = first_approach<3>(slides, facet, 0.1, band);
    EXPECT_EQ(found.has_value(), gap <= 0);
    const auto comes = first_approach<3>(
        flight(0.2, 0.2, 0.1 + gap, Tensor<1, 3>({0.3, 0.1, -2e-3})), facet, 0.1, band);
    ASSERT_TRUE(comes);
    EXPECT_NEAR(*comes, std::max(0., gap / 2e-3), 1e-8);
  }
}
