// Meshes of scenes.
#include "scenes/scene.h"

#include <algorithm>

namespace Scenes
{
std::vector<double>
equal_lines(const double length, const unsigned int n)
{
  std::vector<double> lines(n + 1);
  for (unsigned int i = 0; i <= n; ++i)
    lines[i] = length * (static_cast<double>(i) / n - 0.5);
  return lines;
}

std::vector<double>
graded_lines(const double length, const unsigned int n, const double ratio)
{
  std::vector<double> lines{0};
  for (unsigned int i = 0; i < n; ++i)
    lines.push_back(lines.back() + 1 + (n > 1 ? (ratio - 1) * i / (n - 1) : 0.));
  const double sum = lines.back();
  for (double &line : lines)
    line = length * (line / sum - 0.5);
  return lines;
}

namespace
{
/// Simplices of a cell with vertices in lexicographic order: along the paths from the first to the
/// last vertex, which divide neighbours alike.
template <int dim>
std::vector<std::vector<unsigned int>>
simplices_of(const std::vector<unsigned int> &cell)
{
  std::vector<std::vector<unsigned int>> result;
  std::array<unsigned int, dim> axes;
  for (int d = 0; d < dim; ++d)
    axes[d] = d;
  do
  {
    std::vector<unsigned int> simplex{cell[0]};
    unsigned int corner = 0;
    for (const unsigned int axis : axes)
    {
      corner += 1u << axis;
      simplex.push_back(cell[corner]);
    }
    unsigned int inversions = 0;
    for (int i = 0; i < dim; ++i)
      for (int j = 0; j < i; ++j)
        inversions += axes[j] > axes[i];
    if (inversions % 2 == 1) // so that its volume is positive
      std::swap(simplex[1], simplex[2]);
    result.push_back(simplex);
  } while (std::next_permutation(axes.begin(), axes.end()));
  return result;
}

/// Steps through all index tuples below @p n; false after the last one.
template <int dim>
bool
next(std::array<unsigned int, dim> &index, const std::array<unsigned int, dim> &n)
{
  for (int d = 0; d < dim; ++d)
  {
    if (++index[d] < n[d])
      return true;
    index[d] = 0;
  }
  return false;
}
} // namespace

template <int dim>
Part<dim>
make_part(const Grid<dim> &grid)
{
  Part<dim> part;
  std::array<unsigned int, dim> n_cells, index{};
  part.thickness = 1e300;
  for (int d = 0; d < dim; ++d)
  {
    const auto &lines = grid.lines[d];
    n_cells[d] = lines.size() - 1;
    part.thickness = std::min(part.thickness, lines.back() - lines.front());
    for (unsigned int i = 0; i < n_cells[d]; ++i)
      part.cell_size = std::max(part.cell_size, lines[i + 1] - lines[i]);
  }
  unsigned int n_points = 1;
  for (const unsigned int n : n_cells)
    n_points *= n + 1;
  constexpr unsigned int none = -1;
  std::vector<unsigned int> vertex_at(n_points, none); // those of missing cells are left out
  do
  {
    if (grid.is_there && !grid.is_there(index))
      continue;
    std::vector<unsigned int> cell;
    for (unsigned int corner = 0; corner < 1u << dim; ++corner)
    {
      unsigned int point = 0;
      Vec<dim> x;
      for (int d = dim - 1; d >= 0; --d)
      {
        const unsigned int i = index[d] + ((corner >> d) & 1);
        point = point * (n_cells[d] + 1) + i;
        x[d] = grid.lines[d][i];
      }
      if (vertex_at[point] == none)
      {
        vertex_at[point] = part.vertices.size();
        part.vertices.push_back(x);
      }
      cell.push_back(vertex_at[point]);
    }
    if (grid.simplices)
      for (const auto &simplex : simplices_of<dim>(cell))
        part.cells.push_back(simplex);
    else
      part.cells.push_back(cell);
  } while (next<dim>(index, n_cells));
  part.velocities.resize(part.vertices.size());
  return part;
}

template <int dim>
Part<dim>
make_box(const Vec<dim> &lengths, const std::array<unsigned int, dim> &n, const bool simplices)
{
  Grid<dim> grid;
  for (int d = 0; d < dim; ++d)
    grid.lines[d] = equal_lines(lengths[d], n[d]);
  grid.simplices = simplices;
  return make_part(grid);
}

template <int dim>
void
place(Part<dim> &part, const Frame<dim> &frame, const Vec<dim> &shift)
{
  for (auto &x : part.vertices)
    x = rotate(frame, x) + shift;
}

template <int dim>
void
set_motion(Part<dim> &part, const Vec<dim> &velocity, const Vec<3> &spin, const Vec<dim> &centre)
{
  for (unsigned int i = 0; i < part.vertices.size(); ++i)
    part.velocities[i] = velocity + turned(spin, part.vertices[i] - centre);
}

template <int dim>
Vec<dim>
centre(const Part<dim> &part)
{
  Vec<dim> sum;
  for (const auto &x : part.vertices)
    sum = sum + x;
  return (1. / part.vertices.size()) * sum;
}

template <int dim>
Box<dim>
box_of(const Part<dim> &part)
{
  Box<dim> box;
  for (const auto &x : part.vertices)
    box.include(x);
  return box;
}

template Part<2> make_part(const Grid<2> &);
template Part<3> make_part(const Grid<3> &);
template Part<2> make_box<2>(const Vec<2> &, const std::array<unsigned int, 2> &, bool);
template Part<3> make_box<3>(const Vec<3> &, const std::array<unsigned int, 3> &, bool);
template void place(Part<2> &, const Frame<2> &, const Vec<2> &);
template void place(Part<3> &, const Frame<3> &, const Vec<3> &);
template void set_motion(Part<2> &, const Vec<2> &, const Vec<3> &, const Vec<2> &);
template void set_motion(Part<3> &, const Vec<3> &, const Vec<3> &, const Vec<3> &);
template Vec<2> centre(const Part<2> &);
template Vec<3> centre(const Part<3> &);
template Box<2> box_of(const Part<2> &);
template Box<3> box_of(const Part<3> &);
} // namespace Scenes
