#ifndef KICKDRIFT_BASE_EXPRESSIONS_H
#define KICKDRIFT_BASE_EXPRESSIONS_H

#include <deal.II/base/function.h>
#include <deal.II/base/point.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace KickDrift
{
/// Named numbers that expressions in a parameter file may use. `pi` is always known.
using Constants = std::map<std::string, double>;

/**
 * Read constants such as "n=4, L=10, h=L/n": expressions may use the constants before them, and
 * those of @p known. Returns these and the new ones.
 *
 * @param name of the parameter, for messages
 * Throws dealii::ExceptionBase, naming parameter and text, for what is not `name=expression`, names
 * that are not identifiers, belong to coordinates (x, y, z, t), pi or functions (sin), or are
 * defined twice, and for values that are not finite.
 */
Constants parse_constants(const std::string &text, const std::string &name,
                          const Constants &known = {});

/**
 * The list of constants @p text with another @p value for @p constant, for instance "n=8, L=10" for
 * "n=4, L=10". Throws dealii::ExceptionBase, naming the constants that there are, if there is no
 * such one.
 */
std::string redefine_constant(const std::string &text, const std::string &constant,
                              const std::string &value);

/// Value of an expression of constants. Throws as parse_constants() does.
double evaluate(const std::string &expression, const std::string &name,
                const Constants &constants = {});

/// The nearest integer if @p value differs from it by rounding only, as 0.3/0.1 does from 3;
/// otherwise @p value.
double without_rounding(double value);

/// Does the variable occur in an expression, not just as a part of another name?
bool mentions(const std::string &expression, const std::string &variable);

/// Values of a comma-separated list of expressions; commas within brackets do not separate.
std::vector<double> evaluate_list(const std::string &list, const std::string &name,
                                  const Constants &constants = {});

/// A list of exactly @p dim expressions.
template <int dim>
dealii::Point<dim> evaluate_point(const std::string &list, const std::string &name,
                                  const Constants &constants = {});

/**
 * Function of the variables x, y (and z in three dimensions) and time t, given by expressions that
 * are separated by semicolons, one for each component.
 *
 * Every component is evaluated once, at the origin, so that mistakes surface here. Throws
 * dealii::ExceptionBase, naming parameter and expression, for another number of components and for
 * expressions that cannot be parsed.
 */
template <int dim>
std::unique_ptr<dealii::Function<dim>>
make_function(const std::string &expressions, unsigned int n_components, const std::string &name,
              const Constants &constants = {});

/// Throw dealii::ExceptionBase, naming parameter, place and time, if @p value is infinite or not a
/// number.
template <int dim>
void check_finite(double value, const std::string &name, const dealii::Point<dim> &point,
                  double time);

/// A function that throws as check_finite() does instead of returning a value that is not finite.
template <int dim>
class FiniteFunction : public dealii::Function<dim>
{
public:
  /// @param name of the parameter, for messages
  FiniteFunction(std::unique_ptr<dealii::Function<dim>> function, std::string name);

  /// Value at the time that was set last; throws if it is not finite.
  double value(const dealii::Point<dim> &point, unsigned int component = 0) const override;
  /// Time at which value() evaluates.
  void set_time(double time) override;

private:
  const std::unique_ptr<dealii::Function<dim>> function;
  const std::string name;
};
} // namespace KickDrift

#endif
