#include <kickdrift/potentials/shells/hinge.h>

#include <deal.II/base/numbers.h>

#include <cmath>

namespace KickDrift
{
using namespace dealii;

namespace
{
using Vector = Tensor<1, 3>;

/// The edge and twice the area vectors of the triangles.
struct Normals
{
  explicit Normals(const HingeCorners &x)
      : edge(x[1] - x[0]),
        length(edge.norm()),
        first(cross_product_3d(x[0] - x[2], x[1] - x[2])),
        second(cross_product_3d(x[1] - x[3], x[0] - x[3]))
  {
  }

  double
  angle() const
  {
    return std::atan2((cross_product_3d(first, second) * edge) / length, first * second);
  }

  Vector edge;
  double length;
  Vector first, second;
};
} // namespace

double
hinge_angle(const HingeCorners &corners)
{
  return Normals(corners).angle();
}

HingeAngle
hinge_angle_and_gradient(const HingeCorners &x)
{
  const Normals normals(x);
  // The height of a corner above the edge turns its triangle; the ends of the edge take the
  // opposite, as a lever does.
  const Vector a = normals.first / (normals.first * normals.first);
  const Vector b = normals.second / (normals.second * normals.second);
  const Vector unit = normals.edge / normals.length;
  HingeAngle result;
  result.angle = normals.angle();
  result.gradient[0] = -((x[2] - x[1]) * unit) * a - ((x[3] - x[1]) * unit) * b;
  result.gradient[1] = ((x[2] - x[0]) * unit) * a + ((x[3] - x[0]) * unit) * b;
  result.gradient[2] = -normals.length * a;
  result.gradient[3] = -normals.length * b;
  return result;
}

double
angle_difference(const double angle, const double rest_angle)
{
  return std::remainder(angle - rest_angle, 2 * numbers::PI);
}
} // namespace KickDrift
