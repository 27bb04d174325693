// Random boxes for tests of what finds them.

#ifndef KICKDRIFT_TESTS_UNIT_CONTACT_SEARCH_RANDOM_BOXES_H
#define KICKDRIFT_TESTS_UNIT_CONTACT_SEARCH_RANDOM_BOXES_H

#include <kickdrift/contact/geometry/box.h>

#include <gtest/gtest.h>

#include <random>

template <int dim>
class RandomBoxes : public testing::Test
{
protected:
  static constexpr int spacedim = dim;

  std::mt19937 engine{42};

  double
  random(const double lower, const double upper)
  {
    return std::uniform_real_distribution<double>(lower, upper)(engine);
  }

  /// A box with centre in [-1,1]^dim and edges up to @p size, scaled and shifted.
  KickDrift::Box<dim>
  random_box(const double size, const double scale = 1, const double shift = 0)
  {
    KickDrift::Box<dim> box;
    for (unsigned int d = 0; d < dim; ++d)
    {
      const double centre = shift + scale * random(-1, 1), half = 0.5 * scale * random(0, size);
      box.lower[d] = centre - half;
      box.upper[d] = centre + half;
    }
    return box;
  }
};

#endif
