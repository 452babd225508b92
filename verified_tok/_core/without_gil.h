// Letting other Python threads run while the core works.
#pragma once

#include <Python.h>

#include <chrono>
#include <thread>

namespace vt {

// While this lives, the thread does without Python's lock.
//
// When the interpreter ends meanwhile, Python (before 3.14) ends a thread that asks for the lock with `pthread_exit`,
// which unwinds the stack, and what unwinds out of a destructor aborts the process. Such a thread sleeps instead, until the
// process is over.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() {
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {
      for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
    }
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace vt
