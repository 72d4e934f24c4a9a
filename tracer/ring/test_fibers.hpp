// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Contexts that take turns only where they say so: every interleaving is chosen by the test, and a seed repeats it.
//
// A schedule test changes contexts some ten million times. swapcontext() makes a system call each time, for the signal
// mask; so a context that has begun is left and entered by the compiler's own __builtin_setjmp and __builtin_longjmp,
// and its stack is not filled before it begins: ring_schedule_16 took 73 s with both, and 3 s without. AddressSanitizer
// wants to know on which stack the program is.
#pragma once

#include <ucontext.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <vector>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace maxlat::ring_test {

// Where a context was left, or where it begins.
class Place {
 public:
  // The context begins with enter(self), which calls arrive() first and never returns.
  void begin_with(std::span<char> stack, void (*enter)(uint32_t low, uint32_t high), const void* self) {
    stack_ = stack;
    getcontext(&beginning_);
    beginning_.uc_stack.ss_sp = stack.data();
    beginning_.uc_stack.ss_size = stack.size();
    const auto address = reinterpret_cast<uintptr_t>(self);  // makecontext passes ints only
    makecontext(&beginning_, reinterpret_cast<void (*)()>(enter), 2, static_cast<uint32_t>(address),
                static_cast<uint32_t>(address >> 32));
  }

  // Leaves the calling context here, or for ever, and goes on at `to`. Not inlined: what runs again behind
  // __builtin_setjmp has no variable left.
  [[gnu::noinline]] void leave_for(Place& to, [[maybe_unused]] bool for_ever = false) {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(for_ever ? nullptr : &shadow_, to.stack_.data(), to.stack_.size());
#endif
    to.left_ = this;
    was_left_ = true;
    if (__builtin_setjmp(words_) != 0) {
      arrive();
      return;
    }
    if (to.was_left_) __builtin_longjmp(to.words_, 1);
    setcontext(&to.beginning_);
  }

  void arrive() {
#ifdef __SANITIZE_ADDRESS__
    const void* bottom = nullptr;
    size_t size = 0;
    __sanitizer_finish_switch_fiber(shadow_, &bottom, &size);
    left_->stack_ = {const_cast<char*>(static_cast<const char*>(bottom)), size};  // the first one's is not known else
#endif
  }

 private:
  ucontext_t beginning_{};
  void* words_[5] = {};
  std::span<char> stack_;
  void* shadow_ = nullptr;  // of the sanitizer's
  Place* left_ = nullptr;   // from where it was entered
  bool was_left_ = false;
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
    fibers_[current_]->place.leave_for(home_, true);
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
      self->place.arrive();
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
