// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Contexts that take turns only where they say so: every interleaving is chosen by the test, and a seed repeats it.
//
// A schedule test changes contexts some ten million times. swapcontext() makes a system call each time, for the signal
// mask, which took half the time of all these tests; so a context that has begun is left and entered by the compiler's
// own __builtin_setjmp and __builtin_longjmp. AddressSanitizer knows swapcontext() alone.
#pragma once

#include <ucontext.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <vector>

namespace maxlat::ring_test {

#if defined(__SANITIZE_ADDRESS__)
#define MAXLAT_TEST_FIBERS_SWAP 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MAXLAT_TEST_FIBERS_SWAP 1
#endif
#endif

// Where a context was left, or where it begins.
class Place {
 public:
  // The context begins with enter(self), which never returns.
  void begin_with(std::span<char> stack, void (*enter)(uint32_t low, uint32_t high), const void* self) {
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack.data();
    context_.uc_stack.ss_size = stack.size();
    context_.uc_link = nullptr;
    const auto address = reinterpret_cast<uintptr_t>(self);  // makecontext passes ints only
    makecontext(&context_, reinterpret_cast<void (*)()>(enter), 2, static_cast<uint32_t>(address),
                static_cast<uint32_t>(address >> 32));
  }

  // Leaves the calling context here and goes on at `to`. Not inlined: what runs again behind __builtin_setjmp has no
  // variable left.
  [[gnu::noinline]] void leave_for(Place& to) {
#ifdef MAXLAT_TEST_FIBERS_SWAP
    swapcontext(&context_, &to.context_);
#else
    was_left_ = true;
    if (__builtin_setjmp(words_) != 0) return;
    if (to.was_left_) __builtin_longjmp(to.words_, 1);
    setcontext(&to.context_);
#endif
  }

 private:
  ucontext_t context_{};
#ifndef MAXLAT_TEST_FIBERS_SWAP
  void* words_[5] = {};
  bool was_left_ = false;
#endif
};

class Fibers {
 public:
  explicit Fibers(uint64_t seed) : random_(seed) {}

  void add(std::function<void()> body) { fibers_.push_back(std::make_unique<Fiber>(std::move(body), this)); }

  // Runs all fibers to their end, switching wherever pass() decides.
  void run() {
    for (size_t i = 0; i < fibers_.size(); ++i) ready_.push_back(i);
    while (choose()) home_.leave_for(fibers_[current_]->place);
    inside_ = false;
  }

  // Called by a fiber where another may go on. REQUIRES: inside a fiber.
  void pass() {
    const size_t me = current_;
    choose();
    if (current_ != me) fibers_[me]->place.leave_for(fibers_[current_]->place);
  }

  // The end of the calling fiber, in the middle of what it does.
  [[noreturn]] void abandon() {
    std::erase(ready_, current_);
    fibers_[current_]->place.leave_for(home_);
    std::abort();  // nobody chooses it again
  }

  bool inside() const { return inside_; }
  size_t current() const { return current_; }
  std::mt19937_64& random() { return random_; }
  bool chance(uint32_t one_in) { return random_() % one_in == 0; }

 private:
  struct Fiber {
    static constexpr size_t kStack = 256 * 1024;

    Fiber(std::function<void()> what, Fibers* owner) : body(std::move(what)), all(owner) {
      place.begin_with({stack.get(), kStack}, &Fiber::enter, this);
    }
    static void enter(uint32_t low, uint32_t high) {
      auto* self = reinterpret_cast<Fiber*>(static_cast<uintptr_t>(high) << 32 | low);
      self->body();
      self->all->abandon();
    }

    std::function<void()> body;
    Fibers* all;
    std::unique_ptr<char[]> stack = std::make_unique_for_overwrite<char[]>(kStack);
    Place place;
  };

  bool choose() {
    if (ready_.empty()) return false;
    current_ = ready_[random_() % ready_.size()];
    inside_ = true;
    return true;
  }

  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<size_t> ready_;  // those that have not ended
  Place home_;
  size_t current_ = 0;
  bool inside_ = false;
};

}  // namespace maxlat::ring_test
