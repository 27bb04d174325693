#ifndef KICKDRIFT_DEAL_II_TIES_H
#define KICKDRIFT_DEAL_II_TIES_H

#include <kickdrift/deal_ii/body.h>

#include <deal.II/grid/tria.h>

#include <set>
#include <vector>

namespace KickDrift
{
/// Part of the boundary of a body that is tied.
template <int dim>
struct TiedBoundary
{
  Body<dim> *body;                            ///< whose boundary it is
  std::set<dealii::types::boundary_id> ids{}; ///< of its faces; empty: all
};

/// Part of the boundary of a mesh that is to be tied when bodies have been made.
template <int dim>
struct TiedMesh
{
  dealii::Triangulation<dim> *mesh;           ///< whose boundary it is
  std::set<dealii::types::boundary_id> ids{}; ///< of its faces; empty: all
};

/**
 * Two surfaces that are glued: the nodes of the followers are where the faces of the masters put
 * them. The finer mesh should follow.
 *
 * @tparam Side TiedBoundary or TiedMesh
 */
template <typename Side>
struct Tie
{
  std::vector<Side> followers; ///< whose nodes follow faces
  std::vector<Side> masters;   ///< whose faces are followed
  double tolerance = 0.1;      ///< how far nodes may be from a face, of its longest edge [-]
  bool allow_untied = false;   ///< may followers' nodes without such a face stay free?
};

/// What tie() has done.
template <int dim>
struct TieReport
{
  unsigned int n_tied = 0;                  ///< nodes that follow faces now
  unsigned int n_tied_before = 0;           ///< nodes that another tie had tied already
  std::vector<dealii::Point<dim>> untied{}; ///< nodes that found no face [length]
};

/**
 * Tie bodies: nodes on the boundary of the followers become points that follow the corners of the
 * face of the masters that is nearest, with the shape values of the closest point, as hanging nodes
 * follow the nodes of a coarser cell. Forces on them, and their masses, go to these corners, so
 * that momentum and angular momentum are conserved exactly; for the latter they have to lie on the
 * face, see close_gaps(). A motion of the masters that is linear in space is followed exactly.
 *
 * Must come before the nodes of any of the bodies are added (Dynamics::add_body()). A body's own
 * boundary may be tied to another part of it; corners of faces may follow others themselves. A node
 * that is tied already stays where it is.
 *
 * Throws what Body::follow() throws, ExcTieTolerance, ExcTieEmpty, ExcTieToItself, ExcTieGap, and
 * ExcUntied unless untied nodes are allowed.
 */
template <int dim>
TieReport<dim> tie(const Tie<TiedBoundary<dim>> &tie);

/**
 * Move the vertices of meshes that tie() is going to tie onto the faces that they are to follow,
 * all ties together; hanging vertices stay in the middle of what they hang on. Vertices without a
 * face within the tolerance stay where they are.
 *
 * Throws ExcTieTolerance, ExcTieToItself. Returns for each tie how far a vertex has been moved at
 * most [length].
 */
template <int dim>
std::vector<double> close_gaps(const std::vector<Tie<TiedMesh<dim>>> &ties);
} // namespace KickDrift

#endif
