#include <kickdrift/contact/search/hierarchy.h>
#include <kickdrift/contact/search/position_code_grid.h>

namespace KickDrift
{
template <int spacedim>
std::unique_ptr<BroadPhase<spacedim>>
make_broad_phase(const BroadPhaseType type)
{
  if (type == BroadPhaseType::grid)
    return std::make_unique<PositionCodeGrid<spacedim>>();
  return std::make_unique<Hierarchy<spacedim>>();
}

template std::unique_ptr<BroadPhase<2>> make_broad_phase<2>(BroadPhaseType);
template std::unique_ptr<BroadPhase<3>> make_broad_phase<3>(BroadPhaseType);
} // namespace KickDrift
