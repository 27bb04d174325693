#ifndef KICKDRIFT_CONTACT_RESPONSE_IMPULSE_NEWTON_H
#define KICKDRIFT_CONTACT_RESPONSE_IMPULSE_NEWTON_H

#include <kickdrift/base/fixed_point_acceleration.h>

#include <array>
#include <vector>

namespace KickDrift
{
/**
 * Impulses of the many contacts of a few things that move, rigid bodies for instance: Newton's
 * method for the velocities that they lead to.
 *
 * With a bound on friction that grows with the normal impulse, in the form of de Saxce & Feng
 * (1998), impulses are the projection on Coulomb's cone of what they have been less the rates times
 * a factor, if the rates along the normal are first made larger by the friction coefficient times
 * what slides; with that part as it has been the last time, velocities are the minimum of a convex
 * function (Cadoux 2009; method of multipliers). So each iteration goes down, whatever contacts
 * there are, and how many of them contradict or repeat each other; sweeps over contacts hardly move
 * then.
 *
 * All rates and impulses are in the frame of their contact: first along the normal, then along
 * tangents. Velocities are what impulses have changed, of all that moves, one component after the
 * other: they are as small as rates, where all moves fast together, too.
 */
template <int spacedim>
class ImpulseNewton
{
public:
  static constexpr unsigned int max_components =
      spacedim == 2 ? 3 : 6; ///< of the velocity of a rigid body

  using Frame = std::array<double, spacedim>; ///< along the normal, along tangents
  /// Mass matrix of the velocities of one thing [mass, ...].
  using Mass = std::array<std::array<double, max_components>, max_components>;

  /// What a contact has to do with one thing that moves.
  struct Link
  {
    unsigned int moving;                         ///< its number
    std::array<Frame, max_components> rate_of;   ///< what one of a component gives [-, or length]
    std::array<Frame, max_components> change_by; ///< of a component, by impulses [1/mass, ...]
  };

  /// A contact; its links are those that are added after it.
  struct Contact
  {
    Frame rate;                     ///< at the start [length/time]
    double wanted;                  ///< least normal rate [length/time]
    double inverse_mass;            ///< along the normal, positive [1/mass]
    double tangential_inverse_mass; ///< no less than any along the surface [1/mass]
    double friction;                ///< coefficient [-]
    Frame impulse;                  ///< that it has at the start [mass*length/time]
    unsigned int first_link = 0;    ///< set by add()
    unsigned int n_links = 0;       ///< set by add()
  };

  /// Forget all.
  void clear();

  /// Something that moves, with the mass matrix of @p n components of velocity; returns its number.
  unsigned int add_moving(unsigned int n, const Mass &mass);

  /// Add a contact without links.
  void add(const Contact &contact);

  /// Add one to the last contact.
  void add(const Link &link);

  /// By how much a rate is not what it has to be, the largest [length/time].
  double residual() const;

  /// Iterate until residual() is no more than @p tolerance [length/time]. Returns whether it is;
  /// the impulses of the smallest one remain.
  bool solve(double tolerance);

  /// With their impulses.
  const std::vector<Contact> &
  contacts() const
  {
    return all;
  }

private:
  /// What is given while a minimum is looked for.
  struct Given
  {
    Frame centre; ///< of the impulses [mass*length/time]
    double slip;  ///< times the coefficient of friction [length/time]
    double scale; ///< of rates by impulses [1/mass]
  };
  /// What the velocities of an iteration lead to.
  struct Projected
  {
    Frame impulse;
    std::array<Frame, spacedim> derivative; ///< by what is projected
  };

  unsigned int
  n_components(const Link &link) const
  {
    return first_components[link.moving + 1] - first_components[link.moving];
  }

  Frame rate(const Contact &contact, const std::vector<double> &of) const;
  void set_impulse(Contact &contact, const Frame &impulse);
  static Projected project(const Frame &trial, double friction);
  double value(const std::vector<double> &at);
  void find_gradient();
  void find_matrix();
  bool minimise(double tolerance);
  bool solve_symmetric();
  double largest_rate_of_change() const;

  std::vector<double> velocities;
  std::vector<unsigned int> first_components{0}; ///< by what moves, and behind the last
  std::vector<Mass> masses;                      ///< by what moves
  std::vector<Link> links;
  std::vector<Contact> all;
  // of solve()
  std::vector<Given> given;
  std::vector<Projected> projected;
  FixedPointAcceleration acceleration{5}; ///< of slips
  unsigned int n_iterations = 0;
  std::vector<double> free_velocities, downhill, matrix, direction, trial_velocities;
};
} // namespace KickDrift

#endif
