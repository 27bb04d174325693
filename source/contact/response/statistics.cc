#include <kickdrift/base/archive_checks.h>
#include <kickdrift/contact/response/statistics.h>

namespace KickDrift
{
template <int spacedim>
void
ContactStatistics<spacedim>::serialize(Archive &archive)
{
  archive.section("contact statistics");
  archive(tests, collisions, max_penetration, restitution_loss, friction_loss, obstacle_work,
          projection_work, coupled.constraints, coupled.largest, lost, unsolved, response_time,
          contact_energy);
  archive.fixed(impulse, friction_impulse);
}

template struct ContactStatistics<2>;
template struct ContactStatistics<3>;
} // namespace KickDrift
