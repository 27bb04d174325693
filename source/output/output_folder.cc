#include <kickdrift/base/archive.h>
#include <kickdrift/output/files.h>
#include <kickdrift/output/output_folder.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace KickDrift
{
namespace fs = std::filesystem;
using dealii::ExcMessage;

namespace
{
constexpr const char *parameters_name = "parameters.prm";
const std::string mark = "# Written by kickdrift, which replaces it only if it is unchanged: ";
constexpr std::array<const char *, 2> series = {"solution", "surface"};

/// Names that runs and comparisons give to their files.
const std::vector<std::string> &
known_names()
{
  static const std::vector<std::string> names = {
      "summary.json",  "statistics.csv", "probes.csv",      "bodies.csv",         "contact.csv",
      "reactions.csv", "sections.csv",   "detection.csv",   "first_contacts.csv", parameters_name,
      "solution.pvd",  "surface.pvd",    "comparison.json", "comparison.html"};
  return names;
}

bool
are_digits(const std::string &text)
{
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

/// Is @p name that of a picture of a series, such as solution_000012.vtu, or of a part or piece of
/// one, such as solution_000012_3.vtu, solution_000012.7.vtu and solution_000012_3.7.vtu?
bool
is_picture(const std::string &name, const std::string &of_series)
{
  const auto dot = name.rfind('.');
  const std::string begin = of_series + "_";
  if (name.rfind(begin, 0) != 0 || dot == std::string::npos ||
      (name.substr(dot) != ".vtu" && name.substr(dot) != ".pvtu"))
    return false;
  std::string numbers = name.substr(begin.size(), dot - begin.size());
  const auto of_piece = numbers.find('.');
  if (of_piece != std::string::npos && are_digits(numbers.substr(of_piece + 1)))
    numbers.resize(of_piece);
  const auto underscore = numbers.find('_');
  return numbers.substr(0, underscore).size() == 6 && are_digits(numbers.substr(0, underscore)) &&
         (underscore == std::string::npos || are_digits(numbers.substr(underscore + 1)));
}

bool
is_checkpoint(const std::string &name)
{
  const std::string begin = "checkpoint_";
  return name.rfind(begin, 0) == 0 && are_digits(name.substr(begin.size()));
}

/// Without the ending that a file has while atomic_write() is at work.
std::string
complete_name(const std::string &name)
{
  const std::string ending = ".part";
  const bool is_part = name.size() > ending.size() &&
                       name.compare(name.size() - ending.size(), ending.size(), ending) == 0;
  return is_part ? name.substr(0, name.size() - ending.size()) : name;
}

void
remove_file(const fs::path &file)
{
  std::error_code error;
  fs::remove(file, error);
  AssertThrow(!error, ExcMessage("Cannot remove '" + file.string() +
                                 "' of an earlier run: " + error.message() + "."));
}

/// Files with names that @p belongs.
template <typename Belongs>
void
remove_files(const fs::path &folder, const Belongs &belongs)
{
  std::vector<fs::path> files;
  std::error_code ignored; // what is no folder has no files
  for (const auto &entry : fs::directory_iterator(folder, ignored))
    if (!entry.is_directory(ignored) && belongs(complete_name(entry.path().filename().string())))
      files.push_back(entry.path());
  for (const auto &file : files)
    remove_file(file);
}

/// The same, and the folder if nothing is left in it.
template <typename Belongs>
void
remove_files_and_folder(const fs::path &folder, const Belongs &belongs)
{
  remove_files(folder, belongs);
  std::error_code ignored;
  if (fs::is_directory(folder, ignored) && fs::is_empty(folder, ignored))
    remove_file(folder);
}

std::string
line_with_mark(const std::string &text)
{
  return mark + std::to_string(checksum(text)) + "\n";
}

/// Is a file of parameters as write_parameters() has left it?
bool
is_unchanged(const fs::path &file)
{
  std::ifstream in(file, std::ios::binary);
  std::string first;
  std::getline(in, first);
  std::ostringstream rest;
  rest << in.rdbuf();
  return first + "\n" == line_with_mark(rest.str());
}

/// First of the known names that exists in the folder; empty if none does.
std::string
first_known_name(const fs::path &folder)
{
  std::error_code ignored;
  for (const auto &name : known_names())
    if (fs::exists(folder / name, ignored))
      return name;
  return "";
}

/// Is a page that of a comparison?
bool
is_own_page(const fs::path &file)
{
  std::ifstream in(file);
  std::string begin(500, ' ');
  in.read(&begin[0], begin.size());
  return begin.find("<title>KickDrift: comparison") != std::string::npos;
}

/// First of the pictures and checkpoints in the folder; empty if there is none.
std::string
first_picture_or_checkpoint(const fs::path &folder)
{
  const auto first_in = [&folder](const std::string &place, const auto &belongs)
  {
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(folder / place, error))
      if (belongs(complete_name(entry.path().filename().string())))
        return (fs::path(place) / entry.path().filename()).string();
    return std::string();
  };
  for (const char *one : series)
    for (const std::string &place : {std::string(), std::string(one)})
    {
      const std::string name =
          first_in(place, [one](const std::string &file) { return is_picture(file, one); });
      if (!name.empty())
        return name;
    }
  return first_in("checkpoint", &is_checkpoint);
}

/// Throw if files that would be overwritten are those of no run, or were edited.
void
check_is_own_run(const fs::path &folder)
{
  std::string first = first_known_name(folder);
  if (first.empty() || first == "comparison.json" ||
      (first == "comparison.html" && is_own_page(folder / first)))
    first = first_picture_or_checkpoint(folder);
  if (first.empty())
    return;
  const fs::path parameters = folder / parameters_name;
  AssertThrow(fs::exists(parameters),
              ExcMessage("The output folder '" + folder.string() + "' holds '" + first +
                         "' but no '" + parameters_name +
                         "', which runs begin with: the program has not written it, and does not "
                         "overwrite it. Choose another folder, or move the file."));
  AssertThrow(is_unchanged(parameters),
              ExcMessage("'" + parameters.string() +
                         "' was not written by this program, or has been edited since then; it is "
                         "not overwritten. Move it somewhere else, or choose another folder."));
}
} // namespace

OutputFolder::NewFolders::NewFolders(const std::string &path)
{
  AssertThrow(!path.empty(), ExcMessage("The name of the output folder is empty."));
  AssertThrow(!fs::exists(path) || fs::is_directory(path),
              ExcMessage("The output folder '" + path + "' is a file."));
  std::error_code error;
  for (fs::path part = path; !part.empty() && !fs::exists(part, error); part = part.parent_path())
    paths.insert(paths.begin(), part.string());
  fs::create_directories(path, error);
  AssertThrow(!error, ExcMessage("Cannot create the output folder '" + path +
                                 "': " + error.message() + "."));
}

OutputFolder::NewFolders::~NewFolders()
{
  std::error_code ignored; // those that hold something stay
  for (auto path = paths.rbegin(); path != paths.rend(); ++path)
    fs::remove(*path, ignored);
}

bool
OutputFolder::holds_run(const std::string &path)
{
  return !first_known_name(path).empty();
}

OutputFolder::OutputFolder(const std::string &path, const ExistingRun existing_run)
    : folder(path), new_folders(path), lock(path)
{
  const std::string first = first_known_name(path);
  AssertThrow(existing_run != ExistingRun::refuse || first.empty(),
              ExcMessage("The output folder '" + path + "' already holds a run ('" + first +
                         "'). Choose another folder, continue the run with --resume, or replace it "
                         "with --overwrite."));
  if (existing_run == ExistingRun::overwrite)
    check_is_own_run(path);
  // Permissions do not tell about read-only and full file systems: try it.
  const std::string trial = file("write-test");
  atomic_write(trial, "x");
  std::error_code ignored;
  fs::remove(trial, ignored);
}

void
OutputFolder::remove_earlier_run() const
{
  const auto &names = known_names();
  remove_files(folder,
               [&](const std::string &name) {
                 return name != parameters_name && std::count(names.begin(), names.end(), name) > 0;
               });
  for (const char *one : series)
  {
    const auto belongs = [one](const std::string &name) { return is_picture(name, one); };
    remove_files(folder, belongs); // where earlier releases have put them
    remove_files_and_folder(file(one), belongs);
  }
  remove_files_and_folder(file("checkpoint"), &is_checkpoint);
  // last: it marks the folder as that of a run, should one of the others resist
  if (is_unchanged(file(parameters_name)))
    remove_file(file(parameters_name));
}

void
OutputFolder::write_parameters(const std::string &text) const
{
  const std::string name = file(parameters_name);
  if (!fs::exists(name) || is_unchanged(name))
    atomic_write(name, line_with_mark(text) + text);
}
} // namespace KickDrift
