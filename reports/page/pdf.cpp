// SPDX-License-Identifier: MIT
//
// A page as PDF. The browser is a guest here: it gets a profile and a folder of its own, which go with the call.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/core/sys/process.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <maxlat/core/sys/temporary_folder.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <maxlat/reports/report.hpp>

namespace maxlat::reports {
namespace {

constexpr std::chrono::minutes kPrintingLimit{2};

std::string browser() {
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
    if (std::string program = core::find_program(name); !program.empty()) return program;
  return {};
}

core::Result<core::ProcessEnd> printed(const core::ProcessSpec& spec) {
  auto child = core::Child::start(spec);
  if (!child) return child.error();
  if (auto end = core::wait_for_end_or_stop(*child, std::chrono::steady_clock::now() + kPrintingLimit))
    return *std::move(end);
  child->stop();
  return core::Error{core::stop_requested()
                         ? "the PDF was not made: stopped"
                         : fmt::format("{} did not end within {} minutes and was stopped", spec.argv.front(),
                                       kPrintingLimit.count())};
}

}  // namespace

core::Result<std::string> pdf_of(const std::string& page) {
  const std::string program = browser();
  if (program.empty())
    return core::cannot_run("cannot make a PDF: Chromium is not installed",
                            "apt install chromium, or print the page from any browser");
  std::error_code no_place;
  const std::filesystem::path place = std::filesystem::temp_directory_path(no_place);
  if (no_place) return core::system_error("cannot use TMPDIR", no_place.value(), "name a folder that can be written");
  const auto scratch = core::TemporaryFolder::make(place, "maxlat-pdf");
  if (!scratch) return scratch.error();
  const std::string file = *scratch / "report.pdf";
  if (const core::Status written = core::write_atomically(*scratch / "report.html", page); !written)
    return written.error();
  core::ProcessSpec spec;
  // --no-sandbox: root may not use Chromium otherwise, and the page forbids itself everything but its own script.
  spec.argv = {program,
               "--headless",
               "--no-sandbox",
               "--disable-gpu",
               "--disable-dev-shm-usage",
               "--no-first-run",
               "--disable-background-networking",
               "--no-pdf-header-footer",
               "--user-data-dir=" + (*scratch / "profile"),
               "--print-to-pdf=" + file,
               "file://" + (*scratch / "report.html")};
  const auto ended = printed(spec);
  if (!ended) return ended.error();
  std::string pdf = core::read_file(file).value_or("");
  if (!ended->succeeded() || !pdf.starts_with("%PDF-"))
    return core::Error{fmt::format("{} made no PDF, and {}", program, ended->text()), "print the page from any browser"};
  return pdf;
}

}  // namespace maxlat::reports
