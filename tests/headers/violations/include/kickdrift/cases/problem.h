// Keeps the rules.
#ifndef KICKDRIFT_CASES_PROBLEM_H
#define KICKDRIFT_CASES_PROBLEM_H

#include <kickdrift/contact/contact.h>

#include <deal.II/grid/tria.h>

#endif
