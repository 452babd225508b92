// The vector instructions that are used here: those that this machine has, and that VERIFIED_TOK_SIMD ("avx2", "none") does not
// forbid.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__CUDACC__)
#define VT_SIMD 1

#include <cstdlib>
#include <cstring>

#include <immintrin.h>

namespace vt {

struct Simd {
  bool avx2;
  bool avx512bw;
  bool avx512vbmi2;
};

inline Simd simd_here() {
  const char* most = std::getenv("VERIFIED_TOK_SIMD");
  const auto is = [most](const char* name) { return most != nullptr && std::strcmp(most, name) == 0; };
  const bool any = !is("none"), wide = any && !is("avx2");
  __builtin_cpu_init();
  return {any && __builtin_cpu_supports("avx2"), wide && __builtin_cpu_supports("avx512bw"),
          wide && __builtin_cpu_supports("avx512vbmi2")};
}

inline const Simd simd = simd_here();

}  // namespace vt

#endif
