// Runs scenes with the library, and has the oracle look on.
#ifndef KICKDRIFT_TESTS_SCENES_RUN_H
#define KICKDRIFT_TESTS_SCENES_RUN_H

#include "scenes/oracle/oracle.h"

#include <limits>
#include <memory>
#include <string>

namespace Scenes
{
struct RunOptions
{
  /// Scenes end after so many instants, so that thin parts, which have short steps, do not take
  /// all of the time.
  unsigned int most_instants = 3000;
  /// And are stopped, as failures, when the library has worked on them for so long [seconds]. It is
  /// asked after each instant only.
  double most_seconds = std::numeric_limits<double>::infinity();
  double step_share = 1;    ///< of the steps that are taken by default [-]
  bool with_contact = true; ///< without it the oracle must find what passes
  std::string vtu;          ///< name of files for ParaView without ".vtu"; empty: none
  unsigned int n_vtu = 50;  ///< of these, at most
};

/// Energy may grow by as much of the kinetic energy of the typical speed, as steps go to zero: what
/// vibrates is read with an error of second order in the step [-].
constexpr double allowed_growth = 1e-3;

/// Of momenta and of friction, over what is typical of the scene [-].
constexpr double rounding = 1e-9;

/// What came out of a scene.
template <int dim>
struct Outcome
{
  Findings findings;
  double time = 0;               ///< reached [time]
  double energy_growth = 0;      ///< largest of kinetic and strain energy, without loads' work [-]
  double energy_error = 0;       ///< largest change of the library's own balance [-]
  double change = 0;             ///< of speed or energy, where the answer is known [-]
  double momentum_error = 0;     ///< of impacts [-]
  double angular_error = 0;      ///< of impacts, of angular momentum [-]
  double friction_excess = 0;    ///< of impacts, of the force of friction over the cone [-]
  std::uint64_t collisions = 0;  ///< as the library counts
  std::string error;             ///< why it stopped; empty: it did not
  double seconds = 0;            ///< of the library alone
  double seconds_of_oracle = 0;  ///< the same of looking on
  std::vector<Vec<dim>> momenta; ///< at the end, by number of momentum
  std::vector<Vec<dim>> centres; ///< at the end, by piece

  /// Has the library failed? What is known of the scene counts.
  bool has_failed(const Scene<dim> &scene) const;
};

/// Throws std::logic_error if pieces overlap at the start: then the scene is wrong.
template <int dim>
Outcome<dim> run_scene(const Scene<dim> &scene, const RunOptions &options = RunOptions());
} // namespace Scenes

#endif
