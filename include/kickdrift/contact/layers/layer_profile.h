#ifndef KICKDRIFT_CONTACT_LAYERS_LAYER_PROFILE_H
#define KICKDRIFT_CONTACT_LAYERS_LAYER_PROFILE_H

#include <kickdrift/contact/layers/layer_parameters.h>

#include <vector>

namespace KickDrift
{
/**
 * The potentials of penalty layers as functions of the distance d of two primitives, without units:
 * x = d/(2 eta) is one where the first layer begins, and energies are in units of k (2 eta)^2. So
 * with v(x) of this class
 * @f[ V = k (2\eta)^2 v, \quad F = -dV/dd = 2\eta k f, \quad d^2V/dd^2 = k c. @f]
 *
 * Layers that share a clock are a level; level m has the step h_0/2^m. Cubic layers (l = m + 1):
 * @f[ \tau_m = 2^{-m/2}, \quad v_m = 4^m/\tau_m (\tau_m - x)^3, @f]
 * twice continuously differentiable, with a largest stiffness of 6 4^m: as a layer is four times as
 * stiff as the one before, its step is exactly half as long, and it is stiffer than all before it
 * together. Quadratic layers (Vouga et al. 2011):
 * @f[ \tau_l = 1/l, \quad v_l = l^3 (\tau_l - x)^2, @f]
 * whose steps are proportional to l^(-3/2), rounded down to those of levels; a level may have
 * several layers, or none. In both the sum of all layers diverges where x goes to zero, so that
 * whatever has a finite energy stops before that.
 */
class LayerProfile
{
public:
  /// @param n_levels at least one; deeper layers are left out
  LayerProfile(LayerShape shape, unsigned int n_levels);

  /// Number of levels.
  unsigned int
  n_levels() const
  {
    return levels.size();
  }

  /// Where this level and all below it end: they give no force where x is not below it [-].
  double
  thickness(const unsigned int level) const
  {
    return levels[level].thickness;
  }

  /// v of the layers of a level [-].
  double energy(unsigned int level, double x) const;
  /// f = -dv/dx of the layers of a level [-].
  double force(unsigned int level, double x) const;
  /// c = d^2v/dx^2 of the layers of a level [-].
  double curvature(unsigned int level, double x) const;

  /// The sum of energy() over all levels [-].
  double energy(double x) const;
  /// The sum of curvature() over all levels [-].
  double curvature(double x) const;

  /// Largest curvature of the first layer: its largest stiffness over k [-].
  double
  largest_curvature() const
  {
    return shape == LayerShape::cubic ? 6. : 2.;
  }

  /**
   * The stiffness k with which the first layer of a pair has the step @p step at this @p ratio of
   * its critical step: @f$k = (2\beta/H)^2/(c a)@f$ with the largest curvature c.
   * @param inverse_mass a = sum_B c_B^2 n . W_B n of the pair, at most [1/mass]
   */
  double stiffness_for_step(double ratio, double step, double inverse_mass) const;

  /// The inverse of stiffness_for_step(): the step of the first layer [time].
  double step_for_stiffness(double ratio, double stiffness, double inverse_mass) const;

private:
  /// Layers with one clock.
  struct Level
  {
    double thickness;         ///< of the first layer of this level or, if it has none, below [-]
    unsigned int first, last; ///< layers, the last not included; quadratic ones only
  };

  /// Call @p f (thickness, stiffness) for the layers of a level that reach to @p x.
  template <typename Function>
  void for_each_layer(unsigned int level, double x, const Function &f) const;

  const LayerShape shape;
  std::vector<Level> levels;
};

/// The approach speed that the first layer of a pair stops alone, v_1: half its square over a is
/// the energy 4 k eta^2 [length/time]. Arguments as for LayerProfile::stiffness_for_step().
double stopped_speed(double thickness, double stiffness, double inverse_mass);
} // namespace KickDrift

#endif
