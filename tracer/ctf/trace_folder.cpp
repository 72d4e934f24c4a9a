// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <maxlat/trace/trace_folder.hpp>
#include <optional>
#include <set>

namespace maxlat::trace {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMetadata = "metadata";
constexpr const char* kBooks = ".books";
constexpr const char* kMissing = "it is missing, and without it nobody can read the events of this process";
constexpr std::size_t kMagicSize = 4;
constexpr int kDeepest = 2;  // DIR/SNAPSHOT/PROCESS/metadata

// Every file that CTF's readers take for a stream, and so do we.
std::vector<std::string> stream_files(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename();
    std::error_code ignored;  // what cannot be looked at is no regular file
    if (name != kMetadata && !name.starts_with('.') && entry->is_regular_file(ignored)) files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

base::Result<TraceProcess> read_metadata(const fs::path& folder) {
  std::ifstream file(folder / kMetadata, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) return base::Error{"cannot read " + (folder / kMetadata).string()};
  auto description = parse_metadata(std::move(text));
  if (!description) return base::Error{folder.string() + ": " + description.error().text, description.error().hint};
  return description;
}

base::Result<StoredProcess> open_process(const fs::path& folder) {
  auto description = read_metadata(folder);
  if (!description) return description.error();
  description->folder = folder;
  std::ifstream names(folder / kThreadNamesFile, std::ios::binary);
  description->thread_names = parse_thread_names(std::string{std::istreambuf_iterator<char>(names), {}});
  return StoredProcess{*std::move(description), stream_files(folder)};
}

// Offsets from tick 0 to wall and monotonic time that are one counter's: a wall clock that was set moves the first,
// sleep in which the counter runs on the second, a counter that began anew both. A minute: two rates that were measured
// to 50 parts in a million have that between them after two weeks.
bool is_same_counter(const TraceProcess& one, const TraceProcess& other) {
  constexpr std::uint64_t kMinuteNs = 60'000'000'000;
  const auto near = [](std::int64_t a, std::int64_t b) {
    return static_cast<std::uint64_t>(std::max(a, b)) - static_cast<std::uint64_t>(std::min(a, b)) < kMinuteNs;
  };
  return near(one.time.realtime_ns(0), other.time.realtime_ns(0)) ||
         near(one.monotonic_offset_ns, other.monotonic_offset_ns);
}

// Processes with one clock are told with one offset, that of the first: then the order of time is that of ticks,
// whatever was measured between their starts.
void share_times(std::vector<StoredProcess>& processes) {
  std::map<Uuid, TraceProcess*> first;
  for (StoredProcess& process : processes) {
    TraceProcess& trace = process.description;
    if (trace.clock_uuid == Uuid{}) continue;
    const TraceProcess& shown = *first.try_emplace(trace.clock_uuid, &trace).first->second;
    if (!is_same_counter(trace, shown)) continue;
    trace.time = shown.time;
    trace.monotonic_offset_ns = shown.monotonic_offset_ns;
  }
}

// A folder of a process that lost its metadata: there are its books, or a file that begins as a stream does.
bool has_streams(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder / kBooks, ignored)) return true;
  const auto magic = packet_prefix({}, 0, 0);
  const std::vector<std::string> files = stream_files(folder);
  return std::any_of(files.begin(), files.end(), [&](const std::string& path) {
    std::array<std::uint8_t, kMagicSize> begin{};
    std::ifstream(path, std::ios::binary).read(reinterpret_cast<char*>(begin.data()), begin.size());
    return std::equal(begin.begin(), begin.end(), magic.begin());
  });
}

struct Folders {  // sorted
  std::vector<fs::path> with_metadata;
  std::vector<fs::path> without;  // and may have streams
};

base::Result<Folders> folders_of_processes(const std::string& folder, int deepest) {
  Folders folders;
  std::set<fs::path> all;
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    return base::Error{folder + " is a file, and a trace is a folder", "give the folder that was recorded to"};
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  if (error) return base::Error{"cannot read " + folder + ": " + error.message()};
  for (const fs::recursive_directory_iterator end; !error && entry != end; entry.increment(error)) {
    if (entry.depth() == deepest) entry.disable_recursion_pending();
    if (entry->path().filename() == kMetadata) folders.with_metadata.push_back(entry->path().parent_path());
    all.insert(entry->path().parent_path());
  }
  std::sort(folders.with_metadata.begin(), folders.with_metadata.end());
  std::set_difference(all.begin(), all.end(), folders.with_metadata.begin(), folders.with_metadata.end(),
                      std::back_inserter(folders.without));
  return folders;
}

// CTF 1.8 as text, or in packets as LTTng writes it, in either byte order.
bool is_ctf(const fs::path& metadata) {
  std::ifstream file(metadata, std::ios::binary);
  std::string begin(10, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == "/* CTF 1.8" || begin.starts_with("\x75\xd1\x1d\x57") || begin.starts_with("\x57\x1d\xd1\x75");
}

}  // namespace

std::vector<std::string> foreign_folders(const std::string& folder) {
  constexpr int kDeepestOfOthers = 8;  // LTTng: DIR/ust/uid/0/64-bit/metadata, more with rotations
  std::vector<std::string> foreign;
  const auto folders = folders_of_processes(folder, kDeepestOfOthers);
  if (!folders) return foreign;
  for (const fs::path& path : folders->with_metadata) {
    if (is_ctf(path / kMetadata) && !read_metadata(path)) foreign.push_back(path);
  }
  return foreign;
}

base::Result<std::vector<StoredProcess>> open_trace_folder(const std::string& folder,
                                                           std::vector<TraceBreak>* unreadable) {
  const auto folders = folders_of_processes(folder, kDeepest);
  if (!folders) return folders.error();
  std::vector<StoredProcess> processes;
  std::vector<TraceBreak> lost;
  for (const fs::path& path : folders->without) {
    if (has_streams(path)) lost.push_back({path / kMetadata, 0, kMissing});
  }
  if (folders->with_metadata.empty() && (lost.empty() || unreadable == nullptr)) {
    return base::Error{folder + " is no trace: there is no file \"metadata\" in it",
                       "give the folder that was recorded to"};
  }
  if (unreadable != nullptr) *unreadable = lost;
  std::optional<base::Error> first_error;
  std::size_t number = 0;
  for (const fs::path& path : folders->with_metadata) {
    auto process = open_process(path);
    if (!process) {
      if (!first_error) first_error = process.error();
      if (unreadable != nullptr) unreadable->push_back({path / kMetadata, 0, process.error().text});
      continue;
    }
    for (auto& [stream_id, channel] : process->description.channels) {
      for (auto& [id, type] : channel.events) type.number = number++;
    }
    processes.push_back(*std::move(process));
  }
  if (processes.empty() && first_error) return *first_error;
  share_times(processes);
  return processes;
}

std::set<std::string> event_names(const std::vector<StoredProcess>& processes) {
  std::set<std::string> names;
  for (const StoredProcess& process : processes) {
    for (const auto& [stream_id, channel] : process.description.channels) {
      for (const auto& [id, type] : channel.events) names.insert(type.name);
    }
  }
  return names;
}

bool described_since(const TraceProcess& process, std::uint32_t stream_id, std::uint32_t event_id) {
  const auto now = read_metadata(process.folder);
  if (!now || now->uuid != process.uuid) return false;
  const auto channel = now->channels.find(stream_id);
  return channel != now->channels.end() && channel->second.events.contains(event_id);
}

std::string channel_of_file(std::string_view path) {
  std::string_view name = path.substr(path.rfind('/') + 1);
  for (int part = 0; part < 2; ++part) {
    const std::size_t dash = name.rfind('-');
    if (dash != std::string_view::npos) name = name.substr(0, dash);
  }
  return std::string(name);
}

}  // namespace maxlat::trace
