// Copies of a body, in rows.

#include <kickdrift/base/expressions.h>
#include <kickdrift/base/memory.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/cases/parameters/case_parameters.h>

#include <deal.II/base/exceptions.h>

#include <cmath>

#include "parameter_parsing.h"

namespace KickDrift
{
using namespace dealii;

namespace
{
constexpr unsigned int most_copies = 100000;
constexpr double least_bytes_per_copy = 1.5e4; ///< even of a single cell
} // namespace

void
declare_copies(ParameterHandler &prm)
{
  prm.declare_entry("Copies", "1", Patterns::Anything(),
                    "Numbers of copies of the body along x, y, z, expressions of the constants: "
                    "'5, 5, 3' makes the bodies NAME_1, NAME_2, ... up to NAME_75, of which NAME_2 "
                    "is the neighbour of NAME_1 along x. 1: the body NAME. Units: none.");
}

std::array<unsigned int, 3>
parse_copies(const std::string &text, const std::string &name, const unsigned int dimension,
             const Constants &constants)
{
  const auto values = evaluate_list(text, name, constants);
  std::array<unsigned int, 3> n_copies = {{1, 1, 1}};
  bool is_right = values.size() == dimension || (values.size() == 1 && values[0] == 1);
  for (unsigned int d = 0; is_right && d < values.size(); ++d)
  {
    is_right = values[d] >= 1 && values[d] <= 1000 && values[d] == std::floor(values[d]);
    n_copies[d] = is_right ? values[d] : 1;
  }
  const double n = double(n_copies[0]) * n_copies[1] * n_copies[2];
  AssertThrow(is_right && n <= most_copies,
              ExcMessage("'" + name + "' cannot be '" + text + "'; allowed is 1, or " +
                         std::to_string(dimension) +
                         " integers from 1 to 1000, one for each direction, whose product is up "
                         "to " +
                         std::to_string(most_copies) + "."));
  AssertThrow(n * least_bytes_per_copy <= available_memory(),
              ExcMessage("'" + name + "' cannot be '" + text +
                         "': this many bodies need more than " +
                         number_text(1e-9 * n * least_bytes_per_copy) +
                         " GB of memory, of which there are " +
                         number_text(1e-9 * available_memory()) + "."));
  return n_copies;
}

std::vector<std::string>
BodyGrid::bodies() const
{
  const unsigned int n = n_bodies();
  if (n == 1)
    return {section};
  std::vector<std::string> names;
  for (unsigned int i = 1; i <= n; ++i)
    names.push_back(section + "_" + std::to_string(i));
  return names;
}

template <int dim>
std::vector<BodyParameters<dim>>
BodyParameters<dim>::parse_grid(ParameterHandler &prm, const BodyGrid &grid,
                                const Constants &constants)
{
  BodyParameters<dim> original;
  original.name = original.section = grid.section;
  original.parse_parameters(prm, grid.material_ids, constants);
  const Point<dim> spacing =
      evaluate_point<dim>(prm.get("Spacing"), "Bodies/" + grid.section + "/Spacing", constants);
  std::vector<BodyParameters<dim>> bodies;
  for (const auto &name : grid.bodies())
  {
    unsigned int rest = bodies.size();
    Tensor<1, dim> shift;
    for (unsigned int d = 0; d < dim; ++d)
    {
      shift[d] = rest % grid.n_copies[d] * spacing[d];
      rest /= grid.n_copies[d];
    }
    bodies.push_back(original);
    bodies.back().name = name;
    bodies.back().mesh.shift_by(shift);
    std::vector<double> &centre = bodies.back().rigid.centre;
    for (unsigned int d = 0; d < centre.size(); ++d)
      centre[d] += shift[d];
  }
  return bodies;
}

template std::vector<BodyParameters<2>>
BodyParameters<2>::parse_grid(ParameterHandler &, const BodyGrid &, const Constants &);
template std::vector<BodyParameters<3>>
BodyParameters<3>::parse_grid(ParameterHandler &, const BodyGrid &, const Constants &);
} // namespace KickDrift
