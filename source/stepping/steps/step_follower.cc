#include <kickdrift/base/archive_checks.h>
#include <kickdrift/stepping/division/distribution.h>
#include <kickdrift/stepping/steps/step_follower.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace KickDrift
{
namespace
{
// Kicks deformed less than this have the critical step of the reference state.
constexpr double small_strain = 0.03;
// A change of the deformation that calls for a new calculation, relative to (0.5 + the deformation
// before), if the step is at most half the critical one; less if it is longer.
constexpr double small_change = 0.1;
// A change of the critical step that classes follow, as a share of it; less if steps may be longer
// than half the critical ones.
constexpr double change_to_follow = 0.1;
// Looks at a deformed kick of which one calculates anew even if its deformation seems the same.
constexpr unsigned int looks_between_calculations = 32;
constexpr unsigned int most_steps_between_looks = 64;
// A fixed step follows nothing, and may be longer than what single kicks bear: looks say when the
// run has to stop.
constexpr unsigned int fixed_steps_between_looks = 16;
// Steps of the coarsest class after which nodes may have become faster.
constexpr unsigned int steps_between_speeds = 4;

/// How much longer a critical step is than a step that is @p ratio times as long, as a share of the
/// step; 0 if it is shorter.
double
reserve(const double ratio)
{
  return std::max(0., (1 - ratio) / ratio);
}

/// Is one ratio worse than another? The first that has no critical step any more stays: others
/// follow it.
bool
is_worse(const double ratio, const double than)
{
  return !(ratio <= than) && !std::isnan(than);
}

/// A length of the cell of a kick: the smallest distance of two of its nodes in the reference
/// state.
template <int spacedim>
double
smallest_distance(const NodeTable<spacedim> &nodes, const std::vector<unsigned int> &support)
{
  double square = std::numeric_limits<double>::infinity();
  for (unsigned int i = 0; i < support.size(); ++i)
    for (unsigned int j = 0; j < i; ++j)
      square = std::min(square,
                        nodes.reference(support[i]).distance_square(nodes.reference(support[j])));
  return std::sqrt(square);
}

/// Nodes that are drifted to one time while it lives, and are given back their own times and
/// positions then.
template <int spacedim>
class Synchronised
{
public:
  Synchronised(NodeTable<spacedim> &nodes, std::vector<unsigned int> some, const double time)
      : nodes(nodes), some(std::move(some))
  {
    own.reserve(this->some.size());
    for (const unsigned int node : this->some)
    {
      own.push_back(nodes[node]);
      nodes[node].drift(time);
    }
  }

  Synchronised(const Synchronised &) = delete;

  ~Synchronised()
  {
    // backwards, as a node may be named twice
    for (unsigned int i = some.size(); i-- > 0;)
      nodes[some[i]] = own[i];
  }

private:
  NodeTable<spacedim> &nodes;
  const std::vector<unsigned int> some;
  AlignedVector<NodeState> own;
};
} // namespace

template <int spacedim>
StepFollower<spacedim>::StepFollower(NodeTable<spacedim> &nodes,
                                     const KickFamilies<spacedim> &families,
                                     const StepperParameters &parameters)
    : nodes(nodes), families(families), parameters(parameters)
{
}

template <int spacedim>
std::vector<double>
StepFollower<spacedim>::find_critical_steps()
{
  with_ids = families.with_ids();
  critical = std::make_unique<CriticalSteps<spacedim>>(with_ids, nodes, parameters.mass_for_steps);
  std::vector<double> result = critical->reference();
  varies.clear();
  for (const auto &family : with_ids)
    varies.resize(varies.size() + family->n_kicks(), !family->has_constant_steps());
  const std::vector<double> times = families.damping_times();
  bool is_damped = false;
  for (unsigned int f = 0; f < families.size(); ++f)
    if (families[f].role == KickRole::follower && !families[f].kicks->has_constant_steps())
    {
      is_damped = true;
      for (const unsigned int id : families[f].followed)
        varies[id] = 1;
    }
  if (!is_damped && times.empty())
    return result;
  undamped_reference = result;
  for (unsigned int id = 0; id < times.size(); ++id)
    result[id] = damped_step(result[id], times[id] / result[id]);
  return result;
}

template <int spacedim>
bool
StepFollower<spacedim>::is_constant() const
{
  return std::none_of(varies.begin(), varies.end(), [](const char one) { return one; });
}

template <int spacedim>
void
StepFollower<spacedim>::start(const TimeLevels &levels,
                              std::shared_ptr<Distribution<spacedim>> among_processes)
{
  distribution = std::move(among_processes);
  if (is_constant())
  {
    critical.reset();
    return;
  }
  step_ratio = levels.largest_step_ratio();
  double sum_of_steps = 0;
  wave_speed = std::numeric_limits<double>::infinity();
  unsigned int id = 0, n_limited = 0;
  for (const auto &family : with_ids)
    for (unsigned int k = 0; k < family->n_kicks(); ++k, ++id)
    {
      steps.push_back(levels.critical_step(id));
      if (!varies[id] || !std::isfinite(steps.back()))
        continue;
      sum_of_steps += steps.back();
      wave_speed =
          std::min(wave_speed, smallest_distance(nodes, family->support(k)) / steps.back());
      ++n_limited;
    }
  tick_length = levels.has_classes() ? levels.classes().base
                                     : parameters.time_step_ratio * sum_of_steps / n_limited;
  undamped = undamped_reference;
  reported.assign(steps.begin(), steps.end());
  deformations.assign(steps.size(), 0.f);
  classes_changed(levels);
  next_look = 0;
}

template <int spacedim>
std::vector<double>
StepFollower<spacedim>::first_patience() const
{
  constexpr double n_transits = 20; // eight periods or so of the lowest vibration
  std::vector<double> result(varies.size(), 0.);
  if (is_constant())
    return result;
  // bodies: nodes that kicks connect, each named by one of its nodes
  std::vector<unsigned int> name(nodes.size());
  std::iota(name.begin(), name.end(), 0u);
  const auto body_of = [&](unsigned int node)
  {
    while (name[node] != node)
      node = name[node] = name[name[node]];
    return node;
  };
  const auto for_each_watched = [&](const auto &f)
  {
    unsigned int id = 0;
    for (const auto &family : with_ids)
      for (unsigned int k = 0; k < family->n_kicks(); ++k, ++id)
        if (varies[id])
          f(id, family->support(k));
  };
  for_each_watched(
      [&](unsigned int, const std::vector<unsigned int> &support)
      {
        for (const unsigned int node : support)
          name[body_of(node)] = body_of(support[0]);
      });
  struct Extent
  {
    dealii::Point<spacedim> lower, upper;
    double wave_speed = std::numeric_limits<double>::infinity();
    bool is_empty = true;
  };
  std::unordered_map<unsigned int, Extent> bodies;
  for_each_watched(
      [&](const unsigned int id, const std::vector<unsigned int> &support)
      {
        Extent &body = bodies[body_of(support[0])];
        for (const unsigned int node : support)
          for (unsigned int d = 0; d < spacedim; ++d)
          {
            const double x = nodes.reference(node)[d];
            body.lower[d] = body.is_empty ? x : std::min(x, body.lower[d]);
            body.upper[d] = body.is_empty ? x : std::max(x, body.upper[d]);
            body.is_empty = body.is_empty && d + 1 < spacedim;
          }
        if (std::isfinite(steps[id]))
          body.wave_speed =
              std::min(body.wave_speed, smallest_distance(nodes, support) / steps[id]);
      });
  for_each_watched(
      [&](const unsigned int id, const std::vector<unsigned int> &support)
      {
        const Extent &body = bodies[body_of(support[0])];
        if (std::isfinite(body.wave_speed))
          result[id] = n_transits * body.lower.distance(body.upper) / body.wave_speed;
      });
  return result;
}

template <int spacedim>
void
StepFollower<spacedim>::update_classes(const TimeLevels &levels)
{
  watched.assign(levels.has_classes() ? levels.classes().n_classes : 1, {});
  any_watched.assign(watched.size(), 0);
  unsigned int id = 0;
  for (unsigned int f = 0; f < with_ids.size(); ++f)
    for (unsigned int k = 0; k < with_ids[f]->n_kicks(); ++k, ++id)
    {
      if (!varies[id] || families.ended(id))
        continue;
      const unsigned int c = class_of(id, levels);
      any_watched[c] = 1;
      if (!elsewhere(id))
        watched[c].push_back({id, f, k});
    }
}

template <int spacedim>
unsigned int
StepFollower<spacedim>::class_of(const unsigned int id, const TimeLevels &levels)
{
  return levels.has_classes() ? levels.classes().of_kick[id] : 0;
}

template <int spacedim>
bool
StepFollower<spacedim>::elsewhere(const unsigned int id) const
{
  return distribution && families.elsewhere(id);
}

template <int spacedim>
void
StepFollower<spacedim>::ended(const unsigned int id)
{
  if (steps.empty() || !varies[id])
    return;
  steps[id] = std::numeric_limits<double>::infinity();
  has_news = true;
  for (unsigned int c = 0; c < watched.size(); ++c)
  {
    auto &of_class = watched[c];
    const auto kick = std::lower_bound(of_class.begin(), of_class.end(), id, // ids ascend
                                       [](const Watched &one, const unsigned int wanted)
                                       { return one.id < wanted; });
    if (kick == of_class.end() || kick->id != id)
      continue;
    of_class.erase(kick);
  }
  if (id_of_worst == id)
    worst = 0; // until the next looks
}

template <int spacedim>
void
StepFollower<spacedim>::resume(const TimeLevels &levels)
{
  if (is_constant())
    return;
  // classes whose kicks have all ended count until classes change
  const std::vector<char> any_before = any_watched;
  update_classes(levels);
  any_watched = any_before;
}

template <int spacedim>
void
StepFollower<spacedim>::classes_changed(const TimeLevels &levels)
{
  if (is_constant())
    return;
  update_classes(levels);
  worst = 0;
  std::vector<std::vector<unsigned int>> of_class(watched.size());
  for (unsigned int id = 0; id < varies.size(); ++id)
    if (varies[id])
      of_class[class_of(id, levels)].push_back(id);
  for (unsigned int c = 0; c < watched.size(); ++c)
    if (any_watched[c])
      for (const unsigned int id : of_class[c])
        note_ratio(id, levels);
}

template <int spacedim>
unsigned int
StepFollower<spacedim>::steps_between_looks() const
{
  if (parameters.time_step > 0)
    return fixed_steps_between_looks;
  const double n = reserve(step_ratio) * wave_speed / fastest;
  unsigned int result = 1;
  while (result < most_steps_between_looks && 2 * result <= n)
    result *= 2;
  return result;
}

template <int spacedim>
bool
StepFollower<spacedim>::look(const TimeLevels &levels)
{
  const double time = next_look;
  unsigned int finest = watched.size() - 1, coarsest = 0;
  for (unsigned int c = 0; c < watched.size(); ++c)
    if (any_watched[c])
    {
      finest = std::min(finest, c);
      coarsest = c;
    }
  const std::uint64_t until_next_speed = std::uint64_t(steps_between_speeds) << coarsest;
  if (tick % until_next_speed == 0)
    fastest = largest_speed();
  const std::uint64_t n_steps = steps_between_looks();
  const bool is_full = tick % (n_steps << (watched.size() - 1)) == 0;
  if (is_full)
    worst = std::isnan(worst) ? worst : 0;
  const double worst_before = worst;
  const unsigned int id_before = id_of_worst;
  for (unsigned int c = watched.size(); c-- > 0;)
    if (tick % (n_steps << c) == 0)
      for (const Watched &kick : watched[c])
      {
        const std::uint64_t n_looks = tick / (n_steps << c); // so far, about
        look_at(kick, time, (n_looks + kick.id) % looks_between_calculations == 0, levels);
      }
  if (distribution)
    share_look(worst_before, id_before, levels);
  const std::uint64_t period = std::min(n_steps << finest, until_next_speed);
  tick = (tick / period + 1) * period;
  next_look = tick * tick_length;
  const double in_danger = 0.5 * (1 + step_ratio);
  if (!((has_news || levels.is_waiting()) && (is_full || worst > in_danger)))
    return false;
  has_news = false;
  if (distribution)
    share_steps(true);
  reported.assign(steps.begin(), steps.end());
  return true;
}

template <int spacedim>
double
StepFollower<spacedim>::largest_speed() const
{
  double result = 0;
  for (unsigned int node = 0; node < nodes.size(); ++node)
    if (!distribution || distribution->owns(node))
      result = std::max(result, nodes.velocity(node).norm());
  if (distribution)
    for (const double of_process : parameters.ranks->gather({result}, each(1)))
      result = std::max(result, of_process);
  return result;
}

/// A process has found a ratio if it is above the one before, or not a number; that is found once.
/// Of those, the one comes first that a single process would keep: a number that is none, the
/// largest, of equal ones that which it sees first.
template <int spacedim>
void
StepFollower<spacedim>::share_look(const double worst_before, const unsigned int id_before,
                                   const TimeLevels &levels)
{
  has_looked = true;
  const bool found = is_worse(worst, worst_before);
  const auto all = parameters.ranks->gather(
      {double(has_news), double(found), worst, double(id_of_worst)}, each(4));
  worst = worst_before;
  id_of_worst = id_before;
  const auto order = [&](const double ratio, const unsigned int id)
  {
    return std::make_tuple(!std::isnan(ratio), std::isnan(ratio) ? 0. : -ratio,
                           -static_cast<int>(class_of(id, levels)), id);
  };
  bool any = false;
  for (unsigned int i = 0; i < all.size(); i += 4)
  {
    has_news = has_news || all[i] != 0;
    const double ratio = all[i + 2];
    const unsigned int id = all[i + 3];
    if (all[i + 1] == 0 || (any && order(worst, id_of_worst) <= order(ratio, id)))
      continue;
    any = true;
    worst = ratio;
    id_of_worst = id;
  }
}

template <int spacedim>
void
StepFollower<spacedim>::share_steps(const bool for_all)
{
  std::vector<double> of_deformations(deformations.begin(), deformations.end());
  std::vector<std::vector<double> *> numbers = {&steps, &of_deformations};
  if (!undamped.empty())
    numbers.push_back(&undamped);
  distribution->gather_by_id(numbers, for_all);
  deformations.assign(of_deformations.begin(), of_deformations.end());
  has_looked = false;
}

template <int spacedim>
void
StepFollower<spacedim>::gather()
{
  for (const double of_process : parameters.ranks->gather(
           {static_cast<double>(std::exchange(above_critical_here, 0))}, each(1)))
    above_critical += of_process;
  if (has_looked)
    share_steps(false);
}

/// How many numbers processes send each other, if all send as many.
template <int spacedim>
std::vector<std::size_t>
StepFollower<spacedim>::each(const unsigned int n) const
{
  return std::vector<std::size_t>(parameters.ranks->size(), n);
}

template <int spacedim>
void
StepFollower<spacedim>::look_at(const Watched &kick, const double time, const bool is_due,
                                const TimeLevels &levels)
{
  const Kicks<spacedim> &family = *with_ids[kick.family];
  const Synchronised<spacedim> synchronised(nodes, family.support(kick.kick), time);
  const bool is_damped = !undamped.empty();
  double &step = is_damped ? undamped[kick.id] : steps[kick.id];
  const double ratio = levels.natural_step(kick.id) / steps[kick.id];
  const double tolerance = small_change * std::min(1., reserve(ratio));
  const double deformation = family.deformation(nodes, kick.kick);
  const double before = deformations[kick.id];
  if (deformation <= small_strain)
  {
    step = is_damped ? undamped_reference[kick.id] : levels.critical_step(kick.id);
    deformations[kick.id] = 0;
  }
  else if (is_due || !(std::abs(deformation - before) <= tolerance * (0.5 + before)))
  {
    step = critical->current(nodes, kick.family, kick.kick);
    deformations[kick.id] = deformation;
  }
  if (is_damped)
    steps[kick.id] = with_damping(kick, step);
  const double now = steps[kick.id];
  constexpr double rounding = 1e-10; // of steps that are as long as may be
  if (parameters.time_step == 0 && levels.step(kick.id) > (1 + rounding) * now)
    note_above_critical(kick.id);
  const double change = change_to_follow * std::min(1., reserve(step_ratio));
  has_news = has_news ||
             (now != reported[kick.id] && !(std::abs(now - reported[kick.id]) <= change * now));
  note_ratio(kick.id, levels);
}

/// Several processes may hold the kick: the first of them counts.
template <int spacedim>
void
StepFollower<spacedim>::note_above_critical(const unsigned int id)
{
  if (!distribution)
  {
    ++above_critical;
    return;
  }
  const unsigned int holder = distribution->first_holder(id);
  above_critical_here += holder == parameters.ranks->rank() ||
                         (holder == NodeOwners::everybody && parameters.ranks->is_first());
}

template <int spacedim>
double
StepFollower<spacedim>::with_damping(const Watched &kick, const double undamped_step) const
{
  double time = 0;
  families.for_each_kick(kick.id, [&](const Kicks<spacedim> &kicks, const unsigned int k)
                         { time += kicks.current_damping_time(nodes, k); });
  return damped_step(undamped_step,
                     time * undamped_step / std::pow(undamped_reference[kick.id], 2));
}

template <int spacedim>
void
StepFollower<spacedim>::note_ratio(const unsigned int id, const TimeLevels &levels)
{
  const double ratio = levels.natural_step(id) / steps[id];
  if (is_worse(ratio, worst))
  {
    worst = ratio;
    id_of_worst = id;
  }
}

template <int spacedim>
void
StepFollower<spacedim>::serialize(Archive &archive)
{
  archive.section("critical steps");
  archive.fixed(steps, undamped, reported, deformations, any_watched);
  archive(fastest, next_look, tick, has_news, worst, id_of_worst, above_critical);
  check_state(id_of_worst == 0 || id_of_worst < steps.size(), "stepper");
}

template class StepFollower<2>;
template class StepFollower<3>;
} // namespace KickDrift
