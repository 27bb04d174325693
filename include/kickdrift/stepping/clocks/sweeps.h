#ifndef KICKDRIFT_STEPPING_CLOCKS_SWEEPS_H
#define KICKDRIFT_STEPPING_CLOCKS_SWEEPS_H

namespace KickDrift
{
/// Sweeps at filtered class boundaries, see ClassBoundaries: at least so many, for boundaries may
/// come up that are not there at the start.
constexpr unsigned int fewest_sweeps = 2;

/// No more than so many, if they do not converge.
constexpr unsigned int most_sweeps = 4;

/**
 * How many sweeps leave a two hundredth of an error, if one alone leaves the share @p contraction
 * of it [-]: accelerated by Chebyshev's semi-iteration s of them leave 1/T_s(1/contraction), with
 * Chebyshev's polynomial T_s (Golub & Varga 1961). A bar at rest has its stress to 1e-4 then.
 * Within fewest_sweeps and most_sweeps; the latter also if the contraction is not below 1.
 */
unsigned int sweeps_needed(double contraction);

/**
 * The weight of the sweep that follows @p n others, the last of which had the weight @p last: what
 * is taken is the position before the last sweep and that weight times the way from there to what
 * the sweep gives (Golub & Varga 1961). 1 for the first one.
 */
double weight_of_sweep(unsigned int n, double contraction, double last);

/**
 * Sweeps that are needed with the time step ratio @p beta, before their contraction is known. With
 * c = H^2/8, and H at most beta times 2/omega, L = c omega^2 <= beta^2/2 bounds the spectrum
 * 1 + (c/m) K of what they solve; relaxed for its middle, 1 + L/2, a sweep leaves L/(2 + L) of an
 * error or less.
 */
unsigned int expected_sweeps(double beta);
} // namespace KickDrift

#endif
