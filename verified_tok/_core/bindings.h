// What each file of bindings adds to the extension module.
#pragma once

#include <nanobind/nanobind.h>

namespace vt {

void bind_image(nanobind::module_& module);    // module_image.cpp
void bind_model(nanobind::module_& module);    // module_model.cpp
void bind_engine(nanobind::module_& module);   // module_engine.cpp
void bind_split(nanobind::module_& module);    // module_split.cpp
void bind_text(nanobind::module_& module);     // module_text.cpp
void bind_text_array(nanobind::module_& module);  // module_text_array.cpp
void bind_decode(nanobind::module_& module);   // module_decode.cpp
void bind_session(nanobind::module_& module);  // module_session.cpp
void bind_parallel(nanobind::module_& module);  // module_parallel.cpp
void bind_view(nanobind::module_& module);      // module_view.cpp
void bind_scan(nanobind::module_& module);      // module_scan.cpp

}  // namespace vt
