// Meshes from parameters, and expressions.
#include "mesh_files.h"
#include "unit/deal_ii/test_body.h"

#include <kickdrift/meshes/hanging_nodes.h>
#include <kickdrift/meshes/mesh.h>

#include <gtest/gtest.h>

#include <map>
#include <set>

#include <sys/resource.h>

using namespace KickDrift;
using namespace KickDriftTests;

namespace
{
/// Make the mesh that lines of a parameter file describe.
template <int dim>
void
make_mesh(Triangulation<dim> &triangulation, const std::string &parameters,
          const Constants &constants = {})
{
  ParameterHandler prm;
  MeshParameters<dim>::declare_parameters(prm);
  prm.parse_input_from_string(parameters);
  MeshParameters<dim> mesh;
  mesh.parse_parameters(prm, constants);
  mesh.make(triangulation);
}

template <int dim>
std::string
complaint(const std::string &parameters, const Constants &constants = {})
{
  Triangulation<dim> triangulation;
  return message_of([&] { make_mesh(triangulation, parameters, constants); });
}

template <int dim>
double
volume(const Triangulation<dim> &triangulation)
{
  double result = 0;
  for (const auto &cell : triangulation.active_cell_iterators())
    result += cell->measure();
  return result;
}

/// Area of the boundary by boundary id.
template <int dim>
std::map<types::boundary_id, double>
areas(const Triangulation<dim> &triangulation)
{
  std::map<types::boundary_id, double> result;
  for (const auto &face : triangulation.active_face_iterators())
    if (face->at_boundary())
      result[face->boundary_id()] += face->measure();
  return result;
}

// Two unit squares side by side, in every format; the left one has material id 3 where possible.
const std::string gmsh_2 = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
6
1 0 0 0
2 1 0 0
3 2 0 0
4 0 1 0
5 1 1 0
6 2 1 0
$EndNodes
$Elements
4
1 1 2 8 1 1 4
2 1 2 9 2 3 6
3 3 2 3 1 1 2 5 4
4 3 2 5 2 2 3 6 5
$EndElements
)";

const std::string gmsh_4 = R"($MeshFormat
4.1 0 8
$EndMeshFormat
$Entities
0 2 2 0
1 0 0 0 0 1 0 1 8 0
2 2 0 0 2 1 0 1 9 0
1 0 0 0 1 1 0 1 3 0
2 1 0 0 2 1 0 1 5 0
$EndEntities
$Nodes
1 6 1 6
2 1 0 6
1
2
3
4
5
6
0 0 0
1 0 0
2 0 0
0 1 0
1 1 0
2 1 0
$EndNodes
$Elements
4 4 1 4
1 1 1 1
1 1 4
1 2 1 1
2 3 6
2 1 3 1
3 1 2 5 4
2 2 3 1
4 2 3 6 5
$EndElements
)";

const std::string abaqus_squares = R"(** two squares
*NODE
1, 0., 0., 0.
2, 1., 0., 0.
3, 2., 0., 0.
4, 0., 1., 0.
5, 1., 1., 0.
6, 2., 1., 0.
*ELEMENT, TYPE=CPS4, ELSET=EB3
1, 1, 2, 5, 4
*ELEMENT, TYPE=CPS4, ELSET=EB5
2, 2, 3, 6, 5
)";

const std::string ucd = R"(# two squares
6 2 0 0 0
1 0 0 0
2 1 0 0
3 2 0 0
4 0 1 0
5 1 1 0
6 2 1 0
1 3 quad 1 2 5 4
2 5 quad 2 3 6 5
)";

const std::string vtk = R"(# vtk DataFile Version 3.0
two squares
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 6 double
0 0 0
1 0 0
2 0 0
0 1 0
1 1 0
2 1 0
CELLS 2 10
4 0 1 4 3
4 1 2 5 4
CELL_TYPES 2
9
9
)";

const std::string unv = R"(-1
2411
1 1 1 11
0.0 0.0 0.0
2 1 1 11
1.0 0.0 0.0
3 1 1 11
2.0 0.0 0.0
4 1 1 11
0.0 1.0 0.0
5 1 1 11
1.0 1.0 0.0
6 1 1 11
2.0 1.0 0.0
-1
-1
2412
1 44 1 1 7 4
1 2 5 4
2 44 1 1 7 4
2 3 6 5
-1
)";

const std::vector<std::pair<std::string, std::string>> files = {
    {".msh", gmsh_2}, {".msh", gmsh_4}, {".inp", abaqus_squares}, {".inp", ucd}, {".ucd", ucd},
    {".vtk", vtk},    {".unv", unv}};

std::vector<std::string>
split(const std::string &text, const char separator)
{
  std::istringstream stream(text);
  std::vector<std::string> result;
  for (std::string part; std::getline(stream, part, separator);)
    result.push_back(part);
  return result;
}
} // namespace

TEST(MeshParameters, box)
{
  for (const bool simplices : {false, true})
  {
    Triangulation<3> triangulation;
    make_mesh(triangulation,
              "set Lower corner = -L, 0, 0\nset Upper corner = 0, 1, max(n,2)/2\n"
              "set Subdivisions = 5*n, n, n+1\nset Cell type = " +
                  std::string(simplices ? "simplices" : "hypercubes"),
              {{"L", 10.}, {"n", 2.}});
    EXPECT_EQ(triangulation.n_active_cells() % (10 * 2 * 3), 0u);
    EXPECT_EQ(triangulation.n_active_cells() > 60, simplices);
    EXPECT_NEAR(volume(triangulation), 10., 1e-12);
    const auto area = areas(triangulation);
    ASSERT_EQ(area.size(), 6u);
    for (const auto &[id, size] : area)
      EXPECT_NEAR(size, id < 2 ? 1. : 10., 1e-12) << "boundary id " << id;
    for (const auto &face : triangulation.active_face_iterators())
      if (face->at_boundary())
      {
        const double side[] = {-10, 0, 0, 1, 0, 1};
        EXPECT_NEAR(face->center()[face->boundary_id() / 2], side[face->boundary_id()], 1e-12);
      }
  }
  Triangulation<2> triangulation;
  make_mesh(triangulation, "set Cell type = simplices\nset Refinements = 2");
  EXPECT_EQ(triangulation.n_active_cells(), 32u);
  EXPECT_EQ(areas(triangulation).size(), 4u);
}

TEST(MeshParameters, ball_and_cylinder)
{
  for (const bool simplices : {false, true})
  {
    const std::string type = simplices ? "\nset Cell type = simplices\n" : "\n";
    const std::string ball = "set Generator = ball\nset Refinements = 2\nset Radius = r/2" + type;
    Triangulation<2> disc;
    make_mesh(disc, ball + "set Centre = 3, 1", {{"r", 1.}});
    EXPECT_NEAR(volume(disc), numbers::PI / 4, 0.03);
    for (const auto &face : disc.active_face_iterators())
      if (face->at_boundary())
      {
        EXPECT_NEAR(face->vertex(0).distance(Point<2>(3, 1)), 0.5, simplices ? 1e-2 : 1e-12);
      }
    Triangulation<3> sphere;
    make_mesh(sphere, ball, {{"r", 1.}});
    EXPECT_NEAR(volume(sphere), numbers::PI / 6, 0.04);

    Triangulation<3> rod;
    make_mesh(rod,
              "set Generator = cylinder\nset Refinements = 2\nset Radius = 0.5\nset Length = 3\n"
              "set Centre = 1, 2, 3" +
                  type);
    EXPECT_NEAR(volume(rod), 3 * numbers::PI / 4, 0.1);
    const auto area = areas(rod);
    ASSERT_EQ(area.size(), 3u);
    EXPECT_NEAR(area.at(1), area.at(2), 1e-12);
    for (const auto &vertex : rod.get_vertices())
    {
      EXPECT_LT(std::hypot(vertex[1] - 2, vertex[2] - 3), 0.5 + 1e-12);
      EXPECT_LT(std::abs(vertex[0] - 1), 1.5 + 1e-12);
    }
  }
  EXPECT_TRUE(contains(complaint<2>("set Generator = ball\nset Radius = -1"), "'Radius'"));
}

TEST(MeshParameters, grid_generator_by_name)
{
  Triangulation<3> triangulation;
  make_mesh(triangulation, "set Generator = grid generator\nset Name = hyper_shell\n"
                           "set Arguments = 0,0,0 : 1 : 2 : 6 : true\nset Refinements = 2");
  EXPECT_NEAR(volume(triangulation), 4. / 3 * numbers::PI * 7, 2.);
  const auto unknown = complaint<2>("set Generator = grid generator\nset Name = hyper_donut");
  EXPECT_TRUE(contains(unknown, "hyper_donut")) << unknown;
  const auto wrong =
      complaint<2>("set Generator = grid generator\nset Name = hyper_ball\nset Arguments = oops");
  EXPECT_TRUE(contains(wrong, "'Arguments'") && contains(wrong, "oops")) << wrong;
}

// Wolff & Bucher (2013), section 8.1: x_i = (L/n)(i/5n) + (L - L/n)(i/5n)^2, mirrored for bar 1.
TEST(MeshParameters, map_grades_the_two_bars)
{
  const double L = 10, n = 4;
  const std::string box = "set Upper corner = L, 1, 1\nset Subdivisions = 5*n, n, n\n";
  for (const bool left : {false, true})
  {
    Triangulation<3> bar;
    make_mesh(bar,
              left ? "set Lower corner = -L, 0, 0\nset Upper corner = 0, 1, 1\n"
                     "set Subdivisions = 5*n, n, n\nset Map = (L/n)*(x/L)-(L-L/n)*(x/L)^2; y; z"
                   : box + "set Map = (L/n)*(x/L) + (L-L/n)*(x/L)^2; y; z",
              {{"L", L}, {"n", n}});
    std::set<double> planes;
    for (const auto &vertex : bar.get_vertices())
      planes.insert(std::round(1e9 * std::abs(vertex[0])) / 1e9);
    ASSERT_EQ(planes.size(), 21u);
    unsigned int i = 0;
    for (const double x : planes)
    {
      const double s = i++ / (5 * n);
      EXPECT_NEAR(x, (L / n) * s + (L - L / n) * s * s, 1e-8);
    }
    EXPECT_NEAR(volume(bar), 10., 1e-12);
    EXPECT_EQ(areas(bar).size(), 6u);
  }
}

TEST(MeshParameters, local_refinements)
{
  const auto n_cells = [](const std::string &expression)
  {
    Triangulation<2> mesh;
    make_mesh(mesh, "set Subdivisions = n, n\nset Local refinements = " + expression, {{"n", 4.}});
    EXPECT_NEAR(volume(mesh), 1., 1e-14);
    return mesh.n_active_cells();
  };
  EXPECT_EQ(n_cells("0"), 16u);
  EXPECT_EQ(n_cells("x < 2/n"), 8u + 4 * 8u);
  // the second column becomes finer, too, so as not to be next to cells of a quarter of its size
  EXPECT_EQ(n_cells("x < 0.3 ? 2 : 0"), 8u + 4 * 4u + 16 * 4u);
  EXPECT_EQ(n_cells("1"), 64u);
  Triangulation<2> twice;
  make_mesh(twice, "set Refinements = 2\nset Local refinements = x < 0.5");
  EXPECT_EQ(twice.n_active_cells(), 8u + 4 * 8u);

  // What hangs on curved surfaces, or is moved by the map, is put back onto the edges.
  for (const char *parameters :
       {"set Generator = ball\nset Refinements = 1\nset Local refinements = z > 0",
        "set Subdivisions = 2, 2, 2\nset Local refinements = x < 0.5 ? 2 : 0\n"
        "set Map = x + 0.1*sin(3*y); y + 0.2*z^2; z + 0.3*x*y"})
  {
    Triangulation<3> mesh, straight;
    make_mesh(mesh, parameters);
    EXPECT_TRUE(mesh.has_hanging_nodes());
    straight.copy_triangulation(mesh);
    straighten_hanging_nodes(straight);
    for (unsigned int v = 0; v < mesh.n_vertices(); ++v)
      EXPECT_LT(mesh.get_vertices()[v].distance(straight.get_vertices()[v]), 1e-14);
  }

  for (const std::string type : {"set Cell type = simplices\n", ""})
    for (const std::string wrong : {"x", "-1", "21", "log(-1)", "20", "x +", "q", "1; 2"})
    {
      const auto message = complaint<2>(type + "set Local refinements = " + wrong);
      EXPECT_TRUE(contains(message, "'Local refinements'")) << wrong << ": " << message;
    }
  EXPECT_TRUE(contains(complaint<2>("set Local refinements = x"),
                       "is 0.5 at the centre (0.5, 0.5) of a cell; allowed are integers"));
  EXPECT_TRUE(contains(complaint<3>("set Cell type = simplices\nset Local refinements = 1"),
                       "triangles and tetrahedra cannot be refined locally"));
}

TEST(MeshParameters, bad_maps)
{
  Triangulation<2> turned;
  make_mesh(turned, "set Map = -x; -y\nset Subdivisions = 2, 2");
  EXPECT_NEAR(volume(turned), 1., 1e-14);

  const auto nan = complaint<2>("set Map = log(x); y");
  EXPECT_TRUE(contains(nan, "'Map'") && contains(nan, "log(x)")) << nan;
  const auto mirrored = complaint<2>("set Map = -x; y");
  EXPECT_TRUE(contains(mirrored, "'Map'") && contains(mirrored, "inverted")) << mirrored;
  const auto mirrored_tets = complaint<3>("set Map = y; x; z\nset Cell type = simplices");
  EXPECT_TRUE(contains(mirrored_tets, "inverted")) << mirrored_tets;
  EXPECT_TRUE(contains(complaint<3>("set Map = x; y"), "but 3 are needed"));
  EXPECT_TRUE(contains(complaint<2>("set Map = x; y+q"), "y+q"));
  EXPECT_TRUE(contains(complaint<2>("set Map = 0; 0"), "inverted"));
}

TEST(MeshParameters, bad_boxes)
{
  EXPECT_TRUE(contains(complaint<2>("set Upper corner = 0, 1"), "'Upper corner'"));
  EXPECT_TRUE(contains(complaint<2>("set Upper corner = 1, 1, 1"), "but 2 are needed"));
  EXPECT_TRUE(contains(complaint<2>("set Subdivisions = 2.5, 1"), "positive integer"));
  EXPECT_TRUE(contains(complaint<2>("set Subdivisions = 0, 1"), "positive integer"));
  EXPECT_TRUE(contains(complaint<2>("set Subdivisions = 1e6, 1e6"), "cells"));
  EXPECT_TRUE(contains(complaint<2>("set Subdivisions = n, 1"), "'Subdivisions'"));
  EXPECT_TRUE(contains(complaint<2>("set Lower corner = 0, 1/0"), "inf"));
  EXPECT_TRUE(contains(complaint<2>("set Refinements = 16"), "'Refinements'"));
  EXPECT_TRUE(contains(complaint<3>("set Refinements = 11"), "8.58993e+09 cells"));
}

TEST(MeshFile, formats)
{
  for (const auto &[suffix, content] : files)
  {
    SCOPED_TRACE(suffix + "\n" + content.substr(0, 40));
    const TemporaryFile file(suffix, content);
    Triangulation<2> triangulation;
    make_mesh(triangulation, "set Generator = file\nset File = " + file.name);
    ASSERT_EQ(triangulation.n_active_cells(), 2u);
    EXPECT_NEAR(volume(triangulation), 2., 1e-14);
    EXPECT_EQ(triangulation.n_used_vertices(), 6u);
    if (suffix == ".msh")
    {
      const auto area = areas(triangulation);
      EXPECT_NEAR(area.at(8), 1., 1e-14);
      EXPECT_NEAR(area.at(9), 1., 1e-14);
    }
    const bool has_materials = suffix != ".vtk" && suffix != ".unv";
    for (const auto &cell : triangulation.active_cell_iterators())
      EXPECT_EQ(cell->material_id(), !has_materials ? 0u : cell->center()[0] < 1 ? 3u : 5u);
  }
}

TEST(MeshFile, double_exponents_of_unv)
{
  std::string content = unv;
  for (const auto &[from, to] : {std::pair<std::string, std::string>{"2.0 0.0", "2.0D+00 0.0"},
                                 {"2.0 1.0", "0.2d1 1.0"},
                                 {"0.0 1.0", "0.0D-0 10.D-1"}})
    content.replace(content.find(from), from.size(), to);
  const TemporaryFile file(".unv", content);
  Triangulation<2> triangulation;
  make_mesh(triangulation, "set Generator = file\nset File = " + file.name);
  EXPECT_NEAR(volume(triangulation), 2., 1e-14);
  content.replace(content.find("0.2d1"), 5, "0.2dd");
  const TemporaryFile broken(".unv", content);
  EXPECT_TRUE(
      contains(complaint<2>("set Generator = file\nset File = " + broken.name), "not a number"));
}

TEST(MeshFile, complaints)
{
  const auto about = [](const std::string &file)
  { return complaint<2>("set Generator = file\nset File = " + file); };
  EXPECT_TRUE(contains(about(""), "'File' is empty"));
  EXPECT_TRUE(contains(about("/nowhere/wheel.msh"), "'/nowhere/wheel.msh': it does not exist"));
  EXPECT_TRUE(contains(about("/tmp"), "'/tmp'"));
  const std::vector<std::tuple<std::string, std::string, std::string>> broken = {
      {".stl", "solid", "suffix"},
      {".msh", "", "empty"},
      {".msh", "\n \n", "empty"},
      {".msh", "hello", "$MeshFormat"},
      {".msh", "$MeshFormat\n4.1 1 8\n$EndMeshFormat\n", "binary"},
      {".msh", "$MeshFormat\n3 0 8\n$EndMeshFormat\n", "version"},
      {".vtk", "hello", "vtk DataFile"},
      {".unv", "hello", "2411"},
      {".inp", "*HEADING\nhello", "no nodes"},
      {".inp", "hello", "not a number"},
      {".ucd", "0 0 0 0 0", "no nodes"}};
  for (const auto &[suffix, content, reason] : broken)
  {
    const TemporaryFile file(suffix, content);
    const auto message = about(file.name);
    EXPECT_TRUE(contains(message, file.name) && contains(message, reason)) << message;
  }
}

// A file that breaks off anywhere is refused, unless what is missing does not matter.
TEST(MeshFile, truncated)
{
  unsigned int n_refused = 0, n_accepted = 0;
  for (const auto &[suffix, content] : files)
  {
    const TemporaryFile file(suffix, "");
    for (std::size_t length = 0; length < content.size(); ++length)
    {
      file.write(content.substr(0, length));
      Triangulation<2> triangulation;
      const auto message = message_of([&] { read_mesh_file(file.name, triangulation); });
      if (message.empty())
      {
        ++n_accepted;
        EXPECT_NEAR(
            volume(triangulation),
            suffix == ".inp" && content == abaqus_squares && length < content.size() - 10 ? 1. : 2.,
            1e-14)
            << content.substr(0, length);
      }
      else
      {
        ++n_refused;
        EXPECT_TRUE(contains(message, file.name)) << message;
      }
    }
  }
  EXPECT_GT(n_refused, 30 * n_accepted);
}

// Any word of a file replaced by nonsense: refused or read, but no crash and no endless loop.
TEST(MeshFile, damaged)
{
  // A reader that never ends fills the memory; let it fail before the machine suffers. (Sanitizers
  // reserve terabytes of addresses for themselves.)
  const rlimit five_minutes = {300, 300};
  setrlimit(RLIMIT_CPU, &five_minutes);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  const rlimit gigabytes = {rlim_t(4) << 30, rlim_t(4) << 30};
  setrlimit(RLIMIT_AS, &gigabytes);
#endif
  unsigned int n_refused = 0, n = 0;
  for (const auto &[suffix, content] : files)
  {
    const TemporaryFile file(suffix, "");
    const auto lines = split(content, '\n');
    for (std::size_t l = 0; l < lines.size(); ++l)
      for (std::size_t w = 0; w < split(lines[l], ' ').size(); ++w)
        for (const std::string nonsense :
             {"", "junk", "-1", "0", "7", "99999999999", "1e300", "nan"})
        {
          std::string damaged;
          for (std::size_t i = 0; i < lines.size(); ++i)
          {
            const auto words = split(lines[i], ' ');
            for (std::size_t j = 0; j < words.size(); ++j)
              damaged += (i == l && j == w ? nonsense : words[j]) + " ";
            damaged += "\n";
          }
          file.write(damaged);
          Triangulation<2> triangulation;
          SCOPED_TRACE(damaged);
          const auto message = message_of([&] { read_mesh_file(file.name, triangulation); });
          n_refused += !message.empty();
          ++n;
        }
  }
  EXPECT_GT(n, 1000u);
  EXPECT_GT(2 * n_refused, n);
}

// Recursion over the letters of a word would overflow the stack.
TEST(MeshFile, long_words)
{
  const std::string many(300000, 'R');
  for (const auto &[suffix, content] : files)
  {
    std::string longer = content;
    for (auto at = longer.find("CPS4"); at != longer.npos; at = longer.find("CPS4", at + 1))
      longer.insert(at + 4, many);
    for (const std::string &text : {longer, content + many, many + content, many})
    {
      const TemporaryFile file(suffix, text);
      Triangulation<2> triangulation;
      const auto message = message_of([&] { read_mesh_file(file.name, triangulation); });
      EXPECT_TRUE(message.empty() ? triangulation.n_active_cells() == 2
                                  : contains(message, file.name));
    }
  }
}

// A mesh that the memory cannot hold is refused before it is made.
TEST(MeshParameters, memory)
{
  rlimit before;
  getrlimit(RLIMIT_RSS, &before);
  const rlimit tight = {rlim_t(10) << 20, before.rlim_max};
  setrlimit(RLIMIT_RSS, &tight);
  for (const std::string parameters :
       {"set Subdivisions = 100, 1000", "set Refinements = 9",
        "set Generator = grid generator\nset Name = subdivided_hyper_cube\nset Arguments = 400",
        "set Generator = grid generator\nset Name = subdivided_hyper_rectangle\n"
        "set Arguments = 100, 1000 : 0, 0 : 1, 1"})
    EXPECT_TRUE(contains(complaint<2>(parameters), "GB of memory, of which there are 0.01"))
        << parameters << ": " << complaint<2>(parameters);
  EXPECT_EQ(complaint<2>("set Subdivisions = 100, 100"), "");
  setrlimit(RLIMIT_RSS, &before);
}

TEST(Expressions, constants)
{
  const auto constants =
      parse_constants("n = 4, L=10, h=L/n, m=max(n, 7)", "Constants", {{"k", 2.}});
  EXPECT_EQ(constants, (Constants{{"k", 2.}, {"n", 4.}, {"L", 10.}, {"h", 2.5}, {"m", 7.}}));
  EXPECT_TRUE(parse_constants(" ", "Constants").empty());
  EXPECT_EQ(evaluate("2*k", "P", constants), 4.);
  EXPECT_NEAR(evaluate("sin(pi/2)", "P"), 1., 1e-15);
  EXPECT_EQ(evaluate_list("1, if(n>3,2,5) , -h", "P", constants),
            (std::vector<double>{1., 2., -2.5}));
  EXPECT_EQ(evaluate_point<3>("n,L,0", "P", constants), Point<3>(4, 10, 0));
}

TEST(Expressions, mistakes_name_parameter_and_text)
{
  for (const std::string text : {"n", "n=", "=3", "2n=3", "a b=3", "a=1, a=2", "x=3", "t=1", "pi=3",
                                 "b=a, a=1", "a=1,, b=2", "a=1/0", "a=sqrt(-1)", "a=(1", "a=1)"})
  {
    const auto message = message_of([&] { parse_constants(text, "Constants"); });
    EXPECT_TRUE(contains(message, "'Constants'")) << text << ": " << message;
  }
  for (const std::string text : {"", "2*", "2*q", "1 2", "x", "1, 2", "log(-1)", "\"a\""})
  {
    const auto message = message_of([&] { evaluate(text, "Radius"); });
    EXPECT_TRUE(contains(message, "'Radius'") && contains(message, text))
        << text << ": " << message;
  }
  EXPECT_TRUE(contains(message_of([] { evaluate("2*q", "P"); }), "there is no constant 'q'"));
  for (const std::string text : {"1;2", "1;2;3;4", "1;;3", "1;2;w", "1,2,3", "x;y;", ""})
    EXPECT_TRUE(contains(message_of([&] { make_function<3>(text, 3, "Velocity"); }), "'Velocity'"))
        << text;
}

/// Names of all functions and constants that the parser knows are refused, one by one.
TEST(Expressions, names_of_functions_are_no_constants)
{
  unsigned int n_functions = 0;
  for (const std::string name :
       {"sin",   "cos",   "tan",   "asin", "acos",  "atan", "atan2",    "sinh", "cosh", "tanh",
        "asinh", "acosh", "atanh", "log2", "log10", "log",  "ln",       "exp",  "sqrt", "sign",
        "rint",  "abs",   "min",   "max",  "sum",   "avg",  "int",      "ceil", "cot",  "csc",
        "floor", "sec",   "pow",   "erf",  "erfc",  "rand", "rand_seed"})
  {
    bool is_function = false;
    for (const std::string arguments : {"", "0.5", "0.5, 0.5"})
      is_function |=
          message_of([&] { evaluate("0*" + name + "(" + arguments + ")", "P"); }).empty();
    n_functions += is_function;
    EXPECT_TRUE(contains(message_of([&] { parse_constants(name + "=3", "Constants"); }), name));
  }
  EXPECT_GE(n_functions, 30u);
  EXPECT_EQ(parse_constants("sine=3", "Constants").at("sine"), 3.);
}

TEST(Expressions, finite_functions)
{
  const FiniteFunction<2> one_over_x(make_function<2>("1/x; 1/t", 2, "Load"), "Loads/a/Value");
  EXPECT_EQ(one_over_x.value(Point<2>(2, 1), 0), 0.5);
  const auto at_zero = message_of([&] { one_over_x.value(Point<2>(0, 1), 0); });
  for (const std::string part : {"'Loads/a/Value'", "inf", "(0, 1)", "time 0"})
    EXPECT_TRUE(contains(at_zero, part)) << at_zero;

  FiniteFunction<3> of_time(make_function<3>("sqrt(1-t)", 1, "Load"), "Load");
  EXPECT_EQ(of_time.value(Point<3>()), 1.);
  of_time.set_time(2);
  const auto late = message_of([&] { of_time.value(Point<3>()); });
  EXPECT_TRUE(contains(late, "nan") && contains(late, "time 2")) << late;
}

/// deal.II's parser prints what it throws.
TEST(Expressions, mistakes_print_nothing)
{
  testing::internal::CaptureStderr();
  EXPECT_NE(message_of([] { make_function<2>("sin(", 1, "Load"); }), "");
  EXPECT_NE(message_of([] { evaluate("2*q", "P"); }), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Expressions, functions_of_space_and_time)
{
  const auto f = make_function<3>("x*t; y+n; if(z>1, 7, pi)", 3, "Load", {{"n", 4.}});
  f->set_time(2.);
  const Point<3> p(3, 5, 1.5), q(0, 0, 0);
  EXPECT_EQ(f->value(p, 0), 6.);
  EXPECT_EQ(f->value(p, 1), 9.);
  EXPECT_EQ(f->value(p, 2), 7.);
  EXPECT_NEAR(f->value(q, 2), numbers::PI, 1e-15);
  EXPECT_EQ(make_function<2>("1/x", 1, "Load")->value(Point<2>(2, 0)), 0.5);
  EXPECT_NE(message_of([] { make_function<2>("z", 1, "Load"); }), "");
}
