#include <kickdrift/base/parameter_table.h>
#include <kickdrift/contact/contact_exceptions.h>
#include <kickdrift/contact/parameters.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/utilities.h>

#include <algorithm>
#include <limits>
#include <set>

namespace KickDrift
{
using namespace dealii;

namespace
{
const EnumNames<Schedule> schedules({{Schedule::synchronous, "synchronous"},
                                     {Schedule::constant, "constant"},
                                     {Schedule::adaptive, "adaptive"}});
const EnumNames<Response> responses({{Response::automatic, "automatic"},
                                     {Response::reflect, "reflect"},
                                     {Response::records, "records"},
                                     {Response::layers, "layers"}});
const EnumNames<LayerShape> layer_shapes({{LayerShape::cubic, "cubic"},
                                          {LayerShape::quadratic, "quadratic"}});
const EnumNames<ContactSolver> solvers({{ContactSolver::sequential, "sequential"},
                                        {ContactSolver::coupled, "coupled"}});
const EnumNames<OverlapRule> overlap_rules({{OverlapRule::refuse, "refuse"},
                                            {OverlapRule::ignore, "ignore"},
                                            {OverlapRule::resolve, "resolve"}});
const EnumNames<Edges>
    kinds_of_edges({{Edges::none, "none"}, {Edges::feature, "feature"}, {Edges::all, "all"}});

/// Reads "left:right = 0.3, block:floor = 0.5".
std::vector<ValueOfPair>
parse_pairs(const std::string &text, const std::string &entry, const double largest,
            const Constants &constants)
{
  const std::string name = "Contact/" + entry;
  std::vector<ValueOfPair> pairs;
  std::set<std::pair<std::string, std::string>> seen;
  for (const std::string &item : Utilities::split_string_list(text, ','))
  {
    if (item.empty())
      continue;
    const auto sides = Utilities::split_string_list(item, '=');
    const auto bodies = Utilities::split_string_list(sides[0], ':');
    AssertThrow(sides.size() == 2 && bodies.size() == 2 && !bodies[0].empty() &&
                    !bodies[1].empty() && !sides[1].empty(),
                ExcMessage(name + ": '" + item +
                           "' is not understood; write 'body:body = number', pairs separated by "
                           "commas."));
    const double value = evaluate(sides[1], name, constants);
    AssertThrow(value >= 0 && value <= largest,
                ExcMessage(name + ": " + sides[1] + " for '" + sides[0] + "' cannot be; allowed " +
                           (largest == 1. ? "is 0 to 1." : "is 0 or more.")));
    AssertThrow(seen.insert(std::minmax(bodies[0], bodies[1])).second,
                ExcMessage(name + ": the pair '" + sides[0] + "' is given twice."));
    pairs.push_back({bodies[0], bodies[1], value});
  }
  return pairs;
}
/// Entries that are lists.
struct Texts
{
  bool allows_overlap = false;
  std::string restitution_of_pairs, friction_of_pairs, exclude;
};

void
list(ContactParameters &contact, Texts &texts, ParameterTable table)
{
  table.add("Enabled", contact.enabled,
            "Whether bodies touch each other, themselves and obstacles; false: they pass through "
            "each other.");
  table.add(
      "Response", contact.response, responses,
      "'automatic': 'records', or 'reflect' if something of the papers is asked for: "
      "'Reference/Projection', 'Solver' = coupled, 'Schedule' = constant. 'records': what touches "
      "is remembered, what has no record is outside, and is met exactly where its flight first "
      "crosses a surface, however thin. Gaps close but do not pass until the next kick; a contact "
      "bears exactly what presses it, and gives what stopping a node has taken back when it opens. "
      "Of the section Reference 'Zone layers' and 'Feature angle' have a say. "
      "'reflect': the methods of the papers, to compare with, for solid bodies that can deform, "
      "and "
      "obstacles, but not for bodies that touch themselves: the "
      "gap rate is reversed (decomposition contact response, as in the papers): right for impacts, "
      "but static forces come out too small, with damping by half and more. "
      "'layers': penalty layers around all surfaces, each on a clock of its own, of "
      "which as many wake as are needed (Vouga et al. 2011): nothing ever passes through anything "
      "(obstacles meet nodes only), "
      "momentum is exact and the energy does not drift; surfaces stay up to twice "
      "'Layers/Thickness' apart, and friction brakes but does not hold. All nodes are tested "
      "against faces and obstacles, and all edges against edges, when bounds of their motion say "
      "so: the section Reference, 'Edges' and 'Points per face' have no say. "
      "Shells are as thick as 'Bodies/.../Thickness' says with all but 'layers'.");
  table.add("Restitution", contact.restitution, Patterns::Double(0, 1),
            "Coefficient of restitution e of the points that meet: their speed of separation "
            "over that of approach, contact by contact. It is not the rebound of whole "
            "bodies: an elastic ball returns with nearly all of its speed for any e, as its "
            "energy is in its cells meanwhile; damp it with 'Damping' of the body. Units: "
            "none.");
  table.add("Restitution of pairs", texts.restitution_of_pairs,
            "Restitution of single pairs of bodies, separated by commas: "
            "'left:right = 0.5, block:floor = 0.8'. All others have 'Restitution'.");
  table.add("Friction", contact.friction, Patterns::Double(0),
            "Coulomb's coefficient of friction: largest tangential over normal force; for "
            "sticking and sliding alike. Units: none.");
  table.add("Friction of pairs", texts.friction_of_pairs,
            "Friction of single pairs of bodies, separated by commas: "
            "'left:right = 0.3, block:floor = 0.5'. All others have 'Friction'.");
  table.add(
      "Edges", contact.edges, kinds_of_edges,
      "Which edges of the boundary are tested against edges, in 3D: bodies that meet "
      "edge on edge pass through each other if only nodes are tested against faces. "
      "'all': also edges between faces that are nearly or exactly in one plane, so that not "
      "even these pass through each other between nodes. 'feature': convex edges where the "
      "undeformed surface bends by 'Reference/Feature angle' or more, and all of shells; with "
      "'Response' = records one of two edges that meet has to be one of these. Takes a third "
      "of the time where faces lie flush on each other. 'none' is for bodies whose rims do "
      "not meet: nodes alone slip over the rim of another body.");
  table.add("Points per face", contact.points_per_face, Patterns::Integer(0, 10),
            "Number n of points along each direction of a boundary face that are tested "
            "beside its nodes, for coarse meshes: n^2 on a quadrilateral or triangle, n on "
            "a segment. Units: none.");
  table.add("Initial overlap", contact.initial_overlap, overlap_rules,
            "What to do with bodies that overlap at the start by more than 1e-6 of the size of a "
            "face. 'refuse': it is an error. 'ignore': run, and let them be; penalty layers become "
            "thinner. 'resolve': interference fits. Nodes that are inside of another body are "
            "pushed out, evenly in the course of 'Overlap time', by contacts with friction; the "
            "work of that is prescribed_work of statistics.csv. Needs 'Response' = records.");
  table.add("Overlap time", contact.overlap_time, Patterns::Double(0),
            "With 'Initial overlap' = resolve: how long that takes. 0: about as long as waves take "
            "to pass ten times through all there is. Units: time.");
  table.add("Allow initial overlap", texts.allows_overlap,
            "Former name: true is 'Initial overlap' = resolve where 'Response' is, or becomes, "
            "records, and otherwise ignore.");
  table.add(
      "Exclude", texts.exclude,
      "What does not take part in contact, separated by commas: 'no self' (bodies do "
      "not touch themselves), 'left:right' (these two bodies do not touch each other; "
      "'left:left': no self contact of this one), 'left:7' (boundary id 7 of this "
      "body; or a name from the mesh file; what cells bare that are deleted is on no boundary). It "
      "also holds for 'Detection'.");
}

/// What papers compare.
void
list_reference(ContactParameters &contact, ParameterTable table)
{
  table.add("Schedule", contact.schedule, schedules,
            "When a surface node is tested next. 'synchronous': at every step of the "
            "finest clock. 'constant': after the smallest critical step of the cells "
            "around it. 'adaptive': after the smaller of 'Maximum step' and 'Step factor' "
            "times its length over its speed (Wolff & Bucher 2013). With contact zones, "
            "tests come halfway between kicks, at every step while a contact lasts.");
  table.add("Step factor", contact.step_factor, Patterns::Double(1e-6),
            "Factor alpha of the adaptive schedule. Units: none.");
  table.add("Maximum step", contact.maximum_step, Patterns::Double(1e-6),
            "Longest time between two tests of a node, in average critical steps of all "
            "cells. Units: none.");
  table.add("Solver", contact.solver, solvers,
            "How contacts of one instant are answered. 'sequential': one after the other. "
            "'coupled': all at once, so that none undoes what another one did. Redundant "
            "contacts do no harm. Needs 'Response' = reflect or automatic, "
            "'Schedule' = synchronous and one step for all cells (Cirak & "
            "West 2005).");
  table.add("Projection", contact.projection,
            "Whether contacts of a synchronous step are answered as in a "
            "predictor-corrector scheme (Cirak & West 2005): at the positions of the next "
            "kick, after nodes in contact have been moved to the nearest positions without "
            "penetration, both sides in inverse proportion to their masses; velocities "
            "before the kick are reflected. Lasting contact is "
            "smooth then. The work of the projection is the column projection_work of "
            "statistics.csv; on average, the impulses take it back. Needs 'Response' = reflect or "
            "automatic, 'Schedule = "
            "synchronous', one step for all cells and 'Restitution' = 1. false: contacts are "
            "answered halfway between kicks, and nothing is moved.");
  table.add("Zone layers", contact.zone_layers, Patterns::Integer(0, 1),
            "Layers of cells around an active contact that share one clock, so that it is "
            "answered halfway between their kicks. 0 switches zones off: the papers' "
            "schedules, with the energy errors that come with them. Only with clocks 'one' "
            "and 'nested'. Units: none.");
  table.add("Feature angle", contact.feature_angle, Patterns::Double(0, 180),
            "Smallest angle between the normals of the two undeformed faces of a feature "
            "edge. Units: degrees.");
}

void
list(LayerParameters &layers, ParameterTable table)
{
  table.add(
      "Thickness", layers.thickness, Patterns::Double(0),
      "With 'Response' = layers: half the distance eta at which surfaces begin to repel each "
      "other, and half the thickness of the layers; they stay up to 2 eta apart; of shells the "
      "middle surfaces count. 0: eta is a sixth of the shortest edge of a face, for shells half "
      "their "
      "thickness if that is more, and layers, which begin at 2 eta, are as thick as it takes to "
      "stop half the speed with which surfaces come near each other. Units: length.");
  table.add("Ratio", layers.ratio, Patterns::Double(1e-3, 0.5),
            "With 'Response' = layers: step of a layer over its critical step, between two meshes; "
            "twice that at obstacles. The speed that the first layer stops is in proportion to it, "
            "the errors of energy to its square. Units: none.");
  table.add("Stiffness", layers.stiffness, Patterns::Double(0),
            "With 'Response' = layers: stiffness k of the first layer of each pair of a node and a "
            "face or of two edges, whose energy is k (2 eta)^2 when it is pressed together. 0: "
            "such that its step is that of the finest cell at the pair, so that there is nothing "
            "to tune. Units: force/length.");
  table.add("Shape", layers.shape, layer_shapes,
            "With 'Response' = layers: the potentials. 'cubic': smooth where it begins, each layer "
            "2^(-1/2) times as thick and four times as stiff as the one before. 'quadratic': layer "
            "l has thickness 2 eta/l and stiffness k l^3, as in Vouga et al. (2011), for "
            "comparison: it has a kink where it begins, so that the energy walks at random.");
  table.add("Depth", layers.depth, Patterns::Integer(1, 30),
            "With 'Response' = layers: step classes that layers may have below the finest one of "
            "the cells. A pair that needs more stops the run. 20 are enough for some 300 times the "
            "speed that the first layer stops. Units: none.");
}

/// Reads "no self, left:right, left:7".
std::vector<std::pair<std::string, std::string>>
parse_exclude(const std::string &text)
{
  std::vector<std::pair<std::string, std::string>> exclude;
  for (const std::string &item : Utilities::split_string_list(text, ','))
  {
    if (item.empty())
      continue;
    const auto parts = Utilities::split_string_list(item, ':');
    if (item == "no self")
      exclude.emplace_back("", "");
    else if (parts.size() == 2 && !parts[0].empty() && !parts[1].empty())
      exclude.emplace_back(parts[0], parts[1]);
    else
      AssertThrow(false, ExcMessage("Contact/Exclude: '" + item +
                                    "' is not understood; allowed are 'no self', 'body:body' and "
                                    "'body:boundary id'."));
  }
  return exclude;
}

} // namespace

void
ContactParameters::declare_parameters(ParameterHandler &prm)
{
  ContactParameters defaults;
  Texts texts;
  prm.enter_subsection("Contact");
  list(defaults, texts, {prm, ParameterTable::Task::declare});
  prm.enter_subsection("Reference");
  list_reference(defaults, {prm, ParameterTable::Task::declare});
  prm.leave_subsection();
  prm.enter_subsection("Layers");
  list(defaults.layers, {prm, ParameterTable::Task::declare});
  prm.leave_subsection();
  prm.leave_subsection();
}

void
ContactParameters::parse_parameters(ParameterHandler &prm, const Constants &constants)
{
  Texts texts;
  prm.enter_subsection("Contact");
  list(*this, texts, {prm, ParameterTable::Task::read});
  prm.enter_subsection("Reference");
  list_reference(*this, {prm, ParameterTable::Task::read});
  prm.leave_subsection();
  prm.enter_subsection("Layers");
  list(layers, {prm, ParameterTable::Task::read});
  prm.leave_subsection();
  prm.leave_subsection();
  restitution_of_pairs =
      parse_pairs(texts.restitution_of_pairs, "Restitution of pairs", 1., constants);
  friction_of_pairs = parse_pairs(texts.friction_of_pairs, "Friction of pairs",
                                  std::numeric_limits<double>::max(), constants);
  exclude = parse_exclude(texts.exclude);
  if (texts.allows_overlap)
    initial_overlap = OverlapRule::allow;
}

namespace
{
void
check_range(const std::string &name, const double value, const double least, const double largest)
{
  if (value >= least && value <= largest)
    return;
  std::string range = largest < std::numeric_limits<double>::max()
                          ? "from " + dealii::Utilities::to_string(least) + " to " +
                                dealii::Utilities::to_string(largest)
                          : "finite numbers from " + dealii::Utilities::to_string(least);
  AssertThrow(false, ContactExceptions::ExcParameter(name, value, range));
}
} // namespace

void
check_parameters(const ContactParameters &parameters)
{
  constexpr double largest = std::numeric_limits<double>::max();
  check_range("restitution", parameters.restitution, 0, 1);
  check_range("friction", parameters.friction, 0, largest);
  for (const ValueOfPair &pair : parameters.restitution_of_pairs)
    check_range("restitution_of_pairs", pair.value, 0, 1);
  for (const ValueOfPair &pair : parameters.friction_of_pairs)
    check_range("friction_of_pairs", pair.value, 0, largest);
  const auto &pairs = parameters.restitution_of_pairs;
  AssertThrow(
      !parameters.projection ||
          (parameters.restitution == 1 &&
           std::all_of(pairs.begin(), pairs.end(),
                       [](const ValueOfPair &pair) { return pair.value == 1; })),
      dealii::ExcMessage(
          "'Contact/Reference/Projection' needs 'Contact/Restitution' = 1, also in 'Restitution of "
          "pairs' and of obstacles: lasting contacts are answered at every step there, and "
          "what a smaller one asks to lose each time is not lost."));
  constexpr double smallest = std::numeric_limits<double>::min();
  check_range("step_factor", parameters.step_factor, smallest, largest);
  check_range("maximum_step", parameters.maximum_step, smallest, largest);
  check_range("feature_angle", parameters.feature_angle, 0, 180);
  check_range("room_in_lists", parameters.room_in_lists, smallest, largest);
  check_range("layers.thickness", parameters.layers.thickness, 0, largest);
  check_range("layers.stiffness", parameters.layers.stiffness, 0, largest);
  check_range("layers.ratio", parameters.layers.ratio, 1e-3, 0.5);
  check_range("layers.depth", parameters.layers.depth, 1, 30);
}
} // namespace KickDrift
