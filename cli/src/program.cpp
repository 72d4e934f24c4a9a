// SPDX-License-Identifier: MIT
//
// maxlat: one binary, subcommands. A link named npt or hwlat selects its subcommand, so that scripts written for those
// programs find them. Here, and only here, an Error becomes text on stderr and an exit status.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <maxlat/cli/program.hpp>
#include <maxlat/core/sys/result.hpp>
#include <maxlat/core/sys/tell.hpp>
#include <maxlat/core/sys/text.hpp>
#include <maxlat/core/sys/version.hpp>
#include <maxlat/rteval_ext/phase_definition.hpp>
#include <new>
#include <string>
#include <string_view>
#include <system_error>

#include "commands.hpp"

namespace maxlat::cli {
namespace {

constexpr const char* kCannotWrite = "cannot write standard output";

std::string help() {
  std::string text =
      "usage: maxlat COMMAND [options]\n"
      "\n"
      "Finds, explains and gates the worst-case latency of a Linux box.\n"
      "\n"
      "commands:\n";
  for (const core::Command* command : commands()) text += "  " + core::list_line(command->name, command->summary);
  text +=
      "  help X    what `maxlat X --help` says\n"
      "\n"
      "  -h, --help      this text\n"
      "  -V, --version   version, compiler and how it was built\n"
      "\n"
      "exit status: 0 pass, 1 error, 2 limit exceeded, 3 the measurement is not valid, 77 cannot run here\n"
      "\n"
      "examples:\n"
      "  maxlat run --profile quick     validate this box in about three minutes, with a report\n"
      "  maxlat npt -a 1 -D 10s         the largest gaps that a spinning task on CPU 1 sees in ten seconds\n";
  return text;
}

int report(std::string_view program, const core::Error& error) {
  core::tell("{}: {}\n", program, error.text);
  if (!error.hint.empty()) core::tell("hint: {}\n", error.hint);
  return static_cast<int>(error.exit_status);
}

// A program whose output went to a full disk has not done what it was asked. One that has said so itself needs no
// second line.
int flushed(std::string_view program, int exit_status) {
  const bool failed_earlier = std::ferror(stdout) != 0;
  errno = 0;
  if (failed_earlier) std::fputc('\n', stdout);  // what the reason was is forgotten by now: this one tells it again
  if (std::fflush(stdout) == 0 && !failed_earlier) return exit_status;
  if (failed_earlier && exit_status == static_cast<int>(core::Exit::error)) return exit_status;
  if (errno == 0) return report(program, {.text = fmt::format("{}: a part of it is lost", kCannotWrite)});
  return report(program, core::system_error(kCannotWrite, errno));
}

core::Error error_of(const std::exception& exception) {
  // fmt::print() throws where it cannot write.
  const auto* system = dynamic_cast<const std::system_error*>(&exception);
  if (system != nullptr && std::ferror(stdout) != 0) return core::system_error(kCannotWrite, system->code().value());
  return {.text = fmt::format("a defect of maxlat: {}", exception.what()),
          .hint = "please report it with the command line"};
}

int run(const core::Command& command, const core::Arguments& arguments) {
  const std::string program = fmt::format("maxlat {}", command.name);
  core::Result<core::Exit> result = core::Exit::pass;
  try {
    result = command.run(arguments);
  } catch (const std::bad_alloc&) {
    result = core::Error{.text = "not enough memory"};
  } catch (const std::exception& exception) {
    result = error_of(exception);
  }
  const int status = result ? static_cast<int>(*result) : report(program, result.error());
  return flushed(program, status);
}

int print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  return flushed("maxlat", 0);
}

int usage_error(std::string text) {
  return report("maxlat", {.text = std::move(text), .hint = "maxlat --help lists the commands"});
}

// `words` are the arguments behind the program's name.
int select(core::Arguments words) {
  if (words.empty()) return usage_error("no command given");
  std::string first = words.front();
  words.erase(words.begin());
  if (first == "--version" || first == "-V") {
    return print(fmt::format("{}\n{}\n", core::version_text(), core::build_text()));
  }
  if (first == "--help" || first == "-h") return print(help());
  if (first == "help") {
    if (words.empty()) return print(help());
    first = words.front();
    words = {"--help"};
  }
  if (const core::Command* command = find_command(first)) return run(*command, words);
  return usage_error(fmt::format("unknown {} \"{}\"", first.starts_with('-') ? "option" : "command", first));
}

// A standard stream that is closed keeps its number: the next file that is opened would get it, and our text. Open in
// the wrong direction, so that writing fails as it does on a closed one.
void reserve_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF)
      ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);  // the lowest free number: this one
  }
}

}  // namespace

int program(int argc, char** argv) {
  reserve_standard_streams();
  rteval_ext::announce_phase_kinds();
  announce_meters();
  const std::string_view path = argc > 0 ? argv[0] : "maxlat";
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const core::Arguments words(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (name == "npt" || name == "hwlat") {
    if (const core::Command* command = find_command(name)) return run(*command, words);
  }
  return select(words);
}

}  // namespace maxlat::cli
