// SPDX-License-Identifier: MIT
#include "change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <maxlat/core/sys/cpuset_place.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "keeper.hpp"
#include "moved_change.hpp"
#include "paused_change.hpp"
#include "slices.hpp"
#include "unit_changes.hpp"

namespace maxlat::shield {
namespace {

using core::CpuList;

CpuList cpus_of(const std::string& text) {
  const auto cpus = core::parse_cpu_list(text);
  return cpus ? *cpus : CpuList{};
}

bool has_word(const std::string& text, std::string_view wanted) {
  std::istringstream words(text);
  for (std::string word; words >> word;)
    if (word == wanted) return true;
  return false;
}

// --- file

Standing file_standing(const Change& change, const Surface& surface) {
  if (!surface.view().read(change.path)) return Standing::gone;
  if (core::is_written({change.path, change.before}, surface.view())) return Standing::as_before;
  return core::is_written({change.path, change.wanted}, surface.view()) ? Standing::ours : Standing::other;
}

core::Status write_and_look(const std::string& path, const std::string& value, Surface& surface) {
  if (const core::Status written = surface.write(path, value); !written) return written;
  if (core::is_written({path, value}, surface.view())) return {};
  return core::Error{
      fmt::format("{} took {} and holds {}", path, value, surface.view().read(path).value_or("nothing"))};
}

core::Status file_apply(const Change& change, Surface& surface) {
  return write_and_look(change.path, change.wanted, surface);
}
core::Status file_undo(const Change& change, Surface& surface) {
  return write_and_look(change.path, change.before, surface);
}

// --- kept

// A CPU that is offline; or what an interrupt gets when its last CPU goes: all that are online then.
bool is_the_kernels(const Change& change, const Surface& surface) {
  if (change.path.ends_with("/online")) return true;
  const CpuList now = cpus_of(surface.view().read(change.path).value_or(""));
  const CpuList went = core::union_of(cpus_of(change.before), cpus_of(change.name));
  return !now.empty() && core::difference(core::difference(surface.online(), now), went).empty();
}

Standing kept_standing(const Change& change, const Surface& surface) {
  const Standing now = file_standing(change, surface);
  return now == Standing::other && is_the_kernels(change, surface) ? Standing::ours : now;
}

// --- mount

Standing mount_standing(const Change& change, const Surface& surface) {
  Standing there = Standing::as_before;
  for (const core::Mount& mount : core::mounts_of(surface.view().root))
    if (mount.at == change.path) there = mount.type == change.wanted ? Standing::ours : Standing::other;
  return there;
}

core::Status mount_apply(const Change& change, Surface& surface) {
  return surface.mount(change.wanted, change.path);
}
core::Status mount_undo(const Change& change, Surface& surface) {
  return surface.unmount(change.path);
}

// --- controller

// A group beside ours that has CPUs, or hands the controller on to groups of its own. What systemd's own units have, it
// switches the controller on for by itself.
bool is_used_by_others(const Change& change, const Surface& surface) {
  const std::string parent = change.path.substr(0, change.path.rfind('/'));
  for (const std::string& name : surface.view().list(parent)) {
    const std::string group = parent + "/" + name;
    if (has_word(surface.view().read(group + "/cgroup.subtree_control").value_or(""), change.wanted)) return true;
    const auto& units = kUnitsOfTheRoot;
    const bool is_systemds =
        surface.has_systemd() && std::find(std::begin(units), std::end(units), name) != std::end(units);
    if (name.starts_with("maxlat-") || is_systemds) continue;
    if (!surface.view().read(group + "/cpuset.cpus").value_or("").empty()) return true;
  }
  return false;
}

Standing controller_standing(const Change& change, const Surface& surface) {
  const auto enabled = surface.view().read(change.path);
  if (!enabled) return Standing::gone;
  if (!has_word(*enabled, change.wanted)) return Standing::as_before;
  return is_used_by_others(change, surface) ? Standing::shared : Standing::ours;
}

core::Status controller_apply(const Change& change, Surface& surface) {
  return surface.write(change.path, "+" + change.wanted);
}
core::Status controller_undo(const Change& change, Surface& surface) {
  return surface.write(change.path, "-" + change.wanted);
}

// --- folder

// cgroup v2 calls its list of threads cgroup.threads, v1 calls it tasks.
std::string threads_file(const std::string& group, const Surface& surface) {
  const std::string of_v2 = group + "/cgroup.threads";
  return surface.view().read(of_v2) ? of_v2 : group + "/tasks";
}

Standing folder_standing(const Change& change, const Surface& surface) {
  return surface.view().list(change.path).empty() ? Standing::as_before : Standing::ours;
}

core::Status folder_apply(const Change& change, Surface& surface) {
  return surface.make_folder(change.path);
}

// A partition that is removed gives its CPUs back some time later; one that becomes an ordinary member does so at once.
// New threads may come while we move the others. And one that has ended holds its group until its parent has waited for
// it, though no list of threads has it any more: the group is busy, and nothing but time helps. So we try until it is
// gone, within reason.
core::Status folder_undo(const Change& change, Surface& surface) {
  const std::string partition = change.path + "/cpuset.cpus.partition";
  if (surface.view().read(partition)) static_cast<void>(surface.write(partition, "member"));
  const std::string parent = change.path.substr(0, change.path.rfind('/'));
  const std::string inside = threads_file(change.path, surface), outside = threads_file(parent, surface);
  constexpr int kTries = 1000;
  for (int tried = 1;; ++tried) {
    std::istringstream threads(surface.view().read(inside).value_or(""));
    // One that has ended meanwhile cannot be moved, and need not be.
    for (std::string thread; threads >> thread;) static_cast<void>(surface.write(outside, thread));
    const int why_not = surface.remove_folder(change.path);
    if (why_not == 0) return {};
    if (why_not != EBUSY || tried == kTries) return core::system_error("cannot remove " + change.path, why_not);
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
}

// --- inside

Standing inside_standing(const Change& change, const Surface& surface) {
  const Standing now = file_standing(change, surface);
  return now == Standing::gone ? Standing::as_before : now;
}

// --- affinity

// A cpuset that comes or goes gives its threads all CPUs it has: that, too, is our doing.
Standing affinity_standing(const Change& change, const Surface& surface) {
  const auto task = task_of(change, surface);
  if (!task) return Standing::gone;
  const CpuList online = surface.online(), now = core::cpus_of(surface.view(), *task).value_or(CpuList{});
  if (same_online(now, cpus_of(change.before), online)) return Standing::as_before;
  const bool is_ours = same_online(now, cpus_of(change.wanted), online) || same_online(now, online, online);
  return is_ours ? Standing::ours : Standing::other;
}

// What has all CPUs again by our doing may use the shielded ones, too.
bool is_off_or_inside(const Change& change, const Surface& surface) {
  const auto task = task_of(change, surface);
  const auto now = task ? core::cpus_of(surface.view(), *task) : std::nullopt;
  if (!now) return false;
  return same_online(*now, cpus_of(change.wanted), surface.online()) || is_in_group_of_shield(*task, surface);
}

// Its number may be another's by now, whose mask is in no journal.
core::Status move_task(const Change& change, const std::string& cpus, Surface& surface) {
  if (!task_of(change, surface)) return {};
  const core::Status moved = surface.set_affinity(change.task, cpus_of(cpus));
  // It may have ended while we were at it.
  if (moved || !task_of(change, surface)) return {};
  return core::Error{fmt::format("{}: {}", change.name, moved.error().text)};
}

core::Status affinity_apply(const Change& change, Surface& surface) {
  return move_task(change, change.wanted, surface);
}
core::Status affinity_undo(const Change& change, Surface& surface) {
  return move_task(change, change.before, surface);
}

// --- keeper: a real process, whatever the root

Standing keeper_standing(const Change& change, const Surface&) {
  const auto task = core::task_of({}, static_cast<unsigned>(change.task));
  return task && task->started == change.started ? Standing::ours : Standing::as_before;
}
core::Status keeper_undo(const Change& change, Surface&) {
  return end_keeper(change.task, change.started, {});
}

// --- refused, returned, complete

Standing nothing_to_undo(const Change&, const Surface&) {
  return Standing::as_before;
}
core::Status nothing_to_do(const Change&, Surface&) {
  return {};
}

// --- the kinds

struct KindOfChange {
  Change::Kind kind;
  std::string_view name;
  Standing (*standing)(const Change&, const Surface&);
  core::Status (*apply)(const Change&, Surface&);
  core::Status (*undo)(const Change&, Surface&);
};

constexpr std::array<KindOfChange, 14> kKinds{{
    {Change::Kind::file, "file", file_standing, file_apply, file_undo},
    {Change::Kind::kept, "kept", kept_standing, file_undo, file_undo},
    {Change::Kind::mount, "mount", mount_standing, mount_apply, mount_undo},
    {Change::Kind::controller, "controller", controller_standing, controller_apply, controller_undo},
    {Change::Kind::folder, "folder", folder_standing, folder_apply, folder_undo},
    {Change::Kind::inside, "inside", inside_standing, file_apply, nothing_to_do},
    {Change::Kind::slices, "slices",
     [](const Change& change, const Surface& surface) {
       return slices_standings({&change, 1}, surface).front();
     },
     [](const Change& change, Surface& surface) {
       return slices_apply({&change, 1}, surface).front();
     },
     [](const Change& change, Surface& surface) {
       return slices_undo({&change, 1}, surface).front();
     }},
    {Change::Kind::affinity, "affinity", affinity_standing, affinity_apply, affinity_undo},
    {Change::Kind::moved, "moved", moved_standing, moved_apply, moved_undo},
    {Change::Kind::returned, "returned", nothing_to_undo, nothing_to_do, nothing_to_do},
    {Change::Kind::paused, "paused", paused_standing, paused_apply, paused_undo},
    {Change::Kind::keeper, "keeper", keeper_standing, nothing_to_do,
     keeper_undo},  // it is started before it is journalled: keeper.hpp
    {Change::Kind::refused, "refused", nothing_to_undo, nothing_to_do, nothing_to_do},
    {Change::Kind::complete, "complete", nothing_to_undo, nothing_to_do, nothing_to_do},
}};

const KindOfChange& kind_of(const Change& change) {
  return *std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& kind) { return kind.kind == change.kind; });
}

// Units of systemd's that stand next to each other, as in a journal, together.
template <class Outcome, class OfUnits, class OfOne>
std::vector<Outcome> of_each(std::span<const Change> changes, OfUnits of_units, OfOne of_one) {
  std::vector<Outcome> outcomes;
  for (auto change = changes.begin(); change != changes.end();) {
    const auto rest =
        std::find_if(change, changes.end(), [](const Change& one) { return one.kind != Change::Kind::slices; });
    if (rest == change) {
      outcomes.push_back(of_one(*change++));
      continue;
    }
    for (Outcome& outcome : of_units(std::span(change, rest))) outcomes.push_back(std::move(outcome));
    change = rest;
  }
  return outcomes;
}

}  // namespace

std::string to_string(const Change& change) {
  if (change.task == 0) return change.path;
  const bool is_process = change.kind == Change::Kind::keeper || change.kind == Change::Kind::paused;
  return fmt::format("{} ({} {})", change.name, is_process ? "process" : "thread", change.task);
}

bool changes_something(const Change& change) {
  switch (change.kind) {
    case Change::Kind::kept:
    case Change::Kind::refused:
    case Change::Kind::returned:
    case Change::Kind::complete:
      return false;
    case Change::Kind::file:
    case Change::Kind::slices:
    case Change::Kind::affinity:
      return change.before != change.wanted;
    case Change::Kind::mount:
    case Change::Kind::controller:
    case Change::Kind::folder:
    case Change::Kind::inside:
    case Change::Kind::moved:
    case Change::Kind::paused:
    case Change::Kind::keeper:
      break;
  }
  return true;
}

std::string to_json(const Change& change) {
  nlohmann::ordered_json json{{"change", kind_of(change).name}};
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) json[key] = value;
  };
  add("path", change.path);
  add("before", change.before);
  add("wanted", change.wanted);
  if (change.task != 0) json["task"] = change.task, json["started"] = change.started;
  add("name", change.name);
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<Change> change_from_json(std::string_view text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const auto string_at = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const auto number_at = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
  };
  const std::string name = string_at("change");
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& row) { return row.name == name; });
  if (kind == kKinds.end()) return std::nullopt;
  return Change{kind->kind,
                string_at("path"),
                string_at("before"),
                string_at("wanted"),
                static_cast<pid_t>(number_at("task")),
                number_at("started"),
                string_at("name")};
}

std::optional<core::Task> task_of(const Change& change, const Surface& surface) {
  const auto task = core::task_of(surface.view(), static_cast<unsigned>(change.task));
  return task && task->started == change.started ? task : std::nullopt;
}

Standing standing(const Change& change, const Surface& surface) {
  return kind_of(change).standing(change, surface);
}
bool stands(const Change& change, Standing now, const Surface& surface) {
  if (change.kind == Change::Kind::affinity) return is_off_or_inside(change, surface);
  if (change.kind == Change::Kind::moved) return moved_stands(change, surface);
  return now == Standing::ours || now == Standing::shared;
}
bool same_online(const CpuList& one, const CpuList& other, const CpuList& online) {
  return core::intersection(one, online) == core::intersection(other, online);
}
core::Status apply(const Change& change, Surface& surface) {
  return kind_of(change).apply(change, surface);
}
core::Status undo(const Change& change, Surface& surface) {
  return kind_of(change).undo(change, surface);
}

std::vector<Standing> standings(std::span<const Change> changes, const Surface& surface) {
  return of_each<Standing>(
      changes, [&](auto units) { return slices_standings(units, surface); },
      [&](const Change& change) { return standing(change, surface); });
}
std::vector<core::Status> apply(std::span<const Change> changes, Surface& surface) {
  return of_each<core::Status>(
      changes, [&](auto units) { return slices_apply(units, surface); },
      [&](const Change& change) { return apply(change, surface); });
}
std::vector<core::Status> undo(std::span<const Change> changes, Surface& surface) {
  return of_each<core::Status>(
      changes, [&](auto units) { return slices_undo(units, surface); },
      [&](const Change& change) { return undo(change, surface); });
}

}  // namespace maxlat::shield
