#ifndef KICKDRIFT_CASES_NODE_SELECTION_H
#define KICKDRIFT_CASES_NODE_SELECTION_H

#include <kickdrift/cases/parameters.h>
#include <kickdrift/deal_ii/body.h>

namespace KickDrift
{
/**
 * Nodes of @p body that satisfy @p selection, ascending.
 *
 * Throws dealii::ExceptionBase naming @p section if the body has no such boundary or if no node is
 * selected.
 */
template <int dim>
std::vector<unsigned int> select_nodes(const Body<dim> &body, const NodeTable<dim> &nodes,
                                       const NodeSelection<dim> &selection,
                                       const std::string &section);

/// Throw dealii::ExceptionBase naming @p section unless @p body has boundaries with all these ids.
template <int dim>
void check_boundary_ids(const Body<dim> &body, const std::set<dealii::types::boundary_id> &ids,
                        const std::string &section);
} // namespace KickDrift

#endif
