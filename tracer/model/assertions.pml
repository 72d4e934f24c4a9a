/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Assertions that have names. A model declares the names in one mtype and says what each stands for; model_cases.py
 * says for every mutant which of them must catch it.
 *
 *   must(name, condition)   the claim
 *   reached(name)           coverage: a place that runs should come to
 *
 * With -DONLY=name all others are off, so a run that fails fails by that one: a mutant that some other assertion
 * notices has shown nothing of the one that was made for it. Without ONLY all claims are on and no coverage is asked.
 */
#ifdef ONLY
#define must(name, condition) assert((condition) || name != ONLY)
#define reached(name) assert(name != ONLY)
#else
#define must(name, condition) assert((condition) && name)
#define reached(name) skip
#endif
