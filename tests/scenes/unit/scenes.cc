// The scenes: they start apart, are the same everywhere, and fail when contact is off; variants are
// the same motion; and contact does right what it has been right in so far.
#include "scenes/table.h"
#include "scenes/variants.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace Scenes;

namespace
{
/// FNV-1a of the bits of all that a scene starts with.
template <int dim>
std::uint64_t
checksum(const Scene<dim> &scene)
{
  std::uint64_t hash = 14695981039346656037u;
  const auto add = [&](const double value)
  {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    hash = (hash ^ bits) * 1099511628211u;
  };
  for (const auto &body : scene.bodies)
  {
    add(body.stiffness);
    for (const auto &part : body.parts)
      for (unsigned int v = 0; v < part.vertices.size(); ++v)
        for (int d = 0; d < dim; ++d)
        {
          add(part.vertices[v][d] + 0.); // no negative zeros
          add(part.velocities[v][d] + 0.);
        }
  }
  add(scene.end_time);
  return hash;
}

template <int dim>
std::uint64_t
checksum_of_all()
{
  std::uint64_t sum = 0;
  for (const auto &kind : kinds<dim>())
    for (unsigned int seed = 0; seed < 5; ++seed)
      sum = sum * 31 + checksum(make_scene<dim>(kind.name, seed));
  return sum;
}

template <int dim>
void
all_start_apart()
{
  for (const auto &kind : kinds<dim>())
    for (unsigned int seed = 0; seed < 20; ++seed)
    {
      const auto scene = make_scene<dim>(kind.name, seed);
      const Skin<dim> skin(scene);
      EXPECT_LT(Oracle<dim>(skin, 1).overlap(positions(scene)), 0) << kind.name << ' ' << seed;
      EXPECT_GT(scene.end_time, 0);
    }
}

/// Most scenes in which pieces are to meet fail without contact, by what is in each other.
template <int dim>
void
fail_without_contact(const std::vector<std::string> &names)
{
  RunOptions options;
  options.with_contact = false;
  options.most_instants = 1500;
  for (const auto &name : names)
  {
    unsigned int n_deep = 0;
    for (unsigned int seed = 0; seed < 4; ++seed)
    {
      const auto scene = make_scene<dim>(name, seed);
      const auto outcome = run_scene(scene, options);
      n_deep += outcome.findings.deep > 0;
      EXPECT_EQ(outcome.findings.false_pushes, 0u) << record(scene, outcome);
      EXPECT_LT(outcome.energy_growth, allowed_growth) << record(scene, outcome);
      EXPECT_EQ(outcome.has_failed(scene), outcome.findings.deep > 0) << record(scene, outcome);
    }
    EXPECT_GE(n_deep, 3u) << name;
  }
}

/// Without contact the momenta of variants are the same but for rounding (far from the origin it is
/// ten thousand times as large); and a difference is seen.
template <int dim>
void
variants_are_the_same_motion(const std::string &kind)
{
  RunOptions options;
  options.with_contact = false;
  options.most_instants = 300;
  for (unsigned int seed = 0; seed < 4; ++seed)
  {
    const auto scene = make_scene<dim>(kind, seed);
    const auto outcome = run_scene(scene, options);
    for (const auto &name : variant_names())
    {
      auto variant = make_variant(scene, name);
      auto other = run_scene(variant.scene, options);
      double change = 0;
      EXPECT_EQ(compare(scene, outcome, variant, other, change), "") << kind << seed << name;
      EXPECT_LT(change, 1e-7) << kind << seed << name;
      other.momenta[0][1] += 0.1 * norm(other.momenta[0]) + 1e-3;
      ++other.findings.deep;
      EXPECT_NE(compare(scene, outcome, variant, other, change), "");
      EXPECT_GT(change, 1e-3);
    }
  }
}

template <int dim>
void
is_right(const std::string &kind, const std::vector<unsigned int> &seeds, const bool touches = true)
{
  for (const unsigned int seed : seeds)
  {
    const auto scene = make_scene<dim>(kind, seed);
    const auto outcome = run_scene(scene);
    EXPECT_FALSE(outcome.has_failed(scene)) << record(scene, outcome);
    EXPECT_EQ(!outcome.findings.touched.empty(), touches) << record(scene, outcome);
  }
}
} // namespace

TEST(Scenes, AreTheSameEverywhere)
{
  // the first numbers of the engine are the standard's
  EXPECT_EQ(Random(5489).unit(), static_cast<double>(14514284786278117030u >> 11) * 0x1p-53);
  // to be changed with the scenes; what was found with a seed is another scene then
  EXPECT_EQ(checksum_of_all<2>(), 16626101316727237005u);
  EXPECT_EQ(checksum_of_all<3>(), 13913852991083575333u);
}

TEST(Scenes, StartApart)
{
  all_start_apart<2>();
  all_start_apart<3>();
}

TEST(Scenes, RefuseThoseThatOverlap)
{
  auto scene = make_scene<2>("blocks", 0);
  scene.bodies[1] = scene.bodies[0];
  EXPECT_THROW(run_scene(scene), std::logic_error);
  EXPECT_THROW(make_scene<2>("none", 0), std::invalid_argument);
}

TEST(Scenes, FailWithoutContact)
{
  fail_without_contact<2>({"thin_strips", "one_mesh", "stack", "coarse_fine", "blocks", "driven",
                           "obstacle", "corners"});
  fail_without_contact<3>({"thin_plates", "blocks", "obstacle"});
}

/// The errors of the kicks, where hardly any energy is typical.
TEST(Scenes, SeeEnergyThatGrows)
{
  RunOptions options;
  options.with_contact = false;
  double growth = 0, error = 0;
  for (unsigned int seed = 0; seed < 4; ++seed)
  {
    auto scene = make_scene<2>("tumbling", seed);
    scene.typical_speed *= 1e-6;
    const auto outcome = run_scene(scene, options);
    growth = std::fmax(growth, outcome.energy_growth);
    error = std::fmax(error, outcome.energy_error);
  }
  EXPECT_GT(growth, allowed_growth);
  EXPECT_GT(error, allowed_growth);
}

/// Where pieces are said never to touch, each push is false that comes ahead of touch: momenta come
/// from the model.
TEST(Scenes, SeePushes)
{
  unsigned int n_allowed = 0, n_false = 0;
  for (unsigned int seed = 0; seed < 6; ++seed)
  {
    auto scene = make_scene<2>("blocks", seed);
    n_allowed += run_scene(scene).findings.false_pushes;
    scene.expectation = Expectation::never_touch;
    n_false += run_scene(scene).findings.false_pushes;
  }
  EXPECT_EQ(n_allowed, 0u);
  EXPECT_GT(n_false, 0u);
}

/// Friction takes speed on a floor, and energy.
TEST(Scenes, SeeWhatChangesASlide)
{
  auto floor = make_scene<2>("seamed_floor", 0);
  floor.friction = 0.3;
  auto outcome = run_scene(floor);
  EXPECT_GT(outcome.change, 0.1);
  EXPECT_TRUE(outcome.has_failed(floor));
  auto bowl = make_scene<2>("bowl", 0);
  bowl.friction = 0.3;
  EXPECT_GT(run_scene(bowl).change, 1e-2);
}

/// A failure of each kind is one.
TEST(Scenes, KnowFailures)
{
  Scene<2> scene;
  scene.allowed_change = 1e-6;
  const Outcome<2> good;
  EXPECT_FALSE(good.has_failed(scene));
  const auto fails = [&](const auto &spoil)
  {
    Outcome<2> bad;
    spoil(bad);
    return bad.has_failed(scene);
  };
  EXPECT_TRUE(fails([](auto &o) { o.error = "stopped"; }));
  EXPECT_TRUE(fails([](auto &o) { o.findings.deep = 1; }));
  EXPECT_TRUE(fails([](auto &o) { o.findings.lost = 1; }));
  EXPECT_TRUE(fails([](auto &o) { o.findings.false_pushes = 1; }));
  EXPECT_TRUE(fails([](auto &o) { o.energy_growth = 2e-3; }));
  EXPECT_TRUE(fails([](auto &o) { o.change = 2e-6; }));
  EXPECT_TRUE(fails([](auto &o) { o.momentum_error = 1e-8; }));
  EXPECT_TRUE(fails([](auto &o) { o.angular_error = 1e-8; }));
  EXPECT_TRUE(fails([](auto &o) { o.friction_excess = 1e-8; }));
}

TEST(Scenes, VariantsAreTheSameMotion)
{
  for (const std::string kind : {"blocks", "one_mesh", "tumbling", "driven", "flush_floor"})
    variants_are_the_same_motion<2>(kind);
  variants_are_the_same_motion<3>("tumbling");
  variants_are_the_same_motion<3>("driven");
}

/// Of impacts contact gets these right so far; angular momentum it does not.
TEST(ContactOfToday, KeepsMomentumInImpactsAndFrictionInItsCone)
{
  unsigned int n_impacts = 0;
  for (unsigned int seed = 0; seed < 50; ++seed)
  {
    const auto scene = make_scene<2>("rigid_impact", seed);
    const auto outcome = run_scene(scene);
    EXPECT_LT(outcome.momentum_error, 1e-13) << record(scene, outcome);
    EXPECT_LT(outcome.friction_excess, 1e-13) << record(scene, outcome);
    n_impacts += scene.friction > 0 && outcome.collisions > 0;
  }
  EXPECT_GT(n_impacts, 25u);
}

// Seeds that pass today, of kinds of which most do: none of them may begin to fail.

TEST(ContactOfToday, LeavesPlatesAloneThatSlidePast)
{
  is_right<2>("slide_past", {0, 1, 2, 3, 4, 5, 6, 7}, false);
  is_right<3>("slide_past", {0}, false);
}

TEST(ContactOfToday, IsRightForBlocks)
{
  is_right<2>("blocks", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  is_right<3>("blocks", {0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11});
}

TEST(ContactOfToday, IsRightForMostCornersAndObstacles)
{
  is_right<2>("corners", {0, 1, 2, 4, 5, 9, 10, 11});
  is_right<3>("corners", {0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  is_right<2>("obstacle", {0, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  is_right<3>("obstacle", {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11});
}

TEST(ContactOfToday, LetsMostBlocksSlideOverFloors)
{
  is_right<2>("seamed_floor", {0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  is_right<2>("flush_floor", {0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11});
}
