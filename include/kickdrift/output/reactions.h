#ifndef KICKDRIFT_OUTPUT_REACTIONS_H
#define KICKDRIFT_OUTPUT_REACTIONS_H

#include <kickdrift/output/files.h>
#include <kickdrift/output/recorder.h>

namespace KickDrift
{
/// A named restraint: the nodes that it holds, and along which directions.
template <int spacedim>
struct Support
{
  std::string name;                                    ///< begins the names of its columns
  std::vector<unsigned int> nodes;                     ///< indices into the node table
  std::vector<dealii::Tensor<1, spacedim>> directions; ///< in which the nodes are held
};

/**
 * `reactions.csv`: what supports give to the bodies, a row per save time. For every support the
 * mean force over the interval that ends there, and the impulse since the start; contact impulses
 * on restrained nodes included.
 *
 * A node that several supports hold gets from each of them a force along that support's own
 * directions, which makes the shares unique; a direction that is held twice counts for the first.
 */
template <int spacedim>
class ReactionsRecorder : public Recorder<spacedim>
{
public:
  /// A vector in space.
  using Vector = dealii::Tensor<1, spacedim>;

  /// @p folder in which reactions.csv is written.
  ReactionsRecorder(const std::string &folder, const std::vector<Support<spacedim>> &supports,
                    const Opening opening = Opening::anew);

  void record(const Frame<spacedim> &frame) override;
  void serialize(Archive &archive) override;

private:
  /// Part of a node's reaction that belongs to a support.
  struct Share
  {
    unsigned int support;
    Vector direction; ///< unit vector
    Vector dual;      ///< size of the part along direction, by scalar product with the reaction
  };
  struct HeldNode
  {
    unsigned int node;
    std::vector<Share> shares;
  };

  void add_share(HeldNode &held, unsigned int support, const Vector &direction) const;

  std::vector<HeldNode> held_nodes; ///< ascending
  std::vector<Vector> last_impulse; ///< by support
  double last_time = 0;
  CsvFile file;
};
} // namespace KickDrift

#endif
