#ifndef KICKDRIFT_BENCHMARKS_STEPPING_CASES_H
#define KICKDRIFT_BENCHMARKS_STEPPING_CASES_H

#include <kickdrift/cases/model/model.h>

namespace KickDrift
{
namespace Benchmarks
{
/**
 * A case as the program would run it, made from a parameter text, and its mesh:
 *
 * * `bar`: 5n x n x n boxes that get n times shorter towards one end (one of the two elastic bars),
 * * `general`: the same, with the lattice warped so that no cell is a parallelepiped,
 * * `graded`: 10n x 2n x 2n boxes, most of them cubes, some up to 30 times thinner,
 * * `one_point`: the bar with one-point integration and hourglass control,
 * * `tetrahedra`: the bar with every box cut into five.
 *
 * The material is St. Venant-Kirchhoff with Poisson's ratio 0.3.
 */
class SteppingCase
{
public:
  /// @param settings further lines of the parameter text, e.g. "set Stepping/Clocks = one"
  SteppingCase(const std::string &mesh, unsigned int n, const std::vector<std::string> &settings);

  CaseParameters<3> parameters;
  std::unique_ptr<Model<3>> model;

  /// Strain kicks so far.
  std::uint64_t strain_kicks() const;

  /// Longest step of a cell [time].
  double longest_step() const;
};
} // namespace Benchmarks
} // namespace KickDrift

#endif
