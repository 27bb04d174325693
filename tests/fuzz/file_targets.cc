// Parameter files and mesh files: what the program says to them with --validate.

#include "targets.h"

#include <kickdrift/cases/program.h>

#include <filesystem>
#include <sstream>

namespace fs = std::filesystem;

namespace
{
/// Run the program; everything that it may not do is a Failure.
Outcome
validate(const std::string &case_file)
{
  std::ostringstream out, error;
  const int status = KickDrift::run_program({case_file, "--validate"}, out, error);
  const std::string message = error.str();
  if (status == 0)
  {
    if (!message.empty())
      throw Failure("accepted, but complains: " + message);
    if (out.str().find("Initial penetrations: ") == std::string::npos)
      throw Failure("accepted, but the report has no end: " + out.str());
    return Outcome::accepted;
  }
  if (status != 2)
    throw Failure("exit status " + std::to_string(status) + ": " + message);
  if (message.rfind("kickdrift: ", 0) != 0 || message.back() != '\n')
    throw Failure("the message is not one of the program: " + message);
  check_message(message);
  return Outcome::refused;
}

class FileTarget : public Target
{
public:
  FileTarget(const std::string &corpus, const std::string &scratch)
      : Target(read_originals(corpus)), scratch(scratch), mutator(Format::text, texts())
  {
  }

  std::string
  mutant(const Original &original, const std::uint64_t seed, const std::uint64_t index) override
  {
    return mutator.mutate(original.content, seed, index);
  }

protected:
  /// Nothing but the files given may be there, and not be changed.
  void
  check_folder(const std::string &file, const std::string &content, const std::size_t n_files) const
  {
    std::size_t n = 0;
    for (const auto &entry : fs::recursive_directory_iterator(scratch))
      n += entry.exists();
    if (n != n_files)
      throw Failure("there are " + std::to_string(n) + " files instead of " +
                    std::to_string(n_files));
    if (read_file(file) != content)
      throw Failure("the input was changed");
  }

  const std::string scratch;

private:
  std::vector<std::string>
  texts() const
  {
    std::vector<std::string> result;
    for (const auto &original : all)
      result.push_back(original.content);
    return result;
  }

  Mutator mutator;
};

class ParameterTarget : public FileTarget
{
public:
  using FileTarget::FileTarget;

  Outcome
  try_input(const Original &original, const std::string &input) override
  {
    const std::string file = input_file(original);
    write_file(file, input);
    const Outcome outcome = validate(file);
    check_folder(file, input, 1);
    return outcome;
  }

  std::string
  input_file(const Original &) const override
  {
    return "case.prm";
  }
};

/// A body that is read from the file; the first letter of its name is the dimension.
class MeshTarget : public FileTarget
{
public:
  using FileTarget::FileTarget;

  Outcome
  try_input(const Original &original, const std::string &input) override
  {
    const std::string file = input_file(original);
    const std::string dimension = original.name.find("3d_") != original.name.npos ? "3" : "2";
    for (const auto &entry : fs::directory_iterator("."))
      fs::remove(entry.path());
    write_file(file, input);
    write_file("case.prm",
               "set Dimension = " + dimension +
                   "\nsubsection Bodies\n  set Names = body\n  subsection body\n"
                   "    subsection Mesh\n      set Generator = file\n      set File = " +
                   file +
                   "\n    end\n  end\nend\n"
                   "subsection Contact\n  set Allow initial overlap = true\nend\n");
    const Outcome outcome = validate("case.prm");
    check_folder(file, input, 2);
    return outcome;
  }

  std::string
  input_file(const Original &original) const override
  {
    return "mesh" + fs::path(original.name).extension().string();
  }
};
} // namespace

std::unique_ptr<Target>
make_parameter_target(const std::string &corpus, const std::string &scratch)
{
  return std::make_unique<ParameterTarget>(corpus, scratch);
}

std::unique_ptr<Target>
make_mesh_target(const std::string &corpus, const std::string &scratch)
{
  return std::make_unique<MeshTarget>(corpus, scratch);
}
