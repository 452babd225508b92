// Sharing work among threads. Host only.
#pragma once

#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace vt {

// Calls `work` on up to `threads` threads at once, the calling one included, and throws what one of the calls threw.
// Each call must go on until nothing is left to do: where the system gives no more threads, fewer do it.
template <class Work>
void share(size_t threads, const Work& work) {
  std::exception_ptr failure;
  std::mutex failed;
  const auto guarded = [&] {
    try {
      work();
    } catch (...) {
      const std::lock_guard<std::mutex> lock(failed);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  others.reserve(threads);
  try {
    while (others.size() + 1 < threads) others.emplace_back(guarded);
  } catch (...) {  // a limit of the system, of threads or of memory: those that began must be waited for all the same
  }
  guarded();
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace vt
