// Which faces belong together.

#include <kickdrift/contact/surface/surface_patches.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
// Most faces of a patch, or nodes of one without faces.
constexpr unsigned int most_faces = 16;
// Patches are cut across directions if a component of their normals differs by more than this,
// unless parts with less faces than the smallest ones would result.
constexpr double wide = 0.5;
constexpr unsigned int smallest = 4;
// Where between the least and the largest component: between the directions of a block's sides.
constexpr double cut = 0.37;
// Faces with odd directions may lie all over a body. So patches are cut at the largest gap between
// their faces, along the direction in which they are spread most, if that is wider than so many
// faces, or if they are spread over more than so many times what their number and size ask for.
constexpr double widest_gap = 1.5;
constexpr double spread = 1.25;

/// The component in which vectors of items differ most.
template <int spacedim>
struct Extent
{
  unsigned int direction = 0;
  double width = 0, lower = 0;

  template <typename Iterator, typename VectorOfItem>
  Extent(const Iterator begin, const Iterator end, const VectorOfItem &vector_of)
  {
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      double least = vector_of(*begin)[d], largest = least;
      for (auto item = begin; item != end; ++item)
      {
        least = std::min(least, vector_of(*item)[d]);
        largest = std::max(largest, vector_of(*item)[d]);
      }
      if (largest - least <= width)
        continue;
      direction = d;
      width = largest - least;
      lower = least;
    }
  }
};

/// Of these items, in the order of their centres in direction @p d, the one after the largest gap;
/// the end if they lie together.
template <int spacedim, typename Iterator>
Iterator
find_gap(const Iterator begin, const Iterator end, const unsigned int d)
{
  const auto gap = [d](const Iterator item) { return item->center[d] - (item - 1)->center[d]; };
  double largest = begin->size;
  Iterator widest = begin + 1;
  for (auto item = begin + 1; item != end; ++item)
  {
    largest = std::max(largest, item->size);
    if (gap(item) > gap(widest))
      widest = item;
  }
  const double n = end - begin, width = (end - 1)->center[d] - begin->center[d];
  const bool lie_together =
      n == 1 || (width <= spread * largest * (spacedim == 3 ? std::sqrt(n) : n) &&
                 gap(widest) <= widest_gap * largest);
  return lie_together ? end : widest;
}
} // namespace

template <int spacedim>
template <typename Add>
void
SurfacePatches<spacedim>::divide(const Items begin, const Items end, const Add &add) const
{
  const auto normal = [](const Item &item) { return item.normal; };
  const auto center = [](const Item &item) { return item.center; };
  const Extent<spacedim> directions(begin, end, normal), place(begin, end, center);
  if (directions.width > wide)
  {
    const double limit = directions.lower + cut * directions.width;
    const Items middle = std::stable_partition(
        begin, end, [&](const Item &item) { return item.normal[directions.direction] < limit; });
    if (std::min(middle - begin, end - middle) >= smallest)
    {
      divide(begin, middle, add);
      divide(middle, end, add);
      return;
    }
  }
  std::stable_sort(begin, end,
                   [d = place.direction](const Item &a, const Item &b)
                   { return a.center[d] < b.center[d]; });
  const Items middle = end - begin > most_faces ? begin + (end - begin) / 2
                                                : find_gap<spacedim>(begin, end, place.direction);
  if (middle == end)
  {
    add(begin, end);
    return;
  }
  divide(begin, middle, add);
  divide(middle, end, add);
}

template <int spacedim>
void
SurfacePatches<spacedim>::form_patches(const double time)
{
  patches.clear();
  const auto position = [&](const unsigned int node) { return nodes.position_at(node, time); };
  std::vector<std::vector<Item>> faces, particles; // by body
  std::vector<char> is_known(nodes.size(), 0);
  const auto add =
      [](std::vector<std::vector<Item>> &lists, const unsigned int body, const Item &item)
  {
    if (lists.size() <= body)
      lists.resize(body + 1);
    lists[body].push_back(item);
  };
  for (unsigned int f = 0; f < surface.faces.size(); ++f)
  {
    const auto &face = surface.faces[f];
    dealii::Point<spacedim> center;
    for (unsigned int i = 0; i < face.n_nodes; ++i)
    {
      center += (position(face.nodes[i]) - dealii::Point<spacedim>()) / face.n_nodes;
      is_known[face.nodes[i]] = 1;
    }
    double radius = 0;
    for (unsigned int i = 0; i < face.n_nodes; ++i)
      radius = std::max(radius, center.distance(position(face.nodes[i])));
    add(faces, face.body, {f, center, unit_normal(face, position), 2 * radius});
  }
  for (const Contactor &contactor : surface.contactors)
    for (const unsigned int node : contactor.node_view())
      if (!is_known[node])
      {
        is_known[node] = 1;
        add(particles, contactor.body, {node, position(node), Vector(), contactor.length});
      }

  const auto indices = [](const Items begin, const Items end)
  {
    std::vector<unsigned int> result;
    for (auto item = begin; item != end; ++item)
      result.push_back(item->index);
    return result;
  };
  for (unsigned int b = 0; b < faces.size(); ++b)
    if (!faces[b].empty())
      divide(faces[b].begin(), faces[b].end(),
             [&](const Items begin, const Items end) { add_patch(b, indices(begin, end), {}); });
  for (unsigned int b = 0; b < particles.size(); ++b)
    if (!particles[b].empty())
      divide(particles[b].begin(), particles[b].end(),
             [&](const Items begin, const Items end) { add_patch(b, {}, indices(begin, end)); });
}

template <int spacedim>
void
SurfacePatches<spacedim>::add_patch(const unsigned int body, std::vector<unsigned int> own_faces,
                                    std::vector<unsigned int> own_nodes)
{
  patches.emplace_back();
  Patch &patch = patches.back();
  patch.body = body;
  patch.faces = std::move(own_faces);
  patch.nodes = std::move(own_nodes);
  for (const unsigned int f : patch.faces)
  {
    const auto &face = surface.faces[f];
    patch.nodes.insert(patch.nodes.end(), face.nodes.begin(), face.nodes.begin() + face.n_nodes);
  }
  std::sort(patch.nodes.begin(), patch.nodes.end());
  patch.nodes.erase(std::unique(patch.nodes.begin(), patch.nodes.end()), patch.nodes.end());
}

template <int spacedim>
void
SurfacePatches<spacedim>::index_nodes()
{
  offsets.assign(nodes.size() + 1, 0);
  for (const Patch &patch : patches)
    for (const unsigned int node : patch.nodes)
      ++offsets[node + 1];
  for (unsigned int node = 0; node < nodes.size(); ++node)
    offsets[node + 1] += offsets[node];
  entries.resize(offsets.back());
  std::vector<std::size_t> next(offsets.begin(), offsets.end() - 1);
  for (unsigned int p = 0; p < patches.size(); ++p)
    for (const unsigned int node : patches[p].nodes)
      entries[next[node]++] = p;
  for (const Contactor &contactor : surface.contactors)
    for (const unsigned int node : contactor.node_view())
      for (const unsigned int p : patches_of_node(node))
        patches[p].contactor_length = std::max(patches[p].contactor_length, contactor.length);
}

template class SurfacePatches<2>;
template class SurfacePatches<3>;
} // namespace KickDrift
