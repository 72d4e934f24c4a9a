// SPDX-License-Identifier: MIT
#include "gnuplot.hpp"

#include <fmt/format.h>
#include <gnuplot-iostream.h>
#include <signal.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <maxlat/core/sys/process.hpp>
#include <maxlat/core/sys/temporary_folder.hpp>
#include <maxlat/core/sys/text_file.hpp>

#include "gnuplot_script.hpp"

namespace maxlat::reports {
namespace {

namespace fs = std::filesystem;

// Writing to a gnuplot that has died raises SIGPIPE in this thread: held back here, and dropped if it came.
class HeldBackSigpipe {
 public:
  HeldBackSigpipe() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~HeldBackSigpipe() {
    const timespec now{};
    while (sigtimedwait(&pipe_, nullptr, &now) == SIGPIPE) continue;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  HeldBackSigpipe(const HeldBackSigpipe&) = delete;
  HeldBackSigpipe& operator=(const HeldBackSigpipe&) = delete;

 private:
  sigset_t pipe_, before_;
};

// The line of gnuplot's complaint that says what is wrong: it repeats the command and points at the place first.
std::string complaint(const std::string& errors) {
  std::string last;
  size_t begin = 0;
  while (begin < errors.size()) {
    const size_t end = std::min(errors.find('\n', begin), errors.size());
    const std::string line = errors.substr(begin, end - begin);
    if (line.find_first_not_of(" \t^") != std::string::npos) last = line;
    begin = end + 1;
  }
  return last.empty() ? "it said nothing" : last.substr(last.find_first_not_of(" \t"));
}

void run_gnuplot(const std::string& program, const core::TemporaryFolder& scratch, const std::string& script) {
  const HeldBackSigpipe held_back;
  // `-d`: no start-up files of the user or the site. `|| :`: gnuplot-iostream would print on stderr that pclose failed.
  const std::string command =
      core::quote_command({program, "-d"}) + " >/dev/null 2>" + core::quote_command({scratch / "errors"}) + " || :";
  Gnuplot gnuplot(command);
  gnuplot << "load " << gnuplot_quote(script) << std::endl;
}

bool whole_svg(const std::string& text) {
  const size_t end = text.find_last_not_of(" \n");
  return end != std::string::npos && std::string_view(text).substr(0, end + 1).ends_with("</svg>");
}

}  // namespace

std::string plot_id(size_t index) {
  return fmt::format("p{}", index);
}

core::Result<std::vector<std::string>> draw(const std::vector<Plot>& plots) {
  std::vector<std::string> drawings;
  if (plots.empty()) return drawings;
  const std::string program = core::find_program("gnuplot");
  if (program.empty()) {
    return core::Error{"cannot draw plots: gnuplot is not installed",
                       "apt install gnuplot-nox, or use --text for the report without plots"};
  }
  std::error_code no_place;
  const fs::path place = fs::temp_directory_path(no_place);
  if (no_place) return core::system_error("cannot use TMPDIR", no_place.value(), "name a folder that can be written");
  const auto scratch = core::TemporaryFolder::make(place, "maxlat-plots");
  if (!scratch) return scratch.error();
  const auto svg_file = [&](size_t i) { return *scratch / (plot_id(i) + ".svg"); };

  const std::string script = *scratch / "plots.gp";
  {
    std::ofstream out(script, std::ios::binary);
    for (size_t i = 0; i < plots.size(); ++i) out << gnuplot_script(plots[i], plot_id(i), svg_file(i));
    out.close();
    if (!out) return core::Error{"cannot write the plots' commands to " + script, "is there room in TMPDIR?"};
  }
  try {
    run_gnuplot(program, *scratch, script);
  } catch (const std::exception& failure) {
    return core::Error{fmt::format("cannot run {}: {}", program, failure.what())};
  }
  for (size_t i = 0; i < plots.size(); ++i) {
    std::string svg = core::read_file(svg_file(i)).value_or("");
    if (!whole_svg(svg)) {
      return core::Error{fmt::format("gnuplot did not draw \"{}\": {}", plots[i].title,
                                     complaint(core::read_file(*scratch / "errors").value_or(""))),
                         "is there room in TMPDIR? use --text for the report without plots"};
    }
    drawings.push_back(std::move(svg));
  }
  return drawings;
}

}  // namespace maxlat::reports
