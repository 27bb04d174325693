#ifndef KICKDRIFT_BASE_MEMORY_H
#define KICKDRIFT_BASE_MEMORY_H

#include <new>
#include <string>

namespace KickDrift
{
/// Memory that this process can have at most [bytes]: that of the machine, or less if the user has
/// set a limit (`ulimit -v`, `ulimit -m`).
double available_memory();

/// Give memory that has been freed back to the system, where the C library can (glibc). After large
/// things have gone: small ones that lie between them would keep it for the process.
void return_freed_memory();

/// Throw dealii::ExcMessage: there is not enough memory for @p what.
[[noreturn]] void throw_out_of_memory(const std::string &what);

/// Call @p function; if memory runs out, throw dealii::ExcMessage that says for @p what, as the end
/// of a sentence. Of nested calls the innermost says it.
template <typename Function>
auto
with_memory_for(const std::string &what, const Function &function) -> decltype(function())
{
  try
  {
    return function();
  }
  catch (const std::bad_alloc &)
  {
    throw_out_of_memory(what);
  }
}
} // namespace KickDrift

#endif
