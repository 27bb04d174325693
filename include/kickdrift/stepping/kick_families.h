#ifndef KICKDRIFT_STEPPING_KICK_FAMILIES_H
#define KICKDRIFT_STEPPING_KICK_FAMILIES_H

#include <kickdrift/base/compressed_rows.h>
#include <kickdrift/stepping/kicks.h>
#include <kickdrift/stepping/time_levels.h>

#include <memory>
#include <unordered_set>

namespace KickDrift
{
/// How the kicks of a family get their clocks.
enum class KickRole
{
  own_clock,   ///< every kick has a clock of its own
  follower,    ///< on the clocks of other kicks
  synchronised ///< when the kicks around it end their intervals
};

/// A family of kicks in a stepper.
template <int spacedim>
struct KickFamily
{
  std::shared_ptr<Kicks<spacedim>> kicks; ///< the family
  KickRole role;                          ///< how its kicks get their clocks
  unsigned int first_id = 0;              ///< KickRole::own_clock: id of kick 0
  std::vector<unsigned int> followed;     ///< followers: by kick, id of the kick with its clock
  std::vector<unsigned int> n_on_clock;   ///< with step classes: kicks on each clock
  std::uint64_t count = 0;                ///< kicks so far
  double time = 0;                        ///< spent in kicks, extrapolated from samples [s]
  std::vector<char> is_replaced = {};     ///< by kick, does another family kick? Empty: none

  /// Id of kick @p k, or of the one that it follows; not for KickRole::synchronised.
  unsigned int
  id_of_kick(const unsigned int k) const
  {
    return role == KickRole::own_clock ? first_id + k : followed[k];
  }

  /// Is kick @p k given by another family in its place? Then it is on no clock.
  bool
  replaced(const unsigned int k) const
  {
    return !is_replaced.empty() && is_replaced[k];
  }
};

/**
 * The families of a stepper in the order in which they were added, and which kicks belong
 * together: those of an id are the kick with this id (see TimeLevels) and its followers.
 */
template <int spacedim>
class KickFamilies
{
public:
  /// Append a family. Throws StepperExceptions if it is null, or there already.
  void add(KickFamily<spacedim> family);

  /// Number of kicks that have clocks of their own: ids are below it.
  unsigned int
  n_ids() const
  {
    return n_kicks_with_ids;
  }

  /// Families whose kicks have ids, in their order.
  std::vector<std::shared_ptr<const Kicks<spacedim>>> with_ids() const;

  /// Nodes of the kicks with ids, by id.
  CompressedRows<unsigned int> nodes_of_kicks() const;

  /// Number of families.
  unsigned int
  size() const
  {
    return families.size();
  }

  /// A family, in the order of add().
  KickFamily<spacedim> &
  operator[](const unsigned int family)
  {
    return families[family];
  }
  /// A family, in the order of add().
  const KickFamily<spacedim> &
  operator[](const unsigned int family) const
  {
    return families[family];
  }

  /// Is there a family with this role?
  bool has(KickRole role) const;

  /// The kicks with these ids are never given: another family does it. Before assign_clocks().
  void replace(const std::vector<unsigned int> &ids);

  /**
   * Tell all families the clocks of their kicks. Kicks between others are put on their clock in
   * @p levels, which have been started.
   * @param n_nodes of the node table
   */
  void assign_clocks(TimeLevels &levels, unsigned int n_nodes);

  /// The kicks of an id change to another clock.
  void change_clock(unsigned int id, unsigned int from, unsigned int to);

  /// Families that may have kicks on @p clock.
  dealii::ArrayView<const unsigned int>
  on_clock(const unsigned int clock) const
  {
    return families_of_clock.row(clock);
  }

  /// Index of the family that has the kick with this id.
  unsigned int family_of(unsigned int id) const;

  /// Nodes of the kick with this id.
  std::vector<unsigned int> support(unsigned int id) const;

  /// Call @p f (kicks, k) for the kick with this id, and then for its followers.
  template <typename Function>
  void
  for_each_kick(const unsigned int id, const Function &f) const
  {
    const KickFamily<spacedim> &family = families[family_of(id)];
    f(*family.kicks, id - family.first_id);
    for (const unsigned int i : followers_of_id.row(id))
      f(*families[followers[i].family].kicks, followers[i].kick);
  }

  /// Clock of a family with KickRole::synchronised.
  unsigned int
  synchronised_clock(const unsigned int family) const
  {
    return clocks_of_synchronised[family];
  }

private:
  /// Kick @p kick of a family.
  struct Kick
  {
    unsigned int family, kick;
  };

  /// By node, the coarsest class of the kicks that act on it.
  std::vector<unsigned int> coarsest_classes(const TimeLevels &levels, unsigned int n_nodes) const;

  std::vector<KickFamily<spacedim>> families;
  std::unordered_set<const Kicks<spacedim> *> known; ///< those of all families
  std::vector<unsigned int> families_with_ids;       ///< KickRole::own_clock; ids ascend
  unsigned int n_kicks_with_ids = 0;
  std::vector<unsigned int> clocks_of_synchronised; ///< by family
  CompressedRows<unsigned int> families_of_clock;
  CompressedRows<unsigned int> followers_of_id; ///< indices of followers
  std::vector<Kick> followers;
};
} // namespace KickDrift

#endif
