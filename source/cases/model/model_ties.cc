// Surfaces of a model's bodies that are glued to each other.

#include <kickdrift/base/messages.h>
#include <kickdrift/cases/model/model.h>
#include <kickdrift/cases/model/node_selection.h>

#include <deal.II/base/exceptions.h>

namespace KickDrift
{
using namespace dealii;

template <int dim>
template <typename Side, typename MakeSide>
std::vector<Tie<Side>>
Model<dim>::ties_of(const MakeSide &make_side)
{
  std::vector<Tie<Side>> result;
  for (const TieParameters &own : parameters.ties)
  {
    Tie<Side> tie;
    tie.tolerance = own.tolerance;
    tie.allow_untied = own.allow_untied;
    const auto add = [&](const std::vector<TieParameters::Side> &sides,
                         const std::string &parameter, std::vector<Side> &list)
    {
      for (const auto &side : sides)
        for (const unsigned int b : side.bodies)
        {
          MeshedBody<dim> &body = bodies[b];
          AssertThrow(!body.shell,
                      ExcMessage("'" + parameter + "' names body '" + parameters.bodies[b].name +
                                 "', which is a shell; only solids can be tied."));
          std::set<types::boundary_id> ids;
          // the body has not been made yet, so it does not know its name
          const auto present = body.all_boundary_ids();
          if (!side.boundary.empty())
            ids = ids_of({side.boundary}, body.names.boundaries, {present.begin(), present.end()},
                         parameter, "body '" + parameters.bodies[b].name + "' has no boundary");
          list.push_back(make_side(body, ids));
        }
    };
    add(own.followers, "Ties/" + own.name + "/Followers", tie.followers);
    add(own.masters, "Ties/" + own.name + "/Masters", tie.masters);
    result.push_back(tie);
  }
  return result;
}

template <int dim>
void
Model<dim>::close_gaps_of_meshes()
{
  const auto tied = ties_of<TiedMesh<dim>>(
      [](MeshedBody<dim> &body, const std::set<types::boundary_id> &ids) {
        return TiedMesh<dim>{&body.triangulation, ids};
      });
  std::vector<double> gaps;
  try
  {
    gaps = close_gaps(tied);
  }
  catch (const ExceptionBase &exception)
  {
    AssertThrow(false, ExcMessage("'Ties': " + message_of(exception)));
  }
  for (unsigned int t = 0; t < gaps.size(); ++t)
    ties.push_back({parameters.ties[t].name, {}, gaps[t]});
}

template <int dim>
void
Model<dim>::tie_bodies()
{
  const auto tied = ties_of<TiedBoundary<dim>>(
      [](MeshedBody<dim> &body, const std::set<types::boundary_id> &ids) {
        return TiedBoundary<dim>{body.body, ids};
      });
  for (unsigned int t = 0; t < tied.size(); ++t)
    try
    {
      ties[t].report = tie(tied[t]);
    }
    catch (const ExceptionBase &exception)
    {
      AssertThrow(false, ExcMessage("'Ties/" + ties[t].name + "': " + message_of(exception)));
    }
}

template <int dim>
void
Model<dim>::check_restraints_of_tied() const
{
  for (const auto &restraint : parameters.restraints)
    for (const auto &[body, node] : select_tied_nodes(bodies, restraint.bodies, restraint.selection,
                                                      "Restraints/" + restraint.name))
      for (const Parent &parent : node.parents)
        for (const auto &direction : restraint.directions)
        {
          const std::string where = point_text(node.reference);
          AssertThrow(!restraint.displacement,
                      ExcMessage("'Restraints/" + restraint.name + "' moves the node of body '" +
                                 bodies[body].name() + "' at " + where +
                                 ", which is tied and follows others; move nodes that are not."));
          AssertThrow(nodes.restraints.is_restrained_along(parent.node, direction),
                      DynamicsExceptions::ExcTiedNodeHeld("'Restraints/" + restraint.name,
                                                          bodies[body].name(), where));
        }
}

template class Model<2>;
template class Model<3>;
} // namespace KickDrift
