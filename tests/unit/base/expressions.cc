// Expressions of parameter files.

#include <kickdrift/base/expressions.h>

#include <gtest/gtest.h>

using namespace KickDrift;

TEST(Expressions, mention_variables_but_not_parts_of_names)
{
  EXPECT_TRUE(mentions("t", "t"));
  EXPECT_TRUE(mentions("2*t", "t"));
  EXPECT_TRUE(mentions("sqrt(t)", "t"));
  EXPECT_TRUE(mentions("tan(x)+t", "t"));
  EXPECT_TRUE(mentions("pit*t2-t", "t"));
  EXPECT_FALSE(mentions("", "t"));
  EXPECT_FALSE(mentions("sqrt(2)", "t"));
  EXPECT_FALSE(mentions("tan(x) + t_1 + _t + t0 + 2 * at", "t"));
  EXPECT_FALSE(mentions("exp(1)", "x"));
}
