#include <kickdrift/nodes/motion_sums.h>

namespace KickDrift
{
using dealii::cross_product_3d;
using dealii::Tensor;

namespace
{
/// Add a fraction of a node's mass.
template <int spacedim>
void
add_node(const NodeTable<spacedim> &nodes, const unsigned int node, const double fraction,
         const Tensor<1, spacedim> &point, MotionSums<spacedim> &sums)
{
  const double mass = fraction * nodes.mass(node);
  const Tensor<1, spacedim> momentum = mass * nodes.velocity(node);
  const Tensor<1, spacedim> r = nodes.reference(node) - point;
  sums.mass += mass;
  sums.first_moment += mass * nodes.position(node);
  sums.momentum += momentum;
  sums.angular_momentum += cross_product_3d(in_space<spacedim>(r + nodes.displacement(node)),
                                            in_space<spacedim>(momentum));
  sums.kinetic += 0.5 * mass * nodes.velocity(node).norm_square();
}
} // namespace

template <int spacedim>
MotionSums<spacedim>
motion_sums(const NodeTable<spacedim> &nodes, const unsigned int first, const unsigned int end,
            const Tensor<1, spacedim> &point)
{
  MotionSums<spacedim> sums;
  const RigidBodies<spacedim> &rigid = nodes.rigid_bodies;
  for (unsigned int node = first; node < end; ++node)
  {
    const unsigned int body = rigid.body_of(node);
    if (body != RigidBodies<spacedim>::none)
    {
      if (node != rigid.nodes_of(body)[0])
        continue;
      const RigidMotion &motion = rigid.motion(body);
      const Tensor<1, spacedim> centre =
          from_space<spacedim>(motion.mass().centre + motion.centre_displacement);
      const Tensor<1, spacedim> momentum = from_space<spacedim>(motion.momentum);
      sums.mass += motion.mass().mass;
      sums.first_moment += motion.mass().mass * centre;
      sums.momentum += momentum;
      sums.angular_momentum +=
          motion.angular_momentum +
          cross_product_3d(in_space<spacedim>(centre - point), motion.momentum);
      sums.kinetic += motion.energy();
      continue;
    }
    add_node(nodes, node, 1, point, sums);
  }
  return sums;
}

template <int spacedim>
MotionSums<spacedim>
motion_sums(const NodeTable<spacedim> &nodes,
            const std::vector<std::pair<unsigned int, double>> &fractions)
{
  MotionSums<spacedim> sums;
  for (const auto &[node, fraction] : fractions)
    add_node(nodes, node, fraction, Tensor<1, spacedim>(), sums);
  return sums;
}

template <int spacedim>
double
kinetic_energy(const NodeTable<spacedim> &nodes)
{
  const RigidBodies<spacedim> &rigid = nodes.rigid_bodies;
  double sum = 0;
  for (unsigned int node = 0; node < nodes.size(); ++node)
    if (!nodes.is_rigid(node))
      sum += 0.5 * nodes.mass(node) * nodes.velocity(node).norm_square();
  for (unsigned int body = 0; body < rigid.size(); ++body)
    sum += rigid.motion(body).energy();
  return sum;
}

template double kinetic_energy(const NodeTable<2> &);
template double kinetic_energy(const NodeTable<3> &);
template MotionSums<2> motion_sums(const NodeTable<2> &, unsigned int, unsigned int,
                                   const Tensor<1, 2> &);
template MotionSums<3> motion_sums(const NodeTable<3> &, unsigned int, unsigned int,
                                   const Tensor<1, 3> &);
template MotionSums<2> motion_sums(const NodeTable<2> &,
                                   const std::vector<std::pair<unsigned int, double>> &);
template MotionSums<3> motion_sums(const NodeTable<3> &,
                                   const std::vector<std::pair<unsigned int, double>> &);
} // namespace KickDrift
