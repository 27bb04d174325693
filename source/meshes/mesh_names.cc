#include <kickdrift/base/messages.h>
#include <kickdrift/meshes/mesh_names.h>

#include <deal.II/base/exceptions.h>

#include <limits>

namespace KickDrift
{
namespace
{
/// Throws std::logic_error unless @p word is a number that fits.
unsigned int
number(const std::string &word)
{
  if (word.find_first_not_of("0123456789") != std::string::npos)
    throw std::invalid_argument(word);
  const unsigned long value = std::stoul(word);
  if (value > std::numeric_limits<unsigned int>::max())
    throw std::out_of_range(word);
  return value;
}
} // namespace

std::set<unsigned int>
ids_of(const std::vector<std::string> &words, const MeshNames::IdsByName<unsigned int> &names,
       const std::set<unsigned int> &present, const std::string &parameter, const std::string &what)
{
  std::string known = "it has " + list_text(present);
  std::string list;
  for (const auto &entry : names)
    list += (list.empty() ? "" : ", ") + entry.first;
  if (!list.empty())
    known += ", and the names " + list;
  std::set<unsigned int> ids;
  for (const auto &word : words)
  {
    std::set<unsigned int> found;
    const auto entry = names.find(word);
    try
    {
      found = entry != names.end() ? entry->second : std::set<unsigned int>{number(word)};
    }
    catch (const std::logic_error &)
    {
      AssertThrow(false, dealii::ExcMessage("'" + parameter + "': " + what + " '" + word + "'; " +
                                            known + "."));
    }
    bool is_present = false;
    for (const auto id : found)
      if (present.count(id) > 0)
        is_present = ids.insert(id).first != ids.end();
    AssertThrow(is_present, dealii::ExcMessage("'" + parameter + "': " + what + " " + word + "; " +
                                               known + "."));
  }
  return ids;
}
} // namespace KickDrift
