/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What base needs from its environment: fixed-width integers and three operations of the memory model. Everything else
 * in base's C headers is plain arithmetic, so that one source serves user space (C11 and C++20),
 * shared memory and the kernel modules.
 *
 * THREADS: MAXLAT_LOAD/MAXLAT_STORE are relaxed atomic accesses (READ_ONCE/WRITE_ONCE in the kernel). They order
 * nothing. They exist because a histogram has one writer and any number of readers that look at it while it grows: each
 * word read is a value that was written, never a torn one.
 */
#ifndef MAXLAT_BASE_PLATFORM_H
#define MAXLAT_BASE_PLATFORM_H

#ifdef __KERNEL__
#include <linux/compiler.h>
#include <linux/stddef.h>
#include <linux/types.h>
#define MAXLAT_LOAD(p) READ_ONCE(*(p))
#define MAXLAT_STORE(p, v) WRITE_ONCE(*(p), (v))
#else
#include <stddef.h>
#include <stdint.h>
/* relaxed: one writer per word; readers want a recent value, not an order */
#define MAXLAT_LOAD(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define MAXLAT_STORE(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#endif

/* Asks for the cache line of an address that will be written soon. Any address is allowed, even one behind the end
 * of an object. On x86 this is inline assembly, because the compilers' builtin prefetches the line for reading
 * unless told that the processor has this instruction; all 64-bit processors have it, some as a no-op. */
#if defined(__x86_64__)
#define MAXLAT_FETCH_TO_WRITE(address) __asm__ volatile("prefetchw %0" : : "m"(*(const char*)(address)))
#else
#define MAXLAT_FETCH_TO_WRITE(address) __builtin_prefetch((const void*)(address), 1)
#endif

#define MAXLAT_ALWAYS_INLINE static inline __attribute__((always_inline))
/* Arithmetic, which C++ may do when it compiles. */
#ifdef __cplusplus
#define MAXLAT_ARITHMETIC static constexpr inline __attribute__((always_inline))
#else
#define MAXLAT_ARITHMETIC MAXLAT_ALWAYS_INLINE
#endif
#define MAXLAT_LIKELY(x) __builtin_expect(!!(x), 1)
#define MAXLAT_UNLIKELY(x) __builtin_expect(!!(x), 0)

#ifdef __cplusplus
#define MAXLAT_STATIC_ASSERT(condition, text) static_assert(condition, text)
#else
#define MAXLAT_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#endif

__extension__ typedef unsigned __int128 maxlat_u128;

#endif
