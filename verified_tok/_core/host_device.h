// The functions that both the CPU engine and the GPU kernels compile.
#pragma once

#ifdef __CUDACC__
#define VT_HD __host__ __device__ inline
#else
#define VT_HD inline
#endif
