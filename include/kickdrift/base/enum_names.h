#ifndef KICKDRIFT_BASE_ENUM_NAMES_H
#define KICKDRIFT_BASE_ENUM_NAMES_H

#include <deal.II/base/exceptions.h>

#include <string>
#include <utility>
#include <vector>

namespace KickDrift
{
/// Names of the values of an enum in parameter files: the one table from which entries are declared
/// and read.
template <typename Enum>
class EnumNames
{
public:
  /// A value and its name, in the order in which they are offered.
  EnumNames(std::vector<std::pair<Enum, std::string>> names) : names(std::move(names)) {}

  /// For a dealii::Patterns::Selection: "a|b|c".
  std::string
  pattern() const
  {
    std::string result;
    for (const auto &name : names)
      result += (result.empty() ? "" : "|") + name.second;
    return result;
  }

  /// Name of a value.
  const std::string &
  name(const Enum value) const
  {
    for (const auto &name : names)
      if (name.first == value)
        return name.second;
    AssertThrow(false, dealii::ExcInternalError());
    return names.front().second;
  }

  /// Value with a name. Throws dealii::ExcMessage if there is none.
  Enum
  value(const std::string &text) const
  {
    for (const auto &name : names)
      if (name.second == text)
        return name.first;
    AssertThrow(false, dealii::ExcMessage("'" + text + "' is none of " + pattern() + "."));
    return names.front().first;
  }

private:
  const std::vector<std::pair<Enum, std::string>> names;
};
} // namespace KickDrift

#endif
