// SPDX-License-Identifier: MIT
#include <atomic>
#include <bit>
#include <maxlat/sensors/striped.hpp>

namespace maxlat::sensors {
namespace {

constexpr std::uint32_t kWordBits = 64, kWords = (MAXLAT_STRIPED_MAX - 1) / kWordBits;
constinit std::atomic<std::uint64_t> taken[kWords];  // bit n of word w: number 64 w + n + 1

std::uint32_t take_number() {
  for (std::uint32_t word = 0; word < kWords; ++word) {
    std::uint64_t seen = taken[word].load(std::memory_order_relaxed);
    while (seen != ~std::uint64_t{0}) {
      const auto bit = static_cast<std::uint32_t>(std::countr_one(seen));
      // acquire: what the thread before posted to this stripe comes before what this one does. Partner: release in
      // give_back(). Shape: lock.
      if (taken[word].compare_exchange_weak(seen, seen | std::uint64_t{1} << bit, std::memory_order_acquire,
                                            std::memory_order_relaxed))
        return word * kWordBits + bit + 1;
    }
  }
  return 0;
}

void give_back(std::uint32_t number) {
  // release: as take_number() says.
  taken[(number - 1) / kWordBits].fetch_and(~(std::uint64_t{1} << (number - 1) % kWordBits), std::memory_order_release);
}

}  // namespace

namespace detail {

constinit thread_local std::uint32_t own_stripe = 0;

void keep_own_stripe_alone() {
  for (std::uint32_t word = 0; word < kWords; ++word) {
    const bool is_mine = own_stripe != 0 && (own_stripe - 1) / kWordBits == word;
    taken[word].store(is_mine ? std::uint64_t{1} << (own_stripe - 1) % kWordBits : 0, std::memory_order_relaxed);
  }
}

}  // namespace detail

OwnStripe::OwnStripe() : number_(detail::own_stripe == 0 ? take_number() : 0) {
  if (number_ != 0) detail::own_stripe = number_;
}

OwnStripe::~OwnStripe() {
  if (number_ == 0) return;
  detail::own_stripe = 0;
  // A handler from here on posts to the shared stripe.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  give_back(number_);
}

}  // namespace maxlat::sensors
