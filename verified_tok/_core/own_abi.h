// Whether objects of Python may be read where they lie: in a build for one CPython, with its lock.
#pragma once

#include <Python.h>

#if !defined(Py_LIMITED_API) && !defined(Py_GIL_DISABLED) && !defined(PYPY_VERSION)
#define VT_OWN_ABI 1
#endif
