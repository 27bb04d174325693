#ifndef KICKDRIFT_CONTACT_RESPONSE_CONTACT_HISTORY_H
#define KICKDRIFT_CONTACT_RESPONSE_CONTACT_HISTORY_H

#include <kickdrift/base/archive.h>
#include <kickdrift/contact/response/lasting_impulses.h>
#include <kickdrift/contact/response/statistics.h>

#include <limits>

namespace KickDrift
{
/// What is remembered about a contact between its answers.
struct ContactHistory
{
  unsigned int zone_class = 0;                                   ///< step class of its zone
  double last_answer = -std::numeric_limits<double>::infinity(); ///< [time]
  ContactStatus status = ContactStatus::open; ///< of the last answer while that is recent
  double period = 0; ///< between tests while in contact, where there are no zones [time]
  unsigned int lasting = LastingImpulses<2>::nowhere; ///< see LastingImpulses::set()

  /// Write to, or read from, a checkpoint.
  void
  serialize(Archive &archive)
  {
    archive(zone_class, last_answer, status, period, lasting);
  }
};
} // namespace KickDrift

#endif
