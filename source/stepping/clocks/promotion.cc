#include <kickdrift/stepping/clocks/promotion.h>

#include <algorithm>

namespace KickDrift
{
Promotion::Promotion(const unsigned int step_class, const double until)
    : step_class(step_class), until(until)
{
}

void
Promotion::add(const unsigned int other_class, const double other_until, const double now)
{
  if (until < now)
  {
    step_class = coarser_class;
    until = coarser_until;
    coarser_until = -std::numeric_limits<double>::infinity();
  }
  if (until < now)
    *this = Promotion(other_class, other_until);
  else if (other_class == step_class)
    until = std::max(until, other_until);
  else
  {
    // of more than two the finer ones are held for longer
    const bool is_finer = other_class < step_class;
    const unsigned int coarser = is_finer ? step_class : other_class;
    const double coarser_end = is_finer ? until : other_until;
    const bool has_coarser = coarser_until >= now;
    coarser_class = has_coarser ? std::min(coarser_class, coarser) : coarser;
    coarser_until = std::max(coarser_until, coarser_end);
    if (is_finer)
    {
      step_class = other_class;
      until = other_until;
    }
  }
}

unsigned int
Promotion::class_at(const double time, const unsigned int natural) const
{
  if (until >= time)
    return std::min(step_class, natural);
  return coarser_until >= time ? std::min(coarser_class, natural) : natural;
}
} // namespace KickDrift
