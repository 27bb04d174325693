#ifndef KICKDRIFT_STEPPING_RELAXATION_H
#define KICKDRIFT_STEPPING_RELAXATION_H

#include <kickdrift/stepping/kicks/kicks.h>

#include <deal.II/base/exceptions.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace KickDrift
{
/// What Relaxation throws.
struct RelaxationExceptions
{
  /// @addtogroup Exceptions
  /// @{

  /// Nothing keeps a part from moving away.
  DeclException1(ExcNotHeld, std::string, << "There is no static equilibrium of " << arg1
                                          << ": forces move it away, and no restraint holds it.");

  /// The search for equilibrium was given up.
  DeclException4(ExcNoEquilibrium, std::string, unsigned int, double, double,
                 << "No static equilibrium of " << arg1 << " was found: after " << arg2
                 << " iterations the forces that are left are " << arg3
                 << " of those that balance each other; wanted is " << arg4
                 << ". Loads may be above what it bears, or the tolerance below round-off.");

  /// The search has come to a state in which there are no forces.
  DeclException3(ExcUndefinedForce, std::string, unsigned int, std::string,
                 << "No static equilibrium of " << arg1 << " was found: in iteration " << arg2
                 << ", the force of " << arg3
                 << " is not finite. It may be turned inside out, where its material has no "
                    "stress. Loads may be above what it bears.");
  /// @}
};

/// How static equilibrium is looked for.
struct RelaxationParameters
{
  /// Forces that are left over, relative to those that balance each other [-].
  double tolerance = 1e-8;
  /// After which the search is given up.
  unsigned int max_iterations = 500000;
  /// Name of what a node belongs to, for messages; empty: its number.
  std::function<std::string(unsigned int node)> name = {};
  /// Name of a kick of a family with stiffness, for messages; empty: its number.
  std::function<std::string(unsigned int family, unsigned int kick)> name_of_kick = {};
};

/// What the search for static equilibrium was like.
struct RelaxationReport
{
  unsigned int n_iterations = 0;   ///< evaluations of all forces
  double residual = 0;             ///< largest of all parts, as the tolerance counts it [-]
  double largest_displacement = 0; ///< of a node, from where the search began [length]
};

/**
 * Static equilibrium by dynamic relaxation (Underwood 1983; Oakley & Knight 1995): central
 * differences with a step of 1, with masses of its own, which are as small as every kick bears, and
 * with the damping that is critical for the frequency in which the nodes move at the time,
 * @f$\omega^2 = -\Delta u \cdot \Delta f / \Delta u \cdot M \Delta u@f$.
 *
 * Nodes that no kicks connect are parts of their own, each with its damping and its end. A part is
 * in equilibrium when @f$f \cdot M^{-1} f@f$ of what its nodes are free to follow is the square of
 * the tolerance times the sum of @f$f_i \cdot M^{-1} f_i@f$ over the families of kicks, which
 * balance each other there, and over that of initial stress in the undeformed state; or when it is
 * round-off.
 */
template <int spacedim>
class Relaxation : public RelaxationExceptions
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;
  /// Families of kicks.
  using Families = std::vector<std::shared_ptr<Kicks<spacedim>>>;

  /**
   * @param with_stiffness families that critical steps are known of
   * @param others which act in the same way but set no step, such as loads; those that only oppose
   * velocities do nothing
   * @param nodes which must outlive the object; restraints hold what they hold
   */
  Relaxation(Families with_stiffness, const Families &others, NodeTable<spacedim> &nodes,
             RelaxationParameters parameters = RelaxationParameters());

  /**
   * Move the nodes to equilibrium with what acts at time 0, from where they are. Velocities, times
   * and sums of reactions stay what they are, and families book nothing; kicks are on other clocks
   * than before, so that it must come before Stepper::start().
   *
   * Throws ExcNotHeld if something can move away, ExcNoEquilibrium if none is found, and
   * ExcUndefinedForce if the search comes to where there are no forces.
   */
  RelaxationReport run();

private:
  /// Nodes that kicks connect.
  struct Part
  {
    unsigned int first_node;       ///< stands for the part in messages
    bool has_strain_only = true;   ///< nothing else holds it than restraints
    bool is_moved = true;          ///< is it not in equilibrium?
    double extent = 0;             ///< largest distance from the first node [length]
    double mass = 0;               ///< of the search, of its nodes
    double noise = 0;              ///< f M^-1 f of the undeformed state, which is rounding
    double stressed = 0;           ///< the same if it is no rounding, but initial stress
    double damping = 0;            ///< of the next step [-]
    double residual = 0;           ///< see RelaxationParameters::tolerance
    double least = 0;              ///< residual so far
    unsigned int n_since_less = 0; ///< iterations since the residual was half of it
  };

  void find_parts();
  void find_masses();
  /// The masses with which each kick bears a step of 1, in the present state; @p first : of all
  /// kicks, otherwise of those that change.
  void update_masses(bool first);
  /// What is left of forces by rounding, or by initial stress, where there is no deformation.
  void find_noise();
  /// Accelerations by all kicks, and whether parts are in equilibrium.
  void find_accelerations();
  void find_damping();
  void step();
  /// Throw if forces drive a part where no restraint holds it.
  void check_held() const;
  /// Throw if there is no progress.
  void check_progress(unsigned int n_iterations);
  /// A kick whose force is not finite; empty if there is none.
  std::string undefined_kick() const;
  std::string name_of(const Part &part) const;

  const Families with_stiffness;
  Families all;
  NodeTable<spacedim> &nodes;
  const RelaxationParameters parameters;
  NodeTable<spacedim> work; ///< a copy with masses of its own, at rest
  std::vector<std::vector<unsigned int>> nodes_of_family; ///< of all, each once
  std::vector<double> masses;                             ///< by node
  std::vector<std::vector<double>> mass_factors;          ///< by family with stiffness and kick
  std::vector<unsigned int> part_of_node;
  std::vector<Part> parts;
  std::vector<Vector> velocity;     ///< of the search [length]
  std::vector<Vector> acceleration; ///< that restraints allow [length]
  std::vector<Vector> last;         ///< acceleration one step ago
  std::vector<Vector> total;        ///< with what restraints take [length]
};
} // namespace KickDrift

#endif
