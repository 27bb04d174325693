// How nodes are divided among processes.

#include <kickdrift/stepping/clocks/stepper_exceptions.h>
#include <kickdrift/stepping/division/division.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace KickDrift
{
namespace
{
/// Nodes of a class, in the order along each axis.
template <int spacedim>
using Piece = std::array<std::vector<unsigned int>, spacedim>;

/// What some processes share.
template <int spacedim>
struct Part
{
  std::vector<Piece<spacedim>> nodes; ///< by class
  std::vector<unsigned int> kicks;    ///< on some of these nodes
};

/// Where the left side of a cut is: at low places along the axis, or at high ones.
struct Cut
{
  unsigned int axis = 0;
  bool is_reversed = false;
};

/// Sides of a node, as bits: of a kick they add up.
enum Side : unsigned char
{
  none = 0,
  left = 1,
  right = 2,
  both = 3
};

template <int spacedim>
class Bisection
{
public:
  Bisection(const NodeTable<spacedim> &nodes, const CompressedRows<unsigned int> &nodes_of_kick,
            const std::vector<unsigned int> &class_of_kick, unsigned int n_ranks,
            const std::vector<unsigned int> &for_all);

  NodeOwners divide();

private:
  void find_classes();
  void sort_nodes(const NodeTable<spacedim> &nodes);
  void bisect(Part<spacedim> part, unsigned int first, unsigned int n);
  void set_sides(const std::vector<unsigned int> &piece, bool is_reversed, double share);
  unsigned char sides(unsigned int kick) const;
  /// Kicks held, shape (n_ranks, n_classes).
  std::vector<double> held_kicks() const;
  double busiest(const std::vector<double> &held) const;
  void correct_weights(const std::vector<double> &held);

  const CompressedRows<unsigned int> &nodes_of_kick;
  const std::vector<unsigned int> &class_of_kick;
  const unsigned int n_ranks;
  unsigned int n_classes;                  ///< the last one has the nodes without kicks
  std::vector<double> frequency;           ///< of a class, relative to the finest one
  std::vector<unsigned int> class_of_node; ///< the finest of its kicks
  std::vector<double> weights;             ///< of nodes
  std::vector<unsigned int> owners;        ///< of nodes
  std::vector<unsigned char> side;         ///< of nodes
  Part<spacedim> whole;                    ///< without what everybody has
};

template <int spacedim>
Bisection<spacedim>::Bisection(const NodeTable<spacedim> &nodes,
                               const CompressedRows<unsigned int> &nodes_of_kick,
                               const std::vector<unsigned int> &class_of_kick,
                               const unsigned int n_ranks, const std::vector<unsigned int> &for_all)
    : nodes_of_kick(nodes_of_kick),
      class_of_kick(class_of_kick),
      n_ranks(n_ranks),
      owners(nodes.size(), n_ranks), // nobody's
      side(nodes.size(), none)
{
  for (const unsigned int node : for_all)
    owners[node] = NodeOwners::everybody;
  find_classes();
  sort_nodes(nodes);
}

template <int spacedim>
void
Bisection<spacedim>::find_classes()
{
  n_classes = 1 + (class_of_kick.empty()
                       ? 0
                       : 1 + *std::max_element(class_of_kick.begin(), class_of_kick.end()));
  for (unsigned int c = 0; c < n_classes; ++c)
    frequency.push_back(std::ldexp(1., -static_cast<int>(c)));
  class_of_node.assign(owners.size(), n_classes - 1);
  weights.assign(owners.size(), 0.);
  for (unsigned int kick = 0; kick < nodes_of_kick.n_rows(); ++kick)
  {
    const auto row = nodes_of_kick.row(kick);
    const bool is_everybodys =
        std::any_of(row.begin(), row.end(),
                    [&](const unsigned int node) { return owners[node] == NodeOwners::everybody; });
    for (const unsigned int node : row)
    {
      class_of_node[node] = std::min(class_of_node[node], class_of_kick[kick]);
      weights[node] += !is_everybodys;
    }
    if (!is_everybodys)
      whole.kicks.push_back(kick);
  }
  for (double &weight : weights) // a node that only everybody kicks is one to be sent
    weight = std::max(weight, 1.);
}

template <int spacedim>
void
Bisection<spacedim>::sort_nodes(const NodeTable<spacedim> &nodes)
{
  // Places that differ by rounding are the same. Those of a mesh are likely to be simple fractions
  // of the whole, so limits between places are not.
  constexpr double n_places = 1 << 30, shift = 0.37;
  std::vector<unsigned int> order; // of the nodes that are divided
  order.reserve(nodes.size());
  for (unsigned int node = 0; node < nodes.size(); ++node)
    if (owners[node] != NodeOwners::everybody)
      order.push_back(node);
  std::array<double, spacedim> least;
  double extent = 0;
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    double most = std::numeric_limits<double>::lowest();
    least[d] = std::numeric_limits<double>::max();
    for (const unsigned int node : order)
    {
      least[d] = std::min(least[d], nodes.reference(node)[d]);
      most = std::max(most, nodes.reference(node)[d]);
    }
    extent = std::max(extent, most - least[d]);
  }
  std::vector<std::array<std::int32_t, spacedim>> places(nodes.size());
  for (const unsigned int node : order)
    for (unsigned int d = 0; d < spacedim; ++d)
      places[node][d] =
          extent > 0 ? (nodes.reference(node)[d] - least[d]) / extent * n_places + shift : 0;

  whole.nodes.resize(n_classes);
  for (unsigned int axis = 0; axis < spacedim; ++axis)
  {
    std::sort(order.begin(), order.end(),
              [&](const unsigned int a, const unsigned int b)
              {
                for (unsigned int i = 0; i < spacedim; ++i)
                {
                  const unsigned int d = (axis + i) % spacedim;
                  if (places[a][d] != places[b][d])
                    return places[a][d] < places[b][d];
                }
                return a < b;
              });
    for (const unsigned int node : order)
      whole.nodes[class_of_node[node]][axis].push_back(node);
  }
}

template <int spacedim>
NodeOwners
Bisection<spacedim>::divide()
{
  std::vector<unsigned int> best;
  double least = std::numeric_limits<double>::infinity();
  for (const bool is_last : {false, true})
  {
    if (is_last)
      bisect({std::move(whole.nodes), whole.kicks}, 0, n_ranks);
    else
      bisect(whole, 0, n_ranks);
    const std::vector<double> held = held_kicks();
    if (busiest(held) < least)
    {
      least = busiest(held);
      best = owners;
    }
    if (!is_last)
      correct_weights(held);
  }
  return NodeOwners(std::move(best));
}

template <int spacedim>
void
Bisection<spacedim>::bisect(Part<spacedim> part, const unsigned int first, const unsigned int n)
{
  if (n == 1)
  {
    for (const Piece<spacedim> &piece : part.nodes)
      for (const unsigned int node : piece[0])
        owners[node] = first;
    return;
  }
  const unsigned int n_left = n / 2;
  const double share = double(n_left) / n;
  std::vector<std::vector<unsigned int>> kicks_on(n_classes); // nodes of a class
  for (const unsigned int kick : part.kicks)
    for (const unsigned int node : nodes_of_kick.row(kick))
    {
      std::vector<unsigned int> &list = kicks_on[class_of_node[node]];
      if (list.empty() || list.back() != kick)
        list.push_back(kick);
    }
  Part<spacedim> of_left, of_right;
  of_left.nodes.resize(n_classes);
  of_right.nodes.resize(n_classes);
  Cut before; // of the class before: of equal cuts the one beside it
  bool is_first = true;
  for (unsigned int c = 0; c < n_classes; ++c)
  {
    Piece<spacedim> &piece = part.nodes[c];
    if (piece[0].empty())
      continue;
    Cut best;
    double least = std::numeric_limits<double>::infinity();
    for (unsigned int trial = 0; trial < 2 * spacedim; ++trial)
    {
      if (is_first && n == 2 * n_left && trial % 2 == 1)
        continue; // the mirror image of the one before
      const Cut cut{(before.axis + trial / 2) % spacedim, before.is_reversed != (trial % 2 == 1)};
      set_sides(piece[cut.axis], cut.is_reversed, share);
      double cost = 0;
      for (const unsigned int kick : kicks_on[c])
        if (sides(kick) == both)
          cost += frequency[class_of_kick[kick]];
      if (cost < least)
      {
        least = cost;
        best = cut;
      }
    }
    before = best;
    is_first = false;
    set_sides(piece[best.axis], best.is_reversed, share);
    for (unsigned int axis = 0; axis < spacedim; ++axis)
      for (const unsigned int node : piece[axis])
        (side[node] == left ? of_left : of_right).nodes[c][axis].push_back(node);
  }
  for (const unsigned int kick : part.kicks)
  {
    const unsigned char on = sides(kick);
    if (on & left)
      of_left.kicks.push_back(kick);
    if (on & right)
      of_right.kicks.push_back(kick);
  }
  for (const Piece<spacedim> &piece : part.nodes)
    for (const unsigned int node : piece[0])
      side[node] = none;
  part = {};
  kicks_on.clear();
  bisect(std::move(of_left), first, n_left);
  bisect(std::move(of_right), first + n_left, n - n_left);
}

template <int spacedim>
void
Bisection<spacedim>::set_sides(const std::vector<unsigned int> &piece, const bool is_reversed,
                               const double share)
{
  double sum = 0, before = 0;
  for (const unsigned int node : piece)
    sum += weights[node];
  for (std::size_t i = 0; i < piece.size(); ++i)
  {
    const unsigned int node = piece[is_reversed ? piece.size() - 1 - i : i];
    side[node] = before + weights[node] / 2 < share * sum ? left : right;
    before += weights[node];
  }
}

template <int spacedim>
unsigned char
Bisection<spacedim>::sides(const unsigned int kick) const
{
  unsigned char result = none;
  for (const unsigned int node : nodes_of_kick.row(kick))
    result |= side[node];
  return result;
}

template <int spacedim>
std::vector<double>
Bisection<spacedim>::held_kicks() const
{
  std::vector<double> held(n_ranks * n_classes, 0.);
  std::vector<unsigned int> holders;
  for (const unsigned int kick : whole.kicks)
  {
    holders.clear();
    for (const unsigned int node : nodes_of_kick.row(kick))
      if (std::find(holders.begin(), holders.end(), owners[node]) == holders.end())
        holders.push_back(owners[node]);
    for (const unsigned int holder : holders)
      ++held[holder * n_classes + class_of_kick[kick]];
  }
  return held;
}

/// Kicks per time of a process that is the busiest one in every class.
template <int spacedim>
double
Bisection<spacedim>::busiest(const std::vector<double> &held) const
{
  double result = 0;
  for (unsigned int c = 0; c < n_classes; ++c)
  {
    double most = 0;
    for (unsigned int rank = 0; rank < n_ranks; ++rank)
      most = std::max(most, held[rank * n_classes + c]);
    result += frequency[c] * most;
  }
  return result;
}

template <int spacedim>
void
Bisection<spacedim>::correct_weights(const std::vector<double> &held)
{
  std::vector<double> owned(held.size(), 0.);
  const auto entry = [&](const unsigned int node)
  { return owners[node] * n_classes + class_of_node[node]; };
  const auto for_each_node = [&](const auto &f)
  {
    for (const Piece<spacedim> &piece : whole.nodes)
      for (const unsigned int node : piece[0])
        f(node);
  };
  for_each_node([&](const unsigned int node) { owned[entry(node)] += weights[node]; });
  for_each_node(
      [&](const unsigned int node)
      {
        if (held[entry(node)] > 0)
          weights[node] *= held[entry(node)] / owned[entry(node)];
      });
}
} // namespace

template <int spacedim>
NodeOwners
divide_nodes(const NodeTable<spacedim> &nodes, const CompressedRows<unsigned int> &nodes_of_kick,
             const std::vector<unsigned int> &class_of_kick, const unsigned int n_ranks,
             const std::vector<unsigned int> &for_all)
{
  return Bisection<spacedim>(nodes, nodes_of_kick, class_of_kick, n_ranks, for_all).divide();
}

template <int spacedim>
NodeOwners
divide_nodes(const NodeTable<spacedim> &nodes, const KickFamilies<spacedim> &families,
             const TimeLevels &levels, const unsigned int n_ranks, const NodesOfAll &of_all)
{
  AssertThrow(levels.has_classes(), StepperExceptions::ExcOneProcess("a clock per cell"));
  const unsigned int n_clocks = levels.clocks().size();
  AssertThrow(n_clocks <= std::numeric_limits<std::uint64_t>::digits, // sets of clocks are bits
              dealii::ExcIndexRange(n_clocks, 0, std::numeric_limits<std::uint64_t>::digits + 1));
  CompressedRows<unsigned int> nodes_of_kick;
  std::vector<unsigned int> class_of_kick;
  unsigned int id = 0;
  for (const auto &kicks : families.with_ids())
    for (unsigned int k = 0; k < kicks->n_kicks(); ++k, ++id)
      if (!families.ended(id)) // what has ended is no work
      {
        for (const unsigned int node : kicks->support(k))
          nodes_of_kick.push_back(node);
        nodes_of_kick.finish_row();
        class_of_kick.push_back(levels.clock_of_kick(id));
      }
  std::vector<unsigned int> for_all = of_all.kicked;
  const auto divided = [&]
  { return divide_nodes(nodes, nodes_of_kick, class_of_kick, n_ranks, for_all); };
  NodeOwners owners = divided();
  if (of_all.known.empty() || pays_to_tell(nodes_of_kick, class_of_kick, owners, of_all, n_ranks))
    return owners;
  for_all.insert(for_all.end(), of_all.known.begin(), of_all.known.end());
  return divided();
}

#define INSTANTIATE(spacedim)                                                                      \
  template NodeOwners divide_nodes(                                                                \
      const NodeTable<spacedim> &, const CompressedRows<unsigned int> &,                           \
      const std::vector<unsigned int> &, unsigned int, const std::vector<unsigned int> &);         \
  template NodeOwners divide_nodes(const NodeTable<spacedim> &, const KickFamilies<spacedim> &,    \
                                   const TimeLevels &, unsigned int, const NodesOfAll &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
