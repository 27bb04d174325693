#include "scenes/table.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace Scenes
{
namespace
{
std::string
short_number(const double value)
{
  std::ostringstream text;
  text << std::setprecision(2) << value;
  return text.str();
}

/// Numbers in messages differ from scene to scene.
std::string
without_numbers(const std::string &message)
{
  std::string result;
  for (const char c : message)
    if (std::isdigit(static_cast<unsigned char>(c)) == 0)
      result += c;
    else if (result.empty() || result.back() != '#')
      result += '#';
  return result.substr(0, 100);
}

/// "3 (of 1e-05)", or nothing.
std::string
count_and_worst(const unsigned int count, const double worst)
{
  return std::to_string(count) + " (" + short_number(worst) + ")";
}

template <int dim>
double
off(const Outcome<dim> &outcome)
{
  return std::max(outcome.momentum_error, outcome.friction_excess);
}
} // namespace

template <int dim>
std::string
record(const Scene<dim> &scene, const Outcome<dim> &outcome)
{
  const Findings &found = outcome.findings;
  std::ostringstream text;
  text << std::setprecision(3) << "--kind " << scene.kind << " --dim " << dim << " --seed "
       << scene.seed << ": missed " << found.missed << ", deep " << found.deep << " ("
       << found.max_share << " of the thickness), lost " << found.lost << ", false "
       << found.false_pushes;
  if (found.false_pushes > 0)
    text << " (gap " << found.gap_of_push << ")";
  if (found.first_time >= 0)
    text << ", first at " << found.first_time;
  text << ", energy growth " << outcome.energy_growth << ", error " << outcome.energy_error;
  if (scene.expectation == Expectation::keeps_speed ||
      scene.expectation == Expectation::keeps_energy)
    text << ", change " << outcome.change << " for " << scene.allowed_change;
  if (scene.expectation == Expectation::impact)
    text << ", momenta off by " << outcome.momentum_error << " and " << outcome.angular_error
         << " (angular), friction by " << outcome.friction_excess;
  text << "; " << outcome.collisions << " impulses, " << found.instants << " instants to "
       << outcome.time << " of " << scene.end_time << " | e " << scene.restitution << ", mu "
       << scene.friction << ", " << (scene.one_clock ? "one clock" : "classes") << ",";
  for (const auto &body : scene.bodies)
  {
    text << (body.kind == BodyKind::elastic ? (body.is_linear ? " linear" : " elastic")
             : body.kind == BodyKind::rigid ? " rigid"
                                            : " driven")
         << "(";
    for (const auto &part : body.parts)
      text << part.cells.size() << (part.cells[0].size() == dim + 1 ? " simplices" : " cells")
           << (&part == &body.parts.back() ? ")" : ", ");
  }
  if (!outcome.error.empty())
    text << " | stopped: " << outcome.error;
  return text.str();
}

template <int dim>
void
Row::add(const Scene<dim> &scene, const Outcome<dim> &outcome)
{
  const Findings &found = outcome.findings;
  ++scenes;
  failed += outcome.has_failed(scene);
  touched += !found.touched.empty();
  missed += found.missed > 0;
  deep += found.deep > 0;
  lost += found.lost > 0;
  false_pushes += found.false_pushes > 0;
  grown += outcome.energy_growth > allowed_growth;
  changed += outcome.change > scene.allowed_change;
  off += Scenes::off(outcome) > rounding;
  turned += outcome.angular_error > rounding;
  stopped += !outcome.error.empty();
  worst_share = std::max(worst_share, found.max_share);
  worst_growth = std::max(worst_growth, outcome.energy_growth);
  worst_error = std::max(worst_error, outcome.energy_error);
  worst_change = std::max(worst_change, outcome.change);
  worst_off = std::max(worst_off, Scenes::off(outcome));
  worst_turn = std::max(worst_turn, outcome.angular_error);
  seconds += outcome.seconds;
  seconds_of_oracle += outcome.seconds_of_oracle;
  instants += found.instants;
  if (!outcome.error.empty())
    ++errors[without_numbers(outcome.error)];
}

std::string
table_head()
{
  return "| kind | dim | scenes | touch | failed | missed | deep (share of thickness) | lost | "
         "false | energy grew (by) | own balance off by | speed, energy of slides changed (by) | "
         "momenta, friction off (by) | angular momentum off (by) | stopped | instants | s (oracle) "
         "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|";
}

std::string
table_row(const std::string &kind, const int dim, const Row &row)
{
  std::ostringstream text;
  text << "| " << kind << " | " << dim << " | " << row.scenes << " | " << row.touched << " | "
       << row.failed << " | " << row.missed << " | " << count_and_worst(row.deep, row.worst_share)
       << " | " << row.lost << " | " << row.false_pushes << " | "
       << count_and_worst(row.grown, row.worst_growth) << " | " << short_number(row.worst_error)
       << " | " << count_and_worst(row.changed, row.worst_change) << " | "
       << count_and_worst(row.off, row.worst_off) << " | "
       << count_and_worst(row.turned, row.worst_turn) << " | " << row.stopped << " | "
       << row.instants << " | " << short_number(row.seconds) << " ("
       << short_number(row.seconds_of_oracle) << ") |";
  return text.str();
}

template std::string record(const Scene<2> &, const Outcome<2> &);
template std::string record(const Scene<3> &, const Outcome<3> &);
template void Row::add(const Scene<2> &, const Outcome<2> &);
template void Row::add(const Scene<3> &, const Outcome<3> &);
} // namespace Scenes
