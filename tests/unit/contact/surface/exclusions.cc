// Who does not see whom, by names of bodies, obstacles and groups.

#include <kickdrift/contact/surface/exclusions.h>

#include <deal.II/base/exceptions.h>

#include <gtest/gtest.h>

namespace
{
using namespace KickDrift;

const std::vector<std::string> names = {"left", "brick_1", "brick_2", "brick_3", "floor"};
const std::map<std::string, std::string> groups = {
    {"brick_1", "brick"}, {"brick_2", "brick"}, {"brick_3", "brick"}};

/// A face with boundary ids 0 and 1 for each of the bodies.
Surface<2>
surface()
{
  Surface<2> result;
  result.body_names = {"left", "brick_1", "brick_2", "brick_3"};
  for (unsigned int body = 0; body < 4; ++body)
  {
    for (unsigned int id = 0; id < 2; ++id)
      result.faces.push_back({{3 * body + id, 3 * body + id + 1}, 2, body, id});
    for (unsigned int node = 3 * body; node < 3 * body + 3; ++node)
      result.contactors.emplace_back(node, body, 1.);
  }
  return result;
}

Exclusions
make(const std::vector<std::pair<std::string, std::string>> &exclude)
{
  Surface<2> skin = surface();
  return Exclusions(exclude, names, skin, groups);
}

TEST(Exclusions, NoSelf)
{
  const auto exclusions = make({{"", ""}});
  for (unsigned int a = 0; a < 4; ++a)
    for (unsigned int b = 0; b < 4; ++b)
      EXPECT_EQ(exclusions.excluded(a, b), a == b);
}

TEST(Exclusions, GroupsStandForAllOfTheirBodies)
{
  const auto is_brick = [](const unsigned int body) { return body >= 1 && body <= 3; };
  const auto with_one = make({{"left", "brick"}}), with_each_other = make({{"brick", "brick"}}),
             with_floor = make({{"brick", "floor"}}), single = make({{"brick_2", "floor"}});
  for (unsigned int a = 0; a < 5; ++a)
    for (unsigned int b = 0; b < 5; ++b)
    {
      EXPECT_EQ(with_one.excluded(a, b), (a == 0 && is_brick(b)) || (b == 0 && is_brick(a)));
      EXPECT_EQ(with_each_other.excluded(a, b), is_brick(a) && is_brick(b));
      EXPECT_EQ(with_floor.excluded(a, b), (a == 4 && is_brick(b)) || (b == 4 && is_brick(a)));
      EXPECT_EQ(single.excluded(a, b), (a == 4 && b == 2) || (b == 4 && a == 2));
    }
}

TEST(Exclusions, BoundariesAreTakenOutOfTheSurface)
{
  Surface<2> skin = surface();
  const Exclusions exclusions({{"brick", "1"}, {"left", "0"}}, names, skin, groups);
  ASSERT_EQ(skin.faces.size(), 4u);
  for (const auto &face : skin.faces)
    EXPECT_EQ(face.boundary_id, face.body == 0 ? 1u : 0u);
  for (unsigned int body = 0; body < 4; ++body)
    for (unsigned int id = 0; id < 2; ++id)
      EXPECT_EQ(exclusions.excluded_boundary(body, id), id == (body == 0 ? 0 : 1));
  // each body has lost the node at the end of the face that is gone
  EXPECT_EQ(skin.contactors.size(), 8u);
}

TEST(Exclusions, PartsMayBeNamedMoreThanOnce)
{
  Surface<2> skin = surface();
  const Exclusions exclusions({{"brick", "1"}, {"brick_2", "1"}, {"brick", "1"}}, names, skin,
                              groups);
  EXPECT_EQ(skin.faces.size(), 5u);
  EXPECT_EQ(skin.contactors.size(), 9u);
}

TEST(Exclusions, MistakesAreRefused)
{
  for (const std::pair<std::string, std::string> &pair :
       {std::pair<std::string, std::string>{"left", "right"},
        {"nobody", "left"},
        {"floor", "1"},
        {"left", "7"}})
    EXPECT_THROW(make({pair}), dealii::ExceptionBase) << pair.first << ":" << pair.second;
}
} // namespace
