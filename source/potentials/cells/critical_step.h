#ifndef KICKDRIFT_SOURCE_POTENTIALS_CELLS_CRITICAL_STEP_H
#define KICKDRIFT_SOURCE_POTENTIALS_CELLS_CRITICAL_STEP_H

#include <kickdrift/potentials/cells/cell_kicks.h>
#include <kickdrift/potentials/materials/built_in_materials.h>

#include <array>
#include <functional>

namespace KickDrift
{
/// dP_ik / dH_jl as entry [dim * i + k][dim * j + l] [energy/length^dim].
template <int dim>
using Tangent = std::array<std::array<double, dim * dim>, dim * dim>;

/// Tangent at a displacement gradient, by central differences of the stress; symmetric.
template <int dim>
Tangent<dim> tangent_at(const Material<dim> &material, const dealii::Tensor<2, dim> &gradient);

/// Tangent in the reference state.
template <int dim>
Tangent<dim>
reference_tangent(const Material<dim> &material)
{
  return tangent_at(material, dealii::Tensor<2, dim>());
}

/// Lamé parameters in the reference state; of laws that are not isotropic, means over the axes.
template <int dim>
Lame reference_lame(const Material<dim> &material);

/// Gradients of the shape functions by reference coordinates at a quadrature point, shape (nodes
/// per cell) [-].
template <int dim>
const std::vector<dealii::Tensor<1, dim>> &reference_gradients(unsigned int nodes_per_cell,
                                                               unsigned int point);

/**
 * Gradients of the shape functions at a quadrature point, shape (nodes per cell) [1/length].
 * @param inverse_jacobian d(reference coordinate)/dX at the point
 */
template <int dim>
std::vector<dealii::Tensor<1, dim>> shape_gradients(unsigned int nodes_per_cell, unsigned int point,
                                                    const dealii::Tensor<2, dim> &inverse_jacobian);

/// stiffness += weight B^T C B of one point; shape (dim nodes, dim nodes), upper triangle only.
template <int dim>
void add_stiffness(const std::vector<dealii::Tensor<1, dim>> &gradients, double weight,
                   const Tangent<dim> &tangent, std::vector<double> &stiffness);

/// Contraction g . T g is the trace of g^T C g, the diagonal block of a node with the gradient g;
/// T_kl is the sum of C_ik,il over i [energy/length^dim].
template <int dim>
dealii::Tensor<2, dim> trace_of_blocks(const Tangent<dim> &tangent);

/**
 * Critical step 2/omega_max for the stiffness matrix with this upper triangle [time]: never above
 * the exact one, and below it by no more than 1e-7 (relative). Infinity if there is no stiffness.
 * @param masses shape (n_nodes); zero only at nodes whose rows are zero
 */
double critical_step_of(std::vector<double> stiffness, const std::vector<double> &masses,
                        unsigned int dim);

/**
 * Step 2/omega_max for the symmetric operator (x, y) -> y = A x of size n whose largest eigenvalue
 * is omega_max^2, by a few steps of Lanczos' method with the residual as margin: nearly always
 * below the exact one, and by a few per cent at most.
 */
double
lanczos_step(unsigned int n,
             const std::function<void(const std::vector<double> &, std::vector<double> &)> &apply);
} // namespace KickDrift

#endif
