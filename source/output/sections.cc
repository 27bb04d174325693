#include <kickdrift/base/archive.h>
#include <kickdrift/output/sections.h>

namespace KickDrift
{
namespace
{
template <int spacedim>
std::vector<std::string>
columns(const std::vector<RecordedSection<spacedim>> &sections)
{
  std::vector<std::string> names = {"time"};
  for (const auto &section : sections)
    for (const auto &[linear, angular] :
         {std::pair("_force_", "_moment_"), std::pair("_impulse_", "_angular_impulse_")})
    {
      for (unsigned int d = 0; d < spacedim; ++d)
        names.push_back(section.name + linear + "xyz"[d]);
      for (unsigned int d = (spacedim == 3 ? 0 : 2); d < 3; ++d)
        names.push_back(section.name + angular + "xyz"[d]);
    }
  return names;
}

template <int n>
void
write(CsvRow &row, const dealii::Tensor<1, n> &components)
{
  for (unsigned int d = 0; d < n; ++d)
    row << components[d];
}
} // namespace

template <int spacedim>
SectionsRecorder<spacedim>::SectionsRecorder(const std::string &folder,
                                             std::vector<RecordedSection<spacedim>> all,
                                             const Opening opening)
    : sections(std::move(all)),
      last(sections.size()),
      file(folder + "/sections.csv", columns(sections), opening)
{
}

template <int spacedim>
void
SectionsRecorder<spacedim>::record(const Frame<spacedim> &frame)
{
  const double interval = frame.time - last_time;
  const double per_time = interval > 0 ? 1 / interval : 0.;
  CsvRow row;
  row << frame.time;
  for (unsigned int s = 0; s < sections.size(); ++s)
  {
    const auto impulse = sections[s].impulse(frame.nodes, frame.time);
    write(row, per_time * (impulse.linear - last[s].linear));
    write(row, per_time * (impulse.angular - last[s].angular));
    write(row, impulse.linear);
    write(row, impulse.angular);
    last[s] = impulse;
  }
  file.write(row);
  last_time = frame.time;
}

template <int spacedim>
void
SectionsRecorder<spacedim>::serialize(Archive &archive)
{
  archive.fixed(last);
  archive(last_time, file);
}

template class SectionsRecorder<2>;
template class SectionsRecorder<3>;
} // namespace KickDrift
