#ifndef KICKDRIFT_CONTACT_RESPONSE_RESPONSE_PARAMETERS_H
#define KICKDRIFT_CONTACT_RESPONSE_RESPONSE_PARAMETERS_H

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace KickDrift
{
/// What impulse a collision gives.
enum class Response
{
  automatic, ///< Dynamics takes records, or reflect if something of the papers is asked for
  reflect,   ///< the gap rate is reversed, as in the papers, see ReferenceContact
  records,   ///< gaps may close but not pass until the next kick, see ImpulseContact
  layers     ///< none: potentials around surfaces that nothing passes, see LayerContact
};

/// How contacts that are found at the same time are answered.
enum class ContactSolver
{
  sequential, ///< one after the other
  coupled     ///< all together; synchronous stepping only
};

/// A number for two bodies, which may be the same; their order does not matter.
struct ValueOfPair
{
  std::string first;  ///< name of a body or group; empty: all
  std::string second; ///< name of the other
  double value;       ///< coefficient of the pair [-]
};

/// How contacts are answered: the part of ContactParameters that responses need.
struct ResponseParameters
{
  Response response = Response::automatic;          ///< what impulse a collision gives
  ContactSolver solver = ContactSolver::sequential; ///< of contacts answered together
  bool projection = false;                          ///< predictor with projection, synchronous only
  double restitution = 1;                           ///< e in [0,1]
  double friction = 0;                              ///< Coulomb's coefficient mu >= 0
  std::vector<ValueOfPair> restitution_of_pairs;    ///< instead of restitution
  std::vector<ValueOfPair> friction_of_pairs;       ///< instead of friction
  /// Names of groups by name of the body: pairs and exclusions may name either.
  std::map<std::string, std::string> group_of_body;
  /// Rates of mass-proportional damping, by body, at a time; an empty function: none; may be
  /// shorter. What contacts of Response::records keep decays with them [1/time].
  std::vector<std::function<double(double time)>> damping;
};
} // namespace KickDrift

#endif
