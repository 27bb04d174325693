// Signals that ask a run to stop: the first is noted, the second ends the program.

#include <kickdrift/cases/run/interrupt.h>

#include <gtest/gtest.h>

#include <cstdlib>

namespace
{
using namespace KickDrift;

TEST(Interrupt, TheFirstSignalIsNoted)
{
  for (const int signal : {SIGINT, SIGTERM})
  {
    const Interrupt interrupt;
    EXPECT_FALSE(Interrupt::is_noted());
    std::raise(signal);
    EXPECT_TRUE(Interrupt::is_noted());
  }
}

TEST(Interrupt, TheSecondSignalEndsTheProgram)
{
  const auto raise_twice = []
  {
    const Interrupt interrupt;
    std::raise(SIGINT);
    std::raise(SIGTERM);
    std::_Exit(0);
  };
  EXPECT_EXIT(raise_twice(), testing::KilledBySignal(SIGTERM), "");
}

TEST(Interrupt, AfterwardsSignalsDoWhatTheyDidBefore)
{
  const auto raise_after = []
  {
    {
      const Interrupt interrupt;
    }
    std::raise(SIGINT);
    std::_Exit(0);
  };
  EXPECT_EXIT(raise_after(), testing::KilledBySignal(SIGINT), "");
}
} // namespace
