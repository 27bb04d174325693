#include "mesh_manifolds.h"

#include <kickdrift/base/memory.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/base/registry.h>
#include <kickdrift/meshes/hanging_nodes.h>
#include <kickdrift/meshes/mesh.h>

#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>

#include <cmath>
#include <limits>
#include <sstream>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// What a cell and its share of the nodes take in any run; most take several times as much.
constexpr double least_bytes_per_cell = 500;

/// The smallest signed volume that the edges at a vertex of the cell span.
template <int dim>
double
smallest_vertex_determinant(const typename Triangulation<dim>::active_cell_iterator &cell)
{
  if (cell->reference_cell().is_hyper_cube())
  {
    constexpr unsigned int n = GeometryInfo<dim>::vertices_per_cell;
    Point<dim> vertices[n];
    Tensor<0, dim> forms[n];
    for (unsigned int v = 0; v < n; ++v)
      vertices[v] = cell->vertex(v);
    GeometryInfo<dim>::alternating_form_at_vertices(vertices, forms);
    double result = forms[0];
    for (const double form : forms)
      result = std::min(result, form);
    return result;
  }
  Tensor<2, dim> edges;
  for (unsigned int d = 0; d < dim; ++d)
    edges[d] = cell->vertex(d + 1) - cell->vertex(0);
  return determinant(edges);
}

template <int dim>
void
check_cell_types(const Triangulation<dim> &triangulation)
{
  const auto type = triangulation.begin_active()->reference_cell();
  AssertThrow(type.is_hyper_cube() || type.is_simplex(),
              ExcMessage("The mesh has cells of type " + type.to_string() +
                         "; only hypercubes and simplices are supported."));
  for (const auto &cell : triangulation.active_cell_iterators())
    AssertThrow(cell->reference_cell() == type,
                ExcMessage("The mesh has cells of types " + type.to_string() + " and " +
                           cell->reference_cell().to_string() +
                           "; a body can have only one type."));
}

/// Complains about inverted cells, and before that about @p culprit.
template <int dim>
void
check_orientation(const Triangulation<dim> &triangulation, const std::string &culprit = "")
{
  for (const auto &cell : triangulation.active_cell_iterators())
  {
    const double determinant = smallest_vertex_determinant<dim>(cell);
    const double volume = std::pow(cell->diameter(), dim);
    if (determinant > -1e-10 * volume)
      continue;
    std::ostringstream message;
    message << culprit << "Cell " << cell->active_cell_index() << " with centre (" << cell->center()
            << ") is inverted: the determinant at one of its vertices is " << determinant
            << " but must not be negative.";
    AssertThrow(false, ExcMessage(message.str()));
  }
}

/// The same for what a parameter has done.
template <int dim>
void
check_orientation_after(const Triangulation<dim> &triangulation, const std::string &parameter,
                        const std::string &value)
{
  check_orientation(triangulation,
                    "Parameter '" + parameter + "': '" + value + "' turns cells inside out. ");
}

template <int dim>
void
convert_to_simplices(Triangulation<dim> &triangulation)
{
  if (triangulation.begin_active()->reference_cell().is_simplex())
    return;
  Triangulation<dim> flat, simplices;
  GridGenerator::flatten_triangulation(triangulation, flat);
  GridGenerator::convert_hypercube_to_simplex_mesh(flat, simplices);
  triangulation.clear();
  triangulation.copy_triangulation(simplices);
}
} // namespace

void
check_n_cells(const double n_cells, const std::string &parameter, const std::string &value)
{
  const std::string what = "Parameter '" + parameter + "': with '" + value +
                           "' the mesh would have " + number_text(n_cells) + " cells; ";
  AssertThrow(n_cells < 2e9, ExcMessage(what + "it can have up to 2e9."));
  const double needed = n_cells * least_bytes_per_cell, available = available_memory();
  AssertThrow(needed <= available,
              ExcMessage(what + "these need more than " + number_text(1e-9 * needed) +
                         " GB of memory, of which there are " + number_text(1e-9 * available) +
                         "."));
}

template <int dim>
void
MeshParameters<dim>::declare_parameters(ParameterHandler &prm)
{
  register_mesh_generators();
  prm.declare_entry("Generator", "box", Patterns::Selection(Registry<MeshGenerator<dim>>::names()),
                    "What makes the mesh. " + Registry<MeshGenerator<dim>>::help());
  prm.declare_entry(
      "Cell type", "hypercubes",
      Patterns::Selection(dim == 2 ? "hypercubes|simplices" : "hypercubes|simplices|shell"),
      std::string("Quadrilaterals and hexahedra, or triangles and tetrahedra. The box has "
                  "simplices of its own; other meshes of hypercubes are converted, each into 8 "
                  "triangles or 24 tetrahedra.") +
          (dim == 2 ? ""
                    : " 'shell': triangles in space, which are the middle surface of a shell with "
                      "'Thickness'. A box is its surface, closed, or a plate if it has no extent "
                      "in one direction; a ball is a sphere, divided from an icosahedron; a "
                      "cylinder is its hull, open at the ends; a file has triangles."));
  declare_manifolds<dim>(prm);
  prm.declare_entry("Refinements", "0", Patterns::Integer(0, 20),
                    "Number of global refinements, each of which halves the cells.");
  prm.declare_entry(
      "Local refinements", "", Patterns::Anything(),
      "Expression of x, y, z and the constants whose value at the centre of a cell, before 'Map', "
      "is how many times more the cell is to be halved: 'abs(x - L/2) < 1 ? 2 : 0', or a condition "
      "for once. Neighbours that would be coarser by more than one step are halved, too. Hanging "
      "nodes are moved to the middle of what they hang on. For hypercubes only. Empty: nowhere.");
  prm.declare_entry(
      "Map", "", Patterns::Anything(),
      "Expressions of x, y, z and the constants, separated by semicolons: where a vertex "
      "is moved to, for grading, rotation and the like. Empty: it stays. Units: length.");
  prm.declare_entry(
      "Material id", "", Patterns::Anything(),
      "Expression of x, y, z and the constants whose value at the centre of a cell, where 'Map' "
      "has put it, is the material id of the cell: 'x < L/2 ? 0 : 1'. Empty: as the generator or "
      "the file says, 0 for most generators.");
  Registry<MeshGenerator<dim>>::declare_parameters(prm);
}

template <int dim>
void
MeshParameters<dim>::parse_parameters(ParameterHandler &prm, const Constants &known_constants,
                                      const std::string &section_name)
{
  section = section_name;
  constants = known_constants;
  generator_name = prm.get("Generator");
  generator = Registry<MeshGenerator<dim>>::create(generator_name, prm);
  generator->set_section(section);
  manifolds = prm.get("Manifolds");
  parse_manifolds<dim>(manifolds, full_name("Manifolds"), constants);
  n_refinements = prm.get_integer("Refinements");
  local_refinements = prm.get("Local refinements");
  if (!local_refinements.empty())
    make_function<dim>(local_refinements, 1, full_name("Local refinements"), constants);
  simplices = prm.get("Cell type") == "simplices";
  shell = prm.get("Cell type") == "shell";
  map = prm.get("Map");
  if (!map.empty())
    make_function<dim>(map, dim, full_name("Map"), constants);
  material_id = prm.get("Material id");
  if (!material_id.empty())
    make_function<dim>(material_id, 1, full_name("Material id"), constants);
}

template <int dim>
std::string
MeshParameters<dim>::full_name(const std::string &parameter) const
{
  return section.empty() ? parameter : section + "/" + parameter;
}

template <int dim>
MeshNames
MeshParameters<dim>::make(Triangulation<dim> &triangulation) const
{
  AssertThrow(generator != nullptr, ExcMessage("Call parse_parameters() before making a mesh."));
  MeshNames names = generator->make_with_names(triangulation, constants);
  AssertThrow(triangulation.n_active_cells() > 0,
              ExcMessage("The mesh made by generator '" + generator_name + "' has no cells."));
  check_cell_types(triangulation);
  const std::string name = full_name("Manifolds");
  const auto round_boundaries = parse_manifolds<dim>(manifolds, name, constants);
  if (!round_boundaries.empty())
    check_orientation(triangulation); // what is wrong already is not the fault of manifolds
  attach_manifolds(triangulation, round_boundaries, names, name);
  refine(triangulation);
  refine_locally(triangulation);
  triangulation.reset_all_manifolds();
  triangulation.set_all_manifold_ids(numbers::flat_manifold_id);
  if (simplices)
    convert_to_simplices(triangulation);
  straighten_hanging_nodes(triangulation);
  if (!round_boundaries.empty())
    check_orientation_after(triangulation, name, manifolds);
  if (!map.empty())
    transform(triangulation);
  if (shift.norm() > 0)
    GridTools::shift(shift, triangulation);
  check_orientation(triangulation);
  if (material_id.empty())
    return names;
  set_material_ids(triangulation);
  names.materials.clear();
  return names;
}

template <int dim>
void
MeshParameters<dim>::refine(Triangulation<dim> &triangulation) const
{
  const bool convert = simplices && triangulation.all_reference_cells_are_hyper_cube();
  const double simplices_per_cell = dim == 2 ? 8 : 24;
  check_n_cells(triangulation.n_active_cells() * std::exp2(1. * dim * n_refinements) *
                    (convert ? simplices_per_cell : 1.),
                full_name("Refinements"), std::to_string(n_refinements));
  triangulation.refine_global(n_refinements);
}

template <int dim>
void
MeshParameters<dim>::refine_locally(Triangulation<dim> &triangulation) const
{
  if (local_refinements.empty())
    return;
  const std::string name = full_name("Local refinements");
  AssertThrow(!simplices && triangulation.all_reference_cells_are_hyper_cube(),
              ExcMessage("Parameter '" + name +
                         "': triangles and tetrahedra cannot be refined "
                         "locally; use hypercubes, or leave it empty."));
  const auto function = make_function<dim>(local_refinements, 1, name, constants);
  constexpr int max = 20;
  const auto refinements_at = [&](const Point<dim> &centre)
  {
    const double value = function->value(centre), rounded = std::round(value);
    AssertThrow(std::abs(value - rounded) < 1e-9 && rounded >= 0 && rounded <= max,
                ExcMessage("Parameter '" + name + "': '" + local_refinements + "' is " +
                           number_text(value) + " at the centre " + point_text(centre) +
                           " of a cell; allowed are integers from 0 to " + std::to_string(max) +
                           "."));
    return static_cast<int>(rounded);
  };
  const int first_level = triangulation.n_levels() - 1;
  for (bool is_done = false; !is_done;)
  {
    double n_cells = 0; // once all are refined that are known now
    is_done = true;
    for (const auto &cell : triangulation.active_cell_iterators())
    {
      const int missing = first_level + refinements_at(cell->center()) - cell->level();
      n_cells += std::exp2(dim * std::max(0, missing));
      if (missing <= 0)
        continue;
      cell->set_refine_flag();
      is_done = false;
    }
    check_n_cells(n_cells, name, local_refinements);
    triangulation.execute_coarsening_and_refinement();
  }
}

template <int dim>
MeshNames
MeshParameters<dim>::make_shell(Triangulation<2, 3> &triangulation) const
{
  AssertThrow(generator != nullptr && shell && dim == 3,
              ExcMessage("Shells are made for 'Cell type' = shell, after parse_parameters()."));
  for (const auto &[name, value] :
       {std::pair{"Manifolds", manifolds}, {"Local refinements", local_refinements}})
    AssertThrow(value.empty(), ExcMessage("Parameter '" + full_name(name) +
                                          "' is not for shells, whose triangles are refined "
                                          "globally and stay on spheres and cylinders anyway; "
                                          "leave it empty."));
  MeshNames names = generator->make_surface(triangulation, constants);
  for (const auto &cell : triangulation.active_cell_iterators())
    AssertThrow(cell->reference_cell() == ReferenceCells::Triangle,
                ExcMessage("The mesh has a cell of type " + cell->reference_cell().to_string() +
                           ", number " + std::to_string(cell->active_cell_index()) +
                           "; shells are meshes of triangles."));
  check_n_cells(triangulation.n_active_cells() * std::exp2(2. * n_refinements),
                full_name("Refinements"), std::to_string(n_refinements));
  triangulation.refine_global(n_refinements);
  triangulation.reset_all_manifolds();
  triangulation.set_all_manifold_ids(numbers::flat_manifold_id);
  if constexpr (dim == 3)
  {
    if (!map.empty())
      GridTools::transform(vertex_map(), triangulation);
    if (shift.norm() > 0)
      GridTools::shift(shift, triangulation);
    if (!material_id.empty())
    {
      set_material_ids(triangulation);
      names.materials.clear();
    }
  }
  return names;
}

template <int dim>
std::function<Point<dim>(const Point<dim> &)>
MeshParameters<dim>::vertex_map() const
{
  const std::shared_ptr<Function<dim>> function =
      make_function<dim>(map, dim, full_name("Map"), constants);
  return [this, function](const Point<dim> &vertex)
  {
    Point<dim> moved;
    for (unsigned int d = 0; d < dim; ++d)
      moved[d] = function->value(vertex, d);
    if (!std::isfinite(moved.norm()))
    {
      std::ostringstream message;
      message << "Parameter '" << full_name("Map") << "': '" << map << "' moves the vertex ("
              << vertex << ") to (" << moved << "), which is no point.";
      AssertThrow(false, ExcMessage(message.str()));
    }
    return moved;
  };
}

template <int dim>
void
MeshParameters<dim>::transform(Triangulation<dim> &triangulation) const
{
  GridTools::transform(vertex_map(), triangulation);
  straighten_hanging_nodes(triangulation);
  check_orientation_after(triangulation, full_name("Map"), map);
}

template <int dim>
template <int cell_dim>
void
MeshParameters<dim>::set_material_ids(Triangulation<cell_dim, dim> &triangulation) const
{
  const auto function = make_function<dim>(material_id, 1, full_name("Material id"), constants);
  for (const auto &cell : triangulation.active_cell_iterators())
  {
    const double value = function->value(cell->center());
    const double rounded = std::round(value);
    std::ostringstream place;
    place << cell->center();
    AssertThrow(std::abs(value - rounded) < 1e-9 && rounded >= 0 &&
                    rounded < std::numeric_limits<int>::max(),
                ExcMessage("Parameter '" + full_name("Material id") + "': '" + material_id +
                           "' is " + number_text(value) + " at the centre (" + place.str() +
                           ") of a cell; allowed are integers from 0."));
    cell->set_material_id(static_cast<types::material_id>(rounded));
  }
}

template class MeshParameters<2>;
template class MeshParameters<3>;
} // namespace KickDrift
