#include "run_results.h"

#include <deal.II/base/exceptions.h>
#include <deal.II/base/utilities.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

namespace KickDrift
{
using namespace dealii;

namespace
{
std::string
text_of(const std::string &file)
{
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// What the program said last, without its name.
std::string
last_words(const std::string &log)
{
  std::ifstream stream(log);
  std::string line, last;
  while (std::getline(stream, line))
    if (!line.empty())
      last = line;
  const std::string prefix = "kickdrift: ";
  return last.rfind(prefix, 0) == 0 ? last.substr(prefix.size()) : last;
}

/// Columns that are the components of one vector, by its name: those of "tip_velocity_x" are
/// "tip_velocity".
std::map<std::string, std::vector<unsigned int>>
vectors(const Histories &probes)
{
  std::map<std::string, std::vector<unsigned int>> result;
  for (unsigned int c = 1; c < probes.names.size(); ++c)
    result[probes.names[c].substr(0, probes.names[c].size() - 2)].push_back(c);
  return result;
}
} // namespace

const std::vector<double> &
Histories::column(const std::string &name) const
{
  const auto found = std::find(names.begin(), names.end(), name);
  AssertThrow(found != names.end(), ExcMessage("There is no column '" + name + "'."));
  return columns[found - names.begin()];
}

Histories
read_histories(const std::string &file)
{
  Histories result;
  std::ifstream stream(file);
  std::string line;
  if (!std::getline(stream, line))
    return result;
  result.names = Utilities::split_string_list(line, ',');
  result.columns.resize(result.names.size());
  while (std::getline(stream, line))
  {
    const auto fields = Utilities::split_string_list(line, ',');
    if (fields.size() != result.names.size())
      break;
    for (unsigned int c = 0; c < fields.size(); ++c)
      result.columns[c].push_back(std::strtod(fields[c].c_str(), nullptr));
  }
  return result;
}

RunResults
read_results(const std::string &folder, const std::string &log, const int exit_status)
{
  using Status = RunResults::Status;
  RunResults results;
  if (exit_status == 2)
  {
    results.status = Status::refused;
    results.message = last_words(log);
    return results;
  }
  results.summary = text_of(folder + "/summary.json");
  if (results.summary.empty())
  {
    results.message = exit_status > 128 ? "ended by signal " + std::to_string(exit_status - 128)
                                        : last_words(log);
    return results;
  }
  const auto summary = nlohmann::json::parse(results.summary);
  results.message = summary.value("message", "");
  const bool at_limit = summary.value("reason", "") == "energy limit";
  results.status = exit_status == 0   ? Status::done
                   : exit_status != 1 ? Status::failed
                   : at_limit         ? Status::energy_limit
                                      : Status::stopped;
  results.stepping_time = summary.at("wall_time").at("stepping");
  results.strain_kicks = summary.at("strain_kicks");
  results.end = summary.at("time");
  results.statistics = read_histories(folder + "/statistics.csv");
  results.probes = read_histories(folder + "/probes.csv");
  return results;
}

std::optional<ProbeDifference>
probe_difference(const Histories &probes, const Histories &reference)
{
  if (probes.names != reference.names || probes.names.size() < 2)
    return {};
  const unsigned int n_rows = std::min(probes.n_rows(), reference.n_rows());
  double difference[2] = {0, 0}, largest[2] = {0, 0};
  for (const auto &[name, columns] : vectors(probes))
  {
    const unsigned int kind = name.size() > 9 && name.substr(name.size() - 9) == "_velocity";
    for (unsigned int row = 0; row < n_rows; ++row)
    {
      double square = 0, reference_square = 0;
      for (const unsigned int c : columns)
      {
        square += std::pow(probes.columns[c][row] - reference.columns[c][row], 2);
        reference_square += std::pow(reference.columns[c][row], 2);
      }
      difference[kind] = std::max(difference[kind], std::sqrt(square));
      largest[kind] = std::max(largest[kind], std::sqrt(reference_square));
    }
  }
  const auto share = [&](const unsigned int kind)
  { return difference[kind] == 0 ? 0. : difference[kind] / largest[kind]; };
  return ProbeDifference{share(0), share(1)};
}
} // namespace KickDrift
