// The extension module `verified_tok._core._native`.
#include "bindings.h"

NB_MODULE(_native, module) {
  nanobind::set_leak_warnings(false);  // objects in global variables live until the interpreter ends
  vt::bind_image(module);
  vt::bind_model(module);
  vt::bind_text_array(module);
  vt::bind_engine(module);
  vt::bind_split(module);
  vt::bind_text(module);
  vt::bind_decode(module);
  vt::bind_session(module);
  vt::bind_parallel(module);
  vt::bind_view(module);
  vt::bind_scan(module);
}
