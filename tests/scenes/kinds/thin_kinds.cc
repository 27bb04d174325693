// Scenes of thin plates (strips in the plane): apart, near, in stacks, in one mesh.
#include "scenes/kinds/choices.h"

#include <algorithm>

namespace Scenes
{
namespace
{
/// Two plates, the second one above the first one by a gap.
template <int dim>
struct Pair
{
  Part<dim> lower, upper;
  double gap;
  double thickness; ///< of the thicker one
};

template <int dim>
Pair<dim>
random_pair(Random &random, const bool may_tilt)
{
  Pair<dim> pair;
  const bool simplices = random.chance(0.4);
  constexpr double thinnest = 1e-3; // over the length of about one
  pair.lower = random_plate<dim>(random, 1, random.log_uniform(thinnest, 0.1),
                                 random_cells<dim>(random), simplices);
  pair.upper =
      random_plate<dim>(random, random.uniform(0.4, 1.2), random.log_uniform(thinnest, 0.1),
                        random_cells<dim>(random), random.chance(0.2) ? !simplices : simplices);
  if (may_tilt && random.chance(0.5))
    place(pair.upper, random.small_rotation<dim>(0.5), {});
  place(pair.upper, no_rotation<dim>(), sideways<dim>(random, 0.4));
  pair.gap = random_gap(random, std::min(pair.lower.cell_size, pair.upper.cell_size));
  put_above(pair.upper, box_of(pair.lower).upper[up<dim>], pair.gap);
  pair.thickness = std::max(pair.lower.thickness, pair.upper.thickness);
  return pair;
}

template <int dim>
void
add_pair(Random &random, const Pair<dim> &pair, Scene<dim> &scene)
{
  const Mixture mixture = random_mixture(random);
  for (const Part<dim> &part : {pair.lower, pair.upper})
    scene.bodies.push_back(with_part(random_body<dim>(random, mixture), part));
}

/// One flies away from the other.
template <int dim>
void
make_apart(Random &random, Scene<dim> &scene)
{
  choose_contact(random, scene);
  auto pair = random_pair<dim>(random, true);
  set_motion(pair.upper, upwards<dim>(random.uniform(0.3, 1)) + sideways<dim>(random, 0.5));
  set_motion(pair.lower, upwards<dim>(random.uniform(-1, 0)));
  add_pair(random, pair, scene);
  scene.expectation = Expectation::never_touch;
  scene.end_time = 5 * (pair.gap + pair.thickness);
  choose_rigid_steps(random, scene);
  maybe_turn(random, scene);
}

/// One flies along the other, and the gap stays.
template <int dim>
void
make_slide_past(Random &random, Scene<dim> &scene)
{
  choose_contact(random, scene);
  auto pair = random_pair<dim>(random, false);
  const Vec<dim> common = upwards<dim>(random.chance(0.5) ? 0. : random.uniform(-1, 1));
  set_motion(pair.upper, common + sideways<dim>(random, 1));
  set_motion(pair.lower, common);
  add_pair(random, pair, scene);
  scene.expectation = Expectation::never_touch;
  scene.end_time = 1;
  choose_rigid_steps(random, scene);
  maybe_turn(random, scene);
}

/// One falls on the other.
template <int dim>
void
set_falling(Random &random, Pair<dim> &pair, Scene<dim> &scene)
{
  set_motion(pair.upper, upwards<dim>(-1) + sideways<dim>(random, 0.5),
             random.chance(0.5) ? Vec<3>() : random.spin<dim>(1), centre(pair.upper));
  set_motion(pair.lower, upwards<dim>(random.chance(0.5) ? 0. : random.uniform(-0.5, 0.5)));
  scene.end_time = pair.gap + 8 * pair.thickness;
}

template <int dim>
void
make_plates(Random &random, Scene<dim> &scene)
{
  choose_contact(random, scene);
  auto pair = random_pair<dim>(random, true);
  set_falling(random, pair, scene);
  add_pair(random, pair, scene);
  choose_rigid_steps(random, scene);
  maybe_turn(random, scene);
}

/// The same as parts of one mesh.
template <int dim>
void
make_one_mesh(Random &random, Scene<dim> &scene)
{
  choose_contact(random, scene);
  auto pair = random_pair<dim>(random, true);
  if (pair.upper.cells[0].size() != pair.lower.cells[0].size()) // a mesh has cells of one type
  {
    Vec<dim> lengths;
    std::array<unsigned int, dim> n;
    n.fill(2);
    n[up<dim>] = 1;
    for (int d = 0; d < dim; ++d)
      lengths[d] = d == up<dim> ? pair.upper.thickness : 0.7;
    pair.upper = make_box<dim>(lengths, n, pair.lower.cells[0].size() == dim + 1u);
    put_above(pair.upper, box_of(pair.lower).upper[up<dim>], pair.gap);
  }
  set_falling(random, pair, scene);
  SceneBody<dim> body = random_body<dim>(random);
  body.parts = {pair.lower, pair.upper};
  scene.bodies.push_back(body);
  choose_rigid_steps(random, scene);
  maybe_turn(random, scene);
}

/// Three to five plates above each other, the lowest one often held; the upper ones come down.
template <int dim>
void
make_stack(Random &random, Scene<dim> &scene)
{
  choose_contact(random, scene);
  const Mixture mixture = random_mixture(random);
  const unsigned int n = random.between(3, dim == 2 ? 5 : 4);
  const bool simplices = random.chance(0.4);
  double height = 0, thickest = 0, gaps = 0;
  for (unsigned int i = 0; i < n; ++i)
  {
    Part<dim> plate =
        random_plate<dim>(random, random.uniform(0.6, 1.2), random.log_uniform(1e-2, 0.1),
                          random_cells<dim>(random), simplices);
    place(plate, no_rotation<dim>(), sideways<dim>(random, 0.2));
    const double gap = random_gap(random, plate.cell_size);
    put_above(plate, height, gap);
    height = box_of(plate).upper[up<dim>];
    set_motion(plate, upwards<dim>(i + 1 == n ? -1 : random.uniform(-0.5, 0)) +
                          sideways<dim>(random, 0.3));
    SceneBody<dim> body = random_body<dim>(random, mixture);
    if (i == 0 && random.chance(0.6))
      body.kind = BodyKind::driven;
    scene.bodies.push_back(with_part(body, plate));
    thickest = std::max(thickest, plate.thickness);
    gaps += gap;
  }
  scene.end_time = gaps + 4 * thickest;
  choose_rigid_steps(random, scene);
  maybe_turn(random, scene);
}

/// Few large cells below many small ones.
template <int dim>
void
make_coarse_fine(Random &random, Scene<dim> &scene)
{
  choose_contact(random, scene);
  Pair<dim> pair;
  const bool simplices = random.chance(0.4);
  pair.lower = random_plate<dim>(random, 1.4, random.log_uniform(1e-2, 0.2), random.between(1, 2),
                                 simplices);
  pair.upper =
      random_plate<dim>(random, random.uniform(0.4, 0.8), random.log_uniform(1e-2, 0.2),
                        dim == 2 ? random.between(6, 12) : random.between(3, 5), simplices);
  if (random.chance(0.5))
    place(pair.upper, random.small_rotation<dim>(0.8), {});
  place(pair.upper, no_rotation<dim>(), sideways<dim>(random, 0.3));
  pair.gap = random_gap(random, pair.upper.cell_size);
  put_above(pair.upper, box_of(pair.lower).upper[up<dim>], pair.gap);
  pair.thickness = std::max(pair.lower.thickness, pair.upper.thickness);
  set_falling(random, pair, scene);
  scene.end_time = pair.gap + 4 * pair.thickness;
  add_pair(random, pair, scene);
  choose_rigid_steps(random, scene);
  maybe_turn(random, scene);
}
} // namespace

template <int dim>
std::vector<Kind<dim>>
thin_kinds()
{
  const std::string plates = dim == 2 ? "strips" : "plates";
  return {{"apart", "two thin " + plates + " that fly away from each other", make_apart<dim>},
          {"slide_past", "two thin " + plates + " that fly along each other, apart",
           make_slide_past<dim>},
          {"thin_" + plates, "two thin " + plates + " that collide", make_plates<dim>},
          {"one_mesh", "the same as parts of one mesh", make_one_mesh<dim>},
          {"stack", "three to five " + plates + " above each other", make_stack<dim>},
          {"coarse_fine", "few large cells below many small ones", make_coarse_fine<dim>}};
}

template std::vector<Kind<2>> thin_kinds();
template std::vector<Kind<3>> thin_kinds();
} // namespace Scenes
