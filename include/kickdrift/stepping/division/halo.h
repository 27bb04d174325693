#ifndef KICKDRIFT_STEPPING_DIVISION_HALO_H
#define KICKDRIFT_STEPPING_DIVISION_HALO_H

#include <kickdrift/parallel/ranks.h>

#include <vector>

namespace KickDrift
{
/// Nodes that this process and others keep equal: their owners tell of them.
struct Halo
{
  std::vector<Parcel> parcels;
  std::vector<std::vector<unsigned int>> sent, received; ///< nodes, by parcel
};
} // namespace KickDrift

#endif
