# The headers that programs may include, see doc/interface.md. Only these are installed, and those
# that they include themselves.
set(KICKDRIFT_PUBLIC_HEADERS
    base/archive.h
    base/plugin.h
    base/registry.h
    cases/parameters/kick_maker.h
    cases/parameters/obstacle_parameters.h
    cases/program.h
    contact/contact_exceptions.h
    contact/contact_method.h
    contact/geometry/obstacles.h
    contact/initial_overlap.h
    contact/parameters.h
    contact/response/pairs.h
    contact/response/statistics.h
    deal_ii/body.h
    deal_ii/dynamic_body.h
    deal_ii/dynamics.h
    deal_ii/dynamics_exceptions.h
    deal_ii/load_shares.h
    deal_ii/mesh_transfer.h
    deal_ii/rigid_mass.h
    deal_ii/shell.h
    deal_ii/ties.h
    meshes/hanging_nodes.h
    meshes/mesh.h
    meshes/mesh_names.h
    nodes/node_table.h
    nodes/restraints.h
    nodes/rigid_bodies.h
    parallel/ranks.h
    potentials/cells/kicks_at_points.h
    potentials/cells/strain_kicks.h
    potentials/loads/body_load.h
    potentials/loads/damping.h
    potentials/loads/dashpots.h
    potentials/loads/loads.h
    potentials/materials/built_in_materials.h
    potentials/materials/history_material.h
    potentials/materials/material.h
    potentials/materials/plasticity.h
    potentials/materials/prestressed.h
    potentials/materials/template_history_material.h
    potentials/materials/template_material.h
    potentials/shells/shell_section.h
    potentials/simple_kicks.h
    potentials/springs.h
    stepping/clocks/stepper_exceptions.h
    stepping/clocks/stepper_parameters.h
    stepping/clocks/time_levels.h
    stepping/energy_audit.h
    stepping/kicks/energy_balance.h
    stepping/kicks/kicks.h
    stepping/stepper.h)

# Headers that are reached from some of include/kickdrift, relative to that folder.
function(kickdrift_reached_headers result)
  set(open ${ARGN})
  set(reached)
  while(open)
    list(POP_FRONT open header)
    if(header IN_LIST reached)
      continue()
    endif()
    list(APPEND reached ${header})
    file(STRINGS ${PROJECT_SOURCE_DIR}/include/kickdrift/${header} lines REGEX "^ *#include <kickdrift/")
    foreach(line ${lines})
      string(REGEX REPLACE ".*<kickdrift/([^>]*)>.*" "\\1" included "${line}")
      list(APPEND open ${included})
    endforeach()
  endwhile()
  set(${result} ${reached} PARENT_SCOPE)
endfunction()
