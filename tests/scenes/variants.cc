#include "scenes/variants.h"

#include <algorithm>
#include <stdexcept>

namespace Scenes
{
namespace
{
constexpr double far = 1e4; ///< from the origin, over the size of a scene

/// Apply @p f to all vectors of a scene: places, velocities, accelerations, directions.
template <int dim, typename Place, typename Velocity, typename Acceleration>
void
change(Scene<dim> &scene, const Place &place, const Velocity &velocity,
       const Acceleration &acceleration)
{
  for (SceneBody<dim> &body : scene.bodies)
  {
    for (Part<dim> &part : body.parts)
    {
      for (auto &x : part.vertices)
        x = place(x);
      for (auto &v : part.velocities)
        v = velocity(v);
    }
    body.gravity = acceleration(body.gravity);
    body.drive_velocity = velocity(body.drive_velocity);
    body.drive_centre = place(body.drive_centre);
  }
  for (Plane<dim> &plane : scene.planes)
  {
    plane.point = place(plane.point);
    plane.velocity = velocity(plane.velocity);
  }
}

template <int dim>
void
shift(Scene<dim> &scene, const Vec<dim> &by)
{
  const auto same = [](const Vec<dim> &x) { return x; };
  change(
      scene, [&](const Vec<dim> &x) { return x + by; }, same, same);
}

template <int dim>
void
scale(Scene<dim> &scene, const double length, const double time, const double mass)
{
  const auto by = [](const double factor)
  { return [factor](const Vec<dim> &x) { return factor * x; }; };
  change(scene, by(length), by(length / time), by(length / (time * time)));
  for (SceneBody<dim> &body : scene.bodies)
  {
    body.density *= mass / std::pow(length, dim);
    body.stiffness *= mass / std::pow(length, dim - 2) / (time * time);
    body.drive_spin = (1 / time) * body.drive_spin;
    body.rigid_step *= time;
    for (Part<dim> &part : body.parts)
    {
      part.thickness *= length;
      part.cell_size *= length;
    }
  }
  scene.end_time *= time;
  scene.typical_speed *= length / time;
  scene.size *= length;
}
} // namespace

template <int dim>
void
turn(Scene<dim> &scene, const Frame<dim> &frame)
{
  const auto f = [&](const Vec<dim> &x) { return rotate(frame, x); };
  change(scene, f, f, f);
  for (Plane<dim> &plane : scene.planes)
    plane.outward = f(plane.outward);
  scene.along = f(scene.along);
  if constexpr (dim == 3)
    for (SceneBody<dim> &body : scene.bodies)
      body.drive_spin = f(body.drive_spin);
}

std::vector<std::string>
variant_names()
{
  return {"turned", "shifted", "reversed", "units"};
}

template <int dim>
Variant<dim>
make_variant(const Scene<dim> &scene, const std::string &name)
{
  Variant<dim> variant;
  variant.scene = scene;
  Random random(scene.seed + 1);
  if (name == "turned")
  {
    variant.frame = random.rotation<dim>();
    turn(variant.scene, variant.frame);
  }
  else if (name == "shifted")
  {
    variant.shift = far * scene.size * random.direction<dim>();
    shift(variant.scene, variant.shift);
  }
  else if (name == "reversed")
  {
    variant.is_reversed = true;
    std::reverse(variant.scene.bodies.begin(), variant.scene.bodies.end());
  }
  else if (name == "units") // powers of ten: roundings differ
  {
    variant.length = 1e-3;
    variant.time = 1e3;
    variant.mass = 1e6;
    scale(variant.scene, variant.length, variant.time, variant.mass);
  }
  else
    throw std::invalid_argument("There is no variant '" + name + "'.");
  return variant;
}

template <int dim>
std::string
compare(const Scene<dim> &scene, const Outcome<dim> &outcome, const Variant<dim> &variant,
        const Outcome<dim> &other, double &change)
{
  change = 0;
  std::string text;
  const auto note = [&](const std::string &what) { text += (text.empty() ? "" : ", ") + what; };
  const auto differ = [&](const std::string &what, const auto a, const auto b)
  {
    if (a != b)
      note(what + " " + std::to_string(a) + " and " + std::to_string(b));
  };
  if (outcome.error.empty() != other.error.empty())
    note("one stopped: " + outcome.error + other.error);
  differ("deep", outcome.findings.deep, other.findings.deep);
  differ("lost", outcome.findings.lost, other.findings.lost);
  differ("false", outcome.findings.false_pushes, other.findings.false_pushes);
  differ("touching pairs", outcome.findings.touched.size(), other.findings.touched.size());
  if (outcome.momenta.size() == other.momenta.size())
  {
    double scale = 0;
    for (const auto &momentum : outcome.momenta)
      scale += norm(momentum);
    // numbers of momenta by body: bodies that are elastic have one for each part
    const Skin<dim> skin(scene), other_skin(variant.scene);
    const auto first_of = [](const Skin<dim> &of, const unsigned int body)
    {
      unsigned int p = 0;
      while (of.pieces[p].body != body)
        ++p;
      return p;
    };
    const unsigned int n_bodies = scene.bodies.size();
    for (unsigned int p = 0; p < skin.pieces.size(); ++p)
    {
      const unsigned int b = skin.pieces[p].body,
                         other_b = variant.is_reversed ? n_bodies - 1 - b : b;
      const unsigned int q = p - first_of(skin, b) + first_of(other_skin, other_b);
      const Vec<dim> here = rotate(variant.frame, outcome.momenta[skin.momentum_of_piece[p]]);
      const Vec<dim> there = (variant.time / (variant.mass * variant.length)) *
                             other.momenta[other_skin.momentum_of_piece[q]];
      if (scale > 0)
        change = std::max(change, norm(there - here) / scale);
    }
  }
  return text;
}

template void turn(Scene<2> &, const Frame<2> &);
template void turn(Scene<3> &, const Frame<3> &);
template Variant<2> make_variant(const Scene<2> &, const std::string &);
template Variant<3> make_variant(const Scene<3> &, const std::string &);
template std::string compare(const Scene<2> &, const Outcome<2> &, const Variant<2> &,
                             const Outcome<2> &, double &);
template std::string compare(const Scene<3> &, const Outcome<3> &, const Variant<3> &,
                             const Outcome<3> &, double &);
} // namespace Scenes
