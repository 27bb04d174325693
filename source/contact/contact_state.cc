// What a checkpoint has to hold of contact and detection: for every class what changes during a
// run. Everything else follows from the parameters; results of a search that are only kept to avoid
// allocation are left out.

#include <kickdrift/base/archive_checks.h>
#include <kickdrift/contact/contact.h>
#include <kickdrift/contact/detection/edge_detector.h>
#include <kickdrift/contact/prediction/kinetic_hierarchy.h>
#include <kickdrift/contact/search/hierarchy.h>
#include <kickdrift/contact/search/position_code_grid.h>

#include <algorithm>
#include <cmath>

namespace KickDrift
{
namespace
{
/// Read or write a queue of times; when reading, none may be before @p now.
void
serialize_queue(Archive &archive, TournamentTree &queue, const double now)
{
  archive(queue);
  if (!archive.is_reading())
    return;
  std::vector<double> times;
  for (unsigned int slot = 0; slot < queue.size(); ++slot)
    times.push_back(queue.time(slot));
  queue.reinit(times.size()); // the tree above the times follows from them
  for (unsigned int slot = 0; slot < times.size(); ++slot)
  {
    check_state(times[slot] >= now, "contact");
    queue.set(slot, times[slot]);
  }
}
} // namespace

template <int spacedim>
void
Hierarchy<spacedim>::serialize(Archive &archive)
{
  archive(origin, cost_when_built);
  archive.fixed(tree, direction_tree, largest_sizes, leaf_at_position, position_of_leaf);
  for (std::size_t p = 0; p < leaf_at_position.size(); ++p)
    check_state(leaf_at_position[p] < position_of_leaf.size() &&
                    position_of_leaf[leaf_at_position[p]] == p,
                "hierarchy");
}

template <int spacedim>
void
PositionCodeGrid<spacedim>::serialize(Archive &archive)
{
  archive(origin, cell_size);
  archive.fixed(boxes, directions);
  check_state(cell_size > 0 && std::isfinite(cell_size), "grid");
  if (archive.is_reading())
    list_all();
}

template <int spacedim>
void
MotionBounds<spacedim>::serialize(Archive &archive)
{
  archive.section("motion bounds");
  archive.fixed(balls);
  archive(grown, fastest, way, way_since);
  for (const Broken &broken : grown)
    check_state(broken.body < balls.size() && is_flag(broken.by_far), "motion bounds");
}

template <int spacedim>
void
FaceSearch<spacedim>::serialize(Archive &archive)
{
  archive.section("face search");
  for (Part &part : parts)
  {
    archive(*part.boxes, part.bounds, part.velocity, part.time, part.valid_path,
            part.normal_changes, part.changed, part.fits);
    for (const unsigned int face : part.changed)
      check_state(face < surface.faces.size(), "face search");
  }
  archive(next);
  archive.fixed(face_normals, listed_normals, normals_at_change);
}

template <int spacedim>
void
NeighborList<spacedim>::serialize(Archive &archive)
{
  archive(list, near, points, reach, slack, largest_approach, others, way, time);
}

template <int spacedim>
void
NeighborList<spacedim>::check(const unsigned int n_targets, const unsigned int n_bodies) const
{
  for (const Target &target : list)
    check_state(target.index < n_targets && target.partner < near.size(), "vicinity");
  for (const Partner &partner : near)
    check_state(partner.body < n_bodies, "vicinity");
}

template <int spacedim>
void
ContactNeighborhood<spacedim>::Entry::serialize(Archive &archive)
{
  archive(neighbors, own_distance, own_path, own_outward, listed_outward, normal_changes);
}

template <int spacedim>
void
ContactNeighborhood<spacedim>::serialize(Archive &archive)
{
  archive.section("surroundings");
  archive.fixed(entries);
}

template <int spacedim>
void
ContactNeighborhood<spacedim>::check(const unsigned int n_targets) const
{
  for (const Entry &entry : entries)
    entry.neighbors.check(n_targets, bounds.n_bodies());
}

template <int spacedim>
void
FaceDetector<spacedim>::Memory::serialize(Archive &archive)
{
  archive(outward, fits, face, others, seen_from, displacement, path, fits_then);
}

template <int spacedim>
void
FaceDetector<spacedim>::serialize(Archive &archive)
{
  archive.section("face detector");
  archive(search, neighborhood);
  archive.fixed(memories);
  neighborhood.check(contact_surface.faces.size());
  for (const Memory &memory : memories)
    check_state(memory.face == FaceProjection<spacedim>::none ||
                    memory.face < contact_surface.faces.size(),
                "face detector");
}

void
EdgeDetector::serialize(Archive &archive)
{
  archive.section("edge detector");
  archive(neighborhood);
  neighborhood.check(edges.size());
}

template <int spacedim>
void
KickTraces<spacedim>::serialize(Archive &archive)
{
  archive.section("kick traces");
  archive.fixed(traces);
}

template <int spacedim>
void
ContactStatistics<spacedim>::serialize(Archive &archive)
{
  archive.section("contact statistics");
  archive(tests, collisions, max_penetration, restitution_loss, friction_loss, obstacle_work,
          projection_work, coupled, lost, response_time, reservoir);
  archive.fixed(impulse, friction_impulse);
}

template <int spacedim>
void
ContactPairs<spacedim>::serialize(Archive &archive)
{
  archive.section("contact pairs");
  archive.fixed(pairs);
  for (const auto &pair : pairs)
    check_state(is_flag(pair.has_touched), "contact pairs");
}

template <int spacedim>
void
SequentialResponse<spacedim>::serialize(Archive &archive)
{
  archive.section("contact answers");
  archive(stats, traces, instant, ending_classes);
}

template <int spacedim>
void
Contact<spacedim>::Slot::serialize(Archive &archive)
{
  archive(memory, last_contact, last_test, depth, time_to_reach, gap, free_interval, sees);
  check_state(is_flag(sees) && is_enumerator(memory.status, ContactStatus::sticks), "contact");
}

template <int spacedim>
void
Contact<spacedim>::serialize(Archive &archive)
{
  archive.section("contact");
  archive(bounds, partners, response);
  for (const auto &detector : detectors)
    archive(*detector);
  archive.fixed(slots);
  for (const Slot &slot : slots)
    check_state(slot.memory.zone_class == 0 ||
                    slot.memory.zone_class < stepper.levels().classes().n_classes,
                "contact");
  serialize_queue(archive, queue, stepper.time());
  archive.fixed(rates, normal_changes);
  archive(target_speed, next_target_check, next_update, spent);
  check_state(!archive.is_reading() ||
                  (next_update >= stepper.time() && !std::isnan(next_target_check)),
              "contact");
}

template <int spacedim>
void
KineticHierarchy<spacedim>::serialize(Archive &archive)
{
  archive.section("kinetic hierarchy");
  // a heap of pairs whose order is total: how it lies in memory does not matter
  std::vector<Pair> pairs;
  for (auto rest = queue; !rest.empty(); rest.pop())
    pairs.push_back(rest.top());
  archive(pairs);
  archive(face_order, subtrees, n_pairs, done, looks, found, last_velocities, broken_bounds);
  archive.fixed(motions, broken_motions);
  if (!archive.is_reading())
    return;
  for (const Pair &pair : pairs)
    check_state(pair.first < subtrees.size() && pair.second < subtrees.size() && pair.time >= 0 &&
                    is_enumerator(pair.stage, Stage::contact) &&
                    !subtrees[pair.first].is_obstacle(),
                "kinetic hierarchy");
  check_read();
  queue = std::priority_queue<Pair>(std::less<Pair>(), std::move(pairs));
}

template <int spacedim>
void
KineticHierarchy<spacedim>::check_read() const
{
  const std::string object = "kinetic hierarchy";
  const unsigned int n_bodies = bounds.size(), n_faces = surface.faces.size();
  check_state(done.size() == n_targets() * n_targets() &&
                  (looks.empty() || looks.back().next_time >= 0),
              object);
  for (const unsigned int face : face_order)
    check_state(face < n_faces, object);
  for (unsigned int i = 0; i < subtrees.size(); ++i)
  {
    const Subtree &subtree = subtrees[i];
    check_state(subtree.begin <= subtree.end && subtree.end <= face_order.size() &&
                    (subtree.is_obstacle() ? subtree.body >= n_bodies && subtree.body < n_targets()
                                           : subtree.body < n_bodies),
                object);
    // children come after their parents: there is no way round in circles
    for (const unsigned int child : subtree.children)
      check_state(subtree.is_leaf() || (child > i && child < subtrees.size()), object);
  }
  for (const FirstContact &contact : found)
    check_state(contact.first_body < n_bodies && contact.first_face < n_faces &&
                    (contact.second_body < n_bodies ? contact.second_face < n_faces
                                                    : contact.second_body < n_targets()),
                object);
  for (const auto &face : surface.faces)
    for (unsigned int i = 0; i < face.n_nodes; ++i)
      check_state(looks.empty() || face.nodes[i] < last_velocities.size(), object);
}

#define INSTANTIATE(dim)                                                                           \
  template void Hierarchy<dim>::serialize(Archive &);                                              \
  template void PositionCodeGrid<dim>::serialize(Archive &);                                       \
  template void MotionBounds<dim>::serialize(Archive &);                                           \
  template void FaceSearch<dim>::serialize(Archive &);                                             \
  template void NeighborList<dim>::serialize(Archive &);                                           \
  template void ContactNeighborhood<dim>::serialize(Archive &);                                    \
  template void FaceDetector<dim>::serialize(Archive &);                                           \
  template void KickTraces<dim>::serialize(Archive &);                                             \
  template void ContactStatistics<dim>::serialize(Archive &);                                      \
  template void ContactPairs<dim>::serialize(Archive &);                                           \
  template void SequentialResponse<dim>::serialize(Archive &);                                     \
  template void Contact<dim>::serialize(Archive &);                                                \
  template void KineticHierarchy<dim>::serialize(Archive &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
