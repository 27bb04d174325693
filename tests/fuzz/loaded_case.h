#ifndef KICKDRIFT_TESTS_FUZZ_LOADED_CASE_H
#define KICKDRIFT_TESTS_FUZZ_LOADED_CASE_H

#include <kickdrift/cases/input/parameter_file.h>
#include <kickdrift/cases/parameters/case_parameters.h>

#include <vector>

/// A parameter file that has been read.
template <int dim>
struct LoadedCase
{
  /// Throws dealii::ExceptionBase if something is wrong with it.
  LoadedCase(const std::vector<KickDrift::Assignment> &assignments,
             const KickDrift::CaseOutline &outline)
  {
    KickDrift::CaseParameters<dim>::declare_parameters(prm, outline);
    KickDrift::check_names(assignments, prm);
    KickDrift::apply_known(assignments, prm, outline.constants);
    parameters.parse_parameters(prm, outline);
  }

  dealii::ParameterHandler prm;
  KickDrift::CaseParameters<dim> parameters;
};

#endif
