// Scenes of bodies that are not thin, or not only: blocks, tumbling bodies, corners, combs, drives
// and obstacles.
#include "scenes/kinds/choices.h"

#include <algorithm>

namespace Scenes
{
namespace
{
/// A body as large as @p size, about the origin: a box, or a simplex.
template <int dim>
Part<dim>
random_chunk(Random &random, const double size, const double thinnest)
{
  Vec<dim> lengths;
  std::array<unsigned int, dim> n;
  for (int d = 0; d < dim; ++d)
  {
    lengths[d] = size * (d == 0 ? 1 : random.log_uniform(thinnest, 1));
    n[d] = dim == 2 ? random.between(1, 3) : random.between(1, 2);
  }
  if (random.chance(0.7))
    return make_box<dim>(lengths, n, random.chance(0.4));
  Part<dim> simplex;
  simplex.vertices.resize(dim + 1);
  for (int d = 0; d < dim; ++d)
    simplex.vertices[d + 1][d] = lengths[d];
  simplex.cells = {{}};
  for (unsigned int v = 0; v <= dim; ++v)
    simplex.cells[0].push_back(v);
  const Vec<dim> middle = centre(simplex);
  for (auto &vertex : simplex.vertices)
    vertex = vertex - middle;
  simplex.velocities.resize(dim + 1);
  // of the simplex spanned along the axes, from the corner to the face across
  double inverse_square = 0;
  for (int d = 0; d < dim; ++d)
    inverse_square += 1 / (lengths[d] * lengths[d]);
  simplex.thickness = 1 / std::sqrt(inverse_square);
  simplex.cell_size = size;
  return simplex;
}

/// Block against block: what contact is good at.
template <int dim>
void
make_blocks(Random &random, Scene<dim> &scene)
{
  choose_contact(random, scene);
  const Mixture mixture = random_mixture(random);
  double height = 0, thickest = 0;
  for (unsigned int i = 0; i < 2; ++i)
  {
    Vec<dim> lengths;
    std::array<unsigned int, dim> n;
    for (int d = 0; d < dim; ++d)
    {
      lengths[d] = random.uniform(0.6, 1);
      n[d] = dim == 2 ? random.between(2, 4) : random.between(1, 3);
    }
    Part<dim> block = make_box<dim>(lengths, n, random.chance(0.4));
    place(block, no_rotation<dim>(), sideways<dim>(random, 0.2));
    put_above(block, height, random.log_uniform(1e-2, 1e-1) * block.cell_size);
    height = box_of(block).upper[up<dim>];
    thickest = std::max(thickest, block.cell_size);
    set_motion(block, upwards<dim>(i == 0 ? 0 : -1) + sideways<dim>(random, 0.3));
    scene.bodies.push_back(with_part(random_body<dim>(random, mixture), block));
  }
  scene.end_time = thickest;
  choose_rigid_steps(random, scene);
  maybe_turn(random, scene);
}

/// Bodies that turn fly to the middle of a ring.
template <int dim>
void
make_tumbling(Random &random, Scene<dim> &scene)
{
  choose_contact(random, scene);
  const Mixture mixture = random_mixture(random);
  constexpr unsigned int most = 5;
  const unsigned int n = random.between(2, dim == 2 ? most : most - 1);
  // directions in the plane, at 70 degrees to each other or more
  constexpr double round[most][2] = {{1, 0}, {0.3, 0.95}, {-0.8, 0.6}, {-0.8, -0.6}, {0.3, -0.95}};
  std::vector<Part<dim>> chunks;
  double largest = 0; // circumscribed radius
  for (unsigned int i = 0; i < n; ++i)
  {
    chunks.push_back(random_chunk<dim>(random, random.uniform(0.15, 0.3), 2e-2));
    for (const auto &x : chunks[i].vertices)
      largest = std::max(largest, norm(x));
  }
  for (unsigned int i = 0; i < n; ++i)
  {
    Vec<dim> place_of;
    for (int d = 0; d < 2; ++d)
      place_of[d] = 1.85 * largest * round[i][d]; // neighbours are 2.1 radii from each other
    if (dim == 3)
      place_of[2] = random.uniform(-0.3, 0.3) * largest;
    place(chunks[i], random.rotation<dim>(), place_of);
    set_motion(chunks[i], (-1. / norm(place_of)) * place_of, random.spin<dim>(6), place_of);
    SceneBody<dim> body = random_body<dim>(random, mixture);
    body.is_linear = false; // they turn
    scene.bodies.push_back(with_part(body, chunks[i]));
  }
  scene.end_time = 3 * largest;
  choose_rigid_steps(random, scene);
  maybe_turn(random, scene);
}

/// Corner on corner, edge on edge, a little beside each other.
template <int dim>
void
make_corners(Random &random, Scene<dim> &scene)
{
  choose_contact(random, scene);
  const Mixture mixture = random_mixture(random);
  const bool on_edges = dim == 3 && random.chance(0.5);
  Vec<dim> diagonal;
  for (int d = on_edges ? 1 : 0; d < dim; ++d)
    diagonal[d] = 1;
  diagonal = (1 / norm(diagonal)) * diagonal;
  const double offset = random.chance(0.3) ? 0. : random.log_uniform(1e-9, 1e-1);
  for (unsigned int i = 0; i < 2; ++i)
  {
    const double size = random.uniform(0.3, 0.6);
    Vec<dim> lengths;
    std::array<unsigned int, dim> n;
    for (int d = 0; d < dim; ++d)
    {
      lengths[d] = size;
      n[d] = random.between(1, dim == 2 ? 3 : 2);
    }
    Part<dim> block = make_box<dim>(lengths, n, random.chance(0.4));
    const double sign = i == 0 ? -1 : 1, half = 0.5 * size * std::sqrt(on_edges ? 2. : dim);
    Vec<dim> shift = sign * (half + (i == 0 ? 0. : random.log_uniform(1e-4, 1e-2))) * diagonal;
    if (i == 1)
    {
      if (on_edges) // about the way to each other: edges cross
      {
        const double c = random.uniform(0.3, 0.9), s = std::sqrt(1 - c * c);
        const Vec<dim> across = diagonal;
        for (auto &x : block.vertices)
        {
          const Vec<dim> along = dot(x, across) * across, rest = x - along;
          Vec<dim> third = rest;
          if constexpr (dim == 3)
            third = cross(across, rest);
          x = along + c * rest + s * third;
        }
      }
      shift = shift + offset * (diagonal + random.direction<dim>()); // no nearer
    }
    place(block, no_rotation<dim>(), shift);
    set_motion(block, -0.5 * sign * diagonal, random.chance(0.5) ? Vec<3>() : random.spin<dim>(0.3),
               centre(block));
    scene.bodies.push_back(with_part(random_body<dim>(random, mixture), block));
  }
  scene.end_time = 0.4;
  choose_rigid_steps(random, scene);
  maybe_turn(random, scene);
}

/// A beam with teeth upwards.
template <int dim>
Part<dim>
comb(const unsigned int n_teeth, const double tooth, const double slot, const double height,
     const double beam, const bool simplices)
{
  Grid<dim> grid;
  grid.lines[0] = {0};
  for (unsigned int i = 0; i + 1 < 2 * n_teeth; ++i)
    grid.lines[0].push_back(grid.lines[0].back() + (i % 2 == 0 ? tooth : slot));
  if (dim == 3)
    grid.lines[1] = {0, 0.1};
  grid.lines[up<dim>] = {0, beam, beam + height / 2, beam + height};
  grid.simplices = simplices;
  grid.is_there = [](const std::array<unsigned int, dim> &cell)
  { return cell[up<dim>] == 0 || cell[0] % 2 == 0; };
  Part<dim> part = make_part(grid);
  part.thickness = std::min({tooth, beam, part.thickness});
  return part;
}

/// Two combs with the teeth of one in the slots of the other.
template <int dim>
void
make_combs(Random &random, Scene<dim> &scene)
{
  choose_contact(random, scene);
  const Mixture mixture = random_mixture(random);
  const unsigned int n_teeth = random.between(2, dim == 2 ? 4 : 3);
  const double tooth = random.log_uniform(1e-2, 0.1), beam = random.log_uniform(2e-2, 0.1);
  const double clearance = tooth * random.log_uniform(1e-4, 1), slot = tooth + 2 * clearance;
  const double height = random.uniform(0.1, 0.3);
  const bool simplices = random.chance(0.4);
  Part<dim> lower = comb<dim>(n_teeth, tooth, slot, height, beam, simplices), upper = lower;
  const double insertion = height * random.uniform(0.1, 0.9);
  for (auto &x : upper.vertices)
  {
    x[up<dim>] = 2 * (beam + height) - insertion - x[up<dim>];
    if (dim == 3) // a mirror image of a mirror image: cells keep their sense
      x[1] = 0.1 - x[1];
    else
      x[0] = (n_teeth * tooth + (n_teeth - 1) * slot) - x[0];
    x[0] += tooth + clearance;
  }
  const bool axially = random.chance(0.5);
  set_motion(upper, upwards<dim>(axially ? -1 : 0) +
                        (axially ? sideways<dim>(random, 0.1) : sideways<dim>(random, 1)));
  for (const Part<dim> &part : {lower, upper})
    scene.bodies.push_back(with_part(random_body<dim>(random, mixture), part));
  scene.end_time = axially ? 1.5 * (height - insertion) + 4 * tooth : 2 * clearance + 4 * tooth;
  choose_rigid_steps(random, scene);
  maybe_turn(random, scene);
}

/// A driven plate, that comes, slides or turns, below a body.
template <int dim>
void
make_driven(Random &random, Scene<dim> &scene)
{
  choose_contact(random, scene);
  SceneBody<dim> plate = random_body<dim>(random);
  plate.kind = BodyKind::driven;
  plate.parts = {random_plate<dim>(random, 1.5, random.log_uniform(1e-2, 0.2),
                                   random_cells<dim>(random), random.chance(0.4))};
  plate.drive_velocity = upwards<dim>(random.uniform(0, 1)) + sideways<dim>(random, 1);
  if (random.chance(0.5))
    plate.drive_spin = random.spin<dim>(0.5);
  Part<dim> load = random_chunk<dim>(random, random.uniform(0.2, 0.5), 0.05);
  if (random.chance(0.5))
    place(load, random.rotation<dim>(), {});
  put_above(load, box_of(plate.parts[0]).upper[up<dim>], random_gap(random, load.cell_size));
  set_motion(load, upwards<dim>(random.uniform(-0.5, 0)));
  scene.bodies = {plate, with_part(random_body<dim>(random, random_mixture(random)), load)};
  scene.end_time = 0.3;
  choose_rigid_steps(random, scene);
  maybe_turn(random, scene);
}

/// Falls on a plane.
template <int dim>
void
make_obstacle(Random &random, Scene<dim> &scene)
{
  choose_contact(random, scene);
  Part<dim> chunk = random_chunk<dim>(random, random.uniform(0.3, 1), 0.02);
  place(chunk, random.rotation<dim>(), {});
  put_above(chunk, 0, random_gap(random, chunk.cell_size));
  set_motion(chunk, upwards<dim>(-1) + sideways<dim>(random, 0.5), random.spin<dim>(2),
             centre(chunk));
  SceneBody<dim> body = random_body<dim>(random, random_mixture(random));
  body.is_linear = false;
  scene.bodies.push_back(with_part(body, chunk));
  Plane<dim> plane;
  plane.outward = upwards<dim>(1);
  if (random.chance(0.3))
    plane.velocity = upwards<dim>(random.uniform(-0.5, 0.5));
  scene.planes.push_back(plane);
  scene.end_time = 0.5;
  choose_rigid_steps(random, scene);
  maybe_turn(random, scene);
}
} // namespace

template <int dim>
std::vector<Kind<dim>>
body_kinds()
{
  return {{"blocks", "block on block, neither thin nor turned", make_blocks<dim>},
          {"tumbling", "bodies that turn fly to the middle of a ring", make_tumbling<dim>},
          {"corners", "corner on corner, in space also edge on edge", make_corners<dim>},
          {"combs", "teeth of one in the slots of the other", make_combs<dim>},
          {"driven", "a driven plate below a body", make_driven<dim>},
          {"obstacle", "a body falls on a plane", make_obstacle<dim>}};
}

template std::vector<Kind<2>> body_kinds();
template std::vector<Kind<3>> body_kinds();
} // namespace Scenes
