// How the kicks of a model would be divided among processes.

#include <kickdrift/base/messages.h>
#include <kickdrift/cases/model/preflight.h>
#include <kickdrift/stepping/division.h>

#include <cmath>

namespace KickDrift
{
template <int dim>
void
print_division(const Model<dim> &model, const unsigned int n_ranks, std::ostream &out)
{
  AssertThrow(model.stepper.levels().has_classes(),
              dealii::ExcMessage("'--ranks' is for step classes: 'Stepping/Clocks' = per cell runs "
                                 "on one process."));
  const Division division = divide_in_thought(model.stepper, model.nodes.size(), n_ranks);
  const auto per_cent = [](const double share)
  { return std::to_string(std::lround(100 * share)) + " %"; };
  out << "On " << n_ranks << " processes: " << number_text(division.redundancy)
      << " times the kicks of one";
  if (division.shared > 0)
    out << " (all give those at surfaces that may touch, " << per_cent(division.shared)
        << " of the kicks of one)";
  out << "; each needs " << std::lround(division.halo) << " nodes of "
      << number_text(std::round(10 * division.neighbours) / 10)
      << " others, on average; efficiency at most " << per_cent(division.efficiency)
      << (model.contact ? ", contact apart" : "") << "\n";
}

template void print_division(const Model<2> &, unsigned int, std::ostream &);
template void print_division(const Model<3> &, unsigned int, std::ostream &);
} // namespace KickDrift
