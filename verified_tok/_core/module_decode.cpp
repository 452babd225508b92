#include "bindings.h"

void vt::bind_decode(nanobind::module_&) {}
