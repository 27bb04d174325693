// What impulses of lasting contacts have pending between their instants.

#include <kickdrift/base/archive.h>
#include <kickdrift/contact/response/lasting_impulses.h>

#include <gtest/gtest.h>

using namespace KickDrift;
using Vector = dealii::Tensor<1, 2>;

namespace
{
/// Node 0 on the edge between nodes 1 and 2, three quarters of the way to the second.
ContactStencil<2>
stencil()
{
  ContactStencil<2> result;
  result.add(0, 1);
  result.add(1, -0.25);
  result.add(2, -0.75);
  result.normal = Vector({0, 1});
  return result;
}

LastingImpulse<2>
impulse(const double time, const double interval, const Vector &total, const double friction = 0)
{
  return {time, interval, 0, 1, stencil(), {total, Vector({friction, 0})}, {}, {}, 0, true};
}

/// All that is pending, along y.
double
pending(const LastingImpulses<2> &impulses, const double time)
{
  double sum = 0;
  impulses.for_each_pending(time, [&](const auto &, const auto &part) { sum += part.total[1]; });
  return sum;
}
} // namespace

TEST(LastingImpulses, equal_impulses_are_a_constant_force)
{
  LastingImpulses<2> impulses;
  unsigned int place = impulses.nowhere;
  for (unsigned int i = 1; i <= 3; ++i)
  {
    impulses.set(place, impulse(0.1 * i, 0.1, Vector({0, 2})));
    EXPECT_EQ(impulses.size(), 1u);
    // given so far and pending: 20 per time, from half an interval before the first one on
    for (const double after : {0., 0.02, 0.05, 0.099})
      EXPECT_NEAR(2 * i + pending(impulses, 0.1 * i + after), 20 * (0.1 * i + after - 0.05), 1e-12);
  }
}

TEST(LastingImpulses, alternating_impulses_are_a_constant_force)
{
  LastingImpulses<2> impulses;
  unsigned int place = impulses.nowhere;
  double given = 0;
  for (unsigned int i = 1; i <= 5; ++i)
  {
    const double p = i % 2 == 0 ? 1 : 3;
    given += p;
    impulses.set(place, impulse(i, 1, Vector({0, p})));
    if (i > 1)
    {
      // just before the next instant half of the next impulse, which is the other one
      EXPECT_NEAR(pending(impulses, i + 0.9999), 0.5 * (4 - p), 1e-3);
      EXPECT_NEAR(pending(impulses, i), -0.5 * p, 1e-12);
    }
  }
  EXPECT_NEAR(given + pending(impulses, 5.5), 2 * 5 + 0.5, 1e-12);
}

TEST(LastingImpulses, contacts_that_have_ended_have_nothing_pending)
{
  LastingImpulses<2> impulses;
  unsigned int place = impulses.nowhere;
  impulses.set(place, impulse(1. / 3, 0.1, Vector({0, 2})));
  EXPECT_NEAR(pending(impulses, 1. / 3), -1, 1e-12);
  EXPECT_NEAR(pending(impulses, 1. / 3 + 0.05), 0, 1e-12);
  EXPECT_GT(pending(impulses, 1. / 3 + 0.0999), 0.9);
  EXPECT_EQ(pending(impulses, 1. / 3 + 0.1), 0);
  EXPECT_EQ(pending(impulses, 5), 0);
}

// Two contacts of one place that take turns are each answered at twice the interval.
TEST(LastingImpulses, contacts_that_take_turns)
{
  LastingImpulses<2> impulses;
  unsigned int first = impulses.nowhere, second = impulses.nowhere;
  double given = 0;
  for (unsigned int i = 1; i <= 6; ++i)
  {
    impulses.set(i % 2 == 0 ? first : second, impulse(i, 2, Vector({0, 2})));
    given += 2;
    for (const double after : {0., 0.3, 0.8})
      if (i > 1)
      {
        EXPECT_NEAR(given + pending(impulses, i + after), 2 * (i + after) - 1, 1e-12)
            << i << " " << after;
      }
  }
}

TEST(LastingImpulses, what_is_pending_is_balanced_and_belongs_to_its_pair)
{
  LastingImpulses<2> impulses;
  unsigned int place = impulses.nowhere;
  impulses.set(place, impulse(1, 0.5, Vector({0.3, 2}), 0.3));
  ContactStatistics<2> statistics;
  statistics.impulse.resize(3);
  statistics.friction_impulse.resize(3);
  impulses.add_pending(1.1, statistics);
  const double share = 0.1 / 0.5 - 0.5;
  const double coefficients[] = {1, -0.25, -0.75};
  for (unsigned int i = 0; i < 3; ++i)
  {
    EXPECT_NEAR((statistics.impulse[i] - share * coefficients[i] * Vector({0.3, 2})).norm(), 0,
                1e-15);
    EXPECT_NEAR(statistics.friction_impulse[i][0], share * coefficients[i] * 0.3, 1e-15);
  }
  ContactPairs<2> pairs({"a", "b"}, ResponseParameters());
  impulses.add_pending(1.1, pairs);
  EXPECT_NEAR((pairs(0, 1).impulse - share * Vector({0.3, 2})).norm(), 0, 1e-15);
}

TEST(LastingImpulses, come_back_from_a_checkpoint_that_fits)
{
  LastingImpulses<2> impulses;
  unsigned int place = impulses.nowhere;
  impulses.set(place, impulse(1, 0.5, Vector({0.3, 2}), 0.3));
  Archive writing;
  impulses.serialize(writing, 3, 2);
  LastingImpulses<2> copy;
  Archive reading(writing.bytes());
  copy.serialize(reading, 3, 2);
  EXPECT_TRUE(reading.is_at_end());
  EXPECT_EQ(pending(copy, 1.2), pending(impulses, 1.2));

  for (const auto &[n_nodes, n_partners] : {std::pair<unsigned int, unsigned int>{2, 2}, {3, 1}})
  {
    Archive other(writing.bytes());
    EXPECT_THROW(copy.serialize(other, n_nodes, n_partners), dealii::ExceptionBase);
  }
}

// The place of a contact that has ended is another one's, but not while something of it is pending.
TEST(LastingImpulses, places_are_used_again)
{
  LastingImpulses<2> impulses;
  unsigned int first = impulses.nowhere, second = impulses.nowhere, third = impulses.nowhere;
  impulses.set(first, impulse(0.1, 0.1, Vector({0, 2})));
  const double before = pending(impulses, 0.15);
  impulses.release(first);
  EXPECT_EQ(first, impulses.nowhere);
  impulses.set(second, impulse(0.15, 1., Vector({0, 0})));
  EXPECT_EQ(impulses.size(), 2u);
  EXPECT_EQ(pending(impulses, 0.15), before);
  impulses.set(third, impulse(0.2, 0.1, Vector({0, 4})));
  EXPECT_EQ(impulses.size(), 2u);
  EXPECT_NEAR(pending(impulses, 0.2), -2, 1e-12); // as of a first one
  impulses.release(third);
  impulses.release(third); // there is none
  impulses.set(third, impulse(0.4, 0.1, Vector({0, 4})));
  EXPECT_EQ(impulses.size(), 2u);
}
