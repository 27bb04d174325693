#ifndef KICKDRIFT_CONTACT_RESPONSE_IMPULSE_NEWTON_H
#define KICKDRIFT_CONTACT_RESPONSE_IMPULSE_NEWTON_H

#include <kickdrift/base/envelope_lu.h>

#include <array>
#include <vector>

namespace KickDrift
{
/**
 * Impulses of the many contacts of a few rigid bodies, by Newton's method for the velocities.
 *
 * Coulomb's law in the form of de Saxce & Feng (1998): with the rate u, its normal part above what
 * is wanted and its tangential part u_t, the impulse p is the projection of p - (u + mu |u_t| n)/r
 * on the cone of friction, for any r > 0. Rounds of the method of multipliers: the p in the bracket
 * is that of the round before, and Newton's method solves for the velocities v with which
 *
 *   M (v - v_0) = sum of H^T projection,   u = H v,
 *
 * however many contacts repeat each other (without friction the minimum of a convex function,
 * Cadoux 2009). Its steps are halved until they mend something. Gauss-Seidel sweeps over such
 * contacts hardly converge.
 *
 * Rates and impulses are in the frame of their contact: first along the normal, then along
 * tangents. Velocities are counted from those at the start, so that their rounding is small where
 * all moves fast together.
 */
template <int spacedim>
class ImpulseNewton
{
public:
  static constexpr unsigned int max_components =
      spacedim == 2 ? 3 : 6; ///< of the velocity of a rigid body

  using Frame = std::array<double, spacedim>; ///< along the normal, along tangents
  /// Mass matrix of the components of the velocity of a body [mass, or mass*length^2].
  using Mass = std::array<std::array<double, max_components>, max_components>;

  /// A contact and one body, or node, that it acts on. By component of its velocity:
  struct Link
  {
    unsigned int moving;                         ///< number of the body
    std::array<Frame, max_components> rate_of;   ///< rate of the contact by it [-, or length]
    std::array<Frame, max_components> change_by; ///< change of it by impulses [1/mass, ...]
  };

  /// A contact; its links are those that are added after it.
  struct Contact
  {
    Frame rate;                     ///< at the start [length/time]
    double wanted;                  ///< least normal rate [length/time]
    double inverse_mass;            ///< along the normal, positive [1/mass]
    double tangential_inverse_mass; ///< no less than any along the surface [1/mass]
    double friction;                ///< coefficient [-]
    double least;                   ///< normal impulse, whatever the rate is [mass*length/time]
    Frame impulse;                  ///< that it has at the start [mass*length/time]
    unsigned int first_link = 0;    ///< set by add()
    unsigned int n_links = 0;       ///< set by add()
  };

  /// Forget all.
  void clear();

  /// Add a rigid body or a node, with the mass matrix of the @p n components of its velocity.
  /// Returns its number.
  unsigned int add_moving(unsigned int n, const Mass &mass);

  /// Add a contact without links.
  void add(const Contact &contact);

  /// Add a link to the last contact; those to the same body become one.
  void add(const Link &link);

  /// By how much the laws of contact are violated, as a rate; the largest [length/time].
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
  /// What is given in a round.
  struct Given
  {
    Frame last_impulse; ///< of the round before [mass*length/time]
    double scale;       ///< the weight r of the class description [1/mass]
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
  static Projected project(const Frame &trial, double friction, double least);
  double find_remainder();
  void find_pattern();
  void find_matrix();
  bool is_small(const std::vector<double> &step, double tolerance) const;
  bool iterate(double tolerance);

  std::vector<double> velocities;
  std::vector<unsigned int> first_components{0}; ///< by what moves, and behind the last
  std::vector<Mass> masses;                      ///< by what moves
  std::vector<Link> links;
  std::vector<Contact> all;
  // of solve()
  std::vector<Given> given;
  std::vector<Projected> projected;
  unsigned int n_iterations = 0;
  EnvelopeLu matrix; ///< derivatives of the equations by velocities
  std::vector<double> free_velocities, remainder, direction;
};
} // namespace KickDrift

#endif
