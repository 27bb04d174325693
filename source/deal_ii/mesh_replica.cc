#include <kickdrift/deal_ii/cell_geometry.h>
#include <kickdrift/deal_ii/mesh_replica.h>

#include <deal.II/fe/fe_values.h>
#include <deal.II/grid/tria_description.h>

#include <algorithm>
#include <map>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// Writes and reads what travels as numbers.
class Numbers
{
public:
  template <typename T>
  void
  put(const T number)
  {
    numbers.push_back(number);
  }

  template <typename T>
  T
  take()
  {
    return T(numbers[n_taken++]);
  }

  bool
  is_empty() const
  {
    return n_taken == numbers.size();
  }

  std::vector<double> numbers;

private:
  std::size_t n_taken = 0;
};

constexpr int none = -1; ///< no vertex, no boundary

/// Throws for cells that are inverted or curved by the mapping.
template <int dim>
class LinearityCheck
{
public:
  LinearityCheck(const DoFHandler<dim> &dof_handler, const Mapping<dim> &mapping,
                 const std::string &body)
      : geometry(dof_handler, mapping, body),
        fe_values(mapping, dof_handler.get_fe().base_element(0),
                  cell_quadrature<dim>(dof_handler.get_fe().reference_cell().is_hyper_cube()),
                  update_inverse_jacobians)
  {
  }

  void
  operator()(const typename DoFHandler<dim>::active_cell_iterator &cell)
  {
    geometry.jacobians(cell);
    fe_values.reinit(typename Triangulation<dim>::active_cell_iterator(cell));
    for (const unsigned int q : fe_values.quadrature_point_indices())
      geometry.check_linear(Tensor<2, dim>(fe_values.inverse_jacobian(q)), q);
  }

private:
  CellGeometry<dim, dim> geometry;
  FEValues<dim> fe_values;
};
} // namespace

/// A locally owned cell, or one that another process owns.
template <int dim>
struct MeshReplica<dim>::Cell
{
  /// What is at a vertex.
  struct Vertex
  {
    Point<dim> position;
    std::vector<DoFIndex> dofs; ///< given
    int coarse_vertex;          ///< the vertex of the coarse cell that it is; else none
  };

  types::coarse_cell_id coarse_cell;
  std::vector<unsigned int> children; ///< the way from the coarse cell
  types::material_id material;
  std::vector<Vertex> vertices;
  std::vector<int> boundaries; ///< boundary id by face; none within the mesh

  bool
  operator<(const Cell &other) const
  {
    return std::tie(coarse_cell, children) < std::tie(other.coarse_cell, other.children);
  }

  Cell(const typename DoFHandler<dim>::active_cell_iterator &cell, const Mapping<dim> &mapping);
  explicit Cell(Numbers &numbers);
  void write(Numbers &numbers) const;
};

template <int dim>
MeshReplica<dim>::Cell::Cell(const typename DoFHandler<dim>::active_cell_iterator &cell,
                             const Mapping<dim> &mapping)
    : coarse_cell(cell->id().get_coarse_cell_id()), material(cell->material_id())
{
  const CellId id = cell->id();
  const auto path = id.get_child_indices();
  children.assign(path.begin(), path.end());
  typename DoFHandler<dim>::cell_iterator coarse = cell;
  while (coarse->level() > 0)
  {
    coarse = coarse->parent();
    AssertThrow(coarse->refinement_case() == RefinementCase<dim>::isotropic_refinement,
                ExcMessage("Cell " + coarse->id().to_string() +
                           " is refined along some directions only, which meshes that are divided "
                           "among processes must not be; refine it along all."));
  }
  const auto positions = mapping.get_vertices(cell);
  for (const unsigned int v : cell->vertex_indices())
  {
    Vertex vertex{positions[v], {}, none};
    for (unsigned int c = 0; c < cell->get_fe().n_components(); ++c)
      vertex.dofs.push_back(cell->vertex_dof_index(v, c));
    for (const unsigned int w : coarse->vertex_indices())
      if (coarse->vertex_index(w) == cell->vertex_index(v))
        vertex.coarse_vertex = w;
    vertices.push_back(std::move(vertex));
  }
  for (const unsigned int f : cell->face_indices())
    boundaries.push_back(cell->at_boundary(f) ? int(cell->face(f)->boundary_id()) : none);
}

template <int dim>
MeshReplica<dim>::Cell::Cell(Numbers &numbers)
{
  coarse_cell = numbers.take<types::coarse_cell_id>();
  children.resize(numbers.take<std::size_t>());
  for (auto &child : children)
    child = numbers.take<unsigned int>();
  material = numbers.take<types::material_id>();
  vertices.resize(numbers.take<std::size_t>());
  for (Vertex &vertex : vertices)
  {
    for (unsigned int d = 0; d < dim; ++d)
      vertex.position[d] = numbers.take<double>();
    vertex.dofs.resize(numbers.take<std::size_t>());
    for (auto &dof : vertex.dofs)
      dof = numbers.take<DoFIndex>();
    vertex.coarse_vertex = numbers.take<int>();
  }
  boundaries.resize(numbers.take<std::size_t>());
  for (int &boundary : boundaries)
    boundary = numbers.take<int>();
}

template <int dim>
void
MeshReplica<dim>::Cell::write(Numbers &numbers) const
{
  numbers.put(coarse_cell);
  numbers.put(children.size());
  for (const auto child : children)
    numbers.put(child);
  numbers.put(material);
  numbers.put(vertices.size());
  for (const Vertex &vertex : vertices)
  {
    for (unsigned int d = 0; d < dim; ++d)
      numbers.put(vertex.position[d]);
    numbers.put(vertex.dofs.size());
    for (const auto dof : vertex.dofs)
      numbers.put(dof);
    numbers.put(vertex.coarse_vertex);
  }
  numbers.put(boundaries.size());
  for (const int boundary : boundaries)
    numbers.put(boundary);
}

template <int dim>
MeshReplica<dim>::MeshReplica(const DoFHandler<dim> &given, const Mapping<dim> &mapping,
                              const std::string &body, std::shared_ptr<Ranks> the_ranks)
    : body(body),
      given_dofs(given),
      given_exists(given),
      ranks(the_ranks ? std::move(the_ranks) : std::make_shared<Ranks>()),
      mesh_has_changed(std::make_shared<bool>(false)),
      on_mesh_change(given.get_triangulation().signals.any_change.connect(
          [changed = mesh_has_changed] { *changed = true; }))
{
  const unsigned int n = n_processes(given.get_triangulation());
  AssertThrow(n == ranks->size(), ExcProcesses(body, n, ranks->size()));

  auto cells = gather_cells(given, mapping);
  std::sort(cells.begin(), cells.end());
  make_coarse_mesh(cells);
  const auto replicas = refine(cells);
  dofs.reinit(triangulation);
  dofs.distribute_dofs(given.get_fe());
  linear_mapping = given.get_fe().reference_cell().template get_default_mapping<dim>(1);
  match_dofs(given, cells, replicas);
  match_cells(given, mapping, cells, replicas);
}

template <int dim>
std::vector<typename MeshReplica<dim>::Cell>
MeshReplica<dim>::gather_cells(const DoFHandler<dim> &given, const Mapping<dim> &mapping) const
{
  Numbers numbers;
  try
  {
    check_discretization(given, mapping, body);
    LinearityCheck<dim> check(given, mapping, body);
    for (const auto &cell : given.active_cell_iterators())
      if (cell->is_locally_owned())
      {
        check(cell);
        Cell(cell, mapping).write(numbers);
      }
  }
  catch (const std::exception &exception)
  {
    ranks->fail(exception); // the others may see nothing wrong
    throw;
  }
  numbers.numbers = ranks->gather(numbers.numbers);
  std::vector<Cell> cells;
  while (!numbers.is_empty())
    cells.emplace_back(numbers);
  return cells;
}

template <int dim>
void
MeshReplica<dim>::make_coarse_mesh(const std::vector<Cell> &cells)
{
  std::map<DoFIndex, unsigned int> vertex_of_dof;
  std::vector<Point<dim>> vertices;
  std::map<types::coarse_cell_id, dealii::CellData<dim>> coarse_cells;
  for (const Cell &cell : cells)
  {
    dealii::CellData<dim> &coarse =
        coarse_cells.try_emplace(cell.coarse_cell, cell.vertices.size()).first->second;
    for (const auto &vertex : cell.vertices)
    {
      if (vertex.coarse_vertex == none)
        continue;
      const auto [entry, is_new] = vertex_of_dof.emplace(vertex.dofs[0], vertices.size());
      if (is_new)
        vertices.push_back(vertex.position);
      coarse.vertices[vertex.coarse_vertex] = entry->second;
    }
  }
  std::vector<dealii::CellData<dim>> in_order;
  for (const auto &entry : coarse_cells)
    in_order.push_back(entry.second);
  triangulation.create_triangulation(vertices, in_order, SubCellData());
}

template <int dim>
typename MeshReplica<dim>::Replicas
MeshReplica<dim>::refine(const std::vector<Cell> &cells)
{
  std::vector<typename Triangulation<dim>::cell_iterator> replicas;
  auto coarse = triangulation.begin(0);
  for (unsigned int i = 0; i < cells.size(); ++i)
  {
    if (i > 0 && cells[i].coarse_cell != cells[i - 1].coarse_cell)
      ++coarse;
    replicas.push_back(coarse);
  }
  // level by level: no level asks for more refinement than the mesh itself has
  for (bool is_done = false; !is_done;)
  {
    is_done = true;
    const auto is_above = [&](const unsigned int i)
    { return cells[i].children.size() > static_cast<unsigned int>(replicas[i]->level()); };
    for (unsigned int i = 0; i < cells.size(); ++i)
      if (is_above(i) && replicas[i]->is_active())
        replicas[i]->set_refine_flag();
    triangulation.execute_coarsening_and_refinement();
    for (unsigned int i = 0; i < cells.size(); ++i)
      if (is_above(i))
      {
        replicas[i] = replicas[i]->child(cells[i].children[replicas[i]->level()]);
        is_done = is_done && !is_above(i);
      }
  }
  AssertThrow(triangulation.n_active_cells() == cells.size(), ExcInternalError());

  Replicas result;
  for (unsigned int i = 0; i < cells.size(); ++i)
  {
    const auto &replica = replicas[i];
    replica->set_material_id(cells[i].material);
    for (const unsigned int v : replica->vertex_indices())
      replica->vertex(v) = cells[i].vertices[v].position;
    for (const unsigned int f : replica->face_indices())
    {
      AssertThrow(replica->at_boundary(f) == (cells[i].boundaries[f] != none), ExcInternalError());
      if (replica->at_boundary(f))
        replica->face(f)->set_boundary_id(cells[i].boundaries[f]);
    }
    result.emplace_back(&triangulation, replica->level(), replica->index(), &dofs);
  }
  return result;
}

template <int dim>
void
MeshReplica<dim>::match_cells(const DoFHandler<dim> &given, const Mapping<dim> &mapping,
                              const std::vector<Cell> &cells, const Replicas &replicas)
{
  n_given_cells = given.get_triangulation().n_active_cells();
  for (const auto &cell : given.active_cell_iterators())
    if (cell->is_locally_owned())
    {
      const auto same = std::lower_bound(cells.begin(), cells.end(), Cell(cell, mapping));
      owned_cells.emplace_back(cell->active_cell_index(),
                               replicas[same - cells.begin()]->active_cell_index());
      given_cells.push_back(cell);
    }
  checksum_of_dofs = dof_checksum(given, given_cells);
}

template <int dim>
std::vector<double>
MeshReplica<dim>::scatter_cells(const std::vector<double> &whole, const unsigned int n) const
{
  std::vector<double> result(std::size_t(n_given_cells) * n);
  for (const auto &[given, replica] : owned_cells)
    std::copy_n(whole.begin() + std::size_t(replica) * n, n,
                result.begin() + std::size_t(given) * n);
  return result;
}

template <int dim>
void
MeshReplica<dim>::match_dofs(const DoFHandler<dim> &given, const std::vector<Cell> &cells,
                             const Replicas &replicas)
{
  std::vector<DoFIndex> of_given(given.n_dofs(), numbers::invalid_dof_index);
  for (unsigned int i = 0; i < cells.size(); ++i)
    for (const unsigned int v : replicas[i]->vertex_indices())
      for (unsigned int c = 0; c < cells[i].vertices[v].dofs.size(); ++c)
      {
        DoFIndex &dof = of_given[cells[i].vertices[v].dofs[c]];
        AssertThrow(dof == numbers::invalid_dof_index || dof == replicas[i]->vertex_dof_index(v, c),
                    ExcInternalError());
        dof = replicas[i]->vertex_dof_index(v, c);
      }
  AssertThrow(dofs.n_dofs() == given.n_dofs(), ExcInternalError());

  const IndexSet &locally_owned = given.locally_owned_dofs();
  owned.assign(locally_owned.begin(), locally_owned.end());
  for (const DoFIndex dof : owned)
    of_owned.push_back(of_given[dof]);
  const auto all = ranks->gather({of_owned.begin(), of_owned.end()});
  of_all.assign(all.begin(), all.end());
}

template <int dim>
std::vector<typename MeshReplica<dim>::Constraint>
MeshReplica<dim>::gather(const AffineConstraints<double> &given) const
{
  check_dofs();
  Numbers numbers;
  for (std::size_t i = 0; i < owned.size(); ++i)
    if (given.is_constrained(owned[i]))
    {
      numbers.put(of_owned[i]);
      numbers.put(owned[i]);
      numbers.put(given.get_constraint_entries(owned[i])->empty() &&
                  given.get_inhomogeneity(owned[i]) == 0);
    }
  // all processes are told of what only one of them may have
  for (const auto &line : given.get_lines())
    if (line.index >= dofs.n_dofs())
    {
      numbers.put(line.index);
      numbers.put(line.index);
      numbers.put(false);
    }
  numbers.numbers = ranks->gather(numbers.numbers);
  std::vector<Constraint> constraints;
  while (!numbers.is_empty())
  {
    const auto dof = numbers.take<DoFIndex>(), given_dof = numbers.take<DoFIndex>();
    constraints.push_back({dof, given_dof, numbers.take<bool>()});
  }
  return constraints;
}

template <int dim>
void
MeshReplica<dim>::check_mesh() const
{
  AssertThrow(!*mesh_has_changed, ExcMeshChanged(body));
  AssertThrow(given_exists, ExcDestroyed(body, "DoFHandler"));
}

template <int dim>
void
MeshReplica<dim>::check_dofs() const
{
  check_mesh();
  // a process without cells sees nothing
  AssertThrow(!ranks->any(dof_checksum(given_dofs, given_cells) != checksum_of_dofs),
              ExcDoFsChanged(body));
}

template class MeshReplica<2>;
template class MeshReplica<3>;
} // namespace KickDrift
