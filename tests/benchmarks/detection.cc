// What detection costs: tests of volumes, primitives, times of impact; building, refitting and
// querying the hierarchy and Boost.Geometry's rtree.
//
// Aragon & Molinari 2014 (2.6 GHz i7): tests of spheres, boxes and 14-DOPs 37 to 42 ns, distance of
// a point to a triangle 20 457 ns.
//
// Use the column CPU; --benchmark_filter=NAME selects.

#include <kickdrift/contact/ccd/impact_time.h>
#include <kickdrift/contact/geometry/bounding_volumes.h>
#include <kickdrift/contact/geometry/closest_point.h>
#include <kickdrift/contact/geometry/segments.h>
#include <kickdrift/contact/search/hierarchy.h>

#include <benchmark/benchmark.h>
#include <boost/geometry.hpp>
#include <boost/geometry/geometries/box.hpp>
#include <boost/geometry/geometries/point.hpp>
#include <boost/geometry/index/rtree.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <queue>
#include <random>

namespace
{
using namespace KickDrift;
using dealii::ArrayView;
using dealii::Point;
using dealii::Tensor;

constexpr unsigned int n_pairs = 1024;

class Random
{
public:
  double
  operator()(const double lower, const double upper)
  {
    return std::uniform_real_distribution<double>(lower, upper)(engine);
  }

  Point<3>
  point(const double size)
  {
    return {(*this)(-size, size), (*this)(-size, size), (*this)(-size, size)};
  }

private:
  std::mt19937 engine{1};
};

/// Volumes around four points each, half of them apart.
template <typename Enclose>
auto
volumes(const Enclose &enclose)
{
  Random random;
  std::vector<decltype(enclose(ArrayView<const Point<3>>()))> result;
  for (unsigned int i = 0; i < 2 * n_pairs; ++i)
  {
    const Point<3> center = random.point(1.4);
    std::vector<Point<3>> points;
    for (unsigned int k = 0; k < 4; ++k)
      points.push_back(center + random.point(1));
    result.push_back(enclose(ArrayView<const Point<3>>(points.data(), points.size())));
  }
  return result;
}

template <typename Enclose>
void
test_volumes(benchmark::State &state, const Enclose &enclose)
{
  const auto all = volumes(enclose);
  unsigned int i = 0, n_overlaps = 0;
  for (auto _ : state)
  {
    n_overlaps += overlap(all[i], all[i + n_pairs]);
    i = (i + 1) % n_pairs;
  }
  benchmark::DoNotOptimize(n_overlaps);
}

using Points = ArrayView<const Point<3>>;
BENCHMARK_CAPTURE(test_volumes, sphere, [](const Points &p) { return enclosing_sphere(p); });
BENCHMARK_CAPTURE(test_volumes, box, [](const Points &p) { return enclosing_box(p); });
BENCHMARK_CAPTURE(test_volumes, polytope_14,
                  [](const Points &p) { return enclosing_polytope<3, 14>(p); });
BENCHMARK_CAPTURE(test_volumes, polytope_26,
                  [](const Points &p) { return enclosing_polytope<3, 26>(p); });
BENCHMARK_CAPTURE(test_volumes, oriented_box,
                  [](const Points &p) { return enclosing_oriented_box(p); });

/// A unit face with corners off by up to 0.1, and points around it.
struct FaceAndPoint
{
  explicit FaceAndPoint(Random &random)
      : corners{{random.point(0.1), Point<3>(1, 0, 0) + random.point(0.1),
                 Point<3>(0, 1, 0) + random.point(0.1), Point<3>(1, 1, 0) + random.point(0.1)}},
        y(Point<3>(0.5, 0.5, 0) + random.point(0.5))
  {
  }
  std::array<Point<3>, 4> corners;
  Point<3> y;
};

std::vector<FaceAndPoint>
faces_and_points()
{
  Random random;
  std::vector<FaceAndPoint> result;
  for (unsigned int i = 0; i < n_pairs; ++i)
    result.emplace_back(random);
  return result;
}

void
closest_on_face(benchmark::State &state)
{
  const auto all = faces_and_points();
  const unsigned int n_corners = state.range(0);
  unsigned int i = 0;
  for (auto _ : state)
  {
    benchmark::DoNotOptimize(closest_point(all[i].corners.data(), n_corners, all[i].y));
    i = (i + 1) % n_pairs;
  }
}
BENCHMARK(closest_on_face)->Arg(3)->Arg(4)->ArgName("corners");

void
closest_on_edges(benchmark::State &state)
{
  const auto all = faces_and_points();
  unsigned int i = 0;
  for (auto _ : state)
  {
    const auto &c = all[i].corners;
    benchmark::DoNotOptimize(closest_points({c[0], c[3]}, {c[1], all[i].y}));
    i = (i + 1) % n_pairs;
  }
}
BENCHMARK(closest_on_edges);

std::vector<std::array<MovingSphere<3>, 2>>
moving_spheres(const bool accelerate)
{
  Random random;
  std::vector<std::array<MovingSphere<3>, 2>> result(n_pairs);
  for (auto &pair : result)
    for (unsigned int k = 0; k < 2; ++k)
    {
      pair[k].center = random.point(1);
      pair[k].center[0] += 10 * k;
      pair[k].radius = 1;
      pair[k].velocity = random.point(0.3);
      pair[k].velocity[0] -= k;
      if (accelerate)
      {
        pair[k].acceleration = random.point(0.1);
        pair[k].growth = random(0, 0.1);
        pair[k].growth_rate = random(0, 0.1);
      }
    }
  return result;
}

void
impact_of_spheres(benchmark::State &state)
{
  const auto all = moving_spheres(state.range(0) == 1);
  unsigned int i = 0;
  for (auto _ : state)
  {
    benchmark::DoNotOptimize(first_contact(all[i][0], all[i][1]));
    i = (i + 1) % n_pairs;
  }
}
BENCHMARK(impact_of_spheres)->Arg(0)->Arg(1)->ArgName("accelerated");

/// Points that fly towards faces whose corners move at a tenth of their speed.
void
impact_on_face(benchmark::State &state)
{
  Random random;
  const unsigned int n_corners = state.range(0);
  std::vector<std::array<MovingPoint<3>, 5>> all;
  for (const auto &still : faces_and_points())
  {
    std::array<MovingPoint<3>, 5> moving;
    for (unsigned int c = 0; c < 4; ++c)
      moving[c] = {still.corners[c], random.point(0.1)};
    moving[4] = {still.y + Point<3>(0, 0, 2), Tensor<1, 3>({0., 0., -1.})};
    all.push_back(moving);
  }
  unsigned int i = 0;
  for (auto _ : state)
  {
    benchmark::DoNotOptimize(first_contact<3>(
        all[i][4], ArrayView<const MovingPoint<3>>(all[i].data(), n_corners), 10.));
    i = (i + 1) % n_pairs;
  }
}
BENCHMARK(impact_on_face)->Arg(3)->Arg(4)->ArgName("corners");

void
impact_of_edges(benchmark::State &state)
{
  Random random;
  std::vector<std::array<MovingPoint<3>, 4>> all(n_pairs);
  for (auto &points : all)
  {
    points[0] = {Point<3>(-1, 0, 0) + random.point(0.5), random.point(0.1)};
    points[1] = {Point<3>(1, 0, 0) + random.point(0.5), random.point(0.1)};
    points[2] = {Point<3>(0, -1, 2) + random.point(0.5), Tensor<1, 3>({0., 0., -1.})};
    points[3] = {Point<3>(0, 1, 2) + random.point(0.5), Tensor<1, 3>({0., 0., -1.})};
  }
  unsigned int i = 0;
  for (auto _ : state)
  {
    benchmark::DoNotOptimize(
        first_contact_of_edges({all[i].data(), 2}, {all[i].data() + 2, 2}, 10.));
    i = (i + 1) % n_pairs;
  }
}
BENCHMARK(impact_of_edges);

/// Boxes of the faces of a wavy surface of n x n unit quadrilaterals, numbered row by row.
std::vector<Box<3>>
boxes_of_surface(const unsigned int n_faces, const double phase = 0)
{
  const unsigned int n = std::lround(std::sqrt(n_faces));
  const auto height = [phase](const double x, const double y)
  { return 3 * std::sin(0.05 * x + phase) * std::cos(0.07 * y); };
  std::vector<Box<3>> boxes;
  for (unsigned int j = 0; j < n; ++j)
    for (unsigned int i = 0; i < n; ++i)
    {
      const double z[4] = {height(i, j), height(i + 1, j), height(i, j + 1), height(i + 1, j + 1)};
      boxes.push_back({Point<3>(i, j, *std::min_element(z, z + 4)),
                       Point<3>(i + 1, j + 1, *std::max_element(z, z + 4))});
    }
  return boxes;
}

/// Boxes of half a face around places near the surface: as they lie, or in random order.
std::vector<Box<3>>
queries(const std::vector<Box<3>> &boxes, const bool coherent)
{
  Random random;
  std::vector<Box<3>> result;
  const std::size_t n = std::min<std::size_t>(boxes.size(), 100000);
  for (std::size_t i = 0; i < n; ++i)
  {
    const std::size_t face = coherent ? i * boxes.size() / n : random(0, boxes.size() - 0.5);
    const Point<3> center = boxes[face].lower + Tensor<1, 3>({0.3, 0.3, 0.15});
    const Tensor<1, 3> half({0.25, 0.25, 0.25});
    result.push_back({center - half, center + half});
  }
  return result;
}

/// Boost.Geometry's rtree with the interface of the others.
class BoostTree
{
public:
  void
  build(const std::vector<Box<3>> &leaves)
  {
    boxes.clear();
    for (unsigned int i = 0; i < leaves.size(); ++i)
      boxes.push_back({converted(leaves[i]), i});
    tree = Tree(boxes.begin(), boxes.end());
  }
  void
  update(const unsigned int leaf, const Box<3> &box)
  {
    tree.remove(boxes[leaf]);
    boxes[leaf].first = converted(box);
    tree.insert(boxes[leaf]);
  }
  void
  query(const Box<3> &box, std::vector<unsigned int> &hits) const
  {
    for (auto i = tree.qbegin(boost::geometry::index::intersects(converted(box))); i != tree.qend();
         ++i)
      hits.push_back(i->second);
  }

private:
  using BoostPoint = boost::geometry::model::point<double, 3, boost::geometry::cs::cartesian>;
  using BoostBox = boost::geometry::model::box<BoostPoint>;
  using Value = std::pair<BoostBox, unsigned int>;
  using Tree = boost::geometry::index::rtree<Value, boost::geometry::index::rstar<16>>;

  static BoostBox
  converted(const Box<3> &box)
  {
    return {{box.lower[0], box.lower[1], box.lower[2]}, {box.upper[0], box.upper[1], box.upper[2]}};
  }

  std::vector<Value> boxes;
  Tree tree;
};

template <typename Structure>
void
build(benchmark::State &state)
{
  const auto boxes = boxes_of_surface(state.range(0));
  Structure structure;
  for (auto _ : state)
    structure.build(boxes);
  state.counters["per_face"] = benchmark::Counter(
      boxes.size(), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <typename Structure>
void
query(benchmark::State &state)
{
  const auto boxes = boxes_of_surface(state.range(0));
  const auto wanted = queries(boxes, state.range(1) == 1);
  Structure structure;
  structure.build(boxes);
  std::vector<unsigned int> hits;
  std::size_t i = 0, n_hits = 0;
  for (auto _ : state)
  {
    hits.clear();
    structure.query(wanted[i], hits);
    n_hits += hits.size();
    i = i + 1 < wanted.size() ? i + 1 : 0;
  }
  state.counters["hits"] = double(n_hits) / state.iterations();
}

/// Faces one after the other move up and down a little, as when cells are kicked.
template <typename Structure>
void
update(benchmark::State &state)
{
  const auto boxes = boxes_of_surface(state.range(0)),
             moved = boxes_of_surface(state.range(0), 1e-3);
  Structure structure;
  structure.build(boxes);
  std::size_t i = 0;
  bool up = true;
  for (auto _ : state)
  {
    structure.update(i, (up ? moved : boxes)[i]);
    if (++i == boxes.size())
    {
      i = 0;
      up = !up;
    }
  }
}

template <typename Structure>
void
refit(benchmark::State &state)
{
  const auto boxes = boxes_of_surface(state.range(0)),
             moved = boxes_of_surface(state.range(0), 1e-3);
  Structure structure;
  structure.build(boxes);
  bool up = true;
  for (auto _ : state)
  {
    structure.refit(up ? moved : boxes);
    up = !up;
  }
  state.counters["per_face"] = benchmark::Counter(
      boxes.size(), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void
sizes(benchmark::internal::Benchmark *benchmark)
{
  benchmark->ArgName("faces")->RangeMultiplier(10)->Range(1000, 1000000);
}

void
sizes_and_orders(benchmark::internal::Benchmark *benchmark)
{
  benchmark->ArgNames({"faces", "coherent"});
  for (const int coherent : {1, 0})
    for (int n = 1000; n <= 1000000; n *= 10)
      benchmark->Args({n, coherent});
}

BENCHMARK_TEMPLATE(build, Hierarchy<3>)->Apply(sizes)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(build, BoostTree)->Apply(sizes)->Unit(benchmark::kMillisecond);
BENCHMARK_TEMPLATE(query, Hierarchy<3>)->Apply(sizes_and_orders);
BENCHMARK_TEMPLATE(query, BoostTree)->Apply(sizes_and_orders);
BENCHMARK_TEMPLATE(update, Hierarchy<3>)->Apply(sizes);
BENCHMARK_TEMPLATE(update, BoostTree)->Apply(sizes);
BENCHMARK_TEMPLATE(refit, Hierarchy<3>)->Apply(sizes)->Unit(benchmark::kMillisecond);

double
area(const Box<3> &box)
{
  const Tensor<1, 3> e = box.upper - box.lower;
  return 2 * (e[0] * e[1] + e[1] * e[2] + e[2] * e[0]);
}

Box<3>
join(const Box<3> &a, const Box<3> &b)
{
  Box<3> box;
  for (unsigned int d = 0; d < 3; ++d)
  {
    box.lower[d] = std::min(a.lower[d], b.lower[d]);
    box.upper[d] = std::max(a.upper[d], b.upper[d]);
  }
  return box;
}

/**
 * Surface-area cost of the tree that grows from the leaves: again and again the two boxes are
 * joined whose union has the smallest area (Omohundro 1989). Partners are found by looking at all
 * others, and looked for anew when they have gone.
 */
double
bottom_up_cost(const std::vector<Box<3>> &leaves)
{
  struct Candidate
  {
    double area;
    unsigned int first, second;
    bool
    operator<(const Candidate &other) const
    {
      return area > other.area;
    }
  };
  std::vector<Box<3>> boxes = leaves;
  std::vector<unsigned int> alive;
  std::vector<std::size_t> place; // in alive
  for (unsigned int i = 0; i < boxes.size(); ++i)
  {
    alive.push_back(i);
    place.push_back(i);
  }
  std::vector<char> is_alive(boxes.size(), 1);
  const auto best = [&](const unsigned int i)
  {
    Candidate candidate{1e300, i, i};
    for (const unsigned int j : alive)
      if (j != i)
        candidate = std::min(candidate, Candidate{area(join(boxes[i], boxes[j])), i, j},
                             [](const auto &a, const auto &b) { return a.area < b.area; });
    return candidate;
  };
  const auto erase = [&](const unsigned int i)
  {
    is_alive[i] = 0;
    place[alive.back()] = place[i];
    alive[place[i]] = alive.back();
    alive.pop_back();
  };
  std::priority_queue<Candidate> queue;
  for (const unsigned int i : std::vector<unsigned int>(alive))
    queue.push(best(i));
  double sum = 0;
  while (alive.size() > 1)
  {
    const Candidate top = queue.top();
    queue.pop();
    if (!is_alive[top.first])
      continue;
    if (!is_alive[top.second])
    {
      queue.push(best(top.first));
      continue;
    }
    erase(top.first);
    erase(top.second);
    sum += top.area;
    boxes.push_back(join(boxes[top.first], boxes[top.second]));
    is_alive.push_back(1);
    place.push_back(alive.size());
    alive.push_back(boxes.size() - 1);
    if (alive.size() > 1)
      queue.push(best(alive.back()));
  }
  return sum / area(boxes.back());
}

/// Surface-area cost of the trees: Hierarchy's, built from the top, and the one grown from the
/// leaves. One build each; the times are those of the latter.
void
quality(benchmark::State &state)
{
  const auto boxes = boxes_of_surface(state.range(0));
  Hierarchy<3> hierarchy;
  hierarchy.build(boxes);
  double bottom_up = 0;
  for (auto _ : state)
    bottom_up = bottom_up_cost(boxes);
  state.counters["top_down"] = hierarchy.surface_area_cost();
  state.counters["bottom_up"] = bottom_up;
}
BENCHMARK(quality)
    ->Arg(1000)
    ->Arg(10000)
    ->ArgName("faces")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
} // namespace
