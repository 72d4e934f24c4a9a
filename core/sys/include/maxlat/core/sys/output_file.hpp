// SPDX-License-Identifier: MIT
//
// A file that a command writes: whole or not at all; and the question asked before a measurement, so that hours of it
// are not lost to a wrong path.
#pragma once

#include <maxlat/core/sys/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace maxlat::core {

// Writes a temporary beside it, syncs, renames: path holds the old text or the new one at any moment, also when the
// disk is full. What is replaced keeps its mode. A link of another user, unless root's, is an error. "-" is standard
// output.
Status write_atomically(const std::string& path, std::string_view text);

// The same of a file, and prints its path as a line, once the text is on the disk and before it takes its place: where
// that cannot be told no file is left, and none is told of that could not be written.
Status write_and_tell(const std::string& path, std::string_view text);

// Whether write_atomically() could write there now. Leaves what is there untouched. A disk that fills up later is not
// foreseen.
Status check_writable(const std::string& path);

// Before anything is read or written: no output is an input, or another output, by whatever name. "" and "-" are none.
// ERRORS: the first that is; it would be lost.
Status check_apart(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

// The folder that `path` stands in, and those above it.
Status make_folder_of(const std::string& path);

}  // namespace maxlat::core
