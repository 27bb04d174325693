#ifndef KICKDRIFT_STEPPING_KICKS_KICK_FAMILIES_H
#define KICKDRIFT_STEPPING_KICKS_KICK_FAMILIES_H

#include <kickdrift/base/compressed_rows.h>
#include <kickdrift/stepping/clocks/time_levels.h>
#include <kickdrift/stepping/kicks/damping_kicks.h>
#include <kickdrift/stepping/kicks/kicks.h>
#include <kickdrift/stepping/kicks/node_owners.h>

#include <memory>
#include <numeric>
#include <unordered_set>

namespace KickDrift
{
/// How the kicks of a family get their clocks.
enum class KickRole
{
  own_clock, ///< every kick has a clock of its own
  follower,  ///< on the clocks of other kicks
  in_place,  ///< on the clock of a group of kicks in whose place it is given
  damping    ///< after all others of its time, on the clock of the coarsest kick around it
};

/// A family of kicks in a stepper.
template <int spacedim>
struct KickFamily
{
  std::shared_ptr<Kicks<spacedim>> kicks; ///< the family
  KickRole role;                          ///< how its kicks get their clocks
  unsigned int first_id = 0;              ///< KickRole::own_clock: id of kick 0
  /// Followers, and damping after assign_clocks(): by kick, id of the kick with its clock.
  std::vector<unsigned int> followed;
  std::vector<unsigned int> n_on_clock; ///< with step classes: kicks on each clock
  std::uint64_t count = 0;              ///< kicks so far
  double time = 0;                      ///< spent in kicks, extrapolated from samples [s]
  std::vector<char> is_replaced = {};   ///< by kick, does another family kick? Empty: none
  /// KickRole::in_place: by kick, ids of those that it takes the place of, which share one clock.
  std::vector<std::vector<unsigned int>> groups = {};
  std::vector<char> is_elsewhere = {}; ///< by kick, see KickFamilies::hold(); empty: none
  std::vector<char> is_ended = {};     ///< by kick, see KickFamilies::end(); empty: none

  /// Id of kick @p k, or of one with its clock.
  unsigned int
  id_of_kick(const unsigned int k) const
  {
    return role == KickRole::own_clock  ? first_id + k
           : role == KickRole::in_place ? groups[k].front()
                                        : followed[k];
  }

  /// Is kick @p k given at all?
  bool
  is_given(const unsigned int k) const
  {
    return !replaced(k) && !ended(k) && (role != KickRole::in_place || !groups[k].empty());
  }

  /// Do only other processes give kick @p k? Then it is on no clock, but counted as if it were.
  bool
  elsewhere(const unsigned int k) const
  {
    return !is_elsewhere.empty() && is_elsewhere[k];
  }

  /// Has kick @p k come to its end? Then it is on no clock.
  bool
  ended(const unsigned int k) const
  {
    return !is_ended.empty() && is_ended[k];
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

  /// Kicks::stratum() of the kicks with ids, by id.
  std::vector<unsigned int> strata_of_kicks() const;

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

  /// Sums of the damping times of what follows the kicks with ids, by id [time]; empty: nothing
  /// does.
  std::vector<double> damping_times() const;

  /// Is there a family with this role?
  bool has(KickRole role) const;

  /**
   * The kicks with these ids, and with those of all groups that have some of them, are given by
   * kick @p k of family @p f, of KickRole::in_place, from now on. @p levels : of assign_clocks(),
   * if that has been called; the kicks need not be on one clock yet.
   */
  void replace(unsigned int f, unsigned int k, const std::vector<unsigned int> &ids,
               const TimeLevels *levels);

  /// Kick @p k of family @p f, and what Kicks::ends_with_followed() of its followers, are not given
  /// any more: Kicks::take_ended(). @p levels : of assign_clocks().
  void end(unsigned int f, unsigned int k, const TimeLevels &levels);

  /// Call @p f (kicks, k) for the kick with this id, and then for the followers that end with it.
  template <typename Function>
  void
  for_each_that_ends(const unsigned int id, const Function &f) const
  {
    const KickFamily<spacedim> &family = families[family_of(id)];
    f(*family.kicks, id - family.first_id);
    for (const unsigned int i : followers_of_id.row(id))
      if (families[followers[i].family].kicks->ends_with_followed())
        f(*families[followers[i].family].kicks, followers[i].kick);
  }

  /// Has the kick with this id come to its end?
  bool
  ended(const unsigned int id) const
  {
    const KickFamily<spacedim> &family = families[family_of(id)];
    return family.ended(id - family.first_id);
  }

  /**
   * This process gives those kicks only of which it owns a node, and those of KickRole::in_place,
   * before assign_clocks(). Others do with the rest what is done here, at the same times. The first
   * process keeps what it needs to be asked about all kicks, the others let_go() of it.
   */
  void hold(const NodeOwners &owners, unsigned int rank);

  /// Is the kick with this id given by other processes only?
  bool
  elsewhere(const unsigned int id) const
  {
    const KickFamily<spacedim> &family = families[family_of(id)];
    return family.elsewhere(id - family.first_id);
  }

  /**
   * Call @p f (holder, node) for all nodes of kicks that processes hold, of @p n_ranks, if these
   * are owned as @p owners say, but for what is everybody's; perhaps several times for a pair.
   */
  template <typename Function>
  void for_each_held_node(const NodeOwners &owners, unsigned int n_ranks, const Function &f) const;

  /// Call @p f (family, k, clock) for all kicks that are given, here or elsewhere. After
  /// assign_clocks().
  template <typename Function>
  void
  for_each_with_clock(const TimeLevels &levels, const Function &f) const
  {
    for (unsigned int i = 0; i < families.size(); ++i)
      for (unsigned int k = 0; k < families[i].kicks->n_kicks(); ++k)
        if (families[i].is_given(k))
          f(families[i], k, clock_of(i, k, levels));
  }

  /**
   * Tell all families the clocks of their kicks. Throws StepperExceptions::ExcFamilyElsewhere if
   * one of them is on the clocks of others, which still exist.
   * @param levels which have been started
   * @param nodes with their restraints
   */
  void assign_clocks(const TimeLevels &levels, const NodeTable<spacedim> &nodes);

  /// The kicks of an id, and what is given in place of a group that it is the first of, change to
  /// another clock.
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

  /// Call @p f (kicks, k) for the damping on the clock of the kick with this id.
  template <typename Function>
  void
  for_each_damping_of(const unsigned int id, const Function &f) const
  {
    for (const unsigned int i : damping_of_id.row(id))
      f(*families[followers[i].family].kicks, followers[i].kick);
  }

  /// The id under which for_each_given_kick() knows what is given in place of the kick with this
  /// @p id : its own, or the first of its group.
  unsigned int
  given_id(const unsigned int id) const
  {
    if (given_by.empty() || given_by[id].family == none)
      return id;
    return families[given_by[id].family].groups[given_by[id].kick].front();
  }

  /// Call @p f (kicks, k) for all that is given for given_id() of a kick.
  template <typename Function>
  void
  for_each_given_kick(const unsigned int id, const Function &f) const
  {
    const auto call = [&](const unsigned int family, const unsigned int k)
    {
      if (families[family].is_given(k))
        f(*families[family].kicks, k);
    };
    call(family_of(id), id - families[family_of(id)].first_id);
    for (const unsigned int i : followers_of_id.row(id))
      call(followers[i].family, followers[i].kick);
    if (leads_group(id))
      call(given_by[id].family, given_by[id].kick);
  }

  /// Write to, or read from, a checkpoint which kicks others are given in place of, and which have
  /// ended. @p levels : as at the start.
  void serialize(Archive &archive, const TimeLevels &levels);

  /// Call @p f (family, kicks) for the families with KickRole::damping that have kicks on @p clock.
  template <typename Function>
  void
  for_each_damping(const unsigned int clock, const Function &f)
  {
    for (const unsigned int i : on_clock(clock))
      if (families[i].role == KickRole::damping && families[i].n_on_clock[clock] > 0)
        f(families[i], static_cast<DampingKicks<spacedim> &>(*families[i].kicks));
  }
  /// Call @p f (family, kicks) for the families with KickRole::damping that have kicks on @p clock.
  template <typename Function>
  void
  for_each_damping(const unsigned int clock, const Function &f) const
  {
    for (const unsigned int i : on_clock(clock))
      if (families[i].role == KickRole::damping && families[i].n_on_clock[clock] > 0)
        f(families[i], static_cast<const DampingKicks<spacedim> &>(*families[i].kicks));
  }

private:
  /// Kick @p kick of a family.
  struct Kick
  {
    unsigned int family, kick;
  };
  static constexpr unsigned int none = -1; ///< no family

  /// Is a kick the first of a group that another one is given in place of?
  bool
  leads_group(const unsigned int id) const
  {
    return !given_by.empty() && given_by[id].family != none && given_id(id) == id;
  }

  /// Clock of a kick that is given.
  unsigned int
  clock_of(const unsigned int family, const unsigned int k, const TimeLevels &levels) const
  {
    return levels.clock_of_kick(families[family].id_of_kick(k));
  }

  void find_kicks_of_damping(const TimeLevels &levels, const NodeTable<spacedim> &nodes);

  const Lifetime lifetime;
  std::vector<KickFamily<spacedim>> families;
  std::unordered_set<const Kicks<spacedim> *> known; ///< those of all families
  std::vector<unsigned int> families_with_ids;       ///< KickRole::own_clock; ids ascend
  unsigned int n_kicks_with_ids = 0;
  CompressedRows<unsigned int> families_of_clock;
  CompressedRows<unsigned int> followers_of_id; ///< indices of followers
  CompressedRows<unsigned int> damping_of_id;   ///< the same of damping
  std::vector<Kick> followers;
  std::vector<Kick> given_by; ///< by id, what is given in its place; empty: nothing is
  unsigned int never = 0;     ///< a clock that is none, for what is not given
};

template <int spacedim>
template <typename Function>
void
KickFamilies<spacedim>::for_each_held_node(const NodeOwners &owners, const unsigned int n_ranks,
                                           const Function &f) const
{
  for (const KickFamily<spacedim> &family : families)
    for (unsigned int k = 0; k < family.kicks->n_kicks(); ++k)
    {
      const auto support = family.kicks->support(k);
      std::vector<unsigned int> holders = owners.holders(support);
      if (family.role == KickRole::in_place ||
          (!holders.empty() && holders.front() == NodeOwners::everybody))
      {
        holders.resize(n_ranks);
        std::iota(holders.begin(), holders.end(), 0);
      }
      for (const unsigned int node : support)
        if (owners(node) != NodeOwners::everybody)
          for (const unsigned int holder : holders)
            f(holder, node);
    }
}
} // namespace KickDrift

#endif
