// A pinion (module 2, 18 teeth, 20 degrees), fine at the three flanks that drive a rack below it in
// turn. Tips are relieved, as loaded teeth lean and the next one comes early.
// Lengths in mm. gmsh -2 pinion.geo -o pinion.msh
DefineConstant[ fine = {0.03, Name "Size at the flanks"}, coarse = {0.35, Name "Size elsewhere"} ];
m = 2; z = 18; alpha = 20*Pi/180;
rp = m*z/2; rb = rp*Cos(alpha); ra = rp + m; rf = rp - 1.25*m; bore = 6;
n = 12; relief = 0.1; // points of an involute; what its tip lacks, from half a module below it on
half = Pi/(2*z) + Tan(alpha) - alpha; // half a tooth at the base circle

// Tooth i is centred at -90 degrees + (i + 1/2) of a pitch, so that a space is below the axis.
outline[] = {}; loaded[] = {};
For i In {0:z-1}
  centre = -Pi/2 + (i + 0.5)*2*Pi/z;
  right[] = {}; left[] = {};
  For j In {0:n}
    r = rb + (ra - rb)*(j/n)^1.5;
    angle = half - (Sqrt((r/rb)^2 - 1) - Atan(Sqrt((r/rb)^2 - 1)))
            - relief/r*(Max(0, r - ra + 0.5*m)/(0.5*m))^2;
    p = newp; Point(p) = {r*Cos(centre - angle), r*Sin(centre - angle), 0}; left[] += p;
    p = newp; Point(p) = {r*Cos(centre + angle), r*Sin(centre + angle), 0}; right[] += p;
  EndFor
  // inside the base circle a little less than radial, as hobs leave it: tips of the rack pass there
  foot_left = newp; Point(foot_left) = {rf*Cos(centre - half + 0.02), rf*Sin(centre - half + 0.02), 0};
  foot_right = newp; Point(foot_right) = {rf*Cos(centre + half - 0.02), rf*Sin(centre + half - 0.02), 0};
  If(i > 0)
    c = newc; Line(c) = {last, foot_left}; outline[] += c;
  Else
    first = foot_left;
  EndIf
  c = newc; Line(c) = {foot_left, left[0]}; outline[] += c;
  c = newc; Spline(c) = left[]; outline[] += c;
  c = newc; Line(c) = {left[n], right[n]}; outline[] += c;
  back[] = {};
  For j In {0:n}
    back[] += right[n - j];
  EndFor
  c = newc; Spline(c) = back[]; outline[] += c;
  If(i >= z - 2 || i == 0)
    loaded[] += c;
  EndIf
  c = newc; Line(c) = {right[0], foot_right}; outline[] += c;
  last = foot_right;
EndFor
c = newc; Line(c) = {last, first}; outline[] += c;
origin = newp; Point(origin) = {0, 0, 0};
hole[] = {};
For i In {0:3}
  p = newp; Point(p) = {bore*Cos(i*Pi/2), bore*Sin(i*Pi/2), 0}; hole[] += p;
EndFor
circle[] = {};
For i In {0:3}
  c = newc; Circle(c) = {hole[i], origin, hole[(i + 1) % 4]}; circle[] += c;
EndFor
l1 = newll; Curve Loop(l1) = outline[];
l2 = newll; Curve Loop(l2) = circle[];
s1 = news; Plane Surface(s1) = {l1, l2};
Physical Surface("pinion") = {s1};
Physical Curve("bore") = circle[];

Field[1] = Distance; Field[1].CurvesList = {loaded[]}; Field[1].NumPointsPerCurve = 100;
Field[2] = Threshold; Field[2].InField = 1;
Field[2].SizeMin = fine; Field[2].SizeMax = coarse; Field[2].DistMin = 0.03; Field[2].DistMax = 0.8;
Background Field = 2;
Mesh.MeshSizeFromPoints = 0; Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.RecombineAll = 1; Mesh.Algorithm = 6; Mesh.RecombinationAlgorithm = 3;
Mesh.MshFileVersion = 2.2;
