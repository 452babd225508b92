#include "bindings.h"

void vt::bind_engine(nanobind::module_&) {}
