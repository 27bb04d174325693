#ifndef KICKDRIFT_CONTACT_RESPONSE_PAIRS_H
#define KICKDRIFT_CONTACT_RESPONSE_PAIRS_H

#include <kickdrift/base/archive.h>
#include <kickdrift/contact/response/response_parameters.h>
#include <kickdrift/contact/surface/partner_names.h>

#include <deal.II/base/tensor.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace KickDrift
{
/// What two partners in contact are to each other; a body may also touch itself.
template <int spacedim>
struct ContactPair
{
  double restitution = 1;       ///< coefficient of restitution [-]
  double friction = 0;          ///< coefficient of friction [-]
  bool has_touched = false;     ///< have the two been in contact?
  std::uint64_t collisions = 0; ///< impulses so far
  /// Given so far to the partner with the smaller number by the other one; zero for a body with
  /// itself [mass*length/time].
  dealii::Tensor<1, spacedim> impulse;

  /// Write to, or read from, a checkpoint.
  void
  serialize(Archive &archive)
  {
    archive(restitution, friction, has_touched, collisions, impulse);
  }
};

/**
 * Pairs of partners: bodies, and obstacles, whose numbers follow those of the bodies. Only those
 * that have been asked for take memory.
 */
template <int spacedim>
class ContactPairs
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// @param names of the partners. Throws if the parameters name an unknown one.
  ContactPairs(const std::vector<std::string> &names, const ResponseParameters &parameters);

  /// The pair of two partners, in either order. The reference stays valid.
  ContactPair<spacedim> &
  operator()(const unsigned int a, const unsigned int b)
  {
    const auto key = key_of(a, b);
    const auto entry = pairs.find(key);
    return entry != pairs.end() ? entry->second : pairs.emplace(key, new_pair(key)).first->second;
  }

  /// The same to look at only.
  ContactPair<spacedim>
  operator()(const unsigned int a, const unsigned int b) const
  {
    const auto entry = pairs.find(key_of(a, b));
    return entry != pairs.end() ? entry->second : new_pair(key_of(a, b));
  }

  /// Pairs of partners that have been in contact, the smaller number first, in order.
  std::vector<std::pair<unsigned int, unsigned int>> touched() const;

  /// Of the bodies, then of the obstacles.
  const std::vector<std::string> &
  names() const
  {
    return partners;
  }

  /// Partner @p a got @p impulse from partner @p b.
  void
  book(const unsigned int a, const unsigned int b, const Vector &impulse)
  {
    book((*this)(a, b), a, b, impulse);
  }

  /// The same where their pair is known.
  static void
  book(ContactPair<spacedim> &pair, const unsigned int a, const unsigned int b,
       const Vector &impulse)
  {
    pair.has_touched = true;
    if (a != b)
      pair.impulse += a < b ? impulse : -impulse;
  }

  /// Add what others, with the same partners, have counted and given.
  void
  add(const ContactPairs &others)
  {
    for (const auto &[key, other] : others.pairs)
    {
      ContactPair<spacedim> &pair = (*this)(key.first, key.second);
      pair.has_touched = pair.has_touched || other.has_touched;
      pair.collisions += other.collisions;
      pair.impulse += other.impulse;
    }
  }

  /// Write to, or read from, a checkpoint what changes during a run.
  void serialize(Archive &archive);

private:
  using Key = std::pair<unsigned int, unsigned int>; ///< the larger number first

  static Key
  key_of(const unsigned int a, const unsigned int b)
  {
    return {std::max(a, b), std::min(a, b)};
  }

  /// A coefficient of some pairs instead of that of all.
  struct Rule
  {
    PartnerNames::Reference first, second;
    double ContactPair<spacedim>::*coefficient;
    double value;
  };

  void add_rules(const std::vector<ValueOfPair> &values, const std::string &parameter,
                 double ContactPair<spacedim>::*coefficient);
  /// Which has not touched yet, with its coefficients.
  ContactPair<spacedim> new_pair(const Key &key) const;

  std::vector<std::string> partners;
  PartnerNames references;
  ContactPair<spacedim> usual; ///< without rules
  std::vector<Rule> rules;     ///< later ones count more
  std::map<Key, ContactPair<spacedim>> pairs;
};
} // namespace KickDrift

#endif
