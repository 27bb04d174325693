#ifndef KICKDRIFT_SOURCE_OUTPUT_SERIES_H
#define KICKDRIFT_SOURCE_OUTPUT_SERIES_H

#include <deal.II/base/data_out_base.h>
#include <deal.II/base/utilities.h>

#include <string>
#include <vector>

namespace KickDrift
{
/// Name of a frame's files without extension: solution_000012.
inline std::string
frame_name(const std::string &series, const unsigned int index)
{
  return series + "_" + dealii::Utilities::int_to_string(index, 6);
}

/// Names of the files of a frame, one per body: solution_000012_0.vtu, ...
inline std::vector<std::string>
piece_names(const std::string &frame, const unsigned int n_bodies)
{
  std::vector<std::string> names;
  for (unsigned int body = 0; body < n_bodies; ++body)
    names.push_back(frame + "_" + std::to_string(body) + ".vtu");
  return names;
}

/// Reproducible (no date), compressed quickly rather than tightly.
inline dealii::DataOutBase::VtkFlags
vtk_flags(const double time, const unsigned int cycle)
{
  dealii::DataOutBase::VtkFlags flags(time, cycle, /* print_date_and_time = */ false);
  using Level = decltype(flags.compression_level); // its name differs between releases
  flags.compression_level = Level::best_speed;
  return flags;
}
} // namespace KickDrift

#endif
