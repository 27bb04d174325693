#include "scenes/oracle/skin.h"

#include <algorithm>
#include <map>
#include <set>

namespace Scenes
{
namespace
{
using Face = std::vector<unsigned int>;

/// Faces of a cell in deal.II's order of vertices, quadrilaterals lexicographic.
std::vector<Face>
faces_of_cell(const Face &cell, const int dim)
{
  const bool is_simplex = cell.size() == static_cast<unsigned int>(dim) + 1;
  std::vector<Face> local;
  if (dim == 2)
    local = is_simplex ? std::vector<Face>{{0, 1}, {1, 2}, {2, 0}}
                       : std::vector<Face>{{0, 1}, {1, 3}, {3, 2}, {2, 0}};
  else if (is_simplex)
    local = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
  else
    local = {{0, 2, 4, 6}, {1, 3, 5, 7}, {0, 1, 4, 5}, {2, 3, 6, 7}, {0, 1, 2, 3}, {4, 5, 6, 7}};
  for (Face &face : local)
    for (unsigned int &vertex : face)
      vertex = cell[vertex];
  return local;
}

/// Twice the area, or six times the volume, between a facet and a point behind it.
double
volume_behind(const Facet<2> &facet, const std::vector<Vec<2>> &x, const Vec<2> &behind)
{
  const Vec<2> along = x[facet[1]] - x[facet[0]], to = behind - x[facet[0]];
  return along[0] * to[1] - along[1] * to[0];
}

double
volume_behind(const Facet<3> &facet, const std::vector<Vec<3>> &x, const Vec<3> &behind)
{
  return -dot(cross(x[facet[1]] - x[facet[0]], x[facet[2]] - x[facet[0]]), behind - x[facet[0]]);
}

/// The facets of a face with one and the other diagonal.
template <int dim>
std::array<std::vector<Facet<dim>>, 2>
facets_of_face(const Face &face)
{
  if constexpr (dim == 2)
    return {{{{face[0], face[1]}}, {{face[0], face[1]}}}};
  else if (face.size() == 3)
    return {{{{face[0], face[1], face[2]}}, {{face[0], face[1], face[2]}}}};
  else
    return {{{{face[0], face[1], face[3]}, {face[0], face[3], face[2]}},
             {{face[0], face[1], face[2]}, {face[1], face[3], face[2]}}}};
}

template <int dim>
PieceSkin<dim>
skin_of(const Part<dim> &part, const unsigned int body, const unsigned int first_vertex,
        std::vector<Face> &faces)
{
  PieceSkin<dim> skin;
  skin.body = body;
  skin.first_vertex = first_vertex;
  skin.n_vertices = part.vertices.size();
  skin.thickness = part.thickness;
  std::map<Face, std::vector<std::pair<Face, const Face *>>> by_vertices;
  for (const Face &cell : part.cells)
    for (const Face &face : faces_of_cell(cell, dim))
    {
      Face key = face;
      std::sort(key.begin(), key.end());
      by_vertices[key].emplace_back(face, &cell);
    }
  std::set<unsigned int> nodes;
  std::set<std::array<unsigned int, 2>> edges;
  for (const auto &entry : by_vertices)
  {
    if (entry.second.size() != 1)
      continue; // between two cells
    const auto &[face, cell] = entry.second.front();
    Vec<dim> middle;
    for (const unsigned int vertex : *cell)
      middle = middle + (1. / cell->size()) * part.vertices[vertex];
    const auto both = facets_of_face<dim>(face);
    for (unsigned int split = 0; split < 2; ++split)
      for (Facet<dim> facet : both[split])
      {
        if (volume_behind(facet, part.vertices, middle) < 0)
          std::swap(facet[0], facet[1]);
        for (unsigned int &vertex : facet)
          vertex += first_vertex;
        skin.facets[split].push_back(facet);
      }
    skin.has_quads = skin.has_quads || face.size() == 4;
    const auto add_edge = [&](const unsigned int a, const unsigned int b) {
      edges.insert({first_vertex + std::min(a, b), first_vertex + std::max(a, b)});
    };
    if (face.size() == 4)
      for (const auto &[a, b] : {std::pair{0, 1}, {1, 3}, {3, 2}, {2, 0}})
        add_edge(face[a], face[b]);
    else
      for (unsigned int i = 0; i < face.size(); ++i)
        add_edge(face[i], face[(i + 1) % face.size()]);
    faces.push_back(face);
    for (unsigned int &vertex : faces.back())
    {
      vertex += first_vertex;
      nodes.insert(vertex);
    }
  }
  skin.nodes.assign(nodes.begin(), nodes.end());
  skin.edges.assign(edges.begin(), edges.end());
  return skin;
}
} // namespace

template <int dim>
Skin<dim>::Skin(const Scene<dim> &scene) : planes(scene.planes), size(scene.size)
{
  std::vector<unsigned int> faces_end; // by piece
  for (unsigned int b = 0; b < scene.bodies.size(); ++b)
  {
    const SceneBody<dim> &body = scene.bodies[b];
    for (unsigned int p = 0; p < body.parts.size(); ++p)
    {
      pieces.push_back(skin_of(body.parts[p], b, n_vertices, faces));
      n_vertices += body.parts[p].vertices.size();
      faces_end.push_back(faces.size());
      if (p == 0 || body.kind == BodyKind::elastic)
      {
        is_driven.push_back(body.kind == BodyKind::driven);
        ++n_momenta;
      }
      momentum_of_piece.push_back(n_momenta - 1);
    }
  }
  for (unsigned int p = 0; p < pieces.size(); ++p)
  {
    pieces[p].probes = pieces[p].nodes;
    for (unsigned int f = p == 0 ? 0 : faces_end[p - 1]; f < faces_end[p]; ++f)
      pieces[p].probes.push_back(n_vertices + f);
  }
}

template <int dim>
std::vector<Vec<dim>>
with_middles(const Skin<dim> &skin, std::vector<Vec<dim>> vertices)
{
  vertices.reserve(vertices.size() + skin.faces.size());
  for (const Face &face : skin.faces)
  {
    Vec<dim> sum;
    for (const unsigned int vertex : face)
      sum = sum + vertices[vertex];
    vertices.push_back((1. / face.size()) * sum);
  }
  return vertices;
}

template <int dim>
std::vector<Vec<dim>>
positions(const Scene<dim> &scene)
{
  std::vector<Vec<dim>> result;
  for (const auto &body : scene.bodies)
    for (const auto &part : body.parts)
      result.insert(result.end(), part.vertices.begin(), part.vertices.end());
  return result;
}

template struct Skin<2>;
template struct Skin<3>;
template std::vector<Vec<2>> with_middles(const Skin<2> &, std::vector<Vec<2>>);
template std::vector<Vec<3>> with_middles(const Skin<3> &, std::vector<Vec<3>>);
template std::vector<Vec<2>> positions(const Scene<2> &);
template std::vector<Vec<3>> positions(const Scene<3> &);
} // namespace Scenes
