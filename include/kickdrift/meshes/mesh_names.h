#ifndef KICKDRIFT_MESHES_MESH_NAMES_H
#define KICKDRIFT_MESHES_MESH_NAMES_H

#include <deal.II/base/types.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace KickDrift
{
/**
 * Names of parts of a mesh, and the ids that stand for each: physical groups of Gmsh; sets and
 * surfaces of Abaqus; parts and sets of nodes of LS-DYNA.
 *
 * Sets may overlap, ids cannot: a name may stand for several ids, and an id belong to several
 * names. Where sets have split what the file gives one id, that id as a name, "3", stands for all
 * of its parts.
 */
struct MeshNames
{
  /// Ids that a name stands for.
  template <typename Id>
  using IdsByName = std::map<std::string, std::set<Id>>;

  IdsByName<dealii::types::boundary_id> boundaries; ///< names of parts of the boundary
  IdsByName<dealii::types::material_id> materials;  ///< names of groups of cells
};

/**
 * The ids that @p words stand for: names, or ids as numbers.
 *
 * @param present ids that the mesh has
 * @param parameter for messages, "Loads/push/Boundary ids"
 * @param what the ids belong to, for messages, "body 'left' has no boundary"
 *
 * Throws dealii::ExceptionBase, naming the parameter, for words that are neither and for ids that
 * are not present; the message lists what there is.
 */
std::set<unsigned int> ids_of(const std::vector<std::string> &words,
                              const MeshNames::IdsByName<unsigned int> &names,
                              const std::set<unsigned int> &present, const std::string &parameter,
                              const std::string &what);
} // namespace KickDrift

#endif
