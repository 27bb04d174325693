#include <kickdrift/contact/vicinity.h>

#include <cmath>

namespace KickDrift
{
namespace
{
// Lists longer than this are made with less slack, empty ones with more, within these limits.
constexpr unsigned int many = 32;
constexpr double least_slack = 0.25, most_slack = 16;
// Bodies that are further away than so many times the reach are not remembered one by one.
constexpr double far = 16;
constexpr double infinity = std::numeric_limits<double>::infinity();
} // namespace

template <int spacedim>
void
Vicinity<spacedim>::begin(const Points &new_points, const unsigned int body, const double now,
                          const double new_reach)
{
  list.clear();
  near.clear();
  others.clear();
  std::copy(new_points.begin(), new_points.end(), points.begin());
  own = body;
  time = now;
  reach = new_reach;
  others_until = -infinity;
  far_until = infinity;
}

template <int spacedim>
void
Vicinity<spacedim>::rule_out(const unsigned int body, const double distance,
                             const MotionBounds<spacedim> &bounds)
{
  leaps = bounds.leaps();
  const double speed = bounds.lasting_rate(own, body);
  if (distance <= far * reach || (body == own && distance < infinity))
    others.push_back(partner(body, distance, bounds));
  else if (speed > 0)
    far_until = std::min(far_until, time + (distance - reach) / speed);
}

template <int spacedim>
void
Vicinity<spacedim>::add_body(const unsigned int body, const MotionBounds<spacedim> &bounds)
{
  near.push_back(partner(body, reach, bounds));
}

template <int spacedim>
typename Vicinity<spacedim>::Partner
Vicinity<spacedim>::partner(const unsigned int body, const double range,
                            const MotionBounds<spacedim> &bounds) const
{
  Partner result;
  result.body = body;
  result.displacement = bounds.displacement(body, time);
  result.path = bounds.path(body, time);
  result.range = range;
  return result;
}

template <int spacedim>
void
Vicinity<spacedim>::end()
{
  std::sort(list.begin(), list.end());
  if (list.size() > many)
    slack = std::max(least_slack, 0.5 * slack);
  else if (list.empty() && !near.empty())
    slack = std::min(most_slack, 2 * slack);
}

template <int spacedim>
bool
Vicinity<spacedim>::holds(const Points &now_at, const double now, const double radius,
                          const MotionBounds<spacedim> &bounds)
{
  if (radius > reach)
    return false;
  largest_approach = 0;
  for (Partner &partner : near)
  {
    if (!advance(partner, now_at, now, radius, bounds))
      return false;
    largest_approach = std::max(largest_approach, partner.approach);
  }
  return (now <= others_until && leaps == bounds.leaps()) ||
         others_hold(now_at, now, radius, bounds);
}

template <int spacedim>
bool
Vicinity<spacedim>::others_hold(const Points &now_at, const double now, const double radius,
                                const MotionBounds<spacedim> &bounds)
{
  if (now > far_until || (far_until < infinity && leaps != bounds.leaps()))
    return false;
  others_until = far_until;
  for (Partner &partner : others)
  {
    if (!advance(partner, now_at, now, radius, bounds))
      return false;
    const double speed = bounds.lasting_rate(own, partner.body);
    if (speed > 0)
      others_until =
          std::min(others_until, now + (partner.range - partner.approach - reach) / speed);
  }
  leaps = bounds.leaps();
  return true;
}

template <int spacedim>
bool
Vicinity<spacedim>::advance(Partner &partner, const Points &now_at, const double now,
                            const double radius, const MotionBounds<spacedim> &bounds) const
{
  // in the frame of the body
  const dealii::Tensor<1, spacedim> frame_moved =
      bounds.displacement(partner.body, now) - partner.displacement;
  double square = 0;
  for (unsigned int i = 0; i < now_at.size(); ++i)
    square = std::max(square, (now_at[i] - points[i] - frame_moved).norm_square());
  partner.approach = std::sqrt(square) + bounds.path(partner.body, now) - partner.path;
  return radius + partner.approach <= partner.range;
}

template <int spacedim>
double
Vicinity<spacedim>::range(const unsigned int body, const Points &now_at, const double now,
                          const MotionBounds<spacedim> &bounds) const
{
  for (const auto *partners : {&near, &others})
    for (Partner partner : *partners)
      if (partner.body == body)
      {
        advance(partner, now_at, now, 0, bounds);
        return std::max(0., partner.range - partner.approach);
      }
  return infinity;
}

template class Vicinity<2>;
template class Vicinity<3>;
} // namespace KickDrift
