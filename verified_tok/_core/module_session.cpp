#include "bindings.h"

void vt::bind_session(nanobind::module_&) {}
