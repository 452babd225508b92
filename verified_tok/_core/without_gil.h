// Letting other Python threads run while the core works.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <thread>

namespace vt {

// When the interpreter ends, Python (before 3.14) ends a thread that asks for its lock with `pthread_exit`, which unwinds
// the stack: out of a destructor, that aborts the process, and on the way destructors release what is Python's without the
// lock. Such a thread sleeps instead, until the process is over.
[[noreturn]] inline void sleep_until_the_end() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

// While this lives, the thread does without Python's lock.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() {
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {
      sleep_until_the_end();
    }
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

// What `call` makes by one function of Python's C interface, which throws nothing itself; null where it makes nothing.
// Python code that it runs gives the lock away now and then, and asks for it again.
template <class Call>
nanobind::object run_python(const Call& call) {
  PyObject* made = nullptr;
  try {
    made = call();
  } catch (...) {
    sleep_until_the_end();
  }
  if (made == nullptr && PyErr_Occurred() != nullptr) throw nanobind::python_error();
  return nanobind::steal(made);
}

}  // namespace vt
