// Keeps the rules.
#ifndef KICKDRIFT_CONTACT_CONTACT_H
#define KICKDRIFT_CONTACT_CONTACT_H

// #include <kickdrift/cases/problem.h>
#include <kickdrift/common.h>

#include <deal.II/base/tensor.h>

#endif
