#ifndef KICKDRIFT_STEPPING_CLOCKS_STABILITY_RULE_H
#define KICKDRIFT_STEPPING_CLOCKS_STABILITY_RULE_H

#include <kickdrift/base/compressed_rows.h>
#include <kickdrift/stepping/clocks/step_classes.h>

#include <limits>
#include <vector>

namespace KickDrift
{
/**
 * The longest step H that may come beside a kick, so that the two do not resonate [time].
 *
 * Kicks with a long step H are a train of pulses for their neighbours. A neighbour with the step h
 * and the critical step h_c vibrates in leapfrog with the frequency Omega = (2/h) asin(h/h_c);
 * pulses at every half of its period would pump energy into it. So H Omega < pi is asked for, with
 * a margin of a thousandth (method: when nested clocks resonate; Fong, Darve & Lew 2008 describe
 * such resonances). Infinity for kicks without critical step.
 */
double longest_step_beside(double step, double critical_step);

/// What the rule has done to classes.
struct StabilityRuleReport
{
  unsigned int n_lowered = 0; ///< kicks whose class is finer than their own step asks for
  double added = 0;           ///< kicks per time that this adds, as a share of those without [-]
  /// Smallest pi - H Omega of two kicks within the reach of the rule.
  double margin = std::numeric_limits<double>::infinity();
  unsigned int long_kick = 0;  ///< of the smallest margin, the kick with the step H
  unsigned int short_kick = 0; ///< of the smallest margin, the kick with the frequency Omega
};

/**
 * Lower classes until no kick's step is above longest_step_beside() of any kick that shares a node
 * with it, or shares one with a kick that does. Every kick gets the coarsest class that the rule
 * and its own step allow. The work is proportional to the number of nodes of all kicks.
 *
 * @param classes on input by the kicks' own steps
 * @param critical_steps shape (n_kicks) [time]; kicks without limit (infinity) do not count as
 * neighbours
 * @param nodes_of_kick shape (n_kicks)
 * @param strata for filtered class boundaries, see ClassBoundaries: kicks that share a node, and
 * for which this is equal, are at most one class apart; shape (n_kicks), or empty: boundaries are
 * plain
 * @param n_sweeps that kicks beside finer ones take then; patches of kicks that cost less in the
 * next finer class go there, none if there are less than two
 */
StabilityRuleReport
apply_stability_rule(StepClasses &classes, const std::vector<double> &critical_steps,
                     const CompressedRows<unsigned int> &nodes_of_kick, unsigned int n_nodes,
                     const std::vector<unsigned int> &strata = {}, unsigned int n_sweeps = 0);

/// Evaluations of kicks per time: with filtered boundaries a kick beside finer ones of its stratum
/// is evaluated in each sweep, too. Parameters as those of apply_stability_rule() [1/time].
double evaluations_per_time(const StepClasses &classes, const std::vector<double> &critical_steps,
                            const CompressedRows<unsigned int> &nodes_of_kick, unsigned int n_nodes,
                            const std::vector<unsigned int> &strata, unsigned int n_sweeps);
} // namespace KickDrift

#endif
