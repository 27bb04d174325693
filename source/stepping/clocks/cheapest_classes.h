#ifndef KICKDRIFT_SOURCE_STEPPING_CLOCKS_CHEAPEST_CLASSES_H
#define KICKDRIFT_SOURCE_STEPPING_CLOCKS_CHEAPEST_CLASSES_H

// What nested clocks cost where class boundaries are filtered, and bases for those that cost least.

#include <kickdrift/base/compressed_rows.h>
#include <kickdrift/stepping/clocks/step_classes.h>

#include <vector>

namespace KickDrift
{
/// A base for nested classes.
struct Base
{
  double step;           ///< of the finest class [time]
  double kicks_per_time; ///< that it needs at least: without rules for neighbours, and without
                         ///< sweeps [1/time]
};

/// Bases in (h_min/2, h_min] for kicks with @p steps, some of each octave and the one that needs
/// the fewest kicks. First h_min, then by what they need.
std::vector<Base> bases_to_try(const std::vector<double> &steps);

/// A base below h_min must save this much of what h_min needs, for contact is tested more often.
constexpr double worth_it = 0.97;

/// Nested classes whose finest one above @p n_spare has the step @p base.
StepClasses nested_classes_on(double base, const std::vector<double> &steps, unsigned int n_spare);

/// Sweeps that leave a two hundredth of an error, so that a bar at rest has its stress to 1e-4, if
/// one alone leaves @p contraction of it: with acceleration s of them leave 1/T_s(1/contraction),
/// T_s being Chebyshev's polynomial. One at least, and four at most.
unsigned int sweeps_needed(double contraction);

/**
 * Sweeps that class boundaries take with the time step ratio @p beta, before their contraction is
 * known. With c = H^2/8, and H at most beta times 2/omega, c omega^2 <= beta^2/2 =: L bounds the
 * spectrum of what they solve, 1 + (c/m) K; relaxed for its middle, 1 + L/2, an error becomes
 * L/(2 + L) of itself or less.
 */
unsigned int expected_sweeps(double beta);

/// Evaluations of kicks per time: a kick beside finer ones of its stratum is evaluated in each of
/// @p n_sweeps, too; see apply_stability_rule() for the other parameters [1/time].
double evaluations_per_time(const StepClasses &classes, const std::vector<double> &critical_steps,
                            const CompressedRows<unsigned int> &nodes_of_kick, unsigned int n_nodes,
                            const std::vector<unsigned int> &strata, unsigned int n_sweeps);
} // namespace KickDrift

#endif
