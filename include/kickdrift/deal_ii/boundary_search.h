#ifndef KICKDRIFT_DEAL_II_BOUNDARY_SEARCH_H
#define KICKDRIFT_DEAL_II_BOUNDARY_SEARCH_H

#include <kickdrift/contact/geometry/curved_face.h>
#include <kickdrift/contact/search/hierarchy.h>

#include <deal.II/fe/mapping.h>
#include <deal.II/grid/tria.h>

#include <functional>
#include <limits>
#include <vector>

namespace KickDrift
{
/**
 * Searches on the boundary of a Triangulation, without anything else of this library: the nearest
 * face, all faces within a distance, the first contact of two moving boundaries.
 *
 * @code
 *   BoundarySearch<3> search(triangulation, mapping);
 *   const auto nearest = search.nearest_face(point);
 *   std::cout << nearest.distance << search.cell(nearest.face) << search.face_number(nearest.face);
 * @endcode
 *
 * Faces are numbered in the order of the cells and of the faces within a cell. They have the shape
 * that the mapping gives them: with degree 1 straight segments, triangles or bilinear
 * quadrilaterals between the vertices, with degree 2 or 3 (hypercubes only) the curved ones of
 * MappingQ of that degree.
 */
template <int dim>
class BoundarySearch
{
public:
  /// Iterator to a cell.
  using Cell = typename dealii::Triangulation<dim>::active_cell_iterator;

  /// The place of the boundary that is nearest to a point.
  struct Nearest
  {
    unsigned int face;        ///< number of the face within the cell
    dealii::Point<dim> point; ///< of that face [length]
    double distance;          ///< [length]
  };

  /// Throws dealii::ExceptionBase if the triangulation has no boundary, or cells other than
  /// hypercubes and simplices, or simplices with another degree than one. It must outlive the
  /// search and not change.
  BoundarySearch(const dealii::Triangulation<dim> &triangulation,
                 const dealii::Mapping<dim> &mapping, unsigned int degree = 1);

  /// The boundary has moved: take the positions of this mapping, such as a MappingQEulerian.
  /// Cheaper than a new search.
  void update(const dealii::Mapping<dim> &mapping);

  /// Number of faces of the boundary.
  unsigned int
  n_faces() const
  {
    return faces.size();
  }

  /// The cell that a boundary face belongs to.
  const Cell &
  cell(const unsigned int face) const
  {
    return faces[face].cell;
  }

  /// Number of the face within that cell.
  unsigned int
  face_number(const unsigned int face) const
  {
    return faces[face].number;
  }

  /// Any of the nearest, if there are several.
  Nearest nearest_face(const dealii::Point<dim> &point) const;

  /// In ascending order.
  std::vector<unsigned int> faces_within(const dealii::Point<dim> &point, double radius) const;

  /// Corners of a face in lexicographic order [length]; simplices have dim of them.
  std::vector<dealii::Point<dim>> corners(unsigned int face) const;

private:
  struct Face
  {
    Cell cell;
    unsigned int number;
    std::vector<dealii::Point<dim>> unit_points; ///< in the cell
    std::vector<dealii::Point<dim>> points;      ///< in space
  };

  Nearest closest_on(unsigned int face, const dealii::Point<dim> &point) const;
  std::vector<unsigned int> candidates(const dealii::Point<dim> &point, double radius) const;
  std::vector<Box<dim>> face_boxes() const;

  const unsigned int degree;
  std::vector<Face> faces;
  std::vector<CurvedFace<dim>> curved_faces; ///< with a degree above one
  Hierarchy<dim> hierarchy;
  Box<dim> bounds;      ///< of all faces
  double mean_size = 0; ///< of the faces' boxes [length]
};

/// First contact of two boundaries.
struct BoundaryContact
{
  /// When they touch [time].
  double time = std::numeric_limits<double>::infinity();
  unsigned int first_face = 0;  ///< if the time is finite
  unsigned int second_face = 0; ///< if the time is finite
};

/// Velocity of a point of a boundary by its position [length/time].
template <int dim>
using VelocityOfPoint = std::function<dealii::Tensor<1, dim>(const dealii::Point<dim> &position)>;

/**
 * When do two boundaries touch for the first time, if their vertices move straight on with the
 * given velocities? To 1e-10 of the time, infinity if never. Faces count as straight between their
 * vertices.
 */
template <int dim>
BoundaryContact
first_contact(const BoundarySearch<dim> &first, const VelocityOfPoint<dim> &first_velocity,
              const BoundarySearch<dim> &second, const VelocityOfPoint<dim> &second_velocity);
} // namespace KickDrift

#endif
