// Counts what the threads of the kernels do: it is compiled together with the emulator, and the compiler calls these
// functions where any other begins.
#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#define NOT_COUNTED __attribute__((no_instrument_function))

namespace {

constexpr int no_kind = -1, of_thread = -2, of_other_kernel = -3;

struct Counts {
  std::vector<std::string> kinds;  // of functions: their names
  std::unordered_map<void*, int> kind_of;
  std::vector<uint32_t> rows;  // a thread after the other, its number of calls of each kind
  bool in_thread = false;
};

Counts* counts = nullptr;
bool busy = true;  // nothing is counted yet; and what counts is not counted itself

NOT_COUNTED int kind_of(const Counts& all, void* function) {
  Dl_info info;
  if (dladdr(function, &info) == 0 || info.dli_sname == nullptr) return no_kind;
  const std::string symbol = info.dli_sname;
  if (symbol.rfind("encode_parts", 0) == 0) return of_thread;
  if (symbol.rfind("_Z", 0) != 0) return of_other_kernel;
  char* plain = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr);
  const std::string name = plain == nullptr ? "" : plain;
  std::free(plain);
  for (size_t k = 0; k < all.kinds.size(); ++k) {
    if (name.rfind("vt::" + all.kinds[k] + "(", 0) == 0) return static_cast<int>(k);
  }
  return no_kind;
}

}  // namespace

extern "C" {

NOT_COUNTED void __cyg_profile_func_enter(void* function, void*) {
  if (busy) return;
  busy = true;
  Counts& all = *counts;
  const auto [found, is_new] = all.kind_of.try_emplace(function, no_kind);
  if (is_new) found->second = kind_of(all, function);
  const int kind = found->second;
  if (kind == of_thread) all.rows.resize(all.rows.size() + all.kinds.size());
  if (kind <= of_thread) all.in_thread = kind == of_thread;
  if (kind >= 0 && all.in_thread) ++all.rows[all.rows.size() - all.kinds.size() + static_cast<size_t>(kind)];
  busy = false;
}

NOT_COUNTED void __cyg_profile_func_exit(void*, void*) {}

// What is counted from now on.
NOT_COUNTED void work_count(const char* const* names, uint64_t count) {
  counts = new Counts;
  counts->kinds.assign(names, names + count);
  busy = false;
}

// The threads of `encode_parts` that ran, and their counts.
NOT_COUNTED uint64_t work_threads() {
  busy = true;
  const uint64_t threads = counts->rows.size() / counts->kinds.size();
  busy = false;
  return threads;
}
NOT_COUNTED void work_take(uint32_t* to) {
  busy = true;
  std::memcpy(to, counts->rows.data(), counts->rows.size() * sizeof(uint32_t));
  counts->rows.clear();
  busy = false;
}
}
