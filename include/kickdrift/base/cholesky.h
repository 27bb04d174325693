#ifndef KICKDRIFT_BASE_CHOLESKY_H
#define KICKDRIFT_BASE_CHOLESKY_H

#include <vector>

namespace KickDrift
{
/**
 * Solve A x = b by Cholesky's method. Unknowns that rounding makes dependent on those before are
 * zero: these do for them. For small dense matrices whose solutions must have the same bits on any
 * number of threads, which BLAS does not promise.
 * @param a symmetric positive definite, shape (n, n) by rows; its lower half is used, and lost
 * @param b becomes x, shape (n)
 */
void solve_by_cholesky(std::vector<double> &a, std::vector<double> &b);
} // namespace KickDrift

#endif
