#ifndef KICKDRIFT_BASE_VECTOR_VALUE_H
#define KICKDRIFT_BASE_VECTOR_VALUE_H

#include <deal.II/base/function.h>
#include <deal.II/base/point.h>
#include <deal.II/base/tensor.h>

namespace KickDrift
{
/// Value of a function with as many components as there are dimensions.
template <int dim>
dealii::Tensor<1, dim>
vector_value(const dealii::Function<dim> &function, const dealii::Point<dim> &point)
{
  dealii::Tensor<1, dim> result;
  for (unsigned int d = 0; d < dim; ++d)
    result[d] = function.value(point, d);
  return result;
}
} // namespace KickDrift

#endif
