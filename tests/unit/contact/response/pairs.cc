// Pairs of partners: their coefficients, and what they remember.

#include <kickdrift/base/archive.h>
#include <kickdrift/contact/response/pairs.h>

#include <deal.II/base/exceptions.h>

#include <gtest/gtest.h>

namespace
{
using namespace KickDrift;
using Pairs = ContactPairs<2>;
using dealii::Tensor;

const std::vector<std::string> names = {"left", "brick_1", "brick_2", "floor"};

ResponseParameters
parameters()
{
  ResponseParameters result;
  result.restitution = 0.9;
  result.friction = 0.1;
  result.group_of_body = {{"brick_1", "brick"}, {"brick_2", "brick"}};
  return result;
}

TEST(ContactPairs, LaterRulesCountMore)
{
  ResponseParameters rules = parameters();
  rules.friction_of_pairs = {{"", "floor", 0.2},
                             {"brick", "floor", 0.3},
                             {"floor", "brick_2", 0.4},
                             {"brick", "brick", 0.5}};
  rules.restitution_of_pairs = {{"left", "brick", 0.7}};
  const Pairs pairs(names, rules);
  EXPECT_EQ(pairs(0, 3).friction, 0.2);
  EXPECT_EQ(pairs(3, 1).friction, 0.3);
  EXPECT_EQ(pairs(1, 3).friction, 0.3);
  EXPECT_EQ(pairs(2, 3).friction, 0.4);
  EXPECT_EQ(pairs(1, 2).friction, 0.5);
  EXPECT_EQ(pairs(1, 1).friction, 0.5);
  EXPECT_EQ(pairs(0, 1).friction, 0.1);
  EXPECT_EQ(pairs(0, 1).restitution, 0.7);
  EXPECT_EQ(pairs(2, 0).restitution, 0.7);
  EXPECT_EQ(pairs(0, 3).restitution, 0.9);
  rules.friction_of_pairs = {{"brick", "ceiling", 0.2}};
  EXPECT_THROW(Pairs(names, rules), dealii::ExceptionBase);
}

TEST(ContactPairs, ImpulsesAreThoseOfTheSmallerNumber)
{
  Pairs pairs(names, parameters());
  EXPECT_TRUE(pairs.touched().empty());
  pairs.book(2, 0, Tensor<1, 2>({1, 2}));
  pairs.book(0, 2, Tensor<1, 2>({0, 1}));
  pairs.book(1, 1, Tensor<1, 2>({5, 5}));
  pairs(0, 3); // in sight, but not touched
  EXPECT_EQ(pairs(0, 2).impulse, (Tensor<1, 2>({-1, -1})));
  EXPECT_EQ(pairs(1, 1).impulse, (Tensor<1, 2>()));
  EXPECT_EQ(pairs.touched(), (std::vector<std::pair<unsigned int, unsigned int>>{{0, 2}, {1, 1}}));

  Archive archive;
  pairs.serialize(archive);
  Pairs other(names, parameters());
  other(0, 1).impulse[0] = 7; // is not in the archive
  Archive reading(archive.bytes());
  other.serialize(reading);
  EXPECT_EQ(other.touched(), pairs.touched());
  EXPECT_EQ(other(0, 2).impulse, pairs(0, 2).impulse);
  EXPECT_EQ(other(0, 1).impulse, pairs(0, 1).impulse);

  Pairs fewer({"left", "floor"}, ResponseParameters());
  Archive again(archive.bytes());
  EXPECT_THROW(fewer.serialize(again), dealii::ExceptionBase);
}

// 10^5 bodies have 5 10^9 pairs.
TEST(ContactPairs, TakeNoMemoryBeforeTheyAreAskedFor)
{
  std::vector<std::string> many;
  for (unsigned int i = 0; i < 100000; ++i)
    many.push_back(std::to_string(i));
  Pairs pairs(many, ResponseParameters());
  pairs.book(99999, 0, Tensor<1, 2>({1, 0}));
  EXPECT_EQ(pairs.touched().size(), 1u);
}
} // namespace
