// The main function of the programs of unit tests: GoogleTest's, and --in=FILE for the tests of one
// file. Tests are slow if their names, or those of their suites, begin with Slow, or their suites
// end so.
#include <gtest/gtest.h>

#include <iostream>
#include <string>

namespace
{
bool
ends_with(const std::string &text, const std::string &end)
{
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool
begins_with(const std::string &text, const std::string &begin)
{
  return text.compare(0, begin.size(), begin) == 0;
}

/// CMake looks for the same names, see CMakeLists.txt.
bool
is_slow(const std::string &suite, const std::string &test)
{
  return begins_with(test, "Slow") || begins_with(suite, "Slow") || ends_with(suite, "Slow");
}

/// The tests of the files whose paths end like this, as a filter; slow ones or the others.
std::string
tests_in(const std::string &file, const bool slow)
{
  const testing::UnitTest &all = *testing::UnitTest::GetInstance();
  std::string filter;
  for (int s = 0; s < all.total_test_suite_count(); ++s)
  {
    const testing::TestSuite &suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t)
    {
      const testing::TestInfo &test = *suite.GetTestInfo(t);
      if (ends_with(test.file(), "/" + file) && is_slow(suite.name(), test.name()) == slow)
        filter += std::string(":") + suite.name() + "." + test.name();
    }
  }
  return filter;
}
} // namespace

int
main(int argc, char **argv)
{
  testing::InitGoogleTest(&argc, argv);
  std::string file;
  bool slow = false, none_is_slow = false;
  for (int i = 1; i < argc; ++i)
  {
    const std::string argument = argv[i];
    if (argument.rfind("--in=", 0) == 0)
      file = argument.substr(5);
    else if (argument == "--slow")
      slow = true;
    else if (argument == "--none-is-slow")
      none_is_slow = true;
    else
    {
      std::cerr << "unknown: " << argument
                << "; --in=FOLDER/FILE.cc [--slow|--none-is-slow], options of GoogleTest\n";
      return 2;
    }
  }
  if (!file.empty())
  {
    const std::string filter = tests_in(file, slow);
    if (filter.empty())
    {
      std::cerr << "no " << (slow ? "slow " : "") << "test in " << file << '\n';
      return 2;
    }
    if (none_is_slow && !tests_in(file, true).empty())
    {
      std::cerr << file << " has slow tests now, which CTest does not know; please run CMake\n";
      return 2;
    }
    testing::GTEST_FLAG(filter) = filter;
  }
  return RUN_ALL_TESTS();
}
