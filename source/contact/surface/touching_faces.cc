#include <kickdrift/contact/geometry/box.h>
#include <kickdrift/contact/geometry/closest_point.h>
#include <kickdrift/contact/surface/touching_faces.h>

#include <algorithm>
#include <numeric>

namespace KickDrift
{
namespace
{
// Cosine of the angle between normals that look at each other, at most.
constexpr double opposed = -0.5;

/// A face where it is at the start.
template <int spacedim>
struct PlacedFace
{
  std::array<dealii::Point<spacedim>, SurfaceFace<spacedim>::max_nodes> corners;
  unsigned int n_corners, body;
  dealii::Tensor<1, spacedim> normal;
  Box<spacedim> box; ///< grown by the gap
  double size;       ///< longest distance of two corners [length]
  bool is_held;      ///< in all directions
};

template <int spacedim>
std::vector<PlacedFace<spacedim>>
placed_faces(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface, const double gap)
{
  std::vector<PlacedFace<spacedim>> result;
  for (const auto &face : surface.faces)
  {
    PlacedFace<spacedim> placed;
    placed.n_corners = face.n_nodes;
    placed.body = face.body;
    placed.normal =
        unit_normal(face, [&](const unsigned int node) { return nodes.position(node); });
    placed.box = empty_box<spacedim>();
    placed.size = 0;
    placed.is_held = true;
    for (unsigned int i = 0; i < face.n_nodes; ++i)
    {
      placed.corners[i] = nodes.position(face.nodes[i]);
      placed.is_held = placed.is_held && nodes.restraints.n_directions(face.nodes[i]) == spacedim;
      for (unsigned int d = 0; d < spacedim; ++d)
      {
        placed.box.lower[d] = std::min(placed.box.lower[d], placed.corners[i][d]);
        placed.box.upper[d] = std::max(placed.box.upper[d], placed.corners[i][d]);
      }
      for (unsigned int j = 0; j < i; ++j)
        placed.size = std::max(placed.size, placed.corners[i].distance(placed.corners[j]));
    }
    placed.box = grown(placed.box, gap * placed.size);
    result.push_back(placed);
  }
  return result;
}

template <int spacedim>
bool
overlap(const Box<spacedim> &a, const Box<spacedim> &b)
{
  for (unsigned int d = 0; d < spacedim; ++d)
    if (a.lower[d] > b.upper[d] || b.lower[d] > a.upper[d])
      return false;
  return true;
}

/// Is a corner of one face near the other one?
template <int spacedim>
bool
lies_on(const PlacedFace<spacedim> &face, const PlacedFace<spacedim> &target, const double gap)
{
  const double limit = gap * std::max(face.size, target.size);
  return std::any_of(
      face.corners.begin(), face.corners.begin() + face.n_corners,
      [&](const auto &corner)
      {
        return closest_point<spacedim>(target.corners.data(), target.n_corners, corner).distance <=
               limit;
      });
}
} // namespace

template <int spacedim>
std::vector<char>
touching_faces(const NodeTable<spacedim> &nodes, const Surface<spacedim> &surface,
               const std::vector<Obstacle<spacedim>> &obstacles, const double gap,
               const std::function<bool(unsigned int, unsigned int)> &may_touch)
{
  const auto faces = placed_faces(nodes, surface, gap);
  std::vector<char> touches(faces.size(), 0);
  for (unsigned int o = 0; o < obstacles.size(); ++o)
  {
    const Shape<spacedim> &shape = *obstacles[o].shape;
    dealii::Tensor<1, spacedim> origin;
    if (obstacles[o].displacement)
      origin = obstacles[o].displacement(0);
    for (unsigned int f = 0; f < faces.size(); ++f)
      for (unsigned int i = 0; i < faces[f].n_corners && !touches[f]; ++i)
      {
        const dealii::Point<spacedim> corner(faces[f].corners[i] - origin);
        touches[f] = !faces[f].is_held && std::abs(shape.distance(corner)) <= gap * faces[f].size &&
                     faces[f].normal * shape.normal(corner) < opposed &&
                     may_touch(faces[f].body, surface.body_names.size() + o);
      }
  }

  // along the first axis: only boxes that have begun and not yet ended can overlap
  std::vector<unsigned int> order(faces.size()), open;
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [&](const unsigned int a, const unsigned int b)
            {
              const double at_a = faces[a].box.lower[0], at_b = faces[b].box.lower[0];
              return at_a < at_b || (at_a == at_b && a < b);
            });
  for (const unsigned int f : order)
  {
    open.erase(std::remove_if(open.begin(), open.end(),
                              [&](const unsigned int g)
                              { return faces[g].box.upper[0] < faces[f].box.lower[0]; }),
               open.end());
    for (const unsigned int g : open)
      if (faces[f].body != faces[g].body && !(faces[f].is_held && faces[g].is_held) &&
          !(touches[f] && touches[g]) && overlap(faces[f].box, faces[g].box) &&
          faces[f].normal * faces[g].normal < opposed && may_touch(faces[f].body, faces[g].body) &&
          (lies_on(faces[f], faces[g], gap) || lies_on(faces[g], faces[f], gap)))
        touches[f] = touches[g] = 1;
    open.push_back(f);
  }
  return touches;
}

#define INSTANTIATE(dim)                                                                           \
  template std::vector<char> touching_faces(                                                       \
      const NodeTable<dim> &, const Surface<dim> &, const std::vector<Obstacle<dim>> &, double,    \
      const std::function<bool(unsigned int, unsigned int)> &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
