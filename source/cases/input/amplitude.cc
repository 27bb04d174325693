#include <kickdrift/base/messages.h>
#include <kickdrift/cases/input/amplitude.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/utilities.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>

namespace KickDrift
{
using namespace dealii;

namespace
{
/// The numbers on a line of a file; nothing if there is anything else.
std::optional<std::vector<double>>
numbers_of(std::string line)
{
  std::replace_if(
      line.begin(), line.end(), [](const char c) { return c == ',' || c == ';'; }, ' ');
  std::istringstream words(line);
  std::vector<double> numbers;
  std::string word;
  while (words >> word)
  {
    std::size_t used = 0;
    try
    {
      numbers.push_back(std::stod(word, &used));
    }
    catch (const std::exception &)
    {
    }
    if (used != word.size())
      return {};
  }
  return numbers;
}
} // namespace

void
Amplitude::add(const double time, const double value, const std::string &place)
{
  AssertThrow(std::isfinite(time) && std::isfinite(value),
              ExcMessage(place + ": time " + number_text(time) + " and value " +
                         number_text(value) + " must be finite."));
  AssertThrow(times.empty() || time > times.back(),
              ExcMessage(place + ": time " + number_text(time) + " is not above the time " +
                         number_text(times.back()) + " before it."));
  times.push_back(time);
  values.push_back(value);
}

Amplitude
Amplitude::from_list(const std::string &list, const std::string &name, const Constants &constants)
{
  Amplitude result;
  const std::string place = "Parameter '" + name + "': in '" + list + "'";
  for (const auto &entry : Utilities::split_string_list(list, ','))
  {
    const auto parts = Utilities::split_string_list(entry, ':');
    AssertThrow(parts.size() == 2, ExcMessage(place + ": '" + entry + "' is not 'time: value'."));
    result.add(evaluate(parts[0], name, constants), evaluate(parts[1], name, constants), place);
  }
  AssertThrow(!result.times.empty(), ExcMessage(place + " there is no entry."));
  return result;
}

Amplitude
Amplitude::from_file(const std::string &file)
{
  std::ifstream text(file);
  AssertThrow(text && text.peek() != std::ifstream::traits_type::eof(),
              ExcMessage("The amplitude file '" + file + "' is empty or cannot be read."));
  Amplitude result;
  std::string line;
  for (unsigned int n = 1; std::getline(text, line); ++n)
  {
    const std::string place = file + ", line " + std::to_string(n);
    const auto numbers = numbers_of(line.substr(0, line.find('#')));
    AssertThrow(numbers && (numbers->empty() || numbers->size() == 2),
                ExcMessage(place + ": '" + Utilities::trim(line) +
                           "' is not a time and a value; allowed are two numbers on each line, "
                           "and comments after a #."));
    if (!numbers->empty())
      result.add((*numbers)[0], (*numbers)[1], place);
  }
  AssertThrow(!result.times.empty(), ExcMessage("The amplitude file '" + file + "' has no entry."));
  return result;
}

double
Amplitude::value(const double time) const
{
  const auto after = std::upper_bound(times.begin(), times.end(), time);
  if (after == times.begin())
    return values.front();
  if (after == times.end())
    return values.back();
  const auto i = after - times.begin();
  const double share = (time - times[i - 1]) / (times[i] - times[i - 1]);
  return (1 - share) * values[i - 1] + share * values[i];
}

template <int dim>
ScaledFunction<dim>::ScaledFunction(std::shared_ptr<Function<dim>> function, Amplitude amplitude)
    : Function<dim>(function->n_components),
      function(std::move(function)),
      amplitude(std::move(amplitude))
{
}

template <int dim>
double
ScaledFunction<dim>::value(const Point<dim> &point, const unsigned int component) const
{
  return amplitude.value(this->get_time()) * function->value(point, component);
}

template <int dim>
void
ScaledFunction<dim>::set_time(const double time)
{
  Function<dim>::set_time(time);
  function->set_time(time);
}

void
declare_amplitude(ParameterHandler &prm, const std::string &what)
{
  prm.declare_entry("Amplitude", "", Patterns::Anything(),
                    "Times and values of a factor for '" + what +
                        "', '0: 0, 1: A/2, 3: A' with expressions of the constants: linear between "
                        "the times, which must ascend, and constant before and after them. "
                        "Units: time, none.");
  prm.declare_entry("Amplitude file", "", Patterns::FileName(),
                    "The same from a file with a time and a value on each line. The name is "
                    "relative to the parameter file.");
}

template <int dim>
std::shared_ptr<Function<dim>>
with_amplitude(ParameterHandler &prm, const std::string &section, const Constants &constants,
               std::shared_ptr<Function<dim>> function)
{
  const std::string list = prm.get("Amplitude"), file = prm.get("Amplitude file");
  AssertThrow(list.empty() || file.empty(),
              ExcMessage("'" + section + "/Amplitude' and '" + section +
                         "/Amplitude file' are both set; one of them is allowed."));
  if (list.empty() && file.empty())
    return function;
  return std::make_shared<ScaledFunction<dim>>(
      std::move(function), list.empty()
                               ? Amplitude::from_file(file)
                               : Amplitude::from_list(list, section + "/Amplitude", constants));
}

#define INSTANTIATE(dim)                                                                           \
  template class ScaledFunction<dim>;                                                              \
  template std::shared_ptr<Function<dim>> with_amplitude(                                          \
      ParameterHandler &, const std::string &, const Constants &, std::shared_ptr<Function<dim>>);
INSTANTIATE(2)
INSTANTIATE(3)
#undef INSTANTIATE

} // namespace KickDrift
