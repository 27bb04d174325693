#include <kickdrift/cases/parameters/case_input.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/utilities.h>

#include <sstream>

namespace KickDrift
{
using namespace dealii;

namespace
{
const std::string of_bodies = "Bodies/";

/// What a handler prints.
std::string
printed(const ParameterHandler &prm, const ParameterHandler::OutputStyle style)
{
  std::ostringstream text;
  prm.print_parameters(text, style);
  return text.str();
}

/// Lines of what a handler prints, but for the title, which comes once for all.
std::vector<std::string>
lines_of(const std::string &text)
{
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (line.rfind("# Listing of Parameters", 0) != 0 && line.rfind("# -----", 0) != 0)
      lines.push_back(line);
  return lines;
}
} // namespace

template <int dim>
CaseInput<dim>::Kind::Kind(const std::vector<std::string> &material_ids)
    : declared([&](ParameterHandler &prm)
               { BodyParameters<dim>::declare_parameters(prm, material_ids); })
{
  std::vector<std::string> path;
  for (const std::string &line : lines_of(printed(declared.handler(), ParameterHandler::ShortPRM)))
  {
    const std::string words = Utilities::trim(line);
    const auto equals = line.find('=');
    if (words.rfind("set ", 0) != 0)
    {
      lines.push_back({line, ""});
      if (words.rfind("subsection ", 0) == 0)
        path.push_back(words.substr(11) + "/");
      else if (words == "end")
        path.pop_back();
      continue;
    }
    std::string name;
    for (const std::string &part : path)
      name += part;
    name += Utilities::trim(line.substr(line.find("set ") + 4, equals - line.find("set ") - 4));
    lines.push_back({line.substr(0, equals + 1) + " ", name});
  }
}

template <int dim>
CaseInput<dim>::CaseInput(const std::vector<Assignment> &assignments, CaseOutline the_outline)
    : outline(std::move(the_outline)),
      others([this](ParameterHandler &prm)
             { CaseParameters<dim>::declare_parameters(prm, outline); })
{
  for (const BodyGrid &grid : outline.grids)
  {
    Kind &kind = kinds.try_emplace(grid.material_ids, grid.material_ids).first->second;
    sections.emplace(grid.section, Section{&kind, {}});
  }
  for (const Assignment &assignment : assignments)
  {
    const auto [section, name] = section_of(assignment.parameter);
    if (section ? section->kind->declared.has(name) : others.has(assignment.parameter))
      continue;
    auto names = others.names();
    for (const auto &[body, of_body] : sections)
      for (const std::string &own : of_body.kind->declared.names())
        names.push_back(of_bodies + body + "/" + own);
    throw_unknown_parameter(assignment, names);
  }
  for (const Assignment &assignment : assignments)
  {
    const auto [section, name] = section_of(assignment.parameter);
    if (!section)
    {
      others.set(assignment.parameter, assignment, outline.constants);
      continue;
    }
    DeclaredParameters &declared = section->kind->declared;
    declared.set(name, assignment, outline.constants);
    section->values[name] = declared.value(name);
    declared.set(name, declared.default_value(name));
  }
}

template <int dim>
std::pair<typename CaseInput<dim>::Section *, std::string>
CaseInput<dim>::section_of(const std::string &parameter)
{
  const auto slash = parameter.find('/', of_bodies.size());
  if (parameter.rfind(of_bodies, 0) != 0 || slash == std::string::npos)
    return {nullptr, ""};
  const auto section = sections.find(parameter.substr(of_bodies.size(), slash - of_bodies.size()));
  if (section == sections.end())
    return {nullptr, ""};
  return {&section->second, parameter.substr(slash + 1)};
}

template <int dim>
const std::string &
CaseInput<dim>::Section::value(const std::string &name) const
{
  const auto own = values.find(name);
  return own != values.end() ? own->second : kind->declared.default_value(name);
}

template <int dim>
template <typename Function>
void
CaseInput<dim>::with_values(const Section &section, const Function &f)
{
  struct Defaults
  {
    explicit Defaults(const Section &section) : section(section) {}
    Defaults(const Defaults &) = delete;
    ~Defaults()
    {
      DeclaredParameters &declared = section.kind->declared;
      for (const auto &[name, value] : section.values)
        declared.set(name, declared.default_value(name));
    }

    const Section &section;
  };
  const Defaults in_the_end(section);
  for (const auto &[name, value] : section.values)
    section.kind->declared.set(name, value);
  f(section.kind->declared.handler());
}

template <int dim>
CaseParameters<dim>
CaseInput<dim>::parse()
{
  CaseParameters<dim> parameters;
  for (const BodyGrid &grid : outline.grids)
    with_values(sections.at(grid.section),
                [&](ParameterHandler &prm)
                {
                  for (auto &body : BodyParameters<dim>::parse_grid(prm, grid, outline.constants))
                    parameters.bodies.push_back(std::move(body));
                });
  parameters.parse_parameters(others.handler(), outline);
  return parameters;
}

template <int dim>
std::vector<std::pair<std::string, std::string>>
CaseInput<dim>::values() const
{
  std::istringstream text(printed(others.handler(), ParameterHandler::ShortPRM));
  std::vector<std::pair<std::string, std::string>> result;
  for (const Assignment &assignment : read_parameter_text(text, ""))
  {
    result.emplace_back(assignment.parameter, assignment.value);
    if (assignment.parameter != of_bodies + "Names")
      continue;
    for (const auto &[body, section] : sections)
      for (const std::string &name : section.kind->declared.names())
        result.emplace_back(of_bodies + body + "/" + name, section.value(name));
  }
  return result;
}

template <int dim>
void
CaseInput<dim>::print_values(std::ostream &out) const
{
  std::string bodies;
  for (const auto &[body, section] : sections)
  {
    bodies += "  subsection " + body + "\n";
    for (const auto &line : section.kind->lines)
    {
      bodies += "    " + line.text;
      bodies += (line.parameter.empty() ? "" : section.value(line.parameter)) + "\n";
    }
    bodies += "  end\n";
  }
  out << with_bodies(printed(others.handler(), ParameterHandler::ShortPRM), bodies);
}

template <int dim>
void
CaseInput<dim>::print(std::ostream &out)
{
  std::string bodies;
  for (const auto &[body, section] : sections)
    with_values(section,
                [&, &body = body](const ParameterHandler &prm)
                {
                  bodies += "\n  subsection " + body + "\n";
                  for (const auto &line : lines_of(printed(prm, ParameterHandler::PRM)))
                    bodies += (line.empty() ? "" : "    " + line) + "\n";
                  bodies += "  end\n";
                });
  out << with_bodies(printed(others.handler(), ParameterHandler::PRM), bodies + "\n");
}

template <int dim>
std::string
CaseInput<dim>::with_bodies(const std::string &others, const std::string &bodies)
{
  const auto begin = others.find("subsection Bodies\n");
  const auto end = others.find("\nend\n", begin) + 1;
  return others.substr(0, end) + bodies + others.substr(end);
}

template class CaseInput<2>;
template class CaseInput<3>;
} // namespace KickDrift
