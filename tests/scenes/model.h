// A scene as a model of the library.
#ifndef KICKDRIFT_TESTS_SCENES_MODEL_H
#define KICKDRIFT_TESTS_SCENES_MODEL_H

#include "scenes/oracle/skin.h"

#include <memory>
#include <string>

namespace Scenes
{
template <int dim>
class Model
{
public:
  /// @param skin of the scene; both must outlive the model
  Model(const Scene<dim> &scene, const Skin<dim> &skin, bool with_contact, double step_share = 1);
  ~Model();

  /// Throws what the library throws.
  void start();

  /// When what has been due next will be due; all vertices fly straight until then [time].
  double next_time() const;

  void advance_to(double time);

  /// Of all vertices, in the order of the scene [length].
  std::vector<Vec<dim>> positions() const;

  /// The same of what they fly on with [length/time].
  std::vector<Vec<dim>> velocities() const;

  /// Of the pieces, by number of momentum [mass*length/time]. Between kicks the momentum of nodes
  /// is what kicks and contacts have given so far; those of cells add up to zero.
  std::vector<Vec<dim>> momenta() const;

  /// Angular momentum of all about the origin; of rigid bodies only [mass*length^2/time].
  Vec<3> angular_momentum() const;

  struct Energies
  {
    double mechanical; ///< kinetic and strain, less the work of loads and drives [energy]
    double total;      ///< the library's balance [energy]
  };
  Energies energies();

  /// What contact has given to a node so far, and the part of friction in it
  /// [mass*length/time].
  struct Impulse
  {
    Vec<dim> all, friction;
  };

  /// Of all vertices, in the order of the scene.
  std::vector<Impulse> impulses() const;

  std::uint64_t n_collisions() const;

  /// Mass of all that is free [mass].
  double mass() const;

  /// The longest step that a kick has [time].
  double longest_step() const;

private:
  struct Members;
  std::unique_ptr<Members> m;
};
} // namespace Scenes

#endif
