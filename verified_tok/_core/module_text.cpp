#include "bindings.h"

void vt::bind_text(nanobind::module_&) {}
