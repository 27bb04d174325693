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
  double since =
      -std::numeric_limits<double>::infinity(); ///< of the first answer since it was open [time]
  double energy = 0; ///< taken by stopping nodes, to be given back when the contact opens
  double given_at =
      std::numeric_limits<double>::infinity(); ///< when all of it will be; infinite while pressed

  /// Write to, or read from, a checkpoint.
  void
  serialize(Archive &archive)
  {
    archive(zone_class, last_answer, status, period, lasting, since, energy, given_at);
  }
};
} // namespace KickDrift

#endif
