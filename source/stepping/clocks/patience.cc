#include <kickdrift/base/archive_checks.h>
#include <kickdrift/stepping/clocks/patience.h>

#include <limits>
#include <utility>

namespace KickDrift
{
namespace
{
constexpr double never = std::numeric_limits<double>::infinity();
} // namespace

Patience::Patience(std::vector<double> first)
    : patience(std::move(first)), since(patience.size(), never), has_left(patience.size(), 0)
{
}

unsigned int
Patience::follow(const unsigned int kick, const unsigned int own, const unsigned int wanted,
                 const double now)
{
  if (patience.empty() || patience[kick] == 0)
    return wanted;
  const bool waited = since[kick] != never;
  if (wanted <= own)
  {
    if (wanted < own && has_left[kick])
    {
      patience[kick] *= 2;
      has_left[kick] = 0;
    }
    since[kick] = never;
    n_waiting -= waited;
    return wanted;
  }
  if (!waited)
  {
    since[kick] = now;
    ++n_waiting;
  }
  return now < since[kick] + patience[kick] ? own : wanted;
}

void
Patience::leave(const unsigned int kick)
{
  if (patience.empty() || patience[kick] == 0)
    return;
  n_waiting -= since[kick] != never;
  since[kick] = never;
  has_left[kick] = 1;
}

void
Patience::serialize(Archive &archive)
{
  archive.section("patience");
  archive.fixed(patience, since, has_left);
  if (!archive.is_reading())
    return;
  for (const double time : patience)
    check_state(time >= 0, "stepper");
  n_waiting = 0;
  for (unsigned int kick = 0; kick < since.size(); ++kick)
  {
    check_state(since[kick] >= 0 && is_flag(has_left[kick]), "stepper");
    n_waiting += since[kick] != never;
  }
}
} // namespace KickDrift
