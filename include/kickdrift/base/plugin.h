#ifndef KICKDRIFT_BASE_PLUGIN_H
#define KICKDRIFT_BASE_PLUGIN_H

#include <kickdrift/base/registry.h>

#include <deal.II/base/config.h>

#ifndef KICKDRIFT_PACKAGE
#error "KICKDRIFT_PACKAGE is not defined: link the target to KickDrift::kickdrift with CMake."
#endif

#define KICKDRIFT_TEXT_OF(value) #value
#define KICKDRIFT_TEXT(value) KICKDRIFT_TEXT_OF(value)

/// What a program and the libraries that it loads must have in common: KickDrift and its flavour,
/// deal.II, and how long its vectors are. Between releases, objects look different in memory.
#define KICKDRIFT_BUILD                                                                            \
  KICKDRIFT_PACKAGE ", deal.II " DEAL_II_PACKAGE_VERSION                                           \
                    ", vectors of " KICKDRIFT_TEXT(DEAL_II_VECTORIZATION_WIDTH_IN_BITS) " bits"

/// Seen from outside, whatever the default of the project is.
#define KICKDRIFT_EXPORT __attribute__((visibility("default")))

/**
 * Makes a shared library a plugin, which programs load if 'Additional shared libraries' in a
 * parameter file names it. The macro stands once in the library, in front of a block that registers
 * what the library brings:
 *
 * @code
 *   KICKDRIFT_PLUGIN
 *   {
 *     using namespace KickDrift;
 *     Registry<Material<3>>::add<MooneyRivlin>("Mooney-Rivlin", "rubber, with c10 and c01.");
 *   }
 * @endcode
 *
 * The text tells a program, before it runs anything of the library, for what the library was built.
 */
#define KICKDRIFT_PLUGIN                                                                           \
  extern "C"                                                                                       \
  {                                                                                                \
    extern KICKDRIFT_EXPORT const char kickdrift_plugin_build[];                                   \
    const char kickdrift_plugin_build[] = "KickDrift plugin for {" KICKDRIFT_BUILD "}";            \
    KICKDRIFT_EXPORT void kickdrift_register_plugin();                                             \
  }                                                                                                \
  void kickdrift_register_plugin()

#endif
