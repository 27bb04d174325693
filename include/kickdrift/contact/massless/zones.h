#ifndef KICKDRIFT_CONTACT_MASSLESS_ZONES_H
#define KICKDRIFT_CONTACT_MASSLESS_ZONES_H

#include <kickdrift/contact/massless/lenders.h>
#include <kickdrift/contact/massless/zone.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace KickDrift
{
/// Faces that were to be massless but keep their masses, so that impulses answer their contacts.
struct MasslessRefusal
{
  unsigned int body;    ///< of the surface
  unsigned int n_faces; ///< how many of its faces
};

/// What zones are made of.
template <int spacedim>
struct MasslessSetting
{
  std::vector<Obstacle<spacedim>> obstacles; ///< numbers count on after the bodies
  Exclusions exclusions;                     ///< who does not see whom
  ContactPairs<spacedim> pairs;              ///< coefficients of friction
  MasslessParameters parameters;             ///< of equilibria
};

/**
 * All massless zones of a model: one for each part of the surface of which nothing can touch
 * another one, with a clock of its own. Kick k is that of zone k.
 *
 * Zones answer contacts between their faces (of different bodies), and between the nodes of these
 * and obstacles. Which faces and contactors are in which zone is written down in the surface, for
 * those who answer what is left by impulses (Surface::in_one_zone()).
 */
template <int spacedim>
class MasslessZones : public Kicks<spacedim>
{
public:
  /// A vector in space.
  using Vector = typename Kicks<spacedim>::Vector;

  /**
   * Nodes of the @p wanted faces that are not held in all directions lend their masses; critical
   * steps of @p stepper are found before that. Faces of which a node cannot do without its mass are
   * left to impulses, see refusals().
   *
   * Nodes and stepper must outlive the zones, which must be added to the stepper with
   * Stepper::add_in_place_of() and groups(), and start() called after Stepper::start().
   *
   * @param wanted by face of the surface
   */
  MasslessZones(NodeTable<spacedim> &nodes, Stepper<spacedim> &stepper, Surface<spacedim> surface,
                const std::vector<char> &wanted, MasslessSetting<spacedim> setting);

  /// All faces and contactors, with their zones.
  const Surface<spacedim> &
  surface() const
  {
    return marked;
  }

  /// By zone, ids of the kicks in whose place it is given.
  std::vector<std::vector<unsigned int>> groups() const;

  /// Find what is near, and the blocks of the layers; throws MasslessExceptions.
  void start();

  /// Number of massless nodes.
  unsigned int n_massless() const;

  /// By zone; those that are null have nothing.
  const std::vector<std::unique_ptr<MasslessZone<spacedim>>> &
  zones() const
  {
    return parts;
  }

  /// Faces that keep their masses, by body.
  std::vector<MasslessRefusal> refusals() const;

  /// What solutions took so far.
  const MasslessEfforts &
  efforts() const
  {
    return books.done;
  }

  /// Contact impulses on nodes, and the deepest penetration, at kicks.
  const ContactStatistics<spacedim> &
  statistics() const
  {
    return books.stats;
  }

  /// Add them to those of others, as Stepper::snapshot() sees them at the present time.
  void add_to(ContactStatistics<spacedim> &others) const;

  /// Add resultants of the pairs at the present time.
  void add_to(ContactPairs<spacedim> &others) const;

  std::string
  name() const override
  {
    return "massless zones";
  }
  KickKind
  kind() const override
  {
    return KickKind::strain;
  }
  unsigned int
  n_kicks() const override
  {
    return parts.size();
  }
  std::vector<unsigned int> support(unsigned int k) const override;
  void assign_clocks(const std::vector<unsigned int> &clock_of_kick,
                     unsigned int n_clocks) override;
  void change_clock(unsigned int k, unsigned int clock) override;
  void kick(NodeTable<spacedim> &nodes, unsigned int clock, double time,
            double step) const override;
  void force(const NodeTable<spacedim> &nodes, unsigned int k, double time,
             std::vector<Vector> &force) const override;
  void book(const NodeTable<spacedim> &nodes, unsigned int clock, double time) override;
  /// That of the compliance of contacts; that of cells is added by their families.
  void add_energy(const NodeTable<spacedim> &nodes, EnergyBalance &balance) const override;
  void serialize(Archive &archive) override;

private:
  using Zone = MasslessZone<spacedim>;

  /// Those of the faces that can be massless, with their nodes' loans; notes the others.
  std::vector<unsigned int> accept(std::vector<unsigned int> faces,
                                   std::vector<MasslessLoan> &loans);
  std::vector<unsigned int> nodes_of(const std::vector<unsigned int> &faces) const;
  /// Number the zones of the accepted faces in the surface; returns how many there are.
  unsigned int divide(const std::vector<unsigned int> &faces);
  bool can_touch(unsigned int body, unsigned int other) const;
  std::unique_ptr<Zone> make_zone(unsigned int k);
  template <typename Function>
  void for_each_on_clock(unsigned int clock, const Function &f) const;

  NodeTable<spacedim> &nodes;
  Stepper<spacedim> &stepper;
  Surface<spacedim> marked; ///< see surface()
  const MasslessSetting<spacedim> setting;
  MasslessLenders<spacedim> lenders;
  MasslessBooks<spacedim> books;
  std::vector<std::unique_ptr<Zone>> parts;
  std::vector<unsigned int> clocks; ///< by zone
  std::vector<char> is_refused;     ///< by face
};
} // namespace KickDrift

#endif
