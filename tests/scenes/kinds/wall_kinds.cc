// Ghost walls: blocks that slide over seams. Without friction nothing may stop them.
#include "scenes/kinds/choices.h"

#include <algorithm>

namespace Scenes
{
namespace
{
constexpr double g = 2; ///< [length/time^2]

/// A block that lies on the height 0, its middle at zero; gravity presses it down.
template <int dim>
SceneBody<dim>
slider(Random &random, const double length, const double height, const bool may_be_elastic)
{
  SceneBody<dim> body = random_body<dim>(random, may_be_elastic ? Mixture::both : Mixture::rigid);
  Vec<dim> lengths;
  std::array<unsigned int, dim> n;
  for (int d = 0; d < dim; ++d)
  {
    lengths[d] = d == up<dim> ? height : length;
    n[d] = d == up<dim> ? 1 : random.between(1, dim == 2 ? 4 : 3);
  }
  Part<dim> block = make_box<dim>(lengths, n, random.chance(0.4));
  if (dim == 3 && random.chance(0.5)) // edges not along those of the floor
  {
    Frame<dim> about_vertical = no_rotation<dim>();
    const Vec<2> x = random.direction<2>();
    about_vertical[0][0] = about_vertical[1][1] = x[0];
    about_vertical[0][1] = x[1];
    about_vertical[1][0] = -x[1];
    place(block, about_vertical, {});
  }
  put_above(block, 0, 1e-7); // far below any cell, above rounding
  body.gravity = upwards<dim>(-g);
  body.parts = {block};
  return body;
}

/// One part of a floor, below the height 0.
template <int dim>
Part<dim>
floor_part(Random &random, const double from, const double to, const double width_from,
           const double width_to, const unsigned int n, const bool simplices)
{
  Vec<dim> lengths, shift;
  std::array<unsigned int, dim> cells;
  cells.fill(1);
  cells[0] = n;
  if (dim == 3)
    cells[1] = random.between(1, 3);
  lengths[0] = to - from;
  shift[0] = 0.5 * (from + to);
  if (dim == 3)
  {
    lengths[1] = width_to - width_from;
    shift[1] = 0.5 * (width_from + width_to);
  }
  lengths[up<dim>] = 0.05;
  shift[up<dim>] = -0.025;
  Part<dim> part = make_box<dim>(lengths, cells, simplices);
  // exactly at height 0, so that parts are flush
  place(part, no_rotation<dim>(), shift);
  for (auto &x : part.vertices)
    x[up<dim>] = x[up<dim>] > -0.025 ? 0. : -0.05;
  return part;
}

/// Speed, place and end of a slide over the floor from -1 to 1.
template <int dim>
void
slide(Random &random, Scene<dim> &scene)
{
  const double speed = random.uniform(0.3, 1);
  Vec<dim> velocity;
  velocity[0] = speed;
  Part<dim> &block = scene.bodies[0].parts[0];
  Vec<dim> shift;
  shift[0] = -0.6;
  if (dim == 3)
    shift[1] = random.uniform(-0.05, 0.05);
  place(block, no_rotation<dim>(), shift);
  set_motion(block, velocity);
  scene.along[0] = 1;
  scene.restitution = 0;
  scene.friction = 0;
  scene.one_clock = random.chance(0.3);
  scene.end_time = 0.7 / speed;
  scene.expectation = Expectation::keeps_speed;
  scene.allowed_change = 1e-6; // a wall takes much, rounding 1e-12
  // a floor is what it is in all directions
  choose_rigid_steps(random, scene);
  maybe_turn(random, scene);
}

/// A floor of one mesh with many seams.
template <int dim>
void
make_seamed_floor(Random &random, Scene<dim> &scene)
{
  scene.bodies.push_back(slider<dim>(random, 0.3, 0.1, true));
  SceneBody<dim> floor = random_body<dim>(random);
  floor.kind = BodyKind::driven;
  floor.parts = {
      floor_part<dim>(random, -1, 1, -0.5, 0.5, random.between(3, 20), random.chance(0.4))};
  scene.bodies.push_back(floor);
  slide(random, scene);
}

/// A floor of several parts beside each other, in one mesh or in several.
template <int dim>
void
make_flush_floor(Random &random, Scene<dim> &scene)
{
  scene.bodies.push_back(slider<dim>(random, 0.3, 0.1, true));
  const double gap = random.chance(0.3) ? 0. : random.log_uniform(1e-8, 1e-5);
  const bool simplices = random.chance(0.4), one_mesh = gap > 0 && random.chance(0.3);
  std::vector<Part<dim>> parts;
  for (double from = -1; from < 0.9;)
  {
    const double to = from + random.uniform(0.2, 0.6);
    if (dim == 2)
      parts.push_back(floor_part<dim>(random, from, to, 0, 0, random.between(1, 4), simplices));
    else
      for (unsigned int row = 0; row < 2; ++row)
        parts.push_back(floor_part<dim>(random, from, to, row == 0 ? -0.5 : 0.5 * gap,
                                        row == 0 ? -0.5 * gap : 0.5, random.between(1, 2),
                                        simplices));
    from = to + gap;
  }
  SceneBody<dim> floor = random_body<dim>(random);
  floor.kind = BodyKind::driven;
  if (one_mesh)
    scene.bodies.push_back(floor);
  for (const Part<dim> &part : parts)
    if (one_mesh)
      scene.bodies.back().parts.push_back(part);
    else
      scene.bodies.push_back(with_part(floor, part));
  slide(random, scene);
}

/// A bowl of facets: a half ring, in space a trough, in which a block slides without friction.
template <int dim>
void
make_bowl(Random &random, Scene<dim> &scene)
{
  const unsigned int n = random.between(24, 96);
  // points of the half circle of radius one by halving angles: only roots, which IEEE rounds right
  // (tan of half the angle would be as good)
  std::vector<Vec<2>> ring(n + 1);
  for (unsigned int i = 0; i <= n; ++i)
  {
    const double t = 2. * i / n - 1; // tan of a quarter of the angle is nearly linear in it
    const double quarter = t * 0.41421356237309503, half_square = quarter * quarter;
    const Vec<2> half{{(1 - half_square) / (1 + half_square), 2 * quarter / (1 + half_square)}};
    ring[i] = {{2 * half[0] * half[1], -(half[0] * half[0] - half[1] * half[1])}};
  }
  Part<dim> bowl;
  {
    Grid<dim> grid;
    grid.lines[0] = equal_lines(2, n);
    if (dim == 3)
      grid.lines[1] = equal_lines(2, random.between(2, 6));
    grid.lines[up<dim>] = {1, 1.1};
    bowl = make_part(grid);
    for (auto &x : bowl.vertices)
    {
      const auto &point = ring[static_cast<unsigned int>(std::lround((x[0] + 1) / 2 * n))];
      const double radius = 2.1 - x[up<dim>]; // turned over, so that cells keep their sense
      x[0] = radius * point[0];
      x[up<dim>] = radius * point[1];
    }
    bowl.thickness = 0.1;
  }
  // on a facet of the left side, a little above it
  const unsigned int start = random.between(n / 6, n / 3);
  const Vec<2> along2 = ring[start + 1] - ring[start];
  const double facet = norm(along2), c = along2[0] / facet, s = along2[1] / facet;
  const double length = facet * random.log_uniform(0.2, 3);
  SceneBody<dim> body = slider<dim>(random, length, 0.5 * length, false);
  Frame<dim> frame = no_rotation<dim>();
  frame[0][0] = frame[up<dim>][up<dim>] = c;
  frame[0][up<dim>] = s;
  frame[up<dim>][0] = -s;
  const Vec<2> middle = 0.5 * (ring[start] + ring[start + 1]);
  // longer blocks lie on the ends of their lower side: the circle is so much higher there
  const double extent = length * (dim == 3 ? 1.5 : 1.); // it may lie across
  const double lift = 1e-4 * length + std::max(0., extent * extent - facet * facet);
  Vec<dim> shift, velocity;
  shift[0] = middle[0] - s * lift;
  shift[up<dim>] = middle[1] + c * lift;
  place(body.parts[0], frame, shift);
  velocity[0] = c;
  velocity[up<dim>] = s;
  set_motion(body.parts[0], random.uniform(0, 1) * velocity);
  SceneBody<dim> held = random_body<dim>(random);
  held.kind = BodyKind::driven;
  held.parts = {bowl};
  scene.bodies = {body, held};
  scene.friction = 0;
  scene.restitution = random.chance(0.7) ? 1 : 0;
  scene.end_time = 1;
  scene.expectation = Expectation::keeps_energy;
  // Rigid and e = 1: energy is kept, but for 1e-5 of gravity's kicks. e = 0: each seam, of the
  // angle a = pi / n, takes sin^2 a of what is moving across it, of speeds up to sqrt(v^2 + 2 g R);
  // twice, as a block may turn.
  const double angle = 3.14159265358979 / n, fall = lift + extent * extent;
  scene.typical_speed = std::sqrt(1 + 2 * g);
  scene.allowed_change =
      scene.restitution == 1 ? 1e-4 : 2 * n * angle * angle + 2 * g * fall / (1 + 2 * g);
  scene.one_clock = random.chance(0.3);
  choose_rigid_steps(random, scene);
  maybe_turn(random, scene);
}
} // namespace

template <int dim>
std::vector<Kind<dim>>
wall_kinds()
{
  return {{"seamed_floor", "a block slides over the seams of one mesh", make_seamed_floor<dim>},
          {"flush_floor", "a block slides over parts beside each other", make_flush_floor<dim>},
          {"bowl", "a block slides in a bowl of facets", make_bowl<dim>}};
}

template std::vector<Kind<2>> wall_kinds();
template std::vector<Kind<3>> wall_kinds();
} // namespace Scenes
