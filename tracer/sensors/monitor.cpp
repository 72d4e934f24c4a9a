// SPDX-License-Identifier: MIT
#include <algorithm>
#include <maxlat/sensors/event_reader.hpp>
#include <maxlat/sensors/monitor.hpp>
#include <optional>
#include <set>

#include "sensors/group_layout.hpp"
#include "sensors/sensor_object.hpp"
#include "shm/container.hpp"

namespace maxlat::sensors {
namespace {

using detail::SensorObject;

const SensorObject* checked(const trace::ObjectEntry& entry) {
  return static_cast<const SensorObject*>(entry.checked.get());
}

}  // namespace

struct GroupView::Body {
  trace::Container container;
  std::vector<SensorFacts> sensors;
  int pid = 0;
  std::array<std::uint8_t, 16> uuid{};
};

GroupView::GroupView(std::shared_ptr<const Body> body) : body_(std::move(body)) {}
GroupView::GroupView(GroupView&&) noexcept = default;
GroupView& GroupView::operator=(GroupView&&) noexcept = default;
GroupView::~GroupView() = default;

base::Result<GroupView> GroupView::attach(int memory_fd, int pid) {
  const std::vector<trace::ObjectKind> kinds = detail::sensor_kinds();
  auto container = trace::Container::attach(memory_fd, kinds, trace::ContainerView::read_only);
  if (!container) return container.error();
  if (container->header().total_size > detail::kLargestGroup) return trace::unfit_memory("larger than any group");
  if (container->is_common()) pid = 0;
  auto body = std::make_shared<Body>(Body{std::move(*container), {}, pid, {}});
  std::copy_n(body->container.header().uuid, body->uuid.size(), body->uuid.begin());
  std::set<std::string> names;
  for (const trace::ObjectEntry& entry : body->container.objects()) {
    if (!names.insert(entry.name).second) return trace::unfit_memory("two sensors are called " + entry.name);
    SensorFacts facts;
    facts.name = entry.name;
    facts.place = body->sensors.size();
    facts.id = entry.id;
    if (const SensorObject* const object = checked(entry)) {
      facts.kind = object->sensor.kind->kind;
      facts.unit = object->unit;
      facts.about = object->about;
      facts.shared = object->shared;
    }
    body->sensors.push_back(std::move(facts));
  }
  return GroupView(std::move(body));
}

const std::string& GroupView::program() const {
  return body_->container.process();
}
int GroupView::pid() const {
  return body_->pid != 0 ? body_->pid : own_pid();
}
bool GroupView::is_common() const {
  return body_->container.is_common();
}
std::string GroupView::instance() const {
  return is_common() ? program() : program() + "#" + std::to_string(pid());
}
int GroupView::own_pid() const {
  return body_->container.pid();
}
std::uint64_t GroupView::pid_start_time() const {
  return body_->container.header().pid_start_time;
}
const std::string& GroupView::group() const {
  return body_->container.name();
}
const std::vector<SensorFacts>& GroupView::sensors() const {
  return body_->sensors;
}

bool GroupView::is_made_as(const GroupView& other) const {
  const auto& mine = body_->container.objects();
  const auto& theirs = other.body_->container.objects();
  return std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(), [&](const auto& a, const auto& b) {
    return detail::are_made_alike(a, body_->container.memory(), b, other.body_->container.memory());
  });
}

SensorValue GroupView::read(const SensorFacts& sensor) const {
  const trace::ObjectEntry& entry = body_->container.objects()[sensor.place];
  if (entry.checked == nullptr) return std::monostate{};
  return detail::read_sensor(&entry.in<const std::uint8_t>(body_->container.memory()), checked(entry)->sensor);
}

EventReader GroupView::events(const SensorFacts& sensor, std::uint64_t patience_ns) const {
  const trace::ObjectEntry& entry = body_->container.objects()[sensor.place];
  const CheckedSensor& list = checked(entry)->sensor;
  return list.kind->events(body_, &entry.in<const std::uint8_t>(body_->container.memory()), list, patience_ns);
}

const std::array<std::uint8_t, 16>& GroupView::uuid() const {
  return body_->uuid;
}
int GroupView::memory_fd() const {
  return body_->container.fd();
}

}  // namespace maxlat::sensors
