// SPDX-License-Identifier: MIT
//
// What paper_lmbench.guest.sh has compiled again and again. It is never linked. A change here changes figures of
// docs/repeat-the-papers.md.
typedef unsigned long long u64;

u64 mixed(const u64* words, unsigned count) {
  u64 sum = 0x9e3779b97f4a7c15;
  for (unsigned i = 0; i < count; ++i) {
    sum ^= words[i] * 0xff51afd7ed558ccd;
    sum = (sum << 31 | sum >> 33) + i;
  }
  return sum;
}

void sorted(u64* words, unsigned count) {
  for (unsigned gap = count / 2; gap > 0; gap /= 2) {
    for (unsigned i = gap; i < count; ++i) {
      const u64 word = words[i];
      unsigned place = i;
      for (; place >= gap && words[place - gap] > word; place -= gap) words[place] = words[place - gap];
      words[place] = word;
    }
  }
}
