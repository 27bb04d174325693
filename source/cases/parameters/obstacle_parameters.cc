#include <kickdrift/base/expressions.h>
#include <kickdrift/base/messages.h>
#include <kickdrift/base/registry.h>
#include <kickdrift/cases/input/amplitude.h>
#include <kickdrift/cases/parameters/obstacle_parameters.h>

#include <deal.II/base/function.h>
#include <deal.II/physics/transformations.h>

#include <cmath>
#include <limits>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// Entries of one kind of shape, kept as texts until the constants are known.
template <int dim>
class TextShapeMaker : public ShapeMaker<dim>
{
protected:
  struct Entry
  {
    std::string name, text;
  };

  void
  keep(ParameterHandler &prm, Entry &entry, const std::string &name) const
  {
    entry = {name, prm.get(name)};
  }

  static Point<dim>
  point(const Entry &entry, const std::string &section, const Constants &constants)
  {
    return evaluate_point<dim>(entry.text, section + "/" + entry.name, constants);
  }

  static Tensor<1, dim>
  direction(const Entry &entry, const std::string &section, const Constants &constants)
  {
    const Tensor<1, dim> vector = point(entry, section, constants);
    AssertThrow(vector.norm() > 0,
                ExcMessage("'" + section + "/" + entry.name + "': '" + entry.text +
                           "' has no direction; it must not be "
                           "zero."));
    return vector;
  }

  static double
  number(const Entry &entry, const std::string &section, const Constants &constants)
  {
    return evaluate(entry.text, section + "/" + entry.name, constants);
  }

  static double
  positive(const Entry &entry, const std::string &section, const Constants &constants)
  {
    const double value = number(entry, section, constants);
    AssertThrow(value > 0, ExcMessage("'" + section + "/" + entry.name + "' is " +
                                      number_text(value) + " but must be positive."));
    return value;
  }
};

template <int dim>
const char *
zero_point()
{
  return dim == 2 ? "0, 0" : "0, 0, 0";
}

template <int dim>
class PlaneMaker : public TextShapeMaker<dim>
{
public:
  static void
  declare_parameters(ParameterHandler &prm)
  {
    prm.declare_entry("Point", zero_point<dim>(), Patterns::Anything(),
                      "Plane: a point of it; expressions of constants. Units: length.");
    prm.declare_entry("Normal", dim == 2 ? "0, 1" : "0, 0, 1", Patterns::Anything(),
                      "Plane: vector that points out of the obstacle, of any length; expressions "
                      "of constants. Units: none.");
  }

  void
  parse_parameters(ParameterHandler &prm) override
  {
    this->keep(prm, origin, "Point");
    this->keep(prm, normal, "Normal");
  }

  std::shared_ptr<const Shape<dim>>
  make(const std::string &section, const Constants &constants) const override
  {
    return std::make_shared<HalfSpace<dim>>(this->point(origin, section, constants),
                                            this->direction(normal, section, constants));
  }

private:
  typename TextShapeMaker<dim>::Entry origin, normal;
};

template <int dim>
class SphereMaker : public TextShapeMaker<dim>
{
public:
  static void
  declare_parameters(ParameterHandler &prm)
  {
    prm.declare_entry("Centre", zero_point<dim>(), Patterns::Anything(),
                      "Sphere and cylinder: the centre; expressions of constants. Units: length.");
    prm.declare_entry(
        "Radius", "1", Patterns::Anything(),
        "Sphere and cylinder: the radius, an expression of constants. Units: length.");
  }

  void
  parse_parameters(ParameterHandler &prm) override
  {
    this->keep(prm, centre, "Centre");
    this->keep(prm, radius, "Radius");
  }

  std::shared_ptr<const Shape<dim>>
  make(const std::string &section, const Constants &constants) const override
  {
    return std::make_shared<Ball<dim>>(this->point(centre, section, constants),
                                       this->positive(radius, section, constants));
  }

protected:
  typename TextShapeMaker<dim>::Entry centre, radius;
};

class CylinderMaker : public SphereMaker<3>
{
public:
  static void
  declare_parameters(ParameterHandler &prm)
  {
    SphereMaker<3>::declare_parameters(prm);
    prm.declare_entry("Axis", "0, 0, 1", Patterns::Anything(),
                      "Cylinder: vector along its axis, of any length; expressions of constants. "
                      "Units: none.");
    prm.declare_entry("Length", "0", Patterns::Anything(),
                      "Cylinder: length, the centre is in the middle; an expression of constants. "
                      "0: without ends. Units: length.");
  }

  void
  parse_parameters(ParameterHandler &prm) override
  {
    SphereMaker<3>::parse_parameters(prm);
    keep(prm, axis, "Axis");
    keep(prm, length, "Length");
  }

  std::shared_ptr<const Shape<3>>
  make(const std::string &section, const Constants &constants) const override
  {
    const double l = number(length, section, constants);
    AssertThrow(l >= 0, ExcMessage("'" + section + "/Length' is " + number_text(l) +
                                   " but must be positive, or 0 for a cylinder without ends."));
    return std::make_shared<Cylinder>(
        point(centre, section, constants), direction(axis, section, constants),
        positive(radius, section, constants), l > 0 ? l : std::numeric_limits<double>::infinity());
  }

private:
  Entry axis, length;
};

template <int dim>
class BoxMaker : public TextShapeMaker<dim>
{
public:
  static void
  declare_parameters(ParameterHandler &prm)
  {
    prm.declare_entry("Lower corner", zero_point<dim>(), Patterns::Anything(),
                      "Box: its lower corner before it is turned; expressions of constants. Units: "
                      "length.");
    prm.declare_entry("Upper corner", dim == 2 ? "1, 1" : "1, 1, 1", Patterns::Anything(),
                      "Box: its upper corner before it is turned; expressions of constants. Units: "
                      "length.");
    if (dim == 3)
      prm.declare_entry("Turn about", "0, 0, 1", Patterns::Anything(),
                        "Box: axis through its centre about which it is turned; expressions of "
                        "constants. Units: none.");
    prm.declare_entry("Turn by", "0", Patterns::Anything(),
                      "Box: angle by which it is turned, counter-clockwise; an expression of "
                      "constants. Units: radians.");
  }

  void
  parse_parameters(ParameterHandler &prm) override
  {
    this->keep(prm, lower, "Lower corner");
    this->keep(prm, upper, "Upper corner");
    if (dim == 3)
      this->keep(prm, axis, "Turn about");
    this->keep(prm, angle, "Turn by");
  }

  std::shared_ptr<const Shape<dim>>
  make(const std::string &section, const Constants &constants) const override
  {
    const auto p = this->point(lower, section, constants);
    const auto q = this->point(upper, section, constants);
    const auto turn = rotation(section, constants);
    std::array<double, dim> half_lengths;
    std::array<Tensor<1, dim>, dim> directions;
    for (unsigned int d = 0; d < dim; ++d)
    {
      AssertThrow(p[d] < q[d], ExcMessage("'" + section + "/Upper corner': '" + upper.text +
                                          "' is not above the lower corner '" + lower.text +
                                          "' in direction " + std::to_string(d) + "."));
      half_lengths[d] = (q[d] - p[d]) / 2;
      directions[d] = turn * Tensor<1, dim>(Point<dim>::unit_vector(d));
    }
    return std::make_shared<Cuboid<dim>>(Point<dim>((p + q) / 2), half_lengths, directions);
  }

private:
  Tensor<2, dim>
  rotation(const std::string &section, const Constants &constants) const
  {
    const double alpha = this->number(angle, section, constants);
    if constexpr (dim == 2)
      return Physics::Transformations::Rotations::rotation_matrix_2d(alpha);
    else
    {
      const Tensor<1, 3> about = this->direction(axis, section, constants);
      return Physics::Transformations::Rotations::rotation_matrix_3d(
          Tensor<1, 3>(about / about.norm()), alpha);
    }
  }

  typename TextShapeMaker<dim>::Entry lower, upper, axis, angle;
};

template <int dim>
void
register_shapes_of_dimension()
{
  using Shapes = Registry<ShapeMaker<dim>>;
  Shapes::template add<PlaneMaker<dim>>("plane", "all that is behind a plane.");
  Shapes::template add<SphereMaker<dim>>("sphere", "a sphere, in two dimensions a disc.");
  Shapes::template add<BoxMaker<dim>>("box", "a box, turned by an angle.");
}

std::optional<double>
parse_coefficient(ParameterHandler &prm, const std::string &name, const std::string &section,
                  const Constants &constants, const double largest)
{
  const std::string text = prm.get(name);
  if (text.empty())
    return {};
  const double value = evaluate(text, section + "/" + name, constants);
  AssertThrow(value >= 0 && value <= largest,
              ExcMessage("'" + section + "/" + name + "' cannot be " + number_text(value) +
                         "; allowed is " + (largest == 1 ? "0 to 1." : "0 or more.")));
  return value;
}
} // namespace

void
register_built_in_shapes()
{
  static const bool once = []
  {
    register_shapes_of_dimension<2>();
    register_shapes_of_dimension<3>();
    return Registry<ShapeMaker<3>>::add<CylinderMaker>("cylinder", "a circular cylinder.");
  }();
  (void)once;
}

template <int dim>
void
ObstacleParameters<dim>::declare_parameters(ParameterHandler &prm)
{
  register_built_in_shapes();
  using Shapes = Registry<ShapeMaker<dim>>;
  prm.declare_entry("Shape", "plane", Patterns::Selection(Shapes::names()), Shapes::help());
  Shapes::declare_parameters(prm);
  prm.declare_entry("Bodies inside", "false", Patterns::Bool(),
                    "Whether bodies move within the shape, which then is a container.");
  prm.declare_entry("Displacement", "", Patterns::Anything(),
                    "Components of the displacement of the whole obstacle, expressions of time t "
                    "and the constants, separated by semicolons. Empty: it stays where it is. "
                    "Units: length.");
  declare_amplitude(prm, "Displacement");
  prm.declare_entry("Largest acceleration", "", Patterns::Anything(),
                    "Bound of the acceleration of the displacement at all times, an expression of "
                    "constants. Used, and needed, for obstacles whose displacement depends on t, "
                    "in cases with detection (section Detection) only: it says where they may be "
                    "later. 0 is right for those that move straight at constant speed. Units: "
                    "length/time^2.");
  prm.declare_entry("Friction", "", Patterns::Anything(),
                    "Coefficient of friction with all bodies, an expression of constants. Empty: "
                    "as 'Contact/Friction'. 'Contact/Friction of pairs' goes before it. Units: "
                    "none.");
  prm.declare_entry("Restitution", "", Patterns::Anything(),
                    "Coefficient of restitution with all bodies, an expression of constants. "
                    "Empty: as 'Contact/Restitution'. 'Contact/Restitution of pairs' goes before "
                    "it. Units: none.");
}

template <int dim>
void
ObstacleParameters<dim>::parse_parameters(ParameterHandler &prm, const Constants &constants)
{
  const std::string section = "Obstacles/" + obstacle.name;
  obstacle.shape =
      Registry<ShapeMaker<dim>>::create(prm.get("Shape"), prm)->make(section, constants);
  if (prm.get_bool("Bodies inside"))
    obstacle.shape = std::make_shared<Outside<dim>>(obstacle.shape);
  const std::string text = prm.get("Displacement");
  bool moves = false;
  if (text.empty())
  {
    AssertThrow(prm.get("Amplitude").empty() && prm.get("Amplitude file").empty(),
                ExcMessage("'" + section + "' has an amplitude but no 'Displacement' to scale."));
  }
  else
  {
    const std::string name = section + "/Displacement";
    const std::shared_ptr<Function<dim>> unscaled =
        std::make_shared<FiniteFunction<dim>>(make_function<dim>(text, dim, name, constants), name);
    const auto function = with_amplitude<dim>(prm, section, constants, unscaled);
    moves = mentions(text, "t") || function != unscaled;
    obstacle.displacement = [function](const double time)
    {
      function->set_time(time);
      Tensor<1, dim> displacement;
      for (unsigned int d = 0; d < dim; ++d)
        displacement[d] = function->value(Point<dim>(), d);
      return displacement;
    };
  }
  obstacle.largest_acceleration = parse_coefficient(prm, "Largest acceleration", section, constants,
                                                    std::numeric_limits<double>::max());
  // what is displaced once and for all, or not at all, does not move
  if (!moves)
    obstacle.largest_acceleration = 0;
  friction =
      parse_coefficient(prm, "Friction", section, constants, std::numeric_limits<double>::max());
  restitution = parse_coefficient(prm, "Restitution", section, constants, 1.);
}

template struct ObstacleParameters<2>;
template struct ObstacleParameters<3>;
} // namespace KickDrift
