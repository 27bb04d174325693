#include <kickdrift/cases/input/launcher.h>

#include <deal.II/base/exceptions.h>

#include <cstdlib>
#include <string>

namespace KickDrift
{
namespace
{
/// Where launchers say how many processes they have started for one command.
constexpr const char *numbers_of_processes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                                "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"};
} // namespace

void
check_single_process()
{
  for (const char *variable : numbers_of_processes)
  {
    const char *value = std::getenv(variable);
    if (!value)
      continue;
    const std::string text = value;
    AssertThrow(std::atol(value) <= 1,
                dealii::ExcMessage(
                    "MPI has started " + text + " processes (" + variable + " = " + text +
                    "), but KickDrift runs in one: all of them would run the same case. Start it "
                    "without mpirun, and with --threads " +
                    text + " to use several cores. (If these are different cases: unset " +
                    variable + ".)"));
  }
}
} // namespace KickDrift
