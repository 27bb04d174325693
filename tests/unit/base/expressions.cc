// Expressions of parameter files, and what is thrown by those who evaluate them.

#include <kickdrift/base/expressions.h>
#include <kickdrift/base/memory.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/base/std_exceptions.h>

#include <deal.II/base/exceptions.h>

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

using namespace KickDrift;

namespace
{
/// What is said if this throws dealii::ExceptionBase; otherwise empty.
template <typename Function>
std::string
message(const Function &function)
{
  try
  {
    function();
    return "";
  }
  catch (const dealii::ExceptionBase &exception)
  {
    return message_of(exception);
  }
}

struct OfAnotherKind
{
};
} // namespace

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

// The parser has a limit, and throws what is no exception of the standard library.
TEST(Expressions, constants_have_any_name_that_the_parser_takes)
{
  unsigned int n_taken = 0;
  for (const unsigned int length : {1u, 50u, 98u, 99u, 100u, 101u, 200u, 30000u})
  {
    const std::string name(length, 'a');
    const std::string said =
        message([&] { EXPECT_EQ(parse_constants(name + " = 2", "Constants", {}).at(name), 2); });
    n_taken += said.empty();
    if (!said.empty())
    {
      EXPECT_NE(said.find("cannot name a constant"), std::string::npos) << said;
      EXPECT_GT(length, 50u);
    }
  }
  EXPECT_GE(n_taken, 2u);
  EXPECT_LT(n_taken, 8u);
}

TEST(StdExceptions, what_is_thrown_by_others_becomes_one)
{
  EXPECT_EQ(with_std_exceptions([] { return 3; }), 3);
  EXPECT_NE(
      message([] { with_std_exceptions([] { throw OfAnotherKind(); }); }).find("OfAnotherKind"),
      std::string::npos);
  EXPECT_NE(
      message([] { with_std_exceptions([] { throw "the foam bursts"; }); }).find("foam bursts"),
      std::string::npos);
  EXPECT_NE(message([] { with_std_exceptions([] { throw std::string("oh"); }); }).find("'oh'"),
            std::string::npos);
  EXPECT_NE(message([] { with_std_exceptions([] { throw 7; }); }).find("'int'"), std::string::npos);
  // others stay what they are
  EXPECT_THROW(with_std_exceptions([] { throw std::out_of_range("it"); }), std::out_of_range);
}

TEST(Memory, who_needs_it_is_told)
{
  const std::string said = message(
      [] {
        with_memory_for("all", [] { with_memory_for("the mesh", [] { throw std::bad_alloc(); }); });
      });
  EXPECT_EQ(said.rfind("There is not enough memory for the mesh; this process can have ", 0), 0u)
      << said;
  EXPECT_EQ(with_memory_for("nothing", [] { return 3; }), 3);
  EXPECT_THROW(with_memory_for("it", [] { throw std::out_of_range("it"); }), std::out_of_range);
  EXPECT_EQ(message_of(std::bad_alloc()), "There is not enough memory.");
}
