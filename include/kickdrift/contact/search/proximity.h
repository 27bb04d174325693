// SPDX-License-Identifier: LGPL-2.1-or-later
#ifndef KICKDRIFT_CONTACT_SEARCH_PROXIMITY_H
#define KICKDRIFT_CONTACT_SEARCH_PROXIMITY_H

#include <kickdrift/contact/flight/surface_flight.h>
#include <kickdrift/contact/search/candidates.h>
#include <kickdrift/contact/search/co_moving_frame.h>

#include <array>
#include <vector>

namespace KickDrift
{
class Archive;

/**
 * Which points and facets, edges, and points and obstacles may meet in the flights that are under
 * way. Of different bodies these are candidates by boxes in space. Of one body by balls in a frame
 * that moves with it, in which a body that flies and turns is at rest: neighbours can meet only
 * after it has deformed by a share of their distance, and until then cost nothing.
 *
 * Nodes are places in Facets::nodes(). On the room around nodes nothing but cost depends.
 */
template <int spacedim>
class Proximity
{
public:
  /// All must outlive it. @p edges : which take part; @p room : times that which is usual [-].
  Proximity(const Surface<spacedim> &surface, const Facets<spacedim> &facets,
            Flights<spacedim> &flights, SurfaceFlight<spacedim> &in_flight,
            typename Candidates<spacedim>::Edges edges, double room);

  /// Length of the faces around a node [length].
  double
  size(const unsigned int place) const
  {
    return sizes[place];
  }

  /// The body of the surface that a node belongs to, or none of Facets.
  unsigned int
  body_of(const unsigned int place) const
  {
    return body_of_place[place];
  }

  /// Nodes of a body of the surface.
  const std::vector<unsigned int> &
  places_of(const unsigned int body) const
  {
    return bodies[body].places;
  }

  /// Some nodes will be in flight for so long at most [time].
  void
  set_longest_step(const double step)
  {
    longest_step = step;
  }

  /// The flights of these nodes have changed; those of all others are as they were told before.
  /// At the first call: all are new.
  void follow(const std::vector<unsigned int> &places);

  /// Of different bodies, and of one.
  const std::array<Candidates<spacedim>, 2> &
  candidates() const
  {
    return both;
  }

  /// Write to, or read from, a checkpoint.
  void serialize(Archive &archive);

private:
  /// What moves with a frame.
  struct Body
  {
    std::vector<unsigned int> places;
    CoMovingFrame<spacedim> frame;
    unsigned int n_strays = 0; ///< of its nodes since it has this frame
    bool may_touch_itself = false;
  };

  /// In the cube of a node that may touch its own body: where it has to be. It follows from the
  /// cube and the frame, and is kept because every kick asks for it.
  struct Ball
  {
    dealii::Point<spacedim> middle;       ///< at since [length]
    dealii::Tensor<1, spacedim> velocity; ///< [length/time]
    double since = 0;                     ///< [time]
    double reach = -1;                    ///< [length]; negative: anywhere
  };

  bool
  is_on_surface(const unsigned int place) const
  {
    return body_of_place[place] != Facets<spacedim>::none;
  }

  bool
  may_touch_itself(const unsigned int place) const
  {
    return is_on_surface(place) && bodies[body_of_place[place]].may_touch_itself;
  }

  /// Room on all sides [length].
  double margin(unsigned int place) const;
  void find_sizes();
  void find_bodies();
  void start();
  void begin(std::vector<Box<spacedim>> boxes, std::vector<Box<spacedim>> cubes);
  /// What is ahead of a node now, with room.
  Box<spacedim> box_of(unsigned int place);
  /// A cube around the node's place in the frame.
  Box<spacedim> cube_of(unsigned int place);
  void set_ball(unsigned int place, const Box<spacedim> &cube);
  bool is_in_box(unsigned int place);
  bool is_in_ball(unsigned int place);
  void renew_frame(Body &body);
  void follow_in_space(const std::vector<unsigned int> &places);
  void follow_in_frames(const std::vector<unsigned int> &places);

  const Surface<spacedim> &surface;
  const Facets<spacedim> &facets;
  Flights<spacedim> &flights;
  SurfaceFlight<spacedim> &in_flight;
  const double room;
  std::array<Candidates<spacedim>, 2> both;
  std::vector<Ball> balls;                 ///< by place
  std::vector<Body> bodies;                ///< of the surface
  std::vector<unsigned int> body_of_place; ///< of the surface; none for nodes that are not on it
  std::vector<double> sizes;               ///< by place [length]
  double longest_step = 0;                 ///< [time]
  bool has_started = false;
};
} // namespace KickDrift

#endif
