#ifndef KICKDRIFT_POTENTIALS_INSTRUCTION_SET_H
#define KICKDRIFT_POTENTIALS_INSTRUCTION_SET_H

#include <string>

namespace KickDrift
{
/**
 * Name of the instruction set for which the kernels of the cells run on this machine: "baseline",
 * "avx2" or "avx512"; see KICKDRIFT_ISA. Throws dealii::ExceptionBase if that cannot run here.
 */
std::string instruction_set();
} // namespace KickDrift

#endif
