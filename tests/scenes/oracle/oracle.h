// Judges motions of pieces by brute force: what is in what, what went through what, what pushed
// what without touching it. It knows positions and momenta, and nothing of contact.
#ifndef KICKDRIFT_TESTS_SCENES_ORACLE_H
#define KICKDRIFT_TESTS_SCENES_ORACLE_H

#include "scenes/oracle/flights.h"

#include <map>
#include <memory>
#include <set>

namespace Scenes
{
/// From where on something is not rounding.
struct Tolerances
{
  double depth = 1e-9;     ///< of a point inside another piece, over the size of the scene [-]
  double deep_share = 0.1; ///< the same, over the thickness of that piece [-]
  double distance = 1e-9;  ///< up to which pieces touch, over the size of the scene [-]
  double momentum = 1e-9;  ///< that changes, over the scale [-]
};

/// What was wrong.
struct Findings
{
  std::uint64_t instants = 0; ///< looked at
  unsigned int missed =
      0; ///< nodes, edges and middles of faces inside of another piece, each once per piece
  unsigned int deep = 0; ///< of these, deeper than a tenth of its thickness
  unsigned int lost =
      0; ///< nodes and middles that went in on one side of a piece and out on the other
  unsigned int false_pushes = 0; ///< changes of momentum without touch
  double max_depth = 0;          ///< over the size of the scene [-]
  double max_share = 0;          ///< over the thickness [-]
  double first_time = -1;        ///< of anything missed or lost; negative: none [time]
  double gap_of_push = 0; ///< largest distance of a false one, over the size of the scene [-]
  std::set<std::pair<unsigned int, unsigned int>> touched; ///< pairs of pieces, the smaller first
};

template <int dim>
class Oracle
{
public:
  /// @param skin must outlive the oracle
  /// @param momentum_scale what changes of momentum are relative to [mass*length/time]
  Oracle(const Skin<dim> &skin, const double momentum_scale,
         const Tolerances &tolerances = Tolerances())
      : skin(skin), momentum_scale(momentum_scale), tolerances(tolerances)
  {
  }

  /// Depth of the deepest overlap of pieces with each other and with planes; negative if all are
  /// apart. For the start, where there is to be none [length].
  double overlap(const std::vector<Vec<dim>> &x) const;

  /**
   * Everything has flown straight from the positions of the last look to @p x.
   * @param velocities with which everything flies on
   * @param momenta by number of momentum; empty if something else than contact changes them: then
   * pushes are not looked at
   */
  void look(double time, const std::vector<Vec<dim>> &x, const std::vector<Vec<dim>> &velocities,
            const std::vector<Vec<dim>> &momenta);

  /**
   * Contact may push ahead of time: what would touch within this time if it flew on as before, or
   * does touch. By default it may not [time].
   */
  void
  allow_pushes_ahead(const double time)
  {
    ahead = time;
  }

  /// To be called at the end.
  const Findings &conclude();

  const Findings &
  findings() const
  {
    return found;
  }

private:
  /// A node or middle of a face that is inside of a piece.
  struct Visit
  {
    unsigned int entry; ///< facet
    double depth;       ///< the largest so far, on samples [length]
  };
  /// A push without touch so far.
  struct Push
  {
    double time;
    std::vector<std::pair<unsigned int, unsigned int>> candidates; ///< pairs of pieces
    double gap;                                                    ///< smallest of them [length]
  };
  /// What is known of the distance of two pieces.
  struct Distance
  {
    double value = 0;      ///< when it was taken [length]
    double travelled = 0;  ///< by both since then, at most [length]
    bool is_known = false; ///< has it been taken?
    double touch_time = 1e300;
  };

  std::pair<unsigned int, unsigned int> pair_of(unsigned int a, unsigned int b) const;
  /// Number of a plane, behind those of the pieces.
  unsigned int
  number_of_plane(const unsigned int p) const
  {
    return skin.pieces.size() + p;
  }
  bool may_meet(unsigned int a, unsigned int b) const;
  bool are_joined(const std::pair<unsigned int, unsigned int> &pair, double time) const;
  void report(unsigned int item, unsigned int piece, double depth, double thickness);
  void touch(unsigned int a, unsigned int b);
  /// Facets of @p target that come near to piece @p of in this flight.
  std::vector<unsigned int> near_facets(unsigned int of, unsigned int target) const;
  void look_at_probe(unsigned int node, unsigned int of, unsigned int target,
                     const std::vector<unsigned int> &near);
  void look_at_edges(unsigned int of, unsigned int target, const std::vector<unsigned int> &near);
  void look_at_planes(unsigned int piece);
  void look_at_distances();
  void look_at_momenta(const std::vector<Vec<dim>> &momenta);
  double distance_between(unsigned int a, unsigned int b, double bound) const;
  bool are_opposed(const PieceSkin<dim> &piece, unsigned int entry, unsigned int exit,
                   double when) const;
  double depth_at(const PieceSkin<dim> &piece, unsigned int node, double when) const;
  /// Would two pieces, or a piece and a plane, touch if they flew on for the time that pushes may
  /// come ahead?
  bool would_touch(unsigned int a, unsigned int b) const;

  const Skin<dim> &skin;
  const double momentum_scale;
  const Tolerances tolerances;
  Findings found;
  double now = 0, ahead = 0;
  std::vector<Vec<dim>> x, last_x;                   ///< of vertices and middles of faces [length]
  std::vector<Vec<dim>> velocities, last_velocities; ///< of vertices [length/time]
  std::vector<Vec<dim>> last_momenta;
  std::vector<Box<dim>> boxes, swept; ///< of the pieces: now, and on the way here
  std::map<std::pair<unsigned int, unsigned int>, Visit> visits; ///< by probe and piece
  std::map<std::pair<unsigned int, unsigned int>, Distance> distances;
  std::set<std::pair<unsigned int, unsigned int>> missed, deep, lost; ///< by item and piece
  std::vector<Push> pushes;
};
} // namespace Scenes

#endif
