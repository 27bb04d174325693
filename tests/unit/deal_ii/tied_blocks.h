#ifndef KICKDRIFT_TESTS_UNIT_DEAL_II_TIED_BLOCKS_H
#define KICKDRIFT_TESTS_UNIT_DEAL_II_TIED_BLOCKS_H

// Blocks on top of each other whose meshes are unlike, and which are tied.

#include "refined_mesh.h"

#include <kickdrift/deal_ii/ties.h>

namespace KickDriftTests
{
/// Rotated, shifted, and in another unit of length, unless it is plain.
template <int dim>
struct Placement
{
  Tensor<2, dim> rotation = unit_symmetric_tensor<dim>();
  Tensor<1, dim> shift;
  double unit = 1; ///< length of one

  static Placement
  somewhere()
  {
    Placement result;
    const double c = std::cos(0.7), s = std::sin(0.7);
    Tensor<2, dim> first = unit_symmetric_tensor<dim>(), second = first;
    first[0][0] = first[1][1] = c;
    first[0][1] = -(first[1][0] = s);
    second[0][0] = second[dim - 1][dim - 1] = c;
    second[0][dim - 1] = -(second[dim - 1][0] = s);
    result.rotation = dim == 2 ? first : first * second;
    for (unsigned int d = 0; d < dim; ++d)
      result.shift[d] = 300. - 170 * d;
    result.unit = 1e-3;
    return result;
  }

  Point<dim>
  operator()(const Point<dim> &p) const
  {
    return Point<dim>(unit * (rotation * Tensor<1, dim>(p) + shift));
  }
};

/// A box with boundary ids 0, 1, ... of its lower and upper faces in x, y, ...
template <int dim>
struct Block
{
  Block(const Point<dim> &lower, const Point<dim> &upper, const std::vector<unsigned int> &n,
        const bool simplices, const Placement<dim> &place = {})
      : dof_handler(triangulation)
  {
    if (simplices)
      GridGenerator::subdivided_hyper_rectangle_with_simplices(triangulation, n, lower, upper);
    else
      GridGenerator::subdivided_hyper_rectangle(triangulation, n, lower, upper);
    for (const auto &face : triangulation.active_face_iterators())
      for (unsigned int side = 0; side < 2 * dim && face->at_boundary(); ++side)
        if (std::abs(face->center()[side / 2] - (side % 2 == 0 ? lower : upper)[side / 2]) < 1e-9)
          face->set_boundary_id(side);
    if (simplices)
      mapping = std::make_unique<MappingFE<dim>>(FE_SimplexP<dim>(1));
    else
      mapping = std::make_unique<MappingQ<dim>>(1);
    GridTools::transform([&](const Point<dim> &p) { return place(p); }, triangulation);
  }

  std::unique_ptr<Body<dim>>
  body(const std::string &name, std::shared_ptr<const Material<dim>> material,
       const StrainIntegration integration = StrainIntegration::standard)
  {
    if (triangulation.all_reference_cells_are_hyper_cube())
      dof_handler.distribute_dofs(FESystem<dim>(FE_Q<dim>(1), dim));
    else
      dof_handler.distribute_dofs(FESystem<dim>(FE_SimplexP<dim>(1), dim));
    return std::make_unique<Body<dim>>(dof_handler, *mapping, name, std::move(material),
                                       integration);
  }

  Triangulation<dim> triangulation;
  std::unique_ptr<Mapping<dim>> mapping;
  DoFHandler<dim> dof_handler;
};

/// What two tied blocks are like.
template <int dim>
struct TiedBlocksSetting
{
  unsigned int n_masters = 2, n_followers = 3; ///< cells along edges
  bool simplex_masters = false, simplex_followers = false;
  Placement<dim> place = {};
  double gap = 0;       ///< between them
  bool refined = false; ///< are masters refined locally?
  double width = 1;     ///< of the followers
  double inset = 0;     ///< of the followers
};

/// A block below, the masters, and one above it, the followers.
template <int dim>
struct TiedBlocks
{
  using Setting = TiedBlocksSetting<dim>;
  static constexpr types::boundary_id top = 2 * dim - 1, bottom = 2 * dim - 2;

  explicit TiedBlocks(const Setting &setting, const double density = 2.5)
      : below(Point<dim>(), corner(1, 1), cells(setting.n_masters), setting.simplex_masters,
              setting.place),
        above(corner(setting.inset, 1 + setting.gap),
              corner(setting.inset + setting.width, 2 + setting.gap), cells(setting.n_followers),
              setting.simplex_followers, setting.place)
  {
    if (setting.refined)
    {
      below.triangulation.begin_active()->set_refine_flag();
      below.triangulation.last_active()->set_refine_flag();
      below.triangulation.execute_coarsening_and_refinement();
    }
    gap =
        close_gaps<dim>({{{{&above.triangulation, {bottom}}}, {{&below.triangulation, {top}}}}})[0];
    material = std::make_shared<NeoHookean<dim>>(density, 3., 0.3);
  }

  /// Bodies that are tied.
  void
  tie_bodies()
  {
    masters = below.body("below", material);
    followers = above.body("above", material);
    report = tie<dim>({{{followers.get(), {bottom}}}, {{masters.get(), {top}}}});
  }

  /// The same with their nodes in the table.
  void
  add_nodes()
  {
    tie_bodies();
    followers->add_nodes(nodes); // the order does not matter
    masters->add_nodes(nodes);
  }

  std::vector<std::shared_ptr<StrainKicks<dim>>>
  families()
  {
    auto result = followers->strain_kicks();
    const auto others = masters->strain_kicks();
    result.insert(result.end(), others.begin(), others.end());
    return result;
  }

  std::vector<Tensor<1, dim>>
  forces()
  {
    std::vector<Tensor<1, dim>> sum(nodes.size()), force;
    for (const auto &family : families())
      for (unsigned int k = 0; k < family->n_kicks(); ++k)
      {
        family->force(nodes, k, 0., force);
        const auto support = family->support(k);
        for (unsigned int i = 0; i < support.size(); ++i)
          sum[support[i]] += force[i];
      }
    return sum;
  }

  double
  energy()
  {
    EnergyBalance balance;
    for (const auto &family : families())
      family->add_energy(nodes, balance);
    return balance.strain;
  }

  template <typename Function>
  void
  displace(const Function &u)
  {
    for (unsigned int n = 0; n < nodes.size(); ++n)
      nodes.set_displacement(n, u(nodes.reference(n)));
  }

  Block<dim> below, above;
  double gap;
  std::shared_ptr<const Material<dim>> material;
  NodeTable<dim> nodes;
  std::unique_ptr<Body<dim>> masters, followers;
  TieReport<dim> report;

private:
  static Point<dim>
  corner(const double across, const double last)
  {
    Point<dim> p;
    for (unsigned int d = 0; d + 1 < dim; ++d)
      p[d] = across;
    p[dim - 1] = last;
    return p;
  }

  static std::vector<unsigned int>
  cells(const unsigned int n)
  {
    return std::vector<unsigned int>(dim, n);
  }
};
} // namespace KickDriftTests

#endif
