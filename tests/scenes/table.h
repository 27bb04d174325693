// Lines for single scenes, and rows of a table for kinds.
#ifndef KICKDRIFT_TESTS_SCENES_TABLE_H
#define KICKDRIFT_TESTS_SCENES_TABLE_H

#include "scenes/run.h"

#include <map>

namespace Scenes
{
/// "thin_strips --dim 2 --seed 17: deep 3, lost 1 ..." and what the scene is made of.
template <int dim>
std::string record(const Scene<dim> &scene, const Outcome<dim> &outcome);

/// Sums over the scenes of a kind.
struct Row
{
  unsigned int scenes = 0, failed = 0;
  // scenes with at least one
  unsigned int touched = 0, missed = 0, deep = 0, lost = 0, false_pushes = 0, grown = 0,
               changed = 0, off = 0, turned = 0, stopped = 0;
  double worst_share = 0, worst_growth = 0, worst_error = 0, worst_change = 0, worst_off = 0,
         worst_turn = 0;
  double seconds = 0, seconds_of_oracle = 0;
  std::uint64_t instants = 0;
  std::map<std::string, unsigned int> errors; ///< how often each

  template <int dim>
  void add(const Scene<dim> &scene, const Outcome<dim> &outcome);
};

/// Of a table in Markdown.
std::string table_head();
std::string table_row(const std::string &kind, int dim, const Row &row);
} // namespace Scenes

#endif
