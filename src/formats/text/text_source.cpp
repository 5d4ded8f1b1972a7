#include <algorithm>
#include <array>
#include <cstring>

#include "clc/error.hpp"
#include "common/batch.hpp"
#include "common/line_reader.hpp"
#include "text/line.hpp"
#include "text/text.hpp"

namespace clc::formats {

bool find_operation(const char* begin, const char* end, Operation& operation) noexcept {
  const std::string_view name(begin, static_cast<std::size_t>(end - begin));
  for (const OperationInfo& entry : operations) {
    if (entry.name == name) {
      operation = entry.operation;
      return true;
    }
  }
  return false;
}

std::size_t find_recorded(std::string_view fields, std::int64_t& ticks) noexcept {
  const std::size_t at = fields.rfind("@=");
  if (at == std::string_view::npos || (at > 0 && !is_blank(fields[at - 1]))) return std::string_view::npos;
  return to_number(fields.substr(at + 2), ticks) ? at : std::string_view::npos;
}

namespace {

struct Words {
  std::string_view name;
  std::string_view expected;
};

Words words_of(Field field) {
  switch (field) {
    case Field::time:
      return {"time", "whole ticks from -9223372036854775808 to 9223372036854775807"};
    case Field::process:
    case Field::unknown_process:
      return {"process", "a process number from 0 to 18446744073709551615"};
    case Field::kind:
      return {"kind", "a word such as E, L, S, R, B, X or I"};
    case Field::receiver:
    case Field::unknown_peer:
      return {"receiver", "a process number from 0 to 18446744073709551615, or - for anybody"};
    case Field::sender:
      return {"sender", "a process number from 0 to 18446744073709551615, or - for anybody"};
    case Field::communicator:
    case Field::unknown_communicator:
      return {"communicator", "a communicator number from 0 to 18446744073709551615"};
    case Field::tag:
      return {"tag", "a number from -9223372036854775808 to 9223372036854775807"};
    case Field::bytes:
      return {"length", "bytes from 0 to 18446744073709551615"};
    case Field::operation:
      return {"operation", "a word such as barrier, bcast, reduce or allreduce"};
    case Field::root:
      return {"root", "a rank from 0 to 4294967294, or - for none"};
    case Field::sent:
      return {"length sent", "bytes from 0 to 18446744073709551615"};
    case Field::received:
      return {"length received", "bytes from 0 to 18446744073709551615"};
    case Field::call:
      return {"call id", "call= and a number from -9223372036854775808 to 9223372036854775807"};
    case Field::overtakes:
      return {"number of receives overtaken", "overtakes= and a number from 0 to 65535"};
    case Field::none:
      break;
  }
  return {"field", "something else"};
}

class TextSource final : public LineReader, public BodyDecoder {
 public:
  TextSource(std::string name, std::unique_ptr<ByteSource> bytes, ClockOf clock_of)
      : LineReader(std::move(name), std::move(bytes)) {
    lines_.set_clock_of(clock_of);
    read_first_line();
    read_header();
  }

  [[nodiscard]] const BodyDecoder& decoder() const noexcept override { return *this; }

  [[nodiscard]] std::vector<std::string> warnings() const override {
    if (!ended_unterminated()) return {};
    return {describe(line_ - 1) + ": the last line has no newline and may be truncated; it was read anyway"};
  }

  [[nodiscard]] std::vector<std::string> remarks() const override {
    if (kinds_.empty()) return {};
    std::string line = "records of other kinds:";
    for (const auto& [kind, count] : kinds_) line += ' ' + in_quotes(kind) + " (" + std::to_string(count) + ')';
    if (other_kinds_ > 0) line += " and others (" + std::to_string(other_kinds_) + ')';
    return {line};
  }

  [[nodiscard]] Record decode(Body body) const override {
    // The parser wants a newline behind the line and some bytes more.
    constexpr std::size_t spare = 32;
    std::array<char, 512> small;
    std::string large;
    char* copy = small.data();
    if (body.size() + spare > small.size()) {
      large.resize(body.size() + spare);
      copy = large.data();
    }
    std::memcpy(copy, body.data(), body.size());
    std::memset(copy + body.size(), '\n', spare);
    Record record;
    Details details;
    const char* at = copy;
    static_cast<void>(read_fields(at, record.event, details, lines_));
    record.kind = details.kind;
    const std::size_t known = details.text == nullptr ? body.size() : static_cast<std::size_t>(details.text - copy);
    record.text = trimmed(body.substr(known));
    std::int64_t ticks = 0;
    const std::size_t kept = find_recorded(record.text, ticks);
    // The kind word of other records is part of their text.
    if (kept == std::string_view::npos || (kept == 0 && record.kind == Kind::other)) return record;
    record.recorded = Time(ticks);
    record.text = trimmed(record.text.substr(0, kept));
    return record;
  }

 private:
  void read_first_line() {
    while (end_ == buffer_.begin() && fault_.empty() && more()) {
    }
    if (!fault_.empty()) throw InputError(fault_);
    if (buffer_.size() == 0)
      throw InputError(name_ + ": is empty, expected a first line \"%clc-trace 1\"; check the program that wrote it");
    const char* const end = find_newline(buffer_.begin());
    const std::string_view line(buffer_.begin(), static_cast<std::size_t>(end - buffer_.begin()));
    std::string_view rest = line;
    if (next_field(rest) != text_magic || !line.starts_with(text_magic))
      throw InputError(describe(1) + ": found " + in_quotes(trimmed(line)) +
                       ", expected a first line \"%clc-trace 1\"; check that this is a text trace");
    const std::string_view version = next_field(rest);
    const std::size_t return_in_line = line.find('\r');
    if (return_in_line + 1 < line.size() && return_in_line != std::string_view::npos)
      throw InputError(describe(1) +
                       ": found a carriage return inside of the first line, expected lines that end with "
                       "a newline; convert them (tr '\\r' '\\n')");
    std::uint64_t number = 0;
    if (!to_number(version, number) || version.front() == '0')
      throw InputError(describe(1) + ": " + found(version, "version") +
                       " of the text format, expected a first line \"%clc-trace 1\"; correct the line" +
                       truncated_hint(end));
    if (number != 1)
      throw InputError(describe(1) + ": found version " + in_quotes(version) +
                       " of the text format, expected 1; use a newer version of this program");
    keep_note(line, line_);
    ++line_;
    buffer_.consume(end + 1);
  }

  /// Parses complete lines; returns the number of records.
  std::size_t parse(Batch& batch, std::size_t most) override {
    resize_records(batch, most);
    Event* const events = batch.events.data();
    Body* const bodies = batch.bodies.data();
    std::uint64_t* const places = batch.places.data();
    std::size_t count = 0;
    const char* at = buffer_.begin();
    const char* const ready = end_;
    std::uint64_t line = line_;
    while (at < ready) {
      const char* begin = at;
      const char* field = at;
      if (static_cast<unsigned char>(*field - '0') > 9) {
        line_detail::skip_blanks(field);
        if (*field == '%' || *field == '#' || *field == '\n') {
          if (batch.notes.size() >= batch_size) break;
          const char* const end = find_newline(field);
          const Body note(begin, static_cast<std::size_t>(end - begin));
          line_ = line;
          if (*field == '%' && ((count > 0 && lines_.replaces(note)) || !definition(note))) break;
          batch.notes.push_back({count, note, line});
          at = end + 1;
          ++line;
          continue;
        }
      }
      if (count == most) break;
      Event& event = events[count];
      event = Event{};
      Details details;
      Field wrong = read_time(field, event);
      const char* const body = field;
      if (wrong == Field::none) wrong = read_fields(field, event, details, lines_);
      if (wrong != Field::none) [[unlikely]] {
        line_ = line;
        explain(wrong, field);
        break;
      }
      if (details.kind == Kind::other && !(*details.text == 'I' && line_detail::ends_field(details.text[1])))
          [[unlikely]]
        note_kind(details.text);
      const char* const end = find_newline(field);
      bodies[count] = Body(body, static_cast<std::size_t>(end - body));
      places[count] = line;
      ++count;
      ++line;
      at = end + 1;
    }
    line_ = line;
    consume_lines(at);
    resize_records(batch, count);
    return count;
  }

  /// A record of a kind that the format does not know.
  void note_kind(const char* word) {
    constexpr std::size_t longest = 16;
    std::size_t length = 0;
    while (length < longest && !line_detail::ends_field(word[length])) ++length;
    const std::string_view name(word, length);
    auto known = std::find_if(kinds_.begin(), kinds_.end(), [&](const auto& kind) { return kind.first == name; });
    if (known == kinds_.end()) {
      if (kinds_.size() == most_kinds) {
        ++other_kinds_;
        return;
      }
      known = kinds_.insert(kinds_.end(), {std::string(name), 0});
    }
    ++known->second;
  }

  bool definition(Body note) {
    const std::string wrong = lines_.take(note);
    if (wrong.empty()) return true;
    fault_ = describe(line_) + ": " + wrong + truncated_hint(note.data() + note.size());
    return false;
  }

  void explain(Field wrong, const char* at) {
    const char* const line_end = find_newline(at);
    const char* end = at;
    while (!line_detail::ends_field(*end)) ++end;
    const std::string_view field(at, static_cast<std::size_t>(end - at));
    fault_ = describe(line_) + ": ";
    std::uint64_t number = 0;
    static_cast<void>(to_number(field, number));
    if (wrong == Field::unknown_process || wrong == Field::unknown_peer) {
      fault_ += unknown_process(number);
    } else if (wrong == Field::unknown_communicator) {
      fault_ += unknown_communicator(number);
    } else {
      const Words words = words_of(wrong);
      fault_ += found(field, words.name);
      fault_.append(", expected ").append(words.expected);
      fault_ += "; correct or remove the line";
    }
    fault_ += truncated_hint(line_end);
  }

  static constexpr std::size_t most_kinds = 6;
  std::vector<std::pair<std::string, std::uint64_t>> kinds_;  // unknown ones and their records, the first few
  std::uint64_t other_kinds_ = 0;                             // records of further unknown kinds
};

}  // namespace

std::unique_ptr<Reader> text_source(std::string name, std::unique_ptr<ByteSource> bytes, ClockOf clock_of) {
  return std::make_unique<TextSource>(std::move(name), std::move(bytes), clock_of);
}

}  // namespace clc::formats
