#ifndef KICKDRIFT_CONTACT_TRACKING_CONTACT_FREE_INTERVAL_H
#define KICKDRIFT_CONTACT_TRACKING_CONTACT_FREE_INTERVAL_H

namespace KickDrift
{
/// When a contactor can be in touch with something.
struct ContactFreeInterval
{
  double until;  ///< not before [time]
  double latest; ///< and not so deep that find() would miss it before this [time]
};

} // namespace KickDrift

#endif
