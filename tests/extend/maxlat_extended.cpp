// SPDX-License-Identifier: MIT
//
// maxlat with a row more in each of its tables, as a program of your own may have them.
#include <maxlat/cli/program.hpp>
#include <maxlat/core/machine/settings.hpp>
#include <maxlat/import/import_definition.hpp>
#include <maxlat/loadgen/load_definition.hpp>
#include <maxlat/npt/arm_definition.hpp>
#include <maxlat/reports/export_definition.hpp>
#include <maxlat/reports/metric_definition.hpp>
#include <maxlat/rteval_ext/phase_definition.hpp>
#include <maxlat/sensors/sensor_kind.hpp>
#include <maxlat/trace_tools/sensor_show.hpp>
#include <vector>

// The rows in CMakeLists.txt.
namespace maxlat::core {
std::vector<const SettingGroup*> more_settings();
}
namespace maxlat::loadgen {
std::vector<const LoadDefinition*> more_loads();
}
namespace maxlat::npt {
std::vector<const ArmDefinition*> more_arms();
}
namespace maxlat::importing {
std::vector<const ImportDefinition*> more_imports();
}
namespace maxlat::reports {
std::vector<const ExportDefinition*> more_exports();
std::vector<const MetricDefinition*> more_metrics();
}
namespace maxlat::rteval_ext {
std::vector<const PhaseDefinition*> more_phases();
}
namespace maxlat::sensors {
std::vector<const SensorKindDefinition*> more_sensor_kinds();
}
namespace maxlat::trace_tools {
std::vector<const SensorShow*> more_sensor_shows();
}

namespace {

template <class Row>
void append(std::vector<Row>& table, const std::vector<Row>& rows) {
  table.insert(table.end(), rows.begin(), rows.end());
}

}  // namespace

int main(int argc, char** argv) {
  using namespace maxlat;
  append(core::setting_groups(), core::more_settings());
  append(loadgen::load_table(), loadgen::more_loads());
  append(npt::arm_table(), npt::more_arms());
  append(importing::import_table(), importing::more_imports());
  append(reports::export_table(), reports::more_exports());
  append(rteval_ext::phase_table(), rteval_ext::more_phases());
  append(reports::metric_table(), reports::more_metrics());
  append(sensors::sensor_kind_table(), sensors::more_sensor_kinds());
  append(trace_tools::sensor_show_table(), trace_tools::more_sensor_shows());
  return cli::program(argc, argv);
}
