#include <kickdrift/potentials/instruction_set.h>

#include "../../../shells/kernels/shell_kernel_set.h"
#include "cell_kernels.h"

#include <deal.II/base/exceptions.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace KickDrift
{
namespace CellKernels
{
namespace
{
struct Candidate
{
  const KernelSet *kernels;
  const HistoryKernelSet *history_kernels;
  const ShellKernelSet *shell_kernels;
  bool runs_here;
};

/// Best first.
std::vector<Candidate>
candidates()
{
#ifdef KICKDRIFT_X86_KERNELS
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") &&
                          __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
  return {{&avx512::kernels, &avx512::history_kernels, &avx512::shell_kernels, has_avx512},
          {&avx2::kernels, &avx2::history_kernels, &avx2::shell_kernels, has_avx2},
          {&baseline::kernels, &baseline::history_kernels, &baseline::shell_kernels, true}};
#else
  return {{&baseline::kernels, &baseline::history_kernels, &baseline::shell_kernels, true}};
#endif
}

Candidate
named_candidate(const std::string &name)
{
  std::string known;
  for (const Candidate &candidate : candidates())
  {
    if (name == candidate.kernels->name)
    {
      AssertThrow(candidate.runs_here,
                  dealii::ExcMessage("KICKDRIFT_ISA=" + name +
                                     ": this machine does not have these instructions."));
      return candidate;
    }
    known += (known.empty() ? "" : ", ") + std::string(candidate.kernels->name);
  }
  AssertThrow(
      false, dealii::ExcMessage("KICKDRIFT_ISA=" + name + " is unknown; known are " + known + "."));
  return {};
}

Candidate
select()
{
  if (const char *name = std::getenv("KICKDRIFT_ISA"))
    return named_candidate(name);
  for (const Candidate &candidate : candidates())
    if (candidate.runs_here)
      return candidate;
  return candidates().back();
}
} // namespace

const KernelSet &
select_kernels()
{
  return *select().kernels;
}

const HistoryKernelSet &
select_history_kernels()
{
  return *select().history_kernels;
}

const ShellKernelSet &
select_shell_kernels()
{
  return *select().shell_kernels;
}
} // namespace CellKernels

std::string
instruction_set()
{
  return CellKernels::select_kernels().name;
}
} // namespace KickDrift
