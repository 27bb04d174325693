// Pictures of a scene for ParaView.
#ifndef KICKDRIFT_TESTS_SCENES_VTU_H
#define KICKDRIFT_TESTS_SCENES_VTU_H

#include "scenes/scene.h"

namespace Scenes
{
/// Files NAME_0000.vtu, NAME_0001.vtu, ...; none if the name is empty.
template <int dim>
class VtuFiles
{
public:
  /// @param scene must outlive the object
  VtuFiles(const Scene<dim> &scene, std::string name) : scene(scene), name(std::move(name)) {}

  /// @param x of all vertices. Throws std::runtime_error if the file cannot be written.
  void write(const std::vector<Vec<dim>> &x);

private:
  const Scene<dim> &scene;
  const std::string name;
  unsigned int number = 0;
};
} // namespace Scenes

#endif
