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
 * of the width of a body by its speed, and loads move the body no farther than that from rest: this
 * bounds how late a contact is found. A free body turns by no more than an eighth of a radian.
 * Where cells deform, steps are not longer than the longest that these have at the start, and
 * shorter than the shortest only if the body turns too far while its nodes fly straight: contact
 * with what deforms is as fine as that.
 *
 * With each kick of a body one looks at its speed, if it is free, and at its next interval: how far
 * the drive takes it there, if it is driven, and whether loads change. The interval is shortened
 * until the drive keeps to the width, as far as eight times in it tell; and until the kick gives
 * the impulse of each load in it to 1 %, or steps are 1/256 of the longest there are, which is how
 * late a load that jumps may be. Loads that last a seventh of a step or less, and those on few of
 * the cells that a family of loads acts on, may be missed: of a family one looks at 64 kicks.
 *
 * What happens within a step, such as an impact, counts from the next one on. So does what is
 * faster than the classes of the start have steps for, with all that bounds say, except for free
 * bodies which turn: they are refused. With a clock per cell nothing follows: driven bodies keep
 * the steps that they begin with.
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
  /// @param families must outlive the object, as @p motions must
  /// @param fixed step if the user says how long steps are; 0: steps follow [time]
  /// @param ratio of steps to critical ones [-]
  void start(std::vector<double> &steps, const KickFamilies<spacedim> &families,
             const PrescribedMotions<spacedim> &motions, double fixed, double ratio);

  /// Classes below the finest of the start, for bodies that become so many powers of two faster.
  unsigned int n_spare_classes() const;

  /// Kicks of @p clock have been given, and it has advanced. Returns whether classes should follow.
  /// Throws StepperExceptions::ExcRigidTurn.
  bool kicked(unsigned int clock, const TimeLevels &levels);

  /// The same as start() for the present motion; @p levels follow it.
  void put(std::vector<double> &steps, const TimeLevels &levels);

  /// Write to, or read from, a checkpoint what has changed since start().
  void serialize(Archive &archive);

private:
  /// Those kicks of a family of loads on a body at which one looks.
  struct Load
  {
    unsigned int family;
    std::vector<unsigned int> kicks;
    double share; ///< of all of them [-]
  };

  struct Body
  {
    std::vector<unsigned int> nodes, ids;
    std::vector<unsigned int> ends; ///< nodes that lie outermost in some directions
    double width;                   ///< smallest extent [length]
    double resolution;              ///< that of add(), rounded [time]
    double mass;                    ///< 0: it is driven [mass]
    std::vector<Load> loads;        ///< that may change
    double from_rest = std::numeric_limits<double>::infinity(); ///< what loads of the start allow
                                                                ///< [time]
    double speed = 0; ///< of its fastest node, or a bound [length/time]
    double spin = 0;  ///< how fast it turns, or a bound [1/time]
    double ahead = std::numeric_limits<double>::infinity(); ///< critical step of the next interval
                                                            ///< [time]
    double under_loads = std::numeric_limits<double>::infinity();   ///< what steady loads allow
                                                                    ///< [time]
    double steady_until = -std::numeric_limits<double>::infinity(); ///< loads are [time]
    unsigned int followed = -1; ///< class that it was given last
  };

  /// The interval that comes next, and the steps among which one is chosen for it.
  struct Interval
  {
    double begin;        ///< [time]
    double longest;      ///< [time]
    double for_loads;    ///< the shortest by which loads are followed [time]
    double for_drives;   ///< the same of drives [time]
    double longest_ever; ///< of all steps [time]
  };

  void find_start(Body &body) const;
  void find_motion(Body &body) const;
  void find_loads();
  void look_ahead(Body &body, const Interval &interval) const;
  void follow_drive(Body &body, const Interval &interval) const;
  void follow_loads(Body &body, const Interval &interval) const;
  void sample(const Body &body, double begin, double duration,
              std::vector<std::vector<double>> &forces, double &largest) const;
  /// The interval after the one in which the kick of @p clock was given.
  Interval next_interval(const Clock &clock, const StepClasses &classes) const;
  /// Critical step of a body if the fastest rigid node has this speed [time].
  double limit(const Body &body, double fastest) const;
  /// Critical step of a body on which forces add up to @p force, if it is at rest [time].
  double limit_from_rest(const Body &body, double force) const;
  double fastest() const;
  unsigned int followed(const Body &body, double fastest, const StepClasses &classes) const;

  const NodeTable<spacedim> &nodes;
  std::vector<Body> bodies;
  const KickFamilies<spacedim> *families = nullptr;
  const PrescribedMotions<spacedim> *motions = nullptr;
  bool is_fixed = false;        ///< do steps follow nothing?
  double step_ratio = 1;        ///< of steps to critical ones [-]
  double shortest_of_cells = 0; ///< critical step of what deforms, at the start [time]
  double longest_of_cells = std::numeric_limits<double>::infinity(); ///< [time]
};
} // namespace KickDrift

#endif
