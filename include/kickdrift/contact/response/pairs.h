#ifndef KICKDRIFT_CONTACT_RESPONSE_PAIRS_H
#define KICKDRIFT_CONTACT_RESPONSE_PAIRS_H

#include <kickdrift/contact/response/response_parameters.h>

#include <deal.II/base/tensor.h>

#include <algorithm>
#include <string>
#include <vector>

namespace KickDrift
{
class Archive;

/// What two partners in contact are to each other; a body may also touch itself.
template <int spacedim>
struct ContactPair
{
  double restitution = 1;   ///< coefficient of restitution [-]
  double friction = 0;      ///< coefficient of friction [-]
  double reservoir = 0;     ///< taken by looking-ahead impulses, not yet given back [energy]
  bool has_touched = false; ///< have the two been in contact?
  /// Given so far to the partner with the smaller number by the other one; zero for a body with
  /// itself [mass*length/time].
  dealii::Tensor<1, spacedim> impulse;
};

/// All pairs of partners: bodies, and obstacles, whose numbers follow those of the bodies.
template <int spacedim>
class ContactPairs
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// @param names of the partners. Throws if the parameters name an unknown one.
  ContactPairs(const std::vector<std::string> &names, const ResponseParameters &parameters);

  /// The pair of two partners, in either order.
  ContactPair<spacedim> &
  operator()(const unsigned int a, const unsigned int b)
  {
    return pairs[index(a, b)];
  }

  /// The pair of two partners, in either order.
  const ContactPair<spacedim> &
  operator()(const unsigned int a, const unsigned int b) const
  {
    return pairs[index(a, b)];
  }

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
    auto &pair = (*this)(a, b);
    pair.has_touched = true;
    if (a != b)
      pair.impulse += a < b ? impulse : -impulse;
  }

  /// What all accounts hold [energy].
  double
  total_reservoir() const
  {
    double sum = 0;
    for (const auto &pair : pairs)
      sum += pair.reservoir;
    return sum;
  }

  /// Write to, or read from, a checkpoint what changes during a run.
  void serialize(Archive &archive);

private:
  static std::size_t
  index(const unsigned int a, const unsigned int b)
  {
    const std::size_t larger = std::max(a, b);
    return larger * (larger + 1) / 2 + std::min(a, b);
  }

  std::vector<std::string> partners;
  std::vector<ContactPair<spacedim>> pairs;
};
} // namespace KickDrift

#endif
