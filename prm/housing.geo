// A plastic housing as it comes from a mould: thin walls, ribs, bosses with holes, openings, rounded
// edges. Lengths in mm. gmsh -3 housing.geo -o housing.msh
SetFactory("OpenCASCADE");
DefineConstant[ size = {4, Name "Mesh size"} ];
length = 100; width = 60; height = 24; wall = 2; radius = 3;

// shell: a rounded box, hollowed out from below
Box(1) = {0, 0, 0, length, width, height};
Fillet{1}{9, 10, 11, 12, 2, 4, 6, 8}{radius}
Box(2) = {wall, wall, -1, length - 2*wall, width - 2*wall, height - wall + 1};
BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };

// ribs under the top, along and across
Box(10) = {wall, 20 - 0.75, height - wall - 8, length - 2*wall, 1.5, 8.5};
Box(11) = {wall, 40 - 0.75, height - wall - 8, length - 2*wall, 1.5, 8.5};
Box(12) = {33 - 0.75, wall, height - wall - 8, 1.5, width - 2*wall, 8.5};
Box(13) = {67 - 0.75, wall, height - wall - 8, 1.5, width - 2*wall, 8.5};
// bosses
For i In {0:1}
  For j In {0:1}
    Cylinder(20 + 2*i + j) = {8 + i*(length - 16), 8 + j*(width - 16), 1, 0, 0, height - wall - 0.5, 4};
  EndFor
EndFor
BooleanUnion(40) = { Volume{3}; Delete; }{ Volume{10:13}; Volume{20:23}; Delete; };
// holes of the bosses, openings in walls and top
For i In {0:1}
  For j In {0:1}
    Cylinder(50 + 2*i + j) = {8 + i*(length - 16), 8 + j*(width - 16), 0, 0, 0, height - 6, 1.5};
  EndFor
EndFor
Box(60) = {-1, 24, 6, wall + 2, 12, 8};
Box(61) = {42, 25, height - wall - 1, 16, 10, wall + 2};
BooleanDifference(70) = { Volume{40}; Delete; }{ Volume{50:53}; Volume{60:61}; Delete; };
Physical Volume("housing") = {70};
Mesh.MeshSizeMin = 0.5 * size;
Mesh.MeshSizeMax = size;
Mesh.MshFileVersion = 2.2;
