#include <kickdrift/base/archive.h>
#include <kickdrift/nodes/motion_sums.h>
#include <kickdrift/output/histories.h>

#include <algorithm>
#include <map>
#include <set>

namespace KickDrift
{
using dealii::Point;
using dealii::Tensor;

namespace
{
constexpr const char *axes[] = {"x", "y", "z"};

template <int spacedim>
Tensor<1, spacedim>
reference_centre(const NodeTable<spacedim> &nodes)
{
  Tensor<1, spacedim> first_moment;
  double mass = 0;
  for (unsigned int i = 0; i < nodes.size(); ++i)
  {
    first_moment += nodes.mass(i) * nodes.reference(i);
    mass += nodes.mass(i);
  }
  return mass > 0 ? first_moment / mass : first_moment;
}

template <int n>
CsvRow &
operator<<(CsvRow &row, const Tensor<1, n> &components)
{
  for (unsigned int d = 0; d < n; ++d)
    row << components[d];
  return row;
}

template <int spacedim>
std::vector<std::string>
probe_columns(const std::vector<Probe> &probes, const std::vector<ProbedField<spacedim>> &fields)
{
  std::vector<std::string> columns = {"time"};
  std::set<std::string> names;
  for (const auto &probe : probes)
  {
    AssertThrow(!probe.nodes.empty(),
                dealii::ExcMessage("The probe '" + probe.name + "' contains no nodes."));
    AssertThrow(names.insert(probe.name).second,
                dealii::ExcMessage("There are two probes named '" + probe.name + "'."));
    for (const char *field : {"_displacement_", "_velocity_"})
      for (unsigned int d = 0; d < spacedim; ++d)
        columns.push_back(probe.name + field + axes[d]);
  }
  for (const auto &field : fields)
    columns.push_back(field.column);
  return columns;
}

/// The number that a probe records of many.
double
value_of(const Statistic statistic, const std::vector<double> &values,
         const std::vector<double> &weights)
{
  if (statistic == Statistic::min)
    return *std::min_element(values.begin(), values.end());
  if (statistic == Statistic::max)
    return *std::max_element(values.begin(), values.end());
  double sum = 0, weight = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    const double w = weights.empty() ? 1. : weights[i];
    sum += w * values[i];
    weight += w;
  }
  return sum / weight;
}

template <int spacedim>
std::vector<std::string>
body_columns(const std::vector<std::string> &names)
{
  std::vector<std::string> columns = {"time", "body"};
  for (const char *field : {"center_", "velocity_"})
    for (unsigned int d = 0; d < spacedim; ++d)
      columns.push_back(std::string(field) + axes[d]);
  columns.insert(columns.end(), {"kinetic_energy", "strain_energy"});
  for (const std::string &name : names)
    columns.push_back("largest_" + name);
  return columns;
}

template <int spacedim>
std::vector<std::string>
contact_columns()
{
  std::vector<std::string> columns = {"time", "first", "second"};
  for (const char *field : {"force_", "impulse_"})
    for (unsigned int d = 0; d < spacedim; ++d)
      columns.push_back(std::string(field) + axes[d]);
  columns.push_back("collisions");
  return columns;
}
} // namespace

template <int spacedim>
std::vector<std::string>
StatisticsRecorder<spacedim>::columns()
{
  std::vector<std::string> names = {"time",          "kinetic_energy",  "strain_energy",
                                    "external_work", "prescribed_work", "restitution_loss",
                                    "friction_loss", "contact_energy",  "hourglass_energy",
                                    "total_energy",  "energy_error"};
  for (unsigned int d = 0; d < spacedim; ++d)
    names.push_back(std::string("momentum_") + axes[d]);
  for (unsigned int d = (spacedim == 3 ? 0 : 2); d < 3; ++d)
    names.push_back(std::string("angular_momentum_") + axes[d]);
  names.insert(names.end(),
               {"strain_kicks", "collision_tests", "collisions", "max_penetration", "damping_loss",
                "projection_work", "contact_ripple", "layer_energy", "plastic_work", "viscous_loss",
                "dashpot_loss", "eroded_energy", "deleted_cells"});
  return names;
}

template <int spacedim>
StatisticsRecorder<spacedim>::StatisticsRecorder(const std::string &folder, const Opening opening)
    : file(folder + "/statistics.csv", columns(), opening)
{
}

template <int spacedim>
void
StatisticsRecorder<spacedim>::record(const Frame<spacedim> &frame)
{
  const auto &nodes = frame.nodes;
  const Tensor<1, spacedim> centre = reference_centre(nodes);
  const MotionSums<spacedim> sums = motion_sums(nodes, 0, nodes.size(), centre);

  const EnergyBalance &energy = frame.balance;
  CsvRow row;
  row << frame.time << energy.kinetic << energy.strain << energy.external_work
      << energy.prescribed_work << energy.restitution_loss << energy.friction_loss
      << energy.contact_energy << energy.hourglass << energy.total() << frame.energy_error
      << sums.momentum;
  for (unsigned int d = (spacedim == 3 ? 0 : 2); d < 3; ++d)
    row << sums.angular_momentum[d];
  row << frame.strain_kicks << frame.contact.tests << frame.contact.collisions
      << frame.contact.max_penetration << energy.damping_loss << frame.contact.projection_work
      << energy.contact_ripple << energy.layer_energy << energy.plastic_work << energy.viscous_loss
      << energy.dashpot_loss << energy.eroded_energy << frame.deleted_cells;
  file.write(row);
}

template <int spacedim>
ProbesRecorder<spacedim>::ProbesRecorder(const std::string &folder,
                                         const std::vector<Probe> &probes, const Opening opening,
                                         std::vector<ProbedField<spacedim>> more)
    : probes(probes),
      fields(std::move(more)),
      file(folder + "/probes.csv", probe_columns<spacedim>(probes, fields), opening)
{
}

template <int spacedim>
void
ProbesRecorder<spacedim>::record(const Frame<spacedim> &frame)
{
  CsvRow row;
  row << frame.time;
  for (const auto &probe : probes)
  {
    Tensor<1, spacedim> displacement, velocity;
    for (const unsigned int node : probe.nodes)
    {
      displacement += frame.nodes.displacement(node);
      velocity += frame.nodes.velocity(node);
    }
    const double n_nodes = probe.nodes.size();
    row << displacement / n_nodes << velocity / n_nodes;
  }
  std::vector<double> values;
  for (const auto &field : fields)
  {
    field.values(frame.nodes, values);
    row << value_of(field.statistic, values, field.weights);
  }
  file.write(row);
}

template <int spacedim>
BodiesRecorder<spacedim>::BodiesRecorder(const std::string &folder,
                                         const std::vector<RecordedBody<spacedim>> &bodies,
                                         const Opening opening,
                                         const std::vector<std::string> &names)
    : bodies(bodies),
      n_numbers(names.size()),
      file(folder + "/bodies.csv", body_columns<spacedim>(names), opening)
{
}

template <int spacedim>
void
BodiesRecorder<spacedim>::record(const Frame<spacedim> &frame)
{
  const auto &nodes = frame.nodes;
  for (const auto &body : bodies)
  {
    const unsigned int end = body.first_node + body.n_nodes;
    const auto sums = body.fractions.empty() ? motion_sums(nodes, body.first_node, end)
                                             : motion_sums(nodes, body.fractions);
    double strain_energy = 0;
    for (const auto &family : body.families)
    {
      const EnergyBalance &energies = frame.of_families.at(family.get());
      strain_energy += energies.strain + energies.hourglass;
    }
    CsvRow row;
    row << frame.time << body.name << sums.first_moment / sums.mass << sums.momentum / sums.mass
        << sums.kinetic << strain_energy;
    const auto largest = body.largest ? body.largest(nodes) : std::vector<double>(n_numbers, 0.);
    AssertDimension(largest.size(), n_numbers);
    for (const double number : largest)
      row << number;
    file.write(row);
  }
}

template <int spacedim>
ContactRecorder<spacedim>::ContactRecorder(const std::string &folder,
                                           std::function<ContactPairs<spacedim>()> pairs,
                                           const Opening opening)
    : pairs_at_present(std::move(pairs)),
      file(folder + "/contact.csv", contact_columns<spacedim>(), opening)
{
}

template <int spacedim>
void
ContactRecorder<spacedim>::record(const Frame<spacedim> &frame)
{
  const ContactPairs<spacedim> pairs = pairs_at_present();
  const auto &names = pairs.names();
  const double interval = frame.time - previous_time;
  std::map<Pair, Tensor<1, spacedim>> impulses;
  for (const auto &[a, b] : pairs.touched())
  {
    const ContactPair<spacedim> pair = pairs(a, b);
    const Tensor<1, spacedim> impulse = pair.impulse;
    const auto before = previous_impulses.find({a, b});
    const Tensor<1, spacedim> change =
        before == previous_impulses.end() ? impulse : impulse - before->second;
    CsvRow row;
    row << frame.time << names[a] << names[b]
        << (interval > 0 ? change / interval : Tensor<1, spacedim>()) << impulse << pair.collisions;
    file.write(row);
    impulses.emplace(Pair(a, b), impulse);
  }
  previous_impulses = std::move(impulses);
  previous_time = frame.time;
}

template <int spacedim>
void
StatisticsRecorder<spacedim>::serialize(Archive &archive)
{
  archive(file);
}

template <int spacedim>
void
ProbesRecorder<spacedim>::serialize(Archive &archive)
{
  archive(file);
}

template <int spacedim>
void
BodiesRecorder<spacedim>::serialize(Archive &archive)
{
  archive(file);
}

template <int spacedim>
void
ContactRecorder<spacedim>::serialize(Archive &archive)
{
  std::vector<std::pair<Pair, Tensor<1, spacedim>>> impulses(previous_impulses.begin(),
                                                             previous_impulses.end());
  archive(file, previous_time, impulses);
  previous_impulses = {impulses.begin(), impulses.end()};
}

template class ContactRecorder<2>;
template class ContactRecorder<3>;
template class StatisticsRecorder<2>;
template class StatisticsRecorder<3>;
template class ProbesRecorder<2>;
template class ProbesRecorder<3>;
template class BodiesRecorder<2>;
template class BodiesRecorder<3>;
} // namespace KickDrift
