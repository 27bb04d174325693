#ifndef KICKDRIFT_STEPPING_RIGID_STEPS_H
#define KICKDRIFT_STEPPING_RIGID_STEPS_H

#include <kickdrift/stepping/kicks/kick_families.h>
#include <kickdrift/stepping/prescribed_motions.h>

#include <limits>
#include <vector>

namespace KickDrift
{
/**
 * How long the steps of rigid bodies are that are not told: nothing in them can become unstable,
 * and so they follow what the bodies do.
 *
 * In a step at half the critical one, the fastest rigid node comes no farther than a five-hundredth
 * of the width of a body: that bounds how late a contact is found, and how far from rest loads move
 * it. Where cells deform, steps are not longer than the longest of theirs, and shorter than the
 * shortest only if the body turns too far while its nodes fly straight: contact with what deforms
 * is as fine as that. Speeds are looked at with each kick of a body.
 */
template <int spacedim>
class RigidSteps
{
public:
  /// @p nodes must outlive the object.
  explicit RigidSteps(const NodeTable<spacedim> &nodes) : nodes(nodes) {}

  /// The kicks with these @p ids, which share a clock, are those of a body, free or driven, of
  /// these nodes. Critical steps are not above @p resolution, which is infinite or a time in which
  /// one looks at the bodies [time].
  void add(const std::vector<unsigned int> &body_nodes, const std::vector<unsigned int> &ids,
           double resolution);

  /// Are there no such bodies?
  bool
  empty() const
  {
    return bodies.empty();
  }

  /// Ids of the kicks of all such bodies.
  std::vector<unsigned int> ids() const;

  /// Put critical steps of the start in the place of those of the bodies' kicks in @p steps, shape
  /// (number of kicks with ids) [time].
  /// @param fixed critical step if the user says how long steps are; 0: steps follow [time]
  void start(std::vector<double> &steps, const KickFamilies<spacedim> &families,
             const PrescribedMotions<spacedim> &motions, double fixed);

  /// Classes below the finest of the start that bodies may need later.
  unsigned int n_spare_classes() const;

  /// Kicks of @p clock have been given. Returns whether classes should follow.
  bool kicked(unsigned int clock, const TimeLevels &levels);

  /// The same as start() for the present motion; @p levels follow it.
  void put(std::vector<double> &steps, const TimeLevels &levels);

  /// Write to, or read from, a checkpoint what has changed since start().
  void serialize(Archive &archive);

private:
  struct Body
  {
    std::vector<unsigned int> nodes, ids;
    double width;               ///< the smallest, of a box with these principal moments [length]
    double radius;              ///< of the node that is farthest from the mean [length]
    double resolution;          ///< the power of two below that of add() [time]
    double from_rest;           ///< what loads of the start allow [time]
    double speed = 0;           ///< of its fastest node [length/time]
    double spin = 0;            ///< how fast it turns [1/time]
    unsigned int followed = -1; ///< class that it was given last
  };

  void look_at(Body &body) const;
  void find_loads(const KickFamilies<spacedim> &families);
  void find_drive(Body &body, const PrescribedMotions<spacedim> &motions) const;
  /// Critical step of a body if the fastest rigid node has this speed [time].
  double limit(const Body &body, double fastest) const;
  double fastest() const;
  static unsigned int followed(const Body &body, double step, const StepClasses &classes);

  const NodeTable<spacedim> &nodes;
  std::vector<Body> bodies;
  bool is_fixed = false;        ///< do steps follow nothing?
  double shortest_of_cells = 0; ///< critical step of what deforms [time]
  double longest_of_cells = std::numeric_limits<double>::infinity(); ///< [time]
};
} // namespace KickDrift

#endif
