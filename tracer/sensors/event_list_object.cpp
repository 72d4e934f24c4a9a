// SPDX-License-Identifier: MIT
#include "sensors/event_list_object.hpp"

#include <bit>
#include <maxlat/trace/event.hpp>
#include <utility>

#include "sensors/event_list_reader.hpp"
#include "sensors/group_layout.hpp"
#include "shm/container.hpp"

namespace maxlat::sensors::detail {
namespace {

using trace::Field;
using trace::FieldKind;

// Walks the three tables, each of which is taken from its front.
class EventTypes {
 public:
  EventTypes(const std::uint8_t* tables, EventListObject& list)
      : list_(list),
        types_(reinterpret_cast<const maxlat_event_type*>(tables)),
        fields_(reinterpret_cast<const maxlat_event_field*>(types_ + list.form.types)),
        labels_(reinterpret_cast<const maxlat_event_label*>(fields_ + list.form.fields)),
        fields_left_(list.form.fields),
        labels_left_(list.form.labels),
        payload_left_(0) {}

  // RETURNS: false: something does not fit.
  bool read() {
    for (std::uint64_t i = 0; i < list_.form.types; ++i)
      if (!read_type(trace::copy_of(types_[i]))) return false;
    return true;
  }

 private:
  bool read_type(const maxlat_event_type& type) {
    const std::string_view provider = name_of(type.provider), name = name_of(type.name);
    if (provider.empty() || name.empty() || type.level >= trace::kLevelNames.size() || type.fields > fields_left_)
      return false;
    fields_left_ -= type.fields;
    payload_left_ = maxlat_event_payload_room(list_.form);
    std::vector<Field>& fields = list_.fields.emplace_back();
    for (std::uint32_t i = 0; i < type.fields; ++i)
      if (!read_field(trace::copy_of(*fields_++), fields.emplace_back())) return false;
    list_.events.push_back({provider, name, static_cast<trace::Level>(type.level), fields});
    return true;
  }

  bool read_field(const maxlat_event_field& from, Field& field) {
    field.name = name_of(from.name);
    if (field.name.empty() || from.kind > static_cast<std::uint8_t>(FieldKind::enumeration)) return false;
    field.kind = static_cast<FieldKind>(from.kind);
    field.bytes = from.bytes;
    field.is_signed = from.is_signed != 0;
    field.is_float = from.is_float != 0;
    field.is_hex = from.is_hex != 0;
    field.count = from.count;
    if (!std::has_single_bit(field.bytes) || field.bytes > 8) return false;
    const bool is_floating = field.kind == FieldKind::floating || field.is_float;
    return (!is_floating || field.bytes >= 4) && has_room(field) && read_labels(from.labels, field);
  }

  // What has a fixed size is there as a whole.
  bool has_room(const Field& field) {
    if (field.kind == FieldKind::sequence || field.kind == FieldKind::string) return true;
    const std::uint64_t size = std::uint64_t{field.bytes} * (field.kind == FieldKind::array ? field.count : 1u);
    if (size > payload_left_) return false;
    payload_left_ -= size;
    return true;
  }

  bool read_labels(std::uint16_t count, Field& field) {
    if (count > labels_left_ || (count != 0) != (field.kind == FieldKind::enumeration)) return false;
    labels_left_ -= count;
    std::vector<trace::Label>& labels = list_.labels.emplace_back();
    for (std::uint16_t i = 0; i < count; ++i) {
      const maxlat_event_label label = trace::copy_of(*labels_++);
      labels.push_back({name_of(label.name), label.value});
      if (labels.back().name.empty()) return false;
    }
    field.labels = labels;
    return true;
  }

  // RETURNS: nothing: no identifier.
  std::string_view name_of(const char (&bytes)[MAXLAT_EVENT_NAME]) {
    const std::string& name = list_.names.emplace_back(text_of(bytes));
    return name.size() < sizeof bytes && trace::detail::is_identifier(name) ? std::string_view(name)
                                                                            : std::string_view();
  }

  EventListObject& list_;
  const maxlat_event_type* types_;
  const maxlat_event_field* fields_;
  const maxlat_event_label* labels_;
  std::uint64_t fields_left_, labels_left_, payload_left_;
};

bool is_list(const maxlat_event_shape& form) {
  return std::has_single_bit(form.slots) && form.slots <= MAXLAT_EVENT_MAX_SLOTS && form.types > 0 &&
         form.types <= MAXLAT_EVENT_MAX_TYPES && form.fields > 0 && form.fields <= MAXLAT_EVENT_MAX_FIELDS &&
         form.labels > 0 && form.labels <= MAXLAT_EVENT_MAX_LABELS;
}

}  // namespace

std::uint64_t size_of_event_list(const std::uint64_t (&shape)[2]) {
  const maxlat_event_shape form = maxlat_event_shape_of(shape[0], shape[1]);
  const bool is_one = is_list(form) && form.slot_size >= sizeof(maxlat_event_slot) && form.slot_size % 32 == 0 &&
                      form.slot_size <= MAXLAT_EVENT_MAX_SLOT_SIZE && form.ring == 0;
  return is_one ? maxlat_event_list_size(form) : 0;
}

std::uint64_t size_of_var_event_list(const std::uint64_t (&shape)[2]) {
  const maxlat_event_shape form = maxlat_event_shape_of(shape[0], shape[1]);
  const bool is_one = is_list(form) && form.slot_size == sizeof(maxlat_var_event_slot) &&
                      std::has_single_bit(form.ring) && form.ring >= 64 && form.ring <= MAXLAT_EVENT_MAX_RING;
  return is_one ? maxlat_event_list_size(form) : 0;
}

bool EventListObject::read_types(const std::uint8_t* tables) {
  return EventTypes(tables, *this).read();
}

const char* EventListObject::check(const std::uint8_t* sensor, CheckedSensor& checked) {
  auto list = std::make_shared<EventListObject>();
  list->form = maxlat_event_shape_of(checked.shape[0], checked.shape[1]);
  if (!list->read_types(sensor + sizeof(maxlat_event_list))) return "its types of events";
  checked.kept = std::move(list);
  return nullptr;
}

EventReader EventListObject::events_of(std::shared_ptr<const void> memory, const std::uint8_t* sensor,
                                       const CheckedSensor& checked, std::uint64_t patience_ns) {
  return EventReader(std::make_unique<EventListReader>(
      std::move(memory), *reinterpret_cast<const maxlat_event_list*>(sensor),
      *static_cast<const EventListObject*>(checked.kept.get()), patience_ns));
}

}  // namespace maxlat::sensors::detail
