#include "scenes/vtu.h"

#include <fstream>
#include <iomanip>
#include <sstream>
#include <stdexcept>

namespace Scenes
{
namespace
{
/// Of ParaView's types of cells: triangle, pixel, tetrahedron, voxel.
int
vtk_type(const int dim, const bool is_simplex)
{
  return dim == 2 ? (is_simplex ? 5 : 8) : (is_simplex ? 10 : 11);
}
} // namespace

template <int dim>
void
VtuFiles<dim>::write(const std::vector<Vec<dim>> &x)
{
  if (name.empty())
    return;
  std::ostringstream connectivity, offsets, types, pieces;
  unsigned int first = 0, end = 0, piece = 0, n_cells = 0;
  for (const auto &body : scene.bodies)
    for (const Part<dim> &part : body.parts)
    {
      for (const auto &cell : part.cells)
      {
        for (const unsigned int vertex : cell)
          connectivity << first + vertex << ' ';
        end += cell.size();
        offsets << end << ' ';
        types << vtk_type(dim, cell.size() == dim + 1) << ' ';
        pieces << piece << ' ';
        ++n_cells;
      }
      first += part.vertices.size();
      ++piece;
    }
  std::ostringstream file_name;
  file_name << name << '_' << std::setw(4) << std::setfill('0') << number++ << ".vtu";
  std::ofstream file(file_name.str());
  const auto array = [&](const std::string &attributes, const std::string &values)
  { file << "<DataArray " << attributes << " format=\"ascii\">" << values << "</DataArray>\n"; };
  std::ostringstream points;
  points << std::setprecision(17);
  for (const auto &point : x)
    for (int d = 0; d < 3; ++d)
      points << (d < dim ? point[d] : 0.) << ' ';
  file << "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\"><UnstructuredGrid>\n"
       << "<Piece NumberOfPoints=\"" << x.size() << "\" NumberOfCells=\"" << n_cells << "\">\n"
       << "<Points>";
  array("type=\"Float64\" NumberOfComponents=\"3\"", points.str());
  file << "</Points><Cells>";
  array("type=\"Int32\" Name=\"connectivity\"", connectivity.str());
  array("type=\"Int32\" Name=\"offsets\"", offsets.str());
  array("type=\"UInt8\" Name=\"types\"", types.str());
  file << "</Cells><CellData>";
  array("type=\"Int32\" Name=\"piece\"", pieces.str());
  file << "</CellData></Piece></UnstructuredGrid></VTKFile>\n";
  if (!file)
    throw std::runtime_error("Cannot write " + file_name.str());
}

template class VtuFiles<2>;
template class VtuFiles<3>;
} // namespace Scenes
