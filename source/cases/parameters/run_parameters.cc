// The parameters that do not depend on the dimension: how a case is run and what it writes.
#include <kickdrift/base/messages.h>
#include <kickdrift/base/parameter_table.h>
#include <kickdrift/cases/parameters/case_parameters.h>

#include <deal.II/base/exceptions.h>

#include "parameter_parsing.h"

namespace KickDrift
{
using namespace dealii;

namespace
{
const EnumNames<Clocks> kinds_of_clocks({{Clocks::one, "one"},
                                         {Clocks::nested, "nested"},
                                         {Clocks::per_cell, "per cell"}});
const EnumNames<MassForSteps> masses_for_steps({{MassForSteps::shared, "shared"},
                                                {MassForSteps::own, "own"}});
const EnumNames<Phase> phases({{Phase::centred, "centred"}, {Phase::start, "start"}});
const EnumNames<ClassBoundary> class_boundaries({{ClassBoundary::plain, "plain"},
                                                 {ClassBoundary::filtered, "filtered"}});
const EnumNames<bool> on_off({{true, "on"}, {false, "off"}});

void
list(SteppingParameters &stepping, ParameterTable table)
{
  table.add("End time", stepping.end_time, Patterns::Double(), "When the run ends. Units: time.");
  table.add("Clocks", stepping.stepper.clocks, kinds_of_clocks,
            "Which cells are kicked together. 'one': all, at the smallest step "
            "(synchronous leapfrog). 'nested': every cell at the largest step 2^k b that "
            "its own critical step allows (asynchronous, energy stays bounded). "
            "'per cell': every cell at its own step, as in the papers; has resonances in "
            "which the energy grows slowly.");
  table.add("Time step ratio", stepping.stepper.time_step_ratio, Patterns::Double(1e-6, 1),
            "Step of a cell over its critical step, beta. Units: none.");
  table.add("Mass for steps", stepping.stepper.mass_for_steps, masses_for_steps,
            "Which part of its nodes' masses carries a cell when its critical step is calculated. "
            "'shared': in proportion to the stiffness that the cells put on the node; never above "
            "the limit of the whole model, and near it. 'own': the mass of the cell, as in the "
            "papers; far too short beside thin cells.");
  table.add("Stability rule", stepping.stepper.stability_rule, on_off,
            "For 'Clocks' = nested: shorten steps beside cells with much shorter ones until no two "
            "can resonate. 'off': every cell by its own step alone, as in the papers; the energy "
            "may grow exponentially where stiff and soft, or small and large cells meet.");
  table.add(
      "Class boundaries", stepping.stepper.class_boundary, class_boundaries,
      "How cells see nodes that they share with cells of shorter steps, for 'Clocks' = nested, "
      "'Phase' = centred (others are plain). 'filtered': without the motion to and fro between the "
      "kicks of both, second order in the mesh; steps of cells that share a node differ by a "
      "factor of two at most; angular momentum to 1e-5, 2e-4 where all vibrates violently. "
      "'plain': where they are, as in the "
      "papers; stresses beside them are wrong by per cents on any mesh; angular momentum to "
      "round-off.");
  table.add("Phase", stepping.stepper.phase, phases,
            "When in its interval a kick comes. 'centred': halfway (leapfrog, second "
            "order). 'start': at the beginning (symplectic Euler), as in Wolff & Bucher "
            "2013.");
  table.add("Time step", stepping.stepper.time_step, Patterns::Double(0),
            "Fixed step, for 'Clocks = one' only; it may be above the smallest critical step of a "
            "cell as long as it is below that of the model as a whole. It does not follow "
            "deformation. 0: 'Time step ratio' times the smallest critical step. Units: time.");
  table.add("Strain", stepping.strain, on_off,
            "'off': no forces in the cells, bodies fly rigidly.");
  table.add("Energy limit", stepping.energy_limit, Patterns::Double(0),
            "Relative energy error at which the run stops: the column "
            "energy_error of statistics.csv, looked at when rows are written and "
            "in between. The error is counted from the start, relative to the largest of the "
            "initial energy, the work of loads and of prescribed motions so far, and about what "
            "the loads at their largest do to a body at rest. Units: none.");
  table.add(
      "Quiet start", stepping.quiet_start, Patterns::Double(0, 1e-2),
      "Start from static equilibrium: before time 0 all bodies are brought to where the loads "
      "and prescribed displacements of time 0, and their own forces, are in balance, by "
      "dynamic relaxation. The number is what may be left of the forces, as a share of those "
      "that balance each other; 1e-8 is usual. The search begins at 'Initial displacement'; "
      "'Initial velocity' comes on top of the equilibrium. Time is 0 afterwards, and work and "
      "losses are counted from there: the log and summary.json say what the search did. "
      "Contact takes no part in it: every body that loads would move away must be held by "
      "restraints, and bodies must not flow plastically. 0: start from 'Initial "
      "displacement' as it is. Units: none.");
  table.add("Threads", stepping.stepper.threads, Patterns::Integer(1, 256),
            "Number of threads that kick cells, and look for pairs of penalty layers, together, at "
            "most one "
            "per core; the result is the same, bit by bit, for any number. What else is "
            "done (nodal integration, loads, responses of contact, output) is done by one. "
            "Clocks 'per cell' need 1. Units: none.");
  table.add("Divide again", stepping.divides_again, on_off,
            "Dynamic load balancing of several processes. 'on': kicks are divided among them anew, "
            "at a save time, when cells have got shorter steps or have failed and so much has been "
            "lost by waiting for the busiest process that another set-up pays. The result is the "
            "same, bit by bit.");
}

void
list(DetectionParameters &detection, ParameterTable table)
{
  table.add("Enabled", detection.enabled,
            "Predict when bodies touch for the first time, beside the run and without "
            "changing it: from the motion of their surfaces follows until when nothing "
            "can happen, and nothing is done before. first_contacts.csv lists what touches "
            "when, detection.csv every look; summary.json has 'first_contact_time' and "
            "'detection_wake_ups'. Obstacles are touched by the nodes of the surfaces, not "
            "by the points of 'Contact/Points per face'; those that move need "
            "'Obstacles/NAME/Largest acceleration'. What 'Contact/Exclude' names is left "
            "out.");
  table.add("Resolution", detection.resolution, Patterns::Double(0),
            "A look goes down to contacts until this much later; looks are not nearer to "
            "each other. 0: the end time over 1000. Units: time.");
  table.add("Largest acceleration", detection.largest_acceleration, Patterns::Double(0),
            "Bound of the accelerations of points beside those of constant loads of type "
            "acceleration. If a point exceeds it contacts may be missed, and a warning "
            "says so. 0 is right for bodies that fly rigidly without turning; it is "
            "refused with loads that vary or are of another type. "
            "Units: length/time^2.");
  table.add("Self-contact", detection.self_contact,
            "Also predict when a body first touches itself: two faces of its surface that "
            "share no node. Those that touch in the reference configuration, as the two "
            "sides of a crack do, do not count. Neighbouring faces are near each other, so "
            "a body that deforms wakes detection often: after about sqrt(h/a) with the "
            "size h of a face and 'Largest acceleration' a. 'Resolution' must be below "
            "sqrt(h/2/a) with the shortest distance h of two nodes of a face.");
}

void
list(OutputParameters &output, ParameterTable table)
{
  table.add("Folder", output.folder,
            "Folder for the results, created if necessary. Empty: output/NAME for the "
            "parameter file NAME.prm.");
  table.add("Save intervals", output.save_intervals, Patterns::Integer(1),
            "Number of equal intervals between save times, at which a row is added to "
            "statistics.csv, probes.csv and bodies.csv. Does not change the run. "
            "Units: none.");
  table.add("VTU every", output.vtu_every, Patterns::Integer(0),
            "Save times from one picture of the bodies (solution.pvd) to the next. 0: no "
            "pictures. Units: none.");
  table.add("VTU pieces", output.vtu_pieces,
            "On several processes: does each write the cells that it kicks into a file of its own, "
            "beside a .pvtu file that names them? Otherwise the first one writes all of them, into "
            "the file that a single process would write.");
  table.add("Surface every", output.surface_every, Patterns::Integer(0),
            "Save times from one picture of the surfaces and the contact impulses "
            "(surface.pvd) to the next. 0: no pictures. Units: none.");
}

void
list(CheckpointParameters &checkpoint, ParameterTable table)
{
  table.add("Wall time interval", checkpoint.wall_time_interval, Patterns::Double(0),
            "A checkpoint, from which --resume continues the run bit by bit, is written "
            "into the folder of the results about so often; the last two are kept. Another one is "
            "written at the end, when the program is asked to end (Ctrl-C, SIGTERM, SIGHUP, "
            "SIGUSR1, SIGUSR2, SIGXCPU) and when results cannot be written. Does not change the "
            "run. 0: not by wall time. Units: s.");
  table.add("Time interval", checkpoint.time_interval, Patterns::Double(0),
            "The same by simulated time, at the first opportunity after each multiple. "
            "0: not by simulated time. Units: time.");
}

} // namespace

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
  SteppingParameters defaults;
  const Subsection subsection(prm, {"Stepping"});
  list(defaults, {prm, ParameterTable::Task::declare});
}

void
SteppingParameters::parse_parameters(ParameterHandler &prm)
{
  {
    const Subsection subsection(prm, {"Stepping"});
    list(*this, {prm, ParameterTable::Task::read});
  }

  AssertThrow(end_time > 0, ExcMessage("'Stepping/End time' cannot be " + number_text(end_time) +
                                       "; allowed is a number above 0."));
  AssertThrow(stepper.time_step == 0 || stepper.clocks == Clocks::one,
              ExcMessage("'Stepping/Time step' fixes the step of all cells; it needs "
                         "'Stepping/Clocks' = one, not '" +
                         kinds_of_clocks.name(stepper.clocks) +
                         "'. Use 'Stepping/Time step ratio' to scale the cells' steps."));
  if (stepper.time_step > 0)
    check_n_steps(end_time, stepper.time_step);
  AssertThrow(
      quiet_start == 0 || strain,
      ExcMessage("'Stepping/Quiet start' needs 'Stepping/Strain' = on: without forces in the "
                 "cells nothing balances the loads."));
  AssertThrow(stepper.threads == 1 || stepper.clocks != Clocks::per_cell,
              ExcMessage("'Stepping/Threads' cannot be " + std::to_string(stepper.threads) +
                         " with 'Stepping/Clocks' = per cell, where cells are kicked one by one; "
                         "allowed is 1."));
}

void
DetectionParameters::declare_parameters(ParameterHandler &prm)
{
  DetectionParameters defaults;
  const Subsection subsection(prm, {"Detection"});
  list(defaults, {prm, ParameterTable::Task::declare});
}

void
DetectionParameters::parse_parameters(ParameterHandler &prm, const SteppingParameters &stepping)
{
  {
    const Subsection subsection(prm, {"Detection"});
    list(*this, {prm, ParameterTable::Task::read});
  }

  if (resolution == 0)
    resolution = stepping.end_time / 1000;
  AssertThrow(!enabled || !stepping.strain || largest_acceleration > 0,
              ExcMessage("'Detection/Largest acceleration' cannot be 0 with 'Stepping/Strain' = "
                         "on: forces in the cells accelerate their points. Set a bound above 0."));
}

void
OutputParameters::declare_parameters(ParameterHandler &prm)
{
  OutputParameters defaults;
  const Subsection subsection(prm, {"Output"});
  list(defaults, {prm, ParameterTable::Task::declare});
}

void
OutputParameters::parse_parameters(ParameterHandler &prm)
{
  {
    const Subsection subsection(prm, {"Output"});
    list(*this, {prm, ParameterTable::Task::read});
  }
}

void
CheckpointParameters::declare_parameters(ParameterHandler &prm)
{
  CheckpointParameters defaults;
  const Subsection subsection(prm, {"Checkpoint"});
  list(defaults, {prm, ParameterTable::Task::declare});
}

void
CheckpointParameters::parse_parameters(ParameterHandler &prm)
{
  {
    const Subsection subsection(prm, {"Checkpoint"});
    list(*this, {prm, ParameterTable::Task::read});
  }
}
} // namespace KickDrift
