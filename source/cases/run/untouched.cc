#include <kickdrift/base/messages.h>
#include <kickdrift/cases/run/untouched.h>
#include <kickdrift/contact/response/pairs.h>

#include <limits>
#include <set>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// "obstacle 'floor', from which body 'part' is 0.02 away".
template <int dim>
std::string
distance_text(const Obstacle<dim> &obstacle, const Surface<dim> &surface,
              const NodeTable<dim> &nodes, const double time)
{
  const Tensor<1, dim> shift =
      obstacle.displacement ? obstacle.displacement(time) : Tensor<1, dim>();
  double least = std::numeric_limits<double>::infinity();
  unsigned int body = 0;
  for (const Contactor &contactor : surface.contactors)
  {
    Point<dim> position;
    for (unsigned int i = 0; i < contactor.n_nodes; ++i)
      position += contactor.weights[i] * nodes.position(contactor.nodes[i]);
    const double distance = obstacle.shape->distance(position - shift) -
                            surface.offset(contactor.body, surface.body_names.size());
    if (distance < least)
    {
      least = distance;
      body = contactor.body;
    }
  }
  return "obstacle '" + obstacle.name + "'" +
         (least < std::numeric_limits<double>::infinity()
              ? ", from which body '" + surface.body_names[body] + "' is " + number_text(least) +
                    " away"
              : "");
}
} // namespace

template <int dim>
std::string
text_of_untouched(const Model<dim> &model)
{
  if (!model.contact)
    return "";
  const auto pairs = model.dynamics.contact_pairs();
  std::set<unsigned int> touched;
  for (const auto &[a, b] : pairs.touched())
    if (a != b)
      touched.insert({a, b});
  const double time = model.stepper.time();
  const Surface<dim> &surface = model.dynamics.surface();
  const NodeTable<dim> nodes = model.stepper.snapshot(time); // processes gather it together
  std::string obstacles;
  for (unsigned int o = 0; o < model.obstacles.size(); ++o)
    if (touched.count(surface.body_names.size() + o) == 0)
      obstacles +=
          (obstacles.empty() ? "" : "; ") + distance_text(model.obstacles[o], surface, nodes, time);
  if (!obstacles.empty())
    return "Until time " + number_text(time) + " nothing has touched " + obstacles + ".";
  return touched.empty() && surface.body_names.size() > 1
             ? "Until time " + number_text(time) + " no body has touched another one."
             : "";
}

template std::string text_of_untouched(const Model<2> &);
template std::string text_of_untouched(const Model<3> &);
} // namespace KickDrift
