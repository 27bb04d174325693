#ifndef KICKDRIFT_BASE_ARCHIVE_CHECKS_H
#define KICKDRIFT_BASE_ARCHIVE_CHECKS_H

#include <kickdrift/base/archive.h>

#include <deal.II/base/exceptions.h>

#include <cstring>
#include <string>

namespace KickDrift
{
/**
 * Throw dealii::ExceptionBase unless @p condition holds, without which what was read from an
 * archive must not be used: indices within bounds, enumerators that exist. A checksum tells that
 * bytes are as they were written, not what wrote them.
 *
 * @param object what the archive holds the state of
 */
inline void
check_state(const bool condition, const std::string &object)
{
  AssertThrow(condition, dealii::ExcMessage("The state of '" + object + "' contradicts itself."));
}

/// Is the byte of a flag that was read one that a flag may have?
inline bool
is_flag(const bool &flag)
{
  unsigned char byte;
  static_assert(sizeof(flag) == sizeof(byte), "flags are stored as bytes");
  std::memcpy(&byte, &flag, sizeof(byte));
  return byte <= 1;
}

/// Is the number of an enumerator that was read up to that of the @p last one?
template <typename Enumeration>
bool
is_enumerator(const Enumeration &enumerator, const Enumeration last)
{
  std::underlying_type_t<Enumeration> number;
  std::memcpy(&number, &enumerator, sizeof(number));
  return number >= 0 && number <= static_cast<std::underlying_type_t<Enumeration>>(last);
}
} // namespace KickDrift

#endif
