#include "mesh_file_checks.h"

#include <kickdrift/cases/mesh.h>
#include <kickdrift/cases/messages.h>

#include <deal.II/grid/grid_in.h>

#include <fstream>

namespace KickDrift
{
using namespace dealii;

template <int dim>
void
read_mesh_file(const std::string &file, Triangulation<dim> &triangulation)
{
  std::string reason;
  try
  {
    const std::string name = check_mesh_file(file);
    // deal.II 9.4 does not know "abaqus" as the name of a format.
    const auto format = name == "abaqus" ? GridIn<dim>::abaqus : GridIn<dim>::parse_format(name);
    GridIn<dim> grid_in(triangulation);
    std::ifstream stream(file);
    grid_in.read(stream, format);
    if (triangulation.n_active_cells() == 0)
      reason = "it has no cells";
  }
  catch (const BrokenMeshFile &broken)
  {
    reason = broken.reason;
  }
  catch (const ExceptionBase &error)
  {
    const std::string said = message_of(error);
    reason = "deal.II cannot read it: " + (said == "(none)" ? error.get_exc_name() : said);
  }
  catch (const std::exception &error)
  {
    reason = std::string("it cannot be read: ") + error.what();
  }
  AssertThrow(reason.empty(), ExcMessage("Mesh file '" + file + "': " + reason + "."));
}

template void read_mesh_file(const std::string &, Triangulation<2> &);
template void read_mesh_file(const std::string &, Triangulation<3> &);
} // namespace KickDrift
