// A format of somebody else: traces as CSV, written against the installed headers alone.
//
//     time_ns,process,event,name,partner,tag,bytes
//     124439,0,enter,"send, to the right",,,
//     124500,0,send,,1,0,1024
//
// enter and leave have a name; send and receive have partner, tag and bytes. Records of unknown kinds keep their text
// as the name; collective operations are refused. A field with a comma or a quote is quoted as in RFC 4180. Lines are
// sorted by time. All messages belong to one communicator.
#pragma once

#include <array>
#include <charconv>
#include <clc/error.hpp>
#include <clc/io/batch.hpp>
#include <clc/io/record.hpp>
#include <clc/io/sink.hpp>
#include <clc/io/source.hpp>
#include <deque>
#include <fstream>
#include <string>
#include <string_view>

namespace csv {

inline constexpr std::string_view header = "time_ns,process,event,name,partner,tag,bytes";
enum Column : std::size_t { time_ns, process, event, name, partner, tag, bytes, columns };

/// Reads a trace. Payloads are encoded by clc::encode_body, so that sinks of all formats can write them.
class Source final : public clc::Source {
 public:
  explicit Source(const std::string& path) : path_(path), file_(path) {
    std::string line;
    if (!file_) throw clc::InputError(path + ": cannot be opened");
    if (!std::getline(file_, line) || line != header) refuse("expected the header \"" + std::string(header) + '"');
    definitions_.add_communicator(0, {});
  }

  [[nodiscard]] const clc::Definitions& definitions() const noexcept override { return definitions_; }
  [[nodiscard]] const clc::BodyDecoder& decoder() const noexcept override { return clc::body_decoder(); }
  [[nodiscard]] std::string describe(std::uint64_t place) const override { return path_ + ':' + std::to_string(place); }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept override { return bytes_; }
  [[nodiscard]] std::uint64_t bytes_total() const noexcept override { return 0; }

  bool read(clc::Batch& batch) override {
    batch.clear();
    payloads_.clear();
    notes_.clear();
    if (line_ == 1) {
      note(batch, "%resolution 1000000000");
      note(batch, "%group 0");
    }
    std::string line;
    while (batch.events.size() < 1000 && std::getline(file_, line)) {
      ++line_;
      bytes_ += line.size() + 1;
      parse(line, batch);
    }
    return file_.good();
  }

 private:
  [[noreturn]] void refuse(const std::string& fault) const { throw clc::InputError(describe(line_) + ": " + fault); }

  void parse(std::string_view line, clc::Batch& batch) {
    std::array<std::string, columns> fields;
    for (std::size_t column = 0; column < columns; ++column) {
      fields[column] = next_field(line);
      if (column + 1 == columns ? !line.empty() : !line.starts_with(','))
        refuse("expected " + std::to_string(columns) + " fields");
      if (column + 1 < columns) line.remove_prefix(1);
    }
    clc::Record record;
    record.text = fields[name];
    clc::Event& at = record.event;
    if (fields[event] == "enter" || fields[event] == "leave") {
      record.kind = fields[event] == "enter" ? clc::Kind::enter : clc::Kind::leave;
    } else if (fields[event] == "send" || fields[event] == "receive") {
      record.kind = fields[event] == "send" ? clc::Kind::send : clc::Kind::receive;
      at.role = record.kind == clc::Kind::send ? clc::Role::send : clc::Role::receive;
      at.peer = index_of(number<std::uint64_t>(fields[partner]), batch);
      at.communicator = 0;
      at.tag = number<std::int64_t>(fields[tag]);
      at.bytes = number<std::uint64_t>(fields[bytes]);
    } else if (fields[event] != "other") {
      refuse("found event \"" + fields[event] + "\", expected enter, leave, send, receive or other");
    }
    at.time = clc::Time(number<std::int64_t>(fields[time_ns]));
    at.process = index_of(number<std::uint64_t>(fields[process]), batch);
    batch.events.push_back(at);
    batch.bodies.push_back(clc::encode_body(record, payloads_.emplace_back()));
    batch.places.push_back(line_);
  }

  static std::string next_field(std::string_view& line) {
    std::string field;
    bool quoted = false;
    for (; !line.empty() && (quoted || line.front() != ','); line.remove_prefix(1)) {
      const bool quote = line.front() == '"';
      if (quote && quoted && line.starts_with("\"\""))
        line.remove_prefix(1);  // a quote in quotes
      else if (quote) {
        quoted = !quoted;
        continue;
      }
      field += line.front();
    }
    return field;
  }
  template <class Number>
  [[nodiscard]] Number number(const std::string& field) const {
    Number value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size())
      refuse("found \"" + field + "\", expected a number");
    return value;
  }
  /// A process is defined when it is first named. Sinks learn of it from a note.
  clc::ProcessIndex index_of(std::uint64_t number, clc::Batch& batch) {
    if (const auto known = definitions_.find_process(number)) return *known;
    note(batch, "%process " + std::to_string(number));
    return definitions_.add_process(number, "");
  }
  void note(clc::Batch& batch, std::string line) {
    batch.notes.push_back({batch.events.size(), notes_.emplace_back(std::move(line))});
  }

  std::string path_;
  std::ifstream file_;
  clc::Definitions definitions_;
  std::uint64_t line_ = 1;
  std::uint64_t bytes_ = 0;
  // Of the last batch. A deque keeps its entries in place.
  std::deque<std::string> payloads_;
  std::deque<std::string> notes_;
};

/// Writes corrected records whose payloads `decoder` reads. Leaves out what CSV has no column for.
class Sink final : public clc::Sink {
 public:
  Sink(const std::string& path, const clc::Definitions& definitions, const clc::BodyDecoder& decoder)
      : path_(path), file_(path), definitions_(definitions), decoder_(decoder) {
    file_ << header << '\n';
  }
  void events(std::span<const clc::Corrected> run) override {
    for (const clc::Corrected& corrected : run) {
      const clc::Record record = decoder_.decode(corrected.body);
      const clc::Event& at = record.event;
      if (record.kind == clc::Kind::collective_begin || record.kind == clc::Kind::collective_end)
        throw clc::OutputError(path_ + ": a collective operation has no columns");
      constexpr std::array kinds{"enter", "leave", "send", "receive", "", "", "other"};
      const bool message = record.kind == clc::Kind::send || record.kind == clc::Kind::receive;
      if (message && at.peer == clc::no_process) throw clc::OutputError(path_ + ": a message needs a partner");
      file_ << corrected.time.ticks() << ',' << number_of(corrected.process) << ','
            << kinds[static_cast<std::size_t>(record.kind)] << ',' << quoted(record.text) << ',';
      if (message)
        file_ << number_of(at.peer) << ',' << at.tag << ',' << at.bytes << '\n';
      else
        file_ << ",,\n";
    }
  }
  void note(clc::Body /*line*/) override {}
  void flush() override { file_.flush(); }
  void close() override {
    file_.close();
    if (!file_) throw clc::OutputError(path_ + ": cannot be written");
  }

 private:
  [[nodiscard]] std::uint64_t number_of(clc::ProcessIndex index) const {
    return definitions_.processes()[index].number;
  }
  [[nodiscard]] static std::string quoted(std::string_view text) {
    if (text.find_first_of(",\"") == std::string_view::npos) return std::string(text);
    std::string out(1, '"');
    for (const char letter : text) out.append(letter == '"' ? 2 : 1, letter);
    return out + '"';
  }

  std::string path_;
  std::ofstream file_;
  const clc::Definitions& definitions_;
  const clc::BodyDecoder& decoder_;
};

}  // namespace csv
