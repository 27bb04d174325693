#ifndef KICKDRIFT_CASES_INPUT_LAUNCHER_H
#define KICKDRIFT_CASES_INPUT_LAUNCHER_H

namespace KickDrift
{
/**
 * Throw dealii::ExceptionBase if a launcher of MPI (mpirun of Open MPI, MPICH, MVAPICH or Intel
 * MPI, srun of SLURM) has started several processes, as its environment variables say: all of them
 * would run the same case.
 */
void check_single_process();
} // namespace KickDrift

#endif
