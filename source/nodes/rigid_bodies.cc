#include <kickdrift/base/archive_checks.h>
#include <kickdrift/nodes/node_table.h>
#include <kickdrift/nodes/rigid_bodies.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
using dealii::cross_product_3d;
using dealii::Tensor;

namespace
{
// Largest deviation of the start from that of a rigid body, relative to its size or speed.
constexpr double not_rigid = 1e-9;
// A body looks ahead for no less than this share of its step: velocities along short chords are
// those of rounding.
constexpr double shortest = 1e-3;

/// The orthogonal matrix next to @p matrix, which is one but for rounding or some strain.
Tensor<2, 3>
orthogonal_part(Tensor<2, 3> matrix)
{
  for (unsigned int i = 0; i < 50; ++i)
  {
    const Tensor<2, 3> next = 0.5 * (matrix + dealii::transpose(dealii::invert(matrix)));
    const double change = (next - matrix).norm();
    matrix = next;
    if (change < 1e-15)
      break;
  }
  return matrix;
}
} // namespace

template <int spacedim>
unsigned int
RigidBodies<spacedim>::add(const NodeTable<spacedim> &table, const std::string &name,
                           const std::vector<unsigned int> &nodes, const RigidMass &mass)
{
  Body body{name, nodes, {}, {}, RigidMotion(mass, spacedim), 0., 0., 0.};
  std::sort(body.nodes.begin(), body.nodes.end());
  AssertThrow(!nodes.empty() && std::isfinite(mass.centre.norm_square()), ExcNoNodes(name));
  for (const unsigned int node : nodes)
    AssertThrow(node < table.size() && body_of(node) == none, ExcNode(name, node));
  for (unsigned int i = 0; i < body.nodes.size(); ++i)
  {
    const unsigned int node = body.nodes[i];
    body_of_node.resize(std::max<std::size_t>(body_of_node.size(), node + 1), none);
    place.resize(body_of_node.size());
    body_of_node[node] = bodies.size();
    place[node] = i;
    body.arms.push_back(in_space<spacedim>(table.reference(node)) - Tensor<1, 3>(mass.centre));
  }
  body.courses.resize(body.nodes.size());
  bodies.push_back(std::move(body));
  return bodies.size() - 1;
}

template <int spacedim>
Tensor<1, 3>
RigidBodies<spacedim>::arm(const NodeTable<spacedim> &table, const unsigned int node) const
{
  const Body &body = bodies[body_of_node[node]];
  return arm(table, node, body.time, body.motion);
}

template <int spacedim>
Tensor<1, 3>
RigidBodies<spacedim>::arm(const NodeTable<spacedim> &table, const unsigned int node,
                           const double time, const RigidMotion &motion) const
{
  return bodies[body_of_node[node]].arms[place[node]] +
         in_space<spacedim>(table.displacement_at(node, time)) - motion.centre_displacement;
}

template <int spacedim>
typename RigidBodies<spacedim>::Vector
RigidBodies<spacedim>::velocity(const NodeTable<spacedim> &table, const unsigned int node) const
{
  return from_space<spacedim>(bodies[body_of_node[node]].motion.velocity_at(arm(table, node)));
}

template <int spacedim>
void
RigidBodies<spacedim>::advance_to(const unsigned int b, const double time)
{
  Body &body = bodies[b];
  if (time == body.time)
    return;
  body.motion.advance(time - body.time);
  body.time = time;
}

template <int spacedim>
void
RigidBodies<spacedim>::start(NodeTable<spacedim> &table)
{
  for (Body &body : bodies)
  {
    for (const unsigned int node : body.nodes)
      AssertThrow(!table.restraints.is_restrained(node), ExcRestrained(body.name, node));
    body.time = body.end = table[body.nodes[0]].time;
    find_position(table, body);
    find_velocity(table, body);
    fly(table, &body - bodies.data());
  }
}

template <int spacedim>
void
RigidBodies<spacedim>::find_position(NodeTable<spacedim> &table, Body &body) const
{
  Tensor<1, 3> mean_arm, mean_displacement;
  double mass = 0;
  for (unsigned int i = 0; i < body.nodes.size(); ++i)
  {
    const double m = table.mass(body.nodes[i]);
    mass += m;
    mean_arm += m * body.arms[i];
    mean_displacement += m * in_space<spacedim>(table.displacement(body.nodes[i]));
  }
  mean_arm /= mass;
  mean_displacement /= mass;
  Tensor<2, 3> moments, turned;
  double size = 0, largest = 0;
  for (unsigned int i = 0; i < body.nodes.size(); ++i)
  {
    const double m = table.mass(body.nodes[i]);
    const Tensor<1, 3> r = body.arms[i] - mean_arm;
    const Tensor<1, 3> u =
        in_space<spacedim>(table.displacement(body.nodes[i])) - mean_displacement;
    moments += m * dealii::outer_product(r, r);
    turned += m * dealii::outer_product(u, r);
    size = std::max(size, r.norm());
    largest = std::max(largest, u.norm());
  }
  body.motion.rotation = Rotation();
  if (largest > 1e-14 * size)
  {
    if (spacedim == 2)
      moments[2][2] = dealii::trace(moments); // to be inverted; nothing turns out of the plane
    Tensor<2, 3> gradient = turned * dealii::invert(moments);
    for (unsigned int d = 0; d < 3; ++d)
      gradient[d][d] += 1;
    AssertThrow(std::isfinite(gradient.norm()) && dealii::determinant(gradient) > 0,
                ExcNotRigid(body.name, "displacement"));
    body.motion.rotation = Rotation::of(orthogonal_part(gradient));
  }
  body.motion.centre_displacement = mean_displacement - body.motion.rotation.change(mean_arm);
  for (unsigned int i = 0; i < body.nodes.size(); ++i)
    AssertThrow((in_space<spacedim>(table.displacement(body.nodes[i])) -
                 body.motion.displacement(body.arms[i]))
                        .norm() <= not_rigid * (size + mean_displacement.norm()),
                ExcNotRigid(body.name, "displacement"));
}

template <int spacedim>
void
RigidBodies<spacedim>::find_velocity(NodeTable<spacedim> &table, Body &body) const
{
  const Rotation &rotation = body.motion.rotation;
  Tensor<1, 3> mean_arm, mean;
  double mass = 0;
  for (unsigned int i = 0; i < body.nodes.size(); ++i)
  {
    const double m = table.mass(body.nodes[i]);
    mass += m;
    mean_arm += m * rotation(body.arms[i]);
    mean += m * in_space<spacedim>(table.velocity(body.nodes[i]));
  }
  mean_arm /= mass;
  mean /= mass;
  Tensor<2, 3> moments;
  Tensor<1, 3> spin;
  double largest = 0, speed = 0;
  for (unsigned int i = 0; i < body.nodes.size(); ++i)
  {
    const double m = table.mass(body.nodes[i]);
    const Tensor<1, 3> r = rotation(body.arms[i]) - mean_arm;
    const Tensor<1, 3> v = in_space<spacedim>(table.velocity(body.nodes[i])) - mean;
    spin += m * cross_product_3d(r, v);
    moments -= m * dealii::outer_product(r, r);
    for (unsigned int d = 0; d < 3; ++d)
      moments[d][d] += m * r.norm_square();
    largest = std::max(largest, v.norm());
    speed = std::max(speed, table.velocity(body.nodes[i]).norm());
  }
  Tensor<1, 3> omega;
  if (largest > 1e-14 * speed)
    omega = dealii::invert(moments) * spin;
  const Tensor<1, 3> centre = mean - cross_product_3d(omega, mean_arm);
  body.motion.momentum = body.motion.mass().mass * centre;
  body.motion.angular_momentum = body.motion.angular_momentum_of(omega);
  for (unsigned int i = 0; i < body.nodes.size(); ++i)
  {
    const Tensor<1, 3> rigid = centre + cross_product_3d(omega, rotation(body.arms[i]));
    AssertThrow((in_space<spacedim>(table.velocity(body.nodes[i])) - rigid).norm() <=
                    not_rigid * speed,
                ExcNotRigid(body.name, "velocity"));
  }
}

template <int spacedim>
void
RigidBodies<spacedim>::look_ahead(const unsigned int body, const double end, const double step)
{
  bodies[body].end = end;
  bodies[body].step = step;
}

template <int spacedim>
bool
RigidBodies<spacedim>::are_kicked(const NodeTable<spacedim> &table, const unsigned int b) const
{
  const Body &body = bodies[b];
  for (unsigned int i = 0; i < body.nodes.size(); ++i)
    if (table.velocity(body.nodes[i]) != body.courses[i])
      return true;
  return false;
}

template <int spacedim>
bool
RigidBodies<spacedim>::take_kicks(NodeTable<spacedim> &table, const unsigned int b,
                                  const double time)
{
  Body &body = bodies[b];
  advance_to(b, time);
  bool kicked = false;
  Tensor<1, 3> impulse, moment;
  for (unsigned int i = 0; i < body.nodes.size(); ++i)
  {
    const unsigned int node = body.nodes[i];
    table[node].drift(time); // those that were kicked are there
    const Vector change = table.velocity(node) - body.courses[i];
    if (change == Vector())
      continue;
    kicked = true;
    const Tensor<1, 3> p = table.mass(node) * in_space<spacedim>(change);
    impulse += p;
    moment += cross_product_3d(arm(table, node), p);
    table.set_velocity(node, body.courses[i]);
  }
  if (kicked)
    body.motion.add_impulse(impulse, moment);
  return kicked;
}

template <int spacedim>
void
RigidBodies<spacedim>::add_impulse(const NodeTable<spacedim> &table, const unsigned int node,
                                   const Vector &impulse)
{
  const Tensor<1, 3> p = in_space<spacedim>(impulse);
  bodies[body_of_node[node]].motion.add_impulse(p, cross_product_3d(arm(table, node), p));
}

template <int spacedim>
std::pair<RigidMotion, double>
RigidBodies<spacedim>::ahead_of(const unsigned int b, RigidMotion motion) const
{
  const Body &body = bodies[b];
  if (!(body.end > body.time))
    return {motion, 0.};
  const double interval =
      body.end - body.time > shortest * body.step ? body.end - body.time : body.step;
  motion.advance(interval);
  return {motion, interval};
}

template <int spacedim>
typename RigidBodies<spacedim>::Vector
RigidBodies<spacedim>::course(const NodeTable<spacedim> &table, const unsigned int node,
                              const std::pair<RigidMotion, double> &ahead) const
{
  const Body &body = bodies[body_of_node[node]];
  const Tensor<1, 3> &arm = body.arms[place[node]];
  const auto &[motion, interval] = ahead;
  if (interval == 0)
    return from_space<spacedim>(motion.velocity_at(motion.rotation(arm)));
  // from where it is, not from where it should be: rounding does not accumulate
  return (from_space<spacedim>(motion.displacement(arm)) - table.displacement_at(node, body.time)) /
         interval;
}

template <int spacedim>
void
RigidBodies<spacedim>::fly(NodeTable<spacedim> &table, const unsigned int b)
{
  Body &body = bodies[b];
  const auto ahead = ahead_of(b, body.motion);
  for (unsigned int i = 0; i < body.nodes.size(); ++i)
  {
    const unsigned int node = body.nodes[i];
    table[node].drift(body.time);
    if (ahead.second == 0)
      table.set_displacement(node, from_space<spacedim>(ahead.first.displacement(body.arms[i])));
    body.courses[i] = course(table, node, ahead);
    table.set_velocity(node, body.courses[i]);
  }
}

template <int spacedim>
void
RigidBodies<spacedim>::check_turn(const unsigned int b) const
{
  const Body &body = bodies[b];
  const double angle = body.motion.angular_velocity().norm() * (body.end - body.time);
  AssertThrow(angle <= largest_turn, ExcSpin(body.name, angle));
}

template <int spacedim>
void
RigidBodies<spacedim>::serialize(Archive &archive, const NodeTable<spacedim> &table)
{
  for (Body &body : bodies)
  {
    archive.section("rigid body " + body.name);
    archive(body.motion, body.time, body.end, body.step);
    if (!archive.is_reading())
      continue;
    for (unsigned int i = 0; i < body.nodes.size(); ++i)
      body.courses[i] = table.velocity(body.nodes[i]);
    check_state(std::isfinite(body.time) && body.end >= body.time && body.step >= 0,
                "rigid body " + body.name);
  }
}

template class RigidBodies<2>;
template class RigidBodies<3>;
} // namespace KickDrift
