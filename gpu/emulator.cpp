// The kernels on the CPU: the same source, its threads run one after the other in a given order, or several at once.
//
// There are no barriers in the kernels, so a thread runs from beginning to end; an order that changes from launch to
// launch shows what one thread reads of another. Several at once show it to a compiler's own check for races.
#define __CUDACC__
#define __CUDA_ARCH__ 900
#define __host__
#define __device__
#define __global__

#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

struct Coordinates {
  unsigned x;
};
static thread_local Coordinates blockIdx, blockDim, threadIdx;

// What a GPU has built in.
static uint32_t __funnelshift_r(uint32_t low, uint32_t high, uint32_t shift) {
  return static_cast<uint32_t>((uint64_t{high} << 32 | low) >> (shift & 31));
}
static uint64_t __umul64hi(uint64_t a, uint64_t b) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b >> 64);
}
static int __clzll(long long word) { return word == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(word)); }

static unsigned long long atomicAdd(unsigned long long* sum, unsigned long long more) {
  return __atomic_fetch_add(sum, more, __ATOMIC_RELAXED);
}

#include "kernels.cu"

namespace {

template <class... Parameters, size_t... numbers>
void run(void (*kernel)(Parameters...), void** arguments, std::index_sequence<numbers...>) {
  kernel(*static_cast<Parameters*>(arguments[numbers])...);
}

// Calls a kernel for `count` threads: the k-th to begin is the one with the number `order[k]`. `workers` of this
// machine's threads run them, each every so manieth. `arguments` are as in CUDA's own launch: the addresses of the
// arguments.
template <class... Parameters>
void launch(void (*kernel)(Parameters...), const uint64_t* order, uint64_t count, unsigned block, unsigned workers,
            void** arguments) {
  const auto work = [=](unsigned first) {
    blockDim.x = block;
    for (uint64_t k = first; k < count; k += workers) {
      blockIdx.x = static_cast<unsigned>(order[k] / block);
      threadIdx.x = static_cast<unsigned>(order[k] % block);
      run(kernel, arguments, std::index_sequence_for<Parameters...>());
    }
  };
  std::vector<std::thread> others;
  for (unsigned first = 1; first < workers; ++first) others.emplace_back(work, first);
  work(0);
  for (std::thread& other : others) other.join();
}

}  // namespace

#define VT_EMULATED(kernel)                                                                                            \
  extern "C" void emulate_##kernel(const uint64_t* order, uint64_t count, unsigned block, unsigned workers,          \
                                   void** arguments) {                                                                \
    launch(kernel, order, count, block, workers, arguments);                                                         \
  }

VT_EMULATED(count_parts)
VT_EMULATED(place_parts)
VT_EMULATED(normalize_parts)
VT_EMULATED(encode_parts)
VT_EMULATED(encode_parts_placed)
VT_EMULATED(add_groups)
VT_EMULATED(spread_sums)
VT_EMULATED(place_texts)
VT_EMULATED(gather_parts)
VT_EMULATED(list_left)
