#include <algorithm>

#include "bytes/output_buffer.hpp"
#include "clc/io/record.hpp"
#include "common/line_length.hpp"
#include "common/numbers.hpp"
#include "common/put.hpp"
#include "common/words.hpp"
#include "text/text.hpp"

namespace clc::formats {

namespace {

/// body: of a record, from its process on.
bool keeps_recorded(Body body) noexcept {
  Body fields = trimmed(body);
  static_cast<void>(next_field(fields));
  static_cast<void>(next_field(fields));  // the kind word may look like a recorded time
  std::int64_t ticks = 0;
  return find_recorded(fields, ticks) != Body::npos;
}

/// True when a reader would take the end of a record's text, with the blank ahead of it, for a recorded time. The kind
/// word of another record is part of its text, and no time.
bool ends_like_recorded(Kind kind, std::string_view text) noexcept {
  std::string_view fields = trimmed(text);
  if (kind == Kind::other) static_cast<void>(next_field(fields));
  std::int64_t ticks = 0;
  return find_recorded(fields, ticks) != std::string_view::npos;
}

/// True when a reader would take the first field of a record's further text for a number other than 0.
bool begins_with_number(std::string_view text, std::string_view name) noexcept {
  std::string_view field = next_field(text);
  if (!field.starts_with(name)) return false;
  field.remove_prefix(name.size());
  std::int64_t number = 0;
  return !to_number(field, number) || number != 0;
}

class TextSink final : public Sink {
 public:
  TextSink(std::unique_ptr<ByteSink> bytes, const Definitions& definitions, const SinkOptions& options)
      : out_(std::move(bytes)),
        definitions_(definitions),
        decoder_(options.body_format == Format::text ? nullptr : options.decoder),
        keep_original_(options.keep_original),
        provenance_(options.provenance) {}

  void events(std::span<const Corrected> run) override {
    if (!begun_) begin({});
    if (decoder_ != nullptr) {
      for (const Corrected& record : run) convert(record);
    } else if (keep_original_) {
      for (const Corrected& record : run) copy_with_recorded(record);
    } else {
      for (const Corrected& record : run) {
        char* const line = out_.reserve(record.body.size() + 33);
        end(line, put(times_.put(line, record.time.ticks()), record.body));
      }
    }
  }

  void note(Body line) override {
    if (!begun_) {
      Body rest = line;
      const bool first_line = line.starts_with(text_magic) && next_field(rest) == text_magic;
      begin(first_line ? line : Body());
      if (first_line) return;
    }
    refuse_too_long(line, place);
    out_.append(line);
    out_.append("\n");
  }

  void flush() override {
    // What is to come may have a first line of its own.
    if (begun_) out_.flush();
  }
  void close() override {
    if (!begun_) begin({});
    out_.close();
  }

 private:
  static constexpr std::string_view place = "a line of a text trace";

  /// Of the line of a record.
  void end(const char* line, char* to) {
    refuse_too_long({line, static_cast<std::size_t>(to - line)}, place);
    *to++ = '\n';
    out_.commit(to);
  }

  void begin(Body first_line) {
    begun_ = true;
    out_.append(first_line.empty() ? Body("%clc-trace 1") : first_line);
    out_.append("\n");
    for (const std::string& line : provenance_) {
      out_.append("%provenance ");
      out_.append(line);
      out_.append("\n");
    }
  }

  void copy_with_recorded(const Corrected& record) {
    Body body = record.body;
    Body line_end;
    if (body.ends_with('\r')) {
      line_end = body.substr(body.size() - 1);
      body.remove_suffix(1);
    }
    char* const line = out_.reserve(body.size() + 2 * longest_number + 8);
    char* to = times_.put(line, record.time.ticks());
    to = put(to, body);
    if (!keeps_recorded(body)) {
      to = put(to, " @=");
      to = put(to, record.recorded.ticks());
    }
    end(line, put(to, line_end));
  }

  void convert(const Corrected& corrected) {
    const Record record = decoder_->decode(corrected.body);
    // A dozen numbers at most, words and separators.
    char* const line = out_.reserve(record.text.size() + 12 * (longest_number + 1) + 64);
    char* to = times_.put(line, corrected.time.ticks());
    *to++ = ' ';
    to = put(to, process_number(definitions_, corrected.process));
    switch (record.kind) {
      case Kind::enter:
        to = put(to, " E");
        break;
      case Kind::leave:
        to = put(to, " L");
        break;
      case Kind::send:
      case Kind::receive:
        to = put_message(to, record);
        break;
      case Kind::collective_end:
        to = put_collective_end(to, record);
        break;
      case Kind::collective_begin:
        to = put(to, " B");
        to = put_call(to, record);
        break;
      case Kind::other:
        if (!is_other(record.text)) to = put(to, " I");
        break;
    }
    // A name that ends like a recorded time gets one, so that its end is not taken for it.
    bool with_recorded = record.recorded || keep_original_;
    if (!record.text.empty()) {
      char* const text = to;
      *to++ = ' ';
      to = put(to, record.text);
      // What a line cannot hold.
      std::replace(text, to, '\n', ' ');
      std::replace(text, to, '\0', ' ');
      with_recorded = with_recorded || ends_like_recorded(record.kind, {text, static_cast<std::size_t>(to - text)});
    }
    if (with_recorded) {
      to = put(to, " @=");
      to = put(to, record.recorded.value_or(corrected.recorded).ticks());
    }
    end(line, to);
  }

  char* put_message(char* to, const Record& record) const {
    const Event& event = record.event;
    to = put(to, record.kind == Kind::send ? " S " : " R ");
    if (event.peer == no_process)
      *to++ = '-';
    else
      to = put(to, process_number(definitions_, event.peer));
    *to++ = ' ';
    to = put(to, communicator_number(definitions_, event.communicator));
    *to++ = ' ';
    to = put(to, event.tag);
    *to++ = ' ';
    to = put(to, event.bytes);
    if (event.overtakes != 0 || (record.kind == Kind::receive && begins_with_number(record.text, "overtakes="))) {
      to = put(to, " overtakes=");
      to = put(to, std::uint64_t{event.overtakes});
    }
    return to;
  }

  char* put_collective_end(char* to, const Record& record) const {
    const Event& event = record.event;
    to = put(to, " X ");
    to = put(to, info(event.operation).name);
    *to++ = ' ';
    to = put(to, communicator_number(definitions_, event.communicator));
    *to++ = ' ';
    if (event.root == no_rank)
      *to++ = '-';
    else
      to = put(to, std::uint64_t{event.root});
    *to++ = ' ';
    to = put(to, event.bytes);
    *to++ = ' ';
    to = put(to, event.received);
    return put_call(to, record);
  }

  static char* put_call(char* to, const Record& record) noexcept {
    if (record.event.tag == 0 && !begins_with_number(record.text, "call=")) return to;
    to = put(to, " call=");
    return put(to, record.event.tag);
  }

  /// The text of a record of another kind begins with a word that a reader takes for one.
  static bool is_other(std::string_view text) {
    constexpr std::string_view blanks(" \t\r\n\0", 5);
    const auto next_word = [&text, blanks] {
      text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
      const std::string_view word = text.substr(0, text.find_first_of(blanks));
      text.remove_prefix(word.size());
      return word;
    };
    const std::string_view word = next_word();
    if (word.size() != 1) return !word.empty();
    if (word == "X") {
      const std::string_view name = next_word();
      return !name.empty() && std::none_of(operations.begin(), operations.end(),
                                           [name](const OperationInfo& operation) { return operation.name == name; });
    }
    return std::string_view("ELSRB").find(word) == std::string_view::npos;
  }

  OutputBuffer out_;
  const Definitions& definitions_;
  const BodyDecoder* decoder_;  ///< null: bodies are text
  bool keep_original_;
  std::vector<std::string> provenance_;
  TimeWriter times_;
  bool begun_ = false;
};

}  // namespace

std::unique_ptr<Sink> text_sink(std::unique_ptr<ByteSink> bytes, const Definitions& definitions,
                                const SinkOptions& options) {
  return std::make_unique<TextSink>(std::move(bytes), definitions, options);
}

}  // namespace clc::formats
