#ifndef KICKDRIFT_SOURCE_CASES_INPUT_SUBSECTION_H
#define KICKDRIFT_SOURCE_CASES_INPUT_SUBSECTION_H

#include <deal.II/base/parameter_handler.h>

#include <string>
#include <vector>

namespace KickDrift
{
/// Enters subsections and leaves them again, also when an exception passes.
class Subsection
{
public:
  Subsection(dealii::ParameterHandler &prm, const std::vector<std::string> &path)
      : prm(prm), depth(path.size())
  {
    for (const auto &name : path)
      prm.enter_subsection(name);
  }
  Subsection(const Subsection &) = delete;
  ~Subsection()
  {
    for (unsigned int i = 0; i < depth; ++i)
      prm.leave_subsection();
  }

private:
  dealii::ParameterHandler &prm;
  const std::size_t depth;
};
} // namespace KickDrift

#endif
