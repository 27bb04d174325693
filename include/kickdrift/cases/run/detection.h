#ifndef KICKDRIFT_CASES_RUN_DETECTION_H
#define KICKDRIFT_CASES_RUN_DETECTION_H

#include <kickdrift/cases/model/model.h>
#include <kickdrift/contact/prediction/kinetic_hierarchy.h>
#include <kickdrift/output/files.h>
#include <kickdrift/output/summary.h>

#include <memory>
#include <ostream>

namespace KickDrift
{
/**
 * Predicts the first contacts of bodies with each other, with obstacles and with themselves beside
 * a run (section Detection), without changing it, and lists every look in `detection.csv` and what
 * they have found in `first_contacts.csv`: `time, first, second`, names of bodies and obstacles.
 */
template <int dim>
class Detection
{
public:
  /// Throws dealii::ExceptionBase, naming the parameter, if the motion of an obstacle or what loads
  /// do is not bounded as it should be, or the resolution is too coarse for contacts of bodies with
  /// themselves.
  /// @param model must outlive this object
  explicit Detection(const Model<dim> &model);

  /// Open `detection.csv` and `first_contacts.csv` in @p folder.
  void open(const std::string &folder, Opening opening);

  /// To when the run should be advanced for the next look; infinity if there is none [time].
  double
  next_time() const
  {
    return hierarchy.next_time();
  }

  /// Look at the run at next_time().
  void look();

  /// The run is at its end: see whether it kept the bounds since the last look.
  void finish(double time);

  /// Write to, or read from, a checkpoint what has been seen so far; the files must be open.
  void serialize(Archive &archive);

  /// Add `first_contact_time` (null if there is none) and `detection_wake_ups`.
  void add_to(Summary &summary) const;

  /// Contacts found and bounds broken, for the user: lines that each begin a new one.
  void print_outcome(std::ostream &out) const;

private:
  static std::vector<AccelerationBounds<dim>> acceleration_bounds(const Model<dim> &model);
  /// Also takes what is excluded by boundary ids out of the surface, and checks what was declared.
  static KineticScope<dim> scope(const Model<dim> &model, Surface<dim> &surface);

  const Model<dim> &model;
  const std::vector<std::string> names; ///< of the bodies, then of the obstacles
  Surface<dim> surface;                 ///< without what is excluded
  KineticHierarchy<dim> hierarchy;
  std::unique_ptr<CsvFile> looks_file, contacts_file;
};
} // namespace KickDrift

#endif
