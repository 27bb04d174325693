// What checkpoints have to know of a model.

#include <kickdrift/base/archive.h>
#include <kickdrift/cases/model/model.h>

namespace KickDrift
{
template <int dim>
std::uint64_t
Model<dim>::fingerprint() const
{
  return dynamics.fingerprint();
}

template <int dim>
void
Model<dim>::serialize(Archive &archive)
{
  archive.section("model");
  archive(nodes, stepper);
  if (contact)
    archive(*contact);
}

template std::uint64_t Model<2>::fingerprint() const;
template std::uint64_t Model<3>::fingerprint() const;
template void Model<2>::serialize(Archive &);
template void Model<3>::serialize(Archive &);
} // namespace KickDrift
