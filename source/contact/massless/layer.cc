#include <kickdrift/contact/massless/layer.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
template <int spacedim>
MasslessLayer<spacedim>::MasslessLayer(const std::vector<unsigned int> &massless,
                                       const std::vector<unsigned int> &massive)
    : nodes_of_members(massless), n_without_mass(massless.size())
{
  nodes_of_members.insert(nodes_of_members.end(), massive.begin(), massive.end());
  for (unsigned int member = 0; member < nodes_of_members.size(); ++member)
  {
    const unsigned int node = nodes_of_members[member];
    if (node >= member_of_node.size())
      member_of_node.resize(node + 1, none);
    member_of_node[node] = member;
  }
}

template <int spacedim>
void
MasslessLayer<spacedim>::add(const Kicks<spacedim> &kicks, const unsigned int k,
                             const bool on_massless_only)
{
  terms.push_back({&kicks, k, on_massless_only});
  for (const unsigned int node : kicks.support(k))
    members_of_terms.push_back(member(node));
  members_of_terms.finish_row();
  linear = linear && (on_massless_only || kicks.has_constant_steps());
  columns.clear();
}

template <int spacedim>
void
MasslessLayer<spacedim>::forces(const NodeTable<spacedim> &nodes, const double time,
                                std::vector<Vector> &forces) const
{
  forces.assign(nodes_of_members.size(), Vector());
  for (unsigned int t = 0; t < terms.size(); ++t)
  {
    const Term &term = terms[t];
    const auto members = members_of_terms.row(t);
    term.kicks->checked_force(nodes, term.k, time, members.size(), forces_of_term);
    for (unsigned int a = 0; a < members.size(); ++a)
      if (members[a] < n_without_mass || !term.on_massless_only)
        forces[members[a]] += forces_of_term[a];
  }
}

template <int spacedim>
void
MasslessLayer<spacedim>::make_pattern()
{
  std::vector<std::pair<unsigned int, unsigned int>> pairs;
  for (unsigned int t = 0; t < terms.size(); ++t)
    for (const unsigned int a : members_of_terms.row(t))
      for (const unsigned int b : members_of_terms.row(t))
        if (!terms[t].on_massless_only && a < n_without_mass && b < n_without_mass && a != b)
          pairs.emplace_back(a, b);
  columns = CompressedRows<unsigned int>::from_pairs(std::move(pairs), n_without_mass);
  std::vector<unsigned int> counts;
  for (unsigned int a = 0; a < n_without_mass; ++a)
    counts.push_back(columns.row(a).size());
  couplings = CompressedRows<Block>::from_counts(counts);
}

template <int spacedim>
typename MasslessLayer<spacedim>::Block &
MasslessLayer<spacedim>::block(const unsigned int row, const unsigned int column)
{
  if (row == column)
    return diagonal[row];
  const auto in_row = columns.row(row);
  return couplings.row(
      row)[std::lower_bound(in_row.begin(), in_row.end(), column) - in_row.begin()];
}

/// Add to the blocks what moving a massless node changes in the forces of a kick.
template <int spacedim>
void
MasslessLayer<spacedim>::add_difference(NodeTable<spacedim> &nodes, const unsigned int t,
                                        const unsigned int massless, const double time,
                                        const double increment)
{
  const auto members = members_of_terms.row(t);
  NodeState &state = nodes[nodes_of_members[massless]];
  std::vector<Vector> ahead;
  for (unsigned int d = 0; d < spacedim; ++d)
  {
    const double before = state.displacement[d];
    state.displacement[d] = before + increment;
    terms[t].kicks->checked_force(nodes, terms[t].k, time, members.size(), ahead);
    state.displacement[d] = before - increment;
    terms[t].kicks->checked_force(nodes, terms[t].k, time, members.size(), forces_of_term);
    state.displacement[d] = before;
    for (unsigned int a = 0; a < members.size(); ++a)
      if (members[a] < n_without_mass)
      {
        const Vector derivative = (ahead[a] - forces_of_term[a]) / (2 * increment);
        for (unsigned int i = 0; i < spacedim; ++i)
          block(members[a], massless)[i][d] -= derivative[i];
      }
  }
}

template <int spacedim>
void
MasslessLayer<spacedim>::update_blocks(NodeTable<spacedim> &nodes, const double time,
                                       const double length)
{
  if (columns.n_rows() != n_without_mass)
    make_pattern();
  diagonal.assign(n_without_mass, Block());
  for (unsigned int a = 0; a < n_without_mass; ++a)
    for (Block &coupling : couplings.row(a))
      coupling = Block();
  for (unsigned int t = 0; t < terms.size(); ++t)
    if (!terms[t].on_massless_only)
      for (const unsigned int member : members_of_terms.row(t))
        if (member < n_without_mass)
          add_difference(nodes, t, member, time, 1e-5 * length);
  invert_diagonal(nodes, time);
}

template <int spacedim>
void
MasslessLayer<spacedim>::invert_diagonal(const NodeTable<spacedim> &nodes, const double time)
{
  flexibilities.resize(n_without_mass);
  for (unsigned int a = 0; a < n_without_mass; ++a)
  {
    const unsigned int node = nodes_of_members[a];
    Block projector, held;
    for (unsigned int d = 0; d < spacedim; ++d)
    {
      Vector unit;
      unit[d] = 1;
      const Vector column = nodes.restraints.project(node, unit);
      for (unsigned int i = 0; i < spacedim; ++i)
      {
        projector[i][d] = column[i];
        held[i][d] = unit[i] - column[i];
      }
    }
    // within the free directions; the others get a stiffness of their own, which drops out again
    const Block stiffness = projector * diagonal[a] * projector + trace(diagonal[a]) * held;
    const Block symmetric = 0.5 * (stiffness + transpose(stiffness));
    // leading minors
    bool is_definite = symmetric[0][0] > 0 && determinant(symmetric) > 0;
    if constexpr (spacedim == 3)
      is_definite =
          is_definite && symmetric[0][0] * symmetric[1][1] - symmetric[0][1] * symmetric[1][0] > 0;
    AssertThrow(is_definite, ExcNoEquilibrium(node, time));
    flexibilities[a] = projector * invert(symmetric) * projector;
    for (Block &coupling : couplings.row(a))
      coupling = flexibilities[a] * coupling;
  }
}

template <int spacedim>
void
MasslessLayer<spacedim>::serialize(Archive &archive)
{
  archive.fixed(diagonal, flexibilities);
  for (unsigned int a = 0; a < couplings.n_rows(); ++a)
    for (Block &coupling : couplings.row(a))
      archive(coupling);
}

template class MasslessLayer<2>;
template class MasslessLayer<3>;
} // namespace KickDrift
