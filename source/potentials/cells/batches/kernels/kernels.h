#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_KERNELS_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_BATCHES_KERNELS_KERNELS_H

// Definition of the kernels of one instruction set. The including file sets KICKDRIFT_ISA, the name
// of the namespace, and the compiler's options.

#include "pack_kernels.h"

namespace KickDrift
{
namespace CellKernels
{
namespace KICKDRIFT_ISA
{
inline void
drift(double *node_lines, const unsigned int *nodes, const unsigned int n_nodes, const double time)
{
  const Lanes now = all(time);
  for (unsigned int i = 0; i < n_nodes; ++i)
  {
    double *line = node_lines + line_length * nodes[i];
    store(line, drifted(line, now));
  }
}

template <typename Cell, int dim>
Kernel
kernel_with(const Law law)
{
  switch (law)
  {
  case Law::linear_elastic:
    return make_kernel<Cell, LinearElastic, dim>();
  case Law::st_venant_kirchhoff:
    return make_kernel<Cell, StVenantKirchhoff, dim>();
  case Law::neo_hookean:
    return make_kernel<Cell, NeoHookean, dim>();
  case Law::by_material:
    break;
  }
  return make_kernel<Cell, ByMaterial, dim>();
}

template <int dim>
Kernel
kernel_for(const Geometry geometry, const Law law)
{
  switch (geometry)
  {
  case Geometry::box:
    return kernel_with<TensorCell<dim, Geometry::box>, dim>(law);
  case Geometry::affine:
    return kernel_with<TensorCell<dim, Geometry::affine>, dim>(law);
  case Geometry::general:
    return kernel_with<TensorCell<dim, Geometry::general>, dim>(law);
  case Geometry::simplex:
    break;
  }
  return kernel_with<SimplexCell<dim>, dim>(law);
}

template <int dim>
Kernel
one_point_kernel_for(const Geometry geometry, const Law law)
{
  switch (geometry)
  {
  case Geometry::box:
    return kernel_with<OnePointCell<dim, Geometry::box>, dim>(law);
  case Geometry::affine:
    return kernel_with<OnePointCell<dim, Geometry::affine>, dim>(law);
  default:
    return kernel_with<OnePointCell<dim, Geometry::general>, dim>(law);
  }
}

inline Kernel
find_kernel(const unsigned int dim, const Geometry geometry, const Law law, const bool one_point)
{
  if (one_point)
    return dim == 2 ? one_point_kernel_for<2>(geometry, law)
                    : one_point_kernel_for<3>(geometry, law);
  return dim == 2 ? kernel_for<2>(geometry, law) : kernel_for<3>(geometry, law);
}
} // namespace KICKDRIFT_ISA
} // namespace CellKernels
} // namespace KickDrift

#endif
