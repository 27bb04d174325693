#include <kickdrift/base/messages.h>
#include <kickdrift/cases/parameters/mesh_survey.h>
#include <kickdrift/meshes/mesh_file_summary.h>

#include <deal.II/base/exceptions.h>

#include <algorithm>
#include <cmath>
#include <ostream>

namespace KickDrift
{
using namespace dealii;

namespace
{
constexpr MeshMaterial steel = {7.85e-9, 210000, 0.3, 0}; // in t, mm, s
constexpr unsigned int n_crossings = 10;
const std::string body = "part", section = "Bodies/" + body;

double
wave_speed(const MeshMaterial &material)
{
  const double nu = material.poissons_ratio;
  return std::sqrt(material.youngs_modulus * (1 - nu) / ((1 + nu) * (1 - 2 * nu)) /
                   material.density);
}

bool
is_usable(const MeshMaterial &material)
{
  return material.density > 0 && material.youngs_modulus > 0 && material.poissons_ratio > -1 &&
         material.poissons_ratio < 0.5;
}

bool
are_alike(const MeshMaterial &a, const MeshMaterial &b)
{
  return a.density == b.density && a.youngs_modulus == b.youngs_modulus &&
         a.poissons_ratio == b.poissons_ratio;
}

std::string
material_text(const MeshMaterial &material)
{
  return "density " + number_text(material.density) + ", Young's modulus " +
         number_text(material.youngs_modulus) + ", Poisson's ratio " +
         number_text(material.poissons_ratio);
}

/// Collects assignments that stand nowhere.
class Case
{
public:
  explicit Case(const std::string &file) : origin("--survey " + file) {}

  void
  set(const std::string &parameter, const std::string &value)
  {
    assignments.push_back({parameter, value, origin});
  }

  void
  set_material(const std::string &subsection, const MeshMaterial &material, const bool is_shell)
  {
    set(subsection + "/Model", is_shell ? "St. Venant-Kirchhoff" : "neo-Hookean");
    set(subsection + "/Density", number_text(material.density, 17));
    set(subsection + "/Young's modulus", number_text(material.youngs_modulus, 17));
    set(subsection + "/Poisson's ratio", number_text(material.poissons_ratio, 17));
  }

  std::vector<Assignment> assignments;

private:
  std::string origin;
};

/// What of a file's materials a case can have: elastic, of groups whose names may stand in lists.
MeshMaterials
usable_materials(const MeshFileSummary &mesh, std::ostream &out)
{
  MeshMaterials result;
  for (const auto &[name, material] : mesh.materials)
  {
    const bool has_good_name = name.find_first_of(",/=\"") == std::string::npos;
    if (is_usable(material) && has_good_name)
      result.emplace(name, material);
    else
      out << "Note: the material of '" << name << "' in the file is not used ("
          << (has_good_name ? material_text(material) : "its name has one of , / = \"") << ")\n";
  }
  return result;
}
} // namespace

std::vector<Assignment>
survey_assignments(const std::string &file, std::ostream &out)
{
  const MeshFileSummary mesh = summarise_mesh_file(file);
  const MeshMaterials materials = usable_materials(mesh, out);
  const MeshMaterial first = materials.empty() ? steel : materials.begin()->second;

  Case survey(file);
  survey.set("Dimension", std::to_string(mesh.dimension));
  survey.set("Bodies/Names", body);
  survey.set(section + "/Mesh/Generator", "file");
  survey.set(section + "/Mesh/File", file);
  survey.set_material(section + "/Material", first, mesh.is_shell);
  if (mesh.is_shell)
  {
    survey.set(section + "/Mesh/Cell type", "shell");
    survey.set(section + "/Thickness", number_text(first.thickness, 17));
  }
  std::string ids;
  double fastest = wave_speed(first);
  for (const auto &[name, material] : materials)
    if (!are_alike(material, first) && !mesh.is_shell)
    {
      ids += (ids.empty() ? "" : ", ") + name;
      survey.set_material(section + "/Material/Id " + name, material, false);
      fastest = std::max(fastest, wave_speed(material));
    }
  survey.set(section + "/Material/Ids", ids);
  survey.set("Contact/Enabled", "false");
  survey.set("Output/Save intervals", "1");
  survey.set("Stepping/End time", number_text(n_crossings * mesh.diameter / fastest, 3));

  if (materials.empty())
    out << "Material: the file names none, so steel in mm, t, s (" << material_text(first)
        << "); other values by --set \"" << section
        << "/Material/Young's modulus=...\". Ratios are the same for any density and Young's "
           "modulus\n";
  for (const auto &[name, material] : materials)
    out << "Material of '" << name << "': " << material_text(material) << "\n";
  if (!materials.empty())
    out << (mesh.is_shell ? "All of the shell is taken to be" : "Cells without a material are")
        << " of that of '" << materials.begin()->first << "'\n";
  out << "Time: until waves have crossed the mesh " << n_crossings << " times\n";
  return survey.assignments;
}
} // namespace KickDrift
