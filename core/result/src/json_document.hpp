// SPDX-License-Identifier: MIT
//
// A parsed JSON text whose long arrays are not part of the tree.
//
// A run of 64 CPUs has half a million bins; as a tree of nlohmann::json each would take some 150 bytes. So while the
// parser runs, every [low, high, count] below a key "bins", and every array that holds nothing but numbers, is moved
// into a plain vector as soon as it is complete, and a marker stays in its place. The marker is a binary value, which
// no JSON text can contain, so no file can forge one.
#pragma once

#include <iosfwd>
#include <maxlat/core/result/run_result.hpp>
#include <maxlat/core/sys/result.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::core {

using Json = nlohmann::ordered_json;  // ordered: quantiles and fingerprints keep the order of the file

class JsonDocument {
 public:
  // ERRORS: not JSON (with the byte where it ends to be), trailing text, empty input.
  static Result<JsonDocument> parse(std::string_view text);
  static Result<JsonDocument> parse(std::istream& text);

  const Json& root() const { return root_; }
  // What a marker stands for; null when `place` is none, or is one for something else. Taken at most once: moved out.
  std::vector<Bin>* bins_at(const Json& place);
  std::vector<double>* numbers_at(const Json& place);

 private:
  class Collector;
  template <typename Input>
  static Result<JsonDocument> parse_input(Input&& input);

  Json root_;
  std::vector<std::vector<Bin>> bins_;
  std::vector<std::vector<double>> numbers_;
};

}  // namespace maxlat::core
