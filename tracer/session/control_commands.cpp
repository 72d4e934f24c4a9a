// SPDX-License-Identifier: MIT
#include "session/control_commands.hpp"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <maxlat/trace/session.hpp>
#include <set>
#include <span>

#include "session/control_lock.hpp"
#include "session/events.hpp"

namespace maxlat::trace::detail {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::array<std::string_view, 4> kStates = {"created", "running", "stopped", "destroyed"};

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t\r\n");
    if (begin == line.npos) return words;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(" \t\r\n"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

ControlAnswer ok(std::string lines = {}) {
  return {"ok\n" + std::move(lines), {}, false};
}

ControlAnswer error(const base::Error& error) {
  return {"error " + error.text + (error.hint.empty() ? "" : " (" + error.hint + ")") + "\n", {}, false};
}

ControlAnswer ok_or(const base::Status& status) {
  return status ? ok() : error(status.error());
}

template <class Number>
base::Result<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (wrong != std::errc{} || end != text.data() + text.size())
    return base::Error{"not a number: " + std::string(text)};
  return number;
}

// One NAME=VALUE of `channel`.
base::Status set_option(ChannelOptions& options, std::string_view word) {
  const std::size_t equals = std::min(word.find('='), word.size());
  const std::string_view name = word.substr(0, equals);
  const std::string_view value = word.substr(std::min(equals + 1, word.size()));
  const auto choose = [&](auto& option, std::string_view first, auto if_first, std::string_view second,
                          auto if_second) {
    if (value != first && value != second) {
      return base::Status(base::Error{std::string(name) + " is " + std::string(first) + " or " + std::string(second)});
    }
    option = value == first ? if_first : if_second;
    return base::Status{};
  };
  const auto count = [&](auto& option) {
    const auto number = number_of<std::remove_reference_t<decltype(option)>>(value);
    if (!number) return base::Status(number.error());
    option = *number;
    return base::Status{};
  };
  if (name == "mode") {
    return choose(options.when_full, "discard", FullBuffer::discard, "overwrite", FullBuffer::overwrite);
  }
  if (name == "per") return choose(options.ownership, "thread", Ownership::per_thread, "cpu", Ownership::per_cpu);
  if (name == "deliver") return choose(options.delivery, "timer", Delivery::timer, "wakeup", Delivery::wakeup);
  if (name == "context") return choose(options.context, "none", Context::none, "cpu", Context::cpu);
  if (name == "size") return count(options.sub_buffer_size);
  if (name == "count") return count(options.sub_buffers);
  if (name == "slots") return count(options.slots);
  return base::Error{"no option of a channel: " + std::string(word)};
}

std::string type_of(const Field& field) {
  const std::string bits = std::to_string(8 * field.bytes);
  const bool floating = field.is_float || field.kind == FieldKind::floating;
  const bool enumeration = field.kind == FieldKind::enumeration;
  const std::string shown_as = field.is_hex ? "hex:" : enumeration ? "enum:" : "";
  const std::string element = shown_as + (floating ? "float" : field.is_signed ? "int" : "uint") + bits;
  const std::string count = std::to_string(field.count);
  switch (field.kind) {
    case FieldKind::array:
      return element + "[" + count + "]";
    case FieldKind::sequence:
      return element + "[0.." + count + "]";
    case FieldKind::string:
      return "string[0.." + count + "]";
    case FieldKind::integer:
    case FieldKind::floating:
    case FieldKind::enumeration:
      break;
  }
  return element;
}

ControlAnswer hello(Words) {
  return ok("maxlat-trace 1\npid " + std::to_string(getpid()) + "\nprocess " + program_invocation_short_name +
            "\nthread-of-control " + std::to_string(syscall(SYS_gettid)) + "\n");
}

// Events of one name in several modules are one event to whoever asks.
ControlAnswer list(Words) {
  const ControlLock lock;
  std::string lines;
  std::set<std::string> seen;
  for (const Event* event = first_event(); event != nullptr; event = event->next) {
    const std::string name = full_name(*event->description);
    if (!seen.insert(name).second) continue;
    lines +=
        "event " + name + " " + std::string(kLevelNames[static_cast<std::size_t>(event->description->level)]) + "\n";
    for (const Field& field : event->description->fields) {
      lines += "field " + std::string(field.name) + " " + type_of(field) + "\n";
    }
  }
  return ok(std::move(lines));
}

ControlAnswer create(Words words) {
  const base::Result<Session> session = Session::create({.name = std::string(words[1])});
  return session ? ok() : error(session.error());
}

ControlAnswer status(Words) {
  std::string lines;
  for (const SessionStatus& session : Session::all()) {
    lines += "session " + session.name + " " + std::string(kStates[static_cast<std::size_t>(session.state)]) + "\n";
    for (const ChannelStatus& channel : session.channels) {
      const Books& books = channel.books;
      lines += "channel " + channel.name + " produced " + std::to_string(books.produced()) + " recorded " +
               std::to_string(books.recorded) + " lost_full " + std::to_string(books.lost_full) + " lost_wrap " +
               std::to_string(books.lost_wrap) + " lost_big " + std::to_string(books.lost_big) + " lost_no_ring " +
               std::to_string(books.lost_no_ring) + " slots " + std::to_string(channel.slots_used) + "/" +
               std::to_string(channel.slots) + "\n";
    }
  }
  return ok(std::move(lines));
}

ControlAnswer resume(Words) {
  ControlAnswer yes = ok();
  yes.resume = true;
  return yes;
}

// What is asked of a session that exists; words[1] is its name.
ControlAnswer channel(Session& session, Words words) {
  ChannelOptions options;
  options.name = words[2];
  for (const std::string_view word : words.subspan(3)) {
    if (const base::Status set = set_option(options, word); !set) return error(set.error());
  }
  return ok_or(session.add_channel(options));
}

ControlAnswer enable(Session& session, Words words) {
  auto level = Level::debug;
  if (words.size() > 4) {
    const base::Result<unsigned> number =
        words[4].starts_with("level=") ? number_of<unsigned>(words[4].substr(6)) : base::Error{"level=N is missing"};
    if (!number || *number >= kLevelNames.size())
      return error({"the level is a number from 0 to 7: " + std::string(words[4])});
    level = static_cast<Level>(*number);
  }
  return ok_or(session.enable(words[2], words[3], level));
}

ControlAnswer disable(Session& session, Words words) {
  return ok_or(session.disable(words[2], words[3]));
}

ControlAnswer attach(Session& session, Words) {
  const base::Result<SessionDescriptors> descriptors = session.descriptors();
  if (!descriptors) return error(descriptors.error());
  ControlAnswer yes = ok();
  yes.descriptors.emplace_back(descriptors->memory);
  if (descriptors->wakeup >= 0) yes.descriptors.emplace_back(descriptors->wakeup);
  return yes;
}

ControlAnswer start(Session& session, Words words) {
  const base::Status started = session.start();
  return started ? attach(session, words) : error(started.error());
}

ControlAnswer stop(Session& session, Words) {
  return ok_or(session.stop());
}

ControlAnswer destroy(Session& session, Words) {
  return ok_or(session.destroy());
}

ControlAnswer snapshot(Session& session, Words) {
  session.request_snapshot();
  return ok();
}

struct Request {
  std::string_view name;
  std::size_t least, most;  // words
  ControlAnswer (*of_process)(Words);
  ControlAnswer (*of_session)(Session&, Words);
};

constexpr Request kRequests[] = {
    {"hello", 1, 1, hello, nullptr},       {"list", 1, 1, list, nullptr},       {"create", 2, 2, create, nullptr},
    {"status", 1, 1, status, nullptr},     {"resume", 1, 1, resume, nullptr},   {"channel", 3, 10, nullptr, channel},
    {"enable", 4, 5, nullptr, enable},     {"disable", 4, 4, nullptr, disable}, {"start", 2, 2, nullptr, start},
    {"attach", 2, 2, nullptr, attach},     {"stop", 2, 2, nullptr, stop},       {"destroy", 2, 2, nullptr, destroy},
    {"snapshot", 2, 2, nullptr, snapshot},
};

}  // namespace

ControlAnswer answer(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  if (words.empty()) return error({"an empty request"});
  for (const Request& request : kRequests) {
    if (request.name != words[0]) continue;
    if (words.size() < request.least || words.size() > request.most) {
      return error({std::string(words[0]) + ": wrong number of words"});
    }
    if (request.of_process != nullptr) return request.of_process(words);
    base::Result<Session> session = Session::find(words[1]);
    return session ? request.of_session(*session, words) : error(session.error());
  }
  return error({"no such request: " + std::string(words[0].substr(0, 40))});
}

}  // namespace maxlat::trace::detail
