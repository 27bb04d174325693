#ifndef KICKDRIFT_CONTACT_TRACKING_FREEDOM_H
#define KICKDRIFT_CONTACT_TRACKING_FREEDOM_H

namespace KickDrift
{
/// When a contactor can be in touch with something.
struct Freedom
{
  double until;  ///< not before [time]
  double latest; ///< and not so deep that find() would miss it before this [time]
};

} // namespace KickDrift

#endif
