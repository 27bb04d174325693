// The files for ParaView: what is read back from them is what the bodies and surfaces are.

#include <kickdrift/base/archive.h>
#include <kickdrift/output/surface_recorder.h>
#include <kickdrift/output/volume_recorder.h>

#include <deal.II/dofs/dof_tools.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_simplex_p.h>
#include <deal.II/fe/fe_system.h>
#include <deal.II/fe/mapping_fe.h>
#include <deal.II/grid/grid_generator.h>
#include <deal.II/grid/tria.h>

#include <boost/property_tree/xml_parser.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <unistd.h>

using namespace KickDrift;
using dealii::Point;
using dealii::SymmetricTensor;
using dealii::Tensor;
using dealii::Vector;
namespace fs = std::filesystem;

namespace
{
class Vtu : public testing::Test
{
protected:
  Vtu()
      : folder((fs::temp_directory_path() /
                ("kickdrift-vtu-" + std::to_string(getpid()) + "-" +
                 testing::UnitTest::GetInstance()->current_test_info()->name()))
                   .string())
  {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  ~Vtu() override { fs::remove_all(folder); }

  const std::string folder;
};

using Xml = boost::property_tree::ptree;

/// A file up to its appended data, and these.
struct XmlFile
{
  Xml xml;
  std::string appended;

  explicit XmlFile(const std::string &path)
  {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    std::string text = bytes.str();
    const std::string begin = "<AppendedData encoding=\"raw\">\n_", end = "\n</AppendedData>";
    const auto at = text.find(begin);
    if (at != text.npos)
    {
      const auto first = at + begin.size(), last = text.rfind(end);
      appended = text.substr(first, last - first);
      text.erase(first, last - first);
    }
    std::istringstream rest(text);
    boost::property_tree::read_xml(rest, xml);
  }
};

/// An UnstructuredGrid file as write_vtu() makes it.
struct Grid
{
  std::map<std::string, std::vector<double>> arrays; ///< by name; Points is `points`
  std::map<std::string, std::string> place;          ///< of a field: PointData or CellData
  unsigned int n_points, n_cells;
  double time;

  explicit Grid(const std::string &path)
  {
    const XmlFile file(path);
    EXPECT_EQ(file.xml.get<std::string>("VTKFile.<xmlattr>.header_type"), "UInt64");
    EXPECT_EQ(file.xml.get<std::string>("VTKFile.<xmlattr>.byte_order"), "LittleEndian");
    const Xml &grid = file.xml.get_child("VTKFile.UnstructuredGrid");
    for (const auto &array : grid.get_child("FieldData"))
      if (array.second.get<std::string>("<xmlattr>.Name", "") == "TIME")
        time = array.second.get_value<double>();
    const Xml &piece = grid.get_child("Piece");
    n_points = piece.get<unsigned int>("<xmlattr>.NumberOfPoints");
    n_cells = piece.get<unsigned int>("<xmlattr>.NumberOfCells");
    std::size_t end = 0; // of the data so far
    for (const std::string section : {"Points", "Cells", "PointData", "CellData"})
      for (const auto &array : piece.get_child(section))
      {
        const auto name = array.second.get<std::string>("<xmlattr>.Name");
        const auto key = section == "Points" ? "points" : name;
        place[key] = section;
        arrays[key] = numbers(array.second, file.appended, end);
        const std::size_t n = arrays[key].size(),
                          n_components =
                              array.second.get<unsigned int>("<xmlattr>.NumberOfComponents", 1);
        if (section != "Cells")
        {
          EXPECT_EQ(n, n_components * (section == "CellData" ? n_cells : n_points)) << name;
        }
      }
    EXPECT_EQ(end, file.appended.size());
  }

  Point<3>
  vector(const std::string &name, const unsigned int point) const
  {
    const auto &a = arrays.at(name);
    return {a.at(3 * point), a.at(3 * point + 1), a.at(3 * point + 2)};
  }

private:
  template <typename T>
  static std::vector<double>
  converted(const std::string &bytes)
  {
    std::vector<T> values(bytes.size() / sizeof(T));
    EXPECT_EQ(bytes.size() % sizeof(T), 0u);
    if (!bytes.empty()) // memcpy accepts no null pointers, even for no bytes
      std::memcpy(values.data(), bytes.data(), bytes.size());
    return {values.begin(), values.end()};
  }

  static std::vector<double>
  numbers(const Xml &array, const std::string &appended, std::size_t &end)
  {
    EXPECT_EQ(array.get<std::string>("<xmlattr>.format"), "appended");
    const auto offset = array.get<std::size_t>("<xmlattr>.offset");
    EXPECT_EQ(offset, end);
    std::uint64_t length;
    std::memcpy(&length, appended.substr(offset, sizeof(length)).data(), sizeof(length));
    end = offset + sizeof(length) + length;
    const std::string bytes = appended.substr(offset + sizeof(length), length);
    EXPECT_EQ(bytes.size(), length);
    const auto type = array.get<std::string>("<xmlattr>.type");
    return type == "Float32" ? converted<float>(bytes)
           : type == "Int32" ? converted<std::int32_t>(bytes)
                             : converted<std::uint8_t>(bytes);
  }
};

/// Values of an attribute of all children of a given kind.
std::vector<std::string>
attributes(const Xml &parent, const std::string &child, const std::string &name)
{
  std::vector<std::string> values;
  for (const auto &c : parent)
    if (c.first == child)
      values.push_back(c.second.get<std::string>("<xmlattr>." + name));
  return values;
}

/// Check a .pvd: these times, each with @p n_parts files. Returns those of the last time.
std::vector<std::string>
check_series(const std::string &folder, const std::string &name,
             const std::vector<std::string> &times, const unsigned int n_parts = 1)
{
  const Xml pvd = XmlFile(folder + "/" + name + ".pvd").xml.get_child("VTKFile.Collection");
  std::vector<std::string> expected;
  for (const auto &time : times)
    expected.insert(expected.end(), n_parts, time);
  EXPECT_EQ(attributes(pvd, "DataSet", "timestep"), expected);
  std::vector<std::string> files;
  const auto parts = attributes(pvd, "DataSet", "part");
  for (const auto &file : attributes(pvd, "DataSet", "file"))
  {
    EXPECT_EQ(parts[files.size()], std::to_string(files.size() % n_parts));
    files.push_back(folder + "/" + file);
    EXPECT_EQ(file.rfind(name + "/" + name + "_", 0), 0u) << file;
    EXPECT_EQ(Grid(files.back()).time, std::stod(expected[files.size() - 1]));
  }
  return {files.end() - n_parts, files.end()};
}

template <int spacedim>
struct State
{
  NodeTable<spacedim> nodes;
  ContactStatistics<spacedim> contact;

  Frame<spacedim>
  frame(const double time, const unsigned int index) const
  {
    return {index, time, nodes, {}, 0., 0, contact};
  }
};

/// A unit cube with quadrilaterals on five sides and two triangles on top (body 0); a lone
/// triangle (body 1); and a body without faces.
Surface<3>
cube_and_triangle(NodeTable<3> &nodes)
{
  for (unsigned int i = 0; i < 8; ++i)
    nodes.add(Point<3>(i & 1, i >> 1 & 1, i >> 2 & 1), 1);
  for (const auto &x : {Point<3>(0, 0, 5), Point<3>(3, 0, 5), Point<3>(0, 4, 5)})
    nodes.add(x, 1);
  Surface<3> surface;
  surface.body_names = {"cube", "triangle", "nothing"};
  surface.faces = {{{0, 4, 2, 6}, 4, 0, 0}, {{1, 3, 5, 7}, 4, 0, 0}, {{0, 1, 4, 5}, 4, 0, 0},
                   {{2, 6, 3, 7}, 4, 0, 0}, {{0, 2, 1, 3}, 4, 0, 0}, {{4, 5, 7, 0}, 3, 0, 0},
                   {{4, 7, 6, 0}, 3, 0, 0}, {{8, 9, 10, 0}, 3, 1, 0}};
  return surface;
}
} // namespace

// -- surface ------------------------------------------------------------------------------------

TEST_F(Vtu, FaceAreasAndNormals)
{
  NodeTable<3> nodes;
  const auto surface = cube_and_triangle(nodes);
  Tensor<1, 3> closed;
  for (const auto &face : surface.faces)
    if (face.body == 0)
    {
      const auto area = area_vector(face, nodes);
      Tensor<1, 3> to_face;
      for (unsigned int i = 0; i < face.n_nodes; ++i)
        to_face += (nodes.reference(face.nodes[i]) - Point<3>(.5, .5, .5)) / face.n_nodes;
      EXPECT_NEAR(area.norm(), face.n_nodes == 4 ? 1 : 0.5, 1e-14);
      EXPECT_GT(area * to_face, 0); // outward
      closed += area;
    }
  EXPECT_NEAR(closed.norm(), 0, 1e-14);
  EXPECT_NEAR(area_vector(surface.faces[7], nodes)[2], 6, 1e-14);

  // A warped quadrilateral spans the same area vector as any two triangles between its edges.
  nodes.set_displacement(7, Point<3>(0.3, 0.1, 0.2));
  const auto x = [&](const unsigned int i) { return nodes.position(i); };
  const Tensor<1, 3> two = 0.5 * (cross_product_3d(x(3) - x(1), x(7) - x(1)) +
                                  cross_product_3d(x(7) - x(1), x(5) - x(1)));
  EXPECT_NEAR((area_vector(surface.faces[1], nodes) - two).norm(), 0, 1e-14);

  NodeTable<2> plane;
  plane.add({0, 0}, 1);
  plane.add({3, 4}, 1);
  const auto segment = area_vector(SurfaceFace<2>{{0, 1}, 2, 0, 0}, plane);
  EXPECT_NEAR((segment - Point<2>(4, -3)).norm(), 0, 1e-14);
}

TEST_F(Vtu, SurfaceFilesHoldDeformedFacesAndContact)
{
  State<3> state;
  const auto surface = cube_and_triangle(state.nodes);
  SurfaceRecorder<3> recorder(folder, surface, 2);
  recorder.record(state.frame(0, 0)); // without contact: no impulses at all

  const Point<3> shift(10, 20, 30);
  for (unsigned int i = 0; i < 8; ++i)
    state.nodes.set_displacement(i, shift);
  state.contact.impulse.resize(11);
  state.contact.impulse[9] = Point<3>(1, 0, -12); // the triangle faces +z: pushed in
  recorder.record(state.frame(0.25, 1));          // not due
  recorder.record(state.frame(0.5, 2));
  const Grid grid(check_series(folder, "surface", {"0", "0.5"})[0]);
  EXPECT_EQ(grid.n_cells, 8u);
  EXPECT_EQ(grid.n_points, 11u); // shared by the faces
  EXPECT_EQ(grid.arrays.at("types"), (std::vector<double>{9, 9, 9, 9, 9, 5, 5, 5}));
  EXPECT_EQ(grid.arrays.at("body"), (std::vector<double>{0, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(grid.place.at("body"), "CellData");
  EXPECT_EQ(grid.place.at("normal"), "CellData");
  std::map<unsigned int, unsigned int> point_of;
  for (unsigned int p = 0; p < grid.n_points; ++p)
  {
    const unsigned int node = grid.arrays.at("node")[p];
    point_of[node] = p;
    EXPECT_NEAR((grid.vector("points", p) - state.nodes.position(node)).norm(), 0, 1e-5);
    EXPECT_NEAR((grid.vector("displacement", p) - state.nodes.displacement(node)).norm(), 0, 1e-6);
    EXPECT_EQ(grid.arrays.at("status")[p], 0);
    EXPECT_TRUE(std::isnan(grid.arrays.at("gap")[p]));
    if (node < 8)
    {
      EXPECT_EQ(grid.arrays.at("pressure")[p], 0);
    }
  }
  EXPECT_EQ(point_of.size(), 11u);
  for (unsigned int c = 0; c < grid.n_cells; ++c)
    EXPECT_NEAR(grid.vector("normal", c).norm(), 1, 1e-6);
  const unsigned int hit = point_of.at(9);
  EXPECT_NEAR((grid.vector("normal", 7) - Point<3>(0, 0, 1)).norm(), 0, 1e-6);
  EXPECT_NEAR((grid.vector("contact_impulse", hit) - Point<3>(1, 0, -12)).norm(), 0, 1e-5);
  // area 6, a third of it is the node's; interval 0.5 since the frame that was written
  EXPECT_NEAR(grid.arrays.at("pressure")[hit], 12 / (2 * 0.5), 1e-5);

  state.contact.impulse[9] += Point<3>(0, 0, 2);
  recorder.record(state.frame(1, 4));
  const Grid later(check_series(folder, "surface", {"0", "0.5", "1"})[0]);
  EXPECT_NEAR((later.vector("recent_contact_impulse", hit) - Point<3>(0, 0, 2)).norm(), 0, 1e-5);
  EXPECT_NEAR((later.vector("contact_impulse", hit) - Point<3>(1, 0, -10)).norm(), 0, 1e-5);

  // tractions integrate to the mean force, shear included; areas to that of the faces
  for (const auto &[file, force] :
       {std::pair(&grid, Point<3>(2, 0, -24)), std::pair(&later, Point<3>(0, 0, 4))})
  {
    Tensor<1, 3> sum;
    double area = 0;
    for (unsigned int p = 0; p < file->n_points; ++p)
    {
      const double share = file->arrays.at("nodal_area")[p];
      sum += share * file->vector("contact_traction", p);
      area += share;
    }
    EXPECT_NEAR((sum - force).norm(), 0, 1e-5);
    EXPECT_NEAR(area, 6 + 6, 1e-5);
  }
}

// A quadrilateral's corners must go round it in the file, whatever deal.II's order is.
TEST_F(Vtu, SurfaceCellsGoRound)
{
  State<3> state;
  const auto surface = cube_and_triangle(state.nodes);
  SurfaceRecorder<3>(folder, surface).record(state.frame(0, 0));
  const Grid cube(folder + "/surface/surface_000000.vtu");
  const auto &offsets = cube.arrays.at("offsets"), &corners = cube.arrays.at("connectivity");
  double area = 0;
  for (unsigned int c = 0; c < cube.n_cells; ++c)
  {
    Tensor<1, 3> a; // Newell's formula
    const unsigned int begin = c ? offsets[c - 1] : 0, n = offsets[c] - begin;
    for (unsigned int i = 0; i < n; ++i)
      a +=
          0.5 * cross_product_3d(Tensor<1, 3>(cube.vector("points", corners[begin + i])),
                                 Tensor<1, 3>(cube.vector("points", corners[begin + (i + 1) % n])));
    area += a.norm();
    EXPECT_NEAR((a / a.norm() - cube.vector("normal", c)).norm(), 0, 1e-6);
  }
  EXPECT_NEAR(area, 6 + 6, 1e-5); // of the cube, and of the triangle
}

TEST_F(Vtu, SurfaceIn2DAndWithoutBodies)
{
  State<2> state;
  const Surface<2> empty;
  SurfaceRecorder<2>(folder, empty).record(state.frame(0, 0));
  EXPECT_EQ(check_series(folder, "surface", {"0"}).size(), 1u);

  state.nodes.add({0, 0}, 1);
  state.nodes.add({0, 2}, 1);
  Surface<2> segment;
  segment.body_names = {"a"};
  segment.faces = {{{0, 1}, 2, 0, 0}};
  SurfaceRecorder<2>(folder, segment).record(state.frame(3, 0));
  const Grid grid(check_series(folder, "surface", {"3"})[0]);
  EXPECT_EQ(grid.arrays.at("types"), (std::vector<double>{3}));
  EXPECT_NEAR((grid.vector("normal", 0) - Point<3>(1, 0, 0)).norm(), 0, 1e-6);
}

TEST_F(Vtu, ResumedSurfaceContinues)
{
  State<3> state;
  const auto surface = cube_and_triangle(state.nodes);
  Archive checkpoint;
  {
    SurfaceRecorder<3> recorder(folder, surface);
    recorder.record(state.frame(0, 0));
    state.contact.impulse.assign(11, Point<3>(0, 0, -2));
    recorder.record(state.frame(0.1, 1));
    recorder.serialize(checkpoint);
    recorder.record(state.frame(0.2, 2));
  }
  SurfaceRecorder<3> recorder(folder, surface);
  Archive archive(checkpoint.bytes());
  recorder.serialize(archive);
  state.contact.impulse[8][2] -= 1;
  recorder.record(state.frame(0.6, 2));
  const Grid grid(check_series(folder, "surface", {"0", "0.1", "0.6"})[0]);
  for (unsigned int p = 0; p < grid.n_points; ++p)
    EXPECT_NEAR(grid.arrays.at("pressure")[p], grid.arrays.at("node")[p] == 8 ? 1 / (2 * 0.5) : 0.,
                1e-6);
}

// -- volume -------------------------------------------------------------------------------------

namespace
{
/// A body with displacement u = (1, 2, ...) + X, velocity twice that, one stress everywhere, and
/// cells of two materials.
template <int dim, int spacedim>
struct Cells
{
  dealii::Triangulation<dim, spacedim> mesh;
  dealii::DoFHandler<dim, spacedim> dof_handler;
  std::unique_ptr<dealii::Mapping<dim, spacedim>> mapping;

  Cells(const bool simplices)
  {
    if (!simplices)
      dealii::GridGenerator::subdivided_hyper_cube(mesh, 2);
    else if constexpr (dim == spacedim) // deal.II has no others
      dealii::GridGenerator::subdivided_hyper_cube_with_simplices(mesh, 2);
    using FE = dealii::FiniteElement<dim, spacedim>;
    const std::unique_ptr<FE> scalar =
        simplices ? std::unique_ptr<FE>(new dealii::FE_SimplexP<dim, spacedim>(1))
                  : std::unique_ptr<FE>(new dealii::FE_Q<dim, spacedim>(1));
    mapping = std::make_unique<dealii::MappingFE<dim, spacedim>>(*scalar);
    for (const auto &cell : mesh.active_cell_iterators())
      cell->set_material_id(cell->center()[0] < 0.5 ? 3 : 8);
    dof_handler.reinit(mesh);
    dof_handler.distribute_dofs(dealii::FESystem<dim, spacedim>(*scalar, spacedim));
  }

  VolumeBody<dim, spacedim>
  body() const
  {
    const auto fill = [this](const double factor)
    {
      return [this, factor](const NodeTable<spacedim> &, Vector<double> &field)
      {
        std::vector<Point<spacedim>> points(dof_handler.n_dofs());
        dealii::DoFTools::map_dofs_to_support_points(*mapping, dof_handler, points);
        std::vector<dealii::types::global_dof_index> dofs(dof_handler.get_fe().dofs_per_cell);
        for (const auto &cell : dof_handler.active_cell_iterators())
        {
          cell->get_dof_indices(dofs);
          for (unsigned int i = 0; i < dofs.size(); ++i)
          {
            const unsigned int d = dof_handler.get_fe().system_to_component_index(i).first;
            field[dofs[i]] = factor * (d + 1 + points[dofs[i]][d]);
          }
        }
      };
    };
    VolumeBody<dim, spacedim> body;
    body.dof_handler = &dof_handler;
    body.mapping = mapping.get();
    body.displacement = fill(1);
    body.velocity = fill(2);
    body.stress = [](const NodeTable<spacedim> &, unsigned int)
    {
      SymmetricTensor<2, 3> s;
      s[0][0] = 7; // a pressure of -4 and a pull of 3 along x, a shear
      s[1][1] = s[2][2] = 4;
      s[0][1] = 2;
      return s;
    };
    body.time_step = [](const NodeTable<spacedim> &, const unsigned int cell) { return 1. + cell; };
    return body;
  }
};

/// Fields of a grid with such bodies, which have these numbers.
template <int spacedim>
void
check_fields(const Grid &grid, const std::set<double> &bodies)
{
  double x_max = 0;
  for (unsigned int p = 0; p < grid.n_points; ++p)
  {
    // points are where they have moved to
    const Tensor<1, 3> X = grid.vector("points", p) - grid.vector("displacement", p);
    Point<3> u;
    for (unsigned int d = 0; d < spacedim; ++d)
      u[d] = d + 1 + X[d];
    EXPECT_NEAR((grid.vector("displacement", p) - u).norm(), 0, 1e-5);
    EXPECT_NEAR((grid.vector("velocity", p) - 2 * u).norm(), 0, 1e-5);
    x_max = std::max(x_max, X[0]);
  }
  EXPECT_EQ(x_max, 1);
  for (unsigned int c = 0; c < grid.n_cells; ++c)
  {
    EXPECT_EQ(grid.arrays.at("stress_xx")[c], 7);
    EXPECT_EQ(grid.arrays.at("stress_xy")[c], 2);
    EXPECT_EQ(grid.arrays.at("stress_zz")[c], 4);
    EXPECT_NEAR(grid.arrays.at("von_mises")[c], std::sqrt(3. * 3. + 3 * 2. * 2.), 1e-5);
    const auto begin = grid.arrays.at("stress").begin() + 6 * c; // xx, yy, zz, xy, yz, xz
    EXPECT_EQ(std::vector<double>(begin, begin + 6), (std::vector<double>{7, 4, 4, 2, 0, 0}));
    const auto &corners = grid.arrays.at("connectivity"), &offsets = grid.arrays.at("offsets");
    const unsigned int first = c > 0 ? offsets[c - 1] : 0;
    double x = 0; // of the centre in the reference configuration
    for (unsigned int i = first; i < offsets[c]; ++i)
      x += (grid.vector("points", corners[i]) - grid.vector("displacement", corners[i]))[0] /
           (offsets[c] - first);
    EXPECT_EQ(grid.arrays.at("material_id")[c], x < 0.5 ? 3 : 8);
  }
  const auto &body = grid.arrays.at("body"), &h = grid.arrays.at("time_step");
  EXPECT_EQ(std::set<double>(body.begin(), body.end()), bodies);
  for (unsigned int c = 0; c < grid.n_cells; ++c) // counted anew in each body
    EXPECT_EQ(h[c], c > 0 && body[c] == body[c - 1] ? h[c - 1] + 1 : 1);
}

/// Sum of the volumes of the cells, from their corners as VTK counts them.
double
volume(const Grid &grid)
{
  double sum = 0;
  const auto &offsets = grid.arrays.at("offsets");
  for (unsigned int c = 0; c < grid.n_cells; ++c)
  {
    const unsigned int begin = c > 0 ? offsets[c - 1] : 0;
    const auto edge = [&](const unsigned int i) -> Tensor<1, 3>
    {
      const auto &corners = grid.arrays.at("connectivity");
      return grid.vector("points", corners[begin + i]) - grid.vector("points", corners[begin]);
    };
    const bool is_hexahedron = grid.arrays.at("types")[c] == 12;
    sum += is_hexahedron ? cross_product_3d(edge(1), edge(3)) * edge(4)
                         : cross_product_3d(edge(1), edge(2)) * edge(3) / 6;
    if (is_hexahedron) // round the lower and the upper side
    {
      EXPECT_NEAR((edge(2) - edge(1) - edge(3)).norm(), 0, 1e-6);
      EXPECT_NEAR((edge(6) - edge(5) - edge(7) + edge(4)).norm(), 0, 1e-6);
    }
  }
  return sum;
}
} // namespace

TEST_F(Vtu, VolumesOfAllKindsInOneSeries)
{
  const Cells<3, 3> hexahedra(false), tetrahedra(true);
  const Cells<2, 3> shell(false);
  VolumeRecorder<3> recorder(folder, 5);
  recorder.add_body(hexahedra.body());
  recorder.add_body(shell.body());
  recorder.add_body(tetrahedra.body());
  const State<3> state;
  recorder.record(state.frame(0, 0));
  recorder.record(state.frame(1, 4)); // not due
  recorder.record(state.frame(2, 5));
  const auto files = check_series(folder, "solution", {"0", "2"}, 2);
  const Grid solids(files[0]), shells(files[1]);
  EXPECT_EQ(solids.n_cells, hexahedra.mesh.n_active_cells() + tetrahedra.mesh.n_active_cells());
  EXPECT_EQ(solids.n_points, 27u + 27u); // cells share them, bodies do not
  EXPECT_EQ(shells.n_cells, 4u);
  EXPECT_EQ(shells.n_points, 9u);
  EXPECT_EQ(solids.arrays.at("types").front(), 12);
  EXPECT_EQ(solids.arrays.at("types").back(), 10);
  EXPECT_EQ(shells.arrays.at("types"), (std::vector<double>{9, 9, 9, 9}));
  EXPECT_NEAR(volume(solids), 2 * 8, 1e-5); // deformed, twice as long
  check_fields<3>(solids, {0, 2});
  check_fields<3>(shells, {1});
}

TEST_F(Vtu, VolumesInThePlane)
{
  const Cells<2, 2> quadrilaterals(false), triangles(true);
  VolumeRecorder<2> recorder(folder);
  recorder.add_body(quadrilaterals.body());
  recorder.add_body(triangles.body());
  const State<2> state;
  recorder.record(state.frame(0, 0));
  const Grid grid(check_series(folder, "solution", {"0"})[0]);
  check_fields<2>(grid, {0, 1});
  EXPECT_EQ(grid.arrays.count("stress_xz"), 0u);
}

TEST_F(Vtu, NumbersThatOnlySomeBodiesHave)
{
  const Cells<3, 3> first(false), second(true);
  const Cells<2, 3> shell(false);
  const auto filled = [](const double number)
  { return [number](const NodeTable<3> &, const unsigned int cell) { return number + cell; }; };
  VolumeRecorder<3> recorder(folder);
  recorder.add_body(first.body());
  auto body = second.body();
  body.cell_numbers["plastic"] = filled(100);
  recorder.add_body(body);
  auto thin = shell.body();
  thin.cell_numbers["damage"] = filled(7);
  recorder.add_body(thin);
  const State<3> state;
  recorder.record(state.frame(0, 0));
  recorder.record(state.frame(1, 1)); // nothing of the first picture stays
  const auto files = check_series(folder, "solution", {"0", "1"}, 2);
  const Grid solids(files[0]), shells(files[1]);
  check_fields<3>(solids, {0, 1});
  check_fields<3>(shells, {2});
  const auto &plastic = solids.arrays.at("plastic");
  ASSERT_EQ(plastic.size(), solids.n_cells);
  const unsigned int n_first = first.mesh.n_active_cells();
  for (unsigned int c = 0; c < solids.n_cells; ++c)
    EXPECT_EQ(plastic[c], c < n_first ? 0 : 100 + c - n_first);
  EXPECT_EQ(solids.arrays.count("damage"), 0u);
  EXPECT_EQ(shells.arrays.at("damage"), (std::vector<double>{7, 8, 9, 10}));
  EXPECT_EQ(shells.arrays.at("thickness"), (std::vector<double>{0, 0, 0, 0}));
  EXPECT_EQ(shells.arrays.count("plastic"), 0u);
}

// Ids that are no floats, also in pieces that have no cells.
TEST_F(Vtu, LargeMaterialIds)
{
  Cells<2, 2> cells(false);
  const unsigned int large = (1u << 24) + 1;
  for (const auto &cell : cells.mesh.active_cell_iterators())
    cell->set_material_id(large + cell->active_cell_index());
  const State<2> state;
  for (const unsigned int number : {0u, 1u})
  {
    VolumeRecorder<2> recorder(folder, 1, {number, 2});
    auto body = cells.body();
    if (number == 0)
      body.cells.emplace();
    recorder.add_body(body);
    recorder.record(state.frame(0, 0));
    recorder.record(state.frame(1, 1)); // nothing of the first picture stays
  }
  const Grid none(folder + "/solution/solution_000001.0.vtu"),
      all(folder + "/solution/solution_000001.1.vtu");
  EXPECT_TRUE(none.arrays.at("material_id").empty());
  EXPECT_EQ(all.arrays.at("material_id"),
            (std::vector<double>{large + 0., large + 1., large + 2., large + 3.}));
  const Xml whole =
      XmlFile(folder + "/solution/solution_000001.pvtu").xml.get_child("VTKFile.PUnstructuredGrid");
  const auto names = attributes(whole.get_child("PCellData"), "PDataArray", "Name"),
             types = attributes(whole.get_child("PCellData"), "PDataArray", "type");
  ASSERT_EQ(names.size(), types.size());
  for (unsigned int i = 0; i < names.size(); ++i)
    EXPECT_EQ(types[i], names[i] == "material_id" ? "Int32" : "Float32") << names[i];
}

// None of two fields of one name would be found again.
TEST_F(Vtu, NumbersWithNamesOfCommonFieldsAreRefused)
{
  const Cells<3, 3> solid(false);
  const Cells<2, 3> shell(false);
  const auto one = [](const NodeTable<3> &, unsigned int) { return 1.; };
  VolumeRecorder<3> recorder(folder);
  for (const std::string name : {"stress", "stress_xy", "von_mises", "body", "material_id"})
  {
    auto body = solid.body();
    body.cell_numbers[name] = one;
    EXPECT_THROW(recorder.add_body(body), VolumeRecorder<3>::ExcCommonField) << name;
  }
  auto thin = shell.body();
  thin.cell_numbers["thickness"] = one;
  EXPECT_THROW(recorder.add_body(thin), VolumeRecorder<3>::ExcCommonField);
  auto body = solid.body();
  body.cell_numbers["thickness"] = one; // which only shells have otherwise
  recorder.add_body(body);
  const State<3> state;
  recorder.record(state.frame(0, 0));
  const Grid grid(check_series(folder, "solution", {"0"})[0]);
  check_fields<3>(grid, {0}); // what has been refused has no number
  EXPECT_EQ(grid.arrays.at("thickness"), std::vector<double>(grid.n_cells, 1.));
}

/// Cells of all kinds in pieces of several processes, of which one has nothing of the shell.
TEST_F(Vtu, PiecesHaveAllCellsOnce)
{
  constexpr unsigned int n_pieces = 3;
  const Cells<3, 3> hexahedra(false), tetrahedra(true);
  const Cells<2, 3> shell(false);
  const State<3> state;
  for (const unsigned int number : {2u, 0u, 1u}) // in any order
  {
    VolumeRecorder<3> recorder(folder, 1, {number, n_pieces});
    const auto add = [&](auto body, const unsigned int n)
    {
      body.cells.emplace();
      for (unsigned int cell = 0; cell < body.dof_handler->get_triangulation().n_active_cells();
           ++cell)
        if (cell % n == number)
          body.cells->push_back(cell);
      body.cell_numbers["cell"] = [number, n](const NodeTable<3> &, const unsigned int cell)
      {
        EXPECT_EQ(cell % n, number); // the others may be unknown here
        return double(cell);
      };
      recorder.add_body(body);
    };
    add(hexahedra.body(), 3);
    add(shell.body(), 2);
    add(tetrahedra.body(), 3);
    recorder.record(state.frame(0, 0));
    recorder.record(state.frame(0.5, 1));
  }
  const Xml pvd = XmlFile(folder + "/solution.pvd").xml.get_child("VTKFile.Collection");
  EXPECT_EQ(attributes(pvd, "DataSet", "file"),
            (std::vector<std::string>{
                "solution/solution_000000.pvtu", "solution/solution_000000_1.pvtu",
                "solution/solution_000001.pvtu", "solution/solution_000001_1.pvtu"}));
  std::vector<std::multiset<double>> numbers(2); // of cells, by part
  double sum = 0;
  for (const unsigned int part : {0, 1})
  {
    const std::string name = std::string("solution_000001") + (part ? "_1" : "");
    const Xml whole =
        XmlFile(folder + "/solution/" + name + ".pvtu").xml.get_child("VTKFile.PUnstructuredGrid");
    const auto pieces = attributes(whole, "Piece", "Source");
    ASSERT_EQ(pieces.size(), n_pieces);
    for (unsigned int number = 0; number < n_pieces; ++number)
    {
      EXPECT_EQ(pieces[number], name + "." + std::to_string(number) + ".vtu");
      const Grid grid(folder + "/solution/" + pieces[number]);
      EXPECT_EQ(grid.time, 0.5);
      // what is announced is there
      const auto of_points = attributes(whole.get_child("PPointData"), "PDataArray", "Name");
      const auto of_cells = attributes(whole.get_child("PCellData"), "PDataArray", "Name");
      for (const auto &[names, place] :
           {std::make_pair(of_points, "PointData"), std::make_pair(of_cells, "CellData")})
        for (const auto &field : names)
          EXPECT_EQ(grid.place.at(field), place);
      EXPECT_EQ(of_points.size() + of_cells.size() + 4, grid.arrays.size());
      numbers[part].insert(grid.arrays.at("cell").begin(), grid.arrays.at("cell").end());
      if (part == 0)
        sum += volume(grid);
      for (unsigned int p = 0; p < grid.n_points; ++p)
        for (unsigned int d = 0; d < 3; ++d)
          EXPECT_NEAR(grid.vector("points", p)[d], 2 * grid.vector("displacement", p)[d] - (d + 1),
                      1e-5);
    }
  }
  EXPECT_NEAR(sum, 2 * 8, 1e-5);
  std::multiset<double> solids;
  for (const auto *cells : {&hexahedra, &tetrahedra})
    for (unsigned int c = 0; c < cells->mesh.n_active_cells(); ++c)
      solids.insert(c);
  EXPECT_EQ(numbers[0], solids);
  EXPECT_EQ(numbers[1], (std::multiset<double>{0, 1, 2, 3}));
}

TEST_F(Vtu, ScalarElementsAndEmptyIntervalsAreRefused)
{
  Cells<2, 2> scalar(false);
  scalar.dof_handler.distribute_dofs(dealii::FE_Q<2>(1));
  VolumeRecorder<2> recorder(folder);
  EXPECT_THROW(recorder.add_body(scalar.body()), dealii::ExceptionBase);
  EXPECT_THROW(recorder.add_body(VolumeBody<2>()), dealii::ExceptionBase);
  EXPECT_THROW(VolumeRecorder<2>(folder, 0), dealii::ExceptionBase);
  EXPECT_THROW(SurfaceRecorder<2>(folder, Surface<2>(), 0), dealii::ExceptionBase);
}
