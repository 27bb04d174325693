#include <kickdrift/contact/surface/eroding_surface.h>

#include <deal.II/base/types.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace KickDrift
{
namespace
{
/// The same face, seen from the other side.
template <int spacedim>
SurfaceFace<spacedim>
turned_round(SurfaceFace<spacedim> face)
{
  constexpr unsigned int first = spacedim - 2; // lexicographic corners of a quadrilateral
  std::swap(face.nodes[first], face.nodes[first + 1]);
  return face;
}
} // namespace

template <int spacedim>
ErodingSurface<spacedim>::ErodingSurface(std::vector<ErodingBody<spacedim>> bodies)
    : bodies(std::move(bodies))
{
}

template <int spacedim>
unsigned int
ErodingSurface<spacedim>::n_deleted() const
{
  unsigned int n = 0;
  for (const auto &body : bodies)
    n += body.n_deleted();
  return n;
}

template <int spacedim>
Surface<spacedim>
ErodingSurface<spacedim>::now(const Surface<spacedim> &first, const Exclusions &exclusions) const
{
  Surface<spacedim> result = first;
  auto &faces = result.faces;
  auto &contactors = result.contactors;
  const auto erodes = [this](const auto &one)
  {
    return std::any_of(bodies.begin(), bodies.end(),
                       [&](const auto &body) { return body.number == one.body; });
  };
  faces.erase(std::remove_if(faces.begin(), faces.end(), erodes), faces.end());
  contactors.erase(std::remove_if(contactors.begin(), contactors.end(), erodes), contactors.end());
  for (const auto &body : bodies)
  {
    std::unordered_set<unsigned int> on_face;
    const auto add = [&](const SurfaceFace<spacedim> &face)
    {
      faces.push_back(face);
      on_face.insert(face.nodes.begin(), face.nodes.begin() + face.n_nodes);
    };
    for (const auto &one : body.boundary)
      if (!body.is_deleted(one.cell) &&
          !exclusions.excluded_boundary(body.number, one.face.boundary_id))
        add(one.face);
    for (const auto &one : body.inside)
      if (body.is_deleted(one.cell) != body.is_deleted(one.beyond))
        add(body.is_deleted(one.cell) ? turned_round(one.face) : one.face);
    for (const auto *const nodes : {&body.rim, &body.core})
      for (const Contactor &contactor : *nodes)
        if (on_face.count(contactor.nodes[0]) > 0)
          contactors.push_back(contactor);
  }
  // bodies one after the other, as at the start
  const auto is_before = [](const auto &a, const auto &b) { return a.body < b.body; };
  std::stable_sort(faces.begin(), faces.end(), is_before);
  std::stable_sort(contactors.begin(), contactors.end(), is_before);
  return result;
}

template <int spacedim>
std::vector<unsigned int>
ErodingSurface<spacedim>::nodes() const
{
  std::vector<unsigned int> result;
  for (const auto &body : bodies)
    for (const auto *const nodes : {&body.rim, &body.core})
      for (const Contactor &contactor : *nodes)
        result.push_back(contactor.nodes[0]);
  std::sort(result.begin(), result.end());
  return result;
}

template class ErodingSurface<2>;
template class ErodingSurface<3>;
} // namespace KickDrift
