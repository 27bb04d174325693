#ifndef KICKDRIFT_BASE_STD_EXCEPTIONS_H
#define KICKDRIFT_BASE_STD_EXCEPTIONS_H

#include <deal.II/base/exceptions.h>

#include <boost/core/demangle.hpp>

#include <exception>
#include <string>
#include <typeinfo>

#include <cxxabi.h>

namespace KickDrift
{
/// Throw the present exception again: as it is, or, if its type is not derived from std::exception,
/// as a dealii::ExcMessage that says what is known about it.
[[noreturn]] inline void
throw_as_std_exception()
{
  std::string what;
  try
  {
    throw;
  }
  catch (const std::exception &)
  {
    throw;
  }
  catch (const char *text)
  {
    what = text;
  }
  catch (const std::string &text)
  {
    what = text;
  }
  catch (...)
  {
    const std::type_info *const type = abi::__cxa_current_exception_type();
    what = type ? boost::core::demangle(type->name()) : "";
  }
  throw dealii::ExcMessage("Something was thrown that is no exception of the standard library: '" +
                           what + "'.");
}

/// Call @p function, which calls code of others, such as parsers and plugins. What comes out if
/// these throw is derived from std::exception, see throw_as_std_exception().
template <typename Function>
auto
with_std_exceptions(const Function &function) -> decltype(function())
{
  try
  {
    return function();
  }
  catch (...)
  {
    throw_as_std_exception();
  }
}
} // namespace KickDrift

#endif
