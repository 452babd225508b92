"""Encoding on a GPU, with the functions of the native core; see README.md beside this file."""

from verified_tok.gpu.counters import GpuCounters

__all__ = ["GpuCounters"]
