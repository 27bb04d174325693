#include "stepping_cases.h"

#include <algorithm>
#include <sstream>

namespace KickDrift
{
namespace Benchmarks
{
namespace
{
/// Assignments that make the mesh of a case.
std::vector<std::string>
mesh_settings(const std::string &mesh, const unsigned int n)
{
  const std::string cells = std::to_string(n);
  std::vector<std::string> settings = {"Constants=n=" + cells + ", L=10"};
  if (mesh == "graded")
  {
    // sizes 1/30 ... 1 in n steps, then all 1
    settings.insert(settings.end(),
                    {"Bodies/body/Mesh/Upper corner=10*n, 2*n, 2*n",
                     "Bodies/body/Mesh/Subdivisions=10*n, 2*n, 2*n",
                     "Bodies/body/Mesh/Map=if(x < n, (30^(x/n) - 1)/30/(30^(1/n) - 1), "
                     "29/30/(30^(1/n) - 1) + x - n); y; z"});
    return settings;
  }
  settings.insert(settings.end(), {"Bodies/body/Mesh/Upper corner=L, 1, 1",
                                   "Bodies/body/Mesh/Subdivisions=5*n, n, n"});
  const std::string bar = "x/n + (L - L/n)*(x/L)^2";
  settings.push_back("Bodies/body/Mesh/Map=" +
                     (mesh == "general"
                          ? bar + " + 0.1*x/(5*n)*sin(7*y + 5*z); y*(1 + 0.1*z*sin(3*x)); "
                                  "z*(1 + 0.1*y*cos(2*x))"
                          : bar + "; y; z"));
  if (mesh == "one_point")
    settings.push_back("Bodies/body/Strain integration=one-point");
  if (mesh == "tetrahedra")
    settings.push_back("Bodies/body/Mesh/Cell type=simplices");
  return settings;
}
} // namespace

SteppingCase::SteppingCase(const std::string &mesh, const unsigned int n,
                           const std::vector<std::string> &settings)
{
  std::vector<std::string> texts = {"Dimension=3",
                                    "Bodies/Names=body",
                                    "Bodies/body/Material/Model=St. Venant-Kirchhoff",
                                    "Bodies/body/Material/Density=1",
                                    "Bodies/body/Material/Young's modulus=1",
                                    "Bodies/body/Material/Poisson's ratio=0.3",
                                    "Bodies/body/Initial velocity=0.01*cos(0.3*x); 0.01*sin(y); 0",
                                    "Stepping/End time=1",
                                    "Contact/Enabled=false"};
  const auto mesh_texts = mesh_settings(mesh, n);
  texts.insert(texts.end(), mesh_texts.begin(), mesh_texts.end());
  texts.insert(texts.end(), settings.begin(), settings.end());
  std::vector<Assignment> assignments;
  std::transform(texts.begin(), texts.end(), std::back_inserter(assignments), &parse_assignment);

  parameters = CaseInput<3>(assignments, read_outline(assignments)).parse();
  model = std::make_unique<Model<3>>(parameters);
}

std::uint64_t
SteppingCase::strain_kicks() const
{
  std::uint64_t count = 0;
  for (const auto &family : model->stepper.kick_statistics())
    if (family.kind == KickKind::strain)
      count += family.count;
  return count;
}

double
SteppingCase::longest_step() const
{
  double longest = 0;
  for (unsigned int id = 0; id < model->stepper.levels().n_kicks(); ++id)
    longest = std::max(longest, model->stepper.levels().natural_step(id));
  return longest;
}
} // namespace Benchmarks
} // namespace KickDrift
