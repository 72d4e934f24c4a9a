// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <maxlat/core/sys/cli_kit.hpp>
#include <maxlat/core/sys/duration.hpp>
#include <numeric>
#include <optional>
#include <ostream>
#include <sstream>

namespace maxlat::core {
namespace {

namespace po = boost::program_options;

constexpr const char* kHelpHint = "--help lists the options";

// Leaves parse() through Boost's own code when it comes from a validate().
struct Mistake : po::error {
  Mistake(const std::string& text, std::string hint_text) : po::error(text), hint(std::move(hint_text)) {}
  std::string hint;
};

bool takes_nothing(const po::option_description& option) {
  return option.semantic()->max_tokens() == 0;
}
bool may_go_without(const po::option_description& option) {
  return option.semantic()->min_tokens() == 0;
}

// Boost's conversion takes "-5" for an unsigned option and makes it 4294967291.
void refuse_negative_unsigned(const po::option_description& option, const std::string& word) {
  if (!word.starts_with('-')) return;
  const auto* typed = dynamic_cast<const po::typed_value_base*>(option.semantic().get());
  if (typed == nullptr) return;
  const auto& type = typed->value_type();
  if (type == typeid(unsigned) || type == typeid(unsigned long) || type == typeid(unsigned long long) ||
      type == typeid(unsigned short))
    throw Mistake(fmt::format("the argument ('{}') for option '--{}' is negative", word, option.long_name()),
                  kHelpHint);
}

bool accepts(const po::option_description& option, const std::string& word) {
  try {
    boost::any ignored;
    option.semantic()->parse(ignored, {word}, true);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j)
      diagonal = std::exchange(row[j + 1], std::min({diagonal + (a[i] != b[j]), row[j] + 1, row[j + 1] + 1}));
  }
  return row.back();
}

// Reads words into options for Boost to convert and store.
class WordReader {
 public:
  WordReader(const po::options_description& options, const Arguments& words)
      : options_(options), words_(words), parsed_(&options, po::command_line_style::allow_long) {}

  // Throws Mistake.
  po::parsed_options read(CommandLine& line) {
    while (at_ < words_.size()) {
      const std::string& word = words_[at_++];
      if (word == "--") {
        line.operands.insert(line.operands.end(), words_.begin() + static_cast<std::ptrdiff_t>(at_), words_.end());
        break;
      }
      if (word.starts_with("--"))
        read_long(word.substr(2));
      else if (word.size() > 1 && word[0] == '-')
        read_letters(word);
      else
        line.operands.push_back(word);  // also "-": a file name for standard input or output
    }
    line.written = std::move(written_);
    return std::move(parsed_);
  }

 private:
  void read_long(const std::string& text) {
    const size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const po::option_description& option = find_long(name);
    if (equals == std::string::npos)
      add(option, following_argument(option));
    else if (takes_nothing(option))
      throw Mistake(fmt::format("option '--{}' takes no argument", name), kHelpHint);
    else
      add(option, text.substr(equals + 1));
  }

  // "-qa1": letters up to the first that takes an argument, which has the rest of the word or the next word.
  void read_letters(const std::string& word) {
    for (size_t i = 1; i < word.size(); ++i) {
      const po::option_description* option = options_.find_nothrow(std::string{'-', word[i]}, false);
      if (option == nullptr) throw Mistake(fmt::format("unknown option '-{}'", word[i]), kHelpHint);
      if (takes_nothing(*option)) {
        add(*option, std::nullopt);
        continue;
      }
      if (i + 1 == word.size()) return add(*option, following_argument(*option));
      const size_t rest = word[i + 1] == '=' ? i + 2 : i + 1;  // -p=95 is common enough
      return add(*option, word.substr(rest));
    }
  }

  std::optional<std::string> following_argument(const po::option_description& option) {
    if (takes_nothing(option)) return std::nullopt;
    const bool there_is_one = at_ < words_.size();
    if (may_go_without(option)) {
      if (!there_is_one || words_[at_].starts_with('-') || !accepts(option, words_[at_])) return std::nullopt;
    } else if (!there_is_one) {
      throw Mistake(fmt::format("option '--{}' needs an argument", option.long_name()), kHelpHint);
    }
    return words_[at_++];
  }

  const po::option_description& find_long(const std::string& name) const {
    try {
      const po::option_description* option = name.empty() ? nullptr : options_.find_nothrow(name, true);
      if (option != nullptr) return *option;
    } catch (const po::ambiguous_option& ambiguous) {
      throw Mistake(fmt::format("option '--{}' could be --{}", name, fmt::join(ambiguous.alternatives(), " or --")),
                    kHelpHint);
    }
    std::string nearest;
    size_t distance = 3;
    for (const auto& option : options_.options())
      if (const size_t d = edit_distance(name, option->long_name()); d < distance) {
        distance = d;
        nearest = option->long_name();
      }
    throw Mistake(fmt::format("unknown option '--{}'", name),
                  nearest.empty() ? kHelpHint : fmt::format("did you mean --{}? {}", nearest, kHelpHint));
  }

  void add(const po::option_description& option, const std::optional<std::string>& argument) {
    po::option given;
    given.string_key = option.key("");
    given.original_tokens = {"--" + option.long_name()};
    if (argument) {
      refuse_negative_unsigned(option, *argument);
      given.value = {*argument};
    }
    parsed_.options.push_back(std::move(given));
    written_.push_back({option.long_name(), argument});
  }

  const po::options_description& options_;
  const Arguments& words_;
  po::parsed_options parsed_;
  std::vector<CommandLine::Given> written_;
  size_t at_ = 0;
};

// Boost writes "-a [ --affinity ] [=CPUS]   text". In the field it is "-a, --affinity[=CPUS]     text": the characters
// saved go before the text, so that its column stays.
std::string field_style(std::string line, size_t text_column) {
  const size_t open = line.find(" [ --");
  const size_t close = open == std::string::npos ? open : line.find(" ]", open);
  if (close == std::string::npos) return line;
  size_t saved = 3;  // " [ --name ]" becomes ", --name"
  line.replace(close, 2, "");
  line.replace(open, 3, ", ");
  // An optional argument is glued to its name: the form "--name [=X]" would be another command.
  if (const size_t argument = close - 1; line.compare(argument, 3, " [=") == 0) {
    line.erase(argument, 1);
    ++saved;
  }
  if (line.size() > text_column - saved) line.insert(text_column - saved, saved, ' ');
  return line;
}

}  // namespace

void validate(boost::any& value, const std::vector<std::string>& words, CpuListArgument*, int) {
  po::validators::check_first_occurrence(value);
  auto cpus = parse_cpu_list(po::validators::get_single_string(words));
  if (!cpus) throw Mistake(cpus.error().text, cpus.error().hint);
  value = CpuListArgument{*std::move(cpus)};
}

std::ostream& operator<<(std::ostream& stream, const CpuListArgument& argument) {
  return stream << to_string(argument.cpus);
}

Arguments CommandLine::written_without(const std::set<std::string>& names) const {
  Arguments words;
  for (const Given& option : written) {
    if (names.count(option.name) != 0) continue;
    words.push_back("--" + option.name + (option.argument ? "=" + *option.argument : ""));
  }
  return words;
}

Status take_times(const CommandLine& line, std::span<const TimeOption> options) {
  for (const TimeOption& option : options) {
    if (!line.has(option.name)) continue;
    const std::string shown =
        option.letter == 0 ? fmt::format("--{}", option.name) : fmt::format("-{}, --{}", option.letter, option.name);
    const Result<uint64_t> ns = parse_duration_ns(line.get<std::string>(option.name), option.bare_unit);
    if (!ns) return Error{fmt::format("{}: {}", shown, ns.error().text), ns.error().hint};
    if (*ns == 0 && !option.zero_is_allowed)
      return Error{fmt::format("{} must be longer than 0", shown),
                   "leave it out for " +
                       (option.ns == 0 ? option.without : duration_text(static_cast<double>(option.ns) * 1e-9))};
    option.ns = *ns;
  }
  return {};
}

Result<CommandLine> parse(const po::options_description& options, const Arguments& arguments) {
  try {
    CommandLine line;
    po::store(WordReader(options, arguments).read(line), line.values);
    po::notify(line.values);
    return line;
  } catch (const Mistake& mistake) {
    return Error{mistake.what(), mistake.hint};
  } catch (const std::exception& error) {  // Boost's, and bad_any_cast or bad_lexical_cast below it
    return Error{error.what(), kHelpHint};
  }
}

Result<std::optional<CommandLine>> parse_or_help(const CommandHelp& help, const po::options_description& options,
                                                 const Arguments& arguments) {
  auto line = parse(options, arguments);
  if (!line) return line.error();
  if (!line->has("help")) return std::optional(*std::move(line));
  fmt::print("{}", help_text(help, options));
  return std::optional<CommandLine>();
}

std::string help_text(const CommandHelp& help, const po::options_description& options) {
  std::ostringstream printed;
  const unsigned text_column = options.get_option_column_width();
  options.print(printed, text_column);
  std::string text = fmt::format("Usage: {}\n\n{}\n\n", help.synopsis, help.about);
  std::istringstream lines(printed.str());
  // Boost has a blank line before each group. What is indented below a title needs none, and one screen is short.
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) text += field_style(std::move(line), text_column) + "\n";
  return text + fmt::format("\nExamples:\n{}{}", help.examples, help.examples.ends_with('\n') ? "" : "\n");
}

}  // namespace maxlat::core
