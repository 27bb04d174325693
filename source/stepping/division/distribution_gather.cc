// What processes know of each other's nodes and kicks when they do not step: at ends of kicks, at
// save times and when classes follow steps.

#include <kickdrift/stepping/division/distribution.h>

#include <algorithm>
#include <utility>

namespace KickDrift
{
namespace
{
constexpr unsigned int line_length = sizeof(NodeState) / sizeof(double);

/// Counts the numbers of each process.
struct Counter
{
  void
  operator()(const unsigned int rank, double *, const std::size_t n)
  {
    counts[rank] += n;
  }
  std::vector<std::size_t> counts;
};

/// Collects the numbers of one process.
struct Writer
{
  void
  operator()(const unsigned int rank, double *const begin, const std::size_t n)
  {
    if (rank == own_rank)
      numbers.insert(numbers.end(), begin, begin + n);
  }
  const unsigned int own_rank;
  std::vector<double> numbers;
};

/// Writes the numbers of all processes to where they belong.
struct Reader
{
  void
  operator()(const unsigned int rank, double *const begin, const std::size_t n)
  {
    std::copy(next[rank], next[rank] + n, begin);
    next[rank] += n;
  }
  std::vector<const double *> next;
};

/**
 * Collective: every process, or the first, gets numbers of which each has some. @p visit (transfer)
 * calls transfer (rank, begin, n) for the numbers of all processes.
 */
template <typename Visit>
void
gather_numbers(Ranks &ranks, const bool for_all, const Visit &visit)
{
  Counter counter{std::vector<std::size_t>(ranks.size(), 0)};
  visit(counter);
  Writer writer{ranks.rank(), {}};
  writer.numbers.reserve(counter.counts[ranks.rank()]);
  visit(writer);
  const std::vector<double> all = for_all ? ranks.gather(writer.numbers, counter.counts)
                                          : ranks.gather_to_first(writer.numbers, counter.counts);
  if (!for_all && !ranks.is_first())
    return;
  Reader reader{{all.data()}};
  for (unsigned int rank = 0; rank + 1 < ranks.size(); ++rank)
    reader.next.push_back(reader.next.back() + counter.counts[rank]);
  visit(reader);
}
} // namespace

template <int spacedim>
std::vector<std::pair<unsigned int, unsigned int>>
Distribution<spacedim>::agree_on_ended(
    const std::vector<std::pair<unsigned int, unsigned int>> &found)
{
  const std::vector<double> counts =
      ranks.gather({2. * found.size()}, std::vector<std::size_t>(ranks.size(), 1));
  std::vector<double> own;
  for (const auto &[family, k] : found)
    own.insert(own.end(), {double(family), double(k)});
  std::vector<std::pair<unsigned int, unsigned int>> ended;
  if (std::all_of(counts.begin(), counts.end(), [](const double n) { return n == 0; }))
    return ended;
  const auto all = ranks.gather(own, std::vector<std::size_t>(counts.begin(), counts.end()));
  for (std::size_t i = 0; i < all.size(); i += 2)
    ended.emplace_back(all[i], all[i + 1]);
  std::sort(ended.begin(), ended.end());
  ended.erase(std::unique(ended.begin(), ended.end()), ended.end());

  const auto is_foreign = [&](const std::pair<unsigned int, unsigned int> &kick)
  { return ranks.is_first() && families[kick.first].elsewhere(kick.second); };
  for (const auto &kick : ended)
    if (is_foreign(kick))
      for (const unsigned int node : families[kick.first].kicks->support(kick.second))
        borrowed.emplace_back(node, nodes[node]);
  gather_numbers(ranks, false,
                 [&](auto &transfer)
                 {
                   for (const auto &[f, k] : ended)
                   {
                     const unsigned int from = holder(f, k);
                     if (from == NodeOwners::everybody || from == 0)
                       continue;
                     for (const unsigned int node : families[f].kicks->support(k))
                       transfer(from, reinterpret_cast<double *>(&nodes[node]), line_length);
                     const KickAccount account = families[f].kicks->account(k);
                     for (unsigned int i = 0; i < account.size; ++i)
                       transfer(from, account.data ? account.data + i * account.stride : nullptr,
                                1);
                   }
                 });
  return ended;
}

template <int spacedim>
void
Distribution<spacedim>::return_lines()
{
  // the first line of a node that was borrowed several times is its own
  for (auto line = borrowed.rbegin(); line != borrowed.rend(); ++line)
    nodes[line->first] = line->second;
  borrowed.clear();
}

template <int spacedim>
void
Distribution<spacedim>::gather(NodeTable<spacedim> &table) const
{
  const bool is_damped = !table.damping_losses.empty();
  const auto restrained = table.restraints.nodes();
  gather_numbers(ranks, true,
                 [&](auto &transfer)
                 {
                   for (unsigned int node = 0; node < table.size(); ++node)
                   {
                     if (owners(node) == NodeOwners::everybody)
                       continue;
                     transfer(owners(node), reinterpret_cast<double *>(&table[node]), line_length);
                     if (is_damped)
                       transfer(owners(node), &table.damping_losses[node], 1);
                   }
                   for (const unsigned int node : restrained)
                     if (owners(node) != NodeOwners::everybody)
                       transfer(owners(node),
                                reinterpret_cast<double *>(&table.restraints.account(node)),
                                sizeof(typename Restraints<spacedim>::Account) / sizeof(double));
                 });
}

template <int spacedim>
void
Distribution<spacedim>::gather_accounts()
{
  gather_numbers(ranks, false,
                 [&](auto &transfer)
                 {
                   for (unsigned int f = 0; f < families.size(); ++f)
                     for (unsigned int k = 0; k < families[f].kicks->n_kicks(); ++k)
                     {
                       const KickAccount account = families[f].kicks->account(k);
                       if (account.size == 0)
                         break; // nor have the others of the family
                       const unsigned int from = holder(f, k);
                       if (from == NodeOwners::everybody)
                         continue;
                       for (unsigned int i = 0; i < account.size; ++i)
                         transfer(from, account.data ? account.data + i * account.stride : nullptr,
                                  1);
                     }
                 });
}

template <int spacedim>
void
Distribution<spacedim>::gather_by_id(const std::vector<std::vector<double> *> &numbers,
                                     const bool for_all)
{
  gather_numbers(ranks, for_all,
                 [&](auto &transfer)
                 {
                   for (unsigned int id = 0; id < holder_of_id.size(); ++id)
                     if (holder_of_id[id] != NodeOwners::everybody)
                       for (std::vector<double> *const of_ids : numbers)
                         transfer(holder_of_id[id], &(*of_ids)[id], 1);
                 });
}

template class Distribution<2>;
template class Distribution<3>;
} // namespace KickDrift
