// Which patches look at each other.

#include <kickdrift/contact/tracking/patch_pairs.h>

#include <deal.II/base/numbers.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
// Cones are renewed when a face has turned by more than this difference of unit normals.
constexpr double noticed = 0.03;
// How much a face may turn between two fits of its body's boxes [radian].
constexpr double unnoticed = 0.05;
// Contactors of a patch whose directions have a smaller cosine than this, such as those of its
// middle and of its rims, are in different groups, unless there would be too many.
constexpr double alike = 0.9;
constexpr unsigned int most_groups = 16;

template <int spacedim>
double
angle_between(const dealii::Tensor<1, spacedim> &a, const dealii::Tensor<1, spacedim> &b)
{
  return std::acos(std::max(-1., std::min(1., a * b)));
}
} // namespace

template <int spacedim>
PatchPairs<spacedim>::Cone::Cone(const Vector &axis, const double angle)
    : axis(axis), angle(angle), cosine(std::cos(angle)), sine(std::sin(angle)), everywhere(false)
{
}

template <int spacedim>
void
PatchPairs<spacedim>::form_groups(const Contactors &contactors)
{
  groups.clear();
  groups_of_patch.assign(patches.size(), {});
  group_of_contactor.clear();
  std::vector<Vector> first; // direction of the first member, by group
  for (unsigned int c = 0; c < contactors.size(); ++c)
  {
    const unsigned int p = patches.patch_of(contactors.nodes(c)), kind = contactors.kind(c);
    double spread = 0;
    const Vector outward = direction(contactors, c, spread);
    auto &own = groups_of_patch[p];
    auto best = own.end();
    for (auto g = own.begin(); g != own.end(); ++g)
      if (groups[*g].kind == kind &&
          (best == own.end() || first[*g] * outward > first[*best] * outward))
        best = g;
    const bool is_new =
        best == own.end() || (first[*best] * outward < alike && own.size() < most_groups);
    if (is_new)
    {
      best = own.insert(own.end(), groups.size());
      const bool looks_for_faces = contactors.looks_for_faces(kind);
      const double widest = looks_for_faces ? std::acos(contactors.limit(kind)) : 0.;
      groups.push_back({p, kind, looks_for_faces, widest, {}, Cone(), 1, 0, 0});
      first.push_back(outward);
    }
    groups[*best].members.push_back(c);
    group_of_contactor.push_back(*best);
  }
}

/// Sum of the normals of its faces, as a unit vector; zero if it looks everywhere. @p spread : the
/// largest angle of one of them to it, and what the direction may turn unnoticed [radian].
template <int spacedim>
typename PatchPairs<spacedim>::Vector
PatchPairs<spacedim>::direction(const Contactors &contactors, const unsigned int c,
                                double &spread) const
{
  const auto faces = contactors.faces(c);
  Vector sum;
  for (const unsigned int f : faces)
    sum += normals[f];
  const double norm = sum.norm();
  if (!(norm > 1e-3))
    return Vector();
  sum /= norm;
  spread = noticed * faces.size() / norm;
  if (contactors.nodes(c).size() > 1) // an edge: everything between the normals counts
    for (const unsigned int f : faces)
      spread = std::max(spread, angle_between(normals[f], sum) + noticed);
  return sum;
}

template <int spacedim>
typename PatchPairs<spacedim>::Cone
PatchPairs<spacedim>::cone_of_group(const Contactors &contactors, const Group &group) const
{
  std::vector<std::pair<Vector, double>> directions;
  Vector axis;
  for (const unsigned int c : group.members)
  {
    double spread = 0;
    directions.emplace_back(direction(contactors, c, spread), spread);
    axis += directions.back().first;
    if (directions.back().first.norm_square() == 0)
      return Cone();
  }
  if (!(axis.norm() > 1e-3 * directions.size()))
    return Cone();
  axis /= axis.norm();
  double angle = 0;
  for (const auto &[outward, spread] : directions)
    angle = std::max(angle, angle_between(outward, axis) + spread);
  return {axis, angle};
}

template <int spacedim>
void
PatchPairs<spacedim>::renew_cone(const Contactors &contactors, Group &group)
{
  group.cone = cone_of_group(contactors, group);
  group.cosine = std::cos(group.widest - group.cone.angle);
  group.sine = std::sin(group.widest - group.cone.angle);
}

template <int spacedim>
void
PatchPairs<spacedim>::keep_normal(const unsigned int f)
{
  normals[f] = search.face_normal(f);
  hourglasses[f] = search.face_hourglass(f);
  if constexpr (spacedim == 3)
  {
    const auto &face = surface.faces[f];
    if (face.n_nodes < 4)
      return;
    const auto edge = [&](const unsigned int a, const unsigned int b)
    { return nodes.position_at(face.nodes[b], now) - nodes.position_at(face.nodes[a], now); };
    edges[f] = 0.25 * std::min((edge(0, 1) + edge(2, 3)).norm_square(),
                               (edge(0, 2) + edge(1, 3)).norm_square());
  }
}

/// The normal in the middle does not show how a quadrilateral is warped: each edge turns by the
/// hourglass over twice its length, and normals in the corners by those of two edges.
template <int spacedim>
bool
PatchPairs<spacedim>::has_turned(const unsigned int f) const
{
  constexpr double limit = noticed * noticed;
  const double turn = (search.face_normal(f) - normals[f]).norm_square();
  const double warped = (search.face_hourglass(f) - hourglasses[f]).norm_square();
  if (warped == 0)
    return turn > limit;
  return !(std::sqrt(turn) + std::sqrt(0.5 * warped / edges[f]) <= noticed);
}

template <int spacedim>
double
PatchPairs<spacedim>::warp(const unsigned int f) const
{
  const auto &face = surface.faces[f];
  double largest = 0;
  if constexpr (spacedim == 3)
    if (face.n_nodes == 4)
    {
      const auto edge = [&](const unsigned int a, const unsigned int b)
      { return nodes.position_at(face.nodes[b], now) - nodes.position_at(face.nodes[a], now); };
      const Vector xi[2] = {edge(0, 1), edge(2, 3)}, eta[2] = {edge(0, 2), edge(1, 3)};
      for (const Vector &a : xi)
        for (const Vector &b : eta)
        {
          // normals in the corners: all others are between them
          const Vector corner = cross_product_3d(a, b);
          const double norm = corner.norm();
          if (norm > 0)
            largest = std::max(largest, angle_between(corner / norm, normals[f]));
        }
    }
  return largest;
}

template <int spacedim>
typename PatchPairs<spacedim>::Cone
PatchPairs<spacedim>::cone_of_faces(const unsigned int p) const
{
  Vector axis;
  for (const unsigned int f : patches.faces(p))
    axis += normals[f];
  const double norm = axis.norm();
  if (!(norm > 1e-3 * patches.faces(p).size()))
    return Cone();
  axis /= norm;
  double angle = 0;
  for (const unsigned int f : patches.faces(p))
    angle = std::max(angle, angle_between(normals[f], axis) + warp(f));
  return {axis, angle + noticed + unnoticed};
}

template <int spacedim>
std::uint32_t
PatchPairs<spacedim>::opposed(const unsigned int p, const unsigned int other) const
{
  if (patches.faces(other).empty())
    return 0;
  std::uint32_t mask = 0;
  const auto &own = groups_of_patch[p];
  const Cone &faces = face_cones[other];
  for (unsigned int i = 0; i < own.size(); ++i)
  {
    const Group &group = groups[own[i]];
    if (!group.looks_for_faces)
      continue;
    // is the angle between the axes less than the widest one less those of both cones?
    const bool may_face =
        group.cone.everywhere || faces.everywhere ||
        !(group.widest - group.cone.angle - faces.angle > 0) ||
        !(group.cone.axis * faces.axis > group.cosine * faces.cosine + group.sine * faces.sine);
    mask |= std::uint32_t(may_face) << i;
  }
  return mask;
}

/// The same, but for what cannot touch since it belongs to one body that has hardly changed.
template <int spacedim>
std::uint32_t
PatchPairs<spacedim>::facing(const Contactors &contactors, const unsigned int p, Partner &partner)
{
  partner.opposed = opposed(p, partner.patch);
  if (partner.opposed == 0 || patches.body(p) != patches.body(partner.patch))
    return partner.opposed;
  const unsigned int body = patches.body(p);
  if ((partner.opposed & ~partner.apart) || !(bounds.time_of_path(body, partner.apart_until) > now))
  {
    keep_apart(contactors, p, partner, true);
    first_deadlines[body] = std::min(first_deadlines[body], deadlines[p]);
  }
  return partner.opposed & ~partner.apart;
}

/// Which normals have turned clearly since the cones were made of them?
template <int spacedim>
void
PatchPairs<spacedim>::find_turned(const Contactors &contactors)
{
  static thread_local std::vector<unsigned int> turned;
  turned.clear();
  for (unsigned int b = 0; b < fits.size(); ++b)
  {
    if (fits[b] == search.n_fits(b))
      continue;
    fits[b] = search.n_fits(b);
    for (const unsigned int f : search.faces_of_body(b))
    {
      if (!has_turned(f))
        continue;
      keep_normal(f);
      const auto &face = surface.faces[f];
      for (unsigned int i = 0; i < face.n_nodes; ++i)
        for (const unsigned int p : patches.patches_of_node(face.nodes[i]))
          turned.push_back(p);
    }
  }
  std::sort(turned.begin(), turned.end());
  turned.erase(std::unique(turned.begin(), turned.end()), turned.end());
  for (const unsigned int p : turned)
    renew_cones(contactors, p);
}

template <int spacedim>
void
PatchPairs<spacedim>::renew_cones(const Contactors &contactors, const unsigned int p)
{
  face_cones[p] = cone_of_faces(p);
  for (const unsigned int g : groups_of_patch[p])
    renew_cone(contactors, groups[g]);
  for (Partner &partner : partners[p])
  {
    set_facing(p, partner, facing(contactors, p, partner));
    Partner &back = *find_partner(partner.patch, p);
    set_facing(partner.patch, back, facing(contactors, partner.patch, back));
  }
}

template class PatchPairs<2>;
template class PatchPairs<3>;
} // namespace KickDrift
