// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_CONTACT_METHOD_H
#define KICKDRIFT_CONTACT_CONTACT_METHOD_H

#include <kickdrift/contact/geometry/obstacles.h>
#include <kickdrift/contact/parameters.h>
#include <kickdrift/contact/response/pairs.h>
#include <kickdrift/contact/response/statistics.h>
#include <kickdrift/contact/surface/eroding_surface.h>
#include <kickdrift/contact/surface/surface.h>
#include <kickdrift/stepping/event_source.h>
#include <kickdrift/stepping/kicks/energy_balance.h>
#include <kickdrift/stepping/stepper.h>

#include <deal.II/base/point.h>

#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace KickDrift
{
class Archive;

/// A contactor behind the surface of a target.
template <int spacedim>
struct Penetration
{
  unsigned int body;             ///< of the contactor
  unsigned int target;           ///< the other partner, see ContactPairs
  double depth;                  ///< positive [length]
  double relative_depth;         ///< depth over the size of the face that was hit [-]
  dealii::Point<spacedim> point; ///< where the contactor is [length]
};

/// Figures of one method of contact, for summary.json.
struct ContactFigures
{
  std::string name;                                   ///< of all of them; empty: there are none
  std::vector<std::pair<std::string, double>> values; ///< by name
};

/// What contacts of two partners have taken from them, and give back when they open.
struct StoredContactEnergy
{
  std::string first;  ///< name of a partner
  std::string second; ///< of the other one
  double energy = 0;  ///< see EnergyBalance::contact_energy
  double impulse = 0; ///< normal one that these contacts have given [mass*length/time]
};

/// Contact, however it is answered: what a run needs to know of it.
template <int spacedim>
class ContactMethod : public EventSource<spacedim>
{
public:
  /// Schedule the first tests; initial velocities must be set. Throws
  /// ContactExceptions::ExcStepperNotStarted or ExcStartedTwice.
  virtual void start() = 0;

  /// Collective: all contactors that are behind a target's surface now, deepest first. All
  /// processes get the same.
  virtual std::vector<Penetration<spacedim>> penetrations() = 0;

  /// What contact has done so far.
  virtual const ContactStatistics<spacedim> &statistics() const = 0;

  /// The same with nodal impulses as Stepper::snapshot() sees them at the present time: of those
  /// that recur, what belongs to the time before.
  virtual ContactStatistics<spacedim> synchronised_statistics() const = 0;

  /// Coefficients and resultants of all pairs of bodies and obstacles.
  virtual const ContactPairs<spacedim> &pairs() const = 0;

  /// The same as synchronised_statistics() sees them.
  virtual ContactPairs<spacedim> synchronised_pairs() const = 0;

  /// Add what contact has taken, given and kept so far.
  virtual void add_energy(EnergyBalance &balance) const = 0;

  /// By pair of partners; empty where contacts keep none.
  virtual std::vector<StoredContactEnergy>
  stored_energies() const
  {
    return {};
  }

  /// What contacts of other meshes have stored is given back by those of the same partners that are
  /// found first. After start(), before the first kick. By default it is lost.
  virtual void
  set_stored_energies(const std::vector<StoredContactEnergy> & /*stored*/)
  {
  }

  /// Of all nodes of the table at the last tests of their own; targets and nodes that are no
  /// contactors have none. Empty unless has_states().
  virtual std::vector<ContactState> states() const = 0;

  /// Does this method know the states of nodes?
  virtual bool
  has_states() const
  {
    return true;
  }

  /// Is all that nodes do between two kicks looked at, so that nothing is passed unseen?
  virtual bool
  misses_nothing() const
  {
    return true;
  }

  /// What is left of the surface after exclusions.
  virtual const Surface<spacedim> &surface() const = 0;

  /// Time spent on contact so far [seconds].
  virtual double wall_time() const = 0;

  /// Write to, or read from, a checkpoint what has changed since start(), which must have been
  /// called.
  virtual void serialize(Archive &archive) = 0;

  /// What passes through what at the start, in words, if this method looks for it by itself;
  /// otherwise null.
  virtual const std::vector<std::string> *
  crossings() const
  {
    return nullptr;
  }

  /// Throw if something crosses at the start that this method can never part.
  virtual void
  check_crossings() const
  {
  }

  /// Throw if bodies are too near to each other at the start for this method.
  virtual void
  check_distances() const
  {
  }

  /// What this method is about to do, in sentences, after start().
  virtual void
  print_plan(std::ostream &out) const
  {
    (void)out;
  }

  /// A list of the pairs that start too near for this method, of which @p most are named.
  virtual void
  print_near(std::ostream &out, unsigned int most) const
  {
    (void)out, (void)most;
  }

  /// What this method has done, as a part of a sentence.
  virtual void print_outcome(std::ostream &out) const;

  /// Figures of this method alone.
  virtual ContactFigures
  figures() const
  {
    return {};
  }
};

/**
 * Contact as parameters.response says, Response::automatic excepted; not started yet. Throws what
 * the constructors of ReferenceContact, ImpulseContact and LayerContact throw, and
 * ContactExceptions::ExcNoReference.
 * @param eroding null if no cells are deleted
 */
template <int spacedim>
std::unique_ptr<ContactMethod<spacedim>>
make_contact_method(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper,
                    const Surface<spacedim> &surface, const ContactParameters &parameters,
                    const std::vector<Obstacle<spacedim>> &obstacles,
                    std::shared_ptr<const ErodingSurface<spacedim>> eroding);
} // namespace KickDrift

#endif
