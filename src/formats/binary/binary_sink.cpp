#include <vector>

#include "binary/binary.hpp"
#include "binary/body.hpp"
#include "bytes/output_buffer.hpp"
#include "clc/error.hpp"
#include "clc/io/record.hpp"
#include "common/checksum.hpp"
#include "common/numbers.hpp"
#include "common/put.hpp"
#include "common/words.hpp"

namespace clc::formats {

namespace {

using namespace binary;

class BinarySink final : public Sink {
 public:
  BinarySink(std::unique_ptr<ByteSink> bytes, const Definitions& definitions, const SinkOptions& options)
      : out_(std::move(bytes)),
        definitions_(definitions),
        decoder_(options.body_format == Format::binary ? nullptr : options.decoder),
        keep_original_(options.keep_original),
        block_(block_head_size + usual_payload + checksum_size) {
    char head[file_head_size];
    std::memcpy(head, magic.data(), magic.size());
    store(head + 8, version);
    store(head + 12, static_cast<std::uint32_t>(checksum({head, 12})));
    out_.append({head, sizeof head});
    for (const std::string& line : options.provenance) put_note("%provenance " + line);
  }

  void events(std::span<const Corrected> run) override {
    first_note_ = false;
    if (decoder_ != nullptr) {
      put_records(run, [this](const Corrected& corrected) {
        Record record = decoder_->decode(corrected.body);
        if (keep_original_ && !record.recorded) record.recorded = corrected.recorded;
        scratch_.clear();
        return encode_body(record, scratch_);
      });
    } else if (keep_original_) {
      put_records(run, [this](const Corrected& corrected) { return with_recorded(corrected); });
    } else {
      put_records(run, [](const Corrected& corrected) { return corrected.body; });
    }
  }

  void note(Body line) override {
    const bool first = first_note_;
    first_note_ = false;
    if (first && line.starts_with("%clc-trace")) return;  // the text format's magic
    std::string_view rest = line;
    if (next_field(rest) == "%process") count_process(next_field(rest));
    if (1 + longest_varint + line.size() > largest_payload)
      throw OutputError(too_long(line, "a block of a binary trace", largest_payload));
    put_note(line);
  }

  void flush() override {
    end_block();
    out_.flush();
  }

  void close() override {
    end_block();
    char count[sizeof(std::uint64_t)];
    store(count, notes_);
    block_time_ = time_;
    put_block(end_block_type, {count, sizeof count});
    out_.close();
  }

 private:
  static constexpr std::string_view end_block_type = binary::end_block;

  /// Makes room for an entry of at most `count` bytes.
  char* room(std::size_t count) {
    if (used_ + count > usual_payload) [[unlikely]] {
      end_block();
      if (count > usual_payload) block_.resize(block_head_size + count + checksum_size);
    }
    return block_.data() + block_head_size + used_;
  }
  [[nodiscard]] const char* block_end() const noexcept { return block_.data() + block_head_size + usual_payload; }
  void commit(const char* to) noexcept { used_ = static_cast<std::size_t>(to - block_.data()) - block_head_size; }

  template <class BodyOf>
  void put_records(std::span<const Corrected> run, BodyOf body_of) {
    char* to = block_.data() + block_head_size + used_;
    // Nothing fits into a block before its first record is known.
    const char* full = block_records_ == 0 ? to : block_end();
    Time time = time_;
    const ProcessIndex defined = defined_;
    std::uint32_t records = block_records_;
    for (const Corrected& corrected : run) {
      if (corrected.process >= defined) [[unlikely]]
        no_definition(corrected.process);
      const Body body = body_of(corrected);
      const std::size_t most = 2 * longest_varint + body.size();
      if (full - to < static_cast<std::ptrdiff_t>(most)) [[unlikely]] {
        if (most > largest_payload) throw OutputError(too_long(body, "a block of a binary trace", largest_payload));
        commit(to);
        block_records_ = records;
        to = room(most);
        records = block_records_;
        if (records == 0) block_time_ = time = corrected.time;
        full = block_end();
      }
      to = put_varint(to, std::uint64_t{corrected.process} + 1);
      // Modulo 2^64: any two times have a difference.
      to = put_varint(to, zigzag(static_cast<std::int64_t>(ticks_between(time, corrected.time))));
      to = put(to, body);
      time = corrected.time;
      ++records;
    }
    commit(to);
    time_ = time;
    block_records_ = records;
  }

  void put_note(std::string_view line) {
    char* to = room(1 + longest_varint + line.size());
    *to++ = 0;
    to = put_varint(to, line.size());
    std::memcpy(to, line.data(), line.size());
    commit(to + line.size());
    ++notes_;
  }

  Body with_recorded(const Corrected& corrected) {
    const auto kind = static_cast<unsigned char>(corrected.body.front());
    if ((kind & has_recorded) != 0) return corrected.body;
    char recorded[sizeof(std::int64_t)];
    store(recorded, static_cast<std::uint64_t>(corrected.recorded.ticks()));
    scratch_.assign(corrected.body);
    scratch_.front() = static_cast<char>(kind | has_recorded);
    scratch_.append(recorded, sizeof recorded);
    return scratch_;
  }

  void end_block() {
    if (used_ > 0) put_block(data_block, {block_.data() + block_head_size, used_});
    used_ = 0;
    block_records_ = 0;
  }

  void put_block(std::string_view type, std::string_view payload) {
    char* const block = block_.data();
    std::memcpy(block, type.data(), type.size());
    store(block + 4, static_cast<std::uint32_t>(payload.size()));
    store(block + 8, records_);
    store(block + 16, static_cast<std::uint64_t>(block_time_.ticks()));
    store(block + 24, block_records_);
    store(block + 28, static_cast<std::uint32_t>(checksum({block, 28})));
    char* const body = block + block_head_size;
    if (payload.data() != body) std::memcpy(body, payload.data(), payload.size());
    store(body + payload.size(), checksum({body, payload.size()}));
    out_.append({block, block_head_size + payload.size() + checksum_size});
    records_ += block_records_;
  }

  /// The format numbers processes by the order of their definitions; so does `Definitions`.
  void count_process(std::string_view field) {
    std::uint64_t number = 0;
    if (!to_number(field, number)) return;
    const std::optional<ProcessIndex> index = definitions_.find_process(number);
    if (index == defined_) ++defined_;
  }
  [[noreturn]] void no_definition(ProcessIndex process) const {
    throw OutputError("process " + std::to_string(process_number(definitions_, process)) +
                      " has no line \"%process\" in the order of its index before its first record");
  }

  OutputBuffer out_;
  const Definitions& definitions_;
  const BodyDecoder* decoder_;  ///< null: bodies are binary
  bool keep_original_;
  bool first_note_ = true;
  ProcessIndex defined_ = 0;  ///< processes whose definitions have been written
  std::vector<char> block_;   ///< head, payload, checksum
  std::size_t used_ = 0;      ///< bytes of the payload
  std::uint32_t block_records_ = 0;
  Time block_time_;
  Time time_;  ///< of the last record
  std::uint64_t records_ = 0;
  std::uint64_t notes_ = 0;
  std::string scratch_;
};

}  // namespace

std::unique_ptr<Sink> binary_sink(std::unique_ptr<ByteSink> bytes, const Definitions& definitions,
                                  const SinkOptions& options) {
  return std::make_unique<BinarySink>(std::move(bytes), definitions, options);
}

}  // namespace clc::formats
