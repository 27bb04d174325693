#ifndef KICKDRIFT_BASE_FIXED_POINT_ACCELERATION_H
#define KICKDRIFT_BASE_FIXED_POINT_ACCELERATION_H

#include <vector>

namespace KickDrift
{
/**
 * Anderson's acceleration of an iteration x -> G(x) (D. G. Anderson, J. ACM 12, 1965): of the last
 * points those combinations are taken whose change G(x) - x would be least if G were affine. For
 * affine maps that is GMRES. Components of x should be of one unit.
 */
class FixedPointAcceleration
{
public:
  /// @param depth number of differences that are remembered
  explicit FixedPointAcceleration(unsigned int depth);

  /// Forget all points, as the map has changed.
  void restart();

  /**
   * Replace the image of a point by a better one. If changes grow instead, it stays as it is and
   * the points before are forgotten.
   * @param point x
   * @param image G(x), replaced
   */
  void extrapolate(const std::vector<double> &point, std::vector<double> &image);

private:
  /// What two points, one after the other, differ by.
  struct Difference
  {
    std::vector<double> image, change;
  };

  void add_difference(const std::vector<double> &image);
  /// Find the combination; false: there is none.
  bool solve();

  const unsigned int depth;
  unsigned int n_differences = 0, next = 0; ///< how many there are; where the next one goes
  bool has_last = false;
  std::vector<Difference> differences;
  std::vector<double> last_image, last_change, change;
  std::vector<double> products; ///< of changes of differences, shape (depth, depth)
  std::vector<double> factor, coefficients;
};
} // namespace KickDrift

#endif
