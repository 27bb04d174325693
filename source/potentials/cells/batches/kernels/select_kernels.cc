#include <kickdrift/potentials/instruction_set.h>

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
  return {{&avx512::kernels, has_avx512}, {&avx2::kernels, has_avx2}, {&baseline::kernels, true}};
#else
  return {{&baseline::kernels, true}};
#endif
}

const KernelSet &
named_kernels(const std::string &name)
{
  std::string known;
  for (const Candidate &candidate : candidates())
  {
    if (name == candidate.kernels->name)
    {
      AssertThrow(candidate.runs_here,
                  dealii::ExcMessage("KICKDRIFT_ISA=" + name +
                                     ": this machine does not have these instructions."));
      return *candidate.kernels;
    }
    known += (known.empty() ? "" : ", ") + std::string(candidate.kernels->name);
  }
  AssertThrow(
      false, dealii::ExcMessage("KICKDRIFT_ISA=" + name + " is unknown; known are " + known + "."));
  return baseline::kernels;
}
} // namespace

const KernelSet &
select_kernels()
{
  if (const char *name = std::getenv("KICKDRIFT_ISA"))
    return named_kernels(name);
  for (const Candidate &candidate : candidates())
    if (candidate.runs_here)
      return *candidate.kernels;
  return baseline::kernels;
}
} // namespace CellKernels

std::string
instruction_set()
{
  return CellKernels::select_kernels().name;
}
} // namespace KickDrift
