#include <kickdrift/potentials/loads/pressure_loads.h>

#include <deal.II/base/quadrature_lib.h>

namespace KickDrift
{
using dealii::Point;
using dealii::Tensor;

namespace
{
/// Shape function @p a at @p xi of a face with @p n nodes.
double
shape_value(const unsigned int n, const unsigned int a, const Point<1> &xi)
{
  (void)n;
  return a == 0 ? 1 - xi[0] : xi[0];
}

double
shape_value(const unsigned int n, const unsigned int a, const Point<2> &xi)
{
  if (n == 3)
    return a == 0 ? 1 - xi[0] - xi[1] : xi[a - 1];
  return (a % 2 == 0 ? 1 - xi[0] : xi[0]) * (a / 2 == 0 ? 1 - xi[1] : xi[1]);
}

/// Vector area of the parallelogram of the tangents; to the right of a single one.
Tensor<1, 2>
vector_area(const std::array<Tensor<1, 2>, 1> &tangents)
{
  return dealii::cross_product_2d(tangents[0]);
}

Tensor<1, 3>
vector_area(const std::array<Tensor<1, 3>, 2> &tangents)
{
  return dealii::cross_product_3d(tangents[0], tangents[1]);
}

/// Rules that are exact for the product of a shape function and the vector area.
template <int facedim>
dealii::Quadrature<facedim>
face_rule(const unsigned int nodes_per_face)
{
  if (nodes_per_face == facedim + 1 && facedim > 1)
    return dealii::QGaussSimplex<facedim>(2);
  return dealii::QGauss<facedim>(2);
}
} // namespace

template <int spacedim>
PressureLoads<spacedim>::PressureLoads(std::string name, const unsigned int nodes_per_face,
                                       std::vector<unsigned int> nodes, Pressure load_pressure)
    : LoadsWithWork<spacedim>(std::move(name), nodes_per_face, std::move(nodes)),
      pressure(std::move(load_pressure)),
      points(face_points(nodes_per_face))
{
}

template <int spacedim>
std::vector<typename PressureLoads<spacedim>::FacePoint>
PressureLoads<spacedim>::face_points(const unsigned int nodes_per_face)
{
  AssertThrow(nodes_per_face == spacedim || (spacedim == 3 && nodes_per_face == 4),
              dealii::ExcMessage("Pressure acts on segments, triangles and quadrilaterals, not on "
                                 "faces with " +
                                 std::to_string(nodes_per_face) + " nodes."));
  const auto rule = face_rule<spacedim - 1>(nodes_per_face);
  std::vector<FacePoint> points;
  for (unsigned int q = 0; q < rule.size(); ++q)
  {
    FacePoint point{rule.weight(q), {}, {}};
    for (unsigned int a = 0; a < nodes_per_face; ++a)
    {
      point.shape.push_back(shape_value(nodes_per_face, a, rule.point(q)));
      // shape functions are linear in every coordinate, so any difference is the derivative
      point.gradient.emplace_back();
      for (unsigned int i = 0; i < spacedim - 1; ++i)
      {
        auto ahead = rule.point(q);
        ahead[i] += 1;
        point.gradient[a][i] = shape_value(nodes_per_face, a, ahead) - point.shape[a];
      }
    }
    points.push_back(point);
  }
  return points;
}

template <int spacedim>
void
PressureLoads<spacedim>::add_forces(const NodeTable<spacedim> &nodes, const unsigned int k,
                                    const double time, Vector *forces) const
{
  for (const FacePoint &point : points)
  {
    Point<spacedim> reference;
    std::array<Vector, spacedim - 1> tangents;
    for (unsigned int a = 0; a < this->nodes_per_kick; ++a)
    {
      const unsigned int node = this->node(k, a);
      const Vector position =
          nodes.position(node) + (time - nodes[node].time) * nodes.velocity(node);
      reference += point.shape[a] * nodes.reference(node);
      for (unsigned int i = 0; i < spacedim - 1; ++i)
        tangents[i] += point.gradient[a][i] * position;
    }
    const Vector load = point.weight * pressure(reference, time) * vector_area(tangents);
    for (unsigned int a = 0; a < this->nodes_per_kick; ++a)
      forces[a] -= point.shape[a] * load;
  }
}

template class PressureLoads<2>;
template class PressureLoads<3>;
} // namespace KickDrift
