/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What the CPU runs when a planted SMI arrives: stays away for the commanded number of counter ticks, notes when it
 * began, and arms the next plant, so that a whole series needs nobody's help, not even with all interrupts off.
 *
 * Copied to SMBASE + 8000h (38000h). System management mode begins in 16-bit mode with flat data segments of 4 GiB, so
 * 32-bit addresses reach the table and the HPET. All registers are restored by rsm.
 *
 * Table at PLANTER_TABLE (planter.h): next, count, comparator, unused; then entries of 16 bytes {at, ticks, began}.
 */
#include "planter.h"

	.section .rodata
	.global planter_smm_begin
	.global planter_smm_end
	.code16
planter_smm_begin:
	rdtsc
	movl	%eax, %esi
	movl	%edx, %edi
	movl	$PLANTER_TABLE, %ebx
	addr32 movl	(%ebx), %ecx		/* next: the number of this plant */
	movl	%ecx, %ebp
	shll	$4, %ebp
	addr32 leal	16(%ebx,%ebp), %ebp	/* its entry */
	addr32 movl	%esi, 8(%ebp)		/* began */
	addr32 movl	%edi, 12(%ebp)
	incl	%ecx
	addr32 movl	%ecx, (%ebx)
	addr32 cmpl	4(%ebx), %ecx		/* was it the last? */
	jae	1f
	addr32 movl	16(%ebp), %eax		/* at, of the entry behind */
	addr32 movl	8(%ebx), %edx
	addr32 movl	%eax, (%edx)		/* HPET comparator */
1:	rdtsc
	subl	%esi, %eax
	addr32 cmpl	4(%ebp), %eax		/* ticks */
	jb	1b
	rsm
planter_smm_end:
	.code64

	.section .note.GNU-stack, "", @progbits
