#ifndef KICKDRIFT_CASES_RUN_STRAIN_WARNING_H
#define KICKDRIFT_CASES_RUN_STRAIN_WARNING_H

#include <kickdrift/cases/model/model.h>

#include <ostream>

namespace KickDrift
{
/**
 * Warns once, naming cell, body and time, if a cell of a linear material turns by more than 0.1 or
 * is strained by more than 0.2: the law is not objective, so a turn causes stress, and strains are
 * infinitesimal.
 */
template <int dim>
class StrainWarning
{
public:
  /// @p model and @p out must outlive the object.
  StrainWarning(const Model<dim> &model, std::ostream &out) : model(model), out(out) {}

  /// Look at all cells, unless the warning has been given; nodes fly straight until @p time.
  void look(const NodeTable<dim> &nodes, double time);

  /// The same for a save time, if strains may have become large since the last look: it costs as
  /// much as some kicks of every cell, and rows may be as frequent as these.
  void look_at_row(const NodeTable<dim> &nodes, double time);

  /// Write to, or read from, a checkpoint what has been seen.
  void serialize(Archive &archive);

private:
  bool look(const MeshedBody<dim> &meshed, const NodeTable<dim> &nodes, double time, double &ratio);

  const Model<dim> &model;
  std::ostream &out;
  bool warned = false;
  // of the last look
  double last_time = 0;  ///< [time]
  double last_ratio = 0; ///< of the largest strain, or turn, to what is large [-]
  double growth = 0;     ///< the fastest of that ratio between two looks [1/time]
};
} // namespace KickDrift

#endif
