#ifndef KICKDRIFT_CONTACT_PARAMETERS_H
#define KICKDRIFT_CONTACT_PARAMETERS_H

#include <kickdrift/base/expressions.h>
#include <kickdrift/contact/layers/layer_parameters.h>
#include <kickdrift/contact/response/response_parameters.h>

#include <deal.II/base/parameter_handler.h>

#include <string>
#include <utility>
#include <vector>

namespace KickDrift
{
/// When a contactor is tested next.
enum class Schedule
{
  synchronous, ///< at every step of the finest clock
  constant,    ///< after the smallest critical step of the adjacent cells
  adaptive     ///< after min(maximum step, alpha * length / speed) (Wolff & Bucher 2013, section 7)
};

/// What becomes of bodies that overlap at the start.
enum class OverlapRule
{
  refuse,
  ignore,  ///< nothing pushes them apart
  resolve, ///< they are pushed apart in the course of time, as parts that are pressed together
  allow    ///< resolve with Response::records, otherwise ignore
};

/// Which edges are tested against edges.
enum class Edges
{
  none,
  feature, ///< convex ones where the surface bends
  all
};

/// Parameters of contact, read from the subsection Contact.
struct ContactParameters : ResponseParameters
{
  bool enabled = true;                    ///< is there contact?
  Schedule schedule = Schedule::adaptive; ///< when contactors are tested
  double step_factor = 0.5;               ///< alpha of the adaptive schedule [-]
  double maximum_step = 1; ///< longest time between tests, in average critical steps [-]
  unsigned int zone_layers =
      1;                    ///< layers of cells around an active contact that share a clock; 0: off
  Edges edges = Edges::all; ///< in 3D
  double feature_angle = 30; ///< smallest angle between the faces of a feature edge [degrees]
  unsigned int points_per_face = 0; ///< extra contactors, along each direction of a face
  OverlapRule initial_overlap = OverlapRule::refuse; ///< of bodies at the start
  double overlap_time = 0; ///< that resolving takes; 0: ten passages of waves through all [time]
  /// With Response::records: factor on the room in lists of who may meet, positive; no bit depends
  /// on it [-].
  double room_in_lists = 1;
  LayerParameters layers; ///< with Response::layers
  /// What takes no part: pairs of bodies, or a body and a boundary id; two empty names mean that no
  /// body touches itself.
  std::vector<std::pair<std::string, std::string>> exclude;

  /// Declare the parameters in the current subsection.
  static void declare_parameters(dealii::ParameterHandler &prm);
  /// Read the parameters from the current subsection; values of pairs may be expressions of the
  /// @p constants.
  void parse_parameters(dealii::ParameterHandler &prm, const Constants &constants = {});
};
/// Throws ContactExceptions::ExcParameter if one of them is outside of its range.
void check_parameters(const ContactParameters &parameters);
} // namespace KickDrift

#endif
