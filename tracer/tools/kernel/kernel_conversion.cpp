// SPDX-License-Identifier: MIT
#include "kernel_conversion.hpp"

#include <algorithm>
#include <cstring>
#include <maxlat/attribution/lttng_names.hpp>
#include <maxlat/trace/ctf_format.hpp>

namespace maxlat::trace_tools {
namespace {

using attribution::FormatField;

trace::Field described(const FormatField& field, std::string_view name) {
  trace::Field one{.name = name, .is_signed = field.is_signed, .is_hex = field.is_address};
  switch (field.kind) {
    case FormatField::Kind::integer:
      one.bytes = static_cast<std::uint8_t>(field.size);
      break;
    case FormatField::Kind::text:
      one.kind = trace::FieldKind::string;
      one.count = UINT16_MAX;
      break;
    case FormatField::Kind::array:
      one.kind = field.is_elsewhere ? trace::FieldKind::sequence : trace::FieldKind::array;
      one.bytes = field.element;
      one.count = field.is_elsewhere ? UINT16_MAX : static_cast<std::uint16_t>(field.size / field.element);
      break;
  }
  return one;
}

void append(std::vector<std::uint8_t>& payload, std::span<const std::byte> bytes) {
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
  payload.insert(payload.end(), begin, begin + bytes.size());
}

}  // namespace

KernelConversion::KernelConversion(const attribution::EventFormat& format) {
  const std::size_t slash = format.name.find('/');
  const std::string system = format.name.substr(0, slash);
  name_ = attribution::lttng_event_name(system, std::string_view(format.name).substr(slash + 1));
  for (const FormatField& field : format.fields) {
    if (field.name == attribution::kThreadField) thread_ = field;
    if (field.name == "function" && field.is_address) function_ = field;
    if (field.name == "callsite" && field.is_address) caller_ = field;
    if (attribution::is_of_every_event(field)) continue;
    if (system == "raw_syscalls" && field.name == "id" && field.size == sizeof(std::int64_t)) call_ = field;
    from_.push_back(field);
    names_.push_back(attribution::lttng_field_name(system, field.name));
  }
  for (std::size_t i = 0; i < from_.size(); ++i) to_.push_back(described(from_[i], names_[i]));
}

trace::EventDescription KernelConversion::description() const {
  return {.provider = "", .name = name_, .level = trace::Level::info, .fields = to_};
}

bool KernelConversion::add(const FormatField& field, std::span<const std::byte> record,
                           std::vector<std::uint8_t>& payload) const {
  auto bytes = field.in(record);
  if (!bytes) return false;
  if (field.kind == FormatField::Kind::text) {
    const void* const zero = bytes->empty() ? nullptr : std::memchr(bytes->data(), 0, bytes->size());
    if (zero != nullptr)
      bytes = bytes->first(static_cast<std::size_t>(static_cast<const std::byte*>(zero) - bytes->data()));
    append(payload, *bytes);
    payload.push_back(0);
    return true;
  }
  if (field.kind == FormatField::Kind::array) {
    const auto count = static_cast<std::uint16_t>(std::min<std::size_t>(bytes->size() / field.element, UINT16_MAX));
    bytes = bytes->first(std::size_t{count} * field.element);
    if (field.is_elsewhere) append(payload, std::as_bytes(std::span(&count, 1)));
  }
  append(payload, *bytes);
  return true;
}

bool KernelConversion::convert(std::span<const std::byte> record, std::vector<std::uint8_t>& payload) const {
  const std::size_t begin = payload.size();
  const auto thread = thread_ ? thread_->in(record) : std::nullopt;
  const auto number = static_cast<std::uint32_t>(thread ? attribution::word_of(*thread) : 0);
  append(payload, std::as_bytes(std::span(&number, 1)));
  payload.resize(begin + trace::kContextSize);
  for (const FormatField& field : from_) {
    if (add(field, record, payload)) continue;
    payload.resize(begin);
    return false;
  }
  return true;
}

std::optional<std::uint64_t> KernelConversion::function(std::span<const std::byte> record) const {
  const auto bytes = function_ ? function_->in(record) : std::nullopt;
  return bytes ? std::optional(attribution::word_of(*bytes)) : std::nullopt;
}

std::optional<std::uint64_t> KernelConversion::caller(std::span<const std::byte> record) const {
  const auto bytes = caller_ ? caller_->in(record) : std::nullopt;
  return bytes ? std::optional(attribution::word_of(*bytes)) : std::nullopt;
}

std::int64_t KernelConversion::system_call(std::span<const std::byte> record) const {
  const auto bytes = call_ ? call_->in(record) : std::nullopt;
  return bytes ? static_cast<std::int64_t>(attribution::word_of(*bytes)) : 0;
}

}  // namespace maxlat::trace_tools
