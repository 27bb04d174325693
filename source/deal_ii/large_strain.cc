#include <kickdrift/base/messages.h>
#include <kickdrift/deal_ii/large_strain.h>

#include <cmath>

namespace KickDrift
{
using namespace dealii;

namespace
{
constexpr double strain_limit = 0.1; ///< of the law [-]

/// Displacement gradient in the middle of a cell, the reference coordinates of which are @p x at
/// its vertices, displaced by @p u.
template <int dim>
Tensor<2, dim>
gradient(const std::vector<Tensor<1, dim>> &x, const std::vector<Tensor<1, dim>> &u)
{
  Tensor<2, dim> dx, du; // by reference coordinates
  for (unsigned int v = 0; v < x.size(); ++v)
    for (unsigned int d = 0; d < dim; ++d)
    {
      // a simplex has its first vertex at the origin, the others on the axes
      const double slope = x.size() == dim + 1 ? (v == 0       ? -1.
                                                  : v == d + 1 ? 1.
                                                               : 0.)
                                               : (v >> d & 1 ? 1. : -1.) / (1 << (dim - 1));
      for (unsigned int i = 0; i < dim; ++i)
      {
        dx[i][d] += slope * x[v][i];
        du[i][d] += slope * u[v][i];
      }
    }
  return du * invert(dx);
}

/// Vertices of a cell and their displacements; hanging ones follow their parents.
template <int dim>
void
get_vertices(const Body<dim> &body, const typename Body<dim>::Cell &cell,
             const NodeTable<dim> &nodes, const double time, std::vector<Tensor<1, dim>> &x,
             std::vector<Tensor<1, dim>> &u)
{
  const auto nodes_of_cell = body.nodes_of_cell(cell);
  x.assign(nodes_of_cell.size(), Tensor<1, dim>());
  u = x;
  for (unsigned int v = 0; v < x.size(); ++v)
  {
    if (nodes_of_cell[v] != numbers::invalid_unsigned_int)
    {
      x[v] = nodes.reference(nodes_of_cell[v]);
      u[v] = nodes.displacement_at(nodes_of_cell[v], time);
    }
    else
      for (const Parent &parent : body.parents_of_vertex(cell, v))
      {
        x[v] += parent.weight * nodes.reference(parent.node);
        u[v] += parent.weight * nodes.displacement_at(parent.node, time);
      }
  }
}
} // namespace

std::string
LargeStrain::text() const
{
  return (turns ? " has turned by " : " is strained by ") + number_text(amount) +
         ". Its linear law is for small strains and turns (" + number_text(strain_limit) +
         " or less): larger ones cause stress that is not there";
}

template <int dim>
std::optional<LargeStrain>
find_large_strain(const Body<dim> &body, const NodeTable<dim> &nodes, const double time)
{
  std::vector<Tensor<1, dim>> x, u;
  for (const auto &cell : body.cells())
  {
    const unsigned int index = cell->active_cell_index();
    if (!body.material(cell)->is_linear() || (body.failure_strain() > 0 && body.is_deleted(index)))
      continue;
    get_vertices(body, cell, nodes, time, x, u);
    const Tensor<2, dim> H = gradient(x, u);
    const double strain = symmetrize(H).norm();
    const double turn = (0.5 * (H - transpose(H))).norm() / std::sqrt(2.);
    if (strain > strain_limit || turn > strain_limit)
      return LargeStrain{index, turn > strain, std::max(turn, strain)};
  }
  return {};
}

template std::optional<LargeStrain> find_large_strain(const Body<2> &, const NodeTable<2> &,
                                                      double);
template std::optional<LargeStrain> find_large_strain(const Body<3> &, const NodeTable<3> &,
                                                      double);
} // namespace KickDrift
