#ifndef KICKDRIFT_CASES_MODEL_NODE_SELECTION_H
#define KICKDRIFT_CASES_MODEL_NODE_SELECTION_H

#include <kickdrift/cases/model/model.h>

#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace KickDrift
{
/// Parts of the boundaries of some bodies: index of each body, and ids; no ids: all of it.
using BoundaryParts = std::vector<std::pair<unsigned int, std::set<dealii::types::boundary_id>>>;

/**
 * The parts that @p boundaries (ids or names) name of the @p chosen ones of the @p bodies. Bodies
 * without such a part are left out, unless all are: then dealii::ExceptionBase is thrown, naming
 * the
 * @p parameter.
 */
template <int dim>
BoundaryParts
boundary_parts(const std::deque<MeshedBody<dim>> &bodies, const std::vector<unsigned int> &chosen,
               const std::vector<std::string> &boundaries, const std::string &parameter);

/**
 * Nodes of the @p chosen ones of the @p bodies that satisfy @p selection, ascending.
 *
 * Throws dealii::ExceptionBase naming @p section if no body has such a boundary or if no node is
 * selected.
 */
template <int dim>
std::vector<unsigned int>
select_nodes(const std::deque<MeshedBody<dim>> &bodies, const std::vector<unsigned int> &chosen,
             const NodeTable<dim> &nodes, const NodeSelection<dim> &selection,
             const std::string &section);

/// The body that has a @p node, which one of them has.
template <int dim>
unsigned int body_of_node(const std::deque<MeshedBody<dim>> &bodies, unsigned int node);

/// Sizes of a body and its cells, all in one pass.
template <int dim>
BodySizes sizes_of(const MeshedBody<dim> &body, const NodeTable<dim> &nodes);

/**
 * Cells of the @p chosen ones of the @p bodies that satisfy @p selection : with a face on the
 * boundary, the centre in the box or nearest to the point. Ordered by body and active cell index.
 *
 * Throws dealii::ExceptionBase naming @p section as select_nodes() does.
 */
template <int dim>
std::vector<CellOfBody>
select_cells(const std::deque<MeshedBody<dim>> &bodies, const std::vector<unsigned int> &chosen,
             const NodeSelection<dim> &selection, const std::string &section);

/// Tied nodes that satisfy @p selection, with the indices of their bodies. None if a single node is
/// asked for, which is then one that is not tied.
template <int dim>
std::vector<std::pair<unsigned int, typename Body<dim>::TiedNode>>
select_tied_nodes(const std::deque<MeshedBody<dim>> &bodies,
                  const std::vector<unsigned int> &chosen, const NodeSelection<dim> &selection,
                  const std::string &section);
} // namespace KickDrift

#endif
