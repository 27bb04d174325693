#include "cell_family.h"
#include "history_data.h"
#include "one_point_cell.h"

#include <kickdrift/potentials/materials/packed_number.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace KickDrift
{
using namespace CellKernels;
static_assert(PackedNumber::size == n_lanes, "materials and kernels share the size of a pack");

// The kernels see node lines as eight numbers.
static_assert(offsetof(NodeState, displacement) == 0 &&
              offsetof(NodeState, time) == 3 * sizeof(double) &&
              offsetof(NodeState, velocity) == 4 * sizeof(double) &&
              offsetof(NodeState, inverse_mass) == 7 * sizeof(double));

namespace
{
template <int dim>
void
stress_of_batch(const void *material, const unsigned int lanes, const double *gradients,
                double *stresses)
{
  static_cast<const Material<dim> *>(material)->stresses(lanes, gradients, stresses);
}

template <int dim>
void
energy_of_batch(const void *material, const unsigned int lanes, const double *gradients,
                double *energies)
{
  static_cast<const Material<dim> *>(material)->energy_densities(lanes, gradients, energies);
}

Law
law_of(const BuiltInLaw law)
{
  switch (law)
  {
  case BuiltInLaw::linear_elastic:
    return Law::linear_elastic;
  case BuiltInLaw::st_venant_kirchhoff:
    return Law::st_venant_kirchhoff;
  case BuiltInLaw::neo_hookean:
    return Law::neo_hookean;
  case BuiltInLaw::none:
    break;
  }
  return Law::by_material;
}

template <int dim>
LawData
law_data(const Material<dim> &material, const HourglassData &hourglass)
{
  const auto lame = material.lame();
  return {
      lame.first, lame.second,           &material, &stress_of_batch<dim>, &energy_of_batch<dim>,
      hourglass,  history_data(material)};
}

const double *
lines(const NodeState *nodes)
{
  return reinterpret_cast<const double *>(nodes);
}

/// What the kernels expect inverse Jacobians of tensor-product cells to be multiplied with.
template <int dim>
double
jacobian_scale(const Geometry geometry)
{
  return geometry == Geometry::simplex ? 1. : 1. / (1 << (dim - 1));
}
} // namespace

template <int dim>
CellFamily<dim>::CellFamily(const CellData<dim> &cells, std::vector<unsigned int> cells_of_family,
                            const Geometry geometry, std::shared_ptr<const Material<dim>> material,
                            const HourglassData &hourglass, const Scheme the_scheme)
    : the_material(std::move(material)),
      members(std::move(cells_of_family)),
      geometry(geometry),
      nodes_per_cell(cells.nodes_per_cell),
      one_point(hourglass.kind != HourglassKind::none),
      points_per_cell(one_point ? 1 : cells.points_per_cell),
      kernels(select_kernels()),
      kernel(needs_history_kernels(*the_material, the_scheme)
                 ? select_history_kernels().kernel(dim, geometry, history_law_of(*the_material),
                                                   the_scheme)
                 : kernels.kernel(dim, geometry, law_of(the_material->built_in_law()), one_point)),
      law(law_data(*the_material, hourglass)),
      scheme(the_scheme),
      with_history(dynamic_cast<const HistoryMaterial<dim> *>(the_material.get())),
      schedule(kernel.n_geometry, nodes_per_cell),
      tangent(reference_tangent(*the_material))
{
  std::vector<double> numbers(kernel.n_geometry);
  schedule.reserve(members.size());
  for (const unsigned int cell : members)
  {
    store_geometry(cells, cell, numbers);
    schedule.add(numbers.data(), &cells.nodes[std::size_t(cell) * nodes_per_cell]);
  }
  schedule.finish();
  store_masses(cells);
  if (needs_history_kernels(*the_material, scheme))
    history = std::make_unique<CellHistory>(with_history ? with_history->initial_state()
                                                         : std::vector<double>(),
                                            points_per_cell, members.size());
  for (unsigned int k = 0; k < members.size() && !cells.initial_states.empty(); ++k)
    history->set_state(k, &cells.initial_states[members[k] * history->size_of_cell()]);
}

template <int dim>
bool
CellFamily<dim>::needs_history_kernels(const Material<dim> &material, const Scheme scheme)
{
  return scheme == Scheme::mean_dilatation ||
         dynamic_cast<const HistoryMaterial<dim> *>(&material) != nullptr;
}

template <int dim>
void
CellFamily<dim>::store_geometry(const CellData<dim> &cells, const unsigned int cell,
                                std::vector<double> &numbers) const
{
  if (one_point)
  {
    numbers = OnePointCell<dim>(cells, cell).numbers(geometry);
    return;
  }
  const std::size_t first = std::size_t(cell) * points_per_cell;
  const unsigned int n_stored = geometry == Geometry::general ? points_per_cell : 1;
  unsigned int n = 0;
  for (unsigned int q = 0; q < n_stored; ++q)
  {
    const auto J = jacobian_scale<dim>(geometry) * cells.inverse_jacobians[first + q];
    for (unsigned int i = 0; i < dim; ++i)
      for (unsigned int j = 0; j < dim; ++j)
        if (geometry != Geometry::box || i == j)
          numbers[n++] = J[i][j];
    numbers[n++] = cells.weights[first + q];
  }
}

template <int dim>
void
CellFamily<dim>::store_masses(const CellData<dim> &cells)
{
  const auto mass_of = [&](const unsigned int cell, const unsigned int node)
  { return cells.masses[std::size_t(cell) * nodes_per_cell + node]; };
  bool uniform = true;
  for (const unsigned int cell : members)
    for (unsigned int a = 1; a < nodes_per_cell; ++a)
      uniform = uniform && std::abs(mass_of(cell, a) - mass_of(cell, 0)) < 1e-10 * mass_of(cell, 0);
  const unsigned int n_stored = uniform ? 1 : nodes_per_cell;
  masses.reserve(members.size() * std::size_t(n_stored));
  for (const unsigned int cell : members)
    for (unsigned int a = 0; a < n_stored; ++a)
      masses.push_back(mass_of(cell, a));
}

template <int dim>
void
CellFamily<dim>::own_masses(const unsigned int k, std::vector<double> &result) const
{
  if (masses.size() == members.size())
    result.assign(nodes_per_cell, masses[k]);
  else
    result.assign(&masses[std::size_t(k) * nodes_per_cell],
                  &masses[std::size_t(k) * nodes_per_cell] + nodes_per_cell);
}

template <int dim>
typename CellFamily<dim>::Numbers
CellFamily<dim>::numbers(const unsigned int slot) const
{
  check_held(slot);
  Numbers result(kernel.n_geometry);
  for (unsigned int i = 0; i < result.size(); ++i)
    result[i] = schedule.batches().geometry_of(slot, i);
  return result;
}

template <int dim>
dealii::Tensor<2, dim>
CellFamily<dim>::inverse_jacobian(const Numbers &numbers, const unsigned int point) const
{
  const unsigned int first = geometry == Geometry::general ? (dim * dim + 1) * point : 0;
  dealii::Tensor<2, dim> J;
  for (unsigned int i = 0; i < dim; ++i)
    for (unsigned int j = 0; j < dim; ++j)
      if (geometry != Geometry::box)
        J[i][j] = numbers[first + dim * i + j];
      else if (i == j)
        J[i][i] = numbers[i];
  return J / jacobian_scale<dim>(geometry);
}

template <int dim>
std::vector<typename CellFamily<dim>::Vector>
CellFamily<dim>::gradients(const Numbers &numbers, const unsigned int point) const
{
  if (!one_point)
    return shape_gradients<dim>(nodes_per_cell, point, inverse_jacobian(numbers, point));
  const auto mean = OnePointCell<dim>(geometry, numbers).mean_gradients;
  return {mean.begin(), mean.end()};
}

template <int dim>
dealii::Tensor<2, dim>
CellFamily<dim>::displacement_gradient(const unsigned int slot, const Numbers &numbers,
                                       const unsigned int point, const NodeTable<dim> &nodes) const
{
  const unsigned int *cell_nodes = schedule.batches().nodes_of(slot);
  const auto gradient = [&](const std::vector<Vector> &shape)
  {
    dealii::Tensor<2, dim> H;
    for (unsigned int a = 0; a < nodes_per_cell; ++a)
      H += outer_product(nodes.displacement(cell_nodes[a]), shape[a]);
    return H;
  };
  return one_point ? gradient(gradients(numbers, point))
                   : gradient(reference_gradients<dim>(nodes_per_cell, point)) *
                         inverse_jacobian(numbers, point);
}

template <int dim>
double
CellFamily<dim>::weight(const Numbers &numbers, const unsigned int point) const
{
  if (one_point && geometry == Geometry::general)
    return numbers[(nodes_per_cell - 1) * dim];
  const unsigned int last = geometry == Geometry::box ? dim : dim * dim;
  const unsigned int first = geometry == Geometry::general ? (last + 1) * point : 0;
  return numbers[first + last];
}

/// A length that says how large the cell is.
template <int dim>
double
CellFamily<dim>::size(const unsigned int slot) const
{
  double square = 0;
  for (const Vector &gradient : gradients(numbers(slot), 0))
    square += gradient.norm_square();
  return 1 / std::sqrt(square);
}

template <int dim>
std::vector<unsigned int>
CellFamily<dim>::support(const unsigned int k) const
{
  const unsigned int *nodes = schedule.batches().nodes_of(schedule.slot(k));
  return {nodes, nodes + nodes_per_cell};
}

template <int dim>
void
CellFamily<dim>::use_threads(const std::shared_ptr<Threads> &threads, const NodeTable<dim> &nodes)
{
  this->threads = threads;
  schedule.use_threads(threads,
                       [&nodes](const unsigned int node)
                       {
                         std::array<double, 3> position = {{0, 0, 0}};
                         for (unsigned int d = 0; d < dim; ++d)
                           position[d] = nodes.reference(node)[d];
                         return position;
                       });
}

template <int dim>
void
CellFamily<dim>::assign_clocks(const std::vector<unsigned int> &clock_of_kick,
                               const unsigned int n_clocks)
{
  AssertThrow(clock_of_kick.size() == n_kicks(),
              dealii::ExcDimensionMismatch(clock_of_kick.size(), n_kicks()));
  std::vector<double> states; // of those that stay
  const auto stays = [this](const unsigned int k) { return elsewhere.empty() || !elsewhere[k]; };
  for (unsigned int k = 0; k < n_kicks() && has_history(); ++k)
    if (stays(k))
    {
      const auto state = history->state(schedule.slot(k));
      states.insert(states.end(), state.begin(), state.end());
    }
  schedule.assign(clock_of_kick, n_clocks, n_clocks - has_last_clock_elsewhere, elsewhere);
  if (history)
    history->resize(schedule.batches().n_complete());
  const double *next = states.data();
  for (unsigned int k = 0; k < n_kicks() && has_history(); ++k)
    if (stays(k))
    {
      history->set_state(schedule.slot(k), next);
      next += history->size_of_cell();
    }
  elsewhere.clear();
  elsewhere.shrink_to_fit();
  if (deletion)
    deletion->by_clock.assign(clock_of_kick, n_clocks);
}

template <int dim>
void
CellFamily<dim>::change_clock(const unsigned int k, const unsigned int clock)
{
  schedule.change_clock(k, clock);
  if (deletion)
    deletion->by_clock.change(k, clock);
}

template <int dim>
void
CellFamily<dim>::kick(NodeTable<dim> &nodes, const unsigned int clock, const double time,
                      const double step) const
{
  double *node_lines = reinterpret_cast<double *>(nodes.data());
  undefined.reset();
  if (!schedule.kick(clock,
                     {kernels, kernel, law, node_lines, time, step, drift_sampler, history.get()}))
    undefined = clock;
}

template <int dim>
void
CellFamily<dim>::kick_in_sequence(NodeTable<dim> &nodes,
                                  const dealii::ArrayView<const DueClock> &due,
                                  const std::function<void(unsigned int)> &after) const
{
  if (history || deletion)
  {
    // one by one: the next may start from what this one has proposed, or after some have ended
    CellKicks<dim>::kick_in_sequence(nodes, due, after);
    return;
  }
  double *node_lines = reinterpret_cast<double *>(nodes.data());
  const unsigned int first_wrong = schedule.kick_in_sequence(
      due, {kernels, kernel, law, node_lines, 0, 0, drift_sampler, nullptr}, after);
  undefined.reset();
  if (first_wrong < due.size())
    undefined = due[first_wrong].clock;
}

template <int dim>
void
CellFamily<dim>::force(const NodeTable<dim> &nodes, const unsigned int k, const double time,
                       std::vector<Vector> &force) const
{
  if (is_deleted(k))
  {
    force.assign(nodes_per_cell, Vector());
    return;
  }
  const unsigned int slot = schedule.slot(k), lane = slot % n_lanes;
  check_held(slot);
  const unsigned int *cell_nodes = schedule.batches().nodes_of(slot);
  alignas(32) double displacements[max_size] = {}, gradient[max_size];
  for (unsigned int a = 0; a < nodes_per_cell; ++a)
  {
    NodeState node = nodes[cell_nodes[a]];
    node.drift(time);
    for (unsigned int d = 0; d < dim; ++d)
      displacements[(dim * a + d) * n_lanes + lane] = node.displacement[d];
  }
  AlignedVector<double> proposed;
  PackHistory states{nullptr, nullptr, time};
  if (history)
  {
    proposed.resize(std::size_t(history->size_of_cell()) * n_lanes);
    states = {history->committed_pack(slot), proposed.data(), time};
  }
  kernel.gradient(schedule.batches().geometry_of_batch(slot), law, 1u << lane, displacements,
                  states, gradient);
  force.resize(nodes_per_cell);
  for (unsigned int a = 0; a < nodes_per_cell; ++a)
    for (unsigned int d = 0; d < dim; ++d)
      force[a][d] = -gradient[(dim * a + d) * n_lanes + lane];
}

/// Call @p job(begin, end) for ranges of whole packs between these slots, on all threads.
template <int dim>
template <typename Job>
void
CellFamily<dim>::share(const unsigned int first, const unsigned int last, const Job &job) const
{
  constexpr unsigned int fewest_to_share = 1000; // their energies take some 50 microseconds
  const unsigned int n_shares = threads && last - first >= fewest_to_share ? threads->size() : 1;
  const auto border = [&](const unsigned int i)
  {
    const std::size_t slot = first + std::size_t(last - first) * i / n_shares;
    return i == 0 ? first : i == n_shares ? last : unsigned(slot / n_lanes * n_lanes);
  };
  if (n_shares == 1)
    job(first, last);
  else
    threads->run([&](const unsigned int i) { job(border(i), border(i + 1)); });
}

template <int dim>
void
CellFamily<dim>::add_energy(const NodeTable<dim> &nodes, EnergyBalance &balance) const
{
  std::vector<Energies> energies(n_kicks());
  // laws need not bear what becomes of deleted cells
  std::vector<char> is_left(n_kicks(), 1);
  for (unsigned int k = 0; k < n_kicks() && deletion; ++k)
    is_left[schedule.slot(k)] = !deletion->is_deleted[k];
  for (auto begin = is_left.begin(); begin != is_left.end();)
  {
    const auto end = std::find(begin, is_left.end(), !*begin);
    const unsigned int first = begin - is_left.begin(), last = end - is_left.begin();
    if (*begin)
      share(first, last,
            [&](const unsigned int of_first, const unsigned int of_last)
            { get_energies(of_first, of_last, nodes, &energies[of_first]); });
    begin = end;
  }
  // in the order of the cells: slots follow from clocks, and from what other processes do
  for (unsigned int k = 0; k < n_kicks(); ++k)
  {
    if (is_deleted(k))
    {
      balance.eroded_energy += deletion->lost[k];
      balance.plastic_work += deletion->dissipated[k];
      continue;
    }
    const Energies &of_cell = energies[schedule.slot(k)];
    balance.strain += of_cell.strain;
    balance.hourglass += of_cell.hourglass;
    balance.plastic_work += of_cell.dissipation;
  }
}

template <int dim>
double
CellFamily<dim>::energy(const NodeTable<dim> &nodes, const unsigned int k) const
{
  if (is_deleted(k))
    return 0;
  const unsigned int slot = schedule.slot(k);
  Energies of_cell;
  get_energies(slot, slot + 1, nodes, &of_cell);
  return of_cell.strain;
}

template <int dim>
void
CellFamily<dim>::get_energies(const unsigned int begin, const unsigned int end,
                              const NodeTable<dim> &nodes, Energies *result) const
{
  if (begin == end)
    return;
  check_held(end - 1);
  History states;
  if (history)
    states = static_cast<const CellHistory &>(*history).view(time_of(nodes, begin));
  const auto batches = schedule.batches().view({}, history ? &states : nullptr);
  kernel.energies(batches, begin, end, lines(nodes.data()), law, result);
}

template <int dim>
dealii::SymmetricTensor<2, dim>
CellFamily<dim>::mean_stress(const NodeTable<dim> &nodes, const unsigned int k) const
{
  if (is_deleted(k))
    return {};
  const unsigned int slot = schedule.slot(k);
  const Numbers of_cell = numbers(slot);
  const auto gradients = strains(slot, of_cell, nodes);
  const auto state = states(slot, gradients, time_of(nodes, slot));
  dealii::Tensor<2, dim> sum;
  double volume = 0;
  for (unsigned int q = 0; q < points_per_cell; ++q)
  {
    const dealii::Tensor<2, dim> &H = gradients[q];
    const auto P =
        with_history ? with_history->stress(H, state_of_point(state, q)) : the_material->stress(H);
    if (the_material->is_linear())
    {
      sum += weight(of_cell, q) * P;
      volume += weight(of_cell, q);
      continue;
    }
    // sigma = P F^T / J, and dv = J dV.
    const dealii::Tensor<2, dim> F =
        H + dealii::Tensor<2, dim>(dealii::unit_symmetric_tensor<dim>());
    sum += weight(of_cell, q) * P * transpose(F);
    volume += weight(of_cell, q) * determinant(F);
  }
  return symmetrize(sum) / volume;
}

template <int dim>
double
CellFamily<dim>::bytes_per_cell() const
{
  const double bytes =
      schedule.memory_consumption() + (history ? history->memory_consumption() : 0) +
      members.capacity() * sizeof(unsigned int) + masses.capacity() * sizeof(float);
  return bytes / n_kicks();
}

template class CellFamily<2>;
template class CellFamily<3>;
} // namespace KickDrift
