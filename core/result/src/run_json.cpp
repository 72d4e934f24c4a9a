// SPDX-License-Identifier: MIT
//
// result.json: the model, the format (run_fields.hpp) and the file brought together.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/core/sys/text.hpp>

#include "json_reader.hpp"
#include "json_writer.hpp"

namespace maxlat::core {
namespace {

// It names what stands in the file, where a text may hold any character.
Error in_one_line(Error error) {
  error.text = printable(error.text);
  return error;
}

Result<RunResult> run_from(JsonDocument document) {
  RunResult run;
  JsonReader reader(document);
  describe(reader, run);
  if (reader.error()) return in_one_line(*reader.error());
  // In the file an outlier stands in its CPU; in the model it says so itself.
  for (Phase& phase : run.phases) {
    for (CpuResult& cpu : phase.per_cpu) {
      for (auto* outliers : {&cpu.overflow, &cpu.outliers}) {
        for (Outlier& outlier : *outliers) outlier.cpu = cpu.cpu;
      }
    }
  }
  if (const Status valid = validate(run); !valid) return in_one_line(valid.error());
  return run;
}

Error in_file(const std::string& path, const Error& error) {
  return {.text = path + ": " + error.text, .hint = error.hint, .exit_status = error.exit_status};
}

}  // namespace

std::string to_json(const RunResult& run) {
  return JsonWriter::text_of(run);
}

Result<RunResult> from_json(std::string_view text) {
  auto document = JsonDocument::parse(text);
  return document ? run_from(*std::move(document)) : document.error();
}

Result<RunResult> read_run(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Error{.text = path + ": is a folder", .hint = "name the result.json in it"};
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return system_error("cannot read " + path, errno);
  auto document = JsonDocument::parse(file);
  if (!document) return in_file(path, document.error());
  auto run = run_from(*std::move(document));
  return run ? std::move(run) : in_file(path, run.error());
}

Status write_run(const std::string& path, const RunResult& run) {
  if (const Status valid = validate(run); !valid) {
    return Error{.text = "the result is not written, it is not valid: " + valid.error().text};
  }
  return write_atomically(path, to_json(run));
}

}  // namespace maxlat::core
