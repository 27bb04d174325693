#ifndef KICKDRIFT_TESTS_UNIT_CONTACT_TRACKING_SCENE_H
#define KICKDRIFT_TESTS_UNIT_CONTACT_TRACKING_SCENE_H

#include <kickdrift/contact/geometry/closest_point.h>
#include <kickdrift/contact/geometry/segments.h>
#include <kickdrift/contact/tracking/patch_pairs.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace KickDriftTests
{
using namespace KickDrift;

template <int dim>
using Point = dealii::Point<dim>;
template <int dim>
using Vector = dealii::Tensor<1, dim>;

/// Where a point of a body is at a time.
template <int dim>
using Motion = std::function<Point<dim>(const Point<dim> &, double)>;

/// Lowest corners of the cells of a block.
template <int dim, typename Visit>
void
for_each_cell(const std::array<unsigned int, dim> &n, const Visit &visit)
{
  std::array<unsigned int, dim> cell{};
  for (unsigned int d = 0; d < dim;)
  {
    visit(cell);
    for (d = 0; d < dim && ++cell[d] == n[d]; ++d)
      cell[d] = 0;
  }
}

/**
 * Bodies whose nodes fly straight between kicks of their own, each of them to where it should be at
 * the next one.
 */
template <int dim>
struct Scene : PatchPairs<dim>::Contactors
{
  static constexpr double step = 0.01, length = 0.1, limit_of_nodes = -0.25;
  static constexpr double sight_of_own = PatchPairs<dim>::sight_of_own;

  using Place = std::array<unsigned int, dim>;

  void
  add_body(const Motion<dim> &motion)
  {
    surface.body_names.push_back("body" + std::to_string(motions.size()));
    motions.push_back(motion);
  }

  /// The surface of a block of @p n cells, without those that @p is_hole is true for, as a part of
  /// the body that was added last.
  void
  add_block(const Point<dim> &corner, const Vector<dim> &size, const std::array<unsigned, dim> &n,
            const std::function<bool(const Place &)> &is_hole = {})
  {
    const unsigned int body = motions.size() - 1;
    std::map<Place, unsigned int> numbers;
    const auto node = [&](const Place &place)
    {
      const auto known = numbers.find(place);
      if (known != numbers.end())
        return known->second;
      Point<dim> point = corner;
      for (unsigned int d = 0; d < dim; ++d)
        point[d] += size[d] * place[d] / n[d];
      const unsigned int number = table.add(point, 1);
      surface.contactors.push_back({number, body, length});
      return numbers[place] = number;
    };
    const auto is_solid = [&](const Place &cell)
    {
      for (unsigned int d = 0; d < dim; ++d)
        if (cell[d] >= n[d]) // or below zero
          return false;
      return !is_hole || !is_hole(cell);
    };
    for (unsigned int d = 0; d < dim; ++d)
      for (const bool is_upper : {false, true})
        for_each_cell<dim>(n,
                           [&](Place cell)
                           {
                             Place beyond = cell;
                             beyond[d] += is_upper ? 1 : -1;
                             if (!is_solid(cell) || is_solid(beyond))
                               return;
                             cell[d] += is_upper;
                             add_face(cell, d, is_upper, body, node);
                           });
  }

  /// Of the body that was added last keep only the faces with this normal, and their nodes.
  void
  keep_side(const Vector<dim> &normal)
  {
    const unsigned int body = motions.size() - 1;
    const auto position = [&](const unsigned int node) { return table.reference(node); };
    auto &faces = surface.faces;
    faces.erase(std::remove_if(faces.begin(), faces.end(),
                               [&](const SurfaceFace<dim> &face) {
                                 return face.body == body &&
                                        unit_normal(face, position) * normal < 0.9;
                               }),
                faces.end());
    const auto is_on_face = [&](const unsigned int node)
    {
      return std::any_of(faces.begin(), faces.end(),
                         [&](const SurfaceFace<dim> &face)
                         {
                           return std::find(face.nodes.begin(), face.nodes.begin() + face.n_nodes,
                                            node) != face.nodes.begin() + face.n_nodes;
                         });
    };
    auto &contactors = surface.contactors;
    contactors.erase(std::remove_if(contactors.begin(), contactors.end(),
                                    [&](const Contactor &contactor)
                                    { return !is_on_face(contactor.nodes[0]); }),
                     contactors.end());
  }

  /// No body sees itself.
  void
  exclude_self()
  {
    exclusions = Exclusions({{"", ""}}, surface.body_names, surface);
  }

  void
  start(std::mt19937 &random)
  {
    if constexpr (dim == 3)
      edges = find_edges(surface);
    bounds = std::make_unique<MotionBounds<dim>>(table, surface);
    bodies.assign(table.size(), 0);
    takes_part.assign(table.size(), 0);
    for (const Contactor &contactor : surface.contactors)
    {
      bodies[contactor.nodes[0]] = contactor.body;
      takes_part[contactor.nodes[0]] = 1;
    }
    for (unsigned int node = 0; node < table.size(); ++node)
    {
      // one to eight steps from kick to kick, at times of its own
      every.push_back(1u << random() % 4);
      waits.push_back(every.back() * step);
      phase.push_back(random() % every.back());
    }
    for (unsigned int node = 0; node < table.size(); ++node)
      aim(node, every[node] - phase[node]);
    bounds->start();
    search = std::make_unique<FaceSearch<dim>>(table, surface, *bounds, BroadPhaseType::hierarchy);
    search->build(0, 1e-6);
    bounds->patches.start(0, waits);
    pairs = std::make_unique<PatchPairs<dim>>(surface, table, exclusions, *search, *bounds);
    pairs->start(*this, 0);
  }

  /// The velocity with which a node comes where it must be after so many steps.
  void
  aim(const unsigned int node, const unsigned int n_steps)
  {
    const Point<dim> target = motions[bodies[node]](table.reference(node), time + n_steps * step);
    table[node].drift(time);
    table.set_velocity(node, (target - table.position(node)) / (n_steps * step));
  }

  void
  advance()
  {
    time += step;
    ++n_done;
    std::vector<unsigned int> kicked;
    for (unsigned int node = 0; node < table.size(); ++node)
      if (takes_part[node] && (n_done + phase[node]) % every[node] == 0)
      {
        aim(node, every[node]);
        kicked.push_back(node);
      }
    bounds->check(dealii::make_array_view(kicked), time);
    bounds->forget();
    search->find_next_fit();
    if (time >= search->next_fit())
      search->fit(time);
    pairs->update(*this, time);
  }

  /// By node, sums of the normals of its faces.
  std::vector<Vector<dim>>
  normals_of_nodes(const double when) const
  {
    std::vector<Vector<dim>> normals(table.size());
    const auto position = [&](const unsigned int node) { return table.position_at(node, when); };
    for (const auto &face : surface.faces)
      for (unsigned int i = 0; i < face.n_nodes; ++i)
        normals[face.nodes[i]] += unit_normal(face, position);
    return normals;
  }

  /// Does any contactor that rests see a face that it might touch? @p when : now, or later in the
  /// step.
  void
  check(const double when)
  {
    const std::vector<Vector<dim>> normals = normals_of_nodes(when);
    const auto position = [&](const unsigned int node) { return table.position_at(node, when); };
    for (unsigned int node = 0; node < table.size(); ++node)
      for (const unsigned int p : bounds->patches.patches_of_node(node))
        for (unsigned int d = 0; d < dim; ++d)
        {
          ASSERT_GE(position(node)[d], bounds->patches.box(p).lower[d]);
          ASSERT_LE(position(node)[d], bounds->patches.box(p).upper[d]);
        }
    for (unsigned int c = 0; c < surface.contactors.size(); ++c)
    {
      const bool rests = pairs->rests(pairs->group(c));
      n_rests += rests;
      ++n_checks;
      const unsigned int node = surface.contactors[c].nodes[0];
      const Vector<dim> outward = normals[node] / normals[node].norm();
      for (const auto &face : surface.faces)
      {
        if (position(node).distance(position(face.nodes[0])) > 1)
          continue;
        std::array<Point<dim>, 4> x;
        bool has_node = false;
        for (unsigned int i = 0; i < face.n_nodes; ++i)
        {
          x[i] = position(face.nodes[i]);
          has_node = has_node || face.nodes[i] == node;
        }
        const auto closest = closest_point<dim>(x.data(), face.n_nodes, position(node));
        if (has_node || exclusions.excluded(face.body, bodies[node]) || closest.distance > length ||
            outward * closest.normal > limit_of_nodes - slack)
          continue;
        // those that have not come nearer to each other than half of their first distance, and are
        // not near enough to be looked at
        Vector<dim> between = table.reference(node) - Point<dim>();
        for (unsigned int i = 0; i < face.n_nodes; ++i)
          between -= closest.weights[i] * (table.reference(face.nodes[i]) - Point<dim>());
        if (face.body == bodies[node] &&
            closest.distance > std::min(0.5 * between.norm(), sight_of_own * length))
          continue;
        ++n_seen;
        ASSERT_FALSE(rests) << "contactor " << c << " rests at t = " << when << " in a distance of "
                            << closest.distance << ", cosine " << outward * closest.normal;
      }
    }
  }

  /// Does any edge that rests come near another edge that it might touch?
  void
  check_edges(const double when)
  {
    if constexpr (dim == 3)
    {
      const auto segment = [&](const SurfaceEdge &edge, const bool is_first)
      {
        Segment result;
        for (unsigned int i = 0; i < 2; ++i)
          result[i] =
              is_first ? table.reference(edge.nodes[i]) : table.position_at(edge.nodes[i], when);
        return result;
      };
      for (unsigned int e = 0; e < edges.size(); ++e)
        for (const SurfaceEdge &other : edges)
        {
          const auto &own = edges[e].nodes;
          const bool is_own = bodies[own[0]] == bodies[other.nodes[0]];
          if (exclusions.excluded(bodies[own[0]], bodies[other.nodes[0]]) ||
              std::find_first_of(own.begin(), own.end(), other.nodes.begin(), other.nodes.end()) !=
                  own.end())
            continue;
          const auto closest = closest_points(segment(edges[e], false), segment(other, false));
          const double first = point_on(segment(edges[e], true), closest.s)
                                   .distance(point_on(segment(other, true), closest.t));
          if (closest.distance >
              (is_own ? std::min(0.5 * first, sight_of_own * length) : double(length)))
            continue;
          ++n_edges_seen;
          ASSERT_FALSE(pairs->rests(pairs->group(surface.contactors.size() + e)))
              << "edge " << e << " rests at t = " << when << " in a distance of "
              << closest.distance;
        }
    }
  }

  void
  run(std::mt19937 &random, const unsigned int n_steps)
  {
    start(random);
    for (unsigned int n = 0; n < n_steps && !testing::Test::HasFatalFailure(); ++n)
    {
      const double when = time + std::uniform_real_distribution<double>(0, step)(random);
      check(when);
      check_edges(when);
      advance();
    }
  }

  unsigned int
  size() const override
  {
    return surface.contactors.size() + edges.size();
  }
  dealii::ArrayView<const unsigned int>
  nodes(const unsigned int contactor) const override
  {
    const unsigned int n = surface.contactors.size();
    return contactor < n
               ? surface.contactors[contactor].node_view()
               : dealii::ArrayView<const unsigned int>(edges[contactor - n].nodes.data(), 2);
  }
  dealii::ArrayView<const unsigned int>
  faces(const unsigned int contactor) const override
  {
    const unsigned int n = surface.contactors.size();
    return contactor < n
               ? search->faces_of_node(surface.contactors[contactor].nodes[0])
               : dealii::ArrayView<const unsigned int>(edges[contactor - n].faces.data(), 2);
  }
  unsigned int
  kind(const unsigned int contactor) const override
  {
    return contactor >= surface.contactors.size(); // edges, which look everywhere
  }
  double
  limit(const unsigned int kind) const override
  {
    return kind == 0 ? limit_of_nodes : 1;
  }
  bool
  looks_for_faces(unsigned int) const override
  {
    return true;
  }
  bool
  may_see(unsigned int, const Box<dim> &) const override
  {
    return true;
  }

  /// The face of a cell with the lowest corner @p place, across direction @p d.
  template <typename Node>
  void
  add_face(const Place &place, const unsigned int d, const bool is_upper, const unsigned int body,
           const Node &node)
  {
    // the normal points outwards if the first direction is turned towards the second
    const unsigned int a = (d + (is_upper || dim == 2 ? 1 : 2)) % dim,
                       b = (d + (is_upper ? 2 : 1)) % dim;
    SurfaceFace<dim> face;
    face.n_nodes = dim == 3 ? 4 : 2;
    for (unsigned int k = 0; k < face.n_nodes; ++k)
    {
      Place corner = place;
      if (dim == 3)
        corner[b] += k / 2;
      corner[a] += k % 2;
      face.nodes[k] = node(corner);
    }
    if (dim == 2 && (d == 0) != is_upper)
      std::swap(face.nodes[0], face.nodes[1]);
    face.body = body;
    face.boundary_id = 0;
    surface.faces.push_back(face);
  }

  double slack = 0; ///< of the cosine
  NodeTable<dim> table;
  Surface<dim> surface;
  Exclusions exclusions;
  std::vector<SurfaceEdge> edges;
  std::vector<Motion<dim>> motions;               ///< by body
  std::vector<unsigned int> bodies, every, phase; ///< by node
  std::vector<double> waits;                      ///< by node
  std::vector<char> takes_part;                   ///< by node
  std::unique_ptr<MotionBounds<dim>> bounds;
  std::unique_ptr<FaceSearch<dim>> search;
  std::unique_ptr<PatchPairs<dim>> pairs;
  double time = 0;
  unsigned int n_done = 0, n_checks = 0, n_rests = 0, n_seen = 0, n_edges_seen = 0;
};

inline Point<2>
turned(const Vector<2> &arm, const Vector<2> &, const double angle)
{
  return Point<2>(std::cos(angle) * arm[0] - std::sin(angle) * arm[1],
                  std::sin(angle) * arm[0] + std::cos(angle) * arm[1]);
}

inline Point<3>
turned(const Vector<3> &arm, const Vector<3> &axis, const double angle)
{
  return Point<3>(std::cos(angle) * arm + std::sin(angle) * cross_product_3d(axis, arm) +
                  (1 - std::cos(angle)) * (axis * arm) * axis);
}

template <int dim>
Vector<dim>
random_vector(std::mt19937 &random)
{
  Vector<dim> v;
  for (unsigned int d = 0; d < dim; ++d)
    v[d] = std::uniform_real_distribution<double>(-1, 1)(random);
  return v;
}

/// A body that flies from where it is so that it meets the origin at t = 1, spins and trembles.
template <int dim>
Motion<dim>
flying(std::mt19937 &random, const Point<dim> &center, const double spin, const double trembles)
{
  Vector<dim> axis = random_vector<dim>(random);
  axis /= axis.norm();
  const Vector<dim> velocity = 0.2 * random_vector<dim>(random) - (center - Point<dim>());
  return [=](const Point<dim> &point, const double time)
  {
    Point<dim> x =
        turned(point - center, axis, spin * time) + ((center - Point<dim>()) + time * velocity);
    for (unsigned int d = 0; d < dim; ++d)
      x[d] += trembles * std::sin(70 * time + 9 * point[d]);
    return x;
  };
}
} // namespace KickDriftTests

#endif
