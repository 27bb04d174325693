#include <kickdrift/base/archive_checks.h>
#include <kickdrift/base/limits.h>
#include <kickdrift/contact/prediction/kinetic_hierarchy.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
using dealii::Point;
using dealii::Tensor;

using Limits::never;

/// Are subtrees with this many faces near the leaves, so that polytopes are worth their cost?
bool
is_near_leaves(const unsigned int n_faces)
{
  return n_faces <= 16;
}
} // namespace

template <int spacedim>
KineticHierarchy<spacedim>::KineticHierarchy(const Surface<spacedim> &surface,
                                             std::vector<AccelerationBounds<spacedim>> bounds,
                                             const double resolution, KineticScope<spacedim> scope)
    : surface(surface),
      bounds(std::move(bounds)),
      resolution(resolution),
      scope(std::move(scope)),
      motions(this->scope.obstacles.size()),
      broken_motions(this->scope.obstacles.size())
{
  AssertThrow(resolution > 0,
              dealii::ExcMessage("The resolution of a kinetic hierarchy cannot be " +
                                 std::to_string(resolution) + "; allowed is a time above 0."));
  AssertThrow(this->bounds.size() == surface.body_names.size(),
              dealii::ExcDimensionMismatch(this->bounds.size(), surface.body_names.size()));
  for (const auto &obstacle : this->scope.obstacles)
  {
    if (!obstacle.displacement)
      continue;
    const std::string moves = "Obstacle '" + obstacle.name + "' moves: ";
    AssertThrow(obstacle.largest_acceleration && *obstacle.largest_acceleration >= 0,
                dealii::ExcMessage(
                    moves + "its largest acceleration must be known, and not be negative; it is " +
                    (obstacle.largest_acceleration ? std::to_string(*obstacle.largest_acceleration)
                                                   : "missing") +
                    "."));
    AssertThrow(
        resolution < never,
        dealii::ExcMessage(moves + "the resolution of a kinetic hierarchy must be finite."));
  }
  done.assign(n_targets() * n_targets(), 0);
}

template <int spacedim>
double
KineticHierarchy<spacedim>::next_time() const
{
  return looks.empty() ? 0. : looks.back().next_time;
}

template <int spacedim>
void
KineticHierarchy<spacedim>::update(const NodeTable<spacedim> &nodes, const double time)
{
  if (looks.empty())
    build_trees(nodes);
  else
    check_bounds(nodes, time);
  move_obstacles(time);

  const unsigned int no_body = -1;
  looks.push_back({time, no_body, no_body, 0, never});
  while (!queue.empty() && queue.top().time <= time + resolution)
  {
    const Pair pair = queue.top();
    queue.pop();
    update_pair(pair, nodes, time);
  }
  while (!queue.empty() &&
         is_done(subtrees[queue.top().first].body, subtrees[queue.top().second].body))
    queue.pop();
  looks.back().next_time = queue.empty() ? never : queue.top().time;

  last_velocities.resize(nodes.size());
  for (unsigned int node = 0; node < nodes.size(); ++node)
    last_velocities[node] = nodes.velocity(node);
}

template <int spacedim>
void
KineticHierarchy<spacedim>::finish(const NodeTable<spacedim> &nodes, const double time)
{
  if (!looks.empty() && time > looks.back().time && !is_complete())
    check_bounds(nodes, time);
}

/// One more step down from where the time of a pair has come from.
template <int spacedim>
void
KineticHierarchy<spacedim>::update_pair(const Pair &pair, const NodeTable<spacedim> &nodes,
                                        const double time)
{
  const Subtree &first = subtrees[pair.first], &second = subtrees[pair.second];
  if (is_done(first.body, second.body))
    return;
  WakeUp &look = looks.back();
  if (look.first_body >= n_targets())
  {
    look.first_body = first.body;
    look.second_body = second.body;
  }
  look.level = std::max(look.level, first.depth + second.depth);
  if (pair.first == pair.second)
  {
    split_in_itself(pair, nodes, time);
    return;
  }
  switch (pair.stage)
  {
  case Stage::earlier:
    push(pair, time + sphere_bound(pair, nodes), Stage::sphere);
    break;
  case Stage::sphere:
    ++look.box_tests;
    push(pair, time + (second.is_obstacle() ? plane_bound(pair, nodes) : box_bound(pair)),
         Stage::box);
    break;
  case Stage::box:
    if (second.is_obstacle())
    {
      go_down(pair, nodes, time);
      break;
    }
    ++look.oriented_tests;
    push(pair, time + oriented_bound(pair, nodes), Stage::oriented);
    break;
  case Stage::oriented:
    if (is_near_leaves(first.end - first.begin) && is_near_leaves(second.end - second.begin))
    {
      ++look.polytope_tests;
      push(pair, time + polytope_bound(pair, nodes), Stage::polytope);
    }
    else
      go_down(pair, nodes, time);
    break;
  case Stage::polytope:
    go_down(pair, nodes, time);
    break;
  case Stage::contact:
    is_done(first.body, second.body) = 1;
    found.push_back({pair.time, first.body, second.body, face_order[first.begin],
                     second.is_obstacle() ? FirstContact::no_face : face_order[second.begin]});
    look.distance = 0;
    break;
  }
}

/// Put a pair back with a later time, if there is one. Its time now is a bound, too.
template <int spacedim>
void
KineticHierarchy<spacedim>::push(Pair pair, const double time, const Stage stage)
{
  pair.time = std::max(pair.time, time);
  pair.stage = stage;
  if (pair.time == never)
    return;
  pair.number = n_pairs++;
  // beyond this look it will be looked at anew
  if (pair.time > looks.back().time + resolution)
  {
    note_distance(pair);
    pair.stage = Stage::earlier;
  }
  queue.push(pair);
}

template <int spacedim>
void
KineticHierarchy<spacedim>::note_distance(const Pair &pair)
{
  const Subtree &first = subtrees[pair.first], &second = subtrees[pair.second];
  double &distance = looks.back().distance;
  if (second.is_obstacle())
  {
    const unsigned int obstacle = obstacle_of(second);
    const double of_center = scope.obstacles[obstacle].shape->distance(
        first.sphere.center - motions[obstacle].displacement);
    distance = std::min(distance, std::max(0., of_center - first.sphere.radius));
    return;
  }
  const double by_spheres = (second.sphere.center - first.sphere.center).norm() -
                            first.sphere.radius - second.sphere.radius;
  distance = std::min(distance, std::max(by_spheres, distance_bound(first.box, second.box)));
}

template <int spacedim>
void
KineticHierarchy<spacedim>::go_down(const Pair &pair, const NodeTable<spacedim> &nodes,
                                    const double time)
{
  const Subtree &first = subtrees[pair.first], &second = subtrees[pair.second];
  if (!first.is_leaf() || !second.is_leaf())
    split(pair, nodes, time);
  else if (second.is_obstacle())
    test_nodes(pair, nodes, time);
  else
    test_faces(pair, nodes, time);
}

/// Replace the larger of two subtrees by its children.
template <int spacedim>
void
KineticHierarchy<spacedim>::split(const Pair &pair, const NodeTable<spacedim> &nodes,
                                  const double time)
{
  const Subtree &first = subtrees[pair.first], &second = subtrees[pair.second];
  const bool split_first =
      !first.is_leaf() && (second.is_leaf() || first.sphere.radius >= second.sphere.radius);
  for (const unsigned int child : split_first ? first.children : second.children)
    push_new(pair, split_first ? child : pair.first, split_first ? pair.second : child, nodes,
             time);
}

/// Replace a subtree and itself by its children and themselves, and each other.
template <int spacedim>
void
KineticHierarchy<spacedim>::split_in_itself(const Pair &pair, const NodeTable<spacedim> &nodes,
                                            const double time)
{
  const Subtree &subtree = fitted(pair.first, nodes);
  const bool is_rigid = subtree.sphere.growth == 0 && subtree.sphere.growth_rate == 0;
  if (subtree.is_leaf() || is_rigid)
    return;
  const unsigned int left = subtree.children[0], right = subtree.children[1];
  push_new(pair, left, left, nodes, time);
  push_new(pair, right, right, nodes, time);
  push_new(pair, left, right, nodes, time);
}

/// Put a part of a pair into the queue, unless it cannot touch.
template <int spacedim>
void
KineticHierarchy<spacedim>::push_new(Pair pair, const unsigned int first, const unsigned int second,
                                     const NodeTable<spacedim> &nodes, const double time)
{
  pair.first = first;
  pair.second = second;
  const Subtree &a = subtrees[first], &b = subtrees[second];
  if (first == second)
    push(pair, pair.time, Stage::earlier);
  else if (a.body != b.body || !a.is_leaf() || !b.is_leaf() ||
           !share_a_node(face_order[a.begin], face_order[b.begin]))
    push(pair, time + sphere_bound(pair, nodes), Stage::sphere);
}

template <int spacedim>
void
KineticHierarchy<spacedim>::check_bounds(const NodeTable<spacedim> &nodes, const double time)
{
  const double duration = time - looks.back().time;
  std::vector<char> is_checked(nodes.size(), 0);
  for (const auto &face : surface.faces)
    for (unsigned int c = 0; c < face.n_nodes; ++c)
    {
      const unsigned int node = face.nodes[c];
      if (is_checked[node]++)
        continue;
      const auto &bound = bounds[face.body];
      const Tensor<1, spacedim> change = nodes.velocity(node) - last_velocities[node];
      const double round_off =
          1e-12 * (nodes.velocity(node).norm() + duration * bound.acceleration.norm());
      if ((change - duration * bound.acceleration).norm() > duration * bound.deviation + round_off)
        ++broken_bounds;
    }
  for (unsigned int o = 0; o < motions.size(); ++o)
  {
    const Motion &motion = motions[o];
    const Tensor<1, spacedim> expected = motion.displacement + duration * motion.velocity,
                              error = motion_at(o, time).displacement - expected;
    const double round_off =
        1e-12 * (motion.displacement.norm() + duration * motion.velocity.norm());
    if (error.norm() > duration * (motion.growth + 0.5 * duration * motion.growth_rate) + round_off)
      ++broken_motions[o];
  }
}

template <int spacedim>
void
KineticHierarchy<spacedim>::move_obstacles(const double time)
{
  for (unsigned int o = 0; o < motions.size(); ++o)
    motions[o] = motion_at(o, time);
}

template <int spacedim>
typename KineticHierarchy<spacedim>::Motion
KineticHierarchy<spacedim>::motion_at(const unsigned int obstacle, const double time) const
{
  const Obstacle<spacedim> &moving = scope.obstacles[obstacle];
  Motion motion;
  if (!moving.displacement)
    return motion;
  motion.displacement = displacement_of(moving, time);
  const double later_time = std::max(time + resolution, std::nextafter(time, never)),
               duration = later_time - time;
  const Tensor<1, spacedim> later = displacement_of(moving, later_time);
  motion.velocity = (later - motion.displacement) / duration;
  motion.growth_rate = *moving.largest_acceleration;
  // the velocity now differs from the mean by half of what the acceleration makes, and is rounded
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  motion.growth = 0.5 * motion.growth_rate * duration +
                  4 * epsilon * (motion.displacement.norm() + later.norm()) / duration;
  return motion;
}

template <int spacedim>
void
KineticHierarchy<spacedim>::serialize(Archive &archive)
{
  archive.section("kinetic hierarchy");
  // a heap of pairs whose order is total: how it lies in memory does not matter
  std::vector<Pair> pairs;
  for (auto rest = queue; !rest.empty(); rest.pop())
    pairs.push_back(rest.top());
  archive(pairs);
  archive(face_order, subtrees, n_pairs, done, looks, found, last_velocities, broken_bounds);
  archive.fixed(motions, broken_motions);
  if (!archive.is_reading())
    return;
  for (const Pair &pair : pairs)
    check_state(pair.first < subtrees.size() && pair.second < subtrees.size() && pair.time >= 0 &&
                    is_enumerator(pair.stage, Stage::contact) &&
                    !subtrees[pair.first].is_obstacle(),
                "kinetic hierarchy");
  check_read();
  queue = std::priority_queue<Pair>(std::less<Pair>(), std::move(pairs));
}

template <int spacedim>
void
KineticHierarchy<spacedim>::check_read() const
{
  const std::string object = "kinetic hierarchy";
  const unsigned int n_bodies = bounds.size(), n_faces = surface.faces.size();
  check_state(done.size() == n_targets() * n_targets() &&
                  (looks.empty() || looks.back().next_time >= 0),
              object);
  for (const unsigned int face : face_order)
    check_state(face < n_faces, object);
  for (unsigned int i = 0; i < subtrees.size(); ++i)
  {
    const Subtree &subtree = subtrees[i];
    check_state(subtree.begin <= subtree.end && subtree.end <= face_order.size() &&
                    (subtree.is_obstacle() ? subtree.body >= n_bodies && subtree.body < n_targets()
                                           : subtree.body < n_bodies),
                object);
    // children come after their parents: there is no way round in circles
    for (const unsigned int child : subtree.children)
      check_state(subtree.is_leaf() || (child > i && child < subtrees.size()), object);
  }
  for (const FirstContact &contact : found)
    check_state(contact.first_body < n_bodies && contact.first_face < n_faces &&
                    (contact.second_body < n_bodies ? contact.second_face < n_faces
                                                    : contact.second_body < n_targets()),
                object);
  for (const auto &face : surface.faces)
    for (unsigned int i = 0; i < face.n_nodes; ++i)
      check_state(looks.empty() || face.nodes[i] < last_velocities.size(), object);
}

template class KineticHierarchy<2>;
template class KineticHierarchy<3>;
} // namespace KickDrift
