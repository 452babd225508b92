// An allocator for vectors whose new elements are not set before they are written. Host only.
#pragma once

#include <memory>
#include <new>
#include <utility>

namespace vt {

template <class T>
struct Unset : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = Unset<U>;
  };

  template <class U>
  void construct(U* at) {
    ::new (static_cast<void*>(at)) U;
  }
  template <class U, class... Values>
  void construct(U* at, Values&&... values) {
    ::new (static_cast<void*>(at)) U(std::forward<Values>(values)...);
  }
};

}  // namespace vt
