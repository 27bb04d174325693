#include "shell_packs.h"

#include <deal.II/base/exceptions.h>

namespace KickDrift
{
using namespace CellKernels;

ShellPacks::ShellPacks(const ShellKernel kind, const unsigned int n_nodes)
    : kernels(select_kernels()),
      kernel(select_shell_kernels().kernel(kind)),
      schedule(kernel.n_geometry, n_nodes),
      n_nodes(n_nodes)
{
}

void
ShellPacks::add(const std::vector<double> &numbers, std::vector<unsigned int> nodes)
{
  Assert(numbers.size() == kernel.n_geometry && nodes.size() <= n_nodes,
         dealii::ExcInternalError());
  nodes.resize(n_nodes, nodes[0]);
  schedule.add(numbers.data(), nodes.data());
}

void
ShellPacks::use_threads(const std::shared_ptr<Threads> &threads, const NodeTable<3> &nodes)
{
  schedule.use_threads(threads,
                       [&nodes](const unsigned int node)
                       {
                         const auto &x = nodes.reference(node);
                         return std::array<double, 3>{{x[0], x[1], x[2]}};
                       });
}

CellKick
ShellPacks::due(NodeTable<3> &nodes, const double time, const double step)
{
  return {kernels, kernel, no_law,  reinterpret_cast<double *>(nodes.data()),
          time,    step,   sampler, nullptr};
}

std::vector<double>
ShellPacks::energies(const NodeTable<3> &nodes) const
{
  const unsigned int n = schedule.batches().size();
  std::vector<double> result(n);
  if (n == 0)
    return result;
  std::vector<Energies> by_slot(n);
  kernel.energies(schedule.batches().view({}), 0, n, reinterpret_cast<const double *>(nodes.data()),
                  no_law, by_slot.data());
  for (unsigned int k = 0; k < n; ++k)
    result[k] = by_slot[schedule.slot(k)].strain;
  return result;
}
} // namespace KickDrift
