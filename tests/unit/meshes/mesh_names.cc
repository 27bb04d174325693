// Names of physical groups and sets in mesh files.
#include "mesh_files.h"
#include "unit/deal_ii/test_body.h"

#include <kickdrift/meshes/mesh.h>

#include <gtest/gtest.h>

#include <functional>

using namespace KickDrift;
using namespace KickDriftTests;

namespace
{
/// A mesh that was read, and what its names stand for.
template <int dim>
struct ReadMesh
{
  ReadMesh(const std::string &suffix, const std::string &content)
  {
    const TemporaryFile file(suffix, content);
    names = read_mesh_file(file.name, triangulation);
  }

  /// Volume of the cells that have one of the ids.
  double
  volume(const std::set<types::material_id> &ids) const
  {
    double result = 0;
    for (const auto &cell : triangulation.active_cell_iterators())
      result += ids.count(cell->material_id()) * cell->measure();
    return result;
  }
  double
  volume(const std::string &name) const
  {
    return volume(names.materials.at(name));
  }

  /// Centre of the part of the boundary with the ids, times its area.
  Tensor<1, dim>
  moment(const std::set<types::boundary_id> &ids) const
  {
    Tensor<1, dim> result;
    for (const auto &face : triangulation.active_face_iterators())
      if (face->at_boundary() && ids.count(face->boundary_id()) > 0)
        result += face->measure() * face->center();
    return result;
  }
  Tensor<1, dim>
  moment(const std::string &name) const
  {
    return moment(names.boundaries.at(name));
  }

  Triangulation<dim> triangulation;
  MeshNames names;
};

template <int dim>
std::string
complaint(const std::string &suffix, const std::string &content)
{
  return message_of([&] { ReadMesh<dim>(suffix, content); });
}

// Two unit squares side by side.
const std::string physical_names = R"($PhysicalNames
6
0 4 "corner"
1 8 "left end"
1 9 "right"
2 3 "steel"
2 5 "rubber"
3 3 "no such dimension"
$EndPhysicalNames
)";

const std::string gmsh_2 = R"($MeshFormat
2.2 0 8
$EndMeshFormat
)" + physical_names + R"($Nodes
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
)" + physical_names + R"($Entities
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

// Three cubes in a row along x, labelled 10, 20, 30, and a quadrilateral on the upper side of the
// first. Labels have gaps; the first node belongs to nothing.
const std::string abaqus_cubes = R"(*HEADING
three cubes
** a comment
*NODE, NSET=all nodes
7, 100., 0., 0.
11, 0., 0., 0.
12, 1., 0., 0.
13, 2., 0., 0.
14, 3.333333333333333, 0., 0.
21, 0., 1., 0.
22, 1., 1., 0.
23, 2., 1., 0.
24, 3.333333333333333, 1., 0.
111, 0., 0., 1.
112, 1., 0., 1.
113, 2., 0., 1.
114, 3.333333333333333, 0., 1.
121, 0., 1., 1.
122, 1., 1., 1.
123, 2., 1., 1.
124, 3.333333333333333, 1., 1.
*ELEMENT, TYPE=C3D8R, ELSET=Cubes
10, 11, 12, 22, 21, 111, 112, 122, 121
20, 12, 13, 23, 22, 112, 113, 123, 122
30, 13, 14, 24, 23, 113, 114, 124, 123
*Element, type=S4, elset=lid
40, 111, 112, 122, 121
*ELSET, ELSET="left part", GENERATE
10, 20, 10
*ELSET, ELSET=right
20,
30
*ELSET, elset=both
left part, right
*NSET, NSET=Left
11, 21, 111,
121
*NSET, NSET=one corner
11
*SURFACE, NAME=Ends
10, S6
right, S4
*SURFACE, TYPE=NODE, NAME=left again
Left,
*MATERIAL, NAME=steel
*ELASTIC
210., 0.3
)";

/// Index of the line, from 1, that begins with a text.
std::size_t
line_of(const std::string &content, const std::string &start)
{
  const auto position = ("\n" + content).find("\n" + start);
  return 1 + std::count(content.begin(), content.begin() + position, '\n');
}

std::string
replaced(std::string content, const std::string &what, const std::string &by)
{
  return content.replace(content.find(what), what.size(), by);
}
} // namespace

TEST(MeshNames, physical_groups_of_gmsh)
{
  for (const std::string &content : {gmsh_2, gmsh_4})
  {
    const ReadMesh<2> mesh(".msh", content);
    EXPECT_EQ(mesh.names.materials,
              (MeshNames::IdsByName<unsigned int>{{"rubber", {5}}, {"steel", {3}}}));
    EXPECT_EQ(mesh.names.boundaries,
              (MeshNames::IdsByName<unsigned int>{{"left end", {8}}, {"right", {9}}}));
    EXPECT_NEAR(mesh.volume("rubber"), 1., 1e-14);
    EXPECT_NEAR((mesh.moment("left end") - Point<2>(0, 0.5)).norm(), 0., 1e-14);
    EXPECT_NEAR((mesh.moment("right") - Point<2>(2, 0.5)).norm(), 0., 1e-14);
  }
}

TEST(MeshNames, sets_of_abaqus)
{
  const ReadMesh<3> mesh(".inp", abaqus_cubes);
  const double end = 3.333333333333333;
  EXPECT_EQ(mesh.triangulation.n_active_cells(), 3u);
  EXPECT_NEAR(mesh.volume("Cubes"), end, 1e-14);
  EXPECT_NEAR(mesh.volume("both"), end, 1e-14);
  EXPECT_NEAR(mesh.volume("left part"), 2., 1e-14);
  EXPECT_NEAR(mesh.volume("right"), end - 1, 1e-14);
  EXPECT_EQ(mesh.names.materials.count("lid"), 0u);

  const Point<3> left(0, 0.5, 0.5), right(end, 0.5, 0.5), middle(2, 0.5, 0.5);
  EXPECT_NEAR((mesh.moment("Left") - left).norm(), 0., 1e-14);
  EXPECT_NEAR((mesh.moment("left again") - left).norm(), 0., 1e-14);
  EXPECT_NEAR((mesh.moment("lid") - Point<3>(0.5, 0.5, 1)).norm(), 0., 1e-14);
  // the side between two cubes is no boundary
  EXPECT_NEAR((mesh.moment("Ends") - left - right).norm(), 0., 1e-14);
  EXPECT_EQ(mesh.names.boundaries.count("one corner"), 0u);
  // to the last digit, which is more than deal.II hands through
  double largest = 0;
  for (const auto &vertex : mesh.triangulation.get_vertices())
    largest = std::max(largest, vertex[0]);
  EXPECT_EQ(largest, end);
}

TEST(MeshNames, sides_of_abaqus_elements)
{
  // outward normals of the sides of a brick with nodes in Abaqus' order, by the definition of S1...
  const std::vector<Point<3>> centres = {{0.5, 0.5, 0}, {0.5, 0.5, 1}, {0.5, 0, 0.5},
                                         {1, 0.5, 0.5}, {0.5, 1, 0.5}, {0, 0.5, 0.5}};
  for (unsigned int side = 1; side <= 6; ++side)
  {
    std::string cube = abaqus_cubes.substr(0, abaqus_cubes.find("20, 12"));
    const ReadMesh<3> mesh(".inp", cube + "*SURFACE, NAME=side\n10, S" + std::to_string(side));
    EXPECT_NEAR((mesh.moment("side") - centres[side - 1]).norm(), 0., 1e-14) << side;
  }
  const std::string square = "*NODE\n1, 0, 0\n2, 1, 0\n3, 1, 1\n4, 0, 1\n*ELEMENT, TYPE=CPS4\n"
                             "1, 1, 2, 3, 4\n*SURFACE, NAME=side\n1, E";
  const std::vector<Point<2>> middles = {{0.5, 0}, {1, 0.5}, {0.5, 1}, {0, 0.5}};
  for (unsigned int side = 1; side <= 4; ++side)
  {
    const ReadMesh<2> mesh(".inp", square + std::to_string(side));
    EXPECT_NEAR((mesh.moment("side") - middles[side - 1]).norm(), 0., 1e-14) << side;
  }
  const auto message = complaint<2>(".inp", square + "5");
  EXPECT_TRUE(contains(message, "line 9") && contains(message, "no side S5")) << message;
}

// A triangle as part of the boundary, two tetrahedra, and one of them with sides.
TEST(MeshNames, tetrahedra_of_abaqus)
{
  const std::string tetrahedra = R"(*NODE
11, 0, 0, 0
12, 1, 0, 0
13, 0, 1, 0
14, 0, 0, 1
15, 1, 1, 1.1
*ELEMENT, TYPE=S3, ELSET=lid
1, 11, 12, 13
*ELEMENT, TYPE=C3D4, ELSET=both
10, 11, 12, 13, 14
20, 12, 15, 13, 14
*ELSET, ELSET=one
20
*NSET, NSET=left
11, 13, 14
)";
  const ReadMesh<3> mesh(".inp", tetrahedra);
  ASSERT_EQ(mesh.triangulation.n_active_cells(), 2u);
  EXPECT_NEAR(mesh.volume("both") - mesh.volume("one"), 1. / 6, 1e-14);
  EXPECT_NEAR(mesh.volume("one"), 2.1 / 6, 1e-14); // by the determinant of its sides
  EXPECT_NEAR((mesh.moment("lid") - Point<3>(1. / 6, 1. / 6, 0)).norm(), 0., 1e-14);
  EXPECT_NEAR((mesh.moment("left") - Point<3>(0, 1. / 6, 1. / 6)).norm(), 0., 1e-14);

  // S1 ... S4 as Abaqus defines them; the third is the one between the tetrahedra
  const std::vector<std::vector<unsigned int>> corners = {{0, 1, 2}, {0, 1, 3}, {}, {0, 2, 3}};
  const std::vector<Point<3>> nodes = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (unsigned int side = 1; side <= 4; ++side)
  {
    const ReadMesh<3> other(".inp",
                            tetrahedra + "*SURFACE, NAME=side\n10, S" + std::to_string(side));
    Tensor<1, 3> expected;
    for (const unsigned int corner : corners[side - 1])
      expected += nodes[corner] / 6.; // area 1/2, a third of the sum
    if (corners[side - 1].empty())
      EXPECT_EQ(other.names.boundaries.count("side"), 0u);
    else
      EXPECT_NEAR((other.moment("side") - expected).norm(), 0., 1e-14) << side;
  }
  const auto message = complaint<3>(".inp", tetrahedra + "*SURFACE, NAME=side\n10, S5");
  EXPECT_TRUE(contains(message, "no side S5")) << message;
}

TEST(MeshNames, triangles_of_abaqus)
{
  const ReadMesh<2> mesh(".inp", "*NODE\n1, 0, 0\n2, 1, 0\n3, 1, 1\n4, 0, 1\n"
                                 "*ELEMENT, TYPE=T2D2, ELSET=top\n1, 3, 4\n"
                                 "*ELEMENT, TYPE=CPS3, ELSET=all\n10, 1, 2, 3\n20, 1, 3, 4\n"
                                 "*SURFACE, NAME=right\n10, S2\n");
  EXPECT_NEAR(mesh.volume("all"), 1., 1e-14);
  EXPECT_NEAR((mesh.moment("top") - Point<2>(0.5, 1)).norm(), 0., 1e-14);
  EXPECT_NEAR((mesh.moment("right") - Point<2>(1, 0.5)).norm(), 0., 1e-14);
}

// Names such as EB7 and SS4 mean ids, as to deal.II's own reader; a set that takes a part of them
// away does not change what the number means.
TEST(MeshNames, numbers_of_abaqus)
{
  std::string content = replaced(abaqus_cubes, "ELSET=Cubes", "ELSET=EB7");
  content = replaced(content, "NAME=Ends", "NAME=SS4");
  const ReadMesh<3> mesh(".inp", content);
  std::set<types::material_id> present;
  for (const auto &cell : mesh.triangulation.active_cell_iterators())
    present.insert(cell->material_id());
  EXPECT_EQ(present.count(7), 1u);
  const auto all = ids_of({"7"}, mesh.names.materials, present, "Ids", "no cell with material id");
  EXPECT_EQ(all, present);
  EXPECT_EQ(mesh.names.materials.at("EB7"), present);
  EXPECT_NEAR(mesh.volume("left part"), 2., 1e-14);
  const auto ids = mesh.triangulation.get_boundary_ids();
  const auto ends = ids_of({"4"}, mesh.names.boundaries, {ids.begin(), ids.end()}, "Ids", "none");
  EXPECT_NEAR((mesh.moment(ends) - Point<3>(3.333333333333333, 1, 1)).norm(), 0., 1e-14);
}

// 0 stands for what is in no set, and for nothing if all is in one; a number that is the name of a
// set stands for that set, whatever ids there are.
TEST(MeshNames, what_is_in_no_set)
{
  const auto volume_of = [](const std::string &content, const std::string &word)
  {
    const ReadMesh<3> mesh(".inp", content);
    std::set<types::material_id> present;
    for (const auto &cell : mesh.triangulation.active_cell_iterators())
      present.insert(cell->material_id());
    return mesh.volume(
        ids_of({word}, mesh.names.materials, present, "Ids", "no cell with material id"));
  };
  const std::string cubes = replaced(abaqus_cubes, ", ELSET=Cubes", ""),
                    unnamed = cubes.substr(0, cubes.find("*ELSET"));
  const double end = 3.333333333333333;
  EXPECT_NEAR(volume_of(unnamed, "0"), end, 1e-14);
  for (const unsigned int n_in_set : {1, 2})
  {
    const std::string some = unnamed + "*ELSET, ELSET=some\n10\n" + (n_in_set == 2 ? "20\n" : "");
    EXPECT_NEAR(volume_of(some, "some"), n_in_set, 1e-14);
    EXPECT_NEAR(volume_of(some, "0"), end - n_in_set, 1e-14);
  }
  for (const std::string &content :
       {abaqus_cubes, replaced(abaqus_cubes, "ELSET=Cubes", "ELSET=7")})
  {
    const auto message = message_of([&] { volume_of(content, "0"); });
    EXPECT_TRUE(contains(message, "no cell with material id 0; it has 1, 2, 3, and the names") &&
                contains(message, "left part"))
        << message;
  }
  const std::string numbers = replaced(
      replaced(replaced(abaqus_cubes, "ELSET=right", "ELSET=1"), "left part, right", "left part"),
      "right, S4", "30, S4");
  EXPECT_NEAR(volume_of(numbers, "1"), end - 1, 1e-14);
  EXPECT_NEAR(volume_of(replaced(abaqus_cubes, "ELSET=Cubes", "ELSET=EB0"), "0"), end, 1e-14);
  // all nodes are in a set of that name, and with them all faces
  const ReadMesh<3> mesh(".inp", replaced(abaqus_cubes, ", NSET=all nodes", ""));
  const auto ids = mesh.triangulation.get_boundary_ids();
  const auto others = ids_of({"0"}, mesh.names.boundaries, {ids.begin(), ids.end()}, "Ids", "none");
  EXPECT_FALSE(others.empty());
  for (const std::string set : {"Left", "Ends", "lid"})
    for (const auto id : mesh.names.boundaries.at(set))
      EXPECT_EQ(others.count(id), 0u) << set;
}

TEST(MeshNames, words)
{
  const MeshNames::IdsByName<unsigned int> names = {{"steel", {3, 8}}, {"gone", {9}}};
  const std::set<unsigned int> present = {0, 3, 8};
  const auto look_up = [&](const std::vector<std::string> &words)
  { return ids_of(words, names, present, "Loads/push/Boundary ids", "body 'b' has no boundary"); };
  EXPECT_EQ(look_up({}), std::set<unsigned int>());
  EXPECT_EQ(look_up({"steel", "0"}), present);
  EXPECT_EQ(look_up({"8"}), std::set<unsigned int>{8});
  for (const std::string word : {"gone", "9", "-1", "stel", "", "1e3", "99999999999", "3.0"})
  {
    const auto message = message_of([&] { look_up({"steel", word}); });
    EXPECT_TRUE(contains(message, "'Loads/push/Boundary ids': body 'b' has no boundary") &&
                contains(message, word) && contains(message, "gone, steel") &&
                contains(message, "0, 3, 8"))
        << message;
  }
}

TEST(MeshNames, complaints_name_the_line)
{
  const auto expect = [](const std::string &suffix, const std::string &content,
                         const std::string &start, const std::string &reason)
  {
    const auto message = complaint<3>(suffix, content);
    EXPECT_TRUE(contains(message, "line " + std::to_string(line_of(content, start)) + ": ") &&
                contains(message, reason))
        << message;
  };
  for (const std::string line : {"1 8 left", "1 8 \"left", "one 8 \"left\"", "1 \"left\"",
                                 "4 8 \"left\"", "1 -8 \"left\"", "1 8 9 \"left\"", "1 8 \"\""})
    expect(".msh", replaced(gmsh_2, "1 8 \"left end\"", line), line, "");
  expect(".msh", replaced(gmsh_2, "6\n0 4", "7\n0 4"), "$EndPhysicalNames", "no physical name");
  expect(".msh", replaced(gmsh_2, "6\n0 4", "5\n0 4"), "3 3 \"no", "$EndPhysicalNames");
  expect(".msh", replaced(gmsh_2, "4 0 1 0", "4 0 one 0"), "4 0 one 0", "not a number");
  expect(".msh", replaced(gmsh_2, "3 3 2 3 1 1 2 5 4", "3 3 2 3 1 1 2 5 44"), "3 3 2", "44");

  // such meshes would keep deal.II busy for ever
  expect(".msh", replaced(gmsh_2, "4 3 2 5 2 2 3 6 5", "4 3 2 5 2 2 3 3 5"), "4 3 2 5", "twice");
  const std::string third = "5 3 2 5 2 2 5 6 4";
  expect(
      ".msh",
      replaced(replaced(gmsh_2, "4\n1 1 2", "5\n1 1 2"), "$EndElements", third + "\n$EndElements"),
      third, "third");

  const auto abaqus = [&](const std::string &what, const std::string &by, const std::string &start,
                          const std::string &reason)
  { expect(".inp", replaced(abaqus_cubes, what, by), start, reason); };
  abaqus("10, 20, 10", "10, 20, 0", "10, 20, 0", "no range");
  abaqus("10, 20, 10", "20, 10, 10", "20, 10, 10", "no range");
  abaqus("10, 20, 10", "1, 999999999", "1, 999999999", "more entries");
  abaqus("10, 20, 10", "10", "10\n", "fewer than 2 numbers");
  abaqus("20,\n30", "20,\n33", "33", "33, which does not exist");
  abaqus("left part, right", "left part, both", "left part, both", "neither a number nor a set");
  abaqus("left part, right", "left part, left", "left part, left", "neither a number nor a set");
  abaqus("left part, right", "left part,, right", "left part,, right",
         "neither a number nor a set");
  abaqus("11, 21, 111,", "11, 21, 110,", "11, 21, 110,", "110, which does not exist");
  abaqus("10, S6", "10, S7", "10, S7", "'S7'");
  abaqus("10, S6", "10", "10\nright", "no face");
  abaqus("10, S6", "40, S5", "40, S5", "no side S5");
  abaqus("right, S4", "wrong, S4", "wrong, S4", "'wrong'");
  abaqus("*SURFACE, NAME=Ends", "*SURFACE", "*SURFACE\n", "no name");
  abaqus("20, 12, 13", "10, 12, 13", "10, 12, 13", "element 10 before");
  abaqus("12, 1., 0.", "11, 1., 0.", "11, 1., 0.", "node 11 before");
  abaqus("20, 12, 13", "20, 15, 13", "20, 15, 13", "node 15");
  abaqus("30, 13, 14", "30, 13, 13", "30, 13, 13", "twice");
  abaqus("30, 13, 14,", "30, 13,", "30, 13, 24", "type C3D8R has 7 nodes");
  abaqus("TYPE=C3D8R", "TYPE=C3D4\n1, 11, 12, 22, 21\n*ELEMENT, TYPE=C3D8R", "10, 11,",
         "another number of nodes, 8");
  abaqus("TYPE=C3D8R", "TYPE=C3D6\n1, 11, 12, 22, 111, 112, 122\n*ELEMENT, TYPE=C3D8R", "1, 11",
         "not supported");
}

// A file with names that breaks off anywhere, or in which any word is nonsense, is read or refused
// with its name; nothing crashes and nothing hangs.
TEST(MeshNames, damaged)
{
  unsigned int n_refused = 0, n = 0;
  const auto read = [&](const std::string &suffix, const std::string &content)
  {
    const auto message = complaint<3>(suffix, content);
    EXPECT_TRUE(message.empty() || contains(message, suffix)) << message;
    n_refused += !message.empty();
    ++n;
  };
  const std::string names = gmsh_2.substr(0, gmsh_2.find("$Nodes"));
  const std::string sets = abaqus_cubes.substr(abaqus_cubes.find("*Element, type"));
  for (const auto &[suffix, content, part] :
       {std::tuple<std::string, std::string, std::string>{".msh", gmsh_2, names},
        {".inp", abaqus_cubes, sets}})
    for (std::size_t i = 0; i < part.size(); ++i)
    {
      const std::size_t begin = content.find(part) + i;
      read(suffix, content.substr(0, begin));
      if (i % 3 == 0)
        for (const std::string nonsense : {"", "junk", "-1", "99999999999", "\"", "*", "=", ",,"})
        {
          std::string damaged = content;
          read(suffix, damaged.replace(begin, 1, nonsense));
        }
    }
  EXPECT_GT(n, 1000u);
  EXPECT_GT(2 * n_refused, n);
}
