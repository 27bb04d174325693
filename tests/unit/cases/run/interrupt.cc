// Signals that ask a run to stop: they are noted, the same once more ends the program.

#include <kickdrift/cases/run/interrupt.h>

#include <gtest/gtest.h>

#include <cstdlib>

namespace
{
using namespace KickDrift;

TEST(Interrupt, TheFirstSignalIsNoted)
{
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGPIPE})
  {
    std::signal(signal, SIG_DFL); // those of writing are ignored after the first that was noted
    const Interrupt interrupt;
    EXPECT_FALSE(Interrupt::is_noted());
    std::raise(signal);
    EXPECT_TRUE(Interrupt::is_noted());
  }
}

TEST(Interrupt, TheSameSignalAgainEndsTheProgram)
{
  const auto raise_twice = []
  {
    const Interrupt interrupt;
    std::raise(SIGTERM);
    std::raise(SIGTERM);
    std::_Exit(0);
  };
  EXPECT_EXIT(raise_twice(), testing::KilledBySignal(SIGTERM), "");
}

// Batch systems send one after the other, and a checkpoint takes time.
TEST(Interrupt, AnotherSignalDoesNot)
{
  const auto raise_both = []
  {
    const Interrupt interrupt;
    std::raise(SIGUSR1);
    std::raise(SIGTERM);
    std::_Exit(0);
  };
  EXPECT_EXIT(raise_both(), testing::ExitedWithCode(0), "");
}

TEST(Interrupt, SignalsOfWritingComeAgainAndAgain)
{
  for (const int signal : {SIGPIPE, SIGXFSZ})
  {
    const auto raise_often = [signal]
    {
      {
        const Interrupt interrupt;
        std::raise(signal);
        std::raise(signal);
      }
      std::raise(signal); // what is left in buffers
      std::_Exit(0);
    };
    EXPECT_EXIT(raise_often(), testing::ExitedWithCode(0), "");
  }
}

TEST(Interrupt, IgnoredSignalsRemainIgnored)
{
  std::signal(SIGHUP, SIG_IGN); // as nohup does
  {
    const Interrupt interrupt;
    std::raise(SIGHUP);
    EXPECT_FALSE(Interrupt::is_noted());
  }
  std::raise(SIGHUP);
  std::signal(SIGHUP, SIG_DFL);
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
