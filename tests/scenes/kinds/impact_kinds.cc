// Single impacts of two rigid bodies, with friction.
#include "scenes/kinds/choices.h"

#include <algorithm>

namespace Scenes
{
namespace
{
/// A sheared box or a simplex, about the origin.
template <int dim>
Part<dim>
random_rock(Random &random)
{
  Part<dim> rock;
  if (random.chance(0.7))
  {
    std::array<unsigned int, dim> n;
    Vec<dim> lengths;
    n.fill(1);
    for (int d = 0; d < dim; ++d)
      lengths[d] = random.log_uniform(0.1, 1);
    rock = make_box<dim>(lengths, n, random.chance(0.3));
    const double shear = random.uniform(-0.5, 0.5);
    for (auto &x : rock.vertices)
      x[0] += shear * x[1];
    rock.thickness *= 0.8; // what a shear of a half leaves at least
  }
  else
  {
    rock.vertices.resize(dim + 1);
    for (int d = 0; d < dim; ++d)
    {
      rock.vertices[d + 1] = random.uniform(0.2, 0.8) * random.small_rotation<dim>(0.4)[d];
      rock.vertices[0] = rock.vertices[0] - 0.2 * rock.vertices[d + 1];
    }
    rock.cells = {{}};
    for (unsigned int v = 0; v <= dim; ++v)
      rock.cells[0].push_back(v);
    rock.velocities.resize(dim + 1);
    rock.thickness = 0.1; // about
    rock.cell_size = 1;
  }
  place(rock, no_rotation<dim>(), -1. * centre(rock));
  return rock;
}

template <int dim>
double
radius(const Part<dim> &part)
{
  double largest = 0;
  for (const auto &x : part.vertices)
    largest = std::max(largest, norm(x));
  return largest;
}

template <int dim>
void
make_impact(Random &random, Scene<dim> &scene)
{
  choose_contact(random, scene);
  scene.friction = random.chance(0.2) ? 0. : random.log_uniform(0.02, 2);
  const Vec<dim> direction = random.direction<dim>();
  double apart = 0;
  for (unsigned int i = 0; i < 2; ++i)
  {
    Part<dim> rock = random_rock<dim>(random);
    place(rock, random.rotation<dim>(), {});
    apart += radius(rock);
    SceneBody<dim> body = random_body<dim>(random, Mixture::rigid);
    scene.bodies.push_back(with_part(body, rock));
  }
  Part<dim> &first = scene.bodies[0].parts[0], &second = scene.bodies[1].parts[0];
  place(second, no_rotation<dim>(), 1.01 * apart * direction);
  set_motion(first, {}, random.spin<dim>(2));
  set_motion(second, 0.3 * apart * random.in_ball<dim>() - direction, random.spin<dim>(2),
             centre(second));
  scene.end_time = 1.2 * apart;
  scene.expectation = Expectation::impact;
  choose_rigid_steps(random, scene);
}
} // namespace

template <int dim>
std::vector<Kind<dim>>
impact_kinds()
{
  return {{"rigid_impact", "impacts of two rigid bodies with friction", make_impact<dim>}};
}

template std::vector<Kind<2>> impact_kinds();
template std::vector<Kind<3>> impact_kinds();
} // namespace Scenes
