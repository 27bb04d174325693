#include <kickdrift/base/archive_checks.h>
#include <kickdrift/contact/surface/motion_bounds.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
// A fitted ball is so much larger than it must be.
constexpr double reserve = 1.3;
// A ball that is left grows to this multiple of what it must contain.
constexpr double growth = 1.4;
// Smallest radius, as a share of the speed of the body's fastest node: rounding breaks no bounds.
constexpr double smallest_share = 1e-3;
// A ball is replaced by a smaller one if its radius becomes less than this share.
constexpr double clearly_smaller = 0.5;
constexpr unsigned int no_body = -1;
} // namespace

template <int spacedim>
MotionBounds<spacedim>::MotionBounds(const NodeTable<spacedim> &nodes,
                                     const Surface<spacedim> &surface)
    : nodes(nodes), surface(surface)
{
}

template <int spacedim>
void
MotionBounds<spacedim>::start()
{
  bodies.assign(nodes.size(), no_body);
  nodes_of_body.assign(surface.body_names.size(), {});
  // faces of tied bodies have nodes of others, which have contactors there
  std::vector<unsigned int> body_of_contactor(surface.tied.empty() ? 0 : nodes.size(), no_body);
  for (const Contactor &contactor : surface.contactors)
    if (contactor.n_nodes == 1 && !surface.tied.empty())
      body_of_contactor[contactor.nodes[0]] = contactor.body;
  const auto enter = [&](const unsigned int node, unsigned int body)
  {
    if (bodies[node] != no_body)
      return;
    if (!surface.tied.empty() && body_of_contactor[node] != no_body)
      body = body_of_contactor[node];
    bodies[node] = body;
    if (nodes_of_body.size() <= body)
      nodes_of_body.resize(body + 1);
    nodes_of_body[body].push_back(node);
  };
  for (const auto &face : surface.faces)
    for (unsigned int i = 0; i < face.n_nodes; ++i)
      enter(face.nodes[i], face.body);
  for (const Contactor &contactor : surface.contactors)
    for (const unsigned int node : contactor.node_view())
      enter(node, contactor.body);
  find_tied_bodies();

  balls.assign(nodes_of_body.size(), Ball());
  for (unsigned int b = 0; b < balls.size(); ++b)
    balls[b] = fitted(b);
  grown.clear();
}

/// Balls of tied bodies are alike and contain the nodes of all of them.
template <int spacedim>
void
MotionBounds<spacedim>::find_tied_bodies()
{
  tied_bodies.resize(nodes_of_body.size());
  for (unsigned int b = 0; b < tied_bodies.size(); ++b)
    tied_bodies[b].assign(1, b);
  for (const auto &[a, b] : surface.tied)
  {
    if (tied_bodies[a] == tied_bodies[b])
      continue;
    std::vector<unsigned int> together = tied_bodies[a];
    together.insert(together.end(), tied_bodies[b].begin(), tied_bodies[b].end());
    std::sort(together.begin(), together.end());
    for (const unsigned int member : together)
      tied_bodies[member] = together;
  }
  const auto own = nodes_of_body;
  for (unsigned int b = 0; b < tied_bodies.size(); ++b)
    if (tied_bodies[b].size() > 1)
    {
      nodes_of_body[b].clear();
      for (const unsigned int member : tied_bodies[b])
        nodes_of_body[b].insert(nodes_of_body[b].end(), own[member].begin(), own[member].end());
    }
}

template <int spacedim>
typename MotionBounds<spacedim>::Ball
MotionBounds<spacedim>::fitted(const unsigned int body) const
{
  Ball ball;
  const auto &own = nodes_of_body[body];
  if (own.empty())
    return ball;
  for (const unsigned int node : own)
    ball.velocity += nodes.velocity(node);
  ball.velocity /= own.size();
  double largest = 0, fastest = 0;
  for (const unsigned int node : own)
  {
    largest = std::max(largest, (nodes.velocity(node) - ball.velocity).norm_square());
    fastest = std::max(fastest, nodes.velocity(node).norm_square());
  }
  ball.radius = std::max(reserve * std::sqrt(largest), smallest_share * std::sqrt(fastest));
  ball.square = ball.radius * ball.radius;
  ball.base = ball.radius;
  return ball;
}

template <int spacedim>
void
MotionBounds<spacedim>::check(const dealii::ArrayView<const unsigned int> kicked, const double time)
{
  const NodeState *const states = &nodes[0];
  const unsigned int *const body_of_node = bodies.data();
  for (const unsigned int node : kicked)
  {
    const unsigned int body = body_of_node[node];
    if (body == no_body)
      continue; // it carries nodes of the surface, but is none
    const NodeState &state = states[node];
    const Ball &ball = balls[body];
    const double x = state.velocity[0] - ball.velocity[0], y = state.velocity[1] - ball.velocity[1];
    double square = x * x + y * y;
    if constexpr (spacedim == 3)
    {
      const double z = state.velocity[2] - ball.velocity[2];
      square += z * z;
    }
    if (square > ball.square)
      grow(body, std::sqrt(square), time);
  }
}

template <int spacedim>
void
MotionBounds<spacedim>::grow(const unsigned int any, const double deviation, const double time)
{
  for (const unsigned int body : tied_bodies[any])
  {
    Ball &ball = balls[body];
    const double before = ball.radius;
    ball.displacement = displacement(body, time);
    ball.path = path(body, time);
    ball.since = time;
    ball.radius = growth * deviation;
    ball.square = ball.radius * ball.radius;
    const bool by_far = ball.radius > sweep_reserve * ball.base;
    if (by_far)
      ball.base = ball.radius;
    grown.push_back({body, ball.radius - before, by_far});
  }
}

template <int spacedim>
void
MotionBounds<spacedim>::shrink(const unsigned int body, const double time)
{
  Ball ball = fitted(body);
  const Ball old = balls[body];
  const double moved = (ball.velocity - old.velocity).norm();
  if (ball.radius > clearly_smaller * old.radius || moved + ball.radius > old.radius)
    return;
  ball.displacement = displacement(body, time);
  ball.path = path(body, time);
  ball.since = time;
  // what was allowed for around the old centre contains this; it also contains the new ball, which
  // lies in the old one
  ball.base = std::min(ball.radius, old.base - moved / sweep_reserve);
  for (const unsigned int member : tied_bodies[body])
    balls[member] = ball;
}

template <int spacedim>
void
MotionBounds<spacedim>::serialize(Archive &archive)
{
  archive.section("motion bounds");
  archive.fixed(balls);
  archive(grown);
  for (const Broken &broken : grown)
    check_state(broken.body < balls.size() && is_flag(broken.by_far), "motion bounds");
}

template class MotionBounds<2>;
template class MotionBounds<3>;
} // namespace KickDrift
