// Checkpoints: written as a whole or not at all, and refused if they are not whole or not ours.

#include <kickdrift/output/checkpoints.h>

#include <deal.II/base/exceptions.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <sys/resource.h>
#include <unistd.h>

namespace
{
using namespace KickDrift;
namespace fs = std::filesystem;

class CheckpointTest : public testing::Test
{
protected:
  CheckpointTest()
      : root(fs::temp_directory_path() / ("kickdrift_checkpoints_" + std::to_string(getpid()))),
        folder((root / "checkpoint").string())
  {
    fs::remove_all(root);
    fs::create_directories(root);
  }
  ~CheckpointTest() override { fs::remove_all(root); }

  static void
  write(Checkpoints &checkpoints, const std::vector<double> &state)
  {
    checkpoints.write(
        [&](Archive &archive)
        {
          auto copy = state;
          archive(copy);
        });
  }

  /// What can be resumed; empty if there is nothing.
  std::vector<double>
  newest(const CheckpointOrigin &origin)
  {
    std::vector<double> state;
    refused.clear();
    const auto archive = Checkpoints(folder, origin).newest(refused);
    if (archive)
    {
      (*archive)(state);
      EXPECT_TRUE(archive->is_at_end());
    }
    return state;
  }

  std::string
  complaint(const CheckpointOrigin &origin)
  {
    try
    {
      newest(origin);
    }
    catch (const dealii::ExceptionBase &exception)
    {
      std::ostringstream text;
      exception.print_info(text);
      return text.str();
    }
    return "";
  }

  std::string
  bytes(const std::string &name) const
  {
    std::ifstream in(folder + "/" + name, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }

  void
  replace(const std::string &name, const std::string &text) const
  {
    std::ofstream(folder + "/" + name, std::ios::binary) << text;
  }

  std::vector<std::string>
  names() const
  {
    std::vector<std::string> result;
    for (const auto &entry : fs::directory_iterator(folder))
      result.push_back(entry.path().filename().string());
    std::sort(result.begin(), result.end());
    return result;
  }

  const fs::path root;
  const std::string folder;
  const CheckpointOrigin origin = {
      "KickDrift 1.2.3", "avx2", {{"Contact/Friction", "0.3"}, {"Dimension", "2"}}, 42, 1, {}, 0};
  std::vector<std::string> refused;
};

using Names = std::vector<std::string>;

TEST_F(CheckpointTest, TheLastTwoAreKept)
{
  EXPECT_TRUE(newest(origin).empty());
  Checkpoints checkpoints(folder, origin);
  for (const double time : {1., 2., 3., 4.})
  {
    write(checkpoints, {time});
    EXPECT_EQ(newest(origin), std::vector<double>{time});
    EXPECT_EQ(checkpoints.current_file(), folder + "/checkpoint_00000" + std::to_string(int(time)));
  }
  EXPECT_EQ(names(), (Names{"checkpoint_000003", "checkpoint_000004"}));
  checkpoints.remove_older();
  EXPECT_EQ(names(), (Names{"checkpoint_000004"}));
}

TEST_F(CheckpointTest, TruncatedAndFlippedOnesAreRefused)
{
  Checkpoints checkpoints(folder, origin);
  write(checkpoints, {1, 2, 3});
  const std::string good = bytes("checkpoint_000001");
  for (std::size_t n = 0; n < good.size(); ++n)
  {
    replace("checkpoint_000001", good.substr(0, n));
    const std::string said = complaint(origin);
    EXPECT_NE(said.find("checkpoint_000001"), std::string::npos) << n;
    std::string damaged = good;
    damaged[n] ^= 1 << n % 8;
    replace("checkpoint_000001", damaged);
    EXPECT_NE(complaint(origin).find("checkpoint_000001"), std::string::npos) << n;
  }
  replace("checkpoint_000001", good + "x");
  EXPECT_NE(complaint(origin).find("longer"), std::string::npos);
  replace("checkpoint_000001", good);
  EXPECT_EQ(newest(origin), (std::vector<double>{1, 2, 3}));
}

// KICKDRIFT_MUTATIONS: how many (default 500).
TEST_F(CheckpointTest, MutatedOnesAreRefused)
{
  Checkpoints checkpoints(folder, origin);
  write(checkpoints, std::vector<double>(100, 0.1));
  const std::string good = bytes("checkpoint_000001");
  const char *const wanted = std::getenv("KICKDRIFT_MUTATIONS");
  const int n_mutations = wanted ? std::atoi(wanted) : 500;
  std::mt19937 random(42);
  const auto any = [&](const std::size_t n) { return random() % n; };
  for (int i = 0; i < n_mutations; ++i)
  {
    std::string text = good;
    const std::size_t at = any(text.size());
    switch (any(5))
    {
    case 0: // some bytes
      for (std::size_t n = 1 + any(20); n > 0; --n)
        text[any(text.size())] ^= 1 + any(255);
      break;
    case 1: // a lost piece
      text.erase(at, 1 + any(100));
      break;
    case 2: // a piece twice
      text.insert(at, text.substr(any(text.size()), 1 + any(100)));
      break;
    case 3: // a piece of zeros
      for (std::size_t n = 0; n < 100 && at + n < text.size(); ++n)
        text[at + n] = 0;
      break;
    default: // two pieces exchanged
      text = text.substr(at) + text.substr(0, at);
    }
    if (text == good)
      continue;
    replace("checkpoint_000001", text);
    EXPECT_NE(complaint(origin), "") << "mutation " << i;
  }
}

TEST_F(CheckpointTest, ThePreviousOneIsUsedAndTheBadOneReplaced)
{
  Checkpoints first(folder, origin);
  for (const double time : {1., 2., 3.})
    write(first, {time});
  replace("checkpoint_000003", bytes("checkpoint_000003").substr(0, 50));

  Checkpoints second(folder, origin);
  const auto archive = second.newest(refused);
  ASSERT_TRUE(archive);
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_NE(refused[0].find("checkpoint_000003' cannot be continued: it is truncated"),
            std::string::npos);
  EXPECT_EQ(second.current_file(), folder + "/checkpoint_000002");
  write(second, {2.5});
  EXPECT_EQ(names(), (Names{"checkpoint_000002", "checkpoint_000003"}));
  EXPECT_EQ(newest(origin), std::vector<double>{2.5});
  EXPECT_TRUE(refused.empty());
}

TEST_F(CheckpointTest, ForeignOnesAreRefused)
{
  Checkpoints checkpoints(folder, origin);
  write(checkpoints, {1});
  const auto expect = [&](const CheckpointOrigin &here, const std::string &part)
  { EXPECT_NE(complaint(here).find(part), std::string::npos) << complaint(here); };
  CheckpointOrigin here = origin;
  here.program = "KickDrift 1.2.4";
  expect(here, "written by 'KickDrift 1.2.3', this is 'KickDrift 1.2.4'");
  here = origin;
  here.instruction_set = "avx512";
  expect(here, "instruction set 'avx2'");
  here = origin;
  here.parameters[0].second = "0.4";
  expect(here, "'Contact/Friction' was '0.3' and is '0.4' now");
  here = origin;
  here.parameters.emplace_back("Constants", "");
  expect(here, "'Constants' did not exist then");
  here = origin;
  here.parameters.pop_back();
  expect(here, "'Dimension' was '2' and does not exist now");
  here = origin;
  here.model = 43;
  expect(here, "another model");

  std::string other = bytes("checkpoint_000001");
  other.replace(other.find("format 22"), 9, "format 9");
  replace("checkpoint_000001", other);
  expect(origin, "of format '9', this program reads 22");
  replace("checkpoint_000001", "something else");
  expect(origin, "no checkpoint");
  fs::remove(folder + "/checkpoint_000001");
  fs::create_directory(folder + "/checkpoint_000001");
  expect(origin, "cannot be read");
}

TEST_F(CheckpointTest, TheEndMayBecomeLater)
{
  CheckpointOrigin there = origin;
  there.end_time = 12;
  there.save_times = {10, 20}; // continued once
  there.detection_resolution = 0.1;
  Checkpoints checkpoints(folder, there);
  write(checkpoints, {1});
  const auto complaint_about = [&](const double end, const unsigned int intervals)
  {
    CheckpointOrigin here = there;
    here.end_time = end;
    here.save_times = {end, intervals};
    return complaint(here);
  };
  EXPECT_EQ(complaint_about(12, 20), ""); // as in the file that the run began with
  EXPECT_EQ(complaint_about(12, 24), ""); // as they were
  EXPECT_EQ(complaint_about(15, 30), ""); // the same intervals
  EXPECT_EQ(complaint_about(15, 20), "");
  EXPECT_NE(complaint_about(15, 31).find("'Output/Save intervals' was 20"), std::string::npos);
  EXPECT_NE(complaint_about(11.9, 20).find("'Stepping/End time' was 12"), std::string::npos);
  there.detection_resolution = 0.2;
  EXPECT_NE(complaint(there).find("'Detection/Resolution' was 0.1"), std::string::npos);

  // and what is written then knows the times that the run began with
  there.detection_resolution = 0.1;
  there.end_time = 15;
  there.save_times = {15, 30};
  Checkpoints later(folder, there);
  ASSERT_TRUE(later.newest(refused));
  EXPECT_EQ(later.found().end_time, 12);
  write(later, {2});
  Checkpoints last(folder, there);
  ASSERT_TRUE(last.newest(refused));
  EXPECT_EQ(last.found().end_time, 15);
  EXPECT_EQ(last.found().save_times.end, 10);
  EXPECT_EQ(last.found().save_times.intervals, 20u);
}

TEST(SaveTimes, GoOnAsTheyBegan)
{
  const SaveTimes times{2, 10};
  EXPECT_EQ(times.time(0), 0);
  EXPECT_EQ(times.time(10), 2);
  EXPECT_EQ(times.last(2), 10u);
  EXPECT_EQ(times.last(4), 20u);
  EXPECT_EQ(times.last(3.1), 16u);
  EXPECT_TRUE(times.ends_with(4));
  EXPECT_FALSE(times.ends_with(3.1));
  // as those of a longer run, to the last bit
  const SaveTimes longer{4, 20};
  for (unsigned int i = 0; i <= 20; ++i)
    EXPECT_EQ(times.time(i), longer.time(i)) << i;
  EXPECT_TRUE(times.has_intervals_of(longer));
  EXPECT_FALSE(times.has_intervals_of({4, 21}));
  // ends that are no sums of intervals but for rounding
  const SaveTimes tenths{0.3, 3};
  EXPECT_EQ(tenths.last(0.7), 7u);
  EXPECT_TRUE(tenths.ends_with(0.7));
}

TEST_F(CheckpointTest, WhatCannotBeWrittenLeavesTheOthers)
{
  Checkpoints checkpoints(folder, origin);
  write(checkpoints, {1});
  write(checkpoints, {2});
  struct rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  struct rlimit small = before;
  small.rlim_cur = 1000;
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(write(checkpoints, std::vector<double>(1000, 3.)), dealii::ExceptionBase);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(names(), (Names{"checkpoint_000001", "checkpoint_000002"}));
  EXPECT_EQ(newest(origin), std::vector<double>{2});

  fs::remove_all(root);
  EXPECT_THROW(write(checkpoints, {3}), dealii::ExceptionBase);
  EXPECT_FALSE(fs::exists(root)); // nobody wants it back
}
} // namespace
