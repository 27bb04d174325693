// Displacements and velocities of a body as vectors of its DoFHandler.

#include <kickdrift/deal_ii/body.h>

namespace KickDrift
{
using namespace dealii;

template <int dim, int spacedim>
void
Body<dim, spacedim>::check_vector(const std::size_t size) const
{
  AssertThrow(dofs.get_fe().n_components() == spacedim,
              ExcMessage("Body '" + body_name +
                         "': vectors need a vector-valued element (FESystem), but it has " +
                         dofs.get_fe().get_name() + "."));
  AssertThrow(size == dofs.n_dofs(),
              ExcMessage("Body '" + body_name + "': the vector has " + std::to_string(size) +
                         " entries but the DoFHandler has " + std::to_string(dofs.n_dofs()) +
                         " DoFs."));
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::get_displacement(const NodeTable<spacedim> &nodes,
                                      Vector<double> &displacement) const
{
  check_vector(displacement.size());
  for (unsigned int n = 0; n < node_dofs.size(); ++n)
    displacement[node_dofs[n]] = nodes[first_node() + n / spacedim].displacement[n % spacedim];
  interpolate_hanging(displacement);
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::get_velocity(const NodeTable<spacedim> &nodes, Vector<double> &velocity) const
{
  check_vector(velocity.size());
  for (unsigned int n = 0; n < node_dofs.size(); ++n)
    velocity[node_dofs[n]] = nodes[first_node() + n / spacedim].velocity[n % spacedim];
  interpolate_hanging(velocity);
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::set_displacement(NodeTable<spacedim> &nodes,
                                      const Vector<double> &displacement) const
{
  check_vector(displacement.size());
  for (unsigned int n = 0; n < node_dofs.size(); ++n)
    nodes[first_node() + n / spacedim].displacement[n % spacedim] = displacement[node_dofs[n]];
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::set_velocity(NodeTable<spacedim> &nodes, const Vector<double> &velocity) const
{
  check_vector(velocity.size());
  for (unsigned int n = 0; n < node_dofs.size(); ++n)
    nodes[first_node() + n / spacedim].velocity[n % spacedim] = velocity[node_dofs[n]];
}

template <int dim, int spacedim>
void
Body<dim, spacedim>::interpolate_hanging(Vector<double> &vector) const
{
  for (unsigned int n = 0; n < hanging_dofs.size(); ++n)
  {
    double sum = 0;
    for (const Parent &parent : hanging.parents(n / spacedim))
      sum += parent.weight * vector[node_dofs[parent.node * spacedim + n % spacedim]];
    vector[hanging_dofs[n]] = sum;
  }
}

template class Body<2>;
template class Body<3>;
} // namespace KickDrift
