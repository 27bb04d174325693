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

/// Impulses of contact.csv, which has rows for pairs that something has happened to, at all these
/// times: those of the last row before.
Histories
read_contact(const std::string &file, const std::vector<double> &times)
{
  Histories result;
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  const auto names = Utilities::split_string_list(line, ',');
  result.names = {"time"};
  result.columns = {times};
  while (std::getline(stream, line))
  {
    const auto fields = Utilities::split_string_list(line, ',');
    if (fields.size() != names.size())
      break;
    const double time = std::strtod(fields[0].c_str(), nullptr);
    const auto from = std::lower_bound(times.begin(), times.end(), time) - times.begin();
    for (unsigned int f = 3; f < fields.size(); ++f)
      if (names[f].rfind("impulse_", 0) == 0)
      {
        const std::string name = fields[1] + "_" + fields[2] + "_" + names[f];
        const auto found = std::find(result.names.begin(), result.names.end(), name);
        const unsigned int c = found - result.names.begin();
        if (found == result.names.end())
        {
          result.names.push_back(name);
          result.columns.emplace_back(times.size(), 0.);
        }
        std::fill(result.columns[c].begin() + from, result.columns[c].end(),
                  std::strtod(fields[f].c_str(), nullptr));
      }
  }
  return result;
}

// Forces are means over this part of a run.
constexpr unsigned int intervals_of_force = 50;

/// Numbers of the columns of a vector's components.
using Columns = std::vector<unsigned int>;

/// Columns of the components of each vector whose name ends with @p kind: those of "tip_velocity"
/// are "tip_velocity_x", ...
std::map<std::string, Columns>
vectors(const Histories &histories, const std::string &kind)
{
  std::map<std::string, Columns> result;
  for (unsigned int c = 1; c < histories.names.size(); ++c)
  {
    const std::string name = histories.names[c].substr(0, histories.names[c].size() - 2);
    if (name.size() >= kind.size() && name.substr(name.size() - kind.size()) == kind)
      result[name].push_back(c);
  }
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
  results.processor_time = summary.at("processor_time_of_stepping");
  results.evaluations =
      summary.at("strain_kicks").get<double>() + summary.at("kicks").value("class boundaries", 0.);
  results.end = summary.at("time");
  if (const auto error = summary.find("energy_error_max");
      error != summary.end() && error->is_number())
    results.energy_error = *error;
  results.statistics = read_histories(folder + "/statistics.csv");
  results.probes = read_histories(folder + "/probes.csv");
  results.reactions = read_histories(folder + "/reactions.csv");
  if (results.statistics.n_rows() > 0)
    results.contact = read_contact(folder + "/contact.csv", results.statistics.column("time"));
  return results;
}

std::optional<double>
largest_difference(const Histories &histories, const Histories &reference, const std::string &kind)
{
  const unsigned int n_rows = std::min(histories.n_rows(), reference.n_rows());
  const auto vectors_of_reference = vectors(reference, kind);
  auto names = vectors_of_reference;
  const auto own_vectors = vectors(histories, kind);
  names.insert(own_vectors.begin(), own_vectors.end());
  if (names.empty() || n_rows == 0)
    return {};
  // what only one of them has is zero in the other
  const auto value = [](const Histories &one, const std::map<std::string, Columns> &columns,
                        const std::string &name, const unsigned int d, const unsigned int row)
  {
    const auto found = columns.find(name);
    return found == columns.end() ? 0. : one.columns[found->second[d]][row];
  };
  double difference = 0, largest = 0;
  for (const auto &[name, columns] : names)
    for (unsigned int row = 0; row < n_rows; ++row)
    {
      double square = 0, reference_square = 0;
      for (unsigned int d = 0; d < columns.size(); ++d)
      {
        const double exact = value(reference, vectors_of_reference, name, d, row);
        square += std::pow(value(histories, own_vectors, name, d, row) - exact, 2);
        reference_square += std::pow(exact, 2);
      }
      difference = std::max(difference, std::sqrt(square));
      largest = std::max(largest, std::sqrt(reference_square));
    }
  return difference == 0 ? 0. : difference / largest;
}

std::optional<double>
largest_force(const Histories &histories)
{
  const unsigned int n_rows = histories.n_rows();
  const unsigned int window = std::max(1u, n_rows / intervals_of_force);
  std::optional<double> result;
  for (const auto &[name, columns] : vectors(histories, "_impulse"))
    for (unsigned int row = 0; row + window < n_rows; ++row)
    {
      double square = 0;
      for (const unsigned int c : columns)
        square += std::pow(histories.columns[c][row + window] - histories.columns[c][row], 2);
      const auto &times = histories.column("time");
      result =
          std::max(result.value_or(0.), std::sqrt(square) / (times[row + window] - times[row]));
    }
  return result;
}
} // namespace KickDrift
