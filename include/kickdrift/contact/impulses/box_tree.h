// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_IMPULSES_BOX_TREE_H
#define KICKDRIFT_CONTACT_IMPULSES_BOX_TREE_H

#include <kickdrift/contact/geometry/box.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace KickDrift
{
/// Have two boxes a point in common?
template <int spacedim>
inline bool
overlap(const Box<spacedim> &a, const Box<spacedim> &b)
{
  for (unsigned int d = 0; d < spacedim; ++d)
    if (!(a.lower[d] <= b.upper[d] && b.lower[d] <= a.upper[d]))
      return false;
  return true;
}

/// The box around two boxes.
template <int spacedim>
inline Box<spacedim>
united(Box<spacedim> a, const Box<spacedim> &b)
{
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    a.lower[d] = std::min(a.lower[d], b.lower[d]);
    a.upper[d] = std::max(a.upper[d], b.upper[d]);
  }
  return a;
}

/**
 * Boxes that move, and which of them overlap another one. A balanced binary tree over the order of
 * the items along the longest sides; a box that changes changes those above it. The tree is built
 * anew when as many boxes have changed as there are, some times over.
 */
template <int spacedim>
class BoxTree
{
public:
  /// Boxes of the items, by number.
  void
  build(std::vector<Box<spacedim>> boxes_of_items)
  {
    boxes = std::move(boxes_of_items);
    build();
  }

  /// Number of items.
  unsigned int
  size() const
  {
    return boxes.size();
  }

  /// Box of an item.
  const Box<spacedim> &
  operator[](const unsigned int item) const
  {
    return boxes[item];
  }

  /// Give an item another box.
  void
  set(const unsigned int item, const Box<spacedim> &box)
  {
    constexpr unsigned int changes_before_rebuild = 64;
    boxes[item] = box;
    if (++n_changes > changes_before_rebuild * std::uint64_t(boxes.size()))
    {
      build();
      return;
    }
    unsigned int place = first_leaf + places[item];
    tree[place] = box;
    while (place > 1)
    {
      place /= 2;
      tree[place] = united(tree[2 * place], tree[2 * place + 1]);
    }
  }

  /// Call @p f (item) for all items whose boxes overlap @p box.
  template <typename Function>
  void
  for_each_overlapping(const Box<spacedim> &box, const Function &f) const
  {
    if (boxes.empty())
      return;
    unsigned int stack[64], n = 0;
    stack[n++] = 1;
    while (n > 0)
    {
      const unsigned int place = stack[--n];
      if (!overlap(tree[place], box))
        continue;
      if (place >= first_leaf)
        f(items[place - first_leaf]);
      else
      {
        stack[n++] = 2 * place + 1;
        stack[n++] = 2 * place;
      }
    }
  }

private:
  void
  build()
  {
    n_changes = 0;
    items.resize(boxes.size());
    std::iota(items.begin(), items.end(), 0);
    first_leaf = 1;
    while (first_leaf < items.size())
      first_leaf *= 2;
    split(0, items.size(), first_leaf);
    places.resize(items.size());
    tree.assign(2 * first_leaf, empty_box<spacedim>());
    for (unsigned int i = 0; i < items.size(); ++i)
    {
      places[items[i]] = i;
      tree[first_leaf + i] = boxes[items[i]];
    }
    for (unsigned int place = first_leaf; --place > 0;)
      tree[place] = united(tree[2 * place], tree[2 * place + 1]);
  }

  /// Order items from @p begin to @p end, which have @p room leaves.
  void
  split(const unsigned int begin, const unsigned int end, const unsigned int room)
  {
    const unsigned int half = room / 2;
    if (end - begin < 2)
      return;
    if (end - begin > half)
    {
      Box<spacedim> middles = empty_box<spacedim>();
      const auto middle = [&](const unsigned int item)
      { return dealii::Point<spacedim>(0.5 * (boxes[item].lower + boxes[item].upper)); };
      for (unsigned int i = begin; i < end; ++i)
        extend(middles, middle(items[i]));
      unsigned int axis = 0;
      for (unsigned int d = 1; d < spacedim; ++d)
        if (middles.upper[d] - middles.lower[d] > middles.upper[axis] - middles.lower[axis])
          axis = d;
      std::nth_element(items.begin() + begin, items.begin() + begin + half, items.begin() + end,
                       [&](const unsigned int a, const unsigned int b)
                       {
                         const double x = middle(a)[axis], y = middle(b)[axis];
                         return x != y ? x < y : a < b;
                       });
      split(begin + half, end, half);
    }
    split(begin, std::min(end, begin + half), half);
  }

  std::vector<Box<spacedim>> boxes; ///< by item
  std::vector<Box<spacedim>> tree;  ///< the first is tree[1], below n are 2n and 2n + 1
  std::vector<unsigned int> items;  ///< in the order of the leaves
  std::vector<unsigned int> places; ///< of items in it
  unsigned int first_leaf = 1;
  std::uint64_t n_changes = 0;
};
} // namespace KickDrift

#endif
