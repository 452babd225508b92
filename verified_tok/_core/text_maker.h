// Many sequences of ids on their way to texts. One thread reads the ids and makes the strs, which takes Python; others
// decode meanwhile. (Measured: handing parts to threads that begin and end with each part costs what they save.)
#pragma once

#include <nanobind/nanobind.h>

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "byte_buffer.h"
#include "decode.h"
#include "utf8_check.h"
#include "without_gil.h"

namespace vt {

inline nanobind::object str_of(const uint8_t* bytes, uint64_t size, Py_ssize_t* consumed = nullptr) {
  const auto* chars = reinterpret_cast<const char*>(bytes);
  PyObject* text = PyUnicode_DecodeUTF8Stateful(chars, static_cast<Py_ssize_t>(size), "replace", consumed);
  if (text == nullptr) throw nanobind::python_error();
  return nanobind::steal(text);
}

class TextMaker {
 public:
  // `strict`: what is not UTF-8 is no text.
  TextMaker(const DecodeTables& tables, bool skip, bool strict, uint32_t threads)
      : tables_(tables), skip_(skip), strict_(strict), threads_(threads), decoding_(tables, skip, !strict),
        parts_(threads < 2 ? 0 : 2 * threads) {}
  TextMaker(const TextMaker&) = delete;
  TextMaker& operator=(const TextMaker&) = delete;
  ~TextMaker() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ends_ = true;
    }
    more_.notify_all();
    for (std::thread& thread : others_) thread.join();
  }

  // Adds a sequence. False: the one behind those in `texts` has no text, and nothing more may be added.
  bool add(const uint32_t* ids, uint64_t count) {
    if (parts_.empty()) return add_alone(ids, count);
    Part& part = last();
    part.ids.insert(part.ids.end(), ids, ids + count);
    part.bounds.push_back(part.ids.size());
    if (part.size() < part_size) return true;
    hand_over();
    return given_ - made_ < parts_.size() || make_next();
  }

  // Makes the texts of all sequences so far. False: as above.
  bool finish() {
    if (!parts_.empty() && last().bounds.size() > 1) hand_over();
    while (made_ < given_) {
      if (!make_next()) return false;
    }
    return true;
  }

  const nanobind::list& texts() const { return texts_; }

  // The sequence without a text.
  std::vector<uint32_t> wrong() { return std::move(wrong_); }

 private:
  static constexpr uint64_t part_size = 1 << 14;     // ids and sequences that a thread takes at once
  static constexpr uint64_t much_at_once = 1 << 17;  // of them, before other threads of Python's get their turn

  // Sequences that follow one another, and their texts.
  struct Part {
    std::vector<uint32_t> ids;
    std::vector<uint64_t> bounds{0};
    ByteBuffer bytes;
    std::vector<uint64_t> ends;
    std::exception_ptr failure;
    bool done = false;

    uint64_t size() const { return ids.size() + bounds.size(); }

    void clear() {
      ids.clear();
      bounds.resize(1);
      bytes.clear();
      ends.clear();
      done = false;
    }
  };

  Part& part(uint64_t number) { return parts_[number % parts_.size()]; }
  Part& last() { return part(given_); }

  // Whether other threads of Python's may run while so many ids are decoded.
  bool others_turn(uint64_t count) {
    at_once_ += count + 1;
    if (at_once_ < much_at_once) return false;
    at_once_ = 0;
    return true;
  }

  bool add_alone(const uint32_t* ids, uint64_t count) {
    {
      std::optional<WithoutGil> released;
      if (others_turn(count)) released.emplace();
      if (!decode(ids, count, decoding_)) {
        wrong_.assign(ids, ids + count);
        return false;
      }
    }
    texts_.append(str_of(decoding_.begin(), decoding_.size()));
    return true;
  }

  void hand_over() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++given_;
    }
    more_.notify_one();
    if (others_.size() + 1 >= threads_) return;
    try {
      others_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {  // the system gives no more threads: those that are there do it
    }
  }

  // What other threads do.
  void work() {
    Decoding decoding(tables_, skip_, !strict_);
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      more_.wait(lock, [this] { return ends_ || taken_ < given_; });
      if (ends_) return;
      take(lock, decoding);
    }
  }

  // Decodes the next part that nobody has.
  void take(std::unique_lock<std::mutex>& lock, Decoding& decoding) {
    Part& taken = part(taken_++);
    lock.unlock();
    try {
      decode(taken, decoding);
    } catch (...) {
      taken.failure = std::current_exception();
    }
    lock.lock();
    taken.done = true;
    one_done_.notify_one();
  }

  // Makes the texts of the next part in order.
  bool make_next() {
    Part& next = part(made_);
    {
      std::optional<WithoutGil> released;
      if (others_turn(next.size())) released.emplace();
      std::unique_lock<std::mutex> lock(mutex_);
      while (!next.done) {
        if (taken_ < given_) {
          take(lock, decoding_);
        } else {
          one_done_.wait(lock);
        }
      }
    }
    if (next.failure) std::rethrow_exception(next.failure);
    uint64_t start = 0;
    for (uint64_t end : next.ends) {
      texts_.append(str_of(next.bytes.data() + start, end - start));
      start = end;
    }
    const size_t good = next.ends.size();
    if (good + 1 < next.bounds.size()) {
      wrong_.assign(next.ids.data() + next.bounds[good], next.ids.data() + next.bounds[good + 1]);
      return false;
    }
    next.clear();
    ++made_;
    return true;
  }

  // Whether they have a text.
  bool decode(const uint32_t* ids, uint64_t count, Decoding& decoding) const {
    decoding.restart();
    if (decoding.put(ids, count) != count) return false;
    decoding.finish();
    return !strict_ || is_utf8(decoding.begin(), decoding.size());
  }

  // Up to the first that has none.
  void decode(Part& part, Decoding& decoding) const {
    for (size_t k = 0; k + 1 < part.bounds.size(); ++k) {
      if (!decode(part.ids.data() + part.bounds[k], part.bounds[k + 1] - part.bounds[k], decoding)) return;
      part.bytes.add(decoding.begin(), decoding.size());
      part.ends.push_back(part.bytes.size());
    }
  }

  const DecodeTables& tables_;
  const bool skip_, strict_;
  const uint32_t threads_;
  Decoding decoding_;
  nanobind::list texts_;
  std::vector<uint32_t> wrong_;
  uint64_t at_once_ = 0;

  // Parts in a ring, by their numbers: those before `made_` are texts, those before `taken_` are some thread's, and those
  // before `given_` are for the threads to take.
  std::vector<Part> parts_;
  uint64_t made_ = 0, taken_ = 0, given_ = 0;
  bool ends_ = false;
  std::mutex mutex_;
  std::condition_variable more_, one_done_;
  std::vector<std::thread> others_;
};

}  // namespace vt
