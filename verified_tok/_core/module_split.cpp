#include "bindings.h"

void vt::bind_split(nanobind::module_&) {}
