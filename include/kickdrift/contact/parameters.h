#ifndef KICKDRIFT_CONTACT_PARAMETERS_H
#define KICKDRIFT_CONTACT_PARAMETERS_H

#include <kickdrift/contact/broad_phase.h>

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
  adaptive,    ///< after min(maximum step, alpha * length / speed) (Wolff & Bucher 2013, section 7)
  predicted    ///< when bounds of motion say that it could touch something
};

/// What impulse a collision gives.
enum class Response
{
  reflect,   ///< the gap rate is reversed (decomposition contact response, as in the papers)
  look_ahead ///< persistent contacts get the impulse that the coming period needs, within an energy
             ///< account
};

/// How contacts that are found at the same time are answered.
enum class ContactSolver
{
  sequential, ///< one after the other
  coupled     ///< all together; synchronous stepping only
};

/// Which edges are tested against edges.
enum class Edges
{
  none,
  feature, ///< convex ones where the surface bends
  all
};

/// A number for two bodies, which may be the same; their order does not matter.
struct ValueOfPair
{
  std::string first;  ///< name of a body
  std::string second; ///< name of the other
  double value;       ///< coefficient of the pair [-]
};

/// Parameters of contact, read from the subsection Contact.
struct ContactParameters
{
  bool enabled = true;                    ///< is there contact?
  Schedule schedule = Schedule::adaptive; ///< when contactors are tested
  double step_factor = 0.5;               ///< alpha of the adaptive schedule [-]
  double maximum_step = 1; ///< longest time between tests, in average critical steps [-]
  BroadPhaseType broad_phase = BroadPhaseType::hierarchy; ///< how near faces are found
  Response response = Response::look_ahead;               ///< what impulse a collision gives
  ContactSolver solver = ContactSolver::sequential;       ///< of contacts answered together
  bool projection = false;                       ///< predictor with projection, synchronous only
  double restitution = 1;                        ///< e in [0,1]
  double friction = 0;                           ///< Coulomb's coefficient mu >= 0
  std::vector<ValueOfPair> restitution_of_pairs; ///< instead of restitution
  std::vector<ValueOfPair> friction_of_pairs;    ///< instead of friction
  unsigned int zone_layers =
      1; ///< layers of cells around an active contact that share a clock; 0: off
  Edges edges = Edges::feature; ///< in 3D
  double feature_angle = 30;    ///< smallest angle between the faces of a feature edge [degrees]
  unsigned int points_per_face = 0;   ///< extra contactors, along each direction of a face
  bool allow_initial_overlap = false; ///< may bodies overlap at the start?
  /// What takes no part: pairs of bodies, or a body and a boundary id; two empty names mean that no
  /// body touches itself.
  std::vector<std::pair<std::string, std::string>> exclude;

  /// Declare the parameters in the current subsection.
  static void declare_parameters(dealii::ParameterHandler &prm);
  /// Read the parameters from the current subsection.
  void parse_parameters(dealii::ParameterHandler &prm);
};
} // namespace KickDrift

#endif
