#include "report/json.hpp"

#include <cmath>

#include "trace/printable.hpp"

namespace clc {

namespace {

/// One of UTF-16, in \uNNNN.
void put_unit(std::ostream& out, char32_t unit) {
  constexpr std::string_view hex = "0123456789abcdef";
  out << "\\u" << hex[unit >> 12U] << hex[unit >> 8U & 15U] << hex[unit >> 4U & 15U] << hex[unit & 15U];
}

}  // namespace

JsonWriter& JsonWriter::key(std::string_view name) {
  before_value();
  quoted(name);
  out_ << ": ";
  named_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  before_value();
  quoted(text);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  before_value();
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  out_.write(text.data(), end - text.data());
  return *this;
}

JsonWriter& JsonWriter::value(bool truth) {
  before_value();
  out_ << (truth ? "true" : "false");
  return *this;
}

JsonWriter& JsonWriter::null() {
  before_value();
  out_ << "null";
  return *this;
}

JsonWriter& JsonWriter::open(char bracket) {
  before_value();
  out_ << bracket;
  filled_.push_back(false);
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  const bool filled = filled_.back();
  filled_.pop_back();
  if (filled) new_line();
  out_ << bracket;
  if (filled_.empty()) out_ << '\n';
  return *this;
}

void JsonWriter::before_value() {
  if (named_) {
    named_ = false;
    return;
  }
  if (filled_.empty()) return;
  if (filled_.back()) out_ << ',';
  filled_.back() = true;
  new_line();
}

void JsonWriter::new_line() {
  out_ << '\n';
  for (std::size_t i = 0; i < filled_.size(); ++i) out_ << "  ";
}

void JsonWriter::quoted(std::string_view text) {
  out_ << '"';
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    if (letter.code == '"' || letter.code == '\\')
      out_ << '\\' << text.front();
    else if (letter.code == '\n')
      out_ << "\\n";
    else if (letter.code == '\t')
      out_ << "\\t";
    else if (is_printable(letter.code))
      out_ << text.substr(0, letter.length);
    else if (letter.code == Letter::no_letter)
      put_unit(out_, 0xfffd);
    else if (letter.code < 0x10000)
      put_unit(out_, letter.code);
    else {
      put_unit(out_, 0xd800 + ((letter.code - 0x10000) >> 10U));
      put_unit(out_, 0xdc00 + (letter.code & 0x3ffU));
    }
    text.remove_prefix(letter.length);
  }
  out_ << '"';
}

void write_verdict(JsonWriter& json, const Verdict& verdict) {
  json.field("verdict", name_of(verdict.judgement)).key("reasons").objects(verdict.reasons, [&](const Reason& reason) {
    json.field("key", reason.key).field("verdict", name_of(reason.judgement)).field("text", reason.text);
    if (reason.process) json.field("process", *reason.process);
    for (const auto& [name, value] : reason.figures) json.field(name, value);
  });
}

void write_measured(JsonWriter& json, const MeasuredCounts& counts) {
  if (!counts.any()) return;
  json.key("measured").begin_object();
  json.field("offsets", counts.offsets).field("offsets_contradicting", counts.offsets_contradicting);
  json.field("round_trips", counts.round_trips).field("round_trips_contradicting", counts.round_trips_contradicting);
  json.end_object();
}

}  // namespace clc
