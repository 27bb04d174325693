#include "hierarchy_boxes.h"

namespace KickDrift
{
namespace
{
/// Is the mask false everywhere?
inline bool
none(const Mask4 &mask)
{
  std::uint64_t words[2];
  std::memcpy(words, &mask, sizeof(mask));
  return (words[0] | words[1]) == 0;
}

/// Whether a <= b in all entries.
template <typename FloatBox>
inline bool
all_less_or_equal(const FloatBox &a, const FloatBox &b)
{
  Mask4 greater = load(a.entries) > load(b.entries);
  if constexpr (sizeof(FloatBox) == 2 * sizeof(Float4))
    greater |= load(a.entries + 4) > load(b.entries + 4);
  return none(greater);
}

template <typename FloatBox>
inline bool
equal(const FloatBox &a, const FloatBox &b)
{
  Mask4 differs = load(a.entries) != load(b.entries);
  if constexpr (sizeof(FloatBox) == 2 * sizeof(Float4))
    differs |= load(a.entries + 4) != load(b.entries + 4);
  return none(differs);
}
} // namespace

template <int spacedim>
unsigned int
Hierarchy<spacedim>::n_leaves() const
{
  return leaf_at_position.size();
}

template <int spacedim>
unsigned int
Hierarchy<spacedim>::update(const unsigned int leaf, const Box<spacedim> &box)
{
  AssertIndexRange(leaf, n_leaves());
  FloatBox changed = relative(box, origin);
  std::size_t node = first_leaf + position_of_leaf[leaf];
  unsigned int n_levels = 0;
  while (!equal(changed, node_box(tree, node)))
  {
    node_box(tree, node) = changed;
    node /= 2;
    if (node == 0)
      break;
    changed = union_of_children(tree, node);
    ++n_levels;
  }
  return n_levels;
}

template <int spacedim>
template <typename Visit>
void
Hierarchy<spacedim>::traverse(const Box<spacedim> &box, const Visit &visit,
                              std::vector<unsigned int> &hits) const
{
  if (n_leaves() == 0)
    return;

  // A node overlaps where lower <= box.upper and -upper <= -box.lower. These are finite, which
  // shuts out empty nodes; those of an empty box are minus infinity.
  const FloatBox bounds = relative(box, origin);
  FloatBox limits;
  for (unsigned int d = 0; d < n_half; ++d)
  {
    limits.entries[d] = -bounds.entries[n_half + d];
    limits.entries[n_half + d] = -bounds.entries[d];
  }
  const auto is_wanted = [&](const std::size_t node)
  { return all_less_or_equal(node_box(tree, node), limits) && visit(node); };
  if (!is_wanted(1))
    return;
  std::size_t right_children[8 * sizeof(std::size_t)]; // that are still to be visited
  unsigned int n_right_children = 0;
  std::size_t node = 1;
  while (true)
  {
    if (node < first_leaf)
    {
      const bool left = is_wanted(2 * node), right = is_wanted(2 * node + 1);
      if (left)
      {
        if (right)
          right_children[n_right_children++] = 2 * node + 1;
        node = 2 * node;
        continue;
      }
      if (right)
      {
        node = 2 * node + 1;
        continue;
      }
    }
    else
      hits.push_back(leaf_at_position[node - first_leaf]);
    if (n_right_children == 0)
      return;
    node = right_children[--n_right_children];
  }
}

template <int spacedim>
void
Hierarchy<spacedim>::query(const Box<spacedim> &box, std::vector<unsigned int> &hits) const
{
  traverse(
      box, [](const std::size_t) { return true; }, hits);
}

template <int spacedim>
void
Hierarchy<spacedim>::query(const Box<spacedim> &box, const unsigned int group, const bool same,
                           std::vector<unsigned int> &hits) const
{
  AssertThrow(n_leaves() == 0 || !group_of_leaf.empty(),
              dealii::ExcMessage("This hierarchy has no groups."));
  traverse(
      box,
      [&](const std::size_t node)
      {
        const unsigned int found = group_of_node[node];
        return found == several_groups || (found == group) == same;
      },
      hits);
}

template class Hierarchy<2>;
template class Hierarchy<3>;
} // namespace KickDrift
