// What a scene is: parts of meshes, how they move, and what is known of the answer.
#ifndef KICKDRIFT_TESTS_SCENES_SCENE_H
#define KICKDRIFT_TESTS_SCENES_SCENE_H

#include "scenes/random.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace Scenes
{
/// A connected piece of a mesh.
template <int dim>
struct Part
{
  std::vector<Vec<dim>> vertices;               ///< [length]
  std::vector<std::vector<unsigned int>> cells; ///< vertices in deal.II's order
  std::vector<Vec<dim>> velocities;             ///< of the vertices [length/time]
  double thickness = 0;                         ///< the smallest extent [length]
  double cell_size = 0;                         ///< the largest side of a cell [length]
};

enum class BodyKind
{
  elastic,
  rigid,
  driven ///< rigid, its motion is given
};

/// Parts that are one mesh of the library.
template <int dim>
struct SceneBody
{
  std::vector<Part<dim>> parts;
  BodyKind kind = BodyKind::elastic;
  bool is_linear = false; ///< else neo-Hookean
  double density = 1;     ///< [mass/length^dim]
  double stiffness = 1;   ///< Young's modulus [force/area]
  Vec<dim> gravity;       ///< [length/time^2]
  double rigid_step = 0;  ///< critical step of what is rigid; 0: as the library chooses [time]
  // of driven bodies
  Vec<dim> drive_velocity; ///< [length/time]
  Vec<3> drive_spin;       ///< in three dimensions small angles add up along an axis [1/time]
  Vec<dim> drive_centre;   ///< [length]
};

/// The half space in front of which everything is.
template <int dim>
struct Plane
{
  Vec<dim> point;    ///< [length]
  Vec<dim> outward;  ///< unit vector [-]
  Vec<dim> velocity; ///< [length/time]
};

/// What is known of the right answer.
enum class Expectation
{
  none,         ///< nothing but what holds for all scenes
  never_touch,  ///< the pieces stay apart without contact
  keeps_speed,  ///< the first body slides: its speed along the floor stays
  keeps_energy, ///< the first body slides: its kinetic and potential energy stay
  impact        ///< two free rigid bodies: momenta are kept, friction is in its cone
};

template <int dim>
struct Scene
{
  std::string kind;
  std::uint64_t seed = 0;
  std::vector<SceneBody<dim>> bodies;
  std::vector<Plane<dim>> planes;
  double restitution = 1;    ///< [-]
  double friction = 0;       ///< [-]
  bool one_clock = false;    ///< else step classes
  double end_time = 1;       ///< [time]
  double typical_speed = 1;  ///< of pieces against each other [length/time]
  double size = 1;           ///< L, which tolerances refer to [length]
  Vec<dim> along;            ///< where Expectation::keeps_speed slides to
  double allowed_change = 0; ///< of speed or energy, known from analysis [-]
  Expectation expectation = Expectation::none;
};

// -- parts ----------------------------------------------------------------------------------------

/// A grid of cells along the axes, of which some may be missing.
template <int dim>
struct Grid
{
  std::array<std::vector<double>, dim> lines; ///< coordinates between cells, ascending [length]
  bool simplices = false;
  std::function<bool(const std::array<unsigned int, dim> &)> is_there; ///< empty: all are
};

/// Lines that divide @p length, centred about zero, into @p n equal cells.
std::vector<double> equal_lines(double length, unsigned int n);

/// The same with cells that grow by @p ratio from the first to the last one.
std::vector<double> graded_lines(double length, unsigned int n, double ratio);

/// The thickness is the smallest extent of the grid unless it is set.
template <int dim>
Part<dim> make_part(const Grid<dim> &grid);

/// A box centred at the origin.
template <int dim>
Part<dim> make_box(const Vec<dim> &lengths, const std::array<unsigned int, dim> &n,
                   bool simplices = false);

/// Turn about the origin, then shift.
template <int dim>
void place(Part<dim> &part, const Frame<dim> &frame, const Vec<dim> &shift);

/// Velocities of a rigid motion about @p centre.
template <int dim>
void set_motion(Part<dim> &part, const Vec<dim> &velocity, const Vec<3> &spin = {},
                const Vec<dim> &centre = {});

/// The middle of all vertices [length].
template <int dim>
Vec<dim> centre(const Part<dim> &part);

template <int dim>
Box<dim> box_of(const Part<dim> &part);

// -- kinds ----------------------------------------------------------------------------------------

/// A family of scenes.
template <int dim>
struct Kind
{
  std::string name;
  std::string what; ///< for --list
  std::function<void(Random &, Scene<dim> &)> make;
};

/// All of them, in the order of the table.
template <int dim>
const std::vector<Kind<dim>> &kinds();

template <int dim>
std::vector<Kind<dim>> thin_kinds();
template <int dim>
std::vector<Kind<dim>> body_kinds();
template <int dim>
std::vector<Kind<dim>> wall_kinds();
template <int dim>
std::vector<Kind<dim>> impact_kinds();

/// The scene of a kind and a seed. Throws std::invalid_argument for unknown kinds.
template <int dim>
Scene<dim> make_scene(const std::string &kind, std::uint64_t seed);
} // namespace Scenes

#endif
