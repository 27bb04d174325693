#ifndef KICKDRIFT_OUTPUT_SECTIONS_H
#define KICKDRIFT_OUTPUT_SECTIONS_H

#include <kickdrift/output/files.h>
#include <kickdrift/output/recorder.h>
#include <kickdrift/potentials/section_impulses.h>

#include <functional>

namespace KickDrift
{
/// A named section, and what has gone through it.
template <int spacedim>
struct RecordedSection
{
  std::string name; ///< begins the names of its columns
  /// Since the start, for the nodes at a save time.
  std::function<SectionImpulse<spacedim>(const NodeTable<spacedim> &, double time)> impulse;
};

/**
 * `sections.csv`: what the part of a body behind a section gets from the part in front, a row per
 * save time. For every section the mean force and moment over the interval that ends there, as in
 * reactions.csv, and the impulses since the start: NAME_force_x ..., NAME_moment_x ...,
 * NAME_impulse_x ..., NAME_angular_impulse_x ...; in two dimensions of moments only z.
 */
template <int spacedim>
class SectionsRecorder : public Recorder<spacedim>
{
public:
  /// @p folder in which sections.csv is written.
  SectionsRecorder(const std::string &folder, std::vector<RecordedSection<spacedim>> sections,
                   const Opening opening = Opening::anew);

  void record(const Frame<spacedim> &frame) override;
  void serialize(Archive &archive) override;

private:
  const std::vector<RecordedSection<spacedim>> sections;
  std::vector<SectionImpulse<spacedim>> last;
  double last_time = 0;
  CsvFile file;
};
} // namespace KickDrift

#endif
