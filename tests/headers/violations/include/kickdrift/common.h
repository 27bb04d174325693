// Breaks the rules: headers at the top level know no room.
#ifndef KICKDRIFT_COMMON_H
#define KICKDRIFT_COMMON_H

#include <kickdrift/contact/contact.h>

#endif
