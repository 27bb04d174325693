#include <kickdrift/stepping/clocks/stepper_exceptions.h>
#include <kickdrift/stepping/division/distribution.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <iterator>
#include <string>
#include <utility>

namespace KickDrift
{
namespace
{
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
} // namespace

template <int spacedim>
Distribution<spacedim>::Distribution(Ranks &ranks, NodeTable<spacedim> &nodes,
                                     KickFamilies<spacedim> &families)
    : ranks(ranks), nodes(nodes), families(families)
{
}

template <int spacedim>
void
Distribution<spacedim>::divide(const TimeLevels &levels, const NodesOfAll &of_all,
                               const NodeOwners *const given)
{
  if (given)
  {
    std::vector<char> is_everybodys(nodes.size(), 0), is_known(nodes.size(), 0);
    for (const unsigned int node : of_all.kicked)
      is_everybodys[node] = 1;
    for (const unsigned int node : of_all.known)
      is_known[node] = 1;
    AssertThrow(given->size() == nodes.size(),
                StepperExceptions::ExcOwners("there are " + std::to_string(nodes.size()) +
                                             " nodes, and owners of " +
                                             std::to_string(given->size())));
    for (unsigned int node = 0; node < nodes.size(); ++node)
    {
      const unsigned int owner = (*given)(node);
      const bool fits = owner == NodeOwners::everybody
                            ? is_everybodys[node] || is_known[node]
                            : !is_everybodys[node] && owner < ranks.size();
      AssertThrow(fits,
                  StepperExceptions::ExcOwners(
                      "node " + std::to_string(node) + " belongs to " +
                      (is_everybodys[node] ? "all processes"
                       : is_known[node]    ? "one of the processes, or to all"
                                           : "one of the processes") +
                      ", and its owner is given as " +
                      (owner == NodeOwners::everybody ? "all of them" : std::to_string(owner))));
    }
  }
  owners = given ? *given : divide_nodes(nodes, families, levels, ranks.size(), of_all);
  for (const unsigned int node : of_all.known)
    if (owners(node) != NodeOwners::everybody)
      known_to_all.push_back(node);
  families.hold(owners, ranks.rank());
}

template <int spacedim>
void
Distribution<spacedim>::start(const TimeLevels &levels)
{
  clocks_of_node.assign(nodes.size(), 0);
  halos.assign(levels.clocks().size(), std::nullopt);
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

/// A node is in the halo of those that hold a kick on it and do not own it, or of all.
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
  for (const unsigned int node : known_to_all)
    if (owners(node) != ranks.rank())
      received[owners(node)].push_back(node);
    else
      for (unsigned int rank = 0; rank < ranks.size(); ++rank)
        if (rank != ranks.rank())
          sent[rank].push_back(node);
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
      halos[clock].reset();
    clocks_of_node[node] |= bit;
  }
}

template <int spacedim>
void
Distribution<spacedim>::change_clock(const unsigned int id, const unsigned int clock)
{
  const auto note_support = [&](const Kicks<spacedim> &kicks, const unsigned int k)
  { note(kicks.support(k), clock); };
  families.for_each_given_kick(id, note_support);
  families.for_each_damping_of(id, note_support);
}

template <int spacedim>
template <typename Predicate>
Halo
Distribution<spacedim>::make_halo(const Predicate &is_wanted,
                                  const unsigned int numbers_per_node) const
{
  const auto wanted = [&](const std::vector<unsigned int> &of_neighbour)
  {
    std::vector<unsigned int> chosen;
    std::copy_if(of_neighbour.begin(), of_neighbour.end(), std::back_inserter(chosen), is_wanted);
    return chosen;
  };
  Halo result;
  for (const Neighbour &neighbour : neighbours)
  {
    auto sent = wanted(neighbour.sent), received = wanted(neighbour.received);
    if (sent.empty() && received.empty())
      continue;
    result.parcels.push_back({neighbour.rank, std::vector<double>(numbers_per_node * sent.size()),
                              std::vector<double>(numbers_per_node * received.size())});
    result.sent.push_back(std::move(sent));
    result.received.push_back(std::move(received));
  }
  return result;
}

template <int spacedim>
Halo &
Distribution<spacedim>::halo_of(const unsigned int clock)
{
  if (!halos[clock])
    halos[clock] = make_halo(
        [&](const unsigned int node) { return clocks_of_node[node] >> clock & 1; }, Kicked::length);
  return *halos[clock];
}

template <int spacedim>
Halo
Distribution<spacedim>::halo_of(const std::vector<unsigned int> &of_nodes,
                                const unsigned int numbers_per_node) const
{
  return make_halo([&](const unsigned int node)
                   { return std::binary_search(of_nodes.begin(), of_nodes.end(), node); },
                   numbers_per_node);
}

template <int spacedim>
dealii::Tensor<1, spacedim>
Distribution<spacedim>::from_owner(const unsigned int node,
                                   const std::function<dealii::Tensor<1, spacedim>()> &find) const
{
  const unsigned int owner = owners(node);
  if (owner == NodeOwners::everybody)
    return find();
  std::vector<double> own;
  if (owner == ranks.rank())
    try
    {
      const dealii::Tensor<1, spacedim> found = find();
      for (unsigned int d = 0; d < spacedim; ++d)
        own.push_back(found[d]);
    }
    catch (const std::exception &exception)
    {
      ranks.fail(exception); // the others wait for it
      throw;
    }
  std::vector<std::size_t> sizes(ranks.size(), 0);
  sizes[owner] = spacedim;
  const std::vector<double> numbers = ranks.gather(own, sizes);
  dealii::Tensor<1, spacedim> result;
  for (unsigned int d = 0; d < spacedim; ++d)
    result[d] = numbers[d];
  return result;
}

template <int spacedim>
void
Distribution<spacedim>::exchange(const unsigned int clock)
{
  Halo &of_clock = halo_of(clock);
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
unsigned int
Distribution<spacedim>::holder(const unsigned int family, const unsigned int k) const
{
  return families[family].role == KickRole::own_clock
             ? holder_of_id[families[family].first_id + k]
             : owners.first_holder(families[family].kicks->support(k));
}

template <int spacedim>
Holding
Distribution<spacedim>::holding(const TimeLevels &levels) const
{
  Holding result;
  result.of_clock.resize(halos.size());
  families.for_each_with_clock(levels, [&](const KickFamily<spacedim> &family, const unsigned int k,
                                           const unsigned int clock)
                               { result.of_clock[clock].kicks += !family.elsewhere(k); });
  for (const Firing &firing : result.of_clock)
    result.kicks += firing.kicks;
  result.neighbours = neighbours.size();
  for (const Neighbour &neighbour : neighbours)
  {
    result.halo += neighbour.received.size();
    for (unsigned int c = 0; c < halos.size(); ++c)
    {
      const auto is_moved = [&](const unsigned int node) { return clocks_of_node[node] >> c & 1; };
      const auto &[rank, sent, received] = neighbour;
      const auto n_received = std::count_if(received.begin(), received.end(), is_moved);
      result.of_clock[c].halo += n_received;
      result.of_clock[c].neighbours +=
          n_received > 0 || std::any_of(sent.begin(), sent.end(), is_moved);
    }
  }
  return result;
}

template class Distribution<2>;
template class Distribution<3>;
} // namespace KickDrift
