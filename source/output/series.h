#ifndef KICKDRIFT_SOURCE_OUTPUT_SERIES_H
#define KICKDRIFT_SOURCE_OUTPUT_SERIES_H

#include <kickdrift/output/files.h>

#include <deal.II/base/utilities.h>

#include <string>

namespace KickDrift
{
/// Name of a picture, relative to the folder of the run: solution/solution_000012.vtu, or
/// solution/solution_000012_1.vtu for a second one of the same time. The folder @p series in @p
/// folder is created if necessary; throws ExcMessage if that fails.
inline std::string
picture_name(const std::string &folder, const std::string &series, const unsigned int index,
             const unsigned int part = 0, const std::string &ending = ".vtu")
{
  create_subfolder(folder, series);
  return series + "/" + series + "_" + dealii::Utilities::int_to_string(index, 6) +
         (part > 0 ? "_" + std::to_string(part) : "") + ending;
}
} // namespace KickDrift

#endif
