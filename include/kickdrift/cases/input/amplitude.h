#ifndef KICKDRIFT_CASES_INPUT_AMPLITUDE_H
#define KICKDRIFT_CASES_INPUT_AMPLITUDE_H

#include <kickdrift/base/expressions.h>

#include <deal.II/base/parameter_handler.h>

namespace KickDrift
{
/**
 * A factor that depends on time: linear interpolation in a table, constant before its first and
 * after its last entry.
 */
class Amplitude
{
public:
  /**
   * From a list "0: 0, 1: A/2, 3: A" of times and values, which may be expressions of constants.
   * @param name of the parameter, for messages
   * Throws dealii::ExceptionBase, naming the parameter, for entries that are not two finite numbers
   * and times that do not ascend.
   */
  static Amplitude from_list(const std::string &list, const std::string &name,
                             const Constants &constants = {});

  /**
   * From a file with a time and a value on each line, separated by blanks, tabs, a comma or a
   * semicolon; what follows a # is a comment. Throws dealii::ExceptionBase, naming the file and the
   * line, for anything else.
   */
  static Amplitude from_file(const std::string &file);

  /// The factor at a time [-].
  double value(double time) const;

private:
  /// @param place of the entry, for messages
  void add(double time, double value, const std::string &place);

  std::vector<double> times, values; ///< times strictly ascending, not empty
};

/// A function of space and time, times an amplitude.
template <int dim>
class ScaledFunction : public dealii::Function<dim>
{
public:
  /// @p function times @p amplitude at the function's time.
  ScaledFunction(std::shared_ptr<dealii::Function<dim>> function, Amplitude amplitude);

  /// Value at the time that was set last.
  double value(const dealii::Point<dim> &point, unsigned int component = 0) const override;
  /// Of function and amplitude.
  void set_time(double time) override;

  /// The function without the amplitude.
  const std::shared_ptr<dealii::Function<dim>> &
  unscaled() const
  {
    return function;
  }

  /// The amplitude at a time [-].
  double
  factor(const double time) const
  {
    return amplitude.value(time);
  }

private:
  const std::shared_ptr<dealii::Function<dim>> function;
  const Amplitude amplitude;
};

/// Declare the entries of an amplitude for entry @p what in the current subsection.
void declare_amplitude(dealii::ParameterHandler &prm, const std::string &what);

/**
 * @p function times the amplitude that the current subsection asks for, if there is one.
 * @param section its name, for messages
 */
template <int dim>
std::shared_ptr<dealii::Function<dim>>
with_amplitude(dealii::ParameterHandler &prm, const std::string &section,
               const Constants &constants, std::shared_ptr<dealii::Function<dim>> function);
} // namespace KickDrift

#endif
