#include <kickdrift/stepping/threads.h>

#include <deal.II/base/exceptions.h>

#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <set>

using namespace KickDrift;

namespace
{
TEST(Threads, EveryShareIsDoneOnceOnItsOwnThread)
{
  for (const unsigned int n : {1u, 2u, 3u, 8u})
  {
    Threads threads(n);
    ASSERT_EQ(threads.size(), n);
    std::vector<std::thread::id> ids(n);
    std::vector<unsigned int> counts(n, 0);
    for (unsigned int job = 0; job < 200; ++job)
      threads.run(
          [&](const unsigned int i)
          {
            ++counts[i];
            ids[i] = std::this_thread::get_id();
          });
    for (const unsigned int count : counts)
      EXPECT_EQ(count, 200u);
    EXPECT_EQ(ids[0], std::this_thread::get_id());
    EXPECT_EQ(std::set<std::thread::id>(ids.begin(), ids.end()).size(), n);
  }
}

/// What one job has written, every thread of the next one sees.
TEST(Threads, JobsComeOneAfterTheOther)
{
  constexpr unsigned int n = 4;
  Threads threads(n);
  std::vector<double> values(n, 1.), next(n);
  for (unsigned int job = 0; job < 300; ++job)
  {
    threads.run([&](const unsigned int i) { next[i] = values[(i + 1) % n] + values[(i + 2) % n]; });
    threads.run([&](const unsigned int i) { values[i] = 0.5 * next[i] + i % 2; });
  }
  std::vector<double> expected(n, 1.);
  for (unsigned int job = 0; job < 300; ++job)
  {
    for (unsigned int i = 0; i < n; ++i)
      next[i] = expected[(i + 1) % n] + expected[(i + 2) % n];
    for (unsigned int i = 0; i < n; ++i)
      expected[i] = 0.5 * next[i] + i % 2;
  }
  EXPECT_EQ(values, expected);
}

TEST(Threads, ThoseThatSleepWakeUp)
{
  Threads threads(3);
  unsigned int counts[3] = {};
  for (unsigned int job = 0; job < 5; ++job)
  {
    std::this_thread::sleep_for(std::chrono::milliseconds(15));
    threads.run([&](const unsigned int i) { ++counts[i]; });
  }
  EXPECT_EQ(std::accumulate(counts, counts + 3, 0u), 15u);
}

TEST(Threads, FirstExceptionIsThrownWhenAllAreDone)
{
  Threads threads(4);
  for (unsigned int round = 0; round < 2; ++round)
  {
    std::atomic<unsigned int> n_done{0};
    try
    {
      threads.run(
          [&](const unsigned int i)
          {
            ++n_done;
            AssertThrow(i % 2 == 0, dealii::ExcMessage("share " + std::to_string(i)));
          });
      ADD_FAILURE() << "nothing was thrown";
    }
    catch (const dealii::ExceptionBase &exception)
    {
      EXPECT_NE(std::string(exception.what()).find("share 1"), std::string::npos);
    }
    EXPECT_EQ(n_done, 4u);
  }
  std::atomic<unsigned int> n_done{0};
  threads.run([&](unsigned int) { ++n_done; });
  EXPECT_EQ(n_done, 4u);
}

TEST(Threads, ThereMustBeOne)
{
  EXPECT_THROW(Threads(0), dealii::ExceptionBase);
}
} // namespace
