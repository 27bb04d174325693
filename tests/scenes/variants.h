// The same scene seen otherwise: contact must not notice.
#ifndef KICKDRIFT_TESTS_SCENES_VARIANTS_H
#define KICKDRIFT_TESTS_SCENES_VARIANTS_H

#include "scenes/run.h"

namespace Scenes
{
/// Turn everything about the origin.
template <int dim>
void turn(Scene<dim> &scene, const Frame<dim> &frame);

/// Names of the variants: turned, shifted, reversed, units.
std::vector<std::string> variant_names();

/// A variant of a scene, and how to compare it.
template <int dim>
struct Variant
{
  Scene<dim> scene;
  Frame<dim> frame = no_rotation<dim>(); ///< that it is turned by
  Vec<dim> shift;                        ///< then [length, old units]
  double length = 1, time = 1, mass = 1; ///< sizes of old units in new ones
  bool is_reversed = false;              ///< bodies in the opposite order
};

/// Throws std::invalid_argument for unknown names.
template <int dim>
Variant<dim> make_variant(const Scene<dim> &scene, const std::string &name);

/**
 * What differs between the outcomes of a scene and a variant; empty if nothing does.
 * @param change gets the largest difference of the pieces' final momenta, relative to the momentum
 * scale
 */
template <int dim>
std::string compare(const Scene<dim> &scene, const Outcome<dim> &outcome,
                    const Variant<dim> &variant, const Outcome<dim> &other, double &change);
} // namespace Scenes

#endif
