#include <kickdrift/base/messages.h>
#include <kickdrift/cases/model/model.h>
#include <kickdrift/nodes/rigid_motion.h>
#include <kickdrift/potentials/materials/plasticity.h>
#include <kickdrift/potentials/shells/shell_kicks.h>

#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/hp/fe_collection.h>

#include <algorithm>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// The element of all bodies with such cells, and its mapping, which take more memory than small
/// meshes.
template <int dim>
struct Discretization
{
  explicit Discretization(const FiniteElement<dim> &scalar, std::shared_ptr<Mapping<dim>> mapping)
      : element(FESystem<dim>(scalar, dim)), mapping(std::move(mapping))
  {
  }

  const hp::FECollection<dim> element; ///< its copies share it
  const std::shared_ptr<const Mapping<dim>> mapping;
};

template <int dim>
const Discretization<dim> &
discretization(const bool hypercubes)
{
  static const Discretization<dim> of_hypercubes(FE_Q<dim>(1), std::make_shared<MappingQ1<dim>>()),
      of_simplices(FE_SimplexP<dim>(1), std::make_shared<MappingFE<dim>>(FE_SimplexP<dim>(1)));
  return hypercubes ? of_hypercubes : of_simplices;
}
/// From its components xx, yy, zz, xy, xz, yz, of which there are four in two dimensions.
template <int dim>
SymmetricTensor<2, 3>
stress_value(const Function<dim> &function, const Point<dim> &x)
{
  SymmetricTensor<2, 3> stress;
  for (unsigned int d = 0; d < 3; ++d)
    stress[d][d] = function.value(x, d);
  stress[0][1] = function.value(x, 3);
  for (unsigned int d = 0; d < 2 && dim == 3; ++d)
    stress[d][2] = function.value(x, 4 + d);
  return stress;
}

/// States at the start of the points of a body that has been formed.
template <int dim>
auto
hardened_states(const BodyParameters<dim> &parameters)
{
  const std::string name = "Bodies/" + parameters.section + "/Initial plastic strain";
  return [name, function = parameters.initial_plastic_strain,
          failure_strain = parameters.failure_strain](const HistoryMaterial<dim> &material,
                                                      const Point<dim> &x) -> std::vector<double>
  {
    const auto *const plastic = dynamic_cast<const PlasticMaterial<dim> *>(&material);
    if (!plastic)
      return material.initial_state();
    const double strain = function->value(x);
    const std::string what = "'" + name + "' is " + number_text(strain) + " at " + point_text(x);
    AssertThrow(strain >= 0 && std::isfinite(strain),
                ExcMessage(what + "; allowed are finite numbers from 0."));
    AssertThrow(failure_strain == 0 || strain < failure_strain,
                ExcMessage(what + ", where cells fail from 'Failure strain', " +
                           number_text(failure_strain) + ", on."));
    return plastic->hardened_state(strain);
  };
}
} // namespace

template <int dim>
MeshedBody<dim>::MeshedBody(const BodyParameters<dim> &parameters) : dof_handler(triangulation)
{
  if (parameters.mesh.is_shell())
    shell = std::make_unique<MeshedShell>();
  try
  {
    names = shell ? parameters.mesh.make_shell(shell->triangulation)
                  : parameters.mesh.make(triangulation);
  }
  catch (const ExceptionBase &exception)
  {
    AssertThrow(false, ExcMessage("The mesh of body '" + parameters.name +
                                  "' cannot be made: " + message_of(exception)));
  }
}

template <int dim>
void
MeshedBody<dim>::make_body(const BodyParameters<dim> &parameters)
{
  if (shell)
    make_shell(parameters);
  else
    make_solid(parameters);
}

template <int dim>
void
MeshedBody<dim>::forget_mesh()
{
  if (shell || !has_mesh())
    return;
  n_forgotten_cells = n_cells();
  body->forget_mesh();
  dof_handler.clear();
  triangulation = Triangulation<dim>(); // clear() would keep the memory of the vertices
}

template <int dim>
void
MeshedBody<dim>::add_to(Dynamics<dim> &dynamics, const BodyParameters<dim> &parameters,
                        const double resolution)
{
  if (shell)
    shell->moving = &dynamics.add_shell(std::move(shell->made));
  else if (parameters.rigid.is_rigid)
    try
    {
      RigidParameters rigid = parameters.rigid.parameters();
      rigid.resolution = resolution;
      moving = &dynamics.add_rigid_body(std::move(made), rigid);
    }
    catch (const RigidMotion::ExcInertia &exception)
    {
      AssertThrow(false, ExcMessage("'Bodies/" + parameters.section +
                                    "/Rigid inertia': " + message_of(exception)));
    }
  else
    moving = &dynamics.add_body(std::move(made));
}

template <int dim>
void
MeshedBody<dim>::make_solid(const BodyParameters<dim> &parameters)
{
  const auto &linear = discretization<dim>(triangulation.all_reference_cells_are_hyper_cube());
  mapping = linear.mapping;
  dof_handler.distribute_dofs(linear.element);
  try
  {
    made = std::make_unique<Body<dim>>(dof_handler, *mapping, parameters.name,
                                       materials_by_id(parameters), parameters.strain_integration,
                                       parameters.hourglass);
    body = made.get();
    if (parameters.failure_strain > 0)
      body->set_failure_strain(parameters.failure_strain);
    if (parameters.initial_stress)
      body->set_initial_stress([function = parameters.initial_stress](const Point<dim> &x)
                               { return stress_value(*function, x); });
    if (parameters.initial_plastic_strain)
      body->set_initial_states(hardened_states(parameters));
  }
  catch (const typename Mapping<dim>::ExcDistortedMappedCell &exception)
  {
    // deal.II checks in Debug only, and before Body
    AssertThrow(false, ExcMessage("Body '" + parameters.name + "': " + message_of(exception)));
  }
}

template <int dim>
typename Body<dim>::Materials
MeshedBody<dim>::materials_by_id(const BodyParameters<dim> &parameters) const
{
  std::set<types::material_id> present;
  for (const auto &cell : triangulation.active_cell_iterators())
    present.insert(cell->material_id());
  const std::string parameter = "Bodies/" + parameters.name + "/Material/Ids";
  typename Body<dim>::Materials result;
  for (const auto &[word, material] : parameters.materials)
    if (word.empty())
      result[numbers::invalid_material_id] = material;
    else
      for (const auto id : ids_of({word}, names.materials, present, parameter,
                                  "the mesh has no cell with material id"))
        AssertThrow(result.emplace(id, material).second,
                    ExcMessage("'" + parameter + "': the cells of '" + word +
                               "' have another material already."));
  return result;
}

template <int dim>
std::set<types::boundary_id>
MeshedBody<dim>::boundary_ids(const std::vector<std::string> &words,
                              const std::string &parameter) const
{
  const auto ids = all_boundary_ids();
  return ids_of(words, names.boundaries, {ids.begin(), ids.end()}, parameter,
                "body '" + name() + "' has no boundary");
}

template <int dim>
void
MeshedBody<dim>::make_shell(const BodyParameters<dim> &parameters)
{
  shell->mapping = std::make_shared<MappingFE<2, 3>>(FE_SimplexP<2, 3>(1));
  shell->dof_handler.distribute_dofs(FESystem<2, 3>(FE_SimplexP<2, 3>(1), 3));
  const auto present = shell->triangulation.get_boundary_ids();
  const auto ids = [&](const std::vector<std::string> &words, const std::string &parameter)
  {
    return ids_of(words, names.boundaries, {present.begin(), present.end()}, parameter,
                  "body '" + parameters.name + "' has no boundary");
  };
  Shell::ClampedEdges clamped;
  if (!parameters.clamped_boundaries.empty())
  {
    for (const auto id : ids(parameters.clamped_boundaries,
                             "Bodies/" + parameters.section + "/Clamped boundary ids"))
      clamped[id];
    for (const auto &guide : parameters.guides)
      for (const auto id : ids(guide.boundaries, "Restraints/" + guide.restraint + "/Boundary ids"))
        if (clamped.count(id) > 0)
          for (const Tensor<1, dim> &direction : guide.directions)
            clamped[id].push_back(in_space(direction));
  }
  try
  {
    shell->made =
        std::make_unique<Shell>(shell->dof_handler, *shell->mapping, parameters.name,
                                parameters.section_of_shell(), parameters.bending, clamped);
  }
  catch (const ExceptionBase &exception)
  {
    AssertThrow(false, ExcMessage("Body '" + parameters.name + "': " + message_of(exception)));
  }
  shell->body = shell->made.get();
}

template <int dim>
const std::string &
MeshedBody<dim>::name() const
{
  return shell ? shell->body->name() : body->name();
}

template <int dim>
unsigned int
MeshedBody<dim>::first_node() const
{
  return shell ? shell->body->first_node() : body->first_node();
}

template <int dim>
unsigned int
MeshedBody<dim>::n_nodes() const
{
  return shell ? shell->body->n_nodes() : body->n_nodes();
}

template <int dim>
unsigned int
MeshedBody<dim>::n_cells() const
{
  return shell        ? shell->triangulation.n_active_cells()
         : has_mesh() ? triangulation.n_active_cells()
                      : n_forgotten_cells;
}

template <int dim>
bool
MeshedBody<dim>::is_rigid() const
{
  return moving != nullptr && moving->is_rigid();
}

template <int dim>
bool
MeshedBody<dim>::has_stress() const
{
  return has_internal_forces && !is_rigid();
}

template <int dim>
double
MeshedBody<dim>::n_vertices() const
{
  return shell ? shell->body->n_nodes() : triangulation.n_used_vertices();
}

template <int dim>
const std::vector<unsigned int> &
MeshedBody<dim>::first_ids() const
{
  return shell ? shell->moving->first_ids() : moving->first_ids();
}

template <int dim>
std::vector<std::shared_ptr<Kicks<dim>>>
MeshedBody<dim>::strain_kicks() const
{
  if constexpr (dim == 3)
    if (shell)
      return {shell->body->strain_kicks().begin(), shell->body->strain_kicks().end()};
  const auto families = body->strain_kicks();
  return {families.begin(), families.end()};
}

template <int dim>
std::vector<types::boundary_id>
MeshedBody<dim>::all_boundary_ids() const
{
  return shell ? shell->triangulation.get_boundary_ids() : triangulation.get_boundary_ids();
}

template <int dim>
std::vector<unsigned int>
MeshedBody<dim>::boundary_nodes(const std::set<types::boundary_id> &ids) const
{
  return shell ? shell->body->boundary_nodes(ids) : body->boundary_nodes(ids);
}

template struct MeshedBody<2>;
template struct MeshedBody<3>;
} // namespace KickDrift
