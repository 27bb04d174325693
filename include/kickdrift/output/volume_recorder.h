#ifndef KICKDRIFT_OUTPUT_VOLUME_RECORDER_H
#define KICKDRIFT_OUTPUT_VOLUME_RECORDER_H

#include <kickdrift/output/files.h>
#include <kickdrift/output/recorder.h>
#include <kickdrift/output/vtu_file.h>
#include <kickdrift/potentials/shells/shell_resultants.h>

#include <deal.II/base/exceptions.h>
#include <deal.II/base/symmetric_tensor.h>
#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/mapping.h>
#include <deal.II/lac/vector.h>

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace KickDrift
{
/**
 * What VolumeRecorder has to know about a body: its mesh, and functions that fill its fields.
 * Functions that are left empty mean: this body has no such field (written as zero).
 */
template <int dim, int spacedim = dim>
struct VolumeBody
{
  /// Writes a field of the nodes into a vector, by degree of freedom.
  using OfNodes = std::function<void(const NodeTable<spacedim> &, dealii::Vector<double> &)>;
  /// Gives the value of an active cell.
  template <typename Value>
  using OfCell = std::function<Value(const NodeTable<spacedim> &, unsigned int active_cell_index)>;

  /// With a linear element of spacedim components; must outlive the recorder, as must the mapping.
  const dealii::DoFHandler<dim, spacedim> *dof_handler = nullptr;
  const dealii::Mapping<dim, spacedim> *mapping = nullptr; ///< of the reference configuration

  /// Active cells that are written here, ascending; none given: all. No others are asked for.
  std::optional<std::vector<unsigned int>> cells;

  OfNodes displacement; ///< [length]
  OfNodes velocity;     ///< [length/time]
  /// Cauchy stress; in plane strain with its zz component [energy/length^3].
  OfCell<dealii::SymmetricTensor<2, 3>> stress;
  OfCell<double> time_step;           ///< current [time]
  OfCell<ShellResultants> resultants; ///< of shells, in place of stress
  /// What else there is, by name: none that VolumeRecorder gives to a field of its own.
  std::map<std::string, OfCell<double>> cell_numbers;
};

/// Which of the pieces into which processes divide a picture.
struct VtuPiece
{
  unsigned int number = 0;   ///< of this one; who writes piece 0 writes also what joins them
  unsigned int n_pieces = 1; ///< 1: a picture is a file
};

/**
 * `solution.pvd` and, in the folder `solution`, one file for each save time: the deformed bodies,
 * cells sharing their nodes, with the fields displacement (from the reference configuration) and
 * velocity of nodes and stress (a tensor), its components stress_xx ..., von_mises, time_step, body
 * (its number) and material_id (an integer) of cells, and what bodies have besides. Bodies of
 * different dimension (solids and shells) share one series, in files of their own; the stress of
 * shells is that of the middle surface, and they have force_xx ..., moment_xx ..., curvature_xx ...
 * (see ShellResultants) and thickness besides.
 *
 * Several processes may write a picture in pieces: solution_000012.0.vtu, solution_000012.1.vtu,
 * ... and solution_000012.pvtu, which names them.
 */
template <int spacedim>
class VolumeRecorder : public Recorder<spacedim>
{
public:
  /// A number of cells would be hidden by another one.
  DeclException1(ExcCommonField, std::string,
                 << "VolumeBody::cell_numbers has the name '" << arg1
                 << "', under which the volume output writes something else of all bodies; choose "
                    "another name.");

  /// Write every @p every -th frame, beginning with frame 0.
  VolumeRecorder(const std::string &folder, const unsigned int every = 1,
                 const VtuPiece &piece = {});

  /// Add a body; bodies are numbered in this order. Throws ExcMessage unless its element is linear
  /// and has spacedim components, and ExcCommonField if one of its cell_numbers has the name of a
  /// field that all bodies have, such as "stress" or "material_id". Instantiated for dim = spacedim
  /// and dim = spacedim-1.
  template <int dim>
  void add_body(const VolumeBody<dim, spacedim> &body);

  void record(const Frame<spacedim> &frame) override;
  void serialize(Archive &archive) override;

private:
  /// What is written into one file: bodies of the same dimension.
  struct Picture
  {
    unsigned int dim; ///< of the bodies
    VtuGrid grid;
    std::vector<VtuField> point_fields, cell_fields;
    /// Append the fields of each body.
    std::vector<std::function<void(const Frame<spacedim> &, Picture &)>> bodies;
  };

  Picture &picture_of(unsigned int dim);
  /// Write a picture, or a piece of it. Returns the name of the whole, relative to the folder.
  std::string write(const Picture &picture, const Frame<spacedim> &frame, unsigned int part) const;

  std::string folder;
  unsigned int every;
  VtuPiece piece;
  unsigned int n_bodies = 0;
  PvdFile pvd;
  std::vector<Picture> pictures;
};
} // namespace KickDrift

#endif
