// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fmt/format.h>

#include <cstdio>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/output_file.hpp>
#include <maxlat/core/sys/stop.hpp>
#include <optional>

#include "sensors/chosen_sensors.hpp"
#include "metrics/metrics_server.hpp"
#include "metrics/sensor_metrics.hpp"
#include "sensors/sensors_commands.hpp"

namespace maxlat::trace_tools {
namespace {

using Format = core::OpenMetrics::Format;

struct ExportPlan {
  std::vector<std::string> patterns;
  std::string output{};
  std::optional<std::string> listen{};
  Format format = Format::open_metrics;
};

core::Result<std::optional<ExportPlan>> export_plan(const core::Arguments& arguments) {
  constexpr core::CommandHelp kHelp{
      "maxlat sensors export [options] [SENSOR ...]",
      "Gives the values of sensors to a monitoring system: as a text, or to whoever asks for /metrics.\n"
      "SENSOR is PROGRAM#PID/GROUP/NAME, or whole parts of that (latency, server/latency), with * ? [].\n"
      "Values are in base units (seconds, volts). Maps are left out, they have a value for each cell.",
      "  maxlat sensors export --listen 9464 'robot/*'    for Prometheus: http://127.0.0.1:9464/metrics\n"
      "  maxlat sensors export --format prometheus -o /var/lib/prometheus/node-exporter/s.prom\n"};
  boost::program_options::options_description options("Options");
  auto add = options.add_options();
  add("output,o", core::argument("FILE"), "written whole or not at all, instead of standard output");
  add("format", core::argument("F")->default_value("openmetrics"),
      "openmetrics (1.0), or prometheus: its older text (0.0.4)");
  add("listen", core::argument("[ADDR:]PORT"),
      "answers GET /metrics until it is interrupted; of this machine alone\n"
      "unless ADDR is another than 127.0.0.1. In the format that is asked for");
  add("help,h", "this text");
  const auto line = core::parse_or_help(kHelp, options, arguments);
  if (!line) return line.error();
  if (!*line) return std::optional<ExportPlan>{};
  ExportPlan plan{.patterns = (*line)->operands};
  const auto format = (*line)->get<std::string>("format");
  if (format != "openmetrics" && format != "prometheus")
    return core::Error{fmt::format("--format: \"{}\" is none", format), "openmetrics or prometheus"};
  if (format == "prometheus") plan.format = Format::prometheus;
  if ((*line)->has("output")) plan.output = (*line)->get<std::string>("output");
  if ((*line)->has("listen")) plan.listen = (*line)->get<std::string>("listen");
  if ((*line)->has("listen") && ((*line)->has("output") || (*line)->given("format")))
    return core::Error{"--listen goes with neither --output nor --format"};
  return std::optional(std::move(plan));
}

core::Result<core::Exit> serve(const ExportPlan& plan) {
  core::catch_stop_signals();
  auto server = MetricsServer::listen(*plan.listen);
  if (!server) return server.error();
  fmt::print("answers http://{}/metrics\n", server->address());
  if (std::fflush(stdout) != 0) return core::system_error("cannot write standard output", errno);
  const core::Status served = server->serve([&](Format format) -> core::Result<std::string> {
    const auto chosen = sensors_now(plan.patterns);
    if (!chosen) return chosen.error();
    return metrics_of(*chosen, format);
  });
  if (!served) return served.error();
  return core::Exit::pass;
}

}  // namespace

core::Result<core::Exit> sensors_export(const core::Arguments& arguments) {
  const auto plan = export_plan(arguments);
  if (!plan) return plan.error();
  if (!*plan) return core::Exit::pass;
  if ((*plan)->listen) return serve(**plan);
  const auto chosen = choose_sensors((*plan)->patterns);
  if (!chosen) return chosen.error();
  const std::string output = (*plan)->output.empty() ? "-" : (*plan)->output;
  const core::Status written = core::write_atomically(output, metrics_of(*chosen, (*plan)->format));
  if (!written) return written.error();
  return core::Exit::pass;
}

}  // namespace maxlat::trace_tools
