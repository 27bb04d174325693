#include <kickdrift/base/archive.h>
#include <kickdrift/output/reactions.h>

#include <map>

namespace KickDrift
{
namespace
{
/// Directions are linearly dependent if their unit vectors leave no more than this.
constexpr double dependent = 1e-8;

template <int spacedim>
std::vector<std::string>
columns(const std::vector<Support<spacedim>> &supports)
{
  std::vector<std::string> names = {"time"};
  for (const auto &support : supports)
    for (const char *field : {"_force_", "_impulse_"})
      for (unsigned int d = 0; d < spacedim; ++d)
        names.push_back(support.name + field + "xyz"[d]);
  return names;
}

/// What is left of @p vector across the span of some linearly independent @p directions.
template <int spacedim>
dealii::Tensor<1, spacedim>
across(const std::vector<dealii::Tensor<1, spacedim>> &directions,
       dealii::Tensor<1, spacedim> vector)
{
  std::vector<dealii::Tensor<1, spacedim>> basis;
  for (auto direction : directions)
  {
    for (const auto &b : basis)
      direction -= (b * direction) * b;
    basis.push_back(direction / direction.norm());
  }
  for (const auto &b : basis)
    vector -= (b * vector) * b;
  return vector;
}
} // namespace

template <int spacedim>
ReactionsRecorder<spacedim>::ReactionsRecorder(const std::string &folder,
                                               const std::vector<Support<spacedim>> &supports,
                                               const Opening opening)
    : last_impulse(supports.size()), file(folder + "/reactions.csv", columns(supports), opening)
{
  std::map<unsigned int, HeldNode> by_node;
  for (unsigned int s = 0; s < supports.size(); ++s)
    for (const unsigned int node : supports[s].nodes)
      for (const auto &direction : supports[s].directions)
      {
        HeldNode &held = by_node[node];
        held.node = node;
        add_share(held, s, direction / direction.norm());
      }
  for (const auto &entry : by_node)
    held_nodes.push_back(entry.second);
}

template <int spacedim>
void
ReactionsRecorder<spacedim>::add_share(HeldNode &held, const unsigned int support,
                                       const Vector &direction) const
{
  std::vector<Vector> directions;
  for (const Share &share : held.shares)
    directions.push_back(share.direction);
  if (across(directions, direction).norm() < dependent)
    return;
  directions.push_back(direction);
  held.shares.push_back({support, direction, Vector()});
  for (unsigned int i = 0; i < directions.size(); ++i)
  {
    auto others = directions;
    others.erase(others.begin() + i);
    const Vector rest = across(others, directions[i]);
    held.shares[i].dual = rest / (rest * directions[i]);
  }
}

template <int spacedim>
void
ReactionsRecorder<spacedim>::record(const Frame<spacedim> &frame)
{
  std::vector<Vector> impulse(last_impulse.size());
  for (const HeldNode &held : held_nodes)
  {
    const Vector reaction = frame.nodes.restraints.reaction(held.node);
    for (const Share &share : held.shares)
      impulse[share.support] += (share.dual * reaction) * share.direction;
  }
  CsvRow row;
  row << frame.time;
  for (unsigned int s = 0; s < impulse.size(); ++s)
  {
    const double interval = frame.time - last_time;
    const Vector force = interval > 0 ? (impulse[s] - last_impulse[s]) / interval : Vector();
    for (const Vector &vector : {force, impulse[s]})
      for (unsigned int d = 0; d < spacedim; ++d)
        row << vector[d];
  }
  file.write(row);
  last_impulse = impulse;
  last_time = frame.time;
}

template <int spacedim>
void
ReactionsRecorder<spacedim>::serialize(Archive &archive)
{
  archive.fixed(last_impulse);
  archive(last_time, file);
}

template class ReactionsRecorder<2>;
template class ReactionsRecorder<3>;
} // namespace KickDrift
