#include <kickdrift/base/compressed_rows.h>
#include <kickdrift/contact/reference/coupled_response.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace KickDrift
{
namespace
{
// rates may be negative by this share of the largest one
constexpr double share_of_rate = 1e-9;
} // namespace

template <int spacedim>
void
CoupledResponse<spacedim>::assemble(const NodeTable<spacedim> &nodes,
                                    const std::vector<ContactStencil<spacedim>> &stencils)
{
  using Vector = dealii::Tensor<1, spacedim>;
  const auto normal_share = [&](const unsigned int contact, const unsigned int a)
  { return stencils[contact].coefficients[a] * stencils[contact].normal; };
  const unsigned int n = stencils.size();
  std::vector<std::pair<unsigned int, std::pair<unsigned int, unsigned int>>> of_nodes;
  for (unsigned int i = 0; i < n; ++i)
    for (unsigned int a = 0; a < stencils[i].n_nodes; ++a)
      of_nodes.push_back({stencils[i].nodes[a], {i, a}});
  const auto by_node =
      CompressedRows<std::pair<unsigned int, unsigned int>>::from_pairs(of_nodes, nodes.size());

  CompressedRows<LinearComplementarity::Entry> matrix;
  std::vector<LinearComplementarity::Entry> row;
  std::vector<unsigned int> place(n, -1); // of a column in the row
  for (unsigned int i = 0; i < n; ++i)
  {
    row.clear();
    for (unsigned int a = 0; a < stencils[i].n_nodes; ++a)
    {
      const unsigned int node = stencils[i].nodes[a];
      const Vector change = nodes.velocity_change(node, normal_share(i, a));
      for (const auto &[other, b] : by_node.row(node))
      {
        if (place[other] == static_cast<unsigned int>(-1))
        {
          place[other] = row.size();
          row.push_back({other, 0.});
        }
        row[place[other]].value += change * normal_share(other, b);
      }
    }
    for (const auto &entry : row)
    {
      place[entry.column] = -1;
      matrix.push_back(entry);
    }
    matrix.finish_row();
  }
  CompressedRows<unsigned int> cliques;
  for (unsigned int node = 0; node < by_node.n_rows(); ++node)
  {
    if (by_node.row(node).size() == 0)
      continue;
    for (const auto &share : by_node.row(node))
      cliques.push_back(share.first);
    cliques.finish_row();
  }
  problem.set_matrix(std::move(matrix), std::move(cliques));
}

template <int spacedim>
std::vector<double>
CoupledResponse<spacedim>::solve(const std::vector<double> &rates)
{
  std::vector<double> wanted, result(rates.size(), 0.);
  double largest = 0;
  for (const double rate : rates)
  {
    wanted.push_back(-rate);
    largest = std::max(largest, std::abs(rate));
  }
  AssertThrow(problem.solve(wanted, share_of_rate * largest, result),
              dealii::ExcMessage("The coupled response of " + std::to_string(rates.size()) +
                                 " contacts has not been found; try Contact/Reference/Solver = "
                                 "sequential."));
  return result;
}

template <int spacedim>
std::vector<double>
CoupledResponse<spacedim>::apply(const std::vector<double> &multipliers) const
{
  std::vector<double> result(multipliers.size(), 0.);
  problem.add_product(multipliers, result);
  return result;
}

template class CoupledResponse<2>;
template class CoupledResponse<3>;
} // namespace KickDrift
