#ifndef KICKDRIFT_TESTS_UNIT_CONTACT_LAYERS_LAYER_RUNS_H
#define KICKDRIFT_TESTS_UNIT_CONTACT_LAYERS_LAYER_RUNS_H

#include <kickdrift/contact/intersection_check.h>
#include <kickdrift/contact/layer_contact.h>
#include <kickdrift/potentials/loads/loads.h>
#include <kickdrift/potentials/springs.h>

#include "../step_setter.h"

#include <cmath>
#include <functional>
#include <memory>
#include <vector>

namespace KickDriftTests
{
using namespace KickDrift;
using dealii::Point;
using dealii::Tensor;

inline ContactParameters
layers(const double thickness, const double ratio)
{
  ContactParameters parameters;
  parameters.response = Response::layers;
  parameters.layers.thickness = thickness;
  parameters.layers.ratio = ratio;
  return parameters;
}

/// A mass of one above a wall at y = 0 in the plane, whose step is set by a spring without force.
struct MassOnWall
{
  MassOnWall(const ContactParameters &parameters, const double height, const Tensor<1, 2> &velocity,
             std::function<Tensor<1, 2>(double)> wall_displacement = {})
      : parameters(parameters)
  {
    Tensor<1, 2> up;
    up[1] = 1;
    obstacles.push_back(
        {"wall", std::make_shared<HalfSpace<2>>(Point<2>(), up), std::move(wall_displacement)});
    nodes.add(Point<2>(0.3, height), 1.);
    nodes.add(Point<2>(5., 100.), 1.);
    nodes.set_velocity(0, velocity);
    surface.contactors.push_back({0, 0, 1.});
    surface.body_names = {"mass"};
    stepper = std::make_unique<Stepper<2>>(nodes, StepperParameters());
    stepper->add(
        std::make_shared<StepSetter<2>>(std::vector<std::array<unsigned int, 2>>{{{0, 1}}}, 8.));
  }

  void
  start()
  {
    contact = std::make_unique<LayerContact<2>>(nodes, *stepper, surface, parameters, obstacles);
    stepper->start();
    contact->start();
    check = std::make_unique<IntersectionCheck<2>>(nodes, *stepper, surface, parameters, obstacles);
  }

  /// The step that start() will give.
  double
  step_before_start()
  {
    stepper->find_critical_steps();
    return 0.5 * stepper->levels().critical_step(0);
  }

  double
  step() const
  {
    return stepper->levels().natural_step(0);
  }

  /// The speed that the first layer of the wall stops.
  static double
  stopped(const ContactParameters &parameters)
  {
    MassOnWall wall(parameters, 10., Tensor<1, 2>());
    wall.start();
    const double k = LayerProfile(parameters.layers.shape, 4)
                         .stiffness_for_step(2 * parameters.layers.ratio, wall.step(), 1.);
    return stopped_speed(parameters.layers.thickness, k, 1.);
  }

  EnergyBalance
  energy() const
  {
    EnergyBalance balance = stepper->energy(stepper->snapshot(stepper->time()));
    contact->add_energy(balance);
    return balance;
  }

  const ContactParameters parameters;
  NodeTable<2> nodes;
  Surface<2> surface;
  std::vector<Obstacle<2>> obstacles;
  std::unique_ptr<Stepper<2>> stepper;
  std::unique_ptr<LayerContact<2>> contact;
  std::unique_ptr<IntersectionCheck<2>> check;
};
} // namespace KickDriftTests

#endif
