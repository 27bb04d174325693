#ifndef KICKDRIFT_CASES_MODEL_NODE_SELECTION_H
#define KICKDRIFT_CASES_MODEL_NODE_SELECTION_H

#include <kickdrift/cases/model/model.h>

namespace KickDrift
{
/**
 * Nodes of @p body that satisfy @p selection, ascending.
 *
 * Throws dealii::ExceptionBase naming @p section if the body has no such boundary or if no node is
 * selected.
 */
template <int dim>
std::vector<unsigned int> select_nodes(const MeshedBody<dim> &body, const NodeTable<dim> &nodes,
                                       const NodeSelection<dim> &selection,
                                       const std::string &section);
} // namespace KickDrift

#endif
