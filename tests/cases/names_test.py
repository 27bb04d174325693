"""End-to-end tests of names of boundaries and materials in mesh files.

Usage: KICKDRIFT=path/to/kickdrift python3 names_test.py [unittest arguments]
"""

import unittest

from program_test import ProgramTest, summary

MESH = """$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
4
1 8 "left end"
1 9 "tip"
2 3 "steel"
2 5 "rubber"
$EndPhysicalNames
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
"""

# A bar of two materials is held, pulled and looked at by its ends, which do not touch the block
# beside it although they could.
CASE = """
set Dimension = 2
subsection Bodies
  set Names = bar, block
  subsection bar
    subsection Mesh
      set Generator   = file
      set File        = {mesh}
      set Refinements = 2
    end
    subsection Material
      set Model = linear elastic
      set Ids = {rubber}
      subsection Id {rubber}
        set Model = linear elastic
        set Young's modulus = 0.1
      end
    end
  end
  subsection block
    subsection Mesh
      set Lower corner = 2.1, 0
      set Upper corner = 3.1, 1
      set Subdivisions = 2, 2
    end
    subsection Material
      set Model = linear elastic
    end
    set Initial velocity = -1; 0
  end
end
subsection Restraints
  set Names = held
  subsection held
    set Body         = bar
    set Boundary ids = {left}
  end
end
subsection Loads
  set Names = pull
  subsection pull
    set Body         = bar
    set Type         = traction
    set Boundary ids = {tip}
    set Value        = 0.01; 0
  end
end
subsection Probes
  set Names = tip
  subsection tip
    set Body         = bar
    set Boundary ids = {tip}
  end
end
subsection Contact
  set Exclude                = bar:{tip}
  set Allow initial overlap = true
end
subsection Stepping
  set End time = 0.5
end
"""

NUMBERS = {"rubber": "5", "left": "8", "tip": "9"}
NAMES = {"rubber": "rubber", "left": "left end", "tip": "tip"}


class Names(ProgramTest):
    def case(self, words, **more):
        mesh = self.write("bar.msh", MESH)
        return self.write("case.prm", CASE.format(mesh=mesh, **{**words, **more}))

    def test_names_are_ids(self):
        hashes = set()
        for words in (NUMBERS, NAMES):
            _, output = self.run_case(self.case(words))
            hashes.add(summary(output)["state_hash"])
        self.assertEqual(len(hashes), 1)
        _, output = self.run_case(self.case(NAMES), {"Contact/Exclude": ""})
        self.assertNotIn(summary(output)["state_hash"], hashes)
        _, output = self.run_case(
            self.case(NAMES), {"Bodies/bar/Material/Id rubber/Young's modulus": 0.2}
        )
        self.assertNotIn(summary(output)["state_hash"], hashes)

    def test_validate_knows_what_is_used(self):
        done = self.run_program(self.case(NAMES), "--validate")
        self.assertIn("Names of boundaries of body 'bar', with their ids: left end (8); tip (9)\n",
                      done.stdout)
        self.assertIn("Names of materials of body 'bar', with their ids: rubber (5); steel (3)\n",
                      done.stdout)
        self.assertIn("Boundary ids of body 'bar' that nothing refers to: 0\n", done.stdout)

    def test_unknown_names(self):
        for place, name, listed in (
            ("left", "left", "left end, tip"),
            ("tip", "steel", "left end, tip"),
            ("rubber", "tip", "rubber, steel"),
        ):
            with self.subTest(place=place):
                self.assert_refused({}, f"'{name}'", listed, file=self.case(NAMES, **{place: name}))
        self.assert_refused(
            {"Contact/Exclude": "bar:top"}, "Contact/Exclude", "'top'", file=self.case(NAMES)
        )

    def test_damaged_names_name_file_and_line(self):
        case = self.case(NAMES)
        self.write("bar.msh", MESH.replace('1 9 "tip"', "1 9 tip"))
        self.assert_refused({}, "bar.msh", "line 7", "1 9 tip", file=case)

    def test_own_material_ids_have_no_names(self):
        case = self.case(NAMES)
        self.assert_refused(
            {"Bodies/bar/Mesh/Material id": 5}, "'rubber'", "it has 5.", file=case
        )


if __name__ == "__main__":
    unittest.main()
