#include <kickdrift/stepping/clocks/stepper_exceptions.h>
#include <kickdrift/stepping/division/distribution.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

namespace KickDrift
{
namespace
{
constexpr unsigned int line_length = sizeof(NodeState) / sizeof(double);

/**
 * What others need of a node that has been kicked: its velocity and time. They have its line of
 * before, whatever the clock, and drift it themselves, with the same bits (NodeState::drift()).
 */
namespace Kicked
{
#ifdef DEBUG
constexpr bool has_displacement = true; // to see whether it is that of the owner
#else
constexpr bool has_displacement = false;
#endif
constexpr unsigned int length = has_displacement ? 7 : 4;

void
write(const NodeState &state, double *const numbers)
{
  std::copy(std::begin(state.velocity), std::end(state.velocity), numbers);
  numbers[3] = state.time;
  if (has_displacement)
    std::copy(std::begin(state.displacement), std::end(state.displacement), numbers + 4);
}

void
read(NodeState &state, const double *const numbers)
{
  if (state.time != numbers[3]) // otherwise this process has kicked it, too, or its owner has not
    state.drift(numbers[3]);
  std::copy(numbers, numbers + 3, state.velocity);
  if (has_displacement)
    AssertThrow(std::memcmp(state.displacement, numbers + 4, sizeof(state.displacement)) == 0,
                dealii::ExcMessage("Two processes have moved a node differently: Kicks::kick() may "
                                   "do so by a single drift only, before it changes velocities."));
}
} // namespace Kicked

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

/// Of these, the nodes that are moved by one of the clocks whose bits are set.
std::vector<unsigned int>
moved(const std::vector<unsigned int> &nodes, const std::vector<std::uint64_t> &clocks_of_node,
      const std::uint64_t clocks)
{
  std::vector<unsigned int> result;
  for (const unsigned int node : nodes)
    if (clocks_of_node[node] & clocks)
      result.push_back(node);
  return result;
}
} // namespace

template <int spacedim>
Distribution<spacedim>::Distribution(Ranks &ranks, NodeTable<spacedim> &nodes,
                                     KickFamilies<spacedim> &families)
    : ranks(ranks), nodes(nodes), families(families)
{
}

template <int spacedim>
void
Distribution<spacedim>::divide(const TimeLevels &levels, const std::vector<unsigned int> &for_all,
                               const NodeOwners *const given)
{
  if (given)
  {
    std::vector<char> is_everybodys(nodes.size(), 0);
    for (const unsigned int node : for_all)
      is_everybodys[node] = 1;
    AssertThrow(given->size() == nodes.size(),
                StepperExceptions::ExcOwners("there are " + std::to_string(nodes.size()) +
                                             " nodes, and owners of " +
                                             std::to_string(given->size())));
    for (unsigned int node = 0; node < nodes.size(); ++node)
    {
      const unsigned int owner = (*given)(node);
      AssertThrow((owner == NodeOwners::everybody) == bool(is_everybodys[node]) &&
                      (is_everybodys[node] || owner < ranks.size()),
                  StepperExceptions::ExcOwners(
                      "node " + std::to_string(node) + " belongs to " +
                      (is_everybodys[node] ? "all processes" : "one of the processes") +
                      ", and its owner is given as " +
                      (owner == NodeOwners::everybody ? "all of them" : std::to_string(owner))));
    }
  }
  owners = given ? *given : divide_nodes(nodes, families, levels, ranks.size(), for_all);
  families.hold(owners, ranks.rank());
}

template <int spacedim>
void
Distribution<spacedim>::start(const TimeLevels &levels)
{
  clocks_of_node.assign(nodes.size(), 0);
  lists.assign(levels.clocks().size(), std::nullopt);
  families.for_each_with_clock(levels, [&](const KickFamily<spacedim> &family, const unsigned int k,
                                           const unsigned int clock)
                               { note(family.kicks->support(k), clock); });
  find_neighbours();
  for (const auto &family : families.with_ids())
    for (unsigned int k = 0; k < family->n_kicks(); ++k)
      holder_of_id.push_back(owners.first_holder(family->support(k)));
  ends_are_divided.assign(families.size(), false);
  for (unsigned int f = 0; f < families.size(); ++f)
    if (families[f].kicks->can_end())
      for (unsigned int k = 0; k < families[f].kicks->n_kicks() && !ends_are_divided[f]; ++k)
        ends_are_divided[f] = holder(f, k) != NodeOwners::everybody;
}

/// A node is in the halo of those that hold a kick on it and do not own it.
template <int spacedim>
void
Distribution<spacedim>::find_neighbours()
{
  std::vector<std::vector<unsigned int>> sent(ranks.size()), received(ranks.size());
  families.for_each_held_node(owners, ranks.size(),
                              [&](const unsigned int holder, const unsigned int node)
                              {
                                const unsigned int owner = owners(node);
                                if (owner == holder)
                                  return;
                                if (owner == ranks.rank())
                                  sent[holder].push_back(node);
                                if (holder == ranks.rank())
                                  received[owner].push_back(node);
                              });
  const auto sort = [](std::vector<unsigned int> &list)
  {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  for (unsigned int rank = 0; rank < ranks.size(); ++rank)
  {
    sort(sent[rank]);
    sort(received[rank]);
    if (!sent[rank].empty() || !received[rank].empty())
      neighbours.push_back({rank, std::move(sent[rank]), std::move(received[rank])});
  }
}

template <int spacedim>
void
Distribution<spacedim>::note(const std::vector<unsigned int> &kicked, const unsigned int clock)
{
  const std::uint64_t bit = std::uint64_t(1) << clock;
  for (const unsigned int node : kicked)
  {
    if (!(clocks_of_node[node] & bit))
      lists[clock].reset();
    clocks_of_node[node] |= bit;
  }
}

template <int spacedim>
void
Distribution<spacedim>::change_clock(const unsigned int id, const unsigned int clock)
{
  families.for_each_given_kick(id, [&](const Kicks<spacedim> &kicks, const unsigned int k)
                               { note(kicks.support(k), clock); });
}

template <int spacedim>
typename Distribution<spacedim>::Lists &
Distribution<spacedim>::lists_of(const unsigned int clock)
{
  if (lists[clock])
    return *lists[clock];
  lists[clock].emplace();
  Lists &result = *lists[clock];
  for (const Neighbour &neighbour : neighbours)
  {
    auto sent = moved(neighbour.sent, clocks_of_node, std::uint64_t(1) << clock);
    auto received = moved(neighbour.received, clocks_of_node, std::uint64_t(1) << clock);
    if (sent.empty() && received.empty())
      continue;
    result.parcels.push_back({neighbour.rank, std::vector<double>(Kicked::length * sent.size()),
                              std::vector<double>(Kicked::length * received.size())});
    result.sent.push_back(std::move(sent));
    result.received.push_back(std::move(received));
  }
  return result;
}

template <int spacedim>
void
Distribution<spacedim>::exchange(const unsigned int clock)
{
  Lists &of_clock = lists_of(clock);
  for (unsigned int i = 0; i < of_clock.parcels.size(); ++i)
  {
    double *next = of_clock.parcels[i].sent.data();
    for (const unsigned int node : of_clock.sent[i])
    {
      Kicked::write(nodes[node], next);
      next += Kicked::length;
    }
  }
  ranks.exchange(of_clock.parcels);
  for (unsigned int i = 0; i < of_clock.parcels.size(); ++i)
  {
    const double *next = of_clock.parcels[i].received.data();
    for (const unsigned int node : of_clock.received[i])
    {
      Kicked::read(nodes[node], next);
      next += Kicked::length;
    }
  }
}

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
unsigned int
Distribution<spacedim>::holder(const unsigned int family, const unsigned int k) const
{
  return families[family].role == KickRole::own_clock
             ? holder_of_id[families[family].first_id + k]
             : owners.first_holder(families[family].kicks->support(k));
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

template <int spacedim>
Holding
Distribution<spacedim>::holding(const TimeLevels &levels) const
{
  Holding result;
  result.of_clock.resize(lists.size());
  families.for_each_with_clock(levels, [&](const KickFamily<spacedim> &family, const unsigned int k,
                                           const unsigned int clock)
                               { result.of_clock[clock].kicks += !family.elsewhere(k); });
  for (const Firing &firing : result.of_clock)
    result.kicks += firing.kicks;
  result.neighbours = neighbours.size();
  for (const Neighbour &neighbour : neighbours)
  {
    result.halo += neighbour.received.size();
    for (unsigned int c = 0; c < lists.size(); ++c)
    {
      const std::uint64_t bit = std::uint64_t(1) << c;
      const auto received = moved(neighbour.received, clocks_of_node, bit);
      result.of_clock[c].halo += received.size();
      result.of_clock[c].neighbours +=
          !received.empty() || !moved(neighbour.sent, clocks_of_node, bit).empty();
    }
  }
  return result;
}

template class Distribution<2>;
template class Distribution<3>;
} // namespace KickDrift
