// Which contacts become constraints.

#include <kickdrift/contact/response/contact_constraints.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace KickDrift
{
namespace
{
// Nodes are kept so far behind a surface, as a share of its size, that rounding does not open
// contacts.
constexpr double margin = 1e-8;
// Share of a deeper penetration that is removed per period, but no faster than kicks bring it back
// within one: nothing is thrown out.
constexpr double push_out = 0.2;
// Of what is computed from positions, as a share of these.
constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
// Cosine of the largest angle between normals of one contact.
constexpr double same_side = 0.7;

/// Of a contactor from the normal through the point of the target [length].
template <int spacedim>
double
distance_beside(const ContactPoint<spacedim> &point)
{
  return std::sqrt(std::max(0., point.distance * point.distance - point.depth * point.depth));
}
} // namespace

template <int spacedim>
void
ContactConstraints<spacedim>::add(Constraint &&contact)
{
  const auto &memory = *contact.memory;
  double gap = -contact.point.depth;
  const bool closes = contact.point.touches || (!contact.has_ended && may_close(contact, gap));
  if (!closes && memory.energy <= 0)
    return;
  const auto &stencil = contact.stencil;
  gap += margin * contact.point.size;
  contact.gap = closes ? gap : std::numeric_limits<double>::infinity();
  contact.wanted = !closes   ? -std::numeric_limits<double>::infinity()
                   : gap > 0 ? -gap / contact.period
                             : std::min(-push_out * gap / contact.period,
                                        std::max(0., -(stencil.normal * contact.kicks)));
  if (contact.inverse_mass == 0)
    contact.inverse_mass = stencil.inverse_mass(nodes);
  Assert(contact.inverse_mass == stencil.inverse_mass(nodes), dealii::ExcInternalError());
  if (contact.inverse_mass <= 0)
    return; // the normal of the last contact may be one that restraints hold
  contact.tangential_inverse_mass = stencil.tangential_inverse_mass(nodes);
  contact.is_rigid = stencil.is_rigid(nodes);
  contact.has_rigid = std::any_of(stencil.nodes.begin(), stencil.nodes.begin() + stencil.n_nodes,
                                  [this](const unsigned int node) { return nodes.is_rigid(node); });
  contacts.push_back(std::move(contact));
}

/// Is a contactor that touches nothing in front of a face? In front of a rim, or of an edge, it
/// does not say where a contact is; the last one does. New contacts of other contactors than nodes
/// have to be found behind it.
template <int spacedim>
bool
ContactConstraints<spacedim>::may_close(Constraint &contact, double &gap) const
{
  const auto &point = contact.point;
  const auto *last = contact.last;
  // a node with a mass of its own
  const bool is_node =
      point.stencil.coefficients[0] == 1 && contact.stencil.nodes[0] == point.stencil.nodes[0];
  if (last == nullptr ? !is_node : last->stencil.normal * point.stencil.normal < same_side)
    return false; // what slides along one face does not run into the next one
  double sum = 0; // zero between bodies
  for (unsigned int i = 0; i < point.stencil.n_nodes; ++i)
    sum += point.stencil.coefficients[i];
  if (last != nullptr && last->target == point.target && std::abs(sum) < 0.5 &&
      point.distance < 0.1 * point.size)
  {
    const Vector between = point.stencil.difference([&](const unsigned int node)
                                                    { return Vector(nodes.position(node)); });
    // shells touch at a distance, where another normal has a moment
    double furthest = 0; // positions are rounded
    for (unsigned int i = 0; i < point.stencil.n_nodes; ++i)
      furthest = std::max(furthest, nodes.position(point.stencil.nodes[i]).norm());
    const bool is_thick =
        point.depth + point.stencil.normal * between > 1e-9 * point.size + rounding * furthest;
    if (!is_thick && std::abs(last->stencil.normal * between) < 1e-3 * point.size)
    {
      contact.stencil.normal = contact.point.stencil.normal = last->stencil.normal;
      contact.inverse_mass = 0;
      gap = last->stencil.normal * between;
      return true;
    }
  }
  return distance_beside(point) <=
         (last == nullptr ? 1e-6 : 1.5e-3) * std::abs(point.depth) + 1e-9 * point.size;
}

template <int spacedim>
bool
ContactConstraints<spacedim>::is_beside(const ContactPoint<spacedim> &point)
{
  return distance_beside(point) > std::max(std::abs(point.depth), 0.1 * point.size);
}

template void ContactConstraints<2>::add(ContactConstraint<2> &&);
template void ContactConstraints<3>::add(ContactConstraint<3> &&);
template bool ContactConstraints<2>::is_beside(const ContactPoint<2> &);
template bool ContactConstraints<3>::is_beside(const ContactPoint<3> &);
} // namespace KickDrift
