#ifndef KICKDRIFT_POTENTIALS_SECTION_IMPULSES_H
#define KICKDRIFT_POTENTIALS_SECTION_IMPULSES_H

#include <kickdrift/potentials/kicks_by_clock.h>
#include <kickdrift/stepping/kicks/kicks.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace KickDrift
{
/// Linear and angular impulse through a section.
template <int spacedim>
struct SectionImpulse
{
  /// One component in two dimensions, three in three.
  static constexpr int n_moments = spacedim == 2 ? 1 : 3;

  dealii::Tensor<1, spacedim> linear;   ///< [mass*length/time]
  dealii::Tensor<1, n_moments> angular; ///< about the origin of the section [mass*length^2/time]
};

/**
 * What goes through a section: impulses that the kicks of cells which it cuts give to the nodes
 * behind it.
 *
 * Nodes are behind a section or in front of it, and a kick of strain energy that acts on both sides
 * gives them opposite impulses. Kicks that act on one side only change neither its momentum nor
 * its angular momentum. So the sum here is what the nodes behind the section get from those in
 * front, to the last bit but rounding, whatever the clocks.
 *
 * A follower of the kicks that are cut (Stepper::add_on_clock_of()): it changes no velocities, and
 * writes down after each of these kicks what it has given.
 */
template <int spacedim>
class SectionImpulses : public ClockedKicks<spacedim>
{
public:
  /// A vector in space.
  using Vector = typename Kicks<spacedim>::Vector;
  /// What goes through the section.
  using Impulse = SectionImpulse<spacedim>;

  /// A kick that is cut.
  struct Cut
  {
    std::shared_ptr<const Kicks<spacedim>> kicks; ///< its family
    unsigned int k;                               ///< its number there
    unsigned int id;                              ///< under which the stepper knows it
  };

  /**
   * @param is_behind by node of the table
   * @param origin about which moments are taken, a point that does not move [length]
   */
  SectionImpulses(const std::vector<Cut> &cuts, std::vector<char> is_behind,
                  const dealii::Point<spacedim> &origin);

  /// Kick @p k of another family acts with the cut kick of this @p id, as viscosity of a cell does;
  /// nothing if that is not cut. If it ends with a cell, the stepper must know this family first.
  void add_companion(std::shared_ptr<const Kicks<spacedim>> kicks, unsigned int k, unsigned int id);

  /// Ids of the kicks that are followed, shape (n_kicks()).
  const std::vector<unsigned int> &
  ids() const
  {
    return followed;
  }

  /// Since the start, for nodes that are all at @p time; @p covered_until tells by id until when
  /// the kicks have acted.
  Impulse impulse(const NodeTable<spacedim> &synchronised, double time,
                  const std::function<double(unsigned int id)> &covered_until) const;

  std::string
  name() const override
  {
    return "section";
  }
  /// Number of kicks that are cut.
  unsigned int
  n_kicks() const override
  {
    return followed.size();
  }
  std::vector<unsigned int> support(unsigned int k) const override;
  /// Changes nothing; book() comes next.
  void kick(NodeTable<spacedim> &nodes, unsigned int clock, double time,
            double step) const override;
  /// None.
  void force(const NodeTable<spacedim> &nodes, unsigned int k, double time,
             std::vector<Vector> &force) const override;
  void book(const NodeTable<spacedim> &nodes, unsigned int clock, double time) override;
  KickAccount account(unsigned int k) override;
  /// Nothing goes through a cell that is deleted.
  bool
  ends_with_followed() const override
  {
    return true;
  }
  /// Takes back what the kick has given beyond its time, which its nodes give back, too.
  void end(const NodeTable<spacedim> &nodes, unsigned int k) override;
  void
  add_energy(const NodeTable<spacedim> &, EnergyBalance &) const override
  {
  }
  void serialize(Archive &archive) override;

private:
  /// A family and the number of a kick of it.
  struct Provider
  {
    std::shared_ptr<const Kicks<spacedim>> kicks;
    unsigned int k;
  };

  /// Force and moment of kick @p k on the nodes behind the section at @p time.
  Impulse forces(const NodeTable<spacedim> &nodes, unsigned int k, double time) const;

  const std::vector<char> is_behind;
  const dealii::Point<spacedim> origin;
  std::vector<unsigned int> followed; ///< ids
  std::unordered_map<unsigned int, unsigned int> kick_of_id;
  std::vector<std::vector<Provider>> providers; ///< by kick
  std::vector<Impulse> impulses;                ///< by kick
  mutable double last_step = 0;                 ///< of kick(), for book() [time]
};
} // namespace KickDrift

#endif
