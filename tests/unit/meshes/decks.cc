// Input files of other programs: keyword decks of LS-DYNA, and what they and Abaqus' files say
// about materials.
#include <kickdrift/base/messages.h>
#include <kickdrift/meshes/mesh.h>
#include <kickdrift/meshes/mesh_file_summary.h>

#include <deal.II/grid/grid_tools.h>

#include <gtest/gtest.h>

#include "mesh_files.h"

namespace
{
using namespace dealii;
using namespace KickDrift;
using namespace KickDriftTests;

/// Two unit cubes in a row along x, of two parts, in columns as LS-DYNA defines them. Numbers fill
/// their columns, so that nothing but the widths separates them.
const std::string cubes = R"(*KEYWORD
*TITLE
two cubes
$ a comment
*NODE
       1              0.              0.              0.       0       0
       2 1.0000000000000              0.              0.       0       0
       3 1.0000000000000 1.0000000000000              0.       0       0
       4              0. 1.0000000000000              0.       0       0
       5              0.              0. 1.0000000000000       0       0
       6 1.0000000000000              0. 1.0000000000000       0       0
       7 1.0000000000000 1.0000000000000 1.0000000000000       0       0
10000008              0. 1.0000000000000 1.0000000000000       0       0
      12 2.0000000000000              0.              0.
      13 2.0000000000000 1.0000000000000              0.
      16 2.0000000000000              0. 1.0000000000000
      17 2.0000000000000 1.0000000000000 1.0000000000000
*ELEMENT_SOLID
      10       3       1       2       3       4       5       6       710000008
      20       7
       2      12      13       3       6      16      17       7       0       0
*PART
steel, block
         3         1         5
*PART

         7         1         6
*SECTION_SOLID
         1         1
*MAT_ELASTIC_TITLE
a steel
         5  7.85E-09  210000.0       0.3
*MAT_JOHNSON_COOK
         6  8.96E-09   46000.0  124000.0      0.34
*SET_NODE_LIST_TITLE
left end
         1
         1         4         510000008
*SET_NODE_LIST
         2
        12        13        16        17
*END
anything
)";

/// A tetrahedron as a hexahedron with repeated nodes, with commas.
const std::string tetrahedron = "*NODE\n1,0,0,0\n2,1.,0,0\n3,0,1.,0\n4,0,0,1.\n"
                                "*ELEMENT_SOLID\n1,1,1,2,3,4,4,4,4,4\n";

/// Two triangles in space, the first as a quadrilateral with a repeated node, and their thickness.
const std::string triangles = "*NODE\n1,0,0,0\n2,1.,0,0\n3,1.,1.,0.5\n4,0,1.,0.5\n"
                              "*ELEMENT_SHELL\n1,2,1,2,3,3\n2,2,1,3,4\n"
                              "*PART\nroof\n2,4,8\n*SECTION_SHELL\n4,2\n0.25,0.25,0.25,0.25\n"
                              "*MAT_024\n8,2.7e-9,70000.,0.33\n";

std::string
replaced(std::string content, const std::string &what, const std::string &by)
{
  return content.replace(content.find(what), what.size(), by);
}

template <int dim>
std::string
complaint(const std::string &suffix, const std::string &content)
{
  const TemporaryFile file(suffix, content);
  try
  {
    Triangulation<dim> triangulation;
    read_mesh_file(file.name, triangulation);
  }
  catch (const ExceptionBase &exception)
  {
    return message_of(exception);
  }
  return "nothing";
}

MeshFileSummary
summary(const std::string &suffix, const std::string &content)
{
  return summarise_mesh_file(TemporaryFile(suffix, content).name);
}
} // namespace

TEST(Decks, cubes_of_ls_dyna)
{
  for (const std::string suffix : {".k", ".KEY", ".dyn"})
  {
    const TemporaryFile file(suffix, cubes);
    Triangulation<3> triangulation;
    const MeshNames names = read_mesh_file(file.name, triangulation);
    EXPECT_EQ(triangulation.n_active_cells(), 2u);
    EXPECT_NEAR(GridTools::volume(triangulation), 2, 1e-14);
    ASSERT_EQ(names.materials.count("steel block"), 1u);
    ASSERT_EQ(names.materials.count("part 7"), 1u);
    for (const auto &cell : triangulation.active_cell_iterators())
      EXPECT_EQ(names.materials.at(cell->center()[0] < 1 ? "steel block" : "part 7")
                    .count(cell->material_id()),
                1u);
    for (const auto &[name, x] : {std::pair<std::string, double>{"left end", 0}, {"nodes 2", 2}})
    {
      unsigned int n = 0;
      for (const auto &face : triangulation.active_face_iterators())
        if (face->at_boundary() && names.boundaries.at(name).count(face->boundary_id()) > 0)
        {
          ++n;
          EXPECT_EQ(face->center(), Point<3>(x, 0.5, 0.5));
        }
      EXPECT_EQ(n, 1u) << name;
    }
  }
}

TEST(Decks, tetrahedra_of_ls_dyna)
{
  for (const std::string &content :
       {tetrahedron, replaced(tetrahedron, "1,1,1,2,3,4,4,4,4,4", "1,1\n1,2,3,4,0,0,0,0,0,0")})
  {
    const TemporaryFile file(".k", content);
    Triangulation<3> triangulation;
    read_mesh_file(file.name, triangulation);
    EXPECT_NEAR(triangulation.begin_active()->measure(), 1. / 6, 1e-14);
  }
}

TEST(Decks, what_files_say)
{
  const auto solid = summary(".k", cubes);
  EXPECT_EQ(solid.dimension, 3u);
  EXPECT_FALSE(solid.is_shell);
  EXPECT_NEAR(solid.diameter, std::sqrt(6), 1e-14);
  ASSERT_EQ(solid.materials.size(), 2u);
  EXPECT_EQ(solid.materials.at("steel block").youngs_modulus, 210000);
  EXPECT_EQ(solid.materials.at("steel block").poissons_ratio, 0.3);
  EXPECT_EQ(solid.materials.at("part 7").density, 8.96e-9);
  EXPECT_EQ(solid.materials.at("part 7").youngs_modulus, 124000);
  EXPECT_EQ(solid.materials.at("part 7").poissons_ratio, 0.34);

  // a shell on one of the cubes is no cell of the mesh, nor is its material one
  const std::string lid = "*ELEMENT_SHELL\n       5       9       5       6       710000008\n"
                          "*PART\na lid\n         9         1         5\n";
  EXPECT_EQ(summary(".k", replaced(cubes, "*END", lid + "*END")).materials.size(), 2u);
  // what is added to a material is none, and parts of one title may be of two materials
  const auto eroding = summary(
      ".k", replaced(replaced(cubes, "*MAT_ELASTIC", "*MAT_ADD_EROSION\n         5\n*MAT_ELASTIC"),
                     "*PART\n\n", "*PART\nsteel, block\n"));
  EXPECT_EQ(eroding.materials.at("steel block").youngs_modulus, 210000);
  EXPECT_EQ(eroding.materials.at("steel block 7").youngs_modulus, 124000);

  const auto shell = summary(".k", triangles);
  EXPECT_TRUE(shell.is_shell);
  EXPECT_EQ(shell.materials.at("roof").thickness, 0.25);
  EXPECT_EQ(shell.materials.at("roof").poissons_ratio, 0.33);

  const std::string plate = "*NODE\n1, 0, 0\n2, 1, 0\n3, 1, 1\n4, 0, 1\n"
                            "*ELEMENT, TYPE=CPS4, ELSET=Plate\n1, 1, 2, 3, 4\n"
                            "*SOLID SECTION, ELSET=plate, MATERIAL=Alu\n1.,\n"
                            "*MATERIAL, NAME=ALU\n*DENSITY\n2.7e-9,\n*ELASTIC, TYPE=ISOTROPIC\n"
                            "70000., 0.33\n80000., 0.3, 100.\n*PLASTIC\nwhatever\n";
  const auto plane = summary(".inp", plate);
  EXPECT_EQ(plane.dimension, 2u);
  EXPECT_FALSE(plane.is_shell);
  ASSERT_EQ(plane.materials.size(), 1u);
  EXPECT_EQ(plane.materials.at("Plate").density, 2.7e-9);
  EXPECT_EQ(plane.materials.at("Plate").youngs_modulus, 70000);
  EXPECT_EQ(summary(".inp", replaced(plate, "ISOTROPIC", "ORTHOTROPIC")).materials.size(), 0u);
  EXPECT_THROW(summary(".inp", replaced(plate, "70000.", "much")), ExceptionBase);

  const std::string shell_of_abaqus =
      "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 1\n*ELEMENT, TYPE=S3, ELSET=sail\n1, 1, 2, 3\n"
      "*SHELL SECTION, ELSET=sail, MATERIAL=cloth\n0.125, 5\n"
      "*MATERIAL, NAME=cloth\n*ELASTIC\n10., 0.3\n*DENSITY\n1.\n";
  EXPECT_EQ(summary(".inp", shell_of_abaqus).materials.at("sail").thickness, 0.125);
}

TEST(Decks, mistakes_are_named)
{
  const auto expect =
      [](const std::string &content, const std::string &line, const std::string &reason)
  {
    const std::string message = complaint<3>(".k", content);
    EXPECT_NE(message.find(reason), std::string::npos) << message;
    EXPECT_NE(message.find(line), std::string::npos) << message;
  };
  expect(replaced(cubes, "1.0000000000000", "1.000O000000000"), "line 7", "not a number");
  expect(replaced(cubes, "       2      12", "       2      99"), "line 20", "node 99");
  expect(replaced(cubes, "      20       7", "      10       7"), "line 20", "element 10 before");
  expect(replaced(cubes, "*NODE", "*NODE+"), "line 5", "long format");
  expect(replaced(cubes, "*NODE", "*INCLUDE_TRANSFORM"), "line 5", "includes another file");
  expect(replaced(cubes, "*KEYWORD", "*KEYWORD LONG=Y"), "line 1", "long format");
  expect(replaced(cubes, "*ELEMENT_SOLID", "*ELEMENT_SOLID_ORTHO"), "line 18", "not supported");
  expect("*KEYWORD\n*END", "Mesh file", "no nodes");
  expect(cubes.substr(0, cubes.find("*ELEMENT")), "Mesh file", "no elements");
  expect(replaced(tetrahedron, "1,1,1,2,3,4,4,4,4,4", "1,1,1,2,3,4,4,4,4,3"), "line 7", "twice");
  expect(replaced(tetrahedron, "1,1,1,2,3,4,4,4,4,4", "1,1"), "line 7", "no nodes");
  expect(replaced(tetrahedron, "1,1,1,2,3,4,4,4,4,4", "1,1,1,2,3"), "line 7", "3 nodes");
  // a set with a node that is not there
  expect(replaced(cubes, "        12        13        16        17\n*END",
                  "        12        13        16        99\n*END"),
         "99", "does not exist");
}
