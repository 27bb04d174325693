#include "shell_packs.h"

#include <kickdrift/base/eigenvalues.h>
#include <kickdrift/potentials/shells/bending_kicks.h>
#include <kickdrift/potentials/shells/loop_kicks.h>
#include <kickdrift/potentials/shells/membrane_kicks.h>

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace KickDrift
{
using namespace dealii;

namespace
{
// Step of the differences of forces, relative to the smallest distance of nodes.
constexpr double difference = 1e-5;
// Covers their error.
constexpr double margin = 1e-6;

void
check_bending(const ShellMesh &mesh, const Bending bending)
{
  AssertThrow(bending != Bending::none || mesh.edges_with_normals().empty(),
              ShellKicks::ExcMembrane(mesh.edges_with_normals().size()));
}
} // namespace

ShellKicks::ShellKicks(std::shared_ptr<const ShellMesh> mesh, const ShellSection &section,
                       const unsigned int first_node)
    : the_mesh(std::move(mesh)), the_section(section), first_node(first_node)
{
  section.check();
}

ShellKicks::~ShellKicks() = default;

std::vector<unsigned int>
ShellKicks::support(const unsigned int k) const
{
  return table_nodes(mesh_nodes(k));
}

std::vector<unsigned int>
ShellKicks::table_nodes(const ArrayView<const unsigned int> local) const
{
  std::vector<unsigned int> nodes(local.begin(), local.end());
  for (unsigned int &node : nodes)
    node += first_node;
  return nodes;
}

void
ShellKicks::use_kernels(std::unique_ptr<ShellPacks> of_the_others,
                        std::vector<unsigned int> given_alone)
{
  packs = std::move(of_the_others);
  packs->finish();
  alone = std::move(given_alone);
  alone_by_clock = KicksByClock(alone.size());
}

double
ShellKicks::bytes_of_packs() const
{
  return packs ? packs->memory_consumption() : 0;
}

std::pair<unsigned int, bool>
ShellKicks::place(const unsigned int k) const
{
  if (!packs)
    return {k, true};
  const auto entry = std::lower_bound(alone.begin(), alone.end(), k);
  return {entry - alone.begin(), entry != alone.end() && *entry == k};
}

void
ShellKicks::use_threads(const std::shared_ptr<Threads> &threads, const NodeTable<3> &nodes)
{
  if (packs)
    packs->use_threads(threads, nodes);
}

void
ShellKicks::assign_clocks(const std::vector<unsigned int> &clock_of_kick,
                          const unsigned int n_clocks)
{
  AssertThrow(clock_of_kick.size() == n_kicks(),
              ExcDimensionMismatch(clock_of_kick.size(), n_kicks()));
  if (!packs)
  {
    alone_by_clock.assign(clock_of_kick, n_clocks);
    return;
  }
  std::vector<unsigned int> clocks = clock_of_kick, clocks_alone;
  for (auto k = alone.rbegin(); k != alone.rend(); ++k)
  {
    clocks_alone.push_back(clock_of_kick[*k]);
    clocks.erase(clocks.begin() + *k);
  }
  std::reverse(clocks_alone.begin(), clocks_alone.end());
  packs->assign(clocks, n_clocks, n_clocks - has_last_clock_elsewhere);
  alone_by_clock.assign(clocks_alone, n_clocks);
}

void
ShellKicks::change_clock(const unsigned int k, const unsigned int clock)
{
  const auto [n_before, is_alone] = place(k);
  if (is_alone)
    alone_by_clock.change(n_before, clock);
  else
    packs->change_clock(k - n_before, clock);
}

void
ShellKicks::kick(NodeTable<3> &nodes, const unsigned int clock, const double time,
                 const double step) const
{
  undefined.reset();
  if (packs && !packs->kick(nodes, clock, time, step))
    undefined = clock;
  for (const unsigned int i : alone_by_clock.kicks(clock))
    if (!kick_alone(nodes, packs ? alone[i] : i, time, step))
      undefined = clock;
}

/// Those of the kernels in packs of their own.
class ShellKicks::Subset final : public KickSubset<3>
{
public:
  Subset(const ShellKicks &family, const std::vector<unsigned int> &kicks) : family(family)
  {
    std::vector<unsigned int> of_kernels;
    for (const unsigned int k : kicks)
    {
      const auto [n_before, is_alone] = family.place(k);
      if (is_alone)
        alone.push_back(k);
      else
        of_kernels.push_back(k - n_before);
    }
    if (!of_kernels.empty())
      copies.emplace(family.packs->copies(of_kernels));
  }

  void
  kick(NodeTable<3> &nodes, const double time, const double step) const override
  {
    if (copies)
      family.packs->kick(*copies, nodes, step);
    for (const unsigned int k : alone)
      family.kick_alone(nodes, k, time, step);
  }

private:
  const ShellKicks &family;
  std::optional<CellSchedule::Copies> copies;
  std::vector<unsigned int> alone;
};

std::unique_ptr<KickSubset<3>>
ShellKicks::subset(std::vector<unsigned int> kicks) const
{
  return std::make_unique<Subset>(*this, kicks);
}

void
ShellKicks::kick_in_sequence(NodeTable<3> &nodes, const ArrayView<const DueClock> &due,
                             const std::function<void(unsigned int)> &after) const
{
  // packs can be given ahead of each other, from one kick that is given alone to the next
  for (unsigned int begin = 0; begin < due.size();)
  {
    unsigned int end = begin;
    while (packs && end < due.size() && alone_by_clock.kicks(due[end].clock).empty())
      ++end;
    undefined.reset();
    if (begin < end)
    {
      const unsigned int n = packs->kick_in_sequence(nodes, {due.data() + begin, end - begin},
                                                     after ? [&after, begin](const unsigned int i)
                                                         { after(begin + i); }
                                                           : std::function<void(unsigned int)>());
      if (begin + n < end)
      {
        undefined = due[begin + n].clock;
        return;
      }
    }
    if (end < due.size())
    {
      kick(nodes, due[end].clock, due[end].time, due[end].step);
      if (undefined)
        return;
      if (after)
        after(end);
    }
    begin = end + 1;
  }
}

double
ShellKicks::drift_share() const
{
  return packs ? packs->drift_share() : 0;
}

bool
ShellKicks::kick_alone(NodeTable<3> &nodes, const unsigned int k, const double time,
                       const double step) const
{
  const auto local = mesh_nodes(k);
  NodeState *const states = nodes.data() + first_node;
  for (const unsigned int node : local)
    states[node].drift(time);
  force(nodes, k, time, force_buffer);
  bool is_finite = true;
  for (unsigned int i = 0; i < local.size(); ++i)
  {
    NodeState &node = states[local[i]];
    const double factor = step * node.inverse_mass;
    for (unsigned int d = 0; d < 3; ++d)
      node.velocity[d] += factor * force_buffer[i][d];
    is_finite = is_finite && std::isfinite(force_buffer[i].norm_square());
  }
  return is_finite;
}

std::vector<ShellKicks::Vector>
ShellKicks::displacements(const NodeTable<3> &nodes, const unsigned int k) const
{
  std::vector<Vector> result;
  for (const unsigned int node : mesh_nodes(k))
    result.push_back(displacement(nodes, node));
  return result;
}

void
ShellKicks::force(const NodeTable<3> &nodes, const unsigned int k, const double time,
                  std::vector<Vector> &force) const
{
  boost::container::small_vector<Vector, 32> u;
  for (const unsigned int node : mesh_nodes(k))
    u.push_back(nodes.displacement_at(first_node + node, time));
  force.resize(u.size());
  forces(k, u.data(), force.data());
}

void
ShellKicks::add_energy(const NodeTable<3> &nodes, EnergyBalance &balance) const
{
  if (packs)
    for (const double energy_of_kick : packs->energies(nodes))
      balance.strain += energy_of_kick;
  for (unsigned int i = 0; i < (packs ? alone.size() : n_kicks()); ++i)
    balance.strain += energy(nodes, packs ? alone[i] : i);
}

double
ShellKicks::energy(const NodeTable<3> &nodes, const unsigned int k) const
{
  return energy_of(k, displacements(nodes, k).data());
}

double
ShellKicks::current_critical_step(const NodeTable<3> &nodes, const unsigned int k,
                                  const std::vector<double> &masses) const
{
  std::vector<Vector> u = displacements(nodes, k), plus(u.size()), minus(u.size());
  const auto local = mesh_nodes(k);
  double size = std::numeric_limits<double>::infinity();
  for (unsigned int i = 0; i < local.size(); ++i)
    for (unsigned int j = 0; j < i; ++j)
      size = std::min(size, from_to(local[i], local[j]).norm());
  const double h = difference * size;
  const unsigned int n = 3 * local.size();
  std::vector<double> matrix(n * n, 0.);
  for (unsigned int column = 0; column < n; ++column)
  {
    double &moved = u[column / 3][column % 3];
    const double before = moved;
    moved = before + h;
    const double above = moved;
    forces(k, u.data(), plus.data());
    moved = before - h;
    const double way = above - moved;
    forces(k, u.data(), minus.data());
    moved = before;
    for (unsigned int row = 0; row < n; ++row)
    {
      const double m_row = masses[row / 3], m_column = masses[column / 3];
      if (m_row > 0 && m_column > 0)
        matrix[row * n + column] =
            (minus[row / 3][row % 3] - plus[row / 3][row % 3]) / way / std::sqrt(m_row * m_column);
    }
  }
  for (unsigned int row = 0; row < n; ++row)
    for (unsigned int column = 0; column < row; ++column)
      matrix[row * n + column] = matrix[column * n + row] =
          0.5 * (matrix[row * n + column] + matrix[column * n + row]);
  const double square_of_frequency = largest_eigenvalue(matrix, n);
  // not-a-number stays what it is: a state without stiffness must not pass for one without a limit
  return square_of_frequency <= 0 ? std::numeric_limits<double>::infinity()
                                  : (1 - margin) * 2 / std::sqrt(square_of_frequency);
}

std::vector<std::shared_ptr<ShellKicks>>
make_shell_kicks(const std::shared_ptr<const ShellMesh> &mesh, const ShellSection &section,
                 const Bending bending, const unsigned int first_node)
{
  check_bending(*mesh, bending);
  if (bending == Bending::loop)
    return {std::make_shared<LoopKicks>(mesh, section, first_node)};
  std::vector<std::shared_ptr<ShellKicks>> families = {
      std::make_shared<MembraneKicks>(mesh, section, first_node)};
  if (bending != Bending::none)
  {
    auto kicks = std::make_shared<BendingKicks>(mesh, section, bending, first_node);
    if (kicks->n_kicks() > 0) // a single triangle does not bend
      families.push_back(std::move(kicks));
  }
  return families;
}

std::vector<double>
shell_areas(const ShellMesh &mesh, const Bending bending)
{
  check_bending(mesh, bending);
  std::vector<double> areas(mesh.positions().size(), 0.);
  if (bending != Bending::loop)
  {
    for (unsigned int t = 0; t < mesh.triangles().size(); ++t)
      for (const unsigned int node : mesh.triangles()[t])
        areas[node] += mesh.area(t) / 3;
    return areas;
  }
  const auto [weights, mirrors] = loop_weights(mesh);
  for (unsigned int t = 0; t < weights.n_rows(); ++t)
  {
    Tensor<1, 3> a_1, a_2;
    const auto place = [&](const unsigned int node) -> Tensor<1, 3>
    { return mesh.positions()[node] - mesh.positions()[mesh.triangles()[t][0]]; };
    for (const LoopWeight &weight : weights.row(t))
    {
      Tensor<1, 3> x;
      if (weight.node < areas.size())
        x = place(weight.node);
      else
      {
        const auto &[normal, nodes] = mirrors[weight.node - areas.size()];
        x = (normal * (place(nodes[0]) + place(nodes[1]) - 2. * place(nodes[2]))) * normal;
      }
      a_1 += weight.first[0] * x;
      a_2 += weight.first[1] * x;
    }
    // the middle child is a quarter of the triangle
    const double area = 2 * cross_product_3d(a_1, a_2).norm();
    for (const LoopWeight &weight : weights.row(t))
      if (weight.node < areas.size()) // the masses of mirror images are at their originals
        areas[weight.node] += area * weight.value;
  }
  return areas;
}
} // namespace KickDrift
