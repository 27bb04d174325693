#ifndef KICKDRIFT_CASES_PARAMETERS_CASE_INPUT_H
#define KICKDRIFT_CASES_PARAMETERS_CASE_INPUT_H

#include <kickdrift/cases/input/declared_parameters.h>
#include <kickdrift/cases/parameters/case_parameters.h>

#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace KickDrift
{
/**
 * All parameters of a case with their values.
 *
 * Sections of bodies, of which there may be hundreds, share a handler with all that have the same
 * entries, and keep what differs from the defaults: a section in a handler takes more memory and
 * time than the body itself if that is small.
 */
template <int dim>
class CaseInput
{
public:
  /// Throws dealii::ExceptionBase for parameters that there are not, and values that do not fit.
  CaseInput(const std::vector<Assignment> &assignments, CaseOutline outline);

  /// Sections refer to their kinds.
  CaseInput(const CaseInput &) = delete;

  /// Read them all. Throws dealii::ExceptionBase naming the parameter if something does not fit.
  CaseParameters<dim> parse();

  /// Give a parameter outside of the sections of bodies another value.
  void
  set(const std::string &parameter, const std::string &value)
  {
    others.set(parameter, value);
  }

  /// Full names and values of all parameters, in the order in which print_values() has them.
  std::vector<std::pair<std::string, std::string>> values() const;

  /// Print all values, as a parameter file.
  void print_values(std::ostream &out) const;

  /// The same with documentation and defaults.
  void print(std::ostream &out);

private:
  /// Sections of bodies that have the same entries.
  struct Kind
  {
    /// A line of the section in a file.
    struct Line
    {
      std::string text;      ///< all of it, or what comes before the value
      std::string parameter; ///< whose value follows; empty: none
    };

    explicit Kind(const std::vector<std::string> &material_ids);

    DeclaredParameters declared;
    std::vector<Line> lines; ///< without documentation
  };

  /// A section Bodies/NAME.
  struct Section
  {
    Kind *kind;
    std::map<std::string, std::string> values; ///< that it sets, by names within the section

    /// What it sets, or else the default.
    const std::string &value(const std::string &name) const;
  };

  /// Call @p f (handler) with the handler of the section's kind, which has its values meanwhile;
  /// the defaults come back also when an exception passes.
  template <typename Function>
  static void with_values(const Section &section, const Function &f);

  /// The section that a parameter is of, and its name there; null: it is of none.
  std::pair<Section *, std::string> section_of(const std::string &parameter);

  /// A file with the sections of bodies in it: text of all others, and of these.
  static std::string with_bodies(const std::string &others, const std::string &bodies);

  const CaseOutline outline;
  DeclaredParameters others;                      ///< outside of the sections of bodies
  std::map<std::vector<std::string>, Kind> kinds; ///< by the material ids that have entries
  std::map<std::string, Section> sections;        ///< by NAME
};
} // namespace KickDrift

#endif
