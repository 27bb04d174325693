#include <kickdrift/contact/surface/surface.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace KickDrift
{
namespace
{
/// Shape values of a face's nodes.
using Weights = std::array<double, Contactor::max_nodes>;

std::vector<Weights>
points_of_segment(const unsigned int n)
{
  std::vector<Weights> points;
  for (unsigned int i = 0; i < n; ++i)
    points.push_back({{1 - (i + 0.5) / n, (i + 0.5) / n}});
  return points;
}

std::vector<Weights>
points_of_quadrilateral(const unsigned int n)
{
  std::vector<Weights> points;
  for (unsigned int j = 0; j < n; ++j)
    for (unsigned int i = 0; i < n; ++i)
    {
      const double r = (i + 0.5) / n, s = (j + 0.5) / n;
      points.push_back({{(1 - r) * (1 - s), r * (1 - s), (1 - r) * s, r * s}});
    }
  return points;
}

std::vector<Weights>
points_of_triangle(const unsigned int n)
{
  std::vector<Weights> points;
  for (unsigned int j = 0; j < n; ++j)
    for (unsigned int i = 0; i + j < n; ++i)
      for (const double third : {1 / 3., 2 / 3.}) // the part that points up, and its neighbour
        if (third < 0.5 || i + j + 1 < n)
        {
          const double r = (i + third) / n, s = (j + third) / n;
          points.push_back({{1 - r - s, r, s}});
        }
  return points;
}
} // namespace

template <int spacedim>
void
add_face_points(Surface<spacedim> &surface, const unsigned int n)
{
  std::unordered_map<unsigned int, double> length_of_node;
  for (const Contactor &contactor : surface.contactors)
    if (contactor.n_nodes == 1)
      length_of_node[contactor.nodes[0]] = contactor.length;

  const auto of_segment = points_of_segment(n), of_triangle = points_of_triangle(n),
             of_quadrilateral = points_of_quadrilateral(n);
  for (unsigned int f = 0; f < surface.faces.size(); ++f)
  {
    const auto &face = surface.faces[f];
    Contactor contactor(face.nodes[0], face.body, length_of_node[face.nodes[0]]);
    contactor.n_nodes = face.n_nodes;
    contactor.face = f;
    contactor.side = face.side;
    for (unsigned int i = 0; i < face.n_nodes; ++i)
    {
      contactor.nodes[i] = face.nodes[i];
      contactor.length = std::min(contactor.length, length_of_node[face.nodes[i]]);
    }
    if (contactor.length > 0)
      for (const Weights &weights : face.n_nodes == 2   ? of_segment
                                    : face.n_nodes == 3 ? of_triangle
                                                        : of_quadrilateral)
      {
        contactor.weights = weights;
        surface.contactors.push_back(contactor);
      }
  }
}

template <int spacedim>
void
add_other_sides(Surface<spacedim> &surface)
{
  if (!surface.has_shells())
    return;
  for (std::size_t f = 0, n = surface.faces.size(); f < n; ++f)
    if (surface.thickness(surface.faces[f].body) > 0)
    {
      surface.faces[f].side = Side::front;
      SurfaceFace<spacedim> back = surface.faces[f];
      back.side = Side::back;
      std::swap(back.nodes[spacedim == 2 ? 0 : 1], back.nodes[spacedim == 2 ? 1 : 2]);
      surface.faces.push_back(back);
    }
  std::vector<Contactor> contactors;
  for (Contactor &contactor : surface.contactors)
  {
    const bool has_sides = surface.thickness(contactor.body) > 0;
    contactor.side = has_sides ? Side::front : Side::only;
    contactors.push_back(contactor);
    if (!has_sides)
      continue;
    contactors.push_back(contactor);
    contactors.back().side = Side::back;
  }
  surface.contactors = std::move(contactors);
}

std::vector<SurfaceEdge>
find_edges(const Surface<3> &surface)
{
  std::vector<std::tuple<unsigned int, unsigned int, unsigned int>> sides; // two nodes and a face
  for (unsigned int f = 0; f < surface.faces.size(); ++f)
  {
    const auto &face = surface.faces[f];
    for (unsigned int i = 0; i < face.n_nodes; ++i)
    {
      const auto ends = ends_of_edge(face.n_nodes, i);
      const unsigned int a = face.nodes[ends[0]], b = face.nodes[ends[1]];
      if (a != b)
        sides.emplace_back(std::min(a, b), std::max(a, b), f);
    }
  }
  std::sort(sides.begin(), sides.end());

  const auto same_edge = [](const auto &x, const auto &y)
  { return std::get<0>(x) == std::get<0>(y) && std::get<1>(x) == std::get<1>(y); };
  std::vector<SurfaceEdge> edges;
  for (std::size_t begin = 0, end = 0; begin < sides.size(); begin = end)
  {
    while (end < sides.size() && same_edge(sides[begin], sides[end]))
      ++end;
    const auto [a, b, face] = sides[begin];
    if (end - begin == 2)
      edges.push_back({{{a, b}}, {{face, std::get<2>(sides[begin + 1])}}});
    else if (end - begin == 4 && surface.faces[face].side == Side::front)
      for (const std::size_t first : {begin, begin + 2}) // faces of the back have larger numbers
        edges.push_back({{{a, b}}, {{std::get<2>(sides[first]), std::get<2>(sides[first + 1])}}});
  }
  return edges;
}

template void add_other_sides(Surface<2> &);
template void add_other_sides(Surface<3> &);
template void add_face_points(Surface<2> &, unsigned int);
template void add_face_points(Surface<3> &, unsigned int);
} // namespace KickDrift
