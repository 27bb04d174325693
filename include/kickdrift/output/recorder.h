#ifndef KICKDRIFT_OUTPUT_RECORDER_H
#define KICKDRIFT_OUTPUT_RECORDER_H

#include <kickdrift/contact/response/statistics.h>
#include <kickdrift/nodes/node_table.h>
#include <kickdrift/stepping/kicks/energy_balance.h>

#include <cstdint>

namespace KickDrift
{
class Archive;

/// What a recorder may look at, at one save time.
template <int spacedim>
struct Frame
{
  unsigned int index;               ///< 0 for the initial state
  double time;                      ///< [time]
  const NodeTable<spacedim> &nodes; ///< all at this time, velocities synchronised
  EnergyBalance balance;            ///< all terms, contact included
  double energy_error;              ///< deviation of the total from the first frame, relative
  std::uint64_t strain_kicks;       ///< so far
  const ContactStatistics<spacedim> &contact; ///< so far; all zero without contact
  std::uint64_t deleted_cells = 0;            ///< so far
  FamilyEnergies<spacedim> of_families = {};  ///< what the families of kicks hold of the balance
};

/// Something that looks at save times and never touches the run.
template <int spacedim>
class Recorder
{
public:
  virtual ~Recorder() = default;

  /// Called at every save time, in order, starting with the initial state.
  virtual void record(const Frame<spacedim> &frame) = 0;

  /// Write to, or read from, a checkpoint what the recorder remembers, and how long its files are.
  /// What it would write again need not be part of it.
  virtual void
  serialize(Archive & /*archive*/)
  {
  }
};
} // namespace KickDrift

#endif
