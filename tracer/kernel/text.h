/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Names of the kernel's that end somewhere, as a record has them: their first 16 bytes, zero behind their end. Nothing
 * here calls what can be traced.
 */
#ifndef TRACE_TEXT_H
#define TRACE_TEXT_H

#include <linux/mm.h>
#include <linux/types.h>

#include <maxlat/trace/kernel/kernel_events.h>

/* A text of another length: its first 16 bytes, zero behind its end. */
struct text {
	u64 words[2];
};

static __always_inline void put_text(char *to, struct text text)
{
	((u64 *)to)[0] = text.words[0];
	((u64 *)to)[1] = text.words[1];
}

static __always_inline u64 word_at(const char *from)
{
	u64 word;

	__builtin_memcpy(&word, from, sizeof(word));
	return word;
}

/* A byte of `word` that is zero has its upper bit in here, and so may bytes behind it; 0: there is none. */
static __always_inline u64 zero_bytes(u64 word)
{
	return (word - 0x0101010101010101ull) & ~word & 0x8080808080808080ull;
}

/* `word` up to its first zero byte; all of it if there is none. */
static __always_inline u64 up_to_zero(u64 word, u64 zeros)
{
	return word & (zeros ^ (zeros - 1));
}

/* Whether 16 bytes can be read there. They may lie behind the text; where they would be in another page, there may be
 * nothing. NULL is told by the same look: it has the place behind the last one of a page. */
static __always_inline bool has_words(const char *from)
{
	return likely(offset_in_page(from - 1) < PAGE_SIZE - MAXLAT_TRACE_NAME_BYTES);
}

static __always_inline struct text text_by_word(const char *from)
{
	const u64 first = word_at(from), zeros = zero_bytes(first);
	struct text text = { { first, 0 } };

	if (unlikely(zeros)) {
		text.words[0] = up_to_zero(first, zeros);
	} else {
		const u64 second = word_at(from + 8);

		text.words[1] = up_to_zero(second, zero_bytes(second));
	}
	return text;
}

static struct text text_of(const char *from)
{
	struct text text = { { 0, 0 } };
	unsigned int i;

	if (has_words(from))
		return text_by_word(from);
	for (i = 0; from && i < MAXLAT_TRACE_NAME_BYTES && from[i]; i++)
		text.words[i / 8] |= (u64)(u8)from[i] << i % 8 * 8;
	return text;
}

#endif
