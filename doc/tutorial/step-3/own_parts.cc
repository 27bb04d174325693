// Step 3: a material, a family of kicks and an obstacle of one's own, used from a parameter file.
//
// The program made from this file is `kickdrift` with three more words that a parameter file may
// use: the material 'Mooney-Rivlin', the kicks 'cables', and the obstacle 'torus'. Everything else
// (output, --validate, --set, --compare, ...) is as in `kickdrift`:
//
//   own_parts caught_ball.prm
//   own_parts --print-parameters

#include <kickdrift/base/registry.h>
#include <kickdrift/cases/parameters/kick_maker.h>
#include <kickdrift/cases/parameters/obstacle_parameters.h>
#include <kickdrift/cases/program.h>
#include <kickdrift/deal_ii/body.h>
#include <kickdrift/potentials/materials/template_material.h>
#include <kickdrift/potentials/simple_kicks.h>

#include <deal.II/base/utilities.h>

#include <iostream>

using namespace dealii;

// -- A material -----------------------------------------------------------------------------------

// Compressible Mooney-Rivlin rubber: the energy per reference volume is
//
//   W = c10 (I1 - 3) + c01 (I2 - 3) - 2 (c10 + 2 c01) ln J + (lambda / 2) (ln J)^2
//
// with the invariants I1 = tr C, I2 = (I1^2 - tr C^2) / 2 of C = F^T F, and J = det F. The third
// term keeps the undeformed state free of stress. A material is given the displacement gradient
// H = F - I; a TemplateMaterial is written once for any number type, and evaluated for four cells
// at once.
class MooneyRivlin : public KickDrift::TemplateMaterial<3, MooneyRivlin>
{
public:
  template <typename Number>
  Number
  energy_law(const Tensor<2, 3, Number> &H) const
  {
    using std::log;
    const Tensor<2, 3, Number> F = deformation_gradient(H), C = transpose(F) * F;
    const Number I1 = trace(C), I2 = 0.5 * (I1 * I1 - trace(C * C)), log_J = log(determinant(F));
    return c10 * (I1 - 3.) + c01 * (I2 - 3.) - 2. * (c10 + 2. * c01) * log_J +
           0.5 * lambda * log_J * log_J;
  }

  // Its derivative by H, the first Piola-Kirchhoff stress. If the two do not fit together, the
  // energy balance of every run says so.
  template <typename Number>
  Tensor<2, 3, Number>
  stress_law(const Tensor<2, 3, Number> &H) const
  {
    using std::log;
    const Tensor<2, 3, Number> F = deformation_gradient(H), C = transpose(F) * F;
    const Number I1 = trace(C), log_J = log(determinant(F));
    const Number pressure = lambda * log_J - 2. * (c10 + 2. * c01);
    return (2. * (c10 + c01 * I1)) * F - (2. * c01) * (F * C) + pressure * transpose(invert(F));
  }

  double
  density() const override
  {
    return mass_density;
  }

  // Of pressure waves in the undeformed state, where the Lame parameters are lambda + 4 c01 and
  // 2 (c10 + c01).
  double
  wave_speed() const override
  {
    return std::sqrt((lambda + 4 * c01 + 4 * (c10 + c01)) / mass_density);
  }

  // The parameters of all materials share one subsection: 'Density' is known from the built-in
  // ones, and means the same here, so it need not be declared again.
  static void
  declare_parameters(ParameterHandler &prm)
  {
    prm.declare_entry("c10", "1", Patterns::Double(0), "Mooney-Rivlin: c10. Units: force/area.");
    prm.declare_entry("c01", "0", Patterns::Double(0), "Mooney-Rivlin: c01. Units: force/area.");
    prm.declare_entry("Lame parameter", "1", Patterns::Double(0),
                      "Mooney-Rivlin: resistance to changes of volume. Units: force/area.");
  }

  void
  parse_parameters(ParameterHandler &prm) override
  {
    mass_density = prm.get_double("Density");
    c10 = prm.get_double("c10");
    c01 = prm.get_double("c01");
    lambda = prm.get_double("Lame parameter");
  }

private:
  template <typename Number>
  static Tensor<2, 3, Number>
  deformation_gradient(Tensor<2, 3, Number> H)
  {
    for (unsigned int d = 0; d < 3; ++d)
      H[d][d] += 1.;
    return H;
  }

  double mass_density = 1, c10 = 1, c01 = 0, lambda = 1;
};

// -- A family of kicks ----------------------------------------------------------------------------

// A cable from a node to a fixed point pulls if it is longer than its natural length, and does not
// push if it is shorter: V = (k/2) max(0, l - l_0)^2.
struct Cable
{
  unsigned int node;
  Point<3> anchor;
  double stiffness, length;
};

// A family says how many kicks it has, which nodes they act on, how stiff they are, and what their
// forces and energies are. Clocks, flights between the kicks and the kicks themselves
// are done by the base class. Restraints are taken into account by the stepper.
class Cables : public KickDrift::SimpleKicks<3>
{
public:
  explicit Cables(const std::vector<Cable> &cables) : cables(cables) {}

  // Under this name the kicks are counted in summary.json.
  std::string
  name() const override
  {
    return "cable";
  }

  unsigned int
  n_kicks() const override
  {
    return cables.size();
  }

  std::vector<unsigned int>
  support(const unsigned int k) const override
  {
    return {cables[k].node};
  }

  // The mass of a node is shared among cells and cables by the stiffness that they put on it; from
  // the shares follow the steps of both.
  void
  nodal_stiffness(const unsigned int k, std::vector<double> &stiffness) const override
  {
    stiffness = {cables[k].stiffness};
  }

  void
  force(const KickDrift::NodeTable<3> &nodes, const unsigned int k, const double time,
        std::vector<Vector> &force) const override
  {
    const Cable &cable = cables[k];
    const Tensor<1, 3> extent = cable.anchor - nodes.position_at(cable.node, time);
    const double length = extent.norm();
    force.assign({length > cable.length ? cable.stiffness * (1 - cable.length / length) * extent
                                        : Vector()});
  }

  // What the cables hold belongs to the balance of energy.
  double
  energy(const KickDrift::NodeTable<3> &nodes, const unsigned int k) const override
  {
    const Cable &cable = cables[k];
    const double length = cable.anchor.distance(nodes.position(cable.node));
    return 0.5 * cable.stiffness * std::pow(std::max(0., length - cable.length), 2);
  }

private:
  const std::vector<Cable> cables;
};

// Makes cables from the subsection Kicks/NAME: from every anchor to the nodes of a body nearest to
// it, which share the stiffness. Numbers are expressions of the constants of the file.
class CableMaker : public KickDrift::KickMaker<3>
{
public:
  static void
  declare_parameters(ParameterHandler &prm)
  {
    prm.declare_entry(
        "Anchors", "", Patterns::Anything(),
        "Cables: points 'x, y, z; x, y, z; ...' from which they hang. Units: length.");
    prm.declare_entry("Nodes per anchor", "1", Patterns::Integer(1),
                      "Cables: number of nodes of the first body that each anchor holds.");
    prm.declare_entry("Stiffness", "1", Patterns::Anything(),
                      "Cables: of all cables of an anchor together. Units: force/length.");
    prm.declare_entry("Slack", "0", Patterns::Anything(),
                      "Cables: natural length minus the length at the start. Units: length.");
  }

  void
  parse_parameters(ParameterHandler &prm) override
  {
    anchors = prm.get("Anchors");
    n_nodes = prm.get_integer("Nodes per anchor");
    stiffness = prm.get("Stiffness");
    slack = prm.get("Slack");
  }

  std::shared_ptr<KickDrift::Kicks<3>>
  make(const std::string &section, const KickDrift::Constants &constants,
       const std::vector<const KickDrift::Body<3> *> &bodies,
       const KickDrift::NodeTable<3> &nodes) const override
  {
    const double total = KickDrift::evaluate(stiffness, section + "/Stiffness", constants);
    AssertThrow(total > 0, ExcMessage("'" + section + "/Stiffness' must be positive."));
    std::vector<Cable> cables;
    for (const std::string &text : Utilities::split_string_list(anchors, ';'))
    {
      const auto anchor = KickDrift::evaluate_point<3>(text, section + "/Anchors", constants);
      for (const unsigned int node : nearest_nodes(*bodies.front(), nodes, anchor))
        cables.push_back({node, anchor, total / n_nodes,
                          anchor.distance(nodes.position(node)) +
                              KickDrift::evaluate(slack, section + "/Slack", constants)});
    }
    return std::make_shared<Cables>(cables);
  }

private:
  std::vector<unsigned int>
  nearest_nodes(const KickDrift::Body<3> &body, const KickDrift::NodeTable<3> &nodes,
                const Point<3> &anchor) const
  {
    std::vector<unsigned int> result = body.boundary_nodes();
    const auto nearer = [&](const unsigned int a, const unsigned int b)
    { return anchor.distance(nodes.position(a)) < anchor.distance(nodes.position(b)); };
    std::stable_sort(result.begin(), result.end(), nearer);
    result.resize(std::min<std::size_t>(n_nodes, result.size()));
    return result;
  }

  std::string anchors, stiffness, slack;
  unsigned int n_nodes = 1;
};

// -- An obstacle ----------------------------------------------------------------------------------

// A rigid shape is its signed distance, negative inside. The normal would be found by differences.
class Torus : public KickDrift::Shape<3>
{
public:
  Torus(const Point<3> &centre, const double radius, const double thickness)
      : centre(centre), radius(radius), thickness(thickness)
  {
  }

  double
  distance(const Point<3> &point) const override
  {
    const Tensor<1, 3> r = point - centre;
    return std::hypot(std::hypot(r[0], r[1]) - radius, r[2]) - thickness;
  }

  // Deeper than that, the other side may be nearer.
  double
  depth_limit() const override
  {
    return thickness;
  }

private:
  const Point<3> centre;
  const double radius, thickness;
};

// 'Centre' and 'Radius' are entries of the built-in sphere already.
class TorusMaker : public KickDrift::ShapeMaker<3>
{
public:
  static void
  declare_parameters(ParameterHandler &prm)
  {
    prm.declare_entry("Thickness", "0.1", Patterns::Anything(),
                      "Torus: radius of the tube around the circle with 'Centre' and 'Radius' in "
                      "the plane of x and y; an expression of constants. Units: length.");
  }

  void
  parse_parameters(ParameterHandler &prm) override
  {
    centre = prm.get("Centre");
    radius = prm.get("Radius");
    thickness = prm.get("Thickness");
  }

  std::shared_ptr<const KickDrift::Shape<3>>
  make(const std::string &section, const KickDrift::Constants &constants) const override
  {
    using namespace KickDrift;
    return std::make_shared<Torus>(evaluate_point<3>(centre, section + "/Centre", constants),
                                   evaluate(radius, section + "/Radius", constants),
                                   evaluate(thickness, section + "/Thickness", constants));
  }

private:
  std::string centre, radius, thickness;
};

// -- The program ----------------------------------------------------------------------------------

// A name, and a line of help that --print-parameters shows. Then all is as in `kickdrift`.
int
main(int argc, char **argv)
{
  using namespace KickDrift;
  Registry<Material<3>>::add<MooneyRivlin>("Mooney-Rivlin", "rubber, with c10, c01 and lambda.");
  Registry<KickMaker<3>>::add<CableMaker>("cables", "cables that pull and do not push.");
  Registry<ShapeMaker<3>>::add<TorusMaker>("torus", "a ring that lies in the plane of x and y.");
  return run_program({argv + 1, argv + argc}, std::cout, std::cerr);
}
