// How the kicks of a model would be divided among processes.

#include <kickdrift/base/messages.h>
#include <kickdrift/cases/preflight/preflight.h>
#include <kickdrift/stepping/division/division.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
/// "120", or "118 to 124".
std::string
range_text(std::vector<unsigned int> numbers)
{
  std::sort(numbers.begin(), numbers.end());
  return numbers.front() == numbers.back()
             ? std::to_string(numbers.front())
             : std::to_string(numbers.front()) + " to " + std::to_string(numbers.back());
}
} // namespace

template <int dim>
void
print_division(const Model<dim> &model, const unsigned int n_ranks, std::ostream &out)
{
  const Division division = model.stepper.divide_in_thought(n_ranks);
  const auto per_cent = [](const double share)
  { return std::to_string(std::lround(100 * share)) + " %"; };
  // of processes, from the least to the most
  const auto range = [&](const auto &number)
  {
    std::vector<unsigned int> numbers;
    for (const Holding &holding : division.of_rank)
      numbers.push_back(number(holding));
    return range_text(std::move(numbers));
  };
  const auto of_ranks = [&](unsigned int Holding::*const number)
  { return range([&](const Holding &holding) { return holding.*number; }); };
  out << "On " << n_ranks << " processes: " << number_text(division.redundancy)
      << " times the kicks of one";
  if (division.shared > 0)
    out << " (" << per_cent(division.shared) << " of those of one are given by all)";
  out << "; each holds " << of_ranks(&Holding::kicks) << " kicks and needs "
      << of_ranks(&Holding::halo) << " nodes of " << of_ranks(&Holding::neighbours)
      << " others; efficiency at most " << per_cent(division.efficiency)
      << (model.contact ? ", contact apart" : "") << "\n";
  const ClockQueue &clocks = model.stepper.levels().clocks();
  for (unsigned int c = 0; c < clocks.size(); ++c)
  {
    const auto of_firings = [&](unsigned int Firing::*const number)
    { return range([&](const Holding &holding) { return holding.of_clock[c].*number; }); };
    out << "  every " << number_text(clocks[c].step()) << ": " << of_firings(&Firing::kicks)
        << " kicks of " << division.alone[c] << ", then the motion of " << of_firings(&Firing::halo)
        << " nodes, messages to and from " << of_firings(&Firing::neighbours) << " others\n";
  }
}

template void print_division(const Model<2> &, unsigned int, std::ostream &);
template void print_division(const Model<3> &, unsigned int, std::ostream &);
} // namespace KickDrift
