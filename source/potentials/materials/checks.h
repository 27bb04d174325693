#ifndef KICKDRIFT_SOURCE_POTENTIALS_MATERIALS_CHECKS_H
#define KICKDRIFT_SOURCE_POTENTIALS_MATERIALS_CHECKS_H

#include <kickdrift/base/messages.h>

#include <deal.II/base/exceptions.h>

#include <cmath>
#include <string>

namespace KickDrift
{
/**
 * Refuse a parameter of a material.
 * @param valid is the value within its range? One that is not finite is refused in any case.
 * @param range how a message continues "it must be"
 * @throw dealii::ExcMessage that names the parameter, the value and the range
 */
inline void
check_value(const bool valid, const std::string &name, const double value, const std::string &range)
{
  AssertThrow(valid && std::isfinite(value), dealii::ExcMessage(name + " is " + number_text(value) +
                                                                "; it must be " + range + "."));
}
} // namespace KickDrift

#endif
