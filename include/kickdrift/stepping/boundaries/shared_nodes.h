#ifndef KICKDRIFT_STEPPING_BOUNDARIES_SHARED_NODES_H
#define KICKDRIFT_STEPPING_BOUNDARIES_SHARED_NODES_H

#include <kickdrift/stepping/kicks/kick_families.h>

#include <algorithm>
#include <vector>

namespace KickDrift
{
/// Kick @p kick of the family @p family.
struct KickOfFamily
{
  unsigned int family; ///< index in KickFamilies
  unsigned int kick;   ///< of the family

  /// In the order of families, and of the kicks of one.
  bool
  operator<(const KickOfFamily &other) const
  {
    return family != other.family ? family < other.family : kick < other.kick;
  }
};

/**
 * The nodes that kicks of several step classes share, in one of the strata (Kicks::stratum()), and
 * the kicks around them, those that other processes give included, while kicks change their
 * classes.
 *
 * Damping is no part of it, nor are kicks that are given in place of others.
 */
template <int spacedim>
class SharedNodes
{
public:
  /// @p families must outlive the object, and know all of their kicks still.
  explicit SharedNodes(const KickFamilies<spacedim> &families);

  /// Find all anew. After KickFamilies::assign_clocks().
  void find(const TimeLevels &levels, unsigned int n_nodes);

  /// The kick with this id, and its followers, have come into another class, or to their end:
  /// update() will see to it.
  void
  changed(const unsigned int id)
  {
    ids_that_changed.push_back(id);
  }

  /// Go on with what has changed(). Takes as long as there are kicks around the nodes of those.
  void update(const TimeLevels &levels);

  /// Do kicks of several classes act on a node?
  bool
  is_shared(const unsigned int node) const
  {
    return std::any_of(strata.begin(), strata.end(),
                       [node](const Stratum &stratum)
                       { return stratum.finest[node] < stratum.coarsest[node]; });
  }

  /// The finest class of the kicks of a stratum on a node that has some.
  unsigned int
  finest(const unsigned int stratum, const unsigned int node) const
  {
    return strata[stratum].finest[node];
  }

  /// That of a kick: of the one that it follows, if it does.
  unsigned int
  stratum(const KickOfFamily &kick) const
  {
    const KickFamily<spacedim> &family = families[kick.family];
    if (strata.size() == 1 || family.role == KickRole::own_clock)
      return family.kicks->stratum();
    return families[families.family_of(family.id_of_kick(kick.kick))].kicks->stratum();
  }

  /// Kicks of a class with shared nodes, ascending.
  const std::vector<KickOfFamily> &
  kicks(const unsigned int step_class) const
  {
    return of_class[step_class].kicks;
  }

  /// How often something around the kicks() of a class has changed.
  unsigned int
  version(const unsigned int step_class) const
  {
    return of_class[step_class].version;
  }

private:
  struct Class
  {
    std::vector<KickOfFamily> kicks;
    unsigned int version = 0;
  };
  /// Classes of the kicks of nodes, by node.
  struct Stratum
  {
    std::vector<unsigned char> finest, coarsest;
  };
  static constexpr unsigned char none = 255; ///< no class; there are fewer

  /// Is the kick given, and no damping?
  bool counts(const KickOfFamily &kick) const;
  unsigned char class_of(const KickOfFamily &kick, const TimeLevels &levels) const;
  void index_kicks_of_nodes();
  /// The kick acts on a node.
  void see(const KickOfFamily &kick, unsigned char step_class, unsigned int node);
  /// The kick goes to where it belongs now.
  void list(const KickOfFamily &kick, const TimeLevels &levels);

  const KickFamilies<spacedim> &families;
  std::vector<std::vector<char>> damps; ///< by family and kick, has it a damping time? Empty: none
  std::vector<Stratum> strata;
  std::vector<Class> of_class;
  std::vector<std::vector<unsigned char>> listed; ///< by family and kick, in which class
  CompressedRows<KickOfFamily> kicks_of_node;     ///< without rows until something changes
  std::vector<unsigned int> ids_that_changed;
};
} // namespace KickDrift

#endif
