#include <kickdrift/potentials/shells/membrane.h>

namespace KickDrift
{
using namespace dealii;

MembraneTriangle::MembraneTriangle(const Vector &to_1, const Vector &to_2)
{
  const Vector area_vector = 0.5 * cross_product_3d(to_1, to_2);
  reference_area = area_vector.norm();
  const double length = to_1.norm();
  plane[0] = to_1 / length;
  plane[1] = cross_product_3d(area_vector / reference_area, plane[0]);
  // inverse of the matrix of to_1 = (length, 0) and to_2 = (x, y) as columns
  const double x = to_2 * plane[0], y = to_2 * plane[1];
  g_11 = 1 / length;
  g_12 = -x / (length * y);
  g_22 = 1 / y;
}

MembraneTriangle::State
MembraneTriangle::state(const Vector &u_1, const Vector &u_2) const
{
  const Vector h_1 = g_11 * u_1, h_2 = g_12 * u_1 + g_22 * u_2;
  State state;
  state.gradient = {{plane[0] + h_1, plane[1] + h_2}};
  state.strain = {{plane[0] * h_1 + 0.5 * (h_1 * h_1), plane[1] * h_2 + 0.5 * (h_2 * h_2),
                   0.5 * (plane[0] * h_2 + plane[1] * h_1 + h_1 * h_2)}};
  return state;
}

std::array<MembraneTriangle::Vector, 3>
MembraneTriangle::forces(const State &state, const PlaneTensor &stress) const
{
  const Vector p_1 = stress[0] * state.gradient[0] + stress[2] * state.gradient[1];
  const Vector p_2 = stress[2] * state.gradient[0] + stress[1] * state.gradient[1];
  const Vector on_1 = -reference_area * (g_11 * p_1 + g_12 * p_2);
  const Vector on_2 = (-reference_area * g_22) * p_2;
  return {{-(on_1 + on_2), on_1, on_2}};
}

std::array<std::array<double, 2>, 3>
MembraneTriangle::shape_gradients() const
{
  return {{{{-g_11, -g_12 - g_22}}, {{g_11, g_12}}, {{0., g_22}}}};
}
} // namespace KickDrift
