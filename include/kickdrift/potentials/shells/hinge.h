#ifndef KICKDRIFT_POTENTIALS_SHELLS_HINGE_H
#define KICKDRIFT_POTENTIALS_SHELLS_HINGE_H

#include <deal.II/base/tensor.h>

#include <array>

namespace KickDrift
{
/**
 * Two triangles with a common edge: x_0 and x_1 are the ends of the edge, x_2 is the corner of the
 * triangle (0, 1, 2), x_3 that of (1, 0, 3).
 */
using HingeCorners = std::array<dealii::Tensor<1, 3>, 4>;

/// Angle of a hinge with its derivatives.
struct HingeAngle
{
  double angle;          ///< 0 if flat, positive if the normals move apart; in (-pi, pi]
  HingeCorners gradient; ///< by the corners [1/length]
};

/// Angle between the normals of the triangles, in (-pi, pi].
double hinge_angle(const HingeCorners &corners);

/// The same with derivatives.
HingeAngle hinge_angle_and_gradient(const HingeCorners &corners);

/// What an angle is short of another, modulo 2 pi, in [-pi, pi].
double angle_difference(double angle, double rest_angle);
} // namespace KickDrift

#endif
