#include <kickdrift/output/files.h>
#include <kickdrift/output/vtu_file.h>

#include <deal.II/base/exceptions.h>

#include <ostream>

namespace KickDrift
{
namespace
{
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the files say so");

const char *
name_of(const float *)
{
  return "Float32";
}

const char *
name_of(const std::int32_t *)
{
  return "Int32";
}

const char *
name_of(const std::uint8_t *)
{
  return "UInt8";
}

/// What may stand between quotation marks in XML.
std::string
escaped(const std::string &text)
{
  std::string result;
  for (const char c : text)
    result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '"' ? "&quot;" : std::string(1, c);
  return result;
}

/// Of an array of numbers, in XML.
std::string
attributes(const char *type, const std::string &name, const unsigned int n_components)
{
  std::string components =
      n_components > 1 ? " NumberOfComponents=\"" + std::to_string(n_components) + "\"" : "";
  static const char *const of_tensor[6] = {"XX", "YY", "ZZ", "XY", "YZ", "XZ"};
  for (unsigned int i = 0; i < 6 && n_components == 6; ++i)
    components += " ComponentName" + std::to_string(i) + "=\"" + of_tensor[i] + "\"";
  return std::string("type=\"") + type + "\" Name=\"" + escaped(name) + "\"" + components;
}

/// The arrays of a file: announced in the XML first, written behind it then.
class AppendedData
{
public:
  /// XML of an array whose numbers will be appended; they must live until then.
  template <typename Number>
  std::string
  announce(const std::string &name, const unsigned int n_components,
           const std::vector<Number> &numbers)
  {
    const std::string xml = "<DataArray " +
                            attributes(name_of(numbers.data()), name, n_components) +
                            " format=\"appended\" offset=\"" + std::to_string(offset) + "\"/>\n";
    const std::uint64_t size = numbers.size() * sizeof(Number);
    blocks.push_back({reinterpret_cast<const char *>(numbers.data()), size});
    offset += sizeof(size) + size;
    return xml;
  }

  /// Everything that was announced, each behind its length.
  void
  write(std::ostream &out) const
  {
    for (const auto &[data, size] : blocks)
    {
      out.write(reinterpret_cast<const char *>(&size), sizeof(size));
      out.write(data, size);
    }
  }

private:
  std::vector<std::pair<const char *, std::uint64_t>> blocks;
  std::uint64_t offset = 0;
};

std::string
announce(AppendedData &data, const std::vector<VtuField> &fields)
{
  std::string xml;
  for (const VtuField &field : fields)
    xml += field.is_of_integers ? data.announce(field.name, field.n_components, field.integers)
                                : data.announce(field.name, field.n_components, field.values);
  return xml;
}
} // namespace

void
VtuGrid::add_cell(const unsigned int dim, const std::vector<unsigned int> &corners)
{
  // quadrilaterals go round, and so do the lower and upper side of hexahedra
  static const std::vector<unsigned int> straight = {0, 1, 2, 3}, round = {0, 1, 3, 2, 4, 5, 7, 6};
  const bool is_hypercube = dim > 1 && corners.size() == (1u << dim);
  Assert(corners.size() == (1u << dim) || corners.size() == dim + 1,
         dealii::ExcDimensionMismatch(corners.size(), 1u << dim));
  for (unsigned int i = 0; i < corners.size(); ++i)
    connectivity.push_back(corners[(is_hypercube ? round : straight)[i]]);
  offsets.push_back(connectivity.size());
  constexpr std::uint8_t line = 3, triangle = 5, quadrilateral = 9, tetrahedron = 10,
                         hexahedron = 12;
  types.push_back(dim == 1                              ? line
                  : dim == 2                            ? (is_hypercube ? quadrilateral : triangle)
                  : /* three dimensions */ is_hypercube ? hexahedron
                                                        : tetrahedron);
}

void
write_vtu(std::ostream &out, const VtuGrid &grid, const std::vector<VtuField> &point_fields,
          const std::vector<VtuField> &cell_fields, const double time, const unsigned int cycle)
{
  AppendedData data;
  out << "<?xml version=\"1.0\"?>\n"
         "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
         "header_type=\"UInt64\">\n"
         "<UnstructuredGrid>\n"
         "<FieldData>\n"
         "<DataArray type=\"Int32\" Name=\"CYCLE\" NumberOfTuples=\"1\" format=\"ascii\">"
      << cycle
      << "</DataArray>\n"
         "<DataArray type=\"Float64\" Name=\"TIME\" NumberOfTuples=\"1\" format=\"ascii\">"
      << to_text(time)
      << "</DataArray>\n"
         "</FieldData>\n"
         "<Piece NumberOfPoints=\""
      << grid.n_points() << "\" NumberOfCells=\"" << grid.n_cells() << "\">\n"
      << "<Points>\n"
      << data.announce("Points", 3, grid.points) << "</Points>\n"
      << "<Cells>\n"
      << data.announce("connectivity", 1, grid.connectivity)
      << data.announce("offsets", 1, grid.offsets) << data.announce("types", 1, grid.types)
      << "</Cells>\n"
      << "<PointData>\n"
      << announce(data, point_fields) << "</PointData>\n"
      << "<CellData>\n"
      << announce(data, cell_fields)
      << "</CellData>\n"
         "</Piece>\n"
         "</UnstructuredGrid>\n"
         "<AppendedData encoding=\"raw\">\n_";
  data.write(out);
  out << "\n</AppendedData>\n</VTKFile>\n";
}

void
write_pvtu(std::ostream &out, const std::vector<VtuField> &point_fields,
           const std::vector<VtuField> &cell_fields, const std::vector<std::string> &pieces)
{
  const auto announce = [&out](const char *section, const std::vector<VtuField> &fields)
  {
    out << "<" << section << ">\n";
    for (const VtuField &field : fields)
      out << "<PDataArray "
          << attributes(field.is_of_integers ? name_of(field.integers.data())
                                             : name_of(field.values.data()),
                        field.name, field.n_components)
          << "/>\n";
    out << "</" << section << ">\n";
  };
  out << "<?xml version=\"1.0\"?>\n"
         "<VTKFile type=\"PUnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" "
         "header_type=\"UInt64\">\n"
         "<PUnstructuredGrid GhostLevel=\"0\">\n";
  announce("PPoints", {{"Points", 3, {}}});
  announce("PPointData", point_fields);
  announce("PCellData", cell_fields);
  for (const std::string &piece : pieces)
    out << "<Piece Source=\"" << piece << "\"/>\n";
  out << "</PUnstructuredGrid>\n</VTKFile>\n";
}
} // namespace KickDrift
