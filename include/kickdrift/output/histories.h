#ifndef KICKDRIFT_OUTPUT_HISTORIES_H
#define KICKDRIFT_OUTPUT_HISTORIES_H

#include <kickdrift/contact/response/pairs.h>
#include <kickdrift/output/files.h>
#include <kickdrift/output/recorder.h>

#include <functional>
#include <map>
#include <memory>
#include <utility>

namespace KickDrift
{
/**
 * `statistics.csv`: the energy balance, momenta and counts, a row per save time.
 *
 * Angular momentum is taken about a fixed point: the centre of mass of the reference positions of
 * all nodes. About the origin, a body far from it would lose its spin to round-off. In two
 * dimensions only the z component of the angular momentum exists, and no z component of the
 * momentum.
 */
template <int spacedim>
class StatisticsRecorder : public Recorder<spacedim>
{
public:
  /// Names of the columns, in order.
  static std::vector<std::string> columns();

  /// @p folder in which statistics.csv is written.
  StatisticsRecorder(const std::string &folder, const Opening opening = Opening::anew);

  void record(const Frame<spacedim> &frame) override;
  void serialize(Archive &archive) override;

private:
  CsvFile file;
};

/// A named set of nodes.
struct Probe
{
  std::string name;                ///< begins the names of its columns
  std::vector<unsigned int> nodes; ///< indices into the node table, not empty
};

/// What of many values is recorded.
enum class Statistic
{
  mean, ///< average
  min,  ///< smallest
  max   ///< largest
};

/// Numbers of many nodes or cells, of which a probe records one at each save time.
template <int spacedim>
struct ProbedField
{
  std::string column;  ///< its name
  Statistic statistic; ///< of the numbers
  /// The numbers, at least one, for nodes that are all at one time.
  std::function<void(const NodeTable<spacedim> &, std::vector<double> &)> values;
  std::vector<double> weights = {}; ///< in means; empty: all have the same
};

/**
 * `probes.csv`: displacement and velocity of probes, plain averages over their nodes, a row per
 * save time; then columns of further fields.
 */
template <int spacedim>
class ProbesRecorder : public Recorder<spacedim>
{
public:
  /// Throws ExcMessage if a probe has no nodes or two have the same name.
  ProbesRecorder(const std::string &folder, const std::vector<Probe> &probes,
                 const Opening opening = Opening::anew,
                 std::vector<ProbedField<spacedim>> fields = {});

  void record(const Frame<spacedim> &frame) override;
  void serialize(Archive &archive) override;

private:
  std::vector<Probe> probes;
  std::vector<ProbedField<spacedim>> fields;
  CsvFile file;
};

/// What BodiesRecorder has to know about a body.
template <int spacedim>
struct RecordedBody
{
  std::string name;        ///< name of the body
  unsigned int first_node; ///< its nodes are consecutive
  unsigned int n_nodes;    ///< number of its nodes
  /// Families that hold its strain energy, with that of hourglass control.
  std::vector<std::shared_ptr<const Kicks<spacedim>>> families;
  /// Largest values in the body of what BodiesRecorder was given names of, for nodes that are all
  /// at one time, not-a-number where it has none; may be empty: zeros.
  std::function<std::vector<double>(const NodeTable<spacedim> &)> largest = {};
  /// Nodes with the fraction of their masses that is of this body [-], see Body::mass_fractions();
  /// empty: all of the mass of its own nodes.
  std::vector<std::pair<unsigned int, double>> fractions;
};

/**
 * `bodies.csv`: centre of mass, its velocity, kinetic and strain energy, and largest_NAME of
 * numbers that bodies have besides, a row per save time and body.
 */
template <int spacedim>
class BodiesRecorder : public Recorder<spacedim>
{
public:
  /// @p folder in which bodies.csv is written.
  /// @param names of the numbers that RecordedBody::largest gives
  BodiesRecorder(const std::string &folder, const std::vector<RecordedBody<spacedim>> &bodies,
                 const Opening opening = Opening::anew, const std::vector<std::string> &names = {});

  void record(const Frame<spacedim> &frame) override;
  void serialize(Archive &archive) override;

private:
  std::vector<RecordedBody<spacedim>> bodies;
  std::size_t n_numbers;
  CsvFile file;
};

/**
 * `contact.csv`: a row per save time and pair of bodies or obstacles that has touched: `time,
 * first, second, force_x ..., impulse_x ...`, what the first got from the second. The impulse is
 * accumulated since the start [mass*length/time]; the force is its mean rate since the row before.
 * Collisions are the impulses so far that were given one by one.
 */
template <int spacedim>
class ContactRecorder : public Recorder<spacedim>
{
public:
  /// @param pairs gives all pairs at a save time, see Contact::synchronised_pairs()
  ContactRecorder(const std::string &folder, std::function<ContactPairs<spacedim>()> pairs,
                  const Opening opening = Opening::anew);

  void record(const Frame<spacedim> &frame) override;
  void serialize(Archive &archive) override;

private:
  const std::function<ContactPairs<spacedim>()> pairs_at_present;
  CsvFile file;
  double previous_time = 0;
  using Pair = std::pair<unsigned int, unsigned int>; ///< first, second
  std::map<Pair, dealii::Tensor<1, spacedim>> previous_impulses;
};
} // namespace KickDrift

#endif
