#include <kickdrift/contact/massless/sweeps.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
// More differences hardly save sweeps.
constexpr unsigned int acceleration_depth = 5;

/// Orthonormal vectors across a unit vector.
std::array<dealii::Tensor<1, 2>, 1>
tangents_to(const dealii::Tensor<1, 2> &normal)
{
  return {{dealii::cross_product_2d(normal)}};
}

std::array<dealii::Tensor<1, 3>, 2>
tangents_to(const dealii::Tensor<1, 3> &normal)
{
  unsigned int least = 0;
  for (unsigned int d = 1; d < 3; ++d)
    if (std::abs(normal[d]) < std::abs(normal[least]))
      least = d;
  dealii::Tensor<1, 3> axis;
  axis[least] = 1;
  dealii::Tensor<1, 3> first = dealii::cross_product_3d(normal, axis);
  first /= first.norm();
  return {{first, dealii::cross_product_3d(normal, first)}};
}
} // namespace

template <int spacedim>
MasslessSweeps<spacedim>::MasslessSweeps(const MasslessLayer<spacedim> &layer)
    : layer(layer), acceleration(acceleration_depth)
{
}

template <int spacedim>
void
MasslessSweeps<spacedim>::start(const std::vector<Vector> &forces)
{
  const unsigned int n = layer.n_massless();
  state.assign(n * spacedim, 0);
  own_without_contact.resize(n * spacedim);
  for (unsigned int a = 0; a < n; ++a)
  {
    const Vector motion = layer.flexibility(a) * forces[a];
    for (unsigned int d = 0; d < spacedim; ++d)
      own_without_contact[a * spacedim + d] = motion[d];
  }
  own = own_without_contact;
  contacts.clear();
  members.clear();
  acceleration.restart();
}

template <int spacedim>
void
MasslessSweeps<spacedim>::fill(Row &row, const ContactStencil<spacedim> &stencil,
                               const Vector &direction)
{
  row.begin = members.size();
  for (unsigned int i = 0; i < stencil.n_nodes; ++i)
  {
    const unsigned int a = layer.member(stencil.nodes[i]);
    if (a >= layer.n_massless())
      continue;
    const Vector pull = stencil.coefficients[i] * direction;
    const Vector answer = layer.flexibility(a) * pull;
    Member member;
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      member.pull[d] = pull[d];
      member.answer[d] = answer[d];
    }
    member.begin = a * spacedim;
    members.push_back(member);
    row.flexibility += pull * answer;
  }
  row.end = members.size();
}

template <int spacedim>
void
MasslessSweeps<spacedim>::finish(Row &row, const double flexibility, const double compliance,
                                 const double force)
{
  row.flexibility = flexibility;
  row.unknown = state.size();
  state.push_back(force * flexibility);
  if (flexibility <= 0)
    return;
  row.compliance = compliance / flexibility;
  for (unsigned int m = row.begin; m < row.end; ++m)
  {
    double square = 0;
    for (double &component : members[m].answer)
    {
      component /= flexibility;
      square += component * component;
    }
    row.reach = std::max(row.reach, std::sqrt(square));
  }
  load(row);
}

template <int spacedim>
void
MasslessSweeps<spacedim>::add(const MasslessContact<spacedim> &contact,
                              const MasslessContactMemory<spacedim> &memory,
                              const double relative_compliance)
{
  contacts.emplace_back();
  ContactRows &rows = contacts.back();
  rows.direction = contact.stencil.normal;
  rows.directions = tangents_to(contact.stencil.normal);
  const unsigned int contactor = layer.member(contact.stencil.nodes[0]);
  if (!contact.is_with_obstacle() && contactor < layer.n_massless())
    rows.compliance = relative_compliance * trace(layer.flexibility(contactor)) / spacedim;
  rows.normal.offset = contact.gap;
  fill(rows.normal, contact.stencil, rows.direction);
  finish(rows.normal, rows.normal.flexibility, rows.compliance, memory.force);
  double flexibility = 0; // the same for both tangents, so that steps do not leave the cone
  for (unsigned int t = 0; t < n_tangents; ++t)
  {
    rows.tangents[t].offset = contact.slip * rows.directions[t];
    fill(rows.tangents[t], contact.anchor, rows.directions[t]);
    flexibility += rows.tangents[t].flexibility;
  }
  for (unsigned int t = 0; t < n_tangents; ++t)
    finish(rows.tangents[t], flexibility, rows.compliance, memory.friction * rows.directions[t]);
  rows.has_slip = flexibility > 0;
  rows.cone =
      rows.normal.flexibility > 0 ? contact.friction * flexibility / rows.normal.flexibility : 0;
}

template <int spacedim>
double
MasslessSweeps<spacedim>::motion_of(const Row &row) const
{
  double sum = 0;
  for (unsigned int m = row.begin; m < row.end; ++m)
    for (unsigned int d = 0; d < spacedim; ++d)
      sum += members[m].pull[d] * state[members[m].begin + d];
  return sum;
}

template <int spacedim>
void
MasslessSweeps<spacedim>::push(const Row &row, const double change)
{
  state[row.unknown] += change;
  for (unsigned int m = row.begin; m < row.end; ++m)
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      const double motion = change * members[m].answer[d];
      own[members[m].begin + d] += motion;
      state[members[m].begin + d] += motion;
    }
}

template <int spacedim>
void
MasslessSweeps<spacedim>::load(const Row &row)
{
  for (unsigned int m = row.begin; m < row.end; ++m)
    for (unsigned int d = 0; d < spacedim; ++d)
      own[members[m].begin + d] += state[row.unknown] * members[m].answer[d];
}

template <int spacedim>
double
MasslessSweeps<spacedim>::sweep()
{
  state_before = state;
  double largest = sweep_nodes();
  for (const ContactRows &contact : contacts)
  {
    if (contact.normal.flexibility > 0)
      largest = std::max(largest, change_force(contact));
    if (contact.has_slip)
      largest = std::max(largest, change_friction(contact));
  }
  return largest;
}

template <int spacedim>
double
MasslessSweeps<spacedim>::sweep_nodes()
{
  double largest = 0;
  for (unsigned int a = 0; a < layer.n_massless(); ++a)
  {
    std::array<double, spacedim> motion;
    for (unsigned int d = 0; d < spacedim; ++d)
      motion[d] = own[a * spacedim + d];
    const auto neighbours = layer.neighbours(a);
    const auto blocks = layer.relative_blocks(a);
    for (unsigned int i = 0; i < neighbours.size(); ++i)
    {
      const double *other = &state[neighbours[i] * spacedim];
      for (unsigned int d = 0; d < spacedim; ++d)
        for (unsigned int e = 0; e < spacedim; ++e)
          motion[d] -= blocks[i][d][e] * other[e];
    }
    double square = 0;
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      double &component = state[a * spacedim + d];
      square += (motion[d] - component) * (motion[d] - component);
      component = motion[d];
    }
    largest = std::max(largest, square);
  }
  return std::sqrt(largest);
}

template <int spacedim>
double
MasslessSweeps<spacedim>::change_force(const ContactRows &contact)
{
  const Row &row = contact.normal;
  const double change = std::max(-state[row.unknown], -length_of(row) / (1 + row.compliance));
  if (change == 0)
    return 0;
  push(row, change);
  return row.reach * std::abs(change);
}

template <int spacedim>
void
MasslessSweeps<spacedim>::limit(const ContactRows &contact,
                                std::array<double, n_tangents> &unknowns) const
{
  const double most = contact.cone * state[contact.normal.unknown];
  double square = 0;
  for (const double unknown : unknowns)
    square += unknown * unknown;
  if (square > most * most)
    for (double &unknown : unknowns)
      unknown *= most / std::sqrt(square);
}

template <int spacedim>
double
MasslessSweeps<spacedim>::change_friction(const ContactRows &contact)
{
  std::array<double, n_tangents> unknowns;
  for (unsigned int t = 0; t < n_tangents; ++t)
  {
    const Row &row = contact.tangents[t];
    unknowns[t] = state[row.unknown] - length_of(row) / (1 + row.compliance);
  }
  limit(contact, unknowns);
  double longest = 0;
  for (unsigned int t = 0; t < n_tangents; ++t)
  {
    const Row &row = contact.tangents[t];
    const double change = unknowns[t] - state[row.unknown];
    if (change != 0)
      push(row, change);
    longest += row.reach * std::abs(change);
  }
  return longest;
}

template <int spacedim>
void
MasslessSweeps<spacedim>::accelerate()
{
  acceleration.extrapolate(state_before, state);
  own = own_without_contact;
  for (const ContactRows &contact : contacts)
  {
    double &force = state[contact.normal.unknown];
    force = std::max(0., force);
    load(contact.normal);
    if (!contact.has_slip)
      continue;
    std::array<double, n_tangents> unknowns;
    for (unsigned int t = 0; t < n_tangents; ++t)
      unknowns[t] = state[contact.tangents[t].unknown];
    limit(contact, unknowns);
    for (unsigned int t = 0; t < n_tangents; ++t)
    {
      state[contact.tangents[t].unknown] = unknowns[t];
      load(contact.tangents[t]);
    }
  }
}

template <int spacedim>
dealii::Tensor<1, spacedim>
MasslessSweeps<spacedim>::motion(const unsigned int massless) const
{
  Vector motion;
  for (unsigned int d = 0; d < spacedim; ++d)
    motion[d] = state[massless * spacedim + d];
  return motion;
}

template <int spacedim>
void
MasslessSweeps<spacedim>::read_forces(const unsigned int contact,
                                      MasslessContactMemory<spacedim> &memory) const
{
  const ContactRows &rows = contacts[contact];
  memory.force =
      rows.normal.flexibility > 0 ? state[rows.normal.unknown] / rows.normal.flexibility : 0;
  memory.friction = Vector();
  if (rows.has_slip)
    for (unsigned int t = 0; t < n_tangents; ++t)
      memory.friction +=
          state[rows.tangents[t].unknown] / rows.tangents[t].flexibility * rows.directions[t];
}

template class MasslessSweeps<2>;
template class MasslessSweeps<3>;
} // namespace KickDrift
