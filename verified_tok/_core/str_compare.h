// What two strs have in common, found without the UTF-8 of either.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>

namespace vt {

inline nanobind::object part_of(nanobind::handle text, Py_ssize_t start, Py_ssize_t stop) {
  PyObject* part = PyUnicode_Substring(text.ptr(), start, stop);
  if (part == nullptr) throw nanobind::python_error();
  return nanobind::steal(part);
}

// Up to `limit`, how many items are the same, if `same(done, n)` tells whether the `n` items behind `done` are that are.
template <class Same>
Py_ssize_t common_length(Py_ssize_t limit, Same same) {
  constexpr Py_ssize_t block = 1 << 16;
  bool found = false;  // a block that differs
  for (Py_ssize_t done = 0;;) {
    const Py_ssize_t left = limit - done, n = found ? (left + 1) / 2 : std::min(block, left);
    if (n == 0) return done;
    if (same(done, n)) {
      done += n;
    } else {
      found = true;
      limit = done + n - 1;
    }
  }
}

struct CommonEnds {
  Py_ssize_t front;
  Py_ssize_t back;  // of what is behind the front
};

// How many characters two strs have in common at both ends.
inline CommonEnds common_ends(nanobind::handle old, nanobind::handle text) {
  const Py_ssize_t old_size = PyUnicode_GetLength(old.ptr()), size = PyUnicode_GetLength(text.ptr());
  const auto stands_at = [&](nanobind::handle part, Py_ssize_t start, Py_ssize_t stop) {
    const Py_ssize_t answer = PyUnicode_Tailmatch(text.ptr(), part.ptr(), start, stop, -1);
    if (answer < 0) throw nanobind::python_error();
    return answer == 1;
  };
  if (old_size <= size && stands_at(old, 0, size)) return {old_size, 0};  // the usual case, without copies
  const Py_ssize_t most = std::min(old_size, size);
  const Py_ssize_t front = common_length(most, [&](Py_ssize_t done, Py_ssize_t n) {
    return stands_at(part_of(old, done, done + n), done, done + n);
  });
  const Py_ssize_t back = common_length(most - front, [&](Py_ssize_t done, Py_ssize_t n) {
    return stands_at(part_of(old, old_size - done - n, old_size - done), size - done - n, size - done);
  });
  return {front, back};
}

}  // namespace vt
