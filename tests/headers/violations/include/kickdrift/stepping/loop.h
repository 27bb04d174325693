// Breaks the rules, for a test of contrib/check_includes.py.
#ifndef KICKDRIFT_LOOP_H
#define KICKDRIFT_LOOP_H

#include <kickdrift/contact/contact.h>
#include <kickdrift/nodes/missing.h>

#include <deal.II/base/tensor.h>

#include <deal.II/grid/tria.h>

#endif
