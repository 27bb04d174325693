#ifndef KICKDRIFT_CASES_PARAMETERS_OBSTACLE_PARAMETERS_H
#define KICKDRIFT_CASES_PARAMETERS_OBSTACLE_PARAMETERS_H

#include <kickdrift/base/expressions.h>
#include <kickdrift/contact/geometry/obstacles.h>

#include <deal.II/base/parameter_handler.h>

#include <memory>
#include <optional>
#include <string>

namespace KickDrift
{
/**
 * Makes the shape of an obstacle from parameters.
 *
 * Derive from it, and register the class with Registry<ShapeMaker<dim>> to use its name as
 * `Obstacles/NAME/Shape`. Texts of parameters may be expressions of constants: keep them as they
 * are in parse_parameters() and evaluate them in make().
 */
template <int dim>
class ShapeMaker
{
public:
  virtual ~ShapeMaker() = default;

  /// Declare the parameters in the current subsection.
  static void
  declare_parameters(dealii::ParameterHandler &)
  {
  }
  /// Read the parameters from the current subsection.
  virtual void
  parse_parameters(dealii::ParameterHandler &)
  {
  }

  /// @param section name of the subsection, for messages: "Obstacles/floor"
  /// Throws dealii::ExceptionBase that names the parameter that is wrong.
  virtual std::shared_ptr<const Shape<dim>> make(const std::string &section,
                                                 const Constants &constants) const = 0;
};

/// Register the built-in shapes: plane, sphere, box, and in three dimensions cylinder; further
/// calls do nothing.
void register_built_in_shapes();

/// Subsection Obstacles/NAME.
template <int dim>
struct ObstacleParameters
{
  Obstacle<dim> obstacle;            ///< shape and motion
  std::optional<double> friction;    ///< with all bodies, instead of that of Contact
  std::optional<double> restitution; ///< with all bodies, instead of that of Contact

  /// Declare the parameters in the current subsection.
  static void declare_parameters(dealii::ParameterHandler &prm);
  /// Read the parameters from the current subsection.
  void parse_parameters(dealii::ParameterHandler &prm, const Constants &constants);
};
} // namespace KickDrift

#endif
