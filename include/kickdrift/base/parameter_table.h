#ifndef KICKDRIFT_BASE_PARAMETER_TABLE_H
#define KICKDRIFT_BASE_PARAMETER_TABLE_H

#include <kickdrift/base/enum_names.h>
#include <kickdrift/base/messages.h>

#include <deal.II/base/parameter_handler.h>

#include <string>

namespace KickDrift
{
/**
 * The parameters of a class, written down once: which variable is which entry of the current
 * subsection. The same list declares the entries, with the values of the variables as defaults, and
 * reads them.
 *
 * @code
 *   void list(SpringParameters &springs, ParameterTable table)
 *   {
 *     table.add("Stiffness", springs.stiffness, Patterns::Double(0), "Units: force/length.");
 *     table.add("Form", springs.form, forms, "'linear' or 'rubber'.");
 *   }
 * @endcode
 */
class ParameterTable
{
public:
  /// What add() does.
  enum class Task
  {
    declare, ///< declare an entry
    read     ///< set the variable to the value of the entry
  };

  /// @p prm must outlive the table.
  ParameterTable(dealii::ParameterHandler &prm, const Task task) : prm(prm), task(task) {}

  /// A number.
  void
  add(const std::string &name, double &value, const dealii::Patterns::Double &allowed,
      const std::string &documentation)
  {
    if (is_declared(name, number_text(value), allowed, documentation))
      value = prm.get_double(name);
  }

  /// A count.
  void
  add(const std::string &name, unsigned int &value, const dealii::Patterns::Integer &allowed,
      const std::string &documentation)
  {
    if (is_declared(name, std::to_string(value), allowed, documentation))
      value = prm.get_integer(name);
  }

  /// A choice between true and false.
  void
  add(const std::string &name, bool &value, const std::string &documentation)
  {
    if (is_declared(name, value ? "true" : "false", dealii::Patterns::Bool(), documentation))
      value = prm.get_bool(name);
  }

  /// A text.
  void
  add(const std::string &name, std::string &value, const std::string &documentation)
  {
    if (is_declared(name, value, dealii::Patterns::Anything(), documentation))
      value = prm.get(name);
  }

  /// A value that has a name.
  template <typename Enum>
  void
  add(const std::string &name, Enum &value, const EnumNames<Enum> &names,
      const std::string &documentation)
  {
    if (is_declared(name, names.name(value), dealii::Patterns::Selection(names.pattern()),
                    documentation))
      value = names.value(prm.get(name));
  }

private:
  /// Declare an entry, or say that this has been done.
  bool
  is_declared(const std::string &name, const std::string &default_value,
              const dealii::Patterns::PatternBase &allowed, const std::string &documentation)
  {
    if (task == Task::declare)
      prm.declare_entry(name, default_value, allowed, documentation);
    return task == Task::read;
  }

  dealii::ParameterHandler &prm;
  const Task task;
};
} // namespace KickDrift

#endif
