// SPDX-License-Identifier: MIT
//
// Reads back the TSDL that metadata.cpp writes; not TSDL at large, which is a language with C's declarations in it. The
// event header must be, word for word, the one that this build writes: it stands for the layout of record.h.
//
// A text that ends too early was cut (its writer died, or is still writing): what came whole before counts. Any other
// surprise means that somebody else wrote it.
#include <charconv>
#include <maxlat/trace/trace_description.hpp>
#include <optional>

#include "frequency.hpp"
#include "tsdl.hpp"
#include "tsdl_lexer.hpp"

namespace maxlat::trace {
namespace {

using tsdl::Token;

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Uuid> uuid_of(std::string_view text) {
  Uuid uuid{};
  std::string digits;
  for (const char c : text) {
    if (c != '-') digits += c;
  }
  if (digits.size() != 2 * uuid.size()) return std::nullopt;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    const char* pair = digits.data() + 2 * i;
    if (std::from_chars(pair, pair + 2, uuid[i], 16).ptr != pair + 2) return std::nullopt;
  }
  return uuid;
}

// "u32", "u32x": an element's type. False for a name of no such type.
bool set_element(std::string_view type, Field& field) {
  field.is_hex = type.ends_with('x');
  if (field.is_hex) type.remove_suffix(1);
  if (type.size() < 2) return false;
  const auto bits = number<unsigned>(type.substr(1));
  const bool floating = type[0] == 'f';
  if (!bits || (*bits != 8 && *bits != 16 && *bits != 32 && *bits != 64) || (floating && *bits < 32)) return false;
  field.bytes = static_cast<std::uint8_t>(*bits / 8);
  field.is_signed = type[0] == 'i';
  field.is_float = floating;
  return floating ? !field.is_hex : field.is_signed || type[0] == 'u';
}

// The number of a label, as Label::value has it; nothing, where the enumeration's integer cannot be that.
std::optional<std::uint64_t> label_value(std::string_view text, const Field& field) {
  const int unused = 64 - 8 * field.bytes;
  if (field.is_signed) {
    const auto value = number<std::int64_t>(text);
    if (!value || *value > INT64_MAX >> unused || *value < INT64_MIN >> unused) return std::nullopt;
    return static_cast<std::uint64_t>(*value);
  }
  const auto value = number<std::uint64_t>(text);
  return value && *value <= UINT64_MAX >> unused ? value : std::nullopt;
}

class Parser {
 public:
  Parser(std::string_view text, TraceProcess& process, LabelStore& labels)
      : text_(text), lexer_(text), process_(process), labels_(labels) {}

  // Whether all that could be read is maxlat's.
  bool parse() {
    if (!text_.starts_with(tsdl::kSignature)) return false;
    for (advance(); token_.kind != Token::end && statement();) advance();
    if (cut_ && is_maxlat_) process_.cut = "metadata is cut at byte " + std::to_string(statement_at_);
    return !foreign_ && is_maxlat_ && has_clock_;
  }

 private:
  void advance() { token_ = lexer_.next(); }

  // The word that is there cannot be. As the last of the text it may be the first half of one that can.
  bool fail() {
    const bool last =
        token_.kind == Token::end || token_.kind == Token::cut || token_.offset + token_.text.size() == text_.size();
    (last ? cut_ : foreign_) = true;
    return false;
  }
  bool expect(std::string_view mark) {
    if (!token_.is(mark)) return fail();
    advance();
    return true;
  }
  bool expect_end_of_block() {  // leaves the last ';' to statement()
    if (!expect("}")) return false;
    return token_.is(";") ? true : fail();
  }
  template <typename Number>
  bool take(Number& value) {
    const auto parsed = token_.kind == Token::number ? number<Number>(token_.text) : std::nullopt;
    if (!parsed) return fail();
    value = *parsed;
    advance();
    return true;
  }
  bool take_word(std::string_view& word) {
    if (token_.kind != Token::word) return fail();
    word = token_.text;
    advance();
    return true;
  }

  bool statement() {
    statement_at_ = token_.offset;
    if (token_.is("typealias")) return skip_to_semicolon();
    if (token_.is("trace")) return block(&Parser::trace_entry);
    if (token_.is("env")) return block(&Parser::environment_entry);
    if (token_.is("clock")) return block(&Parser::clock_entry) && clock_is_sound();
    if (token_.is("stream")) return stream();
    if (token_.is("event")) return event();
    return fail();
  }

  // Ends at the ';' that is outside of all braces.
  bool skip_to_semicolon() {
    for (int depth = 0;; advance()) {
      if (token_.kind == Token::end || token_.kind == Token::cut) return fail();
      if (token_.is("{")) ++depth;
      if (token_.is("}")) --depth;
      if (depth == 0 && token_.is(";")) return true;
    }
  }

  // NAME { key = value; ... };   An entry that is no assignment is skipped.
  bool block(bool (Parser::*entry)(std::string_view key, const Token& value)) {
    advance();
    if (!expect("{")) return false;
    while (!token_.is("}")) {
      std::string_view key;
      if (!take_word(key)) return false;
      if (token_.is("=")) {
        advance();
        const Token value = token_;
        advance();
        if (!token_.is(";")) return fail();
        if (!(this->*entry)(key, value)) return fail();
      } else if (!skip_to_semicolon()) {
        return false;
      }
      advance();
    }
    return expect_end_of_block();
  }

  bool trace_entry(std::string_view key, const Token& value) {
    if (key == "byte_order") return value.is("le");
    if (key != "uuid") return true;
    const auto uuid = uuid_of(value.text);
    if (uuid) process_.uuid = *uuid;
    return uuid.has_value();
  }

  bool environment_entry(std::string_view key, const Token& value) {
    const std::string text = tsdl::unquoted(value.text);
    if (key == "hostname") process_.hostname = text;
    if (key == "procname") process_.name = text;
    if (key == "session") process_.session = text;
    if (key == "vpid") process_.pid = number<std::int64_t>(value.text).value_or(0);
    if (key == "clock_trusted") process_.clock_trusted = value.text == "1";
    if (key == "monotonic_offset_ns") process_.monotonic_offset_ns = number<std::int64_t>(value.text).value_or(0);
    if (key == "tracer_name" || key == "written_by") is_maxlat_ = text == tsdl::kWriter;
    const bool is_version = key == "written_by_major" || (key == "tracer_major" && is_maxlat_);
    if (is_version) return number<int>(value.text) == tsdl::kWriterVersion;
    if (key == "packet_format") return number<int>(value.text).value_or(tsdl::kPacketFormat + 1) <= tsdl::kPacketFormat;
    return true;
  }

  bool clock_entry(std::string_view key, const Token& value) {
    if (key == "uuid") process_.clock_uuid = uuid_of(value.text).value_or(Uuid{});
    if (key == "description") process_.clock_description = tsdl::unquoted(value.text);
    if (key == "freq") return store(value, process_.time.frequency_hz);
    if (key == "offset_s") return store(value, process_.time.offset_s);
    if (key == "offset") return store(value, process_.time.offset_ticks);
    return true;
  }
  bool clock_is_sound() {
    has_clock_ = process_.time.frequency_hz != 0 && process_.time.offset_s / 10'000'000'000 == 0;
    return has_clock_ || fail();
  }
  template <typename Number>
  static bool store(const Token& token, Number& value) {
    const auto parsed = number<Number>(token.text);
    if (parsed) value = *parsed;
    return parsed.has_value();
  }

  bool stream() {
    const std::size_t begin = token_.offset;
    TraceChannel channel;
    advance();
    if (!expect("{") || !expect("id") || !expect("=") || !take(channel.stream_id) || !expect(";")) return false;
    while (!token_.is("cpu_id") && !token_.is("tid")) {
      if (token_.kind == Token::end || token_.is("}")) return fail();
      advance();
    }
    if (token_.is("cpu_id")) channel.kind = StreamKind::cpu;
    while (!token_.is("}")) {  // of the packet's context
      if (token_.kind == Token::end || token_.kind == Token::cut) return fail();
      advance();
    }
    advance();
    if (!expect(";") || !skip_to_semicolon()) return false;  // the event header
    advance();
    if (token_.is("event.context")) {
      channel.kind = channel.kind == StreamKind::cpu ? StreamKind::kernel : StreamKind::thread_with_cpu;
      if (!skip_to_semicolon()) return false;
      advance();
    }
    if (!expect_end_of_block()) return false;
    const std::string_view block = text_.substr(begin, token_.offset + 1 - begin);
    if (block != tsdl::stream_block(channel.stream_id, channel.kind) &&
        block != tsdl::stream_block(channel.stream_id, channel.kind, tsdl::kContextAlignOnce)) {
      foreign_ = true;
      return false;
    }
    process_.channels.emplace(channel.stream_id, std::move(channel));
    return true;
  }

  bool event() {
    EventType type;
    std::uint32_t stream_id = 0;
    unsigned level = 0;
    advance();
    if (!expect("{") || !expect("name") || !expect("=")) return false;
    if (token_.kind != Token::string) return fail();
    type.name = tsdl::unquoted(token_.text);
    advance();
    if (!expect(";") || !expect("id") || !expect("=") || !take(type.id) || !expect(";")) return false;
    if (!expect("stream_id") || !expect("=") || !take(stream_id) || !expect(";")) return false;
    if (!expect("loglevel") || !expect("=") || !take(level) || !expect(";")) return false;
    type.level = static_cast<Level>(level > 7 ? 7 : level);
    if (!expect("fields") || !expect(":") || !expect("=") || !expect("struct") || !expect("{")) return false;
    while (!token_.is("}")) {
      if (!field(type.fields)) return false;
    }
    advance();
    if (!expect("align") || !expect("(") || !expect("64") || !expect(")") || !expect(";")) return false;
    if (!expect_end_of_block()) return false;
    const auto channel = process_.channels.find(stream_id);
    if (channel == process_.channels.end()) {
      foreign_ = true;
      return false;
    }
    channel->second.events.emplace(type.id, std::move(type));
    return true;
  }

  bool field(std::vector<Field>& fields) {
    Field field;
    std::string_view type, name;
    if (!take_word(type)) return false;
    if (type == "enum") return enumeration(fields);
    if (!take_word(name)) return false;
    const bool is_own = !name.starts_with('_');
    if (is_own && token_.is("[")) return expect("[") && expect("0") && expect("]") && expect(";");  // the padding
    if (is_own) {  // the length of the sequence that comes next
      const std::string_view length = name;
      if (!expect(";") || !take_word(type) || !take_word(name) || !expect("[") || !expect(length) || !expect("]")) {
        return false;
      }
      field.kind = FieldKind::sequence;
    } else if (type == "text") {
      field.kind = FieldKind::string;
    } else if (token_.is("[")) {
      advance();
      if (!take(field.count) || !expect("]")) return false;
      field.kind = FieldKind::array;
    }
    if (!expect(";")) return false;
    if (field.kind != FieldKind::string && !set_element(type, field)) {
      foreign_ = true;
      return false;
    }
    if (field.kind == FieldKind::integer && field.is_float) {
      field.kind = FieldKind::floating;
      field.is_float = false;
    }
    field.name = name.substr(1);
    fields.push_back(field);
    return true;
  }

  // enum : u8 { "idle" = 0, "running" = 1 } _state;   The first word is read.
  bool enumeration(std::vector<Field>& fields) {
    Field field;
    field.kind = FieldKind::enumeration;
    std::string_view type, name;
    if (!expect(":") || !take_word(type) || !token_.is("{")) return fail();
    if (!set_element(type, field) || field.is_float || field.is_hex) {
      foreign_ = true;
      return false;
    }
    std::vector<Label> labels;
    do {
      advance();
      if (!label(field, labels)) return false;
    } while (token_.is(","));
    if (!expect("}") || !take_word(name) || !token_.is(";") || !name.starts_with('_')) return fail();
    advance();
    field.name = name.substr(1);
    labels_.lists.push_back(std::move(labels));
    field.labels = labels_.lists.back();
    fields.push_back(field);
    return true;
  }

  bool label(const Field& field, std::vector<Label>& labels) {
    if (token_.kind != Token::string || labels.size() == kMaxLabels) return fail();
    std::string_view name = token_.text;
    if (name.find('\\') != name.npos) name = labels_.names.emplace_back(tsdl::unquoted(name));
    advance();
    if (!expect("=")) return false;
    const auto value = token_.kind == Token::number ? label_value(token_.text, field) : std::nullopt;
    if (!value) return fail();
    labels.push_back({name, *value});
    advance();
    return true;
  }

  std::string_view text_;
  tsdl::Lexer lexer_;
  TraceProcess& process_;
  LabelStore& labels_;
  Token token_;
  std::size_t statement_at_ = 0;
  bool cut_ = false;
  bool foreign_ = false;
  bool is_maxlat_ = false;
  bool has_clock_ = false;
};

}  // namespace

std::int64_t TraceTime::realtime_ns(std::uint64_t ticks) const {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(offset_s) * 1'000'000'000 +
                                   ticks_to_ns(offset_ticks, frequency_hz) + ticks_to_ns(ticks, frequency_hz));
}

base::Result<TraceProcess> parse_metadata(std::string text) {
  if (text.empty()) return base::Error{"its metadata is empty", "the disk was full, or the recorder was killed"};
  TraceProcess process;
  process.metadata = std::make_shared<const std::string>(std::move(text));
  const auto labels = std::make_shared<LabelStore>();
  process.labels = labels;
  if (!Parser(*process.metadata, process, *labels).parse()) {
    return base::Error{"its metadata is not as this maxlat writes it: damaged, or of another program or version",
                       "babeltrace2 tells which"};
  }
  return process;
}

}  // namespace maxlat::trace
