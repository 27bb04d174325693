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

template void add_face_points(Surface<2> &, unsigned int);
template void add_face_points(Surface<3> &, unsigned int);
} // namespace KickDrift
