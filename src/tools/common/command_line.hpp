// The command line of a program: a single list for parsing and --help, which the tests compare with
// the man page.
//
//     CommandLine line("clc-check", "[OPTION...] TRACE [CORRECTED]", "Says how bad a trace is.");
//     line.group("Clock");
//     line.option("-mmd", "US", "Minimum message delay, microseconds.", [&](const std::string& v) { ... });
//     line.flag("quiet,q", "No warnings.", quiet);
//     line.operand("INPUT", [&](const std::string& v) { input = v; });
//     if (!line.parse(argc, argv)) return 0;   // --help or --version was printed
//
// Names    As in Boost.Program_options: "report", or "output,o" with a short letter. A name that starts
//          with a dash ("-mmd") is shown with one dash. Every long name is accepted with one dash or two,
//          its value after a blank or after =.
// Order    Callbacks are called in the order of the command line, so the last option wins.
// Errors   UsageError; for an unknown option, the message suggests the most similar known one.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace clc::tool {

class CommandLine {
 public:
  using Taker = std::function<void(const std::string& value)>;

  /// program: its name; operands: the text after the name in the usage line.
  CommandLine(std::string program, std::string operands, std::string purpose);

  /// Starts a group of options in the help text.
  void group(std::string title);
  /// An option without value: sets target to value.
  void flag(std::string name, std::string help, bool& target, bool value = true);
  /// An option without value that calls a function.
  void action(std::string name, std::string help, std::function<void()> act);
  /// An option with a value.
  void option(std::string name, std::string argument, std::string help, Taker take);
  /// One whose value is taken as it is.
  template <class Text>
  void text(std::string name, std::string argument, std::string help, Text& target) {
    option(std::move(name), std::move(argument), std::move(help),
           [&target](const std::string& word) { target = word; });
  }
  /// One whose value is a number; parse: a function of values.hpp such as at_least_zero.
  template <class Number, class Target>
  void number(const std::string& name, std::string argument, std::string help,
              Number (*parse)(std::string_view option, std::string_view word, std::string_view unit),
              std::string_view unit, Target& target) {
    option(
        name, std::move(argument), std::move(help),
        [dashed = "--" + name, parse, unit, &target](const std::string& word) { target = parse(dashed, word, unit); });
  }
  /// An option with an optional value, which must adjoin it: -z, -z9, --zstd=9. words: values that stand apart by
  /// mistake if they are operands and no file has that name.
  void option_or(std::string name, std::string argument, std::string absent, std::string help, Taker take,
                 std::vector<std::string> words = {});
  /// Declares the next operand; further operands are refused. Its callback is called at most once.
  void operand(std::string name, Taker take);
  /// Declares the last operand, which may be repeated. Its callback is called for each.
  void operands(std::string name, Taker take);
  /// Calls a function for each option that was taken, in their order: its name as it is shown, and its value.
  void observe(std::function<void(const std::string& name, const std::string& value)> observer);
  /// Text after the options in --help, printed unchanged.
  void closing(std::string text);

  /// Calls the callbacks. False if --help or --version was printed to standard output.
  [[nodiscard]] bool parse(int argc, const char* const* argv);

  [[nodiscard]] std::string help() const;

 private:
  struct Entry {
    std::string name;       // long name without dashes; empty: group title in help
    char letter = 0;        // short name
    bool one_dash = false;  // shown as -name
    std::string argument;   // shown after the name; empty: takes none
    bool optional = false;
    std::string absent;
    std::vector<std::string> words;
    std::string help;
    Taker take;
  };
  class Parsing;
  Entry& add(std::string name);

  std::string program_;
  std::string operands_;
  std::string purpose_;
  std::string closing_;
  std::vector<Entry> entries_;
  std::vector<std::pair<std::string, Taker>> positional_;
  bool repeated_ = false;  ///< the last of them
  std::function<void(const std::string&, const std::string&)> observer_;
};

}  // namespace clc::tool
