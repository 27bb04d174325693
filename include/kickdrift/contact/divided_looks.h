#ifndef KICKDRIFT_CONTACT_DIVIDED_LOOKS_H
#define KICKDRIFT_CONTACT_DIVIDED_LOOKS_H

#include <kickdrift/parallel/ranks.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace KickDrift
{
/**
 * Contactors divided among processes, and those of a process among its threads.
 *
 * Blocks of contactors are dealt to processes in turns, for the whole of a run. Once it has begun
 * only the process that a contactor belongs to looks what is near it, and what detectors remember
 * about it is up to date there alone; all get to know what it has found (share()). Where there are
 * few contactors messages take longer than looks, and each process looks at all of them.
 */
class DividedLooks
{
public:
  /// Fewer contactors than these are looked at by all processes.
  static constexpr unsigned int fewest = 128;

  /// @param ranks processes; null: one
  /// @param blocks by contactor, its block
  void start(std::shared_ptr<Ranks> ranks, std::vector<unsigned int> blocks);

  /// Does any contactor belong to another process?
  bool
  is_divided() const
  {
    return ranks != nullptr;
  }

  /// Among how many processes contactors are divided.
  unsigned int
  n_processes() const
  {
    return n_ranks;
  }

  /// Is this the process that gets to know everything?
  bool
  is_first() const
  {
    return rank == 0;
  }

  /// Does this process look at a contactor?
  bool
  is_own(const unsigned int contactor) const
  {
    return owner(contactor) == rank;
  }

  /// Is a contactor for the thread number @p thread of @p n_threads of this process?
  bool
  is_for_thread(const unsigned int contactor, const unsigned int thread,
                const unsigned int n_threads) const
  {
    const unsigned int block = blocks[contactor];
    return block % n_ranks == rank && block / n_ranks % n_threads == thread;
  }

  /**
   * Collective: what is known about some of this process's own contactors, for all. Nothing is done
   * if no contactor belongs to another process.
   *
   * @param contactors those that this is about, also those of others: the same ones everywhere
   * @param most how many numbers there are of each at most, at least one
   * @param write called with i and a vector to which it appends numbers about @p contactors [i]
   * @param read called with i and a pointer to such numbers, which it moves to their end
   */
  template <typename Write, typename Read>
  void
  share(const std::vector<unsigned int> &contactors, const unsigned int most, const Write &write,
        const Read &read)
  {
    if (!is_divided() || contactors.empty())
      return;
    own.clear();
    for (unsigned int i = 0; i < contactors.size(); ++i)
      if (is_own(contactors[i]))
        write(i, own);
    count(contactors);
    exchange(most);
    for (unsigned int i = 0; i < contactors.size(); ++i)
      if (!is_own(contactors[i]))
        read(i, next[owner(contactors[i])]);
  }

  /**
   * Collective: some contactors are chosen, by those that they belong to; all get to know which.
   * Only those that are chosen are sent.
   *
   * @param contactors those that may be chosen: the same ones everywhere
   * @param is_chosen by i, is @p contactors [i] chosen? Only own ones need to be right before
   */
  void share_choice(const std::vector<unsigned int> &contactors, std::vector<char> &is_chosen);

  /// Collective: the bytes of all processes, one entry for each, for the first one. The others get
  /// nothing.
  std::vector<std::string> gather_to_first(const std::string &bytes) const;

private:
  unsigned int
  owner(const unsigned int contactor) const
  {
    return blocks[contactor] % n_ranks;
  }

  /// Find out how many of @p contactors belong to each process.
  void count(const std::vector<unsigned int> &contactors);
  /// Everybody gets the numbers of all others: @p most for each that was counted, at most, and at
  /// least one if there are any.
  void exchange(unsigned int most);

  std::shared_ptr<Ranks> ranks; ///< null: all contactors are this process's own
  unsigned int n_ranks = 1, rank = 0;
  std::vector<unsigned int> blocks; ///< by contactor
  std::vector<std::size_t> counts;  ///< by process: what is shared
  std::vector<double> own;          ///< numbers that are sent
  std::vector<Parcel> parcels;      ///< to all others
  std::vector<const double *> next; ///< by process: what is read next
};

/// Two small numbers in the place of a floating point number.
inline double
packed(const std::uint32_t first, const std::uint32_t second)
{
  const std::uint32_t both[2] = {first, second};
  double result;
  std::memcpy(&result, both, sizeof(result));
  return result;
}

/// The two numbers of packed().
inline std::pair<std::uint32_t, std::uint32_t>
unpacked(const double both)
{
  std::uint32_t numbers[2];
  std::memcpy(numbers, &both, sizeof(both));
  return {numbers[0], numbers[1]};
}
} // namespace KickDrift

#endif
