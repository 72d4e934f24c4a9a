// SPDX-License-Identifier: MIT
#include <event-parse.h>
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <maxlat/attribution/event_format.hpp>
#include <maxlat/core/sys/text_file.hpp>
#include <memory>
#include <string_view>

namespace maxlat::attribution {
namespace {

namespace fs = std::filesystem;

core::Error not_as_known(const std::string& event, const char* what) {
  return core::cannot_run(fmt::format("this kernel's event {} is not as maxlat knows it: {}", event, what));
}

// How the kernel would print it is not asked for, and need not be understood.
std::string without_print_format(const std::string& text) {
  const size_t print = text.find("print fmt:");
  return text.substr(0, print) + "print fmt: \"\"\n";
}

bool is_text(const tep_format_field& field) {
  const std::string_view type = field.type;
  return type.find("char") != type.npos && type.find("unsigned char") == type.npos;
}

// Nothing: it has no place in the record.
std::optional<FormatField> field_of(const tep_format_field& field) {
  if (field.offset < 0 || field.size <= 0 || field.offset + field.size > UINT16_MAX) return {};
  FormatField one{.name = field.name,
                  .is_signed = (field.flags & TEP_FIELD_IS_SIGNED) != 0,
                  .is_address = (field.flags & TEP_FIELD_IS_POINTER) != 0,
                  .is_elsewhere = (field.flags & TEP_FIELD_IS_DYNAMIC) != 0,
                  .from_behind = (field.flags & TEP_FIELD_IS_RELATIVE) != 0,
                  .offset = static_cast<uint16_t>(field.offset),
                  .size = static_cast<uint16_t>(field.size)};
  const auto is_word = [](unsigned bytes) { return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8; };
  const bool array = one.is_elsewhere || (field.flags & TEP_FIELD_IS_ARRAY) != 0 || !is_word(one.size);
  if (!array) return one;
  one.kind = is_text(field) ? FormatField::Kind::text : FormatField::Kind::array;
  if (one.kind == FormatField::Kind::array && is_word(field.elementsize))
    one.element = static_cast<uint8_t>(field.elementsize);
  return one;
}

}  // namespace

std::optional<std::span<const std::byte>> FormatField::in(std::span<const std::byte> record) const {
  if (size_t{offset} + size > record.size()) return {};
  const auto itself = record.subspan(offset, size);
  if (!is_elsewhere) return itself;
  const auto where = static_cast<uint32_t>(word_of(itself));
  const size_t begin = (where & 0xffff) + (from_behind ? size_t{offset} + size : 0), length = where >> 16;
  if (begin + length > record.size()) return {};
  return record.subspan(begin, length);
}

const FormatField* EventFormat::field(std::string_view wanted) const {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const FormatField& one) { return one.name == wanted; });
  return found == fields.end() ? nullptr : &*found;
}

core::Result<std::optional<EventFormat>> read_event_format(const std::string& events, const std::string& name) {
  const auto text = core::read_file(fmt::format("{}/{}/format", events, name));
  if (!text) return std::optional<EventFormat>();
  tep_set_loglevel(TEP_LOG_NONE);
  const std::unique_ptr<tep_handle, decltype(&tep_free)> parser(tep_alloc(), &tep_free);
  if (!parser) return core::Error{"no memory for the formats of the kernel's events"};
  const std::string format = without_print_format(*text), system = name.substr(0, name.find('/'));
  if (tep_parse_event(parser.get(), format.c_str(), format.size(), system.c_str()) != TEP_ERRNO__SUCCESS)
    return not_as_known(name, "its format cannot be read");
  const tep_event* const event =
      tep_find_event_by_name(parser.get(), system.c_str(), name.c_str() + std::min(name.size(), system.size() + 1));
  if (event == nullptr || event->id < 0 || event->id > UINT16_MAX) return not_as_known(name, "it has no number");
  EventFormat whole{.id = static_cast<uint16_t>(event->id), .name = name};
  for (const tep_format_field* list : {event->format.common_fields, event->format.fields})
    for (const tep_format_field* each = list; each != nullptr; each = each->next)
      if (std::optional<FormatField> field = field_of(*each)) whole.fields.push_back(*std::move(field));
  return std::optional(std::move(whole));
}

std::vector<std::string> matching_events(const std::string& events, std::span<const std::string> patterns) {
  std::vector<std::string> names;
  std::error_code unreadable;
  for (const auto& system : fs::directory_iterator(events, unreadable)) {
    const std::string system_name = system.path().filename();
    for (const auto& event : fs::directory_iterator(system.path(), unreadable)) {
      const std::string name = event.path().filename(), whole = system_name + ":" + name;
      const bool wanted = std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
        return ::fnmatch(pattern.c_str(), whole.c_str(), 0) == 0;
      });
      // What cannot be switched on (ftrace/) is none.
      if (wanted && fs::exists(event.path() / "enable", unreadable)) names.push_back(system_name + "/" + name);
    }
    unreadable.clear();  // files beside the folders
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace maxlat::attribution
