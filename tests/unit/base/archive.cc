// The archive that checkpoints are made of: what goes in comes out to the last bit, and what is
// damaged throws instead of crashing.

#include <kickdrift/base/archive.h>

#include <deal.II/base/tensor.h>

#include <gtest/gtest.h>

#include <limits>

namespace
{
using namespace KickDrift;

struct Plain
{
  double number = 0;
  unsigned int count = 0;

  bool
  operator==(const Plain &other) const
  {
    return number == other.number && count == other.count;
  }
};

/// One of everything that archives know.
class Everything
{
public:
  Everything() : same_length(3) {}

  void
  fill()
  {
    number = 0.1;
    tiny = std::numeric_limits<double>::denorm_min();
    text = std::string("with a zero\0in it", 17);
    plain = {1. / 3, 7};
    vectors = {{1, 2}, {}, {3}};
    plains = {{1, 2}, {3, 4}, {5, 6}};
    pairs = {{0.5, "half"}, {0.25, ""}};
    same_length = {dealii::Tensor<1, 3>({1, 2, 3}), {}, dealii::Tensor<1, 3>({4, 5, 6})};
  }

  void
  serialize(Archive &archive)
  {
    archive.section("everything");
    archive(number, tiny, text, plain, vectors, plains, pairs);
    archive.fixed(same_length);
  }

  bool
  operator==(const Everything &other) const
  {
    return number == other.number && tiny == other.tiny && text == other.text &&
           plain == other.plain && vectors == other.vectors && plains == other.plains &&
           pairs == other.pairs && same_length == other.same_length;
  }

  std::vector<dealii::Tensor<1, 3>> same_length;

private:
  double number = 0, tiny = 0;
  std::string text;
  Plain plain;
  std::vector<std::vector<int>> vectors;
  std::vector<Plain> plains;
  std::vector<std::pair<double, std::string>> pairs;
};

std::string
written()
{
  Everything everything;
  everything.fill();
  Archive archive;
  archive(everything);
  return archive.bytes();
}

void
read(const std::string &bytes, Everything &everything)
{
  Archive archive(bytes);
  archive(everything);
  AssertThrow(archive.is_at_end(), dealii::ExcMessage("There is a rest."));
}

TEST(Archive, RoundTrip)
{
  Everything before, after;
  before.fill();
  EXPECT_FALSE(before == after);
  read(written(), after);
  EXPECT_TRUE(before == after);
}

TEST(Archive, EveryTruncationThrows)
{
  const std::string bytes = written();
  for (std::size_t n = 0; n < bytes.size(); ++n)
  {
    Everything everything;
    EXPECT_THROW(read(bytes.substr(0, n), everything), dealii::ExceptionBase) << n;
  }
}

TEST(Archive, LengthsThatAreNotThereAllocateNothing)
{
  Archive archive;
  std::uint64_t huge = std::numeric_limits<std::uint64_t>::max() / 8 + 1;
  archive(huge, huge);
  std::vector<double> numbers;
  std::vector<std::string> texts;
  std::string text;
  EXPECT_THROW(Archive(archive.bytes())(numbers), dealii::ExceptionBase);
  EXPECT_THROW(Archive(archive.bytes())(texts), dealii::ExceptionBase);
  EXPECT_THROW(Archive(archive.bytes())(text), dealii::ExceptionBase);
}

TEST(Archive, ForgedNumbersOfThingsAllocateLittle)
{
  // as many as there are bytes, of strings and vectors that need eight at least
  const auto count_and_rest = [](std::uint64_t count)
  {
    Archive archive;
    archive(count);
    return archive.bytes() + std::string(1000000, '\xff');
  };
  for (const std::uint64_t count : {1000000, 125000, 60000})
  {
    std::vector<std::string> texts;
    EXPECT_THROW(Archive(count_and_rest(count))(texts), dealii::ExceptionBase);
    EXPECT_LE(texts.capacity(), 1u);
    std::vector<std::vector<double>> tables;
    EXPECT_THROW(Archive(count_and_rest(count))(tables), dealii::ExceptionBase);
    EXPECT_LE(tables.capacity(), 1u);
    std::vector<std::pair<std::string, std::string>> settings;
    EXPECT_THROW(Archive(count_and_rest(count))(settings), dealii::ExceptionBase);
    EXPECT_LE(settings.capacity(), 1u);
  }
}

TEST(Archive, VectorsBecomeLongerAndShorter)
{
  std::vector<std::string> three = {"a", "b", "c"};
  std::vector<std::pair<double, std::string>> one = {{1, "d"}};
  Archive archive;
  archive(three, one);
  std::vector<std::string> texts = {"e"};
  std::vector<std::pair<double, std::string>> pairs = {{2, "f"}, {3, "g"}};
  Archive(archive.bytes())(texts, pairs);
  EXPECT_EQ(texts, three);
  EXPECT_EQ(pairs, one);
}

TEST(Archive, OtherObjectsThrow)
{
  Everything everything;
  everything.same_length.resize(4);
  EXPECT_THROW(read(written(), everything), dealii::ExceptionBase);
  Archive other;
  other.section("something");
  Archive archive(other.bytes());
  EXPECT_THROW(archive.section("anything"), dealii::ExceptionBase);
}

TEST(Archive, FlippedBytesNeverCrash)
{
  const std::string bytes = written();
  unsigned int n_thrown = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    for (const char flip : {'\x01', '\x80', '\xff'})
    {
      std::string damaged = bytes;
      damaged[i] ^= flip;
      Everything everything;
      try
      {
        read(damaged, everything);
      }
      catch (const dealii::ExceptionBase &)
      {
        ++n_thrown;
      }
    }
  EXPECT_GT(n_thrown, 0u); // lengths and names
}

TEST(Checksum, SeesEveryChange)
{
  const std::string bytes = written();
  const auto sum = checksum(bytes);
  EXPECT_EQ(sum, checksum(bytes));
  for (std::size_t i = 0; i < bytes.size(); ++i)
  {
    EXPECT_NE(checksum(bytes.substr(0, i)), sum);
    for (int bit = 0; bit < 8; ++bit)
    {
      std::string damaged = bytes;
      damaged[i] ^= 1 << bit;
      EXPECT_NE(checksum(damaged), sum);
    }
  }
  EXPECT_NE(checksum(bytes + '\0'), sum);
}

TEST(Checksum, SeesTwoChangedSigns)
{
  // of two numbers: the same highest bit of two words
  const std::string zeros(64, '\0');
  for (unsigned int i = 7; i < 64; i += 8)
    for (unsigned int j = 7; j < i; j += 8)
    {
      std::string damaged = zeros;
      damaged[i] ^= '\x80';
      damaged[j] ^= '\x80';
      EXPECT_NE(checksum(damaged), checksum(zeros));
    }
}
} // namespace
