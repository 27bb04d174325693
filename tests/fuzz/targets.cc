#include "targets.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace fs = std::filesystem;

namespace
{
/// Fails on purpose, to see that failures are seen.
class Trap : public Target
{
public:
  Trap()
      : Target({{"broken_accept", "accept"},
                {"crash", "crash"},
                {"fail", "fail"},
                {"good", "accept"},
                {"hang", "hang"},
                {"memory", "memory"},
                {"refuse", "refuse"}})
  {
  }

  std::string
  mutant(const Original &original, const std::uint64_t, const std::uint64_t) override
  {
    return original.content;
  }

  Outcome
  try_input(const Original &original, const std::string &input) override
  {
    write_file(input_file(original), input);
    if (input == "crash")
      std::abort();
    if (input == "hang")
      std::this_thread::sleep_for(std::chrono::hours(1));
    if (input == "fail")
      throw Failure("as it was told to");
    if (input == "memory")
      for (std::string text = "much";; text += text)
        ;
    return input == "refuse" ? Outcome::refused : Outcome::accepted;
  }

  std::string
  input_file(const Original &) const override
  {
    return "trap.txt";
  }
};
} // namespace

std::vector<Original>
read_originals(const std::string &folder)
{
  std::vector<Original> originals;
  for (const auto &entry : fs::directory_iterator(folder))
    originals.push_back({entry.path().filename().string(), read_file(entry.path().string())});
  std::sort(originals.begin(), originals.end(),
            [](const auto &a, const auto &b) { return a.name < b.name; });
  return originals;
}

std::string
read_file(const std::string &path)
{
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error("cannot read " + path);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

void
write_file(const std::string &path, const std::string &content)
{
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), content.size());
  file.close();
  if (!file)
    throw std::runtime_error("cannot write " + path);
}

std::vector<std::pair<std::string, std::string>>
contents_of(const std::string &folder)
{
  std::vector<std::pair<std::string, std::string>> contents;
  for (const auto &entry : fs::recursive_directory_iterator(folder))
    contents.emplace_back(entry.path().string(),
                          entry.is_regular_file() ? read_file(entry.path().string()) : "");
  std::sort(contents.begin(), contents.end());
  return contents;
}

void
check_message(const std::string &message)
{
  const auto has = [&message](const char *text) { return message.find(text) != message.npos; };
  if (!has("'") && !has("--"))
    throw Failure("the message names no file and no parameter: " + message);
  // texts that deal.II and the standard library have for programmers
  for (const char *text :
       {"violated condition", "This exception", "bad_alloc", "std::", "vector::", "basic_string",
        "stoi", "stod", "stoul", "(none)", "json.exception", "regex_error", "dealii"})
    if (has(text))
      throw Failure("the message is not for users: " + message);
}

std::unique_ptr<Target>
make_target(const std::string &kind, const std::string &corpus, const std::string &scratch,
            const std::function<void()> &reading_is_over)
{
  if (kind == "prm")
    return make_parameter_target(corpus, scratch);
  if (kind == "mesh")
    return make_mesh_target(corpus, scratch);
  if (kind == "checkpoint")
    return make_checkpoint_target(corpus, scratch, reading_is_over);
  if (kind == "resume")
    return make_resume_target(corpus);
  if (kind == "trap")
    return std::make_unique<Trap>();
  return nullptr;
}
