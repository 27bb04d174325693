#ifndef KICKDRIFT_STEPPING_RIGID_CLOCKS_H
#define KICKDRIFT_STEPPING_RIGID_CLOCKS_H

#include <kickdrift/stepping/event_source.h>
#include <kickdrift/stepping/kicks/support_index.h>

#include <vector>

namespace KickDrift
{
/// When rigid bodies take what kicks have given them, and set a new course: after each kick on the
/// clock that all of their own kicks share, and after those of others that act on their nodes.
template <int spacedim>
class RigidClocks
{
public:
  /// @p nodes must outlive the object.
  explicit RigidClocks(NodeTable<spacedim> &nodes) : nodes(nodes) {}

  /// The kicks with these @p ids, which share a clock, are those of a rigid body.
  void
  add(const unsigned int body, const std::vector<unsigned int> &ids)
  {
    members.push_back({body, ids, {}, 0, false, false});
  }

  /// From now on @p body may turn by any angle while its nodes fly straight: its steps follow, and
  /// RigidSteps says when they cannot.
  void
  let_turn(const unsigned int body)
  {
    for (Member &member : members)
      if (member.body == body)
        member.may_turn = true;
  }

  /// Does nothing move here?
  bool
  empty() const
  {
    return members.empty();
  }

  /// Ids of the kicks of each body.
  std::vector<std::vector<unsigned int>> groups() const;

  /// Nodes have their initial values: bodies take them over. Throws RigidBodies::ExcNotRigid,
  /// RigidBodies::ExcNode, StepperExceptions::ExcRigidWithoutKicks.
  void take_start();

  /// Set the first course. After take_start() and SupportIndex::start(). Throws
  /// RigidBodies::ExcSpin, as kicked() does.
  void start(const TimeLevels &levels, const SupportIndex<spacedim> &supports,
             const KickFamilies<spacedim> &families);

  /// Kicks of @p clock have been given at @p time, and it has advanced; @p events, if any, are told
  /// of nodes that are watched.
  void kicked(unsigned int clock, double time, const TimeLevels &levels,
              EventSource<spacedim> *events);

  /// Kicks may have another clock, or have been read from a checkpoint. Bodies keep their course
  /// until the next kick.
  void clocks_changed(const TimeLevels &levels);

  /// The same for what was read from a checkpoint, whose bodies know how far they look ahead.
  void resume(const TimeLevels &levels);

private:
  struct Member
  {
    unsigned int body;                 ///< see RigidBodies
    std::vector<unsigned int> ids;     ///< of its kicks
    std::vector<unsigned int> watched; ///< nodes
    unsigned int clock;                ///< of its kicks
    bool is_kicked_by_others;          ///< do other kicks act on its nodes?
    bool may_turn;                     ///< see let_turn()
  };

  void look_ahead(const Member &member, const TimeLevels &levels);

  NodeTable<spacedim> &nodes;
  std::vector<Member> members;
};
} // namespace KickDrift

#endif
