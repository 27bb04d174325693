#include <kickdrift/base/messages.h>
#include <kickdrift/base/plugin.h>
#include <kickdrift/base/std_exceptions.h>
#include <kickdrift/cases/parameters/obstacle_parameters.h>
#include <kickdrift/cases/parameters/shared_libraries.h>
#include <kickdrift/meshes/mesh.h>
#include <kickdrift/potentials/materials/built_in_materials.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/utilities.h>

#include <dlfcn.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace KickDrift
{
using namespace dealii;

namespace
{
const std::string parameter = "Additional shared libraries";

/// What a library was built for, by the text that KICKDRIFT_PLUGIN puts into it; empty: it is no
/// plugin.
std::string
build_of(std::ifstream &stream)
{
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  const std::string begin = "KickDrift plugin for {";
  const auto at = bytes.find(begin);
  const auto end = at == std::string::npos ? at : bytes.find('}', at);
  return end == std::string::npos ? "" : bytes.substr(at + begin.size(), end - at - begin.size());
}

void
load(const std::string &file)
{
  const std::string name = "'" + parameter + "': '" + file + "' ";
  // nor devices, which may have no end
  AssertThrow(!std::filesystem::exists(file) || std::filesystem::is_regular_file(file),
              ExcMessage(name + "is a folder or a device, no library."));
  std::ifstream stream(file, std::ios::binary);
  AssertThrow(stream, ExcMessage(name + "cannot be opened."));
  const std::string build = build_of(stream);
  AssertThrow(!build.empty(),
              ExcMessage(name + "is no plugin of KickDrift; it needs KICKDRIFT_PLUGIN of "
                                "<kickdrift/base/plugin.h>."));
  AssertThrow(build == KICKDRIFT_BUILD,
              ExcMessage(name + "was built for " + build +
                         ", but this is " KICKDRIFT_BUILD "; please build it again."));
  void *const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
  {
    const char *const reason = dlerror();
    AssertThrow(false, ExcMessage(name + "cannot be loaded: " + (reason ? reason : "") + "."));
  }
  const auto register_plugin =
      reinterpret_cast<void (*)()>(dlsym(library, "kickdrift_register_plugin"));
  AssertThrow(register_plugin != nullptr,
              ExcMessage(name + "does not export kickdrift_register_plugin()."));
  try
  {
    with_std_exceptions(register_plugin);
  }
  catch (const std::exception &exception)
  {
    AssertThrow(false,
                ExcMessage(name + "cannot register what it brings: " + message_of(exception)));
  }
}
} // namespace

void
load_shared_libraries(const std::vector<Assignment> &assignments)
{
  static std::set<std::string> loaded;
  const Assignment *last = nullptr;
  for (const auto &assignment : assignments)
    if (assignment.parameter == parameter)
      last = &assignment;
  if (!last)
    return;
  // so that whoever takes a name of these is told
  register_built_in_materials();
  register_built_in_shapes();
  register_mesh_generators();
  for (const auto &name : Utilities::split_string_list(last->value, ','))
  {
    const std::string file = absolute_file_name(name, last->folder);
    std::error_code ignored; // what is not there is told by load()
    const std::string target = std::filesystem::weakly_canonical(file, ignored).string();
    if (loaded.count(target) == 0)
      load(file);
    loaded.insert(target);
  }
}
} // namespace KickDrift
