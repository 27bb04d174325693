#include <kickdrift/base/archive_checks.h>
#include <kickdrift/contact/tracking/neighbor_list.h>

#include <cmath>

namespace KickDrift
{
namespace
{
// Lists longer than this are made with less slack, empty ones with more, within these limits.
constexpr unsigned int many = 32;
constexpr double least_slack = 0.25, most_slack = 16;
} // namespace

template <int spacedim>
void
NeighborList<spacedim>::begin(const Points &new_points, const double now, const double new_reach,
                              const MotionBounds<spacedim> &bounds)
{
  list.clear();
  near.clear();
  std::copy(new_points.begin(), new_points.end(), points.begin());
  time = now;
  reach = new_reach;
  others = std::numeric_limits<double>::infinity();
  way = bounds.longest_way(now);
}

template <int spacedim>
void
NeighborList<spacedim>::add_body(const unsigned int body, const double range,
                                 const MotionBounds<spacedim> &bounds)
{
  Partner partner;
  partner.body = body;
  partner.displacement = bounds.displacement(body, time);
  partner.path = bounds.path(body, time);
  partner.range = range;
  near.push_back(partner);
}

template <int spacedim>
void
NeighborList<spacedim>::end()
{
  std::sort(list.begin(), list.end());
  if (list.size() > many)
    slack = std::max(least_slack, 0.5 * slack);
  else if (list.empty() && !near.empty())
    slack = std::min(most_slack, 2 * slack);
}

template <int spacedim>
bool
NeighborList<spacedim>::holds(const Points &now_at, const double now, const double radius,
                              const MotionBounds<spacedim> &bounds)
{
  if (!(radius <= reach && radius + moved(now_at, {}) + bounds.longest_way(now) - way <= others))
    return false;
  largest_approach = 0;
  for (Partner &partner : near)
  {
    partner.approach = approach(partner, now_at, now, bounds);
    if (!(radius + partner.approach <= partner.range))
      return false;
    largest_approach = std::max(largest_approach, partner.approach);
  }
  return true;
}

template <int spacedim>
double
NeighborList<spacedim>::moved(const Points &now_at,
                              const dealii::Tensor<1, spacedim> &frame_moved) const
{
  double square = 0;
  for (unsigned int i = 0; i < now_at.size(); ++i)
    square = std::max(square, (now_at[i] - points[i] - frame_moved).norm_square());
  return std::sqrt(square);
}

template <int spacedim>
double
NeighborList<spacedim>::approach(const Partner &partner, const Points &now_at, const double now,
                                 const MotionBounds<spacedim> &bounds) const
{
  return moved(now_at, bounds.displacement(partner.body, now) - partner.displacement) +
         bounds.path(partner.body, now) - partner.path;
}

template <int spacedim>
double
NeighborList<spacedim>::range(const unsigned int body, const Points &now_at, const double now,
                              const MotionBounds<spacedim> &bounds) const
{
  for (const Partner &partner : near)
    if (partner.body == body)
      return std::max(0., partner.range - approach(partner, now_at, now, bounds));
  return std::numeric_limits<double>::infinity();
}

template <int spacedim>
void
NeighborList<spacedim>::Partner::serialize(Archive &archive)
{
  archive(body, displacement, path, range, approach);
}

template <int spacedim>
void
NeighborList<spacedim>::serialize(Archive &archive)
{
  archive(list, near, points, reach, slack, largest_approach, others, way, time);
}

template <int spacedim>
void
NeighborList<spacedim>::check(const unsigned int n_targets, const unsigned int n_bodies) const
{
  for (const Target &target : list)
    check_state(target.index < n_targets && target.partner < near.size(), "vicinity");
  for (const Partner &partner : near)
    check_state(partner.body < n_bodies, "vicinity");
}

template class NeighborList<2>;
template class NeighborList<3>;
} // namespace KickDrift
