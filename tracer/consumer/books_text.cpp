// SPDX-License-Identifier: MIT
#include "books_text.hpp"

namespace maxlat::trace {

std::string books_text(const std::vector<ChannelBooks>& channels) {
  std::string text;
  for (const ChannelBooks& books : channels) {
    const std::pair<const char*, std::uint64_t> words[] = {{"produced", books.produced},
                                                           {"recorded", books.recorded},
                                                           {"lost_full", books.lost_full},
                                                           {"lost_wrap", books.lost_wrap},
                                                           {"lost_big", books.lost_big},
                                                           {"lost_no_ring", books.lost_no_ring},
                                                           {"lost_frozen", books.lost_frozen},
                                                           {"overwritten", books.overwritten},
                                                           {"unfinished", books.unfinished},
                                                           {"not_written", books.not_written},
                                                           {"delivery_max_ticks", books.delivery_max_ticks}};
    text += "channel " + books.name;
    for (const auto& [word, number] : words) text += std::string(" ") + word + " " + std::to_string(number);
    if (books.lost_first != 0) text += " lost_first " + std::to_string(books.lost_first);
    text += '\n';
  }
  return text;
}

std::vector<ChannelBooks> books_since(const std::vector<ChannelBooks>& before, const std::vector<ChannelBooks>& now) {
  std::vector<ChannelBooks> since = now;
  for (std::size_t i = 0; i < since.size(); ++i) {
    ChannelBooks& books = since[i];
    if (!before.empty()) {
      const ChannelBooks& then = before[i];
      books.recorded -= then.recorded;
      books.lost_full -= then.lost_full;
      books.lost_wrap -= then.lost_wrap;
      books.lost_big -= then.lost_big;
      books.lost_no_ring -= then.lost_no_ring;
      books.lost_frozen -= then.lost_frozen;
      books.overwritten -= then.overwritten;
      books.unfinished -= then.unfinished;
      books.not_written -= then.not_written;
      books.bytes -= then.bytes;
    }
    books.produced = books.recorded + books.lost() + books.lost_frozen + books.overwritten + books.unfinished;
  }
  return since;
}

}  // namespace maxlat::trace
