// What a checkpoint has to hold of contact and detection: for every class what changes during a
// run. Everything else follows from the parameters; results of a search that are only kept to avoid
// allocation are left out.

#include <kickdrift/archive.h>
#include <kickdrift/contact/contact.h>
#include <kickdrift/contact/edge_detector.h>
#include <kickdrift/contact/kinetic_hierarchy.h>

namespace KickDrift
{
template <int spacedim>
void
Hierarchy<spacedim>::serialize(Archive &archive)
{
  archive(origin);
  archive.fixed(tree, direction_tree);
}

template <int spacedim>
void
MotionBounds<spacedim>::serialize(Archive &archive)
{
  archive.section("motion bounds");
  archive.fixed(balls);
  archive(grown, fastest, way, way_since);
}

template <int spacedim>
void
FaceSearch<spacedim>::serialize(Archive &archive)
{
  archive.section("face search");
  for (Part &part : parts)
    archive(part.hierarchy, part.bounds, part.velocity, part.time, part.valid_path, part.turns,
            part.turned, part.fits);
  archive(next);
  archive.fixed(face_normals, listed_normals, normals_at_turn);
}

template <int spacedim>
void
Vicinity<spacedim>::serialize(Archive &archive)
{
  archive(list, near, points, reach, slack, largest_approach, others, way, time);
}

template <int spacedim>
void
Surroundings<spacedim>::Sight::serialize(Archive &archive)
{
  archive(vicinity, own_clearance, outward, turns);
}

template <int spacedim>
void
Surroundings<spacedim>::serialize(Archive &archive)
{
  archive.section("surroundings");
  archive.fixed(sights);
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
  archive(search, surroundings);
  archive.fixed(memories);
}

void
EdgeDetector::serialize(Archive &archive)
{
  archive.section("edge detector");
  archive(surroundings);
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
          projection_work, coupled, lost, response_time, account);
  archive.fixed(impulse, friction_impulse);
}

template <int spacedim>
void
ContactPairs<spacedim>::serialize(Archive &archive)
{
  archive.section("contact pairs");
  archive.fixed(pairs);
}

template <int spacedim>
void
ContactAnswers<spacedim>::serialize(Archive &archive)
{
  archive.section("contact answers");
  archive(stats, traces, instant, ending_classes);
}

template <int spacedim>
void
Contact<spacedim>::Slot::serialize(Archive &archive)
{
  archive(memory, last_contact, last_test, depth, time_to_reach, gap, freedom, sees);
}

template <int spacedim>
void
Contact<spacedim>::serialize(Archive &archive)
{
  archive.section("contact");
  archive(bounds, partners, answers);
  for (const auto &detector : detectors)
    archive(*detector);
  archive.fixed(slots);
  archive(queue);
  archive.fixed(rates, turns);
  archive(target_speed, next_target_check, next_look, n_seen, spent);
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
  if (archive.is_reading())
    queue = std::priority_queue<Pair>(std::less<Pair>(), std::move(pairs));
  archive(face_order, subtrees, n_pairs, done, looks, found, last_velocities, broken_bounds);
}

#define INSTANTIATE(dim)                                                                           \
  template void Hierarchy<dim>::serialize(Archive &);                                              \
  template void MotionBounds<dim>::serialize(Archive &);                                           \
  template void FaceSearch<dim>::serialize(Archive &);                                             \
  template void Vicinity<dim>::serialize(Archive &);                                               \
  template void Surroundings<dim>::serialize(Archive &);                                           \
  template void FaceDetector<dim>::serialize(Archive &);                                           \
  template void KickTraces<dim>::serialize(Archive &);                                             \
  template void ContactStatistics<dim>::serialize(Archive &);                                      \
  template void ContactPairs<dim>::serialize(Archive &);                                           \
  template void ContactAnswers<dim>::serialize(Archive &);                                         \
  template void Contact<dim>::serialize(Archive &);                                                \
  template void KineticHierarchy<dim>::serialize(Archive &);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE
} // namespace KickDrift
