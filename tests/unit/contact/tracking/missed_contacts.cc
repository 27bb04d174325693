// Random scenes: is everything found that a look at every pair of a contactor and a face finds, by
// detectors that remember what is near and by contactors that rest? Scenes keep to what the
// argument in doc/theory.md (tracking) assumes: cells do not turn inside out.

#include "scene.h"

#include <kickdrift/contact/detection/face_detector.h>

#include <iostream>
#include <limits>

using namespace KickDriftTests;

namespace
{
/// What a look at everything finds in front of, or behind, a contactor.
template <int dim>
struct Sight
{
  double distance = 1e300;                ///< of the nearest face that it must see [length]
  bool touches = false;                   ///< beyond doubt
  unsigned int target = 0;                ///< body of that face
  std::map<unsigned int, double> of_body; ///< the same distance by body
};

/// How much there was to be seen.
struct Counts
{
  unsigned int tests = 0, together = 0, in_sight = 0, own = 0, touching = 0;

  void
  operator+=(const Counts &other)
  {
    tests += other.tests;
    together += other.together;
    in_sight += other.in_sight;
    own += other.own;
    touching += other.touching;
  }
};

/// A scene whose contactors are tested, if they do not rest, and answers compared.
template <int dim>
struct Watched : Scene<dim>
{
  using Test = PendingTest<dim>;

  void
  watch(std::mt19937 &random, const unsigned int n_steps)
  {
    std::uniform_real_distribution<double> uniform(0, 1);
    begin(random);
    for (unsigned int s = 0; s < n_steps && !testing::Test::HasFailure(); ++s)
    {
      test_due(random);
      if (s % 5 == 0)
        this->check(this->time + uniform(random) * this->step);
      if (s % 10 == 0)
        this->check_edges(this->time + uniform(random) * this->step);
      this->advance();
    }
  }

  std::vector<ContactPoint<dim>> found; ///< by contactor, at its last test
  std::vector<double> last_touch;       ///< by contactor [time]
  std::unique_ptr<FaceDetector<dim>> detector;
  double share_tested = 0.7; ///< of those that do not rest, at every step
  Counts counts;

  void
  begin(std::mt19937 &random)
  {
    this->slack = 0.12; // of the cosine: what normals turn by between two fits
    this->start(random);
    detector = std::make_unique<FaceDetector<dim>>(this->table, this->surface, this->exclusions,
                                                   *this->search, *this->bounds);
    found.resize(this->surface.contactors.size());
    last_touch.assign(found.size(), -1);
  }

  /// Some contactors are due: those that have touched just now together, others one by one.
  void
  test_due(std::mt19937 &random)
  {
    std::uniform_real_distribution<double> uniform(0, 1);
    detector->enter_instant(this->time);
    std::vector<Test> pending;
    std::vector<unsigned int> due;
    for (unsigned int c = 0; c < found.size(); ++c)
    {
      const bool lasts = this->time - last_touch[c] < 2.5 * this->step;
      if ((this->pairs->rests(this->pairs->group(c)) && !found[c].sees && !lasts) ||
          uniform(random) > share_tested)
        continue;
      due.push_back(c);
      const double depth = found[c].touches ? found[c].depth : 0;
      const ContactTest test{c, this->time, this->length + 2 * depth, lasts};
      found[c].sees = found[c].touches = found[c].is_lost = false;
      if (lasts)
        pending.push_back({test, &found[c], false});
      else
        found[c] = detector->find(test);
    }
    detector->find_many(pending);
    for (const Test &test : pending)
    {
      counts.together += test.is_done;
      if (!test.is_done)
        *test.found = detector->find(test.test);
    }
    counts.tests += due.size();
    for (const unsigned int c : due)
    {
      if (found[c].touches)
        last_touch[c] = this->time;
      compare(c, look_at_everything(c));
    }
  }

  Sight<dim>
  look_at_everything(const unsigned int c)
  {
    const auto &faces = this->surface.faces;
    const auto position = [&](const unsigned int node)
    { return this->table.position_at(node, this->time); };
    const unsigned int node = this->surface.contactors[c].nodes[0];
    const Point<dim> point = position(node);
    // as of the last fit of its body's boxes: what is missed since it has turned then is not meant
    const Vector<dim> outward = this->search->nodal_normal(node);
    near.clear();
    for (unsigned int f = 0; f < faces.size(); ++f)
    {
      const auto &face = faces[f];
      std::array<Point<dim>, 4> x;
      bool has_node = false;
      for (unsigned int i = 0; i < face.n_nodes; ++i)
      {
        x[i] = position(face.nodes[i]);
        has_node = has_node || face.nodes[i] == node;
      }
      if (has_node || this->exclusions.excluded(face.body, this->bodies[node]) ||
          point.distance(x[0]) > 4 * this->length)
        continue;
      const auto closest = closest_point<dim>(x.data(), face.n_nodes, point);
      if (closest.distance < this->length)
        near.push_back({f, closest});
    }
    Sight<dim> sight;
    const Near *nearest = nullptr;
    for (const Near &one : near)
    {
      if (outward * one.closest.normal > this->limit_of_nodes - 1e-9 || is_neighbour(c, one))
        continue;
      const unsigned int body = faces[one.face].body;
      const auto known = sight.of_body.emplace(body, one.closest.distance).first;
      known->second = std::min(known->second, one.closest.distance);
      if (one.closest.distance >= sight.distance)
        continue;
      nearest = &one;
      sight.distance = one.closest.distance;
      sight.target = body;
    }
    if (nearest != nullptr)
      sight.touches = touches(*nearest, point);
    return sight;
  }

private:
  struct Near
  {
    unsigned int face;
    ClosestPoint<dim> closest;
  };

  /// Has the contactor not come nearer to a face of its own body than half of their first distance?
  bool
  is_neighbour(const unsigned int c, const Near &one) const
  {
    const auto &face = this->surface.faces[one.face];
    const unsigned int node = this->surface.contactors[c].nodes[0];
    if (face.body != this->bodies[node])
      return false;
    Vector<dim> between = this->table.reference(node) - Point<dim>();
    for (unsigned int i = 0; i < face.n_nodes; ++i)
      between -= one.closest.weights[i] * (this->table.reference(face.nodes[i]) - Point<dim>());
    return one.closest.distance > 0.5 * between.norm();
  }

  /// Is it behind that face, and on it, beyond doubt?
  bool
  touches(const Near &hit, const Point<dim> &point) const
  {
    const double depth = -(hit.closest.normal * (point - hit.closest.point));
    const double distance = hit.closest.distance;
    const double beside = std::sqrt(std::max(0., distance * distance - depth * depth));
    if (depth < 1e-9 || depth > 0.5 * this->search->face_size(hit.face) || beside > depth)
      return false;
    // perhaps it is in front of another face of that body, or its equal neighbour is taken
    for (const Near &other : near)
      if (other.face != hit.face &&
          this->surface.faces[other.face].body == this->surface.faces[hit.face].body &&
          other.closest.normal * hit.closest.normal < 0.85 &&
          other.closest.distance < distance + 1e-6)
        return false;
    return true;
  }

  void
  compare(const unsigned int c, const Sight<dim> &sight)
  {
    if (sight.distance > this->length * (1 - 1e-6))
      return;
    const auto &seen = found[c];
    ++counts.in_sight;
    counts.own += sight.target == this->bodies[this->surface.contactors[c].nodes[0]];
    counts.touching += sight.touches;
    const std::string where = " contactor " + std::to_string(c) +
                              ", t = " + std::to_string(this->time) + ", distance " +
                              std::to_string(sight.distance);
    EXPECT_TRUE(seen.sees) << where;
    if (!seen.sees)
      return;
    if (seen.touches) // perhaps where the line along a mean of normals meets the surface
    {
      const auto touched = sight.of_body.find(seen.target);
      EXPECT_TRUE(touched != sight.of_body.end() && touched->second <= sight.distance + 1e-9)
          << where << ", touched " << seen.target << " instead of " << sight.target;
    }
    else
    {
      EXPECT_LE(seen.distance, sight.distance + 1e-9) << where;
      // if it sees a nearer one, that counts, which may be one that looks at it with doubt
      EXPECT_FALSE(sight.touches && seen.distance > sight.distance - 1e-9) << where;
    }
  }

  std::vector<Near> near; ///< faces near the contactor that is looked at
};

/// Largest rates of what bodies do while they fly.
struct Wildness
{
  double spin = 0;     ///< [radian/time]
  double trembles = 0; ///< amplitude [length]
  double stretch = 0;  ///< any component of the gradient at the end [-]
  double bend = 0;     ///< 1: by 2.6 radian at a fold, or 5 from end to end, until t = 0.67 [-]
};

/// Two parts of a body fold about its middle, or it is rolled up, or nothing happens: none of it at
/// progress 0, all at 1.
template <int dim>
struct Bending
{
  Bending() = default;

  Bending(std::mt19937 &random, const Vector<dim> &size) : size(size)
  {
    std::uniform_real_distribution<double> uniform(-1, 1);
    const unsigned int kind = random() % 3;
    folds = kind == 0;
    angle = kind == 2 ? 0. : (folds ? 2.6 : 5.) * uniform(random);
  }

  Point<dim>
  operator()(const Point<dim> &point, const double progress) const
  {
    // the middle line turns by this angle, at once or from end to end
    const double share = folds ? (point[0] > 0 ? 0.5 : -0.5) : point[0] / size[0];
    const double turn = angle * progress * share;
    const double height = point[dim - 1] - 0.5 * size[dim - 1];
    const double rate = angle * progress / size[0];
    Point<dim> result = point;
    if (folds)
    {
      result[0] = point[0] * std::cos(turn);
      result[dim - 1] = point[0] * std::sin(turn);
    }
    else if (std::abs(rate) > 1e-6)
    {
      result[0] = std::sin(turn) / rate;
      result[dim - 1] = (1 - std::cos(turn)) / rate;
    }
    else
      result[dim - 1] = 0;
    result[0] -= height * std::sin(turn);
    result[dim - 1] += height * std::cos(turn) + 0.5 * size[dim - 1];
    return result;
  }

  Vector<dim> size;   ///< of the body [length]
  bool folds = false; ///< or does it roll up?
  double angle = 0;   ///< [radian]
};

/// Some cells of 0.1.
template <int dim>
struct Shape
{
  std::array<unsigned int, dim> n{};
  Vector<dim> size;      ///< [length]
  bool has_step = false; ///< is a quarter missing, so that there is a concave edge?

  Shape() = default;

  /// A block, bar or plate, or a shell of one layer of cells.
  explicit Shape(std::mt19937 &random)
  {
    const unsigned int kind = random() % 4;
    for (unsigned int d = 0; d < dim; ++d)
    {
      n[d] = kind == 0 ? 1 + random() % 3 : d == 0 ? 3 + random() % 4 : 1 + random() % 2;
      size[d] = 0.1 * n[d];
    }
    if (kind >= 2)
    {
      n[dim - 1] = 1;
      size[dim - 1] = kind == 2 ? 0.04 : 0.08;
    }
    has_step = n[0] > 1 && n[dim - 1] > 1 && random() % 2;
  }

  bool
  is_hole(const std::array<unsigned int, dim> &cell) const
  {
    return has_step && 2 * cell[0] >= n[0] && 2 * cell[dim - 1] >= n[dim - 1];
  }
};

/// Of the deformation of a block's cells, over their corners and some times until @p end: the least
/// determinant. Negative if they turn inside out.
template <int dim>
double
least_jacobian(const Motion<dim> &motion, const Point<dim> &corner, const Shape<dim> &shape,
               const double end)
{
  constexpr unsigned int n_times = 10;
  double least = std::numeric_limits<double>::infinity();
  for (unsigned int i = 0; i <= n_times; ++i)
    for_each_cell<dim>(
        shape.n,
        [&](const std::array<unsigned int, dim> &cell)
        {
          const auto position = [&](const unsigned int number)
          {
            Point<dim> point = corner;
            for (unsigned int d = 0; d < dim; ++d)
              point[d] += shape.size[d] * (cell[d] + (number >> d & 1)) / shape.n[d];
            return motion(point, end * i / n_times);
          };
          for (unsigned int number = 0; number < 1u << dim && !shape.is_hole(cell); ++number)
          {
            dealii::Tensor<2, dim> gradient; // transposed
            for (unsigned int d = 0; d < dim; ++d)
              gradient[d] = (position(number | 1u << d) - position(number & ~(1u << d))) *
                            (shape.n[d] / shape.size[d]);
            least = std::min(least, determinant(gradient));
          }
        });
  return least;
}

/// Two or three bodies fly through each other; sometimes two of them lie on each other with equal
/// meshes.
template <int dim>
Counts
watch(const unsigned int seed, const Wildness &wildness)
{
  SCOPED_TRACE("seed " + std::to_string(seed) + " in " + std::to_string(dim) + "D");
  constexpr unsigned int n_steps = 50;
  constexpr double end = n_steps * Scene<dim>::step;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  Watched<dim> scene;
  const unsigned int n_bodies = 2 + random() % 2;
  const bool are_equal = random() % 4 == 0;
  Shape<dim> shape;
  Bending<dim> bending;
  for (unsigned int b = 0; b < n_bodies; ++b)
  {
    if (!(are_equal && b == 1))
    {
      shape = Shape<dim>(random);
      bending = Bending<dim>(random, shape.size);
    }
    Vector<dim> from = random_vector<dim>(random), axis = random_vector<dim>(random);
    from *= (0.2 + 0.3 * uniform(random)) / from.norm();
    axis /= axis.norm();
    if (are_equal && b < 2)
    {
      from = Vector<dim>();
      from[dim - 1] = b == 0 ? -shape.size[dim - 1] : 0;
      axis = Vector<dim>();
      axis[0] = 1;
    }
    const double spin = wildness.spin * (are_equal ? 0.1 : uniform(random)),
                 trembles = wildness.trembles * uniform(random);
    dealii::Tensor<2, dim> stretch;
    for (unsigned int d = 0; d < dim; ++d)
      stretch[d] = wildness.stretch * random_vector<dim>(random);
    const Vector<dim> velocity = 0.2 * random_vector<dim>(random) - (are_equal ? 0. : 2.) * from;
    const auto motion = [=](const double bend)
    {
      return [=](const Point<dim> &point, const double time)
      {
        const Point<dim> bent = bending(point - from, 1.5 * bend * time);
        const Vector<dim> arm = bent + time / end * (stretch * bent);
        Point<dim> x = turned(arm, axis, spin * time) + from + time * velocity;
        for (unsigned int d = 0; d < dim; ++d)
          x[d] += trembles * std::sin(70 * time + 9 * point[d] + b);
        return x;
      };
    };
    Point<dim> corner(from);
    for (unsigned int d = 0; d + 1 < dim; ++d)
      corner[d] -= 0.5 * shape.size[d];
    double bend = wildness.bend;
    while (bend > 0.01 && least_jacobian<dim>(motion(bend), corner, shape, end) < 0.3)
      bend *= 0.8;
    scene.add_body(motion(bend));
    scene.add_block(corner, shape.size, shape.n,
                    [=](const std::array<unsigned int, dim> &cell) { return shape.is_hole(cell); });
  }
  scene.watch(random, n_steps);
  return scene.counts;
}

void
print(const Counts &counts)
{
  std::cout << counts.tests << " tests, " << counts.together << " of them together, "
            << counts.in_sight << " with something in sight, " << counts.own
            << " of their own body, " << counts.touching << " with a contact\n";
}

/// @p n scenes from seed @p first on, some of them in space, which takes longer.
Counts
watch_scenes(const unsigned int first, const unsigned int n, const Wildness &wildness)
{
  Counts counts;
  for (unsigned int seed = first; seed < first + n && !testing::Test::HasFailure(); ++seed)
    counts += seed % 4 == 0 ? watch<3>(seed, wildness) : watch<2>(seed, wildness);
  print(counts);
  return counts;
}

/// A block passes straight through another one, or through two that lie a little inside of each
/// other with equal meshes. Bounds of motion are as tight as they can be.
template <int dim>
Counts
pass(const unsigned int seed)
{
  SCOPED_TRACE("passing, seed " + std::to_string(seed) + " in " + std::to_string(dim) + "D");
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  Watched<dim> scene;
  scene.share_tested = 1;
  const Shape<dim> lying(random), passing(random);
  const bool are_two = random() % 2;
  const auto add = [&](const Shape<dim> &shape, Vector<dim> offset, const Vector<dim> &velocity)
  {
    for (unsigned int d = 0; d + 1 < dim; ++d)
      offset[d] -= 0.5 * shape.size[d];
    scene.add_body([=](const Point<dim> &point, const double time)
                   { return point + time * velocity; });
    scene.add_block(Point<dim>(offset), shape.size, shape.n,
                    [=](const std::array<unsigned int, dim> &cell) { return shape.is_hole(cell); });
  };
  Vector<dim> below, from = 0.05 * random_vector<dim>(random), velocity;
  add(lying, below, Vector<dim>());
  below[dim - 1] = 0.009 - lying.size[dim - 1];
  if (are_two)
    add(lying, below, Vector<dim>());
  // towards where the two touch, and near enough to be known of; or slantwise
  const unsigned int d = are_two ? dim - 1 : random() % dim;
  velocity[d] = (random() % 2 ? 1 : -1) * (0.3 + 0.5 * uniform(random));
  from -= (are_two ? 0.25 : 0.6) * velocity;
  if (!are_two)
    velocity[(d + 1) % dim] = random() % 2 ? 0. : 0.5 * uniform(random);
  add(passing, from, velocity);
  scene.exclude_self();
  scene.watch(random, 120);
  return scene.counts;
}

/// Two arms of a body fold about a hinge between them, one or both, until they nearly touch, while
/// all of it spins.
template <int dim>
Counts
fold(const unsigned int seed)
{
  SCOPED_TRACE("arms, seed " + std::to_string(seed) + " in " + std::to_string(dim) + "D");
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  Watched<dim> scene;
  const unsigned int n_steps = 100 + random() % 100;
  const double rate = 3. / (n_steps * Scene<dim>::step), share = uniform(random),
               spin = 2 * uniform(random) - 1;
  Vector<dim> hinge, axis = random_vector<dim>(random);
  if (dim == 3)
    hinge[1] = -1;
  axis /= axis.norm();
  scene.add_body(
      [=](const Point<dim> &point, const double time)
      {
        const double angle = rate * time * (point[0] > 0 ? share : share - 1);
        return turned(turned(point - Point<dim>(), hinge, angle) - Point<dim>(), axis, spin * time);
      });
  for (const double side : {-1., 1.})
  {
    Shape<dim> shape;
    Point<dim> corner;
    for (unsigned int d = 0; d < dim; ++d)
    {
      shape.n[d] = d == 0 ? 3 + random() % 4 : 1 + random() % 2;
      shape.size[d] = 0.1 * shape.n[d];
      corner[d] = -0.5 * shape.size[d];
    }
    corner[0] = side > 0 ? 0.02 : -0.02 - shape.size[0];
    corner[dim - 1] = -0.005 - shape.size[dim - 1];
    scene.add_block(corner, shape.size, shape.n);
  }
  scene.watch(random, n_steps);
  return scene.counts;
}

/// From rigid bodies that fly straight to those that spin, tremble, stretch and bend.
constexpr std::array<Wildness, 6> wildnesses = {{{0, 0, 0, 0},
                                                 {3, 0, 0, 0},
                                                 {3, 3e-3, 0, 0},
                                                 {3, 3e-3, 0.4, 0},
                                                 {3, 3e-3, 0, 1},
                                                 {3, 3e-3, 0, 2}}};

/// Of every kind of scenes @p n from seed @p first on.
void
watch_all(const unsigned int first, const unsigned int n)
{
  Counts all;
  for (const Wildness &wildness : wildnesses)
  {
    const Counts counts = watch_scenes(first, n, wildness);
    EXPECT_GT(counts.in_sight, 100 * n);
    all += counts;
  }
  for (unsigned int seed = first; seed < first + 3 * n && !testing::Test::HasFailure(); ++seed)
  {
    all += seed % 8 == 0 ? fold<3>(seed) : fold<2>(seed);
    all += seed % 8 == 0 ? pass<3>(seed) : pass<2>(seed);
  }
  print(all);
  EXPECT_GT(all.together, 10 * n);
  EXPECT_GT(all.own, 100 * n);
  EXPECT_GT(all.touching, 100 * n);
}
} // namespace

TEST(MissedContacts, none_in_random_scenes)
{
  watch_all(0, 12);
}

TEST(SlowMissedContacts, none_in_thousands_of_random_scenes)
{
  watch_all(1000, 840); // 10 080 scenes
}
