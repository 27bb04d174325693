#include <kickdrift/base/messages.h>
#include <kickdrift/deal_ii/large_strain.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace KickDrift
{
using namespace dealii;

namespace
{
// A turn by an angle makes a strain of half its square that is not there. Measures of strain differ
// by half its square, too, which is a tenth of a strain of this size.
constexpr double largest_turn = 0.1, largest_strain = 0.2;

/// A cell: reference positions and displacements of its vertices.
template <int dim>
struct Vertices
{
  std::array<Tensor<1, dim>, 1 << dim> x, u; ///< [length]
};

/// Displacement gradient in the middle of a cell with so many vertices.
template <int dim, unsigned int n_vertices>
Tensor<2, dim>
gradient(const Vertices<dim> &cell)
{
  Tensor<2, dim> dx, du; // by reference coordinates
  for (unsigned int v = 0; v < n_vertices; ++v)
    for (unsigned int d = 0; d < dim; ++d)
    {
      // a simplex has its first vertex at the origin, the others on the axes
      const double slope = n_vertices == dim + 1 ? (v == 0       ? -1.
                                                    : v == d + 1 ? 1.
                                                                 : 0.)
                                                 : (v >> d & 1 ? 1. : -1.) / (1 << (dim - 1));
      for (unsigned int i = 0; i < dim; ++i)
      {
        dx[i][d] += slope * cell.x[v][i];
        du[i][d] += slope * cell.u[v][i];
      }
    }
  return du * invert(dx);
}

/// Hanging and tied vertices follow their parents.
template <int dim>
void
get_vertices(const Body<dim> &body, const typename Body<dim>::Cell &cell,
             const std::vector<unsigned int> &nodes_of_cell, const NodeTable<dim> &nodes,
             const double time, Vertices<dim> &vertices)
{
  for (unsigned int v = 0; v < nodes_of_cell.size(); ++v)
  {
    auto &x = vertices.x[v], &u = vertices.u[v];
    if (nodes_of_cell[v] != numbers::invalid_unsigned_int)
    {
      x = nodes.reference(nodes_of_cell[v]);
      u = nodes.displacement_at(nodes_of_cell[v], time);
      continue;
    }
    x = u = Tensor<1, dim>();
    for (const Parent &parent : body.parents_of_vertex(cell, v))
    {
      x += parent.weight * nodes.reference(parent.node);
      u += parent.weight * nodes.displacement_at(parent.node, time);
    }
  }
}
} // namespace

std::string
LargeStrain::text() const
{
  return (turns ? " has turned by " : " is strained by ") + number_text(amount) +
         ". Its linear law is for small strains (" + number_text(largest_strain) + ") and turns (" +
         number_text(largest_turn) + "): larger ones cause stress that is not there";
}

template <int dim>
std::optional<LargeStrain>
find_large_strain(const Body<dim> &body, const NodeTable<dim> &nodes, const double time,
                  double *const largest)
{
  if (!body.has_linear_material())
    return {};
  Vertices<dim> vertices;
  body.check_dofs();
  std::vector<unsigned int> nodes_of_cell;
  // cells of a material often come one after the other
  types::material_id known_id = numbers::invalid_material_id;
  bool is_linear = false;
  for (const auto &cell : body.cells())
  {
    const types::material_id id = cell->material_id();
    if (id != known_id || id == numbers::invalid_material_id)
    {
      is_linear = body.material(cell)->is_linear();
      known_id = id;
    }
    const unsigned int index = cell->active_cell_index();
    if (!is_linear || (body.failure_strain() > 0 && body.is_deleted(index)))
      continue;
    body.nodes_of_cell(cell, nodes_of_cell);
    get_vertices(body, cell, nodes_of_cell, nodes, time, vertices);
    const Tensor<2, dim> H = nodes_of_cell.size() == dim + 1 ? gradient<dim, dim + 1>(vertices)
                                                             : gradient<dim, 1 << dim>(vertices);
    const double strain = symmetrize(H).norm();
    const double turn = (0.5 * (H - transpose(H))).norm() / std::sqrt(2.);
    if (largest)
      *largest = std::max({*largest, strain / largest_strain, turn / largest_turn});
    if (strain > largest_strain || turn > largest_turn)
    {
      const bool turns = turn / largest_turn > strain / largest_strain;
      return LargeStrain{index, turns, turns ? turn : strain};
    }
  }
  return {};
}

template std::optional<LargeStrain> find_large_strain(const Body<2> &, const NodeTable<2> &, double,
                                                      double *);
template std::optional<LargeStrain> find_large_strain(const Body<3> &, const NodeTable<3> &, double,
                                                      double *);
} // namespace KickDrift
