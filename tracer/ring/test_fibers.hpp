// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Contexts that take turns only where they say so: every interleaving is chosen by the test, and a seed repeats it.
#pragma once

#include <ucontext.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <vector>

namespace maxlat::ring_test {

class Fibers {
 public:
  explicit Fibers(uint64_t seed) : random_(seed) {}

  void add(std::function<void()> body) { fibers_.push_back(std::make_unique<Fiber>(std::move(body), this)); }

  // Runs all fibers to their end, switching wherever pass() decides.
  void run() {
    for (auto& fiber : fibers_) fiber->prepare(&home_);
    while (choose()) swapcontext(&home_, &fibers_[current_]->context);
    inside_ = false;
  }

  // Called by a fiber where another may go on. REQUIRES: inside a fiber.
  void pass() { swapcontext(&fibers_[current_]->context, &home_); }

  // The end of the calling fiber, in the middle of what it does.
  void abandon() {
    fibers_[current_]->done = true;
    pass();
  }

  bool inside() const { return inside_; }
  size_t current() const { return current_; }
  std::mt19937_64& random() { return random_; }
  bool chance(uint32_t one_in) { return random_() % one_in == 0; }

 private:
  struct Fiber {
    Fiber(std::function<void()> what, Fibers* owner) : body(std::move(what)), all(owner), stack(256 * 1024) {}

    void prepare(ucontext_t* home) {
      getcontext(&context);
      context.uc_stack.ss_sp = stack.data();
      context.uc_stack.ss_size = stack.size();
      context.uc_link = home;
      const auto self = reinterpret_cast<uintptr_t>(this);  // makecontext passes ints only
      makecontext(&context, reinterpret_cast<void (*)()>(&Fiber::enter), 2, static_cast<uint32_t>(self),
                  static_cast<uint32_t>(self >> 32));
    }
    static void enter(uint32_t low, uint32_t high) {
      auto* self = reinterpret_cast<Fiber*>(static_cast<uintptr_t>(high) << 32 | low);
      self->body();
      self->done = true;
    }

    std::function<void()> body;
    Fibers* all;
    std::vector<char> stack;
    ucontext_t context{};
    bool done = false;
  };

  bool choose() {
    std::vector<size_t> ready;
    for (size_t i = 0; i < fibers_.size(); ++i) {
      if (!fibers_[i]->done) ready.push_back(i);
    }
    if (ready.empty()) return false;
    current_ = ready[random_() % ready.size()];
    inside_ = true;
    return true;
  }

  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  ucontext_t home_{};
  size_t current_ = 0;
  bool inside_ = false;
};

}  // namespace maxlat::ring_test
