#ifndef KICKDRIFT_CONTACT_RESPONSE_CONTACT_ZONES_H
#define KICKDRIFT_CONTACT_RESPONSE_CONTACT_ZONES_H

#include <kickdrift/contact/surface/contact_point.h>
#include <kickdrift/stepping/stepper.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace KickDrift
{
/**
 * Zones of cells on one clock around contacts (theory: zones). There is no object for a zone: every
 * contact promotes its kicks, and renews that while it lasts. Needs step classes.
 */
template <int spacedim>
class ContactZones
{
public:
  /// A zone outlives its last contact by this many periods of its class: contact nodes chatter.
  static constexpr double hold = 10;

  /// @p stepper must outlive it.
  explicit ContactZones(Stepper<spacedim> &stepper);

  /// The stepper has started; @p surface_nodes : all that may be in contact, and what carries them;
  /// @p n_nodes : of the table.
  void start(const std::vector<unsigned int> &surface_nodes, unsigned int n_nodes);

  /// What follows happens at @p time; kicks of that time have been done [time].
  void enter_instant(double time);

  /// Is this instant the end of an interval of every kick that acts on the node?
  bool at_common_instant(unsigned int node) const;

  /// Finest and coarsest class of the kicks that act on these nodes.
  template <typename Nodes>
  std::pair<unsigned int, unsigned int>
  classes_of(const Nodes &nodes) const
  {
    std::pair<unsigned int, unsigned int> result{-1, 0};
    for (const unsigned int node : nodes)
      result = {std::min(result.first, natural_classes[node].finest),
                std::max(result.second, natural_classes[node].coarsest)};
    return result;
  }

  /// Let the kicks around a contact share the finest class among them, which is returned, for hold
  /// times @p periods of its steps. @p joins : take the class of a finer zone beside it, too.
  unsigned int promote(const ContactStencil<spacedim> &stencil, double periods, bool joins);

  /// Natural classes of kicks have changed.
  void classes_changed();

  /// Write to, or read from, a checkpoint what changes during a run.
  void serialize(Archive &archive);

private:
  /// Classes around a node of the surface.
  struct NaturalClasses
  {
    unsigned int finest, coarsest; ///< of the kicks that act on it
    unsigned int beside;           ///< the coarsest that may come beside these kicks
    unsigned int coarsest_beside;  ///< of the kicks that share nodes with them
  };

  void update_classes();
  /// Let the kicks around a contact come in no coarser class.
  void promote_around(const ContactStencil<spacedim> &stencil, unsigned int step_class,
                      double until);
  /// Zones that share cells have one class: take the class of a finer one, which is returned.
  unsigned int join_finer_zone(const ContactStencil<spacedim> &stencil, unsigned int own_class);
  /// No kicks beside those around a contact in a class coarser than @p step_class: kicks on one
  /// side of a contact are neighbours of those on the other, see apply_stability_rule().
  void promote_beside(const ContactStencil<spacedim> &stencil, unsigned int step_class,
                      double until);

  Stepper<spacedim> &stepper;
  std::vector<unsigned int> surface_nodes;
  unsigned int n_nodes = 0;                    ///< of the table
  std::vector<NaturalClasses> natural_classes; ///< by node
  std::vector<double> beside_until;            ///< by node, end of promote_beside() [time]
  std::vector<unsigned int> beside_classes;    ///< by node, class of that
  double instant = 0;                          ///< [time]
  unsigned int ending_classes = 0;             ///< classes whose intervals end at this instant
};
} // namespace KickDrift

#endif
