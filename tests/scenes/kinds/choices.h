// Choices that kinds of scenes have in common. Speeds are about one, lengths too.
#ifndef KICKDRIFT_TESTS_SCENES_CHOICES_H
#define KICKDRIFT_TESTS_SCENES_CHOICES_H

#include "scenes/scene.h"

namespace Scenes
{
/// Which bodies a scene has.
enum class Mixture
{
  elastic,
  rigid,
  both
};

inline Mixture
random_mixture(Random &random)
{
  const double draw = random.unit();
  return draw < 0.5 ? Mixture::elastic : draw < 0.75 ? Mixture::rigid : Mixture::both;
}

/// Restitution, friction and clocks.
template <int dim>
void
choose_contact(Random &random, Scene<dim> &scene)
{
  constexpr double restitutions[] = {0, 0.5, 1};
  scene.restitution = restitutions[random.below(3)];
  scene.friction = random.chance(0.5) ? 0. : random.uniform(0.05, 1);
  scene.one_clock = random.chance(0.3);
}

/// Waves are 20 to 60 times as fast as the pieces: strains of some per cent, and steps that are not
/// too short to see much happen.
template <int dim>
SceneBody<dim>
random_body(Random &random, const Mixture mixture = Mixture::elastic)
{
  SceneBody<dim> body;
  body.kind = mixture == Mixture::rigid || (mixture == Mixture::both && random.chance(0.5))
                  ? BodyKind::rigid
                  : BodyKind::elastic;
  body.is_linear = random.chance(0.3);
  body.density = random.log_uniform(0.3, 3);
  const double wave_speed = random.log_uniform(20, 60);
  body.stiffness = body.density * wave_speed * wave_speed;
  return body;
}

/// A body of one part.
template <int dim>
SceneBody<dim>
with_part(SceneBody<dim> body, const Part<dim> &part)
{
  body.parts.push_back(part);
  return body;
}

/// The library's steps for rigid bodies are a thousandth of their width by their speed: too short
/// to see much of thin ones. Most scenes get longer ones, in which they come by a hundredth to a
/// tenth of their width.
template <int dim>
void
choose_rigid_steps(Random &random, Scene<dim> &scene)
{
  double thinnest = 1e300;
  for (const SceneBody<dim> &body : scene.bodies)
    for (const Part<dim> &part : body.parts)
      thinnest = std::fmin(thinnest, part.thickness);
  constexpr double ratio = 0.5; // of steps to critical ones
  const double share = random.log_uniform(0.01, 0.1);
  if (random.chance(0.8))
    for (SceneBody<dim> &body : scene.bodies)
      body.rigid_step = share * thinnest / ratio;
}

/// The axis that plates are thin along, and stacks are stacked along.
template <int dim>
constexpr int up = dim - 1;

/// A vector along the plates.
template <int dim>
Vec<dim>
sideways(Random &random, const double largest)
{
  Vec<dim> v = largest * random.in_ball<dim>();
  v[up<dim>] = 0;
  return v;
}

template <int dim>
Vec<dim>
upwards(const double length)
{
  Vec<dim> v;
  v[up<dim>] = length;
  return v;
}

/// A box as long as @p length, thin along the last axis; about @p n cells along the others.
template <int dim>
Part<dim>
random_plate(Random &random, const double length, const double thickness, const unsigned int n,
             const bool simplices)
{
  Grid<dim> grid;
  for (int d = 0; d < dim; ++d)
    if (d == up<dim>)
      grid.lines[d] = equal_lines(thickness, random.chance(0.8) ? 1 : 2);
    else
      grid.lines[d] = graded_lines(length * (d == 0 ? 1 : random.uniform(0.5, 1)), n,
                                   random.chance(0.7) ? 1 : random.uniform(1, 3));
  grid.simplices = simplices;
  return make_part(grid);
}

/// Lift a part until it is above @p height by @p gap.
template <int dim>
void
put_above(Part<dim> &part, const double height, const double gap)
{
  place(part, no_rotation<dim>(), upwards<dim>(height + gap - box_of(part).lower[up<dim>]));
}

/// Number of cells along a plate: fewer in space, where they are many.
template <int dim>
unsigned int
random_cells(Random &random)
{
  return dim == 2 ? random.between(2, 8) : random.between(1, 3);
}

/// From the smallest to the largest one that is asked for, in cells [length].
inline double
random_gap(Random &random, const double cell_size)
{
  return random.log_uniform(1e-6, 1e-1) * cell_size;
}

/// See variants.h.
template <int dim>
void turn(Scene<dim> &scene, const Frame<dim> &frame);

/// Half of the scenes are turned: nothing is along the axes.
template <int dim>
void
maybe_turn(Random &random, Scene<dim> &scene)
{
  if (random.chance(0.5))
    turn(scene, random.rotation<dim>());
}
} // namespace Scenes

#endif
