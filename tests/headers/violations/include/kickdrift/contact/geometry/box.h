// Breaks the rules: geometry knows no search, though both are rooms of contact.
#ifndef KICKDRIFT_CONTACT_GEOMETRY_BOX_H
#define KICKDRIFT_CONTACT_GEOMETRY_BOX_H

#include <kickdrift/contact/search/tree.h>

#endif
