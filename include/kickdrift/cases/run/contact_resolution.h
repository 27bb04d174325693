#ifndef KICKDRIFT_CASES_RUN_CONTACT_RESOLUTION_H
#define KICKDRIFT_CASES_RUN_CONTACT_RESOLUTION_H

#include <kickdrift/cases/model/model.h>

#include <string>
#include <vector>

namespace KickDrift
{
/**
 * Notices where contact patches are narrower than two cells of a surface, so that their forces are
 * those of the mesh: a ball that presses with one node is far too stiff.
 *
 * A patch is resolved around a node if all faces of the node that look at the contact are pressed
 * at all of their nodes. So a flat face that lands as a whole is resolved, however few cells it
 * has. A body is resolved if such a node was seen once.
 */
template <int dim>
class ContactResolution
{
public:
  /// @p model, which must have contact, must outlive the object.
  explicit ContactResolution(const Model<dim> &model);

  /// Look at what contact has given to the nodes since the last look.
  void look(const NodeTable<dim> &nodes, const ContactStatistics<dim> &statistics);

  /// Bodies that have been in contact, but never over two cells; in their order. Of bodies that
  /// lose cells nothing is said: their surface is not that of the start.
  std::vector<std::string> unresolved_bodies() const;

  /// Write to, or read from, a checkpoint what has been seen.
  void serialize(Archive &archive);

private:
  using Vector = dealii::Tensor<1, dim>;

  /// What a body was seen to do.
  struct Seen
  {
    unsigned char touching = false; ///< Has it been in contact?
    unsigned char resolved = false; ///< Was a patch two cells wide?
  };

  /// Nodes of @p body, and with them the faces that look against their impulses.
  void look_at(unsigned int body, const NodeTable<dim> &nodes, const std::vector<Vector> &impulse);

  const Surface<dim> surface;                   ///< as it was at the start
  std::vector<unsigned int> surface_nodes;      ///< all, ascending
  CompressedRows<unsigned int> faces_of_node;   ///< by index into surface_nodes
  CompressedRows<unsigned int> indices_of_body; ///< into surface_nodes
  std::vector<Vector> before;                   ///< by index: normal impulse at the last look
  std::vector<Seen> bodies;
};

/// "Contact of body 'ball' was nowhere two cells wide: ...", for unresolved bodies; or empty.
std::string text_of_unresolved(const std::vector<std::string> &bodies);
} // namespace KickDrift

#endif
