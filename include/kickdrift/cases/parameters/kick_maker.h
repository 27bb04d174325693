#ifndef KICKDRIFT_CASES_PARAMETERS_KICK_MAKER_H
#define KICKDRIFT_CASES_PARAMETERS_KICK_MAKER_H

#include <kickdrift/base/expressions.h>
#include <kickdrift/stepping/kicks/kicks.h>

#include <deal.II/base/parameter_handler.h>

#include <memory>
#include <string>
#include <vector>

namespace KickDrift
{
template <int dim, int spacedim>
class Body;

/**
 * Makes a family of kicks from parameters: springs, cables, or whatever else acts on the nodes of
 * the bodies of a case.
 *
 * Derive from it, and register the class with Registry<KickMaker<dim>> to use its name as
 * `Kicks/NAME/Family`. The library registers none. The parameters of all registered classes share
 * one subsection, so entries of the same name have to mean the same. Texts of parameters may be
 * expressions of constants: keep them as they are in parse_parameters() and evaluate them in
 * make().
 */
template <int dim>
class KickMaker
{
public:
  virtual ~KickMaker() = default;

  /// Declare the parameters in the current subsection.
  static void
  declare_parameters(dealii::ParameterHandler &)
  {
  }
  /// Read the parameters from the current subsection.
  virtual void
  parse_parameters(dealii::ParameterHandler &)
  {
  }

  /**
   * The family, whose kicks get clocks of their own by their critical steps.
   *
   * @param section name of the subsection, for messages: "Kicks/net"
   * @param bodies of the case, with their nodes in the table
   * @param nodes with masses and initial state
   *
   * Throws dealii::ExceptionBase that names the parameter that is wrong.
   */
  virtual std::shared_ptr<Kicks<dim>> make(const std::string &section, const Constants &constants,
                                           const std::vector<const Body<dim, dim> *> &bodies,
                                           const NodeTable<dim> &nodes) const = 0;
};

/// Subsection Kicks/NAME.
template <int dim>
struct KickParameters
{
  std::string name;                            ///< NAME of the section
  std::shared_ptr<const KickMaker<dim>> maker; ///< of the registered class that 'Family' names

  /// Declare the parameters in the current subsection.
  static void declare_parameters(dealii::ParameterHandler &prm);

  /// Throws dealii::ExceptionBase if no family was registered.
  void parse_parameters(dealii::ParameterHandler &prm);
};
} // namespace KickDrift

#endif
