#ifndef KICKDRIFT_MESHES_MESH_H
#define KICKDRIFT_MESHES_MESH_H

#include <kickdrift/base/expressions.h>
#include <kickdrift/meshes/mesh_names.h>

#include <deal.II/base/parameter_handler.h>
#include <deal.II/grid/tria.h>

#include <functional>
#include <memory>
#include <string>

namespace KickDrift
{
/**
 * Something that makes a mesh; chosen by name in a parameter file.
 *
 * Derive from it, and register the class with Registry<MeshGenerator<dim>>. The parameters of all
 * generators share one subsection, so entries of the same name have to mean the same.
 */
template <int dim>
class MeshGenerator
{
public:
  virtual ~MeshGenerator() = default;

  /// Declare the parameters in the current subsection.
  static void
  declare_parameters(dealii::ParameterHandler &)
  {
  }
  /// Read the parameters from the current subsection.
  virtual void
  parse_parameters(dealii::ParameterHandler &)
  {
  }

  /// Name of the subsection in messages, "Bodies/left/Mesh".
  void
  set_section(const std::string &name)
  {
    section = name;
  }

  /**
   * Fill the empty @p triangulation; texts of parameters may be expressions of @p constants.
   * Throws dealii::ExceptionBase with a message that says which parameter is wrong and why.
   */
  virtual void make(dealii::Triangulation<dim> &triangulation,
                    const Constants &constants) const = 0;

  /// The same; returns names of parts of the mesh, unless overridden none.
  virtual MeshNames
  make_with_names(dealii::Triangulation<dim> &triangulation, const Constants &constants) const
  {
    make(triangulation, constants);
    return {};
  }

  /// Fill the empty @p triangulation with triangles of the surface, for shells, and say by
  /// manifolds how it is to be refined. Throws unless overridden.
  virtual MeshNames
  make_surface(dealii::Triangulation<2, 3> & /*triangulation*/,
               const Constants & /*constants*/) const
  {
    AssertThrow(false, dealii::ExcMessage("Parameter '" + full_name("Generator") +
                                          "': this generator makes no shells; 'box', 'ball', "
                                          "'cylinder' and 'file' do."));
    return {};
  }

protected:
  /// Full name of a parameter, for messages: "Bodies/left/Mesh/Radius".
  std::string
  full_name(const std::string &parameter) const
  {
    return section.empty() ? parameter : section + "/" + parameter;
  }

private:
  std::string section;
};

/// Throw dealii::ExceptionBase, naming the parameter and its value, for more cells than can be
/// counted, or than the memory can hold.
void check_n_cells(double n_cells, const std::string &parameter, const std::string &value);

/// Register the built-in generators; further calls do nothing.
void register_mesh_generators();

/**
 * A mesh described by parameters: a generator, manifolds of parts of the boundary, global and local
 * refinement, conversion to simplices, a map that moves the vertices, a shift, and material ids by
 * place, in this order.
 */
template <int dim>
class MeshParameters
{
public:
  /// Declare in the current subsection.
  static void declare_parameters(dealii::ParameterHandler &prm);

  /**
   * @param constants that the expressions may use
   * @param section name of the current subsection, for messages
   */
  void parse_parameters(dealii::ParameterHandler &prm, const Constants &constants = {},
                        const std::string &section = "");

  /// Move everything by @p distance, after 'Map' and before material ids are given [length].
  void
  shift_by(const dealii::Tensor<1, dim> &distance)
  {
    shift += distance;
  }

  /**
   * Fill the empty @p triangulation. It has no manifolds afterwards, as the map would not fit them.
   * Throws dealii::ExceptionBase for everything that is wrong with parameters or mesh files, maps
   * that yield something that is not a number, manifolds that do not fit, inverted cells, mixed
   * cell types, empty meshes and simplices that are to be refined locally. Hanging nodes are where
   * straighten_hanging_nodes() puts them.
   *
   * Returns the names that the mesh file has for ids; none for materials if 'Material id' sets
   * these.
   */
  MeshNames make(dealii::Triangulation<dim> &triangulation) const;

  /// Is it the mesh of a shell?
  bool
  is_shell() const
  {
    return shell;
  }

  /// The same for shells: a surface of triangles in space. Throws for anything else.
  MeshNames make_shell(dealii::Triangulation<2, 3> &triangulation) const;

private:
  void refine(dealii::Triangulation<dim> &triangulation) const;
  void refine_locally(dealii::Triangulation<dim> &triangulation) const;
  /// Calculate where the map moves the vertices to.
  std::function<dealii::Point<dim>(const dealii::Point<dim> &)> vertex_map() const;
  void transform(dealii::Triangulation<dim> &triangulation) const;
  template <int cell_dim>
  void set_material_ids(dealii::Triangulation<cell_dim, dim> &triangulation) const;
  std::string full_name(const std::string &parameter) const;

  std::string section;
  Constants constants;
  std::shared_ptr<MeshGenerator<dim>> generator; ///< Generator
  std::string generator_name;
  std::string manifolds;          ///< Manifolds
  unsigned int n_refinements = 0; ///< Refinements
  std::string local_refinements;  ///< Local refinements
  bool simplices = false;         ///< Cell type
  bool shell = false;             ///< Cell type
  std::string map;                ///< Map
  std::string material_id;        ///< Material id
  dealii::Tensor<1, dim> shift;   ///< see shift_by()
};

/**
 * Read a mesh file into the empty @p triangulation. The format follows from the suffix and, where
 * that is not unique, from the content: Gmsh (.msh), Abaqus (.inp), UCD (.inp, .ucd), VTK (.vtk),
 * UNV (.unv), LS-DYNA (.k, .key, .dyn).
 *
 * deal.II's readers trust what a file says about itself, so structure and counts are checked
 * beforehand. Throws dealii::ExceptionBase that names the file, what is wrong with it, and in which
 * line where one is to blame.
 *
 * Instantiated for solids and, with dim = 2 and spacedim = 3, for surfaces in space.
 *
 * Returns names of materials and boundaries: Gmsh's physical groups, Abaqus' sets and surfaces,
 * LS-DYNA's parts and sets of nodes. Of sets of nodes, faces with all nodes in a set belong to it.
 */
template <int dim, int spacedim>
MeshNames read_mesh_file(const std::string &file,
                         dealii::Triangulation<dim, spacedim> &triangulation);
} // namespace KickDrift

#endif
