#ifndef KICKDRIFT_POTENTIALS_LOADS_LOADS_H
#define KICKDRIFT_POTENTIALS_LOADS_LOADS_H

#include <kickdrift/potentials/kicks_by_clock.h>
#include <kickdrift/stepping/kicks/kicks.h>

#include <boost/container/small_vector.hpp>

#include <functional>

namespace KickDrift
{
/**
 * Where body forces or tractions act: a kick per cell or boundary face, on its nodes; filled by
 * deal_ii/ from a quadrature in the reference configuration (dead loads).
 */
template <int spacedim>
struct LoadPoints
{
  unsigned int nodes_per_kick = 0;  ///< nodes that a kick acts on
  unsigned int points_per_kick = 0; ///< points at which the load of a kick is evaluated
  /// Node indices, shape (n_kicks, nodes_per_kick).
  std::vector<unsigned int> nodes;
  /// Quadrature points in the reference configuration, shape (n_kicks, points_per_kick) [length].
  std::vector<dealii::Point<spacedim>> points;
  /**
   * Quadrature weight times Jacobian determinant times shape function, shape
   * (n_kicks, points_per_kick, nodes_per_kick) [volume or area].
   */
  std::vector<double> weights;
};

/**
 * Forces on the nodes of cells or boundary faces: what all loads have in common. Loads have no
 * critical step; they follow the clocks of the cells they act on.
 */
template <int spacedim>
class Loads : public ClockedKicks<spacedim>
{
public:
  /// A vector in space.
  using Vector = typename Kicks<spacedim>::Vector;

  std::string
  name() const override
  {
    return load_name;
  }
  /// Number of kicks.
  unsigned int
  n_kicks() const override
  {
    return nodes.size() / nodes_per_kick;
  }
  std::vector<unsigned int> support(unsigned int k) const override;
  void kick(NodeTable<spacedim> &nodes, unsigned int clock, double time,
            double step) const override;
  void force(const NodeTable<spacedim> &nodes, unsigned int k, double time,
             std::vector<Vector> &force) const override;

  /**
   * Work is counted from the displacements and times that the nodes have now. To be called before
   * the first kick.
   */
  virtual void begin(const NodeTable<spacedim> &nodes) = 0;

protected:
  /// @param nodes shape (n_kicks, nodes_per_kick)
  Loads(std::string name, unsigned int nodes_per_kick, std::vector<unsigned int> nodes);

  /**
   * Forces on the nodes of kick @p k [force], shape (nodes_per_kick), zero on entry; where they
   * depend on positions, at those that the @p nodes have at @p time.
   */
  virtual void add_forces(const NodeTable<spacedim> &nodes, unsigned int k, double time,
                          Vector *forces) const = 0;

  /// Forces on the nodes of a kick [force], kept on the stack.
  using Forces = boost::container::small_vector<Vector, 8>;
  /// Forces on the nodes of a kick [force].
  Forces forces_at(const NodeTable<spacedim> &nodes, unsigned int k, double time) const;

  /// Node @p a of kick @p k.
  unsigned int
  node(const unsigned int k, const unsigned int a) const
  {
    return nodes[k * nodes_per_kick + a];
  }

  const unsigned int nodes_per_kick; ///< nodes that a kick acts on

private:
  const std::string load_name;
  const std::vector<unsigned int> nodes;
};

/// Loads that do not depend on time. Their work is exactly the sum of force times displacement.
template <int spacedim>
class ConstantLoads : public Loads<spacedim>
{
public:
  /// A vector in space.
  using Vector = typename Loads<spacedim>::Vector;

  /**
   * @param name under which the kicks are counted, e.g. "gravity"
   * @param nodes shape (n_kicks, nodes_per_kick)
   * @param forces shape (n_kicks, nodes_per_kick) [force]
   */
  ConstantLoads(std::string name, unsigned int nodes_per_kick, std::vector<unsigned int> nodes,
                std::vector<Vector> forces);

  /// @param density force per volume or area at a point of the reference configuration
  ConstantLoads(std::string name, const LoadPoints<spacedim> &points,
                const std::function<Vector(const dealii::Point<spacedim> &)> &density);

  void begin(const NodeTable<spacedim> &nodes) override;
  void add_energy(const NodeTable<spacedim> &nodes, EnergyBalance &balance) const override;

private:
  void add_forces(const NodeTable<spacedim> &nodes, unsigned int k, double time,
                  Vector *forces) const override;
  double potential(const NodeTable<spacedim> &nodes) const;

  std::vector<Vector> forces;
  double potential_at_start = 0; ///< sum of force times displacement
};

/**
 * Loads whose work is summed up on the way, by the trapezoidal rule between kicks:
 * (f_j + f_{j+1})/2 . (x_{j+1} - x_j).
 */
template <int spacedim>
class LoadsWithWork : public Loads<spacedim>
{
public:
  /// A vector in space.
  using Vector = typename Loads<spacedim>::Vector;
  using typename Loads<spacedim>::Forces;

  void begin(const NodeTable<spacedim> &nodes) override;
  /// Throws dealii::ExcMessage unless begin() has been called.
  void assign_clocks(const std::vector<unsigned int> &clock_of_kick,
                     unsigned int n_clocks) override;
  void book(const NodeTable<spacedim> &nodes, unsigned int clock, double time) override;

  /// Includes the work since the last kicks, up to the time of the nodes.
  void add_energy(const NodeTable<spacedim> &nodes, EnergyBalance &balance) const override;

  void serialize(Archive &archive) override;

  /// Force and displacement at the last time that was booked, and work until then.
  KickAccount account(unsigned int k) override;

protected:
  /// @p nodes has shape (n_kicks, nodes_per_kick).
  LoadsWithWork(std::string name, unsigned int nodes_per_kick, std::vector<unsigned int> nodes);

private:
  /// Force and displacement of a node at the last time that was booked, and the work until then:
  /// kick by kick, so that their sum does not depend on the order in which kicks come.
  struct Entry
  {
    Vector force;
    Vector displacement;
    double work = 0;
  };

  /// At a node of kick @p k.
  double work_since(unsigned int k, unsigned int a, const NodeTable<spacedim> &nodes,
                    const Forces &now) const;

  std::vector<Entry> booked; ///< shape (n_kicks, nodes_per_kick)
  bool has_begun = false;    ///< see begin()
};

/// Dead loads that depend on time.
template <int spacedim>
class VaryingLoads : public LoadsWithWork<spacedim>
{
public:
  /// A vector in space.
  using Vector = typename Loads<spacedim>::Vector;

  /// Force per volume or area at a point of the reference configuration, and time.
  using Density = std::function<Vector(const dealii::Point<spacedim> &, double)>;

  /// @p density is asked for at points and times.
  VaryingLoads(std::string name, LoadPoints<spacedim> points, Density density);

private:
  void add_forces(const NodeTable<spacedim> &nodes, unsigned int k, double time,
                  Vector *forces) const override;

  LoadPoints<spacedim> where;
  Density density;
};

/// Dead loads whose nodal forces all follow one factor of time: cheaper than VaryingLoads, since
/// the density is evaluated only once.
template <int spacedim>
class ScaledLoads : public LoadsWithWork<spacedim>
{
public:
  /// A vector in space.
  using Vector = typename Loads<spacedim>::Vector;

  /**
   * @param density force per volume or area at a point of the reference configuration
   * @param factor of all forces at a time
   */
  ScaledLoads(std::string name, const LoadPoints<spacedim> &points,
              const std::function<Vector(const dealii::Point<spacedim> &)> &density,
              std::function<double(double)> factor);

private:
  void add_forces(const NodeTable<spacedim> &nodes, unsigned int k, double time,
                  Vector *forces) const override;

  std::vector<Vector> forces; ///< where the factor is 1, shape (n_kicks, nodes_per_kick) [force]
  const std::function<double(double)> factor;
};
} // namespace KickDrift

#endif
