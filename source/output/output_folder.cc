#include <kickdrift/output/files.h>
#include <kickdrift/output/output_folder.h>

#include <deal.II/base/exceptions.h>

#include <filesystem>

namespace KickDrift
{
namespace fs = std::filesystem;
using dealii::ExcMessage;

namespace
{
/// Is @p name (without folder) one of those that runs write?
bool
belongs_to_run(const fs::path &name)
{
  for (const char *known :
       {"summary.json", "statistics.csv", "probes.csv", "bodies.csv", "contact.csv",
        "reactions.csv", "detection.csv", "first_contacts.csv", "parameters.prm", "solution.pvd",
        "surface.pvd", "checkpoint", "comparison.json", "comparison.html"})
    if (name == known)
      return true;
  const std::string text = name.string(), extension = name.extension().string();
  return (text.rfind("solution_", 0) == 0 || text.rfind("surface_", 0) == 0) &&
         (extension == ".vtu" || extension == ".pvtu");
}

void
remove_run(const fs::path &folder)
{
  std::vector<fs::path> files;
  for (const auto &entry : fs::directory_iterator(folder))
    if (belongs_to_run(entry.path().filename()))
      files.push_back(entry.path());
  for (const auto &file : files)
  {
    std::error_code error;
    fs::remove_all(file, error);
    AssertThrow(!error, ExcMessage("Cannot remove '" + file.string() +
                                   "' of an earlier run: " + error.message() + "."));
  }
}
} // namespace

bool
OutputFolder::holds_run(const std::string &path)
{
  for (const char *name : {"summary.json", "statistics.csv", "parameters.prm", "comparison.json"})
    if (fs::exists(fs::path(path) / name))
      return true;
  return false;
}

OutputFolder::OutputFolder(const std::string &path, const ExistingRun existing_run) : folder(path)
{
  AssertThrow(!path.empty(), ExcMessage("The name of the output folder is empty."));
  AssertThrow(!fs::exists(path) || fs::is_directory(path),
              ExcMessage("The output folder '" + path + "' is a file."));
  std::error_code error;
  fs::create_directories(path, error);
  AssertThrow(!error, ExcMessage("Cannot create the output folder '" + path +
                                 "': " + error.message() + "."));
  AssertThrow(existing_run != ExistingRun::refuse || !holds_run(path),
              ExcMessage("The output folder '" + path +
                         "' already holds a run. Choose another folder, continue the run with "
                         "--resume, or replace it with --overwrite."));
  // Permissions do not tell about read-only and full file systems: try it.
  const std::string trial = file("write-test");
  atomic_write(trial, "x");
  fs::remove(trial, error);

  if (existing_run == ExistingRun::overwrite)
    remove_run(path);
}
} // namespace KickDrift
