#ifndef KICKDRIFT_STEPPING_DIVISION_HALO_H
#define KICKDRIFT_STEPPING_DIVISION_HALO_H

#include <kickdrift/parallel/ranks.h>

#include <vector>

namespace KickDrift
{
/// Nodes that this process and others keep equal: their owners tell of them.
struct Halo
{
  std::vector<Parcel> parcels;                     ///< numbers, one parcel for each other process
  std::vector<std::vector<unsigned int>> sent;     ///< by parcel, own nodes
  std::vector<std::vector<unsigned int>> received; ///< by parcel, nodes of the other one
};
} // namespace KickDrift

#endif
