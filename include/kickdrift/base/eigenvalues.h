#ifndef KICKDRIFT_BASE_EIGENVALUES_H
#define KICKDRIFT_BASE_EIGENVALUES_H

#include <vector>

namespace KickDrift
{
/**
 * The largest eigenvalue of a symmetric tridiagonal matrix, zero for an empty one: bisection by
 * Sturm sequences (Golub & Van Loan, Matrix Computations, section 8.4). Too large by at most 1e-11
 * (relative), too small by round-off at most.
 * @param diagonal shape (n)
 * @param off_diagonal shape (n-1) or longer
 */
double largest_eigenvalue(const std::vector<double> &diagonal,
                          const std::vector<double> &off_diagonal);

/// The same for a symmetric matrix, shape (n, n), which is destroyed: Householder's tridiagonal
/// form first (section 8.3).
double largest_eigenvalue(std::vector<double> &matrix, unsigned int n);
} // namespace KickDrift

#endif
