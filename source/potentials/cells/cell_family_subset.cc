// Some cells of a family, in packs of their own.

#include "cell_family.h"

namespace KickDrift
{
template <int dim>
class CellFamily<dim>::Subset final : public KickSubset<dim>
{
public:
  Subset(const CellFamily<dim> &family, const std::vector<unsigned int> &cells)
      : family(family), copies(family.schedule.copies(cells))
  {
  }

  /// What they propose for their history counts no more than that of other kicks until it is
  /// committed.
  void
  kick(NodeTable<dim> &nodes, const double time, const double step) const override
  {
    CellKernels::History states;
    if (family.history)
      states = family.history->view(time, copies.home_slots.data());
    const auto view = copies.batches.view({}, family.history ? &states : nullptr);
    family.kernel.kick(view, 0, copies.batches.size(), reinterpret_cast<double *>(nodes.data()),
                       step, family.law);
  }

private:
  const CellFamily<dim> &family;
  const CellSchedule::Copies copies;
};

template <int dim>
std::unique_ptr<KickSubset<dim>>
CellFamily<dim>::subset(std::vector<unsigned int> kicks) const
{
  return std::make_unique<Subset>(*this, kicks);
}

template std::unique_ptr<KickSubset<2>> CellFamily<2>::subset(std::vector<unsigned int>) const;
template std::unique_ptr<KickSubset<3>> CellFamily<3>::subset(std::vector<unsigned int>) const;
} // namespace KickDrift
