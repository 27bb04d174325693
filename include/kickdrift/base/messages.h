#ifndef KICKDRIFT_BASE_MESSAGES_H
#define KICKDRIFT_BASE_MESSAGES_H

#include <deal.II/base/point.h>

#include <exception>
#include <set>
#include <string>

namespace KickDrift
{
/// What an exception has to say to the user, on one line: without deal.II's banner and stack trace,
/// and without the middle of what is longer than 1000 bytes.
std::string message_of(const std::exception &exception);

/// A number for people, with so many significant digits.
std::string number_text(double number, unsigned int digits = 6);

/// A number with all its digits; an integer has no decimal point.
std::string exact_text(double number);

/// A word as a shell takes it, quoted if necessary.
std::string shell_quoted(const std::string &word);

/// "(1, 2.5, 0)".
template <int dim>
std::string
point_text(const dealii::Point<dim> &point)
{
  std::string text;
  for (unsigned int d = 0; d < dim; ++d)
    text += (d == 0 ? "(" : ", ") + number_text(point[d]);
  return text + ")";
}

/// "0, 1, 7".
template <typename Number>
std::string
list_text(const std::set<Number> &numbers)
{
  std::string text;
  for (const auto number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}
} // namespace KickDrift

#endif
