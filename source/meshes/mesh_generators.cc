#include <kickdrift/base/messages.h>
#include <kickdrift/base/registry.h>
#include <kickdrift/meshes/mesh.h>

#include "surface_generators.h"

#include <deal.II/base/patterns.h>
#include <deal.II/base/utilities.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/grid_tools.h>
#include <deal.II/grid/manifold_lib.h>

#include <cmath>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// Positive number from an expression.
double
evaluate_positive(const std::string &expression, const std::string &name,
                  const Constants &constants)
{
  const double value = evaluate(expression, name, constants);
  AssertThrow(value > 0, ExcMessage("Parameter '" + name + "': '" + expression + "' is " +
                                    number_text(value) + " but must be positive."));
  return value;
}

template <int dim>
std::string
zeros()
{
  return dim == 2 ? "0, 0" : "0, 0, 0";
}

template <int dim>
class BoxGenerator : public MeshGenerator<dim>
{
public:
  static void
  declare_parameters(ParameterHandler &prm)
  {
    prm.declare_entry(
        "Lower corner", zeros<dim>(), Patterns::Anything(),
        "Box: coordinates of the lower corner; expressions of constants. Units: length.");
    prm.declare_entry(
        "Upper corner", dim == 2 ? "1, 1" : "1, 1, 1", Patterns::Anything(),
        "Box: coordinates of the upper corner; expressions of constants. Units: length.");
    prm.declare_entry(
        "Subdivisions", dim == 2 ? "1, 1" : "1, 1, 1", Patterns::Anything(),
        "Box: number of cells per direction; expressions of constants. The sides have the "
        "boundary ids 0 and 1 (lower and upper in x), 2 and 3 (y), 4 and 5 (z).");
  }

  void
  parse_parameters(ParameterHandler &prm) override
  {
    lower = prm.get("Lower corner");
    upper = prm.get("Upper corner");
    subdivisions = prm.get("Subdivisions");
    simplices = prm.get("Cell type") == "simplices";
  }

  MeshNames
  make_surface(Triangulation<2, 3> &triangulation, const Constants &constants) const override
  {
    if constexpr (dim == 3)
    {
      const auto p = evaluate_point<dim>(lower, this->full_name("Lower corner"), constants);
      const auto q = evaluate_point<dim>(upper, this->full_name("Upper corner"), constants);
      unsigned int n_flat = 0;
      for (unsigned int d = 0; d < dim; ++d)
        n_flat += p[d] == q[d];
      check_corners(p, q, n_flat == 1);
      const auto n = parse_subdivisions(constants);
      make_box_surface(p, q, {{n[0], n[1], n[2]}}, triangulation);
    }
    return {};
  }

  void
  make(Triangulation<dim> &triangulation, const Constants &constants) const override
  {
    const auto p = evaluate_point<dim>(lower, this->full_name("Lower corner"), constants);
    const auto q = evaluate_point<dim>(upper, this->full_name("Upper corner"), constants);
    check_corners(p, q, false);
    const auto n = parse_subdivisions(constants);
    if (!simplices)
      GridGenerator::subdivided_hyper_rectangle(triangulation, n, p, q, true);
    else
    {
      GridGenerator::subdivided_hyper_rectangle_with_simplices(triangulation, n, p, q);
      colorize(triangulation, p, q);
    }
  }

private:
  void
  check_corners(const Point<dim> &p, const Point<dim> &q, const bool may_be_flat) const
  {
    for (unsigned int d = 0; d < dim; ++d)
      AssertThrow(p[d] < q[d] || (may_be_flat && p[d] == q[d]),
                  ExcMessage("Parameter '" + this->full_name("Upper corner") + "': '" + upper +
                             "' is not above the lower corner '" + lower + "' in direction " +
                             std::to_string(d) + "."));
  }

  /// Boundary ids as for hypercubes; deal.II 9.4 does not have them for simplices.
  static void
  colorize(Triangulation<dim> &triangulation, const Point<dim> &p, const Point<dim> &q)
  {
    for (const auto &face : triangulation.active_face_iterators())
      if (face->at_boundary())
        for (unsigned int d = 0; d < dim; ++d)
        {
          const double x = (face->center()[d] - p[d]) / (q[d] - p[d]);
          if (std::abs(x) < 1e-10)
            face->set_boundary_id(2 * d);
          else if (std::abs(x - 1) < 1e-10)
            face->set_boundary_id(2 * d + 1);
        }
  }

  std::vector<unsigned int>
  parse_subdivisions(const Constants &constants) const
  {
    const auto values =
        evaluate_point<dim>(subdivisions, this->full_name("Subdivisions"), constants);
    std::vector<unsigned int> result;
    double n_cells = 1;
    for (unsigned int d = 0; d < dim; ++d)
    {
      const double rounded = std::round(values[d]);
      AssertThrow(rounded >= 1 && std::abs(values[d] - rounded) < 1e-9 * rounded,
                  ExcMessage("Parameter '" + this->full_name("Subdivisions") + "': in '" +
                             subdivisions + "' entry " + std::to_string(d) + " is " +
                             number_text(values[d]) + " but must be a positive integer."));
      n_cells *= rounded;
      check_n_cells(n_cells, this->full_name("Subdivisions"), subdivisions);
      result.push_back(static_cast<unsigned int>(rounded));
    }
    return result;
  }

  std::string lower, upper, subdivisions;
  bool simplices = false;
};

template <int dim>
class FileGenerator : public MeshGenerator<dim>
{
public:
  static void
  declare_parameters(ParameterHandler &prm)
  {
    prm.declare_entry("File", "", Patterns::FileName(),
                      "File: name of a mesh file, relative to the parameter file. The format "
                      "follows from the suffix: Gmsh (.msh), Abaqus or UCD (.inp), UCD (.ucd), VTK "
                      "(.vtk), UNV (.unv), LS-DYNA (.k, .key, .dyn).");
  }
  void
  parse_parameters(ParameterHandler &prm) override
  {
    file = prm.get("File");
  }
  void
  make(Triangulation<dim> &triangulation, const Constants &constants) const override
  {
    make_with_names(triangulation, constants);
  }
  MeshNames
  make_with_names(Triangulation<dim> &triangulation, const Constants &) const override
  {
    return read_mesh_file(checked_name(), triangulation);
  }
  MeshNames
  make_surface(Triangulation<2, 3> &triangulation, const Constants &) const override
  {
    return read_mesh_file(checked_name(), triangulation);
  }

private:
  const std::string &
  checked_name() const
  {
    AssertThrow(!file.empty(), ExcMessage("Parameter '" + this->full_name("File") +
                                          "' is empty, but generator 'file' needs a mesh file."));
    return file;
  }

  std::string file;
};

/// Centre and radius, which balls and cylinders have in common.
template <int dim>
class RoundGenerator : public MeshGenerator<dim>
{
public:
  static void
  declare_parameters(ParameterHandler &prm)
  {
    prm.declare_entry("Centre", zeros<dim>(), Patterns::Anything(),
                      "Ball and cylinder: coordinates of the centre; expressions of constants. "
                      "Units: length.");
    prm.declare_entry("Radius", "1", Patterns::Anything(),
                      "Ball and cylinder: radius, an expression of constants. Units: length.");
  }
  void
  parse_parameters(ParameterHandler &prm) override
  {
    centre = prm.get("Centre");
    radius = prm.get("Radius");
  }

protected:
  std::string centre, radius;
};

template <int dim>
class BallGenerator : public RoundGenerator<dim>
{
public:
  void
  make(Triangulation<dim> &triangulation, const Constants &constants) const override
  {
    GridGenerator::hyper_ball(
        triangulation, evaluate_point<dim>(this->centre, this->full_name("Centre"), constants),
        evaluate_positive(this->radius, this->full_name("Radius"), constants));
  }
  MeshNames
  make_surface(Triangulation<2, 3> &triangulation, const Constants &constants) const override
  {
    if constexpr (dim == 3)
      make_sphere(evaluate_point<dim>(this->centre, this->full_name("Centre"), constants),
                  evaluate_positive(this->radius, this->full_name("Radius"), constants),
                  triangulation);
    return {};
  }
};

template <int dim>
class CylinderGenerator : public RoundGenerator<dim>
{
public:
  static void
  declare_parameters(ParameterHandler &prm)
  {
    RoundGenerator<dim>::declare_parameters(prm);
    prm.declare_entry(
        "Length", "1", Patterns::Anything(),
        "Cylinder: length along x, an expression of constants. The hull has boundary id "
        "0, the lower end in x 1, the upper end 2. Units: length.");
  }
  void
  parse_parameters(ParameterHandler &prm) override
  {
    RoundGenerator<dim>::parse_parameters(prm);
    length = prm.get("Length");
  }
  void
  make(Triangulation<dim> &triangulation, const Constants &constants) const override
  {
    GridGenerator::cylinder(triangulation,
                            evaluate_positive(this->radius, this->full_name("Radius"), constants),
                            evaluate_positive(length, this->full_name("Length"), constants) / 2);
    const auto centre = evaluate_point<dim>(this->centre, this->full_name("Centre"), constants);
    GridTools::shift(centre, triangulation);
    if constexpr (dim == 3)
      triangulation.set_manifold(0, CylindricalManifold<3>(Tensor<1, 3>({1, 0, 0}), centre));
  }
  MeshNames
  make_surface(Triangulation<2, 3> &triangulation, const Constants &constants) const override
  {
    if constexpr (dim == 3)
      make_tube(evaluate_point<dim>(this->centre, this->full_name("Centre"), constants),
                evaluate_positive(this->radius, this->full_name("Radius"), constants),
                evaluate_positive(length, this->full_name("Length"), constants), triangulation);
    return {};
  }

private:
  std::string length;
};

/// Any function of deal.II's GridGenerator.
template <int dim>
class NamedGenerator : public MeshGenerator<dim>
{
public:
  static void
  declare_parameters(ParameterHandler &prm)
  {
    prm.declare_entry("Name", "hyper_cube", Patterns::Anything(),
                      "Grid generator: name of a function of deal.II's GridGenerator.");
    prm.declare_entry(
        "Arguments", "0 : 1 : false", Patterns::Anything(),
        "Grid generator: its arguments after the triangulation, separated by colons; the "
        "coordinates of points are separated by commas. Numbers may be expressions of constants.");
  }
  void
  parse_parameters(ParameterHandler &prm) override
  {
    function = prm.get("Name");
    arguments = prm.get("Arguments");
  }
  void
  make(Triangulation<dim> &triangulation, const Constants &constants) const override
  {
    const std::string values = values_of_arguments(constants);
    check_subdivisions(values);
    try
    {
      GridGenerator::generate_from_name_and_arguments(triangulation, function, values);
    }
    catch (const ExceptionBase &error)
    {
      AssertThrow(false,
                  ExcMessage("Parameters '" + this->full_name("Name") +
                             "' and 'Arguments': GridGenerator::" + function + " with arguments '" +
                             arguments + "' failed: " + message_of(error)));
    }
  }

private:
  /// The arguments with numbers in place of expressions.
  std::string
  values_of_arguments(const Constants &constants) const
  {
    std::string values, item;
    const auto add_item = [&]
    {
      const std::string word = Utilities::trim(item);
      const bool is_plain =
          word.empty() || Patterns::Double().match(word) || Patterns::Bool().match(word);
      values += is_plain ? item
                         : exact_text(without_rounding(
                               evaluate(word, this->full_name("Arguments"), constants)));
      item.clear();
    };
    int depth = 0;
    for (const char c : arguments)
    {
      depth += (c == '(') - (c == ')');
      // what separates arguments, and parts of them, in deal.II's texts of tuples and lists
      if (depth == 0 && std::string(":,;|%").find(c) != std::string::npos)
      {
        add_item();
        values += c;
      }
      else
        item += c;
    }
    add_item();
    return values;
  }

  /// deal.II makes as many cells as it is told to: the first argument of subdivided_*() functions.
  void
  check_subdivisions(const std::string &values) const
  {
    if (function.rfind("subdivided_", 0) != 0)
      return;
    const auto counts = Utilities::split_string_list(values.substr(0, values.find(':')), ',');
    double n_cells = 1;
    for (const auto &count : counts)
      if (Patterns::Integer().match(count)) // deal.II takes negative numbers as very large ones
        n_cells *= static_cast<unsigned int>(Utilities::string_to_int(count));
    check_n_cells(function == "subdivided_hyper_cube" ? std::pow(n_cells, dim) : n_cells,
                  this->full_name("Arguments"), arguments);
  }

  std::string function, arguments;
};

template <int dim>
bool
register_generators()
{
  using Generators = Registry<MeshGenerator<dim>>;
  return Generators::template add<BoxGenerator<dim>>("box", "A box with axis-parallel edges.") &&
         Generators::template add<FileGenerator<dim>>("file", "A mesh file.") &&
         Generators::template add<BallGenerator<dim>>("ball", "A ball.") &&
         Generators::template add<CylinderGenerator<dim>>(
             "cylinder", "A cylinder along x; a rectangle in two dimensions.") &&
         Generators::template add<NamedGenerator<dim>>("grid generator",
                                                       "A function of deal.II's GridGenerator.");
}
} // namespace

void
register_mesh_generators()
{
  static const bool done = register_generators<2>() && register_generators<3>();
  (void)done;
}
} // namespace KickDrift
