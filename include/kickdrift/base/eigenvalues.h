#ifndef KICKDRIFT_BASE_EIGENVALUES_H
#define KICKDRIFT_BASE_EIGENVALUES_H

#include <deal.II/base/symmetric_tensor.h>

#include <cmath>
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

/// The same for a symmetric tensor. (In two dimensions dealii::eigenvalues() takes the root of a
/// difference that rounding may make negative if both are the same.)
template <int dim>
double
largest_eigenvalue(const dealii::SymmetricTensor<2, dim> &tensor)
{
  if constexpr (dim == 2)
    return 0.5 * (tensor[0][0] + tensor[1][1]) +
           std::hypot(0.5 * (tensor[0][0] - tensor[1][1]), tensor[0][1]);
  else
    return dealii::eigenvalues(tensor)[0];
}
} // namespace KickDrift

#endif
