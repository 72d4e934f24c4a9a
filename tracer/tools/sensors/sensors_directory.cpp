// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <maxlat/base/owned.hpp>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/counted.hpp>
#include <maxlat/core/sys/signal_descriptor.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/core/sys/tell.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/sensors/directory.hpp>

#include "sensors/sensors_commands.hpp"

namespace maxlat::trace_tools {
namespace {

struct DirectoryPlan {
  sensors::DirectoryOptions options{};
  std::string allow{};  // the rules' file; "": none
  bool forget = false;
  std::vector<std::string> patterns;
};

// For a directory that keeps what the dead have left: whatever the path has become, it does not wait for it, nor fill
// its memory with it.
core::Result<std::string> text_of_rules(const std::string& path) {
  constexpr std::size_t kMost = 1 << 20;
  const base::Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat about {};
  if (!file || fstat(file.number(), &about) != 0) return core::system_error("cannot read " + path, errno);
  if (!S_ISREG(about.st_mode)) return core::Error{path + " is not a file"};
  std::string text(kMost + 1, '\0');
  std::size_t size = 0;
  for (ssize_t part = 1; part > 0 && size < text.size(); size += static_cast<std::size_t>(part)) {
    part = read(file.number(), text.data() + size, text.size() - size);
    if (part < 0) return core::system_error("cannot read " + path, errno);
  }
  if (size > kMost) return core::Error{path + " has more than 1 MiB: these are no rules"};
  text.resize(size);
  return text;
}

core::Result<std::vector<sensors::DirectoryRule>> rules_in(const std::string& path) {
  const auto text = text_of_rules(path);
  if (!text) return text.error();
  auto rules = sensors::directory_rules(*text);
  if (!rules) return core::Error{path + ": " + rules.error().text, rules.error().hint};
  return rules;
}

core::Status check_together(const DirectoryPlan& plan, bool system, bool allow) {
  if (!plan.forget && !plan.patterns.empty())
    return core::Error{"a pattern says what to forget: it needs --forget", "what is kept, `maxlat sensors list` shows"};
  if (plan.forget && plan.patterns.empty()) return core::Error{"--forget needs a pattern of what to forget"};
  if (plan.forget && (system || allow))
    return core::Error{"--forget goes to the directories that are there, by itself"};
  if (allow && !system)
    return core::Error{"--allow needs --system", "a directory of your own cannot be found by other users"};
  return {};
}

core::Result<std::optional<DirectoryPlan>> directory_plan(const core::Arguments& arguments) {
  constexpr core::CommandHelp kHelp{
      "maxlat sensors directory [options] [SENSOR ...]",
      "Keeps the memory of programs with sensors, so that what they posted last can be read when they have ended or\n"
      "were killed (`maxlat sensors list`, `get`). Runs until SIGINT, SIGTERM or SIGHUP; what it kept is gone then.\n"
      "With --allow SIGHUP does not end it: it reads FILE again. What monitors have got already they keep.\n"
      "Programs find it by themselves. Their posts do not notice it. Those with a common group get its memory here.",
      "  maxlat sensors directory &                       for your programs\n"
      "  maxlat sensors directory --system --allow FILE   root's, for everybody's programs; a line of FILE:\n"
      "                                                   allow USER|@GROUP|* PROGRAM/GROUP\n"
      "  maxlat sensors directory --forget 'robot#4711'   an ended program's are not wanted any more\n"};
  boost::program_options::options_description options("Options");
  auto add = options.add_options();
  add("system", "for the programs of all users, as root");
  add("allow", core::argument("FILE"), "who may read what is another user's (else root alone)");
  add("keep", core::argument<std::uint64_t>("N")->default_value(64), "so many ended programs, of each user");
  add("forget", "drops the groups that have these sensors, of programs that have ended");
  add("help,h", "this text");
  const auto line = core::parse_or_help(kHelp, options, arguments);
  if (!line) return line.error();
  if (!*line) return std::optional<DirectoryPlan>{};
  DirectoryPlan plan{.forget = (*line)->has("forget"), .patterns = (*line)->operands};
  const bool system = (*line)->has("system"), allow = (*line)->has("allow");
  if (const core::Status fits = check_together(plan, system, allow); !fits) return fits.error();
  if (plan.forget && (*line)->given("keep")) return core::Error{"--forget does not go with --keep"};
  plan.options.keep = (*line)->get<std::uint64_t>("keep");
  plan.options.for_everybody = system;
  if (system) plan.options.path = sensors::kSystemDirectory;
  if (allow) {
    plan.allow = (*line)->get<std::string>("allow");
    auto rules = rules_in(plan.allow);
    if (!rules) return rules.error();
    plan.options.rules = std::move(*rules);
  }
  if (system && geteuid() != 0) return core::cannot_run("--system is for root");
  return std::optional(std::move(plan));
}

// Each group takes two.
void have_many_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// A file that is not right changes nothing.
void read_rules_again(sensors::Directory& directory, const std::string& path) {
  auto rules = rules_in(path);
  if (rules) {
    const std::size_t count = rules->size();
    directory.set_rules(std::move(*rules));
    core::tell("maxlat sensors: {} has {} now; what monitors have got already they keep\n", core::printable(path),
               core::counted(count, "rule"));
    return;
  }
  const core::Error& error = rules.error();
  const std::string hint = error.hint.empty() ? "" : fmt::format(" ({})", error.hint);
  core::tell("maxlat sensors: the rules stay as they were: {}\n", core::printable(error.text + hint));
}

core::Result<core::Exit> serve(const DirectoryPlan& plan) {
  core::catch_stop_signals();
  // As daemons have it. A directory without rules that could be read again ends with its terminal.
  std::optional<core::SignalDescriptor> hang_up;
  if (!plan.allow.empty()) hang_up.emplace(SIGHUP);
  have_many_descriptors();
  const auto directory = sensors::Directory::open(plan.options);
  if (!directory) return directory.error();
  const std::size_t groups = (*directory)->groups();
  fmt::print("keeps sensors, at {}; of programs that run already: {}\n", plan.options.path,
             core::counted(groups, "group"));
  if (std::fflush(stdout) != 0) return core::system_error("cannot write standard output", errno);
  const int ends[] = {core::stop_fd(), hang_up ? hang_up->descriptor() : -1};
  while (!core::stop_requested()) {
    if (const core::Status served = (*directory)->serve(ends); !served) return served.error();
    if (hang_up && hang_up->came()) read_rules_again(**directory, plan.allow);
  }
  if (const std::size_t gone = (*directory)->of_the_ended(); gone != 0)
    core::tell("maxlat sensors: what was kept of ended programs is gone now: {}\n", core::counted(gone, "group"));
  return core::Exit::pass;
}

bool has_one_of(const sensors::GroupView& group, const std::string& pattern) {
  return std::any_of(group.sensors().begin(), group.sensors().end(),
                     [&](const sensors::SensorFacts& sensor) { return sensors::matches(pattern, group, sensor); });
}

// All that the patterns name, and then the first that could not be.
core::Result<core::Exit> forget(const DirectoryPlan& plan) {
  std::vector<std::string> refused;
  auto known = sensors::known_groups(true, &refused);
  if (!known) return known.error();
  std::erase_if(*known, [](const sensors::KnownGroup& one) { return !one.ended; });
  std::optional<core::Error> failed;
  for (const std::string& pattern : plan.patterns) {
    const auto is_meant = [&](const sensors::KnownGroup& one) { return has_one_of(one.group, pattern); };
    if (std::none_of(known->begin(), known->end(), is_meant) && !failed)
      failed = core::Error{fmt::format("nothing is kept of an ended program that is called \"{}\"", pattern),
                           refused.empty() ? "" : core::printable(refused.front())};
    for (const sensors::KnownGroup& one : *known) {
      if (!is_meant(one)) continue;
      const core::Status done = sensors::forget_group(one.group);
      if (done)
        fmt::print("forgotten: {}/{}\n", one.group.instance(), one.group.group());
      else if (!failed)
        failed = done.error();
    }
    std::erase_if(*known, is_meant);
  }
  if (failed) return *failed;
  return core::Exit::pass;
}

}  // namespace

core::Result<core::Exit> sensors_directory(const core::Arguments& arguments) {
  const auto plan = directory_plan(arguments);
  if (!plan) return plan.error();
  if (!*plan) return core::Exit::pass;
  return (*plan)->forget ? forget(**plan) : serve(**plan);
}

}  // namespace maxlat::trace_tools
