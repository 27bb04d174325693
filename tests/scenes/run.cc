#include "scenes/run.h"

#include "scenes/model.h"
#include "scenes/vtu.h"

#include <algorithm>
#include <chrono>
#include <sstream>
#include <stdexcept>

namespace Scenes
{
namespace
{
using Clock = std::chrono::steady_clock;

double
seconds_since(const Clock::time_point start)
{
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The sentence of the library, without where it was thrown.
std::string
one_line(const std::string &message)
{
  std::istringstream words(message);
  std::string result, word;
  while (words >> word)
    result += (result.empty() ? "" : " ") + word;
  const auto begin = result.find("Additional information: ");
  if (begin != std::string::npos)
    result = result.substr(begin + 24);
  const auto end = result.find(" -----");
  if (end != std::string::npos)
    result = result.substr(0, end);
  return result.substr(0, 200);
}

/// One scene, one model, one oracle.
template <int dim>
class Run
{
public:
  Run(const Scene<dim> &scene, const RunOptions &options)
      : scene(scene), options(options), skin(scene)
  {
    for (const auto &body : scene.bodies)
      has_weight = has_weight || norm(body.gravity) > 0;
  }

  Outcome<dim>
  result()
  {
    const double overlap = Oracle<dim>(skin, 1).overlap(positions(scene));
    if (overlap >= 0)
      throw std::logic_error("The pieces of " + scene.kind + " " + std::to_string(scene.seed) +
                             " overlap or touch at the start, by " + std::to_string(overlap));
    const auto start = Clock::now();
    try
    {
      run();
    }
    catch (const std::exception &error)
    {
      outcome.error = one_line(error.what());
      if (outcome.error.empty())
        outcome.error = "an exception without text";
    }
    outcome.seconds = seconds_since(start) - outcome.seconds_of_oracle;
    return outcome;
  }

private:
  void run();
  void look(Oracle<dim> &oracle);
  void look_at_energy();
  void look_at_impact();
  void look_at_slider();
  void conclude(Oracle<dim> &oracle);

  const Scene<dim> &scene;
  const RunOptions &options;
  const Skin<dim> skin;
  bool has_weight = false;
  std::unique_ptr<Model<dim>> model;
  Outcome<dim> outcome;
  typename Model<dim>::Energies first{0, 0};
  std::vector<Vec<dim>> first_momenta;
  Vec<3> first_angular_momentum;
  double energy_scale = 1, momentum_scale = 1;
  /// Since the last look: what an impact takes for a moment comes back.
  double most_energy = -std::numeric_limits<double>::infinity();
  double seconds = 0;                                 ///< of the library
  std::vector<typename Model<dim>::Impulse> impulses; ///< at the last look
  std::uint64_t n_collisions = 0;                     ///< at the last look
};

template <int dim>
void
Run<dim>::look(Oracle<dim> &oracle)
{
  const auto start = Clock::now();
  oracle.look(outcome.time, model->positions(), model->velocities(),
              has_weight ? std::vector<Vec<dim>>() : model->momenta());
  outcome.seconds_of_oracle += seconds_since(start);
}

template <int dim>
void
Run<dim>::look_at_energy()
{
  const auto now = model->energies();
  outcome.energy_growth =
      std::max(outcome.energy_growth, (now.mechanical - first.mechanical) / energy_scale);
  outcome.energy_error =
      std::max(outcome.energy_error, std::abs(now.total - first.total) / energy_scale);
}

/// Momenta that are kept, and friction at each instant.
template <int dim>
void
Run<dim>::look_at_impact()
{
  Vec<dim> sum;
  for (unsigned int i = 0; i < first_momenta.size(); ++i)
    sum = sum + (model->momenta()[i] - first_momenta[i]);
  outcome.momentum_error = std::max(outcome.momentum_error, norm(sum) / momentum_scale);
  outcome.angular_error =
      std::max(outcome.angular_error, norm(model->angular_momentum() - first_angular_momentum) /
                                          (momentum_scale * scene.size));
  // normals of two contacts at one node may cancel, their friction not: one at a time can be judged
  const auto now = model->impulses();
  const bool is_single = model->n_collisions() == n_collisions + 1;
  for (unsigned int v = 0; v < now.size() && is_single; ++v)
  {
    const Vec<dim> friction = now[v].friction - impulses[v].friction,
                   rest = now[v].all - impulses[v].all - friction;
    const double excess = norm(friction) - scene.friction * norm(rest);
    outcome.friction_excess = std::max(outcome.friction_excess, excess / momentum_scale);
  }
  impulses = now;
  n_collisions = model->n_collisions();
}

template <int dim>
void
Run<dim>::look_at_slider()
{
  if (scene.expectation == Expectation::keeps_speed)
  {
    const double speed = dot(model->momenta()[0], scene.along),
                 at_start = dot(first_momenta[0], scene.along);
    outcome.change = std::max(outcome.change, std::abs(speed / at_start - 1));
  }
  else if (scene.expectation == Expectation::keeps_energy && std::isfinite(most_energy))
  {
    outcome.change =
        std::max(outcome.change, std::abs(most_energy - first.mechanical) / energy_scale);
    most_energy = -std::numeric_limits<double>::infinity();
  }
}

template <int dim>
void
Run<dim>::run()
{
  model = std::make_unique<Model<dim>>(scene, skin, options.with_contact, options.step_share);
  momentum_scale = model->mass() * scene.typical_speed;
  energy_scale = 0.5 * momentum_scale * scene.typical_speed;
  Oracle<dim> oracle(skin, momentum_scale);
  try
  {
    model->start();
    first = model->energies();
    first_momenta = model->momenta();
    first_angular_momentum = model->angular_momentum();
    impulses = model->impulses();
    if (scene.expectation != Expectation::never_touch)
      oracle.allow_pushes_ahead(2 * model->longest_step()); // this one, and kicks on the way
    look(oracle);
    VtuFiles<dim> files(scene, options.vtu);
    files.write(model->positions());
    // energies need all nodes at one time, which costs as much as several instants
    constexpr unsigned int n_energies = 50;
    unsigned int energies = 0, pictures = 1;
    while (outcome.time < scene.end_time && oracle.findings().instants < options.most_instants)
    {
      outcome.time = std::min(model->next_time(), scene.end_time);
      const auto before = Clock::now();
      model->advance_to(outcome.time);
      seconds += seconds_since(before);
      look(oracle);
      if (seconds > options.most_seconds)
        throw std::runtime_error("It takes too long.");
      const double share =
          std::max(outcome.time / scene.end_time,
                   oracle.findings().instants / static_cast<double>(options.most_instants));
      if (scene.expectation == Expectation::impact)
        look_at_impact();
      if (scene.expectation == Expectation::keeps_energy)
        most_energy = std::max(most_energy, model->energies().mechanical);
      if (share * n_energies >= energies + 1)
      {
        energies = static_cast<unsigned int>(share * n_energies);
        look_at_energy();
        look_at_slider();
      }
      if (share * options.n_vtu >= pictures)
      {
        ++pictures;
        files.write(model->positions());
      }
    }
    look_at_energy();
    look_at_slider();
  }
  catch (...)
  {
    conclude(oracle);
    throw;
  }
  conclude(oracle);
}

template <int dim>
void
Run<dim>::conclude(Oracle<dim> &oracle)
{
  outcome.findings = oracle.conclude();
  outcome.collisions = model->n_collisions();
  outcome.momenta = model->momenta();
  const auto x = model->positions();
  for (const PieceSkin<dim> &piece : skin.pieces)
  {
    Vec<dim> sum;
    for (unsigned int v = 0; v < piece.n_vertices; ++v)
      sum = sum + x[piece.first_vertex + v];
    outcome.centres.push_back((1. / piece.n_vertices) * sum);
  }
}
} // namespace

template <int dim>
bool
Outcome<dim>::has_failed(const Scene<dim> &scene) const
{
  return !error.empty() || findings.deep > 0 || findings.lost > 0 || findings.false_pushes > 0 ||
         energy_growth > allowed_growth || momentum_error > rounding || angular_error > rounding ||
         friction_excess > rounding || change > scene.allowed_change;
}

template <int dim>
Outcome<dim>
run_scene(const Scene<dim> &scene, const RunOptions &options)
{
  Outcome<dim> outcome = Run<dim>(scene, options).result();
  if (!(outcome.energy_growth > allowed_growth) || !outcome.error.empty())
    return outcome;
  // what goes with the square of the step is error of integration, not of contact
  Scene<dim> as_far = scene;
  as_far.end_time = outcome.time;
  RunOptions finer = options;
  finer.step_share *= 0.5;
  finer.most_instants *= 4;
  finer.vtu.clear();
  const double growth = Run<dim>(as_far, finer).result().energy_growth;
  outcome.energy_growth = std::max(0., (4 * growth - outcome.energy_growth) / 3);
  return outcome;
}

template struct Outcome<2>;
template struct Outcome<3>;
template Outcome<2> run_scene(const Scene<2> &, const RunOptions &);
template Outcome<3> run_scene(const Scene<3> &, const RunOptions &);
} // namespace Scenes
