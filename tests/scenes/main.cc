// Random scenes of contact, judged by an oracle that is not contact's own.
#include "scenes/table.h"
#include "scenes/variants.h"

#include <deal.II/base/multithread_info.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <stdexcept>

#include <unistd.h>

namespace
{
using namespace Scenes;

constexpr const char *usage =
    "usage: contact_scenes [--kind NAME]... [--dim 2|3] [--seeds FROM:TO | --seed N] [OPTION]...\n"
    "\n"
    "Runs scenes (default: seeds 0:10 of all kinds); prints a line for each that fails, and a row\n"
    "of a table for each kind.\n\n"
    "  --list         print the kinds\n"
    "  --all          print a line for each scene\n"
    "  --split        a row for each of what bodies are: elastic, rigid, both\n"
    "  --variants     run each scene also turned, shifted, with bodies in another order and in\n"
    "                 other units, and compare\n"
    "  --instants N   scenes end after so many instants (default 3000)\n"
    "  --seconds S    scenes fail when the library takes longer (default 10); one that\n"
    "                 hangs for ten times as long ends the program\n"
    "  --no-contact   contact is off, and the oracle must see what passes\n"
    "  --vtu NAME     write NAME_0000.vtu and so on for ParaView, of one scene\n\n"
    "Exit status: 0 no failure; 1 failures; 2 wrong arguments or scenes.\n";

struct Arguments
{
  std::vector<std::string> kinds; ///< empty: all
  int dim = 0;                    ///< 0: both
  std::uint64_t from = 0, to = 10;
  bool all = false, split = false, variants = false, list = false;
  RunOptions run;

  Arguments() { run.most_seconds = 10; }
};

/// Throws std::exception.
Arguments
parse(const int argc, char **argv)
{
  Arguments arguments;
  for (int i = 1; i < argc; ++i)
  {
    const std::string name = argv[i];
    const auto value = [&]() -> std::string
    {
      if (++i == argc)
        throw std::invalid_argument(name + " needs a value.");
      return argv[i];
    };
    if (name == "--kind")
      arguments.kinds.push_back(value());
    else if (name == "--dim")
      arguments.dim = std::stoi(value());
    else if (name == "--seed")
      arguments.to = (arguments.from = std::stoull(value())) + 1;
    else if (name == "--seeds")
    {
      const std::string range = value();
      const auto colon = range.find(':');
      if (colon == std::string::npos)
        throw std::invalid_argument("--seeds needs FROM:TO.");
      arguments.from = std::stoull(range.substr(0, colon));
      arguments.to = std::stoull(range.substr(colon + 1));
    }
    else if (name == "--instants")
      arguments.run.most_instants = std::stoul(value());
    else if (name == "--seconds")
      arguments.run.most_seconds = std::stod(value());
    else if (name == "--vtu")
      arguments.run.vtu = value();
    else if (name == "--no-contact")
      arguments.run.with_contact = false;
    else if (name == "--all")
      arguments.all = true;
    else if (name == "--split")
      arguments.split = true;
    else if (name == "--variants")
      arguments.variants = true;
    else if (name == "--list")
      arguments.list = true;
    else
      throw std::invalid_argument("What is " + name + "?");
  }
  if (!arguments.run.vtu.empty() &&
      (arguments.to != arguments.from + 1 || arguments.kinds.size() != 1 || arguments.variants))
    throw std::invalid_argument("--vtu is for one scene.");
  return arguments;
}

template <int dim>
void
print_kinds()
{
  for (const Kind<dim> &kind : kinds<dim>())
    std::cout << dim << "  " << kind.name << ": " << kind.what << '\n';
}

/// How much variants of one name change final momenta, over all of them [-].
struct Changes
{
  static constexpr double much = 1e-6; ///< rounding, and what motions make of it, is less
  double largest = 0;
  unsigned int n_large = 0;
};

/// Runs the variants of a scene; returns how many came out otherwise.
template <int dim>
unsigned int
run_variants(const Scene<dim> &scene, const Outcome<dim> &outcome, const RunOptions &options,
             std::map<std::string, Changes> &changes)
{
  unsigned int n_others = 0;
  for (const std::string &name : variant_names())
  {
    const Variant<dim> variant = make_variant(scene, name);
    double change = 0;
    const std::string difference =
        compare(scene, outcome, variant, run_scene(variant.scene, options), change);
    changes[name].largest = std::max(changes[name].largest, change);
    changes[name].n_large += change > Changes::much;
    if (difference.empty())
      continue;
    ++n_others;
    std::cout << "--kind " << scene.kind << " --dim " << dim << " --seed " << scene.seed << ' '
              << name << ": " << difference << "; momenta differ by " << change << std::endl;
  }
  return n_others;
}

/// A library that hangs within one instant can only be left: a message says in which scene.
char message_of_hang[200];

void
stop_hanging(int)
{
  const auto written = write(STDOUT_FILENO, message_of_hang, std::strlen(message_of_hang));
  _exit(written > 0 ? 1 : 3);
}

template <int dim>
Outcome<dim>
run_or_stop(const Scene<dim> &scene, const RunOptions &options)
{
  std::snprintf(message_of_hang, sizeof(message_of_hang),
                "--kind %s --dim %d --seed %llu: hangs, and the program ends; go on with the next "
                "seed\n",
                scene.kind.c_str(), dim, static_cast<unsigned long long>(scene.seed));
  // looking on takes time, too
  alarm(static_cast<unsigned int>(std::min(1e6, 10 * options.most_seconds)));
  const auto outcome = run_scene(scene, options);
  alarm(0);
  return outcome;
}

/// What the bodies that are free are.
template <int dim>
std::string
bodies_of(const Scene<dim> &scene)
{
  bool has_elastic = false, has_rigid = false;
  for (const auto &body : scene.bodies)
  {
    has_elastic = has_elastic || body.kind == BodyKind::elastic;
    has_rigid = has_rigid || body.kind == BodyKind::rigid;
  }
  return has_elastic && has_rigid ? "both" : has_rigid ? "rigid" : "elastic";
}

/// Returns how many scenes failed.
template <int dim>
unsigned int
run_all(const Arguments &arguments, std::vector<std::string> &table)
{
  unsigned int n_failed = 0;
  for (const Kind<dim> &kind : kinds<dim>())
  {
    if (!arguments.kinds.empty() && std::find(arguments.kinds.begin(), arguments.kinds.end(),
                                              kind.name) == arguments.kinds.end())
      continue;
    std::map<std::string, Row> rows;
    unsigned int n_others = 0, n_failed_here = 0;
    std::map<std::string, Changes> changes;
    for (std::uint64_t seed = arguments.from; seed < arguments.to; ++seed)
    {
      const auto scene = make_scene<dim>(kind.name, seed);
      const auto outcome = run_or_stop(scene, arguments.run);
      rows[kind.name + (arguments.split ? ", " + bodies_of(scene) : "")].add(scene, outcome);
      n_failed_here += outcome.has_failed(scene);
      if (arguments.all || outcome.has_failed(scene))
        std::cout << record(scene, outcome) << std::endl;
      if (arguments.variants)
        n_others += run_variants(scene, outcome, arguments.run, changes);
    }
    for (const auto &[name, row] : rows)
    {
      table.push_back(table_row(name, dim, row));
      for (const auto &[error, count] : row.errors)
        std::cout << name << ' ' << dim << ": stopped " << count << " times: " << error
                  << std::endl;
    }
    if (arguments.variants)
    {
      std::cout << kind.name << ' ' << dim << ": " << n_others
                << " variants came out otherwise; of " << arguments.to - arguments.from
                << " scenes momenta differ by more than " << Changes::much << " (at most)";
      for (const auto &[name, change] : changes)
        std::cout << ", " << name << ' ' << change.n_large << " (" << change.largest << ')';
      std::cout << std::endl;
    }
    n_failed += n_failed_here + n_others;
  }
  return n_failed;
}
} // namespace

int
main(int argc, char **argv)
{
  try
  {
    const Arguments arguments = parse(argc, argv);
    dealii::MultithreadInfo::set_thread_limit(1);
    std::signal(SIGALRM, stop_hanging);
    if (arguments.list)
    {
      print_kinds<2>();
      print_kinds<3>();
      return 0;
    }
    unsigned int n_failed = 0;
    std::vector<std::string> table;
    if (arguments.dim != 3)
      n_failed += run_all<2>(arguments, table);
    if (arguments.dim != 2)
      n_failed += run_all<3>(arguments, table);
    if (table.empty())
      throw std::invalid_argument("There is no such kind; see --list.");
    std::cout << table_head() << '\n';
    for (const std::string &row : table)
      std::cout << row << '\n';
    return n_failed == 0 ? 0 : 1;
  }
  catch (const std::exception &error)
  {
    std::cerr << error.what() << "\n\n" << usage;
    return 2;
  }
}
