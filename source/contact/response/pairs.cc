#include <kickdrift/base/archive_checks.h>
#include <kickdrift/contact/response/pairs.h>

#include <algorithm>

namespace KickDrift
{
template <int spacedim>
ContactPairs<spacedim>::ContactPairs(const std::vector<std::string> &names,
                                     const ResponseParameters &parameters)
    : partners(names), references(names, parameters.group_of_body)
{
  usual.restitution = parameters.restitution;
  usual.friction = parameters.friction;
  add_rules(parameters.restitution_of_pairs, "Contact/Restitution of pairs",
            &ContactPair<spacedim>::restitution);
  add_rules(parameters.friction_of_pairs, "Contact/Friction of pairs",
            &ContactPair<spacedim>::friction);
}

template <int spacedim>
void
ContactPairs<spacedim>::add_rules(const std::vector<ValueOfPair> &values,
                                  const std::string &parameter,
                                  double ContactPair<spacedim>::*coefficient)
{
  for (const auto &[first, second, value] : values)
    rules.push_back({references.find(first, parameter), references.find(second, parameter),
                     coefficient, value});
}

template <int spacedim>
ContactPair<spacedim>
ContactPairs<spacedim>::new_pair(const Key &key) const
{
  ContactPair<spacedim> pair = usual;
  for (const Rule &rule : rules)
    if (references.are(key.first, key.second, rule.first, rule.second))
      pair.*rule.coefficient = rule.value;
  return pair;
}

template <int spacedim>
std::vector<std::pair<unsigned int, unsigned int>>
ContactPairs<spacedim>::touched() const
{
  std::vector<std::pair<unsigned int, unsigned int>> result;
  for (const auto &[key, pair] : pairs)
    if (pair.has_touched)
      result.emplace_back(key.second, key.first);
  std::sort(result.begin(), result.end());
  return result;
}

template <int spacedim>
void
ContactPairs<spacedim>::serialize(Archive &archive)
{
  archive.section("contact pairs");
  std::vector<std::pair<Key, ContactPair<spacedim>>> entries(pairs.begin(), pairs.end());
  archive(entries);
  if (!archive.is_reading())
    return;
  pairs.clear();
  for (const auto &[key, pair] : entries)
  {
    check_state(key.second <= key.first && key.first < partners.size() && is_flag(pair.has_touched),
                "contact pairs");
    pairs.emplace(key, pair);
  }
}

template class ContactPairs<2>;
template class ContactPairs<3>;
} // namespace KickDrift
