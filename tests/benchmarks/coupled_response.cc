// Simultaneous contacts of two surfaces whose squares do not match, each node of either against the
// face across: the coupled response with its factor in an envelope, and what sparse direct solvers
// of deal.II need for the same matrix, by the number of contacts.

#include "run_benchmarks.h"

#include <kickdrift/contact/reference/coupled_response.h>

#include <deal.II/base/mpi.h>
#include <deal.II/lac/sparse_direct.h>
#include <deal.II/lac/sparse_matrix.h>
#include <deal.II/lac/trilinos_solver.h>
#include <deal.II/lac/trilinos_sparse_matrix.h>
#include <deal.II/lac/trilinos_vector.h>
#include <deal.II/lac/vector.h>

#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <random>
#include <set>

namespace
{
using namespace KickDrift;
using dealii::Point;
using dealii::Tensor;

/// Two square patches of n x n nodes, the upper one shifted by a part of a face.
struct Patches
{
  explicit Patches(const unsigned int n_contacts) : n(std::lround(std::sqrt(0.5 * n_contacts)) + 1)
  {
    std::mt19937 engine(5);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (const double height : {0., 1.})
      for (unsigned int i = 0; i < n * n; ++i)
        nodes.add(Point<3>(i % n + 0.3 * height, i / n + 0.4 * height, height),
                  1 + uniform(engine));
    for (const bool is_upper : {false, true})
      for (unsigned int i = 0; i + 1 < n; ++i)
        for (unsigned int j = 0; j + 1 < n; ++j)
        {
          // the lower corner of the face across, and where the node lies in it
          const double x = is_upper ? 0.3 : 0.7, y = is_upper ? 0.4 : 0.6;
          const unsigned int node = is_upper ? upper(i, j) : lower(i + 1, j + 1);
          const auto corner = [&](const unsigned int a, const unsigned int b)
          { return is_upper ? lower(i + a, j + b) : upper(i + a, j + b); };
          ContactStencil<3> stencil;
          stencil.normal[2] = is_upper ? 1 : -1;
          stencil.normal += Tensor<1, 3>({0.1 * uniform(engine), 0.1 * uniform(engine), 0});
          stencil.normal /= stencil.normal.norm();
          stencil.add(node, 1);
          stencil.add(corner(0, 0), -(1 - x) * (1 - y));
          stencil.add(corner(1, 0), -x * (1 - y));
          stencil.add(corner(0, 1), -(1 - x) * y);
          stencil.add(corner(1, 1), -x * y);
          stencils.push_back(stencil);
          rates.push_back(-1 - 0.1 * uniform(engine));
        }
  }

  unsigned int
  lower(const unsigned int i, const unsigned int j) const
  {
    return i + n * j;
  }

  unsigned int
  upper(const unsigned int i, const unsigned int j) const
  {
    return n * n + lower(i, j);
  }

  const unsigned int n;
  NodeTable<3> nodes;
  std::vector<ContactStencil<3>> stencils;
  std::vector<double> rates;
};

/// The matrix of all contacts with the same larger diagonal, for solvers of deal.II.
struct Matrix
{
  explicit Matrix(const Patches &patches)
  {
    const auto &stencils = patches.stencils;
    std::vector<std::vector<std::pair<unsigned int, double>>> of_node(patches.nodes.size());
    for (unsigned int i = 0; i < stencils.size(); ++i)
      for (unsigned int a = 0; a < stencils[i].n_nodes; ++a)
        of_node[stencils[i].nodes[a]].emplace_back(i, stencils[i].coefficients[a]);
    dealii::DynamicSparsityPattern dynamic(stencils.size());
    for (const auto &shares : of_node)
      for (const auto &[i, c] : shares)
        for (const auto &[j, d] : shares)
          dynamic.add(i, j);
    pattern.copy_from(dynamic);
    matrix.reinit(pattern);
    for (unsigned int node = 0; node < of_node.size(); ++node)
      for (const auto &[i, c] : of_node[node])
        for (const auto &[j, d] : of_node[node])
          matrix.add(i, j,
                     c * d * patches.nodes[node].inverse_mass *
                         (stencils[i].normal * stencils[j].normal));
    for (unsigned int i = 0; i < stencils.size(); ++i)
      matrix.diag_element(i) *= 1 + 1e-10;
  }

  dealii::SparsityPattern pattern;
  dealii::SparseMatrix<double> matrix;
};

void
envelope(benchmark::State &state)
{
  const Patches patches(state.range(0));
  CoupledResponse<3> response;
  for (auto _ : state)
  {
    response.assemble(patches.nodes, patches.stencils);
    benchmark::DoNotOptimize(response.solve(patches.rates));
  }
  state.counters["contacts"] = patches.stencils.size();
}

void
umfpack(benchmark::State &state)
{
  const Patches patches(state.range(0));
  const Matrix matrix(patches);
  dealii::Vector<double> x(patches.rates.begin(), patches.rates.end());
  for (auto _ : state)
  {
    dealii::SparseDirectUMFPACK solver;
    solver.factorize(matrix.matrix);
    solver.solve(x);
  }
  state.counters["contacts"] = patches.stencils.size();
}

void
klu(benchmark::State &state)
{
  const Patches patches(state.range(0));
  const Matrix matrix(patches);
  dealii::TrilinosWrappers::SparseMatrix trilinos;
  trilinos.reinit(matrix.matrix);
  const auto all = dealii::complete_index_set(patches.rates.size());
  dealii::TrilinosWrappers::MPI::Vector x(all, MPI_COMM_SELF), b(all, MPI_COMM_SELF);
  b = 1;
  for (auto _ : state)
  {
    dealii::SolverControl control;
    dealii::TrilinosWrappers::SolverDirect solver(control);
    solver.initialize(trilinos);
    solver.solve(x, b);
  }
  state.counters["contacts"] = patches.stencils.size();
}

BENCHMARK(envelope)->Arg(200)->Arg(2000)->Arg(20000)->Unit(benchmark::kMillisecond);
BENCHMARK(umfpack)->Arg(200)->Arg(2000)->Arg(20000)->Unit(benchmark::kMillisecond);
BENCHMARK(klu)->Arg(200)->Arg(2000)->Arg(20000)->Unit(benchmark::kMillisecond);
} // namespace

int
main(int argc, char **argv)
{
  dealii::Utilities::MPI::MPI_InitFinalize mpi(argc, argv, 1); // Trilinos asks for it
  return run_benchmarks(argc, argv);
}
