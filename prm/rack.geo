// A rack (module 2, 20 degrees), fine at the three flanks that a pinion above it drives in turn: two
// touch it but for the gap. Tips are relieved, as loaded teeth lean and the next one comes early.
// Lengths in mm. gmsh -2 rack.geo -o rack.msh
DefineConstant[ fine = {0.03, Name "Size at the flanks"}, coarse = {0.35, Name "Size elsewhere"} ];
m = 2; alpha = 20*Pi/180; rp = 18; // of the pinion
backlash = 0.1; gap = 0.0005; relief = 0.15;

// Tooth i is centred i pitches from the middle.
loaded[] = {};
pitch = Pi*m; t = Tan(alpha);
outline[] = {}; y0 = -rp - 1.25*m; y1 = -rp + m; depth = 8; ends = 4.5*pitch;
p = newp; Point(p) = {-ends, y0, 0}; first = p; last = p;
For i In {-4:4}
  l = i*pitch - pitch/4 + gap; r = i*pitch + pitch/4 - backlash;
  p1 = newp; Point(p1) = {l - 1.25*m*t, y0, 0};
  left = newp; Point(left) = {l + 0.5*m*t, y1 - 0.5*m, 0};
  p2 = newp; Point(p2) = {l + m*t + relief, y1, 0};
  p3 = newp; Point(p3) = {r - m*t - relief, y1, 0};
  right = newp; Point(right) = {r - 0.5*m*t, y1 - 0.5*m, 0};
  p4 = newp; Point(p4) = {r + 1.25*m*t, y0, 0};
  c = newc; Line(c) = {last, p1}; outline[] += c;
  c1 = newc; Line(c1) = {p1, left}; outline[] += c1;
  c2 = newc; Line(c2) = {left, p2}; outline[] += c2;
  If(i >= -1 && i <= 1)
    loaded[] += {c1, c2};
  EndIf
  c = newc; Line(c) = {p2, p3}; outline[] += c;
  c = newc; Line(c) = {p3, right}; outline[] += c;
  c = newc; Line(c) = {right, p4}; outline[] += c;
  last = p4;
EndFor
p1 = newp; Point(p1) = {ends, y0, 0};
p2 = newp; Point(p2) = {ends, y0 - depth, 0};
p3 = newp; Point(p3) = {-ends, y0 - depth, 0};
c = newc; Line(c) = {last, p1}; outline[] += c;
end = newc; Line(end) = {p1, p2}; outline[] += end;
guide = newc; Line(guide) = {p2, p3}; outline[] += guide;
c = newc; Line(c) = {p3, first}; outline[] += c;
l1 = newll; Curve Loop(l1) = outline[];
s2 = news; Plane Surface(s2) = {l1};
Physical Surface("rack") = {s2};
Physical Curve("end") = {end};
Physical Curve("guide") = {guide};

Field[1] = Distance; Field[1].CurvesList = {loaded[]}; Field[1].NumPointsPerCurve = 100;
Field[2] = Threshold; Field[2].InField = 1;
Field[2].SizeMin = fine; Field[2].SizeMax = coarse; Field[2].DistMin = 0.03; Field[2].DistMax = 0.8;
Background Field = 2;
Mesh.MeshSizeFromPoints = 0; Mesh.MeshSizeExtendFromBoundary = 0;
Mesh.RecombineAll = 1; Mesh.Algorithm = 6; Mesh.RecombinationAlgorithm = 3;
Mesh.MshFileVersion = 2.2;
