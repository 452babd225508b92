// The kernels on the CPU: the same source, its threads run one after the other in a given order.
//
// There are no barriers in the kernels, so a thread runs from beginning to end; an order that changes from launch to
// launch shows what one thread reads of another.
#define __CUDACC__
#define __host__
#define __device__
#define __global__

#include <cstdint>

struct Coordinates {
  unsigned x;
};
static thread_local Coordinates blockIdx, blockDim, threadIdx;

#include "kernels.cu"

namespace {

// Calls a kernel for `count` threads: the k-th to run is the one with the number `order[k]`.
template <class... Parameters>
void launch(void (*kernel)(Parameters...), const uint64_t* order, uint64_t count, unsigned block,
            Parameters... arguments) {
  blockDim.x = block;
  for (uint64_t k = 0; k < count; ++k) {
    blockIdx.x = static_cast<unsigned>(order[k] / block);
    threadIdx.x = static_cast<unsigned>(order[k] % block);
    kernel(arguments...);
  }
}

}  // namespace

#define VT_EMULATED(kernel, parameters, arguments)                                                       \
  extern "C" void emulate_##kernel(const uint64_t* order, uint64_t count, unsigned block_size, parameters) { \
    launch(kernel, order, count, block_size, arguments);                                                 \
  }
#define VT_LIST(...) __VA_ARGS__

VT_EMULATED(count_parts,
            VT_LIST(const vt::View* view, const uint8_t* data, const uint64_t* bounds, uint64_t texts, uint64_t block,
                    uint64_t blocks, uint64_t* counts),
            VT_LIST(view, data, bounds, texts, block, blocks, counts))
VT_EMULATED(place_parts,
            VT_LIST(const vt::View* view, const uint8_t* data, const uint64_t* bounds, uint64_t texts, uint64_t block,
                    uint64_t blocks, const uint64_t* ends, uint64_t* starts, uint64_t* texts_of),
            VT_LIST(view, data, bounds, texts, block, blocks, ends, starts, texts_of))
VT_EMULATED(encode_parts,
            VT_LIST(const vt::View* view, const uint8_t* data, const uint64_t* bounds, uint64_t texts,
                    const uint64_t* starts, const uint64_t* texts_of, const uint64_t* parts, uint64_t longest,
                    uint32_t* ids, uint32_t* counts),
            VT_LIST(view, data, bounds, texts, starts, texts_of, parts, longest, ids, counts))
VT_EMULATED(encode_parts_placed,
            VT_LIST(const vt::View* view, const uint8_t* data, const uint64_t* bounds, uint64_t texts,
                    const uint64_t* starts, const uint64_t* texts_of, const uint64_t* parts, uint64_t longest,
                    uint32_t* ids, uint32_t* token_starts, uint32_t* token_stops, uint32_t* counts),
            VT_LIST(view, data, bounds, texts, starts, texts_of, parts, longest, ids, token_starts, token_stops, counts))
VT_EMULATED(gather_parts,
            VT_LIST(const uint32_t* values, const uint64_t* starts, const uint32_t* counts, const uint64_t* ends,
                    uint64_t parts, uint32_t* out),
            VT_LIST(values, starts, counts, ends, parts, out))
