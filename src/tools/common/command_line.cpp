#include "common/command_line.hpp"

#include <algorithm>
#include <boost/program_options.hpp>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <string_view>
#include <system_error>

#include "clc/error.hpp"
#include "common/program.hpp"
#include "common/values.hpp"

namespace clc::tool {

namespace po = boost::program_options;

namespace {

constexpr std::size_t width = 80;
constexpr std::size_t indent = 24;  // of the help beside an option

/// Breaks text at blanks so that lines start at column `left` and end before `width`; the first line
/// is taken to be at column `at` already.
std::string wrapped(const std::string& text, std::size_t left, std::size_t at) {
  std::string out;
  std::istringstream words(text);
  std::string word;
  bool first = true;
  while (words >> word) {
    if (!first && at + 1 + word.size() > width - 1) {
      out += '\n' + std::string(left, ' ');
      at = left;
      first = true;
    }
    if (!first) {
      out += ' ';
      ++at;
    }
    out += word;
    at += word.size();
    first = false;
  }
  return out;
}

}  // namespace

CommandLine::CommandLine(std::string program, std::string operands, std::string purpose)
    : program_(std::move(program)), operands_(std::move(operands)), purpose_(std::move(purpose)) {}

CommandLine::Entry& CommandLine::add(std::string name) {
  Entry& entry = entries_.emplace_back();
  if (name.starts_with('-')) {
    entry.one_dash = true;
    name.erase(0, 1);
  }
  if (const std::size_t comma = name.find(','); comma != std::string::npos) {
    entry.letter = name.at(comma + 1);
    name.erase(comma);
  }
  entry.name = std::move(name);
  return entry;
}

void CommandLine::group(std::string title) { entries_.emplace_back().help = std::move(title); }

void CommandLine::flag(std::string name, std::string help, bool& target, bool value) {
  action(std::move(name), std::move(help), [&target, value] { target = value; });
}

void CommandLine::action(std::string name, std::string help, std::function<void()> act) {
  Entry& entry = add(std::move(name));
  entry.help = std::move(help);
  entry.take = [act = std::move(act)](const std::string&) { act(); };
}

void CommandLine::option(std::string name, std::string argument, std::string help, Taker take) {
  Entry& entry = add(std::move(name));
  entry.argument = std::move(argument);
  entry.help = std::move(help);
  entry.take = std::move(take);
}

void CommandLine::option_or(std::string name, std::string argument, std::string absent, std::string help, Taker take,
                            std::vector<std::string> words) {
  option(std::move(name), std::move(argument), std::move(help), std::move(take));
  entries_.back().optional = true;
  entries_.back().absent = std::move(absent);
  entries_.back().words = std::move(words);
}

void CommandLine::operand(std::string name, Taker take) { positional_.emplace_back(std::move(name), std::move(take)); }
void CommandLine::operands(std::string name, Taker take) {
  operand(std::move(name), std::move(take));
  repeated_ = true;
}

void CommandLine::observe(std::function<void(const std::string& name, const std::string& value)> observer) {
  observer_ = std::move(observer);
}

void CommandLine::closing(std::string text) { closing_ = std::move(text); }

/// What Boost makes of the words of one command line.
class CommandLine::Parsing {
 public:
  explicit Parsing(const CommandLine& line);

  /// Throws UsageError.
  void read(const std::vector<std::string>& words);
  [[nodiscard]] const std::vector<po::option>& found() const noexcept { return found_; }
  /// Calls the takers of what was found.
  void deliver();

 private:
  void declare(const std::string& name, char letter, const po::value_semantic* value);
  [[nodiscard]] std::vector<po::option> pick_up(std::vector<std::string>& words);
  /// The option that a word behind so many dashes is, when its value may be left out; that value is taken.
  [[nodiscard]] const Entry* take_adjoined(std::string_view word, std::size_t dashes);
  [[nodiscard]] std::vector<std::string> flags_before_optional(std::string_view letters) const;
  [[nodiscard]] UsageError unknown(std::string name) const;
  [[nodiscard]] UsageError wrong_value(std::string name) const;
  void take_operand(const std::string& value);
  /// Without a value.
  [[nodiscard]] bool is_given_alone(const Entry& entry) const;
  void refuse_word_apart(const std::string& value) const;
  void take_option(const po::option& option);
  /// The name as it is shown.
  [[nodiscard]] std::string dashed(const std::string& name) const;

  const CommandLine& line_;
  po::options_description description_;
  std::vector<std::string> spellings_;  ///< long names
  std::vector<po::option> found_;
  std::vector<std::string> adjoined_;  ///< values that were picked up, in order
  std::size_t picked_ = 0;             ///< of them are taken
  std::size_t operands_ = 0;           ///< taken
};

CommandLine::Parsing::Parsing(const CommandLine& line) : line_(line) {
  for (const Entry& entry : line_.entries_) {
    if (entry.name.empty()) continue;
    auto* const value = po::value<std::string>();
    if (entry.argument.empty() || entry.optional) value->zero_tokens();
    declare(entry.name, entry.letter, value);
  }
  declare("help", 'h', po::value<std::string>()->zero_tokens());
  declare("version", 0, po::value<std::string>()->zero_tokens());
}

void CommandLine::Parsing::declare(const std::string& name, char letter, const po::value_semantic* value) {
  const std::string names = letter != 0 ? name + ',' + letter : name;
  description_.add_options()(names.c_str(), value);
  spellings_.push_back(name);
}

void CommandLine::Parsing::read(const std::vector<std::string>& words) {
  namespace style = po::command_line_style;
  constexpr int styles = style::allow_long | style::long_allow_adjacent | style::long_allow_next | style::allow_short |
                         style::allow_dash_for_short | style::short_allow_adjacent | style::short_allow_next |
                         style::allow_sticky | style::allow_long_disguise;
  try {
    po::command_line_parser parser(words);
    parser.options(description_).style(styles);
    parser.extra_style_parser([this](std::vector<std::string>& rest) { return pick_up(rest); });
    found_ = parser.run().options;
  } catch (const po::unknown_option& error) {
    throw unknown(error.get_option_name());
  } catch (const po::error_with_option_name& error) {
    throw wrong_value(error.get_option_name());
  } catch (const po::error& error) {
    throw UsageError(error.what());
  }
}

/// Boost gives the next word to an option whose value may be left out (-z FILE), so Boost knows such options as without
/// value and theirs are picked up here.
std::vector<po::option> CommandLine::Parsing::pick_up(std::vector<std::string>& words) {
  std::vector<po::option> result;
  const std::string word = words.front();
  const std::size_t dashes = std::min<std::size_t>(word.find_first_not_of('-'), word.size());
  if (dashes > 2) throw UsageError("unknown option " + word);  // Boost would drop two of them
  if (dashes == 0) return result;
  std::string_view rest = std::string_view(word).substr(dashes);
  if (dashes == 1) {  // -vz9: letters without value in front
    const std::vector<std::string> flags = flags_before_optional(rest);
    for (const std::string& flag : flags) result.emplace_back(flag, std::vector<std::string>());
    rest.remove_prefix(flags.size());
  }
  const Entry* const entry = take_adjoined(rest, dashes);
  if (entry == nullptr) return result;
  result.emplace_back(entry->name, std::vector<std::string>()).original_tokens = {word};
  words.erase(words.begin());
  return result;
}

const CommandLine::Entry* CommandLine::Parsing::take_adjoined(std::string_view word, std::size_t dashes) {
  for (const Entry& entry : line_.entries_) {
    if (!entry.optional) continue;
    if (word == entry.name || (dashes == 1 && word == std::string_view(&entry.letter, 1))) {
      adjoined_.push_back(entry.absent);
    } else if (word.starts_with(entry.name + '=')) {
      adjoined_.emplace_back(word.substr(entry.name.size() + 1));
    } else if (dashes == 1 && word.starts_with(entry.letter)) {
      adjoined_.emplace_back(word.substr(word.size() > 1 && word[1] == '=' ? 2 : 1));
    } else {
      continue;
    }
    return &entry;
  }
  return nullptr;
}

/// Names of the options without value that letters begins with, when one whose value may be left out follows.
std::vector<std::string> CommandLine::Parsing::flags_before_optional(std::string_view letters) const {
  const std::vector<Entry>& entries = line_.entries_;
  std::vector<std::string> names;
  for (const char letter : letters) {
    const auto entry = std::ranges::find(entries, letter, &Entry::letter);
    if (entry == entries.end()) break;
    if (entry->optional) return names;
    if (!entry->argument.empty()) break;
    names.push_back(entry->name);
  }
  return {};
}

UsageError CommandLine::Parsing::unknown(std::string name) const {
  name.erase(std::min(name.find('='), name.size()));
  std::string word = name;
  word.erase(0, word.find_first_not_of('-'));
  const std::string better = nearest(word, spellings_);
  return UsageError("unknown option " + name + (better.empty() ? "" : ", did you mean " + dashed(better) + "?"));
}

UsageError CommandLine::Parsing::wrong_value(std::string name) const {
  name.erase(0, name.find_first_not_of('-'));
  bool no_value = name == "help" || name == "version";
  for (const Entry& entry : line_.entries_) no_value |= entry.name == name && entry.argument.empty();
  return UsageError(dashed(name) + (no_value ? " takes no value" : " needs a value"));
}

void CommandLine::Parsing::deliver() {
  for (const po::option& option : found_) {
    if (option.position_key >= 0)
      take_operand(option.value.at(0));
    else
      take_option(option);
  }
}

bool CommandLine::Parsing::is_given_alone(const Entry& entry) const {
  return std::ranges::any_of(found_, [&](const po::option& option) {
    if (option.string_key != entry.name || option.original_tokens.empty()) return false;
    const std::string& word = option.original_tokens.front();
    return word.ends_with(entry.name) || word.ends_with(entry.letter);
  });
}

/// --estimate line: the same, known by the word.
void CommandLine::Parsing::refuse_word_apart(const std::string& value) const {
  for (const Entry& entry : line_.entries_) {
    if (std::ranges::find(entry.words, value) == entry.words.end() || !is_given_alone(entry)) continue;
    std::error_code error;
    if (std::filesystem::exists(value, error)) continue;
    const std::string option = dashed(entry.name);
    throw UsageError("unexpected operand '" + value + "'; write the value of " + option +
                     " without a blank: " + option + '=' + value);
  }
}

void CommandLine::Parsing::take_operand(const std::string& value) {
  refuse_word_apart(value);
  const auto& operands = line_.positional_;
  if (operands_ == operands.size() && line_.repeated_) --operands_;
  // -z 3: an optional value that stands apart was taken for an operand.
  const bool number = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
  const bool full = operands_ == operands.size();
  if (full || (line_.repeated_ && number)) {
    std::string message = "unexpected operand '" + value + "'";
    if (full && !operands.empty()) message += " after " + operands.back().first;
    for (const Entry& entry : line_.entries_)
      if (entry.optional && entry.letter != 0 && is_given_alone(entry)) {
        const std::string option{'-', entry.letter};
        message.append("; write the value of ").append(option).append(" without a blank: ").append(option);
        throw UsageError(message.append(number ? value : entry.absent));
      }
    if (full) throw UsageError(message);
  }
  operands[operands_++].second(value);
}

void CommandLine::Parsing::take_option(const po::option& option) {
  for (const Entry& entry : line_.entries_) {
    if (entry.name.empty() || (entry.name != option.string_key)) continue;
    std::string value = option.value.empty() ? "" : option.value.front();
    if (entry.optional) value = adjoined_.at(picked_++);
    // -o=FILE, where Boost leaves the sign in the value.
    const std::string& word = option.original_tokens.empty() ? value : option.original_tokens.front();
    if (entry.letter != 0 && word.starts_with(std::string("-") + entry.letter + '=') && value.starts_with('='))
      value.erase(0, 1);
    if (!entry.argument.empty() && !entry.optional && value.empty())
      throw UsageError(dashed(entry.name) + " needs a value");
    entry.take(value);
    if (line_.observer_) line_.observer_(dashed(entry.name), value);
  }
}

std::string CommandLine::Parsing::dashed(const std::string& name) const {
  for (const Entry& entry : line_.entries_)
    if (entry.name == name && entry.one_dash) return "-" + name;
  return "--" + name;
}

bool CommandLine::parse(int argc, const char* const* argv) {
  Parsing parsing(*this);
  parsing.read({argv + 1, argv + argc});
  for (const po::option& option : parsing.found()) {
    if (option.string_key != "help" && option.string_key != "version") continue;
    std::cout << (option.string_key == "help" ? help() : version_text(program_));
    flush_output();
    return false;
  }
  parsing.deliver();
  return true;
}

std::string CommandLine::help() const {
  std::string out = "Usage: " + wrapped(program_ + ' ' + operands_, 7, 7) + '\n' + wrapped(purpose_, 0, 0) + '\n';
  const auto show = [&out](const Entry& entry) {
    std::string line = "  ";
    if (entry.letter != 0)
      line += std::string("-") + entry.letter + (entry.optional ? "[" + entry.argument + "]" : "") + ", ";
    line += (entry.one_dash ? "-" : "--") + entry.name;
    if (!entry.argument.empty()) line += entry.optional ? "[=" + entry.argument + "]" : ' ' + entry.argument;
    if (line.size() + 2 > indent) {
      out += line + '\n';
      line.clear();
    }
    line.resize(indent, ' ');
    out += line + wrapped(entry.help, indent, indent) + '\n';
  };
  for (const Entry& entry : entries_) {
    if (entry.name.empty()) {
      out += '\n' + entry.help + ":\n";
    } else {
      show(entry);
    }
  }
  Entry help;
  help.name = "help";
  help.letter = 'h';
  help.help = "Print this text and exit.";
  show(help);
  Entry version;
  version.name = "version";
  version.help = "Print version, formats and libraries, and exit.";
  show(version);
  if (!closing_.empty()) out += '\n' + closing_;
  return out;
}

}  // namespace clc::tool
