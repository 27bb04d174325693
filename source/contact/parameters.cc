#include <kickdrift/contact/parameters.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/utilities.h>

#include <limits>
#include <set>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// Reads "left:right = 0.3, block:floor = 0.5".
std::vector<ValueOfPair>
parse_pairs(ParameterHandler &prm, const std::string &entry, const double largest)
{
  const std::string name = "Contact/" + entry;
  std::vector<ValueOfPair> pairs;
  std::set<std::pair<std::string, std::string>> seen;
  for (const std::string &item : Utilities::split_string_list(prm.get(entry), ','))
  {
    if (item.empty())
      continue;
    const auto sides = Utilities::split_string_list(item, '=');
    const auto bodies = Utilities::split_string_list(sides[0], ':');
    AssertThrow(sides.size() == 2 && bodies.size() == 2 && !bodies[0].empty() &&
                    !bodies[1].empty() && Patterns::Double().match(sides[1]),
                ExcMessage(name + ": '" + item +
                           "' is not understood; write 'body:body = number', pairs separated by "
                           "commas."));
    AssertThrow(Patterns::Double(0, largest).match(sides[1]),
                ExcMessage(name + ": " + sides[1] + " for '" + sides[0] + "' cannot be; allowed " +
                           (largest == 1. ? "is 0 to 1." : "is 0 or more.")));
    AssertThrow(seen.insert(std::minmax(bodies[0], bodies[1])).second,
                ExcMessage(name + ": the pair '" + sides[0] + "' is given twice."));
    pairs.push_back({bodies[0], bodies[1], Utilities::string_to_double(sides[1])});
  }
  return pairs;
}
} // namespace

void
ContactParameters::declare_parameters(ParameterHandler &prm)
{
  prm.enter_subsection("Contact");
  prm.declare_entry("Enabled", "true", Patterns::Bool(), "Whether bodies see each other at all.");
  prm.declare_entry("Schedule", "adaptive",
                    Patterns::Selection("synchronous|constant|adaptive|predicted"),
                    "When a surface node is tested next. 'synchronous': at every step of the "
                    "finest clock. 'constant': after the smallest critical step of the cells "
                    "around it. 'adaptive': after the smaller of 'Maximum step' and 'Step factor' "
                    "times its length over its speed (Wolff & Bucher 2013). 'predicted': when "
                    "bounds of the bodies' motion say that it could touch something; whoever is "
                    "far away sleeps, and a kick that breaks a bound wakes it. With contact zones, "
                    "tests come halfway between kicks, at every step while a contact lasts.");
  prm.declare_entry("Step factor", "0.5", Patterns::Double(1e-6),
                    "Factor alpha of the adaptive schedule. Units: none.");
  prm.declare_entry("Maximum step", "1", Patterns::Double(1e-6),
                    "Longest time between two tests of a node, in average critical steps of all "
                    "cells. Units: none.");
  prm.declare_entry("Broad phase", "hierarchy", Patterns::Selection("hierarchy|grid"),
                    "How the faces near a node or edge are found: in a 'hierarchy' of boxes for "
                    "each body, or in a uniform 'grid' of cells along a space-filling curve (Wolff "
                    "& Bucher 2013, section 5.3), which suits faces of about the same size. Both "
                    "find the same faces; contactors may be tested at other moments.");
  prm.declare_entry("Response", "look ahead", Patterns::Selection("reflect|look ahead"),
                    "'reflect': the gap rate is reversed (decomposition contact response, as in "
                    "the papers). 'look ahead': a fresh contact reflects, a persistent one gets "
                    "the impulse that the coming period needs, as far as its energy account "
                    "allows; needs step classes and 'Zone layers' above 0, otherwise contacts "
                    "reflect.");
  prm.declare_entry("Solver", "sequential", Patterns::Selection("sequential|coupled"),
                    "How contacts of one instant are answered. 'sequential': one after the other. "
                    "'coupled': all at once, so that none undoes what another one did; they "
                    "reflect, whatever 'Response' says. Redundant contacts do no harm. Needs "
                    "'Schedule' = synchronous or predicted and one step for all cells (Cirak & "
                    "West 2005).");
  prm.declare_entry("Projection", "false", Patterns::Bool(),
                    "Whether contacts of a synchronous step are answered as in a "
                    "predictor-corrector scheme (Cirak & West 2005): at the positions of the next "
                    "kick, after nodes in contact have been moved to the nearest positions without "
                    "penetration, both sides in inverse proportion to their masses; velocities "
                    "before the kick are reflected, whatever 'Response' says. Lasting contact is "
                    "smooth then. The work of the projection is the column projection_work of "
                    "statistics.csv; on average, the impulses take it back. Needs 'Schedule = "
                    "synchronous' and one step for all cells. false: contacts are answered "
                    "halfway between kicks, and nothing is moved.");
  prm.declare_entry("Restitution", "1", Patterns::Double(0, 1),
                    "Coefficient of restitution e: speed of separation over speed of approach. "
                    "Units: none.");
  prm.declare_entry("Restitution of pairs", "", Patterns::Anything(),
                    "Restitution of single pairs of bodies, separated by commas: "
                    "'left:right = 0.5, block:floor = 0.8'. All others have 'Restitution'.");
  prm.declare_entry("Friction", "0", Patterns::Double(0),
                    "Coulomb's coefficient of friction: largest tangential over normal force; for "
                    "sticking and sliding alike. Units: none.");
  prm.declare_entry("Friction of pairs", "", Patterns::Anything(),
                    "Friction of single pairs of bodies, separated by commas: "
                    "'left:right = 0.3, block:floor = 0.5'. All others have 'Friction'.");
  prm.declare_entry("Zone layers", "1", Patterns::Integer(0, 1),
                    "Layers of cells around an active contact that share one clock, so that it is "
                    "answered halfway between their kicks. 0 switches zones off: the papers' "
                    "schedules, with the energy errors that come with them. Only with clocks 'one' "
                    "and 'nested'. Units: none.");
  prm.declare_entry("Edges", "feature", Patterns::Selection("none|feature|all"),
                    "Which edges of the boundary are tested against edges, in 3D: bodies that meet "
                    "edge on edge pass through each other if only nodes are tested against faces. "
                    "'feature': convex edges where the undeformed surface bends by more than "
                    "'Feature angle'. 'all': also edges between faces that are nearly or exactly "
                    "in one plane.");
  prm.declare_entry("Feature angle", "30", Patterns::Double(0, 180),
                    "Smallest angle between the normals of the two undeformed faces of a feature "
                    "edge. Units: degrees.");
  prm.declare_entry("Points per face", "0", Patterns::Integer(0, 10),
                    "Number n of points along each direction of a boundary face that are tested "
                    "beside its nodes, for coarse meshes: n^2 on a quadrilateral or triangle, n on "
                    "a segment. Units: none.");
  prm.declare_entry("Allow initial overlap", "false", Patterns::Bool(),
                    "Whether to run although bodies overlap at the start by more than 1e-6 of the "
                    "size of a face.");
  prm.declare_entry("Exclude", "", Patterns::Anything(),
                    "What does not take part in contact, separated by commas: 'no self' (bodies do "
                    "not touch themselves), 'left:right' (these two bodies do not see each other; "
                    "'left:left': no self contact of this one), 'left:7' (boundary id 7 of this "
                    "body; a name of the mesh file will do, too). It holds for 'Detection', too.");
  prm.leave_subsection();
}

void
ContactParameters::parse_parameters(ParameterHandler &prm)
{
  prm.enter_subsection("Contact");
  enabled = prm.get_bool("Enabled");
  const std::string name = prm.get("Schedule");
  schedule = name == "synchronous" ? Schedule::synchronous
             : name == "constant"  ? Schedule::constant
             : name == "adaptive"  ? Schedule::adaptive
                                   : Schedule::predicted;
  step_factor = prm.get_double("Step factor");
  maximum_step = prm.get_double("Maximum step");
  broad_phase = prm.get("Broad phase") == "grid" ? BroadPhaseType::grid : BroadPhaseType::hierarchy;
  response = prm.get("Response") == "reflect" ? Response::reflect : Response::look_ahead;
  solver = prm.get("Solver") == "coupled" ? ContactSolver::coupled : ContactSolver::sequential;
  projection = prm.get_bool("Projection");
  restitution = prm.get_double("Restitution");
  friction = prm.get_double("Friction");
  restitution_of_pairs = parse_pairs(prm, "Restitution of pairs", 1.);
  friction_of_pairs = parse_pairs(prm, "Friction of pairs", std::numeric_limits<double>::max());
  zone_layers = prm.get_integer("Zone layers");
  const std::string which = prm.get("Edges");
  edges = which == "none" ? Edges::none : which == "feature" ? Edges::feature : Edges::all;
  feature_angle = prm.get_double("Feature angle");
  points_per_face = prm.get_integer("Points per face");
  allow_initial_overlap = prm.get_bool("Allow initial overlap");
  exclude.clear();
  for (const std::string &item : Utilities::split_string_list(prm.get("Exclude"), ','))
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
  prm.leave_subsection();
}
} // namespace KickDrift
