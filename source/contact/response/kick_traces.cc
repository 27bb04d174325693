#include <kickdrift/base/archive_checks.h>
#include <kickdrift/contact/response/kick_traces.h>

namespace KickDrift
{
template <int spacedim>
void
KickTraces<spacedim>::serialize(Archive &archive)
{
  archive.section("kick traces");
  archive.fixed(traces);
}

template class KickTraces<2>;
template class KickTraces<3>;
} // namespace KickDrift
