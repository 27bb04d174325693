#include <kickdrift/base/archive_checks.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/cases/run/strain_warning.h>

#include <cmath>

namespace KickDrift
{
using namespace dealii;

namespace
{
// A turn by an angle makes a strain of half its square that is not there. Measures of strain differ
// by half its square, too, which is a tenth of a strain of this size.
constexpr double largest_turn = 0.1, largest_strain = 0.2;

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
             const NodeTable<dim> &nodes, std::vector<Tensor<1, dim>> &x,
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
      u[v] = nodes.displacement(nodes_of_cell[v]);
    }
    else
      for (const Parent &parent : body.parents_of_vertex(cell, v))
      {
        x[v] += parent.weight * nodes.reference(parent.node);
        u[v] += parent.weight * nodes.displacement(parent.node);
      }
  }
}
} // namespace

template <int dim>
void
StrainWarning<dim>::look(const NodeTable<dim> &nodes, const double time)
{
  if (!model.parameters.stepping.strain)
    return;
  for (const auto &meshed : model.bodies)
    if (meshed.body && meshed.has_mesh() &&
        !meshed.is_rigid()) // the law of shells holds for turns of any size
      warned = warned || look(meshed, nodes, time);
}

template <int dim>
bool
StrainWarning<dim>::look(const MeshedBody<dim> &meshed, const NodeTable<dim> &nodes,
                         const double time)
{
  const Body<dim> &body = *meshed.body;
  std::vector<Tensor<1, dim>> x, u;
  for (const auto &cell : body.cells())
  {
    if (!body.material(cell)->is_linear() ||
        (body.failure_strain() > 0 && body.is_deleted(cell->active_cell_index())))
      continue;
    get_vertices(body, cell, nodes, x, u);
    const Tensor<2, dim> H = gradient(x, u);
    const double strain = symmetrize(H).norm();
    const double turn = (0.5 * (H - transpose(H))).norm() / std::sqrt(2.);
    if (!(strain > largest_strain || turn > largest_turn))
      continue;
    const bool turns = turn / largest_turn > strain / largest_strain;
    out << "\nWarning: at time " << number_text(time) << " "
        << model.cell_text(model.id_of_cell(meshed, cell->active_cell_index()))
        << (turns ? " has turned by " : " is strained by ") << number_text(turns ? turn : strain)
        << ". Its linear law is for small strains (0.2) and turns (0.1): larger ones cause "
           "stress that is not there; 'Bodies/"
        << body.name() << "/Material/Model' = neo-Hookean has no such limit.\n";
    return true;
  }
  return false;
}

template <int dim>
void
StrainWarning<dim>::serialize(Archive &archive)
{
  archive(warned);
  check_state(is_flag(warned), "watch");
}

template class StrainWarning<2>;
template class StrainWarning<3>;
} // namespace KickDrift
