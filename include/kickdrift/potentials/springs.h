#ifndef KICKDRIFT_POTENTIALS_SPRINGS_H
#define KICKDRIFT_POTENTIALS_SPRINGS_H

#include <kickdrift/potentials/simple_kicks.h>

#include <array>

namespace KickDrift
{
/// A linear spring between two nodes: V = stiffness/2 (|x_1 - x_0| - rest_length)^2.
struct Spring
{
  std::array<unsigned int, 2> nodes; ///< the ends
  double stiffness;                  ///< not negative [force/length]
  double rest_length;                ///< not negative [length]
};

/// Springs between pairs of nodes, a kick each. Springs of no length exert no force.
template <int spacedim>
class Springs : public SimpleKicks<spacedim>
{
public:
  /// A vector in space.
  using Vector = typename SimpleKicks<spacedim>::Vector;

  /// Throws dealii::ExceptionBase if a spring has invalid properties, naming it.
  explicit Springs(std::vector<Spring> springs);

  std::string
  name() const override
  {
    return "spring";
  }
  /// Number of kicks.
  unsigned int
  n_kicks() const override
  {
    return springs.size();
  }
  std::vector<unsigned int> support(unsigned int k) const override;

  /// The stiffness at both ends, which no state exceeds along the spring.
  void nodal_stiffness(unsigned int k, std::vector<double> &stiffness) const override;
  void force(const NodeTable<spacedim> &nodes, unsigned int k, double time,
             std::vector<Vector> &force) const override;
  double energy(const NodeTable<spacedim> &nodes, unsigned int k) const override;

private:
  std::vector<Spring> springs;
};

/// A linear spring from a node to a point that does not move.
template <int spacedim>
struct AnchoredSpring
{
  unsigned int node;              ///< the end that moves
  dealii::Point<spacedim> anchor; ///< the other one [length]
  double stiffness;               ///< not negative [force/length]
  double rest_length;             ///< not negative [length]
};

/// Springs between nodes and points that do not move, a kick each.
template <int spacedim>
class AnchoredSprings : public SimpleKicks<spacedim>
{
public:
  /// A vector in space.
  using Vector = typename SimpleKicks<spacedim>::Vector;

  /// Throws dealii::ExceptionBase if a spring has invalid properties, naming it.
  explicit AnchoredSprings(std::vector<AnchoredSpring<spacedim>> springs);

  std::string
  name() const override
  {
    return "spring";
  }
  /// Number of kicks.
  unsigned int
  n_kicks() const override
  {
    return springs.size();
  }
  std::vector<unsigned int>
  support(const unsigned int k) const override
  {
    return {springs[k].node};
  }

  /// The stiffness, which no state exceeds along the spring.
  void nodal_stiffness(unsigned int k, std::vector<double> &stiffness) const override;
  void force(const NodeTable<spacedim> &nodes, unsigned int k, double time,
             std::vector<Vector> &force) const override;
  double energy(const NodeTable<spacedim> &nodes, unsigned int k) const override;

private:
  /// From the node to the anchor at @p time, without cancellation far from the origin.
  Vector extent(const NodeTable<spacedim> &nodes, unsigned int k, double time) const;

  std::vector<AnchoredSpring<spacedim>> springs;
};
} // namespace KickDrift

#endif
