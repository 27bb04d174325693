// The housing as a mesher leaves it if nobody looks: 111 587 tetrahedra, some of them slivers.
// gmsh -3 housing_fine.geo -o housing_fine.msh
size = 1.2;
Include "housing.geo";
