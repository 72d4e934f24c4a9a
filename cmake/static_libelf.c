/* SPDX-License-Identifier: MIT */
/*
 * What the static libelf of elfutils 0.192 (Debian 13) leaves undefined: functions of a library of elfutils' own that
 * is not installed (https://sourceware.org/bugzilla/show_bug.cgi?id=32293). A tree is its root alone, in a build
 * without locks, as distributions have it. Entries are made by elf_getdata_rawchunk() only, which nobody calls here.
 */
#define _GNU_SOURCE
#include <search.h>
#include <stddef.h>

struct search_tree {
  void* root;
};

void eu_search_tree_init(struct search_tree* tree);
void eu_search_tree_fini(struct search_tree* tree, void (*free_node)(void* node));

void eu_search_tree_init(struct search_tree* tree) {
  tree->root = NULL;
}

void eu_search_tree_fini(struct search_tree* tree, void (*free_node)(void* node)) {
  tdestroy(tree->root, free_node);
}
