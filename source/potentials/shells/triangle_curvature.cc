#include <kickdrift/potentials/shells/membrane.h>
#include <kickdrift/potentials/shells/triangle_curvature.h>

namespace KickDrift
{
using namespace dealii;

TriangleCurvature::TriangleCurvature(const ShellMesh &mesh, const unsigned int triangle)
    : area(mesh.area(triangle))
{
  const auto &corners = mesh.triangles()[triangle];
  const auto &x = mesh.positions();
  const MembraneTriangle plane(x[corners[1]] - x[corners[0]], x[corners[2]] - x[corners[0]]);
  for (unsigned int i = 0; i < 3; ++i)
  {
    const Tensor<1, 3> edge = x[corners[(i + 1) % 3]] - x[corners[i]];
    // the edge turned by a right angle is its length times its normal
    const double n_1 = edge * plane.axes()[1], n_2 = -(edge * plane.axes()[0]);
    const double factor = 1 / (2 * area * edge.norm());
    per_angle[i] = {{factor * n_1 * n_1, factor * n_2 * n_2, factor * n_1 * n_2}};
    is_free[i] = !mesh.edge(triangle, i).carries_moment();
  }
}

TriangleCurvature::Matrix
TriangleCurvature::unit_stiffness(const double poisson_ratio) const
{
  Matrix Q;
  for (unsigned int i = 0; i < 3; ++i)
    for (unsigned int j = 0; j < 3; ++j)
      Q[i][j] = area * contract(per_angle[i], plane_stress(1., poisson_ratio, per_angle[j]));
  return Q;
}

TriangleCurvature::Matrix
TriangleCurvature::stiffness(const double stiffness, const double poisson_ratio) const
{
  Matrix Q = unit_stiffness(poisson_ratio);
  for (unsigned int f = 0; f < 3; ++f)
    if (is_free[f])
    {
      const auto row = Q[f];
      for (unsigned int i = 0; i < 3; ++i)
        for (unsigned int j = 0; j < 3; ++j)
          Q[i][j] = i == f || j == f ? 0. : Q[i][j] - row[i] * row[j] / row[f];
    }
  for (auto &row : Q)
    for (double &entry : row)
      entry *= stiffness;
  return Q;
}

PlaneTensor
TriangleCurvature::curvature(const std::array<double, 3> &angles, const double poisson_ratio) const
{
  // Gaussian elimination of the free angles, whose moments are zero.
  Matrix Q = unit_stiffness(poisson_ratio);
  std::array<double, 3> all = angles;
  std::array<bool, 3> is_known;
  for (unsigned int i = 0; i < 3; ++i)
    is_known[i] = !is_free[i];
  std::array<unsigned int, 3> order;
  std::array<Matrix, 3> reduced;
  unsigned int n = 0;
  for (unsigned int f = 0; f < 3; ++f)
    if (is_free[f])
    {
      order[n] = f;
      reduced[n++] = Q;
      const auto row = Q[f];
      for (unsigned int i = 0; i < 3; ++i)
        for (unsigned int j = 0; j < 3; ++j)
          Q[i][j] -= row[i] * row[j] / row[f];
    }
  while (n-- > 0)
  {
    const unsigned int f = order[n];
    double sum = 0;
    for (unsigned int j = 0; j < 3; ++j)
      if (is_known[j])
        sum += reduced[n][f][j] * all[j];
    all[f] = -sum / reduced[n][f][f];
    is_known[f] = true;
  }
  PlaneTensor result{};
  for (unsigned int i = 0; i < 3; ++i)
    for (unsigned int c = 0; c < 3; ++c)
      result[c] += all[i] * per_angle[i][c];
  return result;
}
} // namespace KickDrift
