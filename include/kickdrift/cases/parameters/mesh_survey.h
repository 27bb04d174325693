#ifndef KICKDRIFT_CASES_PARAMETERS_MESH_SURVEY_H
#define KICKDRIFT_CASES_PARAMETERS_MESH_SURVEY_H

#include <kickdrift/cases/input/parameter_file.h>

#include <ostream>
#include <string>
#include <vector>

namespace KickDrift
{
/**
 * A case around a mesh file, to see by --validate what own steps would save: one body, without
 * contact, of the materials that the file names, or steel, for as long as waves need to cross it
 * ten times. Prints what is taken for granted. Throws dealii::ExceptionBase if the file cannot be
 * read.
 */
std::vector<Assignment> survey_assignments(const std::string &file, std::ostream &out);
} // namespace KickDrift

#endif
