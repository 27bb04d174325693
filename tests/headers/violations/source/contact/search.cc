// Breaks the rules.
#include <kickdrift/cases/problem.h>

#include "../attic/old.h"
