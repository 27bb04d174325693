#ifndef KICKDRIFT_TESTS_FUZZ_TARGETS_H
#define KICKDRIFT_TESTS_FUZZ_TARGETS_H

#include "mutations.h"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// What became of an input. Everything else is a Failure.
enum class Outcome
{
  accepted,
  refused,
  blown_up ///< accepted, but the run has not come to its end
};

/// An outcome that the program promises not to have.
struct Failure : std::runtime_error
{
  using std::runtime_error::runtime_error;
};

/// What inputs are made of.
struct Original
{
  std::string name; ///< those that begin with "broken" must be refused, all others accepted
  std::string content;
};

/// Something that reads inputs.
class Target
{
public:
  /// @param originals in an order that does not depend on the machine
  explicit Target(std::vector<Original> originals) : all(std::move(originals)) {}
  virtual ~Target() = default;

  const std::vector<Original> &
  originals() const
  {
    return all;
  }

  /// Input @p index of the sequence @p seed, made of @p original.
  virtual std::string mutant(const Original &original, std::uint64_t seed, std::uint64_t index) = 0;

  /// Hand @p input, made of @p original, to the code under test.
  virtual Outcome try_input(const Original &original, const std::string &input) = 0;

  /// The file with the last input, to be looked at if the program has crashed.
  virtual std::string input_file(const Original &original) const = 0;

protected:
  std::vector<Original> all;
};

/**
 * The target @p kind: "prm", "mesh", "checkpoint", "resume", or "trap", which fails on purpose;
 * null for others. It works in the empty folder @p scratch, which is the present one.
 * @p corpus : folder with the originals
 * @p reading_is_over : to be called when an input has been accepted and what follows may take long
 */
std::unique_ptr<Target> make_target(const std::string &kind, const std::string &corpus,
                                    const std::string &scratch,
                                    const std::function<void()> &reading_is_over);

// For the targets.

/// All files in a folder, by name.
std::vector<Original> read_originals(const std::string &folder);

/// The whole file.
std::string read_file(const std::string &path);

/// Replace the whole file.
void write_file(const std::string &path, const std::string &content);

/// Names and contents of all files in a folder and below.
std::vector<std::pair<std::string, std::string>> contents_of(const std::string &folder);

/// Throw Failure unless @p message is one that a user can do something with.
void check_message(const std::string &message);

std::unique_ptr<Target> make_parameter_target(const std::string &corpus,
                                              const std::string &scratch); ///< "prm"
std::unique_ptr<Target> make_mesh_target(const std::string &corpus,
                                         const std::string &scratch); ///< "mesh"
std::unique_ptr<Target>
make_checkpoint_target(const std::string &corpus, const std::string &scratch,
                       const std::function<void()> &reading_is_over);  ///< "checkpoint"
std::unique_ptr<Target> make_resume_target(const std::string &corpus); ///< "resume"

#endif
