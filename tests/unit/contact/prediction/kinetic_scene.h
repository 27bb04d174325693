// Bodies of segments or triangles for tests of the kinetic hierarchy.

#ifndef KICKDRIFT_TESTS_UNIT_CONTACT_PREDICTION_KINETIC_SCENE_H
#define KICKDRIFT_TESTS_UNIT_CONTACT_PREDICTION_KINETIC_SCENE_H

#include <kickdrift/contact/prediction/kinetic_hierarchy.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace KickDriftTests
{
using namespace KickDrift;
using dealii::Point;
using dealii::Tensor;

constexpr double never = std::numeric_limits<double>::infinity();

/// Bodies of triangles or segments that move on parabolas.
template <int spacedim>
struct Scene
{
  NodeTable<spacedim> nodes; ///< at time zero
  Surface<spacedim> surface;
  std::vector<AccelerationBounds<spacedim>> bounds;
  std::vector<Tensor<1, spacedim>> accelerations; ///< by node

  /// Add a closed body; returns its first node.
  unsigned int
  add(const std::vector<Point<spacedim>> &points,
      const std::vector<std::array<unsigned int, spacedim>> &faces,
      const Tensor<1, spacedim> &velocity)
  {
    const unsigned int first = nodes.size(), body = surface.body_names.size();
    for (const auto &point : points)
    {
      nodes.add(point, 1.);
      nodes.set_velocity(nodes.size() - 1, velocity);
      accelerations.emplace_back();
    }
    for (const auto &corners : faces)
    {
      SurfaceFace<spacedim> face{};
      face.n_nodes = spacedim;
      for (unsigned int c = 0; c < spacedim; ++c)
        face.nodes[c] = first + corners[c];
      face.body = body;
      surface.faces.push_back(face);
    }
    surface.body_names.push_back("body " + std::to_string(body));
    bounds.emplace_back();
    return first;
  }

  NodeTable<spacedim>
  at(const double time) const
  {
    NodeTable<spacedim> result = nodes;
    for (unsigned int node = 0; node < nodes.size(); ++node)
    {
      const auto &v = nodes.velocity(node), &a = accelerations[node];
      result.set_displacement(node, nodes.displacement(node) + time * (v + 0.5 * time * a));
      result.set_velocity(node, v + time * a);
    }
    return result;
  }

  /// Look whenever asked to until the end or the first contact.
  void
  run(KineticHierarchy<spacedim> &hierarchy, const double end) const
  {
    while (hierarchy.next_time() <= end && hierarchy.contacts().empty())
      hierarchy.update(at(hierarchy.next_time()), hierarchy.next_time());
  }

  /// First contact of straight motion by looking at all pairs of faces.
  double
  brute_force() const
  {
    double first = never;
    for (const auto &a : surface.faces)
      for (const auto &b : surface.faces)
        if (a.body < b.body)
          first = std::min(first, impact(a, b));
    return first;
  }

  /// First contact of two faces in straight motion.
  double
  impact(const SurfaceFace<spacedim> &a, const SurfaceFace<spacedim> &b) const
  {
    std::array<std::array<MovingPoint<spacedim>, spacedim>, 2> points;
    for (unsigned int c = 0; c < spacedim; ++c)
    {
      points[0][c] = {nodes.position(a.nodes[c]), nodes.velocity(a.nodes[c])};
      points[1][c] = {nodes.position(b.nodes[c]), nodes.velocity(b.nodes[c])};
    }
    double time = never;
    for (unsigned int i = 0; i < 2; ++i)
      for (const auto &point : points[1 - i])
        time = std::min(
            time, first_contact<spacedim>(point, {points[i].data(), std::size_t(spacedim)}).time);
    if constexpr (spacedim == 3)
      for (unsigned int e = 0; e < 3; ++e)
        for (unsigned int f = 0; f < 3; ++f)
        {
          const std::array<MovingPoint<3>, 2> first = {{points[0][e], points[0][(e + 1) % 3]}},
                                              second = {{points[1][f], points[1][(f + 1) % 3]}};
          time = std::min(time, first_contact_of_edges({first.data(), 2}, {second.data(), 2}).time);
        }
    return time;
  }
};

/// A polygon or, in 3D, a double pyramid with n corners around its middle.
template <int spacedim>
unsigned int
add_round_body(Scene<spacedim> &scene, const Point<spacedim> &center, const unsigned int n,
               const Tensor<1, spacedim> &velocity)
{
  std::vector<Point<spacedim>> points;
  std::vector<std::array<unsigned int, spacedim>> faces;
  for (unsigned int i = 0; i < n; ++i)
  {
    Tensor<1, spacedim> offset;
    offset[0] = std::cos(2 * M_PI * i / n);
    offset[1] = std::sin(2 * M_PI * i / n);
    points.push_back(center + offset);
    if constexpr (spacedim == 2)
      faces.push_back({{i, (i + 1) % n}});
    else
    {
      faces.push_back({{i, (i + 1) % n, n}});
      faces.push_back({{(i + 1) % n, i, n + 1}});
    }
  }
  if constexpr (spacedim == 3)
  {
    points.push_back(center + Tensor<1, 3>({0., 0., 1.}));
    points.push_back(center - Tensor<1, 3>({0., 0., 1.}));
  }
  return scene.add(points, faces, velocity);
}

template <int spacedim>
Tensor<1, spacedim>
random_vector(std::mt19937 &engine, const double size)
{
  std::uniform_real_distribution<double> component(-size, size);
  Tensor<1, spacedim> vector;
  for (unsigned int d = 0; d < spacedim; ++d)
    vector[d] = component(engine);
  return vector;
}
} // namespace KickDriftTests

#endif
