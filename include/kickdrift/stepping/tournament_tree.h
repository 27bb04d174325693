#ifndef KICKDRIFT_STEPPING_TOURNAMENT_TREE_H
#define KICKDRIFT_STEPPING_TOURNAMENT_TREE_H

#include <limits>
#include <vector>

namespace KickDrift
{
/**
 * A queue over a fixed number of slots, each of which always has a time: the earliest is found in
 * O(1), any slot's time is changed in O(log n) without branches that depend on the data. Ties go to
 * the smaller slot, so the order (time, slot) is total.
 *
 * In an asynchronous run every kick always has a next time, so nothing is ever inserted or removed.
 */
class TournamentTree
{
public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  /// @p n_slots slots, all at time never.
  explicit TournamentTree(const unsigned int n_slots = 0) { reinit(n_slots); }

  void
  reinit(const unsigned int n_slots)
  {
    n = n_slots;
    capacity = 1;
    while (capacity < n)
      capacity *= 2;
    tree.assign(2 * capacity, Entry{never, 0});
    for (unsigned int i = 0; i < capacity; ++i)
      tree[capacity + i].slot = i;
    for (unsigned int i = capacity - 1; i >= 1; --i)
      tree[i] = tree[2 * i];
  }

  unsigned int
  size() const
  {
    return n;
  }

  /// Earliest time; never if all slots are at never.
  double
  time() const
  {
    return tree[1].time;
  }

  /// Slot of the earliest time.
  unsigned int
  slot() const
  {
    return tree[1].slot;
  }

  /// Time of one slot.
  double
  time(const unsigned int slot) const
  {
    return tree[capacity + slot].time;
  }

  void
  set(const unsigned int slot, const double time)
  {
    unsigned int i = capacity + slot;
    tree[i].time = time;
    Entry winner = tree[i];
    for (; i > 1; i /= 2)
    {
      const Entry &other = tree[i ^ 1u];
      // all slots under a left child are smaller than those under its sibling
      const bool other_wins = (i & 1u) ? !(winner.time < other.time) : other.time < winner.time;
      winner.time = other_wins ? other.time : winner.time;
      winner.slot = other_wins ? other.slot : winner.slot;
      tree[i / 2] = winner;
    }
  }

private:
  struct Entry
  {
    double time;
    unsigned int slot;
  };
  unsigned int n = 0;
  unsigned int capacity = 1;
  std::vector<Entry> tree;
};
} // namespace KickDrift

#endif
