// SPDX-License-Identifier: MIT
#include "event_printer.hpp"

#include "escape.hpp"
#include "thread_name_text.hpp"

namespace maxlat::trace_tools {
namespace {

// Makes place for number `at` of a table that grows as numbers turn up.
template <typename T>
T& entry(std::vector<T>& table, std::size_t at) {
  if (at >= table.size()) table.resize(at + 1);
  return table[at];
}

}  // namespace

const EventPrinter::Words& EventPrinter::words_of(const trace::EventType& type) {
  Words& words = entry(types_, type.number);
  if (!words.head.empty()) return words;
  words.head = style_.json ? ",\"event\":" + quoted_json(type.name) + ",\"fields\":" : c_escaped(type.name) + ": ";
  words.fields = field_words(type.fields, style_);
  return words;
}

const std::string& EventPrinter::words_of(const trace::TraceStream& stream) {
  std::string& words = entry(streams_, stream.number);
  if (!words.empty()) return words;
  const std::string pid = std::to_string(stream.process->pid);
  const std::string owner = std::to_string(stream.owner);
  const bool per_cpu = trace::is_of_cpu(stream.channel->kind);
  if (style_.json) {
    words = ",\"process\":" + quoted_json(stream.process->name) + ",\"pid\":" + pid +
            (per_cpu ? ",\"cpu\":" : ",\"tid\":") + owner;
  } else {
    words = c_escaped(stream.process->name) + " " + pid + (per_cpu ? "/cpu" : "/") + owner;
  }
  return words;
}

const std::string& EventPrinter::words_of(const trace::TraceStream& stream, const trace::ThreadName* name) {
  Called& called = entry(called_, stream.number);
  if (called.name == name) return called.words;
  called.name = name;
  if (style_.json)
    called.words = ",\"thread_name\":" + quoted_json(name->text);
  else
    called.words = name_in_text(stream, *name);
  return called.words;
}

void EventPrinter::print_loss(const LossCounts& lost, std::uint64_t missing_packets, std::string_view who,
                              std::string_view where) {
  if (!style_.json) {
    out_.text("--- " + loss_text(lost, missing_packets) + ": ");
    out_.text(who);
    out_.text(where);
    out_.character('\n');
    return;
  }
  std::uint64_t all = 0;
  for (const auto& [cause, count] : lost) all += count;
  out_.text("{\"lost\":" + std::to_string(all));
  for (const auto& [cause, count] : lost) out_.text(",\"" + cause + "\":" + std::to_string(count));
  out_.text(",\"missing_packets\":" + std::to_string(missing_packets));
  out_.text(who);
  out_.text(where);
  out_.text("}\n");
}

void EventPrinter::print_loss(const trace::TraceStream& stream, const trace::StreamLoss& loss) {
  const std::string& who = words_of(stream);
  any_loss_ = any_loss_ || loss.events() != 0 || !overwritten(*stream.process);
  if (style_.json) {
    print_loss(counts_of(loss), loss.packets, who + ",\"channel\":" + quoted_json(stream.channel_name),
               ",\"after_ns\":" + moment_json(loss.after_ns) + ",\"before_ns\":" + moment_json(loss.before_ns));
  } else {
    print_loss(counts_of(loss), loss.packets, who + " " + c_escaped(stream.channel_name),
               place_text(loss.after_ns, loss.before_ns));
  }
}

void EventPrinter::print_loss(const UntoldLoss& loss) {
  any_loss_ = true;
  const std::string pid = std::to_string(loss.process->pid);
  if (style_.json) {
    print_loss(loss.lost, 0,
               ",\"process\":" + quoted_json(loss.process->name) + ",\"pid\":" + pid +
                   ",\"channel\":" + quoted_json(loss.channel),
               ",\"after_ns\":null,\"before_ns\":null");
  } else {
    print_loss(loss.lost, 0, c_escaped(loss.process->name) + " " + pid + " " + c_escaped(loss.channel),
               loss.is_first ? ", before its first event" : ", after the last packets, or in none");
  }
}

void EventPrinter::print(const trace::RecordedEvent& event) {
  if (event.loss != nullptr) print_loss(*event.stream, *event.loss);
  any_event_ = true;
  moment_.write(event.time_ns);
  out_.text(words_of(*event.stream));
  if (event.cpu) {
    out_.text(style_.json ? ",\"cpu\":" : "/cpu");
    out_.number(*event.cpu);
  }
  if (event.thread) {
    out_.text(style_.json ? ",\"tid\":" : "/");
    out_.number(*event.thread);
  }
  if (event.thread_name != nullptr) out_.text(words_of(*event.stream, event.thread_name));
  if (!style_.json) out_.character(' ');
  const Words& words = words_of(*event.type);
  out_.text(words.head);
  fields_.print(words.fields, event.type->fields, event.payload);
  out_.text(style_.json ? "}\n" : "\n");
}

}  // namespace maxlat::trace_tools
