// The parameters that do not depend on the dimension: how a case is run and what it writes.
#include <kickdrift/base/messages.h>
#include <kickdrift/cases/parameters/case_parameters.h>

#include <deal.II/base/exceptions.h>

namespace KickDrift
{
using namespace dealii;

void
check_n_steps(const double end_time, const double smallest_step)
{
  // Clocks count half steps in doubles and 64-bit integers; 2^53 of them is where counting ends.
  AssertThrow(end_time / smallest_step <= 1e15,
              ExcMessage("'Stepping/End time' cannot be " + number_text(end_time) +
                         " with steps of " + number_text(smallest_step) +
                         ": these are more than 1e15 steps."));
}

void
SteppingParameters::declare_parameters(ParameterHandler &prm)
{
  prm.enter_subsection("Stepping");
  prm.declare_entry("End time", "1", Patterns::Double(), "When the run ends. Units: time.");
  prm.declare_entry("Clocks", "nested", Patterns::Selection("one|nested|per cell"),
                    "Which cells are kicked together. 'one': all, at the smallest step "
                    "(synchronous leapfrog). 'nested': every cell at the largest step 2^k b that "
                    "its own critical step allows (asynchronous, energy stays bounded). "
                    "'per cell': every cell at its own step, as in the papers; has resonances in "
                    "which the energy grows slowly.");
  prm.declare_entry("Time step ratio", "0.5", Patterns::Double(1e-6, 1),
                    "Step of a cell over its critical step, beta. Units: none.");
  prm.declare_entry("Phase", "centred", Patterns::Selection("centred|start"),
                    "When in its interval a kick comes. 'centred': halfway (leapfrog, second "
                    "order). 'start': at the beginning (symplectic Euler), as in Wolff & Bucher "
                    "2013.");
  prm.declare_entry(
      "Time step", "0", Patterns::Double(0),
      "Fixed step, for 'Clocks = one' only; with linear materials it may be above the "
      "smallest critical step of a cell as long as it is below that of the model as "
      "a whole. 0: 'Time step ratio' times the smallest critical step. Units: time.");
  prm.declare_entry("Strain", "on", Patterns::Selection("on|off"),
                    "'off': no forces in the cells, bodies fly rigidly.");
  prm.declare_entry("Energy limit", "0.1", Patterns::Double(0),
                    "Relative energy error at which the run stops. The error is counted from the "
                    "start, relative to the larger of the initial energy and the work put in so "
                    "far; what the accounts of looking-ahead contacts hold is not counted here, "
                    "since they give it back. Units: none.");
  prm.declare_entry("Threads", "1", Patterns::Integer(1, 256),
                    "Number of threads that kick cells and look for contacts together, at most one "
                    "per core; the result is the same, bit by bit, for any number. What else is "
                    "done (nodal integration, loads, responses of contact, output) is done by one. "
                    "Clocks 'per cell' need 1. Units: none.");
  prm.leave_subsection();
}

void
SteppingParameters::parse_parameters(ParameterHandler &prm)
{
  prm.enter_subsection("Stepping");
  const std::string clocks = prm.get("Clocks");
  stepper.clocks = clocks == "one"      ? Clocks::one
                   : clocks == "nested" ? Clocks::nested
                                        : Clocks::per_cell;
  stepper.phase = prm.get("Phase") == "start" ? Phase::start : Phase::centred;
  stepper.time_step_ratio = prm.get_double("Time step ratio");
  stepper.time_step = prm.get_double("Time step");
  strain = prm.get("Strain") == "on";
  end_time = prm.get_double("End time");
  const std::string end_text = prm.get("End time");
  energy_limit = prm.get_double("Energy limit");
  stepper.threads = prm.get_integer("Threads");
  prm.leave_subsection();

  AssertThrow(end_time > 0, ExcMessage("'Stepping/End time' cannot be " + end_text +
                                       "; allowed is a number above 0."));
  AssertThrow(stepper.time_step == 0 || stepper.clocks == Clocks::one,
              ExcMessage("'Stepping/Time step' fixes the step of all cells; it needs "
                         "'Stepping/Clocks' = one, not '" +
                         clocks + "'. Use 'Stepping/Time step ratio' to scale the cells' steps."));
  if (stepper.time_step > 0)
    check_n_steps(end_time, stepper.time_step);
  AssertThrow(stepper.threads == 1 || stepper.clocks != Clocks::per_cell,
              ExcMessage("'Stepping/Threads' cannot be " + std::to_string(stepper.threads) +
                         " with 'Stepping/Clocks' = per cell, where cells are kicked one by one; "
                         "allowed is 1."));
}

void
DetectionParameters::declare_parameters(ParameterHandler &prm)
{
  prm.enter_subsection("Detection");
  prm.declare_entry("Enabled", "false", Patterns::Bool(),
                    "Predict when bodies touch for the first time, beside the run and without "
                    "changing it: from the motion of their surfaces follows until when nothing "
                    "can happen, and nothing is done before. first_contacts.csv lists what touches "
                    "when, detection.csv every look; summary.json has 'first_contact_time' and "
                    "'detection_wake_ups'. Obstacles are touched by the nodes of the surfaces, not "
                    "by the points of 'Contact/Points per face'; those that move need "
                    "'Obstacles/NAME/Largest acceleration'. What 'Contact/Exclude' names is left "
                    "out.");
  prm.declare_entry("Resolution", "0", Patterns::Double(0),
                    "A look goes down to contacts until this much later; looks are not nearer to "
                    "each other. 0: the end time over 1000. Units: time.");
  prm.declare_entry("Largest acceleration", "0", Patterns::Double(0),
                    "Bound of the accelerations of points beside those of constant loads of type "
                    "acceleration. If a point exceeds it contacts may be missed, and a warning "
                    "says so. 0 is right for bodies that fly rigidly without turning; it is "
                    "refused with loads that vary or are of another type. "
                    "Units: length/time^2.");
  prm.declare_entry("Self-contact", "false", Patterns::Bool(),
                    "Also predict when a body first touches itself: two faces of its surface that "
                    "share no node. Those that touch in the reference configuration, as the two "
                    "sides of a crack do, do not count. Neighbouring faces are near each other, so "
                    "a body that deforms wakes detection often: after about sqrt(h/a) with the "
                    "size h of a face and 'Largest acceleration' a. 'Resolution' must be below "
                    "sqrt(h/2/a) with the shortest distance h of two nodes of a face.");
  prm.leave_subsection();
}

void
DetectionParameters::parse_parameters(ParameterHandler &prm, const SteppingParameters &stepping)
{
  prm.enter_subsection("Detection");
  enabled = prm.get_bool("Enabled");
  resolution = prm.get_double("Resolution");
  largest_acceleration = prm.get_double("Largest acceleration");
  self_contact = prm.get_bool("Self-contact");
  prm.leave_subsection();

  if (resolution == 0)
    resolution = stepping.end_time / 1000;
  AssertThrow(!enabled || !stepping.strain || largest_acceleration > 0,
              ExcMessage("'Detection/Largest acceleration' cannot be 0 with 'Stepping/Strain' = "
                         "on: forces in the cells accelerate their points. Set a bound above 0."));
}

void
OutputParameters::declare_parameters(ParameterHandler &prm)
{
  prm.enter_subsection("Output");
  prm.declare_entry("Folder", "", Patterns::Anything(),
                    "Folder for the results, created if necessary. Empty: output/NAME for the "
                    "parameter file NAME.prm.");
  prm.declare_entry("Save intervals", "100", Patterns::Integer(1),
                    "Number of equal intervals between save times, at which a row is added to "
                    "statistics.csv, probes.csv and bodies.csv. Does not change the run. "
                    "Units: none.");
  prm.declare_entry("VTU every", "0", Patterns::Integer(0),
                    "Save times from one picture of the bodies (solution.pvd) to the next. 0: no "
                    "pictures. Units: none.");
  prm.declare_entry("Surface every", "0", Patterns::Integer(0),
                    "Save times from one picture of the surfaces and the contact impulses "
                    "(surface.pvd) to the next. 0: no pictures. Units: none.");
  prm.leave_subsection();
}

void
OutputParameters::parse_parameters(ParameterHandler &prm)
{
  prm.enter_subsection("Output");
  folder = prm.get("Folder");
  save_intervals = prm.get_integer("Save intervals");
  vtu_every = prm.get_integer("VTU every");
  surface_every = prm.get_integer("Surface every");
  prm.leave_subsection();
}

void
CheckpointParameters::declare_parameters(ParameterHandler &prm)
{
  prm.enter_subsection("Checkpoint");
  prm.declare_entry("Wall time interval", "600", Patterns::Double(0),
                    "A checkpoint, from which --resume continues the run bit by bit, is written "
                    "into the folder of the results about so often; the last two are kept until "
                    "the run is done. Another one is written when the program is asked to end "
                    "(Ctrl-C, SIGTERM). Does not change the run. 0: not by wall time. Units: s.");
  prm.declare_entry("Time interval", "0", Patterns::Double(0),
                    "The same by simulated time, at the first opportunity after each multiple. "
                    "0: not by simulated time. Units: time.");
  prm.leave_subsection();
}

void
CheckpointParameters::parse_parameters(ParameterHandler &prm)
{
  prm.enter_subsection("Checkpoint");
  wall_time_interval = prm.get_double("Wall time interval");
  time_interval = prm.get_double("Time interval");
  prm.leave_subsection();
}
} // namespace KickDrift
