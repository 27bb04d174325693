#ifndef KICKDRIFT_CONTACT_LAYERS_LAYER_PARAMETERS_H
#define KICKDRIFT_CONTACT_LAYERS_LAYER_PARAMETERS_H

namespace KickDrift
{
/// Which potentials penalty layers have, see LayerProfile.
enum class LayerShape
{
  cubic,    ///< smooth where it begins; each layer four times as stiff as the one before
  quadratic ///< with a kink where it begins, as in Vouga et al. (2011), for comparison
};

/// Penalty layers around surfaces.
struct LayerParameters
{
  /// Half the distance eta at which the first layer begins, and half its thickness; 0: eta is a
  /// sixth of the shortest edge of a face, for shells half their thickness if that is more, and
  /// layers, unless their stiffness is given, are as thick as the speed asks for with which two
  /// bodies come near each other [length].
  double thickness = 0;
  /// Step of a layer over its critical step, between two meshes [-]; twice that at obstacles.
  double ratio = 0.125;
  /// Stiffness k of the first layer; 0: such that its step is that of the cells [force/length].
  double stiffness = 0;
  LayerShape shape = LayerShape::cubic; ///< of the potentials
  /// Step classes that layers may have below the finest one of the cells; a pair that needs more
  /// stops the run.
  unsigned int depth = 20;
};
} // namespace KickDrift

#endif
