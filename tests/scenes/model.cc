#include "scenes/model.h"

#include <kickdrift/deal_ii/dynamics.h>
#include <kickdrift/potentials/loads/loads.h>
#include <kickdrift/potentials/materials/built_in_materials.h>

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/fe/mapping_q1.h>
#include <deal.II/grid/tria.h>

#include <algorithm>
#include <limits>

namespace Scenes
{
namespace
{
template <int dim>
dealii::Tensor<1, dim>
tensor(const Vec<dim> &x)
{
  dealii::Tensor<1, dim> result;
  for (int d = 0; d < dim; ++d)
    result[d] = x[d];
  return result;
}

template <int dim>
Vec<dim>
vec(const dealii::Tensor<1, dim> &x)
{
  Vec<dim> result;
  for (int d = 0; d < dim; ++d)
    result[d] = x[d];
  return result;
}

template <int spacedim>
Vec<3>
vec_in_space(const dealii::Tensor<1, spacedim> &x)
{
  Vec<3> result;
  for (int d = 0; d < spacedim; ++d)
    result[d] = x[d];
  return result;
}

/// A mesh with all that a body needs around it.
template <int dim>
struct Mesh
{
  explicit Mesh(const SceneBody<dim> &body) : dofs(triangulation)
  {
    std::vector<dealii::Point<dim>> points;
    std::vector<dealii::CellData<dim>> cells;
    for (const Part<dim> &part : body.parts)
    {
      for (const auto &vertices : part.cells)
      {
        dealii::CellData<dim> cell(vertices.size());
        for (unsigned int i = 0; i < vertices.size(); ++i)
          cell.vertices[i] = points.size() + vertices[i];
        cells.push_back(cell);
      }
      for (const auto &x : part.vertices)
        points.emplace_back(tensor(x));
    }
    triangulation.create_triangulation(points, cells, dealii::SubCellData());
    if (triangulation.all_reference_cells_are_hyper_cube())
    {
      mapping = std::make_unique<dealii::MappingQ1<dim>>();
      dofs.distribute_dofs(dealii::FESystem<dim>(dealii::FE_Q<dim>(1), dim));
    }
    else
    {
      mapping = std::make_unique<dealii::MappingFE<dim>>(dealii::FE_SimplexP<dim>(1));
      dofs.distribute_dofs(dealii::FESystem<dim>(dealii::FE_SimplexP<dim>(1), dim));
    }
  }

  dealii::Triangulation<dim> triangulation;
  std::unique_ptr<dealii::Mapping<dim>> mapping;
  dealii::DoFHandler<dim> dofs;
};

template <int dim>
std::shared_ptr<const KickDrift::Material<dim>>
material(const SceneBody<dim> &body)
{
  constexpr double poissons_ratio = 0.3;
  if (body.is_linear)
    return std::make_shared<KickDrift::LinearElastic<dim>>(body.density, body.stiffness,
                                                           poissons_ratio);
  return std::make_shared<KickDrift::NeoHookean<dim>>(body.density, body.stiffness, poissons_ratio);
}

/// Displacement of a point of a driven body: about its axis by the angle that has added up.
template <int dim>
dealii::Tensor<1, dim>
drive(const SceneBody<dim> &body, const dealii::Point<dim> &reference, const double time)
{
  const auto turn = KickDrift::Rotation::about(
      time * dealii::Tensor<1, 3>({body.drive_spin[0], body.drive_spin[1], body.drive_spin[2]}));
  const dealii::Tensor<1, dim> arm = reference - dealii::Point<dim>(tensor(body.drive_centre));
  return KickDrift::from_space<dim>(turn.change(KickDrift::in_space<dim>(arm))) +
         time * tensor(body.drive_velocity);
}
} // namespace

template <int dim>
struct Model<dim>::Members
{
  const Scene<dim> &scene;
  const Skin<dim> &skin;
  std::vector<std::unique_ptr<Mesh<dim>>> meshes;
  std::vector<unsigned int> node_of_vertex; ///< of the scene
  std::vector<std::shared_ptr<KickDrift::ConstantLoads<dim>>> weights;
  std::unique_ptr<KickDrift::Dynamics<dim>> dynamics; // refers to the others

  const KickDrift::DynamicBody<dim> &
  body(const unsigned int b) const
  {
    return dynamics->bodies()[b];
  }
  void add_body(unsigned int b);
  void add_gravity(unsigned int b, KickDrift::DynamicBody<dim> &added);
};

template <int dim>
void
Model<dim>::Members::add_body(const unsigned int b)
{
  const SceneBody<dim> &body = scene.bodies[b];
  meshes.push_back(std::make_unique<Mesh<dim>>(body));
  const Mesh<dim> &mesh = *meshes.back();
  auto made = std::make_unique<KickDrift::Body<dim>>(
      mesh.dofs, *mesh.mapping, "body " + std::to_string(b + 1), material(body));
  KickDrift::RigidParameters rigid;
  rigid.is_driven = body.kind == BodyKind::driven;
  rigid.critical_step = body.rigid_step;
  rigid.resolution = scene.end_time / 20; // where nothing moves at the start
  auto &added = body.kind == BodyKind::elastic ? dynamics->add_body(std::move(made))
                                               : dynamics->add_rigid_body(std::move(made), rigid);

  const unsigned int first = node_of_vertex.size();
  node_of_vertex.resize(first + mesh.triangulation.n_vertices());
  for (const auto &cell : added.body().cells())
  {
    const auto nodes = added.body().nodes_of_cell(cell);
    for (unsigned int v = 0; v < nodes.size(); ++v)
      node_of_vertex[first + cell->vertex_index(v)] = nodes[v];
  }
  unsigned int vertex = first;
  std::vector<unsigned int> nodes;
  for (const Part<dim> &part : body.parts)
    for (const auto &velocity : part.velocities)
    {
      const unsigned int node = node_of_vertex[vertex++];
      nodes.push_back(node);
      if (!rigid.is_driven)
        dynamics->nodes().set_velocity(node, tensor(velocity));
    }
  if (rigid.is_driven)
  {
    std::vector<dealii::Tensor<1, dim>> axes;
    for (int d = 0; d < dim; ++d)
      axes.push_back(dealii::Point<dim>::unit_vector(d));
    const auto &table = dynamics->nodes();
    dynamics->stepper().prescribe(nodes, axes,
                                  [&body, &table](const unsigned int node, const double time)
                                  { return drive(body, table.reference(node), time); });
  }
  else if (norm(body.gravity) > 0)
    add_gravity(b, added);
}

/// On the clocks of the cells. Cells of scenes are parallelepipeds and simplices, all of whose
/// vertices have the same share.
template <int dim>
void
Model<dim>::Members::add_gravity(const unsigned int b, KickDrift::DynamicBody<dim> &added)
{
  const SceneBody<dim> &body = scene.bodies[b];
  std::vector<unsigned int> nodes, ids;
  std::vector<dealii::Tensor<1, dim>> forces;
  unsigned int per_kick = 0;
  for (const auto &cell : added.body().cells())
  {
    const auto of_cell = added.body().nodes_of_cell(cell);
    per_kick = of_cell.size();
    const double volume = cell->measure();
    for (const unsigned int node : of_cell)
    {
      nodes.push_back(node);
      forces.push_back(body.density * volume / per_kick * tensor(body.gravity));
    }
    ids.push_back(added.id_of_cell(cell->active_cell_index()));
  }
  weights.push_back(
      std::make_shared<KickDrift::ConstantLoads<dim>>("gravity", per_kick, nodes, forces));
  dynamics->stepper().add_on_clock_of(weights.back(), ids);
}

template <int dim>
Model<dim>::Model(const Scene<dim> &scene, const Skin<dim> &skin, const bool with_contact,
                  const double step_share)
    : m(new Members{scene, skin, {}, {}, {}, {}})
{
  KickDrift::StepperParameters stepping;
  if (scene.one_clock)
    stepping.clocks = KickDrift::Clocks::one;
  stepping.time_step_ratio *= step_share;
  m->dynamics = std::make_unique<KickDrift::Dynamics<dim>>(stepping);
  m->dynamics->on_warning({});
  for (unsigned int b = 0; b < scene.bodies.size(); ++b)
    m->add_body(b);
  if (!with_contact)
    return;
  KickDrift::ContactParameters contact;
  contact.restitution = scene.restitution;
  contact.friction = scene.friction;
  std::vector<KickDrift::Obstacle<dim>> obstacles;
  for (const Plane<dim> &plane : scene.planes)
  {
    KickDrift::Obstacle<dim> obstacle;
    obstacle.name = "plane " + std::to_string(obstacles.size() + 1);
    obstacle.shape = std::make_shared<KickDrift::HalfSpace<dim>>(
        dealii::Point<dim>(tensor(plane.point)), tensor(plane.outward));
    if (norm(plane.velocity) > 0)
    {
      obstacle.displacement = [velocity = tensor(plane.velocity)](const double time)
      { return time * velocity; };
      obstacle.largest_acceleration = 0;
    }
    obstacles.push_back(obstacle);
  }
  m->dynamics->enable_contact(contact, obstacles);
}

template <int dim>
Model<dim>::~Model() = default;

template <int dim>
void
Model<dim>::start()
{
  for (const auto &weight : m->weights)
    weight->begin(m->dynamics->nodes());
  m->dynamics->start();
}

template <int dim>
double
Model<dim>::next_time() const
{
  return m->dynamics->stepper().next_time();
}

template <int dim>
void
Model<dim>::advance_to(const double time)
{
  m->dynamics->advance_to(time);
}

template <int dim>
std::vector<Vec<dim>>
Model<dim>::positions() const
{
  const auto &table = m->dynamics->nodes();
  std::vector<Vec<dim>> result;
  result.reserve(m->node_of_vertex.size());
  for (const unsigned int node : m->node_of_vertex)
    result.push_back(vec<dim>(table.position_at(node, m->dynamics->time())));
  return result;
}

template <int dim>
std::vector<Vec<dim>>
Model<dim>::velocities() const
{
  const auto &table = m->dynamics->nodes();
  std::vector<Vec<dim>> result;
  result.reserve(m->node_of_vertex.size());
  for (const unsigned int node : m->node_of_vertex)
    result.push_back(vec<dim>(table.velocity(node)));
  return result;
}

template <int dim>
std::vector<Vec<dim>>
Model<dim>::momenta() const
{
  const auto &table = m->dynamics->nodes();
  std::vector<Vec<dim>> result(m->skin.n_momenta);
  for (unsigned int p = 0; p < m->skin.pieces.size(); ++p)
  {
    const PieceSkin<dim> &piece = m->skin.pieces[p];
    Vec<dim> &momentum = result[m->skin.momentum_of_piece[p]];
    if (const auto rigid = m->body(piece.body).rigid())
    {
      const auto &motion = table.rigid_bodies.motion(*rigid);
      momentum = vec<dim>(KickDrift::from_space<dim>(motion.momentum));
    }
    else if (!m->skin.is_driven[m->skin.momentum_of_piece[p]])
      for (unsigned int v = piece.first_vertex; v < piece.first_vertex + piece.n_vertices; ++v)
      {
        const unsigned int node = m->node_of_vertex[v];
        momentum = momentum + table.mass(node) * vec<dim>(table.velocity(node));
      }
  }
  return result;
}

template <int dim>
Vec<3>
Model<dim>::angular_momentum() const
{
  const auto &table = m->dynamics->nodes();
  Vec<3> sum;
  for (unsigned int b = 0; b < m->scene.bodies.size(); ++b)
    if (const auto rigid = m->body(b).rigid())
    {
      const auto &bodies = table.rigid_bodies;
      auto motion = bodies.motion(*rigid); // a copy, which may fly on
      motion.advance(m->dynamics->time() - bodies.time_of(*rigid));
      const auto arm = motion.mass().centre + motion.centre_displacement;
      sum = sum + vec_in_space<3>(motion.angular_momentum) +
            cross(vec_in_space<3>(arm), vec_in_space<3>(motion.momentum));
    }
  return sum;
}

template <int dim>
typename Model<dim>::Energies
Model<dim>::energies()
{
  const auto balance = m->dynamics->energy();
  return {balance.kinetic + balance.strain + balance.hourglass - balance.external_work -
              balance.prescribed_work,
          balance.total()};
}

template <int dim>
std::vector<typename Model<dim>::Impulse>
Model<dim>::impulses() const
{
  std::vector<Impulse> result(m->node_of_vertex.size());
  if (const auto *contact = m->dynamics->contact())
  {
    const auto &statistics = contact->statistics();
    for (unsigned int v = 0; v < result.size(); ++v)
    {
      const unsigned int node = m->node_of_vertex[v];
      if (node < statistics.impulse.size())
        result[v].all = vec<dim>(statistics.impulse[node]);
      if (node < statistics.friction_impulse.size())
        result[v].friction = vec<dim>(statistics.friction_impulse[node]);
    }
  }
  return result;
}

template <int dim>
std::uint64_t
Model<dim>::n_collisions() const
{
  const auto *contact = m->dynamics->contact();
  return contact ? contact->statistics().collisions : 0;
}

template <int dim>
double
Model<dim>::mass() const
{
  const auto &table = m->dynamics->nodes();
  double sum = 0;
  for (unsigned int p = 0; p < m->skin.pieces.size(); ++p)
  {
    const PieceSkin<dim> &piece = m->skin.pieces[p];
    if (!m->skin.is_driven[m->skin.momentum_of_piece[p]])
      for (unsigned int v = piece.first_vertex; v < piece.first_vertex + piece.n_vertices; ++v)
        sum += table.mass(m->node_of_vertex[v]);
  }
  return sum;
}

template <int dim>
double
Model<dim>::longest_step() const
{
  const auto &levels = m->dynamics->stepper().levels();
  double longest = 0;
  for (unsigned int id = 0; id < levels.n_kicks(); ++id)
    longest = std::max(longest, levels.step(id));
  return longest;
}

template class Model<2>;
template class Model<3>;
} // namespace Scenes
