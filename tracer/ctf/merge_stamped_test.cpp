// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <maxlat/trace/merge_stamped.hpp>
#include <memory>
#include <random>
#include <string>
#include <variant>
#include <vector>

namespace maxlat::trace {
namespace {

struct Item {
  int stamp;
  std::string name;
  bool operator==(const Item&) const = default;
};

// Gives the items of a list, and goes on where the list has grown.
class Listed {
 public:
  explicit Listed(std::vector<Item>& items, std::size_t from = 0) : items_(&items), next_(from) {}
  bool advance() {
    if (next_ == items_->size()) return false;
    current_ = (*items_)[next_++];
    return true;
  }
  int stamp() const { return current_.stamp; }
  const Item& item() const { return current_; }

 private:
  std::vector<Item>* items_;
  std::size_t next_;
  Item current_{};
};

std::string rest_of(StampedMerge<Listed>& merge) {
  std::string names;
  while (const Listed* source = merge.next()) names += source->item().name;
  return names;
}

TEST(MergeStamped, NothingAndEmptySourcesHaveNothing) {
  StampedMerge<Listed> merge;
  EXPECT_EQ(merge.next(), nullptr);
  std::vector<Item> none, one{{5, "a"}};
  merge.add(Listed(none));
  EXPECT_EQ(merge.next(), nullptr);
  merge.add(Listed(none));
  merge.add(Listed(one));
  merge.add(Listed(none));
  EXPECT_EQ(rest_of(merge), "a");
  EXPECT_EQ(merge.next(), nullptr);
}

TEST(MergeStamped, OfEqualStampsTheSourceAddedFirstIsInFrontAndItsItemsStayTogether) {
  std::vector<Item> first{{1, "a"}, {1, "b"}, {2, "c"}}, second{{1, "d"}, {2, "e"}, {2, "f"}},
      third{{0, "g"}, {1, "h"}};
  StampedMerge<Listed> merge;
  for (auto* items : {&first, &second, &third}) merge.add(Listed(*items));
  EXPECT_EQ(rest_of(merge), "gabdhcef");
}

// Against a stable sort of all items, source after source: the same order by definition.
TEST(MergeStamped, IsAStableSortOfAllItems) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::vector<Item>> lists(random() % 20);
    std::vector<Item> all;
    for (std::size_t number = 0; number < lists.size(); ++number) {
      int stamp = static_cast<int>(random() % 5);
      for (std::size_t n = random() % 12; n > 0; --n) {
        lists[number].push_back({stamp, std::to_string(number) + "." + std::to_string(n)});
        stamp += static_cast<int>(random() % 3);
      }
      all.insert(all.end(), lists[number].begin(), lists[number].end());
    }
    std::stable_sort(all.begin(), all.end(), [](const Item& a, const Item& b) { return a.stamp < b.stamp; });
    StampedMerge<Listed> merge;
    for (auto& items : lists) merge.add(Listed(items));
    std::vector<Item> merged;
    while (const Listed* source = merge.next()) merged.push_back(source->item());
    ASSERT_EQ(merged, all) << "round " << round;
  }
}

TEST(MergeStamped, ASourceThatAppearsLaterIsInOrderFromThenOn) {
  std::vector<Item> first{{1, "a"}, {4, "b"}, {8, "c"}}, later{{2, "d"}, {3, "e"}, {8, "f"}, {9, "g"}};
  StampedMerge<Listed> merge;
  merge.add(Listed(first));
  EXPECT_EQ(merge.next()->item().name, "a");
  EXPECT_EQ(merge.next()->item().name, "b");
  merge.add(Listed(later));  // 2 and 3 are late: they come at once, nothing is left out
  EXPECT_EQ(rest_of(merge), "decfg");
}

TEST(MergeStamped, ASourceAtItsEndMayBeAddedAnew) {
  std::vector<Item> growing{{1, "a"}}, other{{2, "b"}, {6, "c"}};
  StampedMerge<Listed> merge;
  merge.add(Listed(growing));
  merge.add(Listed(other));
  EXPECT_EQ(merge.next()->item().name, "a");
  EXPECT_EQ(merge.next()->item().name, "b");  // here `growing` was at its end
  growing.push_back({5, "d"});
  growing.push_back({6, "e"});
  EXPECT_EQ(merge.next()->item().name, "c") << "it was told to be at its end, and is not asked again";
  merge.add(Listed(growing, 1));
  EXPECT_EQ(rest_of(merge), "de");
}

TEST(MergeStamped, ASourceAddedAnewIsBehindTheOthersOfItsStamp) {
  std::vector<Item> first{{1, "a"}, {7, "b"}}, again{{7, "c"}};
  std::vector<Item> other{{7, "d"}};
  StampedMerge<Listed> merge;
  merge.add(Listed(again, 1));  // empty
  merge.add(Listed(first));
  merge.add(Listed(other));
  EXPECT_EQ(merge.next()->item().name, "a");
  merge.add(Listed(again));
  EXPECT_EQ(rest_of(merge), "bdc");
}

TEST(MergeStamped, ItemsThatGoBackwardsAreGivenAllTheSame) {
  std::vector<Item> backwards{{5, "a"}, {3, "b"}, {9, "c"}}, other{{4, "d"}, {6, "e"}};
  StampedMerge<Listed> merge;
  merge.add(Listed(backwards));
  merge.add(Listed(other));
  EXPECT_EQ(rest_of(merge), "dabec");
}

// What an item points to is valid until the next call: nobody advances before.
TEST(MergeStamped, ASourceAdvancesOnlyWhenTheNextItemIsAskedForAndGoesAtItsEnd) {
  struct Counting {
    std::shared_ptr<int> calls;
    int last;
    bool advance() { return ++*calls <= last; }
    int stamp() const { return *calls; }
  };
  const auto calls = std::make_shared<int>(0);
  StampedMerge<Counting> merge;
  merge.add({calls, 2});
  EXPECT_EQ(*calls, 0);
  for (int n = 1; n <= 2; ++n) {
    ASSERT_NE(merge.next(), nullptr);
    EXPECT_EQ(*calls, n);
  }
  EXPECT_EQ(calls.use_count(), 2);
  EXPECT_EQ(merge.next(), nullptr);
  EXPECT_EQ(*calls, 3);
  EXPECT_EQ(calls.use_count(), 1) << "the source is destroyed";
  EXPECT_EQ(merge.next(), nullptr);
  EXPECT_EQ(*calls, 3);
}

TEST(MergeStamped, SourcesOfSeveralKindsAreOneType) {
  struct Even {
    int now = -2;
    bool advance() { return (now += 2) < 6; }
    int stamp() const { return now; }
  };
  struct Source {
    std::variant<Listed, Even> kind;
    bool advance() {
      return std::visit([](auto& source) { return source.advance(); }, kind);
    }
    int stamp() const {
      return std::visit([](const auto& source) { return source.stamp(); }, kind);
    }
  };
  std::vector<Item> listed{{1, "a"}, {2, "b"}, {9, "c"}};
  StampedMerge<Source> merge;
  merge.add({Even{}});
  merge.add({Listed(listed)});
  std::vector<std::pair<int, bool>> stamps;  // and whether it is of the list
  while (const Source* source = merge.next()) stamps.emplace_back(source->stamp(), source->kind.index() == 0);
  EXPECT_EQ(stamps,
            (std::vector<std::pair<int, bool>>{{0, false}, {1, true}, {2, false}, {2, true}, {4, false}, {9, true}}));
}

// A stamp that counts how often one is compared.
struct Counted {
  int value;
  static int compared;
  std::strong_ordering operator<=>(const Counted& other) const {
    ++compared;
    return value <=> other.value;
  }
};
int Counted::compared = 0;

TEST(MergeStamped, ComparesTwiceForEachHalvingOfTheSources) {
  struct Stepping {
    int now, step;
    bool advance() { return (now += step) < 10'000; }
    Counted stamp() const { return {now}; }
  };
  for (int sources : {1, 2, 3, 7, 64, 100}) {
    StampedMerge<Stepping> merge;
    for (int i = 0; i < sources; ++i) merge.add({i, sources});
    merge.next();
    const auto levels = static_cast<int>(std::bit_width(static_cast<unsigned>(sources))) - 1;
    for (bool more = true; more;) {
      Counted::compared = 0;
      more = merge.next() != nullptr;
      ASSERT_LE(Counted::compared, 2 * levels) << sources << " sources";
    }
    // One source goes on and on: a look at the two below it.
    StampedMerge<Stepping> one_goes_on;
    one_goes_on.add({0, 1});
    for (int i = 1; i < sources; ++i) one_goes_on.add({9'000, 1});
    one_goes_on.next();
    for (int i = 0; i < 1'000; ++i) {
      Counted::compared = 0;
      ASSERT_NE(one_goes_on.next(), nullptr);
      ASSERT_LE(Counted::compared, 2) << sources << " sources";
    }
  }
}

}  // namespace
}  // namespace maxlat::trace
