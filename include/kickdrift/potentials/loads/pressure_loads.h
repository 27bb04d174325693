#ifndef KICKDRIFT_POTENTIALS_LOADS_PRESSURE_LOADS_H
#define KICKDRIFT_POTENTIALS_LOADS_PRESSURE_LOADS_H

#include <kickdrift/potentials/loads/loads.h>

namespace KickDrift
{
/**
 * Pressure that stays normal to the deformed boundary: @f$ f_A = -\int N_A p n \, da @f$ over every
 * face, a segment in two dimensions (the integral is per thickness), a triangle or a bilinear
 * quadrilateral in three. The integral is exact for a pressure that is uniform on the face, where
 * the forces are @f$ -p @f$ times the derivative of the volume that the boundary encloses; so a
 * closed surface under uniform pressure has neither net force nor moment.
 */
template <int spacedim>
class PressureLoads : public LoadsWithWork<spacedim>
{
public:
  /// A vector in space.
  using Vector = typename Loads<spacedim>::Vector;

  /// Pressure at a point of the reference configuration and a time [force/area].
  using Pressure = std::function<double(const dealii::Point<spacedim> &, double)>;

  /**
   * @param nodes shape (n_faces, nodes_per_face), ordered as in SurfaceFace: the normals that
   * follow from the order point out of the body
   */
  PressureLoads(std::string name, unsigned int nodes_per_face, std::vector<unsigned int> nodes,
                Pressure pressure);

private:
  void add_forces(const NodeTable<spacedim> &nodes, unsigned int k, double time,
                  Vector *forces) const override;

  /// A quadrature point of the face in reference coordinates.
  struct FacePoint
  {
    double weight;
    std::vector<double> shape;                             ///< by node
    std::vector<dealii::Tensor<1, spacedim - 1>> gradient; ///< of the shape functions, by node
  };

  static std::vector<FacePoint> face_points(unsigned int nodes_per_face);

  const Pressure pressure;
  const std::vector<FacePoint> points;
};
} // namespace KickDrift

#endif
