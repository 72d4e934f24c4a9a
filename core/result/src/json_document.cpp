// SPDX-License-Identifier: MIT
#include "json_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <istream>
#include <optional>

namespace maxlat::core {
namespace {

// Markers for bins have even numbers, markers for number lists odd ones.
Json marker(size_t index, bool is_bins) {
  return Json::binary({}, index * 2 + (is_bins ? 0 : 1));
}

std::optional<size_t> marked_index(const Json& place, bool is_bins) {
  if (!place.is_binary()) return std::nullopt;
  const auto number = place.get_binary().subtype();
  if ((number % 2 == 0) != is_bins) return std::nullopt;
  return number / 2;
}

bool is_bin(const Json& array) {
  return array.size() == 3 && array[0].is_number() && array[1].is_number() && array[2].is_number_unsigned();
}

}  // namespace

// Watches the parser's events and takes the long arrays away from it.
class JsonDocument::Collector {
 public:
  explicit Collector(JsonDocument& document) : document_(document) {}

  // nlohmann's parser_callback_t: false drops the value just parsed.
  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    switch (event) {
      case Event::key:
        last_key_is_bins_ = parsed.get_ref<const std::string&>() == "bins";
        return true;
      case Event::array_start:
        if (bins_depth_ < 0 && last_key_is_bins_) {
          bins_depth_ = depth;
          bins_.clear();
        }
        last_key_is_bins_ = false;
        return true;
      case Event::array_end:
        return array_end(depth, parsed);
      case Event::object_start:
      case Event::value:
        last_key_is_bins_ = false;
        return true;
      case Event::object_end:
        return true;
    }
    return true;
  }

 private:
  bool array_end(int depth, Json& array) {
    if (bins_depth_ >= 0 && depth == bins_depth_ + 1 && is_bin(array)) {
      bins_.push_back({array[0].get<double>(), array[1].get<double>(), array[2].get<uint64_t>()});
      return false;
    }
    if (depth == bins_depth_) {
      bins_depth_ = -1;
      // Whatever was no bin is still in the array: then it stays there, and the reader says that it is not a list of
      // bins.
      if (!array.empty()) return true;
      array = marker(document_.bins_.size(), true);
      document_.bins_.push_back({bins_.begin(), bins_.end()});
      return true;
    }
    if (bins_depth_ < 0 && !array.empty() &&
        std::all_of(array.begin(), array.end(), [](const Json& item) { return item.is_number(); })) {
      std::vector<double> numbers(array.size());
      std::transform(array.begin(), array.end(), numbers.begin(), [](const Json& item) { return item.get<double>(); });
      array = marker(document_.numbers_.size(), false);
      document_.numbers_.push_back(std::move(numbers));
    }
    return true;
  }

  JsonDocument& document_;
  std::vector<Bin> bins_;  // of the array under way; grows once, is copied to size
  bool last_key_is_bins_ = false;
  int bins_depth_ = -1;  // of the array below "bins" while we are in it
};

template <typename Input>
Result<JsonDocument> JsonDocument::parse_input(Input&& input) {
  JsonDocument document;
  Collector collector(document);
  try {
    document.root_ = Json::parse(std::forward<Input>(input), std::ref(collector));
  } catch (const Json::parse_error& error) {
    if (error.byte <= 1)
      return Error{.text = "not a JSON text: it is empty, or another kind of file",
                   .hint = "a result is the result.json of a run, or what --json wrote; of an empty one the writer was "
                           "killed, or the disk was full"};
    return Error{.text = fmt::format("not a complete JSON text: it breaks off or goes wrong at byte {}", error.byte),
                 .hint = "was the program that wrote it killed, or the disk full?"};
  } catch (const Json::out_of_range&) {
    return Error{.text = "it has a number that is out of range"};
  }
  return document;
}

Result<JsonDocument> JsonDocument::parse(std::string_view text) {
  return parse_input(text);
}
Result<JsonDocument> JsonDocument::parse(std::istream& text) {
  return parse_input(text);
}

std::vector<Bin>* JsonDocument::bins_at(const Json& place) {
  const auto index = marked_index(place, true);
  return index ? &bins_[*index] : nullptr;
}

std::vector<double>* JsonDocument::numbers_at(const Json& place) {
  const auto index = marked_index(place, false);
  return index ? &numbers_[*index] : nullptr;
}

}  // namespace maxlat::core
