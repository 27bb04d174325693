// Loaded before deal.II's library, this makes it look like another release.

#include <string>

namespace dealii
{
namespace Utilities
{
std::string
dealii_version_string()
{
  return "deal.II version 99.0.0-pre (master, 0123456789)";
}
} // namespace Utilities
} // namespace dealii
