// What checkpoints have to know of a model.

#include <kickdrift/base/archive.h>
#include <kickdrift/cases/model/model.h>
#include <kickdrift/contact/layer_contact.h>

namespace KickDrift
{
template <int dim>
std::uint64_t
Model<dim>::fingerprint() const
{
  Archive archive;
  for (unsigned int node = 0; node < nodes.size(); ++node)
  {
    auto reference = nodes.reference(node);
    auto state = nodes[node];
    archive(reference, state);
  }
  for (unsigned int id = 0; id < stepper.levels().n_kicks(); ++id)
  {
    auto support = stepper.supports().nodes_of_kick(id);
    double step = stepper.levels().critical_step(id);
    archive(support, step);
  }
  for (const auto &face : dynamics.surface().faces)
    for (unsigned int i = 0; i < face.n_nodes; ++i)
    {
      auto node = face.nodes[i];
      archive(node);
    }
  return checksum(archive.bytes());
}

template <int dim>
void
Model<dim>::serialize(Archive &archive)
{
  archive.section("model");
  archive(nodes, stepper);
  if (contact)
    archive(*contact);
  if (layers)
    archive(*layers);
}

template std::uint64_t Model<2>::fingerprint() const;
template std::uint64_t Model<3>::fingerprint() const;
template void Model<2>::serialize(Archive &);
template void Model<3>::serialize(Archive &);
} // namespace KickDrift
