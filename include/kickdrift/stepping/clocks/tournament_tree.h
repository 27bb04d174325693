#ifndef KICKDRIFT_STEPPING_CLOCKS_TOURNAMENT_TREE_H
#define KICKDRIFT_STEPPING_CLOCKS_TOURNAMENT_TREE_H

#include <kickdrift/base/archive.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
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
  /// Time of a slot that is not set.
  static constexpr double never = std::numeric_limits<double>::infinity();

  /// @p n_slots slots, all at time never.
  explicit TournamentTree(const unsigned int n_slots = 0) { reinit(n_slots); }

  /// Make @p n_slots slots, none of them set.
  void
  reinit(const unsigned int n_slots)
  {
    n = n_slots;
    capacity = 1;
    while (capacity < n)
      capacity *= 2;
    keys.assign(2 * capacity, key_of(never));
    slots.assign(2 * capacity, 0);
    for (unsigned int i = 0; i < capacity; ++i)
      slots[capacity + i] = i;
    for (unsigned int i = capacity - 1; i >= 1; --i)
      slots[i] = slots[2 * i];
  }

  /// Number of slots.
  unsigned int
  size() const
  {
    return n;
  }

  /// Earliest time; never if all slots are at never.
  double
  time() const
  {
    return time_of(keys[1]);
  }

  /// Slot of the earliest time.
  unsigned int
  slot() const
  {
    return slots[1];
  }

  /// Append all slots of the earliest time, which must not be never, in their order.
  void
  earliest(std::vector<unsigned int> &found) const
  {
    collect(1, found);
  }

  /// Time of one slot.
  double
  time(const unsigned int slot) const
  {
    return time_of(keys[capacity + slot]);
  }

  /// Set the time of a slot.
  void
  set(const unsigned int slot, const double time)
  {
    unsigned int i = capacity + slot;
    std::int64_t first = key_of(time);
    unsigned int first_slot = slot;
    keys[i] = first;
    for (; i > 1; i /= 2)
    {
      // Minima and masks instead of a choice: the compiler would make it a branch that nobody can
      // predict.
      const std::int64_t other = keys[i ^ 1u];
      // All slots under a left child are smaller than those under its sibling, so it wins ties.
      const unsigned int other_wins = -(unsigned int)(other - std::int64_t(i & 1u) < first);
      first_slot ^= (first_slot ^ slots[i ^ 1u]) & other_wins;
      first = std::min(first, other);
      keys[i / 2] = first;
      slots[i / 2] = first_slot;
    }
  }

  /// Set the times of several slots, which ascend: less work than one after the other.
  void
  set_many(const std::vector<unsigned int> &ascending, const std::vector<double> &times)
  {
    std::size_t n_nodes = 0; // of the level above, whose earliest slots may have changed
    const auto add_parent = [&](const unsigned int i)
    {
      if (n_nodes == 0 || to_renew[n_nodes - 1] != i / 2)
        to_renew[n_nodes++] = i / 2;
    };
    to_renew.resize(ascending.size());
    for (std::size_t k = 0; k < ascending.size(); ++k)
    {
      keys[capacity + ascending[k]] = key_of(times[k]);
      add_parent(capacity + ascending[k]);
    }
    while (n_nodes > 0 && to_renew[0] >= 1)
    {
      const std::size_t n_here = n_nodes;
      n_nodes = 0;
      for (std::size_t k = 0; k < n_here; ++k)
      {
        const unsigned int i = to_renew[k];
        const unsigned int first = 2 * i + (keys[2 * i + 1] < keys[2 * i]);
        keys[i] = keys[first];
        slots[i] = slots[first];
        add_parent(i);
      }
    }
  }

  /// Write to, or read from, a checkpoint the times of all slots.
  void
  serialize(Archive &archive)
  {
    archive.section("queue");
    archive.fixed(keys, slots);
  }

private:
  /// Slots of the earliest time below tree node @p i.
  void
  collect(const unsigned int i, std::vector<unsigned int> &found) const
  {
    if (keys[i] != keys[1])
      return;
    if (i >= capacity)
    {
      found.push_back(i - capacity);
      return;
    }
    collect(2 * i, found);
    collect(2 * i + 1, found);
  }

  /// Integers in the order of the times. (Adding zero makes minus zero equal to zero.)
  static std::int64_t
  key_of(const double time)
  {
    const double sum = time + 0.;
    std::int64_t bits;
    std::memcpy(&bits, &sum, sizeof(bits));
    return bits ^ (bits >> 63 & std::numeric_limits<std::int64_t>::max());
  }

  static double
  time_of(const std::int64_t key)
  {
    const std::int64_t bits = key ^ (key >> 63 & std::numeric_limits<std::int64_t>::max());
    double time;
    std::memcpy(&time, &bits, sizeof(time));
    return time;
  }

  unsigned int n = 0;
  unsigned int capacity = 1;
  std::vector<std::int64_t> keys;     ///< by tree node: of the earliest slot below it
  std::vector<unsigned int> slots;    ///< that slot
  std::vector<unsigned int> to_renew; ///< tree nodes, kept to avoid allocation
};
} // namespace KickDrift

#endif
