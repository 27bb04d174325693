#include <kickdrift/contact/response/pairs.h>

#include <deal.II/base/exceptions.h>

namespace KickDrift
{
template <int spacedim>
ContactPairs<spacedim>::ContactPairs(const std::vector<std::string> &names,
                                     const ResponseParameters &parameters)
    : partners(names), pairs(names.size() * (names.size() + 1) / 2)
{
  for (auto &pair : pairs)
  {
    pair.restitution = parameters.restitution;
    pair.friction = parameters.friction;
  }
  const auto find = [&](const std::string &name, const char *entry)
  {
    const auto it = std::find(names.begin(), names.end(), name);
    AssertThrow(it != names.end(),
                dealii::ExcMessage(std::string("Contact/") + entry +
                                   " names an unknown body or obstacle '" + name + "'."));
    return it - names.begin();
  };
  const auto assign = [&](const std::vector<ValueOfPair> &values, const char *entry,
                          double ContactPair<spacedim>::*member)
  {
    for (const auto &[first, second, value] : values)
      (*this)(find(first, entry), find(second, entry)).*member = value;
  };
  assign(parameters.restitution_of_pairs, "Restitution of pairs",
         &ContactPair<spacedim>::restitution);
  assign(parameters.friction_of_pairs, "Friction of pairs", &ContactPair<spacedim>::friction);
}

template class ContactPairs<2>;
template class ContactPairs<3>;
} // namespace KickDrift
