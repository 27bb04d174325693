// What a broad phase hands over to times of impact: pairs whose boxes, swept over a step, overlap,
// and of which 99 % miss each other. Beside it, the same queries by bisection of inclusions, as
// Wang, Ferguson, Schneider, Jiang, Attene & Panozzo (2021, "A large-scale benchmark and an
// inclusion-based algorithm for continuous collision detection") describe it, with their tolerance.

#include <kickdrift/contact/ccd/impact_time.h>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace
{
using namespace KickDrift;
using dealii::ArrayView;
using dealii::Point;
using dealii::Tensor;

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double step = 1;
constexpr unsigned int n_misses = 990, n_hits = 10;

/// Two edges (n_first = 2), or a face of n_first corners and a point.
struct Query
{
  std::array<MovingPoint<3>, 5> points;
  unsigned int n_first;

  unsigned int
  size() const
  {
    return n_first == 2 ? 4 : n_first + 1;
  }

  Impact
  impact() const
  {
    const ArrayView<const MovingPoint<3>> first(points.data(), n_first);
    if (n_first == 2)
      return first_contact_of_edges(first, {points.data() + 2, 2}, step);
    return first_contact<3>(points[n_first], first, step);
  }
};

Box<3>
swept_box(const MovingPoint<3> *begin, const unsigned int n)
{
  Box<3> box{begin->position, begin->position};
  for (unsigned int i = 0; i < n; ++i)
    for (const double time : {0., step})
      for (unsigned int d = 0; d < 3; ++d)
      {
        box.lower[d] = std::min(box.lower[d], begin[i].at(time)[d]);
        box.upper[d] = std::max(box.upper[d], begin[i].at(time)[d]);
      }
  return box;
}

bool
boxes_overlap(const Query &query)
{
  const Box<3> a = swept_box(query.points.data(), query.n_first);
  const Box<3> b = swept_box(query.points.data() + query.n_first, query.size() - query.n_first);
  for (unsigned int d = 0; d < 3; ++d)
    if (a.lower[d] > b.upper[d] || b.lower[d] > a.upper[d])
      return false;
  return true;
}

/// Of sizes of about one that come this far in a step; they deform by a fifth of that.
std::vector<Query>
queries(const unsigned int n_first, const double way)
{
  std::mt19937 engine(3);
  const auto vector = [&engine](const double size)
  {
    std::uniform_real_distribution<double> random(-size, size);
    const double x = random(engine), y = random(engine), z = random(engine);
    return Tensor<1, 3>({x, y, z});
  };
  std::vector<Query> result;
  std::array<unsigned int, 2> missing = {{n_misses, n_hits}};
  while (missing[0] + missing[1] > 0)
  {
    Query query;
    query.n_first = n_first;
    const unsigned int n_second = query.size() - n_first;
    const Tensor<1, 3> a = vector(1), b = vector(1), flight = vector(way);
    for (unsigned int i = 0; i < n_first; ++i)
      query.points[i] = {Point<3>() + (i & 1) * a + (i >> 1) * b + vector(0.1),
                         flight + vector(0.2 * way)};
    const Tensor<1, 3> place = vector(1), direction = vector(1);
    const Tensor<1, 3> flight_of_second = vector(way);
    for (unsigned int i = 0; i < n_second; ++i)
      query.points[n_first + i] = {Point<3>() + place + i * direction,
                                   flight_of_second + vector(0.2 * way)};
    if (!boxes_overlap(query))
      continue;
    unsigned int &wanted = missing[query.impact().time <= step];
    if (wanted == 0)
      continue;
    --wanted;
    result.push_back(query);
  }
  std::shuffle(result.begin(), result.end(), engine);
  return result;
}

/// Times and two coordinates, cut in halves until the differences of positions that they include
/// are smaller than the tolerance; earliest first.
class Inclusions
{
public:
  explicit Inclusions(const Query &query) : query(query)
  {
    for (unsigned int i = 0; i < query.size(); ++i)
      size = std::max(size, query.points[i].velocity.norm() * step);
    size = std::max(size, query.points[0].position.distance(query.points[1].position));
  }

  double
  first_contact()
  {
    parts = {Part{{0, 0, 0}, {1, 1, 1}}};
    while (!parts.empty())
    {
      std::pop_heap(parts.begin(), parts.end(), is_later);
      const Part part = parts.back();
      parts.pop_back();
      double width = 0;
      if (!includes_origin(part, width))
        continue;
      if (width <= tolerance)
        return step * part.lower[0];
      // across the coordinate along which positions differ most
      const std::array<double, 3> extents = {{2 * size * (part.upper[0] - part.lower[0]),
                                              size * (part.upper[1] - part.lower[1]),
                                              size * (part.upper[2] - part.lower[2])}};
      const unsigned int cut = std::max_element(extents.begin(), extents.end()) - extents.begin();
      Part halves[2] = {part, part};
      halves[0].upper[cut] = halves[1].lower[cut] = 0.5 * (part.lower[cut] + part.upper[cut]);
      for (const Part &half : halves)
        if (query.n_first != 3 || half.lower[1] + half.lower[2] <= 1)
        {
          parts.push_back(half);
          std::push_heap(parts.begin(), parts.end(), is_later);
        }
    }
    return never;
  }

private:
  static constexpr double tolerance = 1e-6;

  struct Part
  {
    std::array<double, 3> lower, upper; ///< of the share of the step, and of coordinates
  };

  static bool
  is_later(const Part &a, const Part &b)
  {
    return a.lower[0] > b.lower[0];
  }

  Tensor<1, 3>
  difference(const double share, const double u, const double v) const
  {
    const auto at = [&](const unsigned int i) { return query.points[i].at(step * share); };
    if (query.n_first == 2)
      return at(0) + u * (at(1) - at(0)) - (at(2) + v * (at(3) - at(2)));
    return at(0) + u * (at(1) - at(0)) + v * (at(2) - at(0)) - at(3);
  }

  bool
  includes_origin(const Part &part, double &width) const
  {
    Tensor<1, 3> lower, upper;
    for (unsigned int corner = 0; corner < 8; ++corner)
    {
      const auto at = [&](const unsigned int k)
      { return corner >> k & 1 ? part.upper[k] : part.lower[k]; };
      const Tensor<1, 3> x = difference(at(0), at(1), at(2));
      for (unsigned int d = 0; d < 3; ++d)
      {
        lower[d] = corner == 0 ? x[d] : std::min(lower[d], x[d]);
        upper[d] = corner == 0 ? x[d] : std::max(upper[d], x[d]);
      }
    }
    for (unsigned int d = 0; d < 3; ++d)
    {
      if (lower[d] > 0 || upper[d] < 0)
        return false;
      width = std::max(width, upper[d] - lower[d]);
    }
    return true;
  }

  const Query &query;
  double size = 0;
  std::vector<Part> parts;
};

/// Corners of faces, or 2 for edges; how far things fly in a step, in percent of their size.
void
impact_queries(benchmark::State &state)
{
  const auto all = queries(state.range(0), 0.01 * state.range(1));
  for (auto _ : state)
    for (const Query &query : all)
      benchmark::DoNotOptimize(query.impact());
  state.SetItemsProcessed(state.iterations() * all.size());
}
BENCHMARK(impact_queries)
    ->ArgsProduct({{2, 3, 4}, {2, 10, 50, 200}})
    ->ArgNames({"corners", "percent"})
    ->Unit(benchmark::kMicrosecond);

void
impact_queries_by_inclusions(benchmark::State &state)
{
  const auto all = queries(state.range(0), 0.01 * state.range(1));
  for (const Query &query : all)
  {
    const double exact = query.impact().time, found = Inclusions(query).first_contact();
    // they may take a near miss for a contact, and come a little early
    if (found > exact || (exact <= step && found < exact - 0.01 * step))
      state.SkipWithError("the two methods do not agree");
  }
  for (auto _ : state)
    for (const Query &query : all)
      benchmark::DoNotOptimize(Inclusions(query).first_contact());
  state.SetItemsProcessed(state.iterations() * all.size());
}
BENCHMARK(impact_queries_by_inclusions)
    ->ArgsProduct({{2, 3}, {2, 10, 50, 200}})
    ->ArgNames({"corners", "percent"})
    ->Unit(benchmark::kMicrosecond);
} // namespace
