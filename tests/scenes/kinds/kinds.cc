// All kinds of scenes, and how they get their seeds.
#include "scenes/scene.h"

#include <stdexcept>

namespace Scenes
{
template <int dim>
const std::vector<Kind<dim>> &
kinds()
{
  static const std::vector<Kind<dim>> all = []
  {
    std::vector<Kind<dim>> result;
    for (const auto &some :
         {thin_kinds<dim>(), body_kinds<dim>(), wall_kinds<dim>(), impact_kinds<dim>()})
      result.insert(result.end(), some.begin(), some.end());
    return result;
  }();
  return all;
}

template <int dim>
Scene<dim>
make_scene(const std::string &name, const std::uint64_t seed)
{
  for (const Kind<dim> &kind : kinds<dim>())
    if (kind.name == name)
    {
      // the numbers of kinds must not be the same: FNV-1a of the name
      std::uint64_t hash = 14695981039346656037u;
      for (const char c : name)
        hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
      Random random(hash + 1000003 * seed + dim);
      Scene<dim> scene;
      kind.make(random, scene);
      scene.kind = name;
      scene.seed = seed;
      return scene;
    }
  throw std::invalid_argument("There is no kind '" + name + "' in " + std::to_string(dim) +
                              " dimensions.");
}

template const std::vector<Kind<2>> &kinds();
template const std::vector<Kind<3>> &kinds();
template Scene<2> make_scene(const std::string &, std::uint64_t);
template Scene<3> make_scene(const std::string &, std::uint64_t);
} // namespace Scenes
