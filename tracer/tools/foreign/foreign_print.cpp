// SPDX-License-Identifier: MIT
#include <cerrno>

#include "foreign_command.hpp"
#include "read/escape.hpp"

namespace maxlat::trace_tools {
namespace {

class ForeignPrinter {
 public:
  ForeignPrinter(OutputBuffer& out, PrintStyle style) : out_(out), style_(style), moment_(out, style) {}

  void print(const ForeignEvent& event) {
    if (event.time_ns)
      moment_.write(*event.time_ns);
    else
      moment_.write_none();
    out_.text(words_of(*event.stream));
    if (style_.json) {
      out_.text(",\"event\":\"");
      out_.text(json_escaped(event.name));
      out_.text("\",");
      write_foreign_fields(out_, event.event, true);
      out_.text("}\n");
    } else {
      out_.text(c_escaped(event.name));
      out_.text(": ");
      write_foreign_fields(out_, event.event, false);
      out_.character('\n');
    }
  }

  void print_loss(const ForeignLoss& loss) {
    any_loss_ = true;
    const char* what = loss.packets ? "packets" : "events";
    if (style_.json) {
      out_.text(std::string("{\"") + (loss.packets ? "missing_packets" : "lost") +
                "\":" + (loss.count ? std::to_string(*loss.count) : "null"));
      out_.text(words_of(*loss.stream));
      out_.text(",\"after_ns\":" + moment_json(loss.after_ns) + ",\"before_ns\":" + moment_json(loss.before_ns) +
                "}\n");
    } else {
      out_.text("--- " + (loss.count ? std::to_string(*loss.count) : "an unknown number of") + " " + what +
                (loss.packets ? " missing: " : " lost: ") + c_escaped(loss.stream->trace) + " " +
                c_escaped(loss.stream->name) + place_text(loss.after_ns, loss.before_ns) + "\n");
    }
  }
  bool any_loss() const { return any_loss_; }

 private:
  // What is the same for every event of a stream.
  const std::string& words_of(const ForeignStream& stream) {
    if (stream.number >= words_.size()) words_.resize(stream.number + 1);
    std::string& words = words_[stream.number];
    if (words.empty()) {
      words = style_.json
                  ? ",\"trace\":\"" + json_escaped(stream.trace) + "\",\"stream\":\"" + json_escaped(stream.name) + "\""
                  : c_escaped(stream.trace) + " ";
    }
    return words;
  }

  OutputBuffer& out_;
  PrintStyle style_;
  MomentWriter moment_;
  std::vector<std::string> words_;
  bool any_loss_ = false;
};

}  // namespace

core::Result<core::Exit> print_foreign(const core::CommandLine& line, const std::vector<std::string>& folders,
                                       PrintStyle style) {
  return isolated(folders, [&](std::vector<std::string>& say) -> core::Result<core::Exit> {
    auto filter = ForeignFilter::of(line, folders);
    if (!filter) return filter.error();
    OutputBuffer out(stdout);
    ForeignPrinter printer(out, style);
    ForeignSink sink;
    sink.event = [&](const ForeignEvent& event) {
      const auto answer = filter->ask(event);
      if (answer == ForeignFilter::Answer::take) printer.print(event);
      return answer != ForeignFilter::Answer::end && !out.failed();
    };
    sink.loss = [&](const ForeignLoss& loss) {
      if (filter->takes(loss)) printer.print_loss(loss);
    };
    const auto breaks = read_foreign(folders, sink);
    if (!out.flush()) return core::system_error("cannot write standard output", errno);
    const core::Status matched = filter->something_matched(say);
    say_breaks(breaks, say);
    if (!breaks.empty()) return core::Exit::invalid;
    if (!matched) return matched.error();
    return printer.any_loss() ? core::Exit::invalid : core::Exit::pass;
  });
}

}  // namespace maxlat::trace_tools
