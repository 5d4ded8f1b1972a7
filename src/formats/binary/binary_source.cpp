#include <algorithm>
#include <optional>

#include "binary/binary.hpp"
#include "binary/body.hpp"
#include "clc/error.hpp"
#include "clc/io/batch.hpp"
#include "clc/io/record.hpp"
#include "common/batch.hpp"
#include "common/checksum.hpp"
#include "common/entries.hpp"
#include "common/reader.hpp"
#include "common/words.hpp"

namespace clc::formats {

namespace {

using namespace binary;

class BinarySource final : public Reader, public Entries {
 public:
  BinarySource(std::string name, std::unique_ptr<ByteSource> bytes, ClockOf clock_of)
      : Reader(std::move(name), std::move(bytes), block_head_size + largest_payload + checksum_size) {
    lines_.set_clock_of(clock_of);
    read_file_head();
    read_header();
  }

  [[nodiscard]] const BodyDecoder& decoder() const noexcept override { return body_decoder(); }
  [[nodiscard]] std::string describe(std::uint64_t place) const override {
    return name_ + ": offset " + std::to_string(place);
  }
  [[nodiscard]] Ready ready() const override {
    if (!inside_block_ || !header_given() || !fault_.empty() || !cut_.empty()) return {};
    return {buffer_.begin(), end_, Time(static_cast<std::int64_t>(time_)), Time::earliest(), buffer_.offset()};
  }
  void taken(const Taken& taken) override {
    time_ = static_cast<std::uint64_t>(taken.time.ticks());
    records_ += taken.count;
    buffer_.consume(taken.to);
    shorten_batch();
  }

 private:
  [[nodiscard]] std::uint64_t offset_of(const char* at) const noexcept {
    return buffer_.offset() + static_cast<std::uint64_t>(at - buffer_.begin());
  }

  /// True when `count` bytes are in the buffer.
  bool need(std::size_t count) {
    while (buffer_.size() < count)
      if (!buffer_.fill()) return false;
    return true;
  }

  void read_file_head() {
    const bool whole = need(file_head_size);
    const char* const head = buffer_.begin();
    const std::string_view start(head, std::min(buffer_.size(), magic.size()));
    if (start != magic.substr(0, start.size())) {
      std::string message =
          describe(0) + ": found " + in_quotes(start) + ", expected the first bytes of a binary trace";
      if (start.substr(0, 4) == magic.substr(0, 4))
        message += "; the line ends in the file were converted: transfer it in binary mode";
      else if (start.size() >= 4 && start.substr(1, 3) == magic.substr(1, 3))
        message += "; the eighth bits of the file were lost: transfer it in binary mode";
      else
        message += "; check that this is a binary trace";
      throw InputError(message);
    }
    if (!whole)
      throw InputError(describe(buffer_.size()) + ": the file ends inside its header, expected " +
                       std::to_string(file_head_size) + " bytes; the file is truncated, write or copy it again");
    const auto found = load<std::uint32_t>(head + 8);
    if (found == 0x0100'0000)
      throw InputError(describe(8) +
                       ": found the version in the wrong byte order, expected little-endian numbers; the program that "
                       "wrote the file must be corrected");
    if (load<std::uint32_t>(head + 12) != static_cast<std::uint32_t>(checksum({head, 12})))
      throw InputError(describe(8) +
                       ": the header of the file does not match its checksum; the file is damaged, write or copy it "
                       "again");
    if (found != version)
      throw InputError(describe(8) + ": found version " + std::to_string(found) + " of the binary format, expected " +
                       std::to_string(version) + "; use a newer version of this program");
    buffer_.consume(head + file_head_size);
    end_ = buffer_.begin();
  }

  /// Makes the next block current. False at the end of the trace. Damage: sets the fault, or cut_ when
  /// there are records to be delivered first.
  bool more() override {
    if (ended_) return false;
    if (!cut_.empty()) {
      fault_ = cut_;
      return true;
    }
    if (inside_block_ && !leave_block()) return true;
    const std::uint64_t start = buffer_.offset();
    const bool head_whole = need_or_cut(block_head_size);
    const char* const head = buffer_.begin();
    end_ = head;
    if (!head_whole) {
      if (fault_.empty())
        fault_ = describe(start + buffer_.size()) + ": the file ends " +
                 (buffer_.size() == 0 ? "without its end mark" : "inside the header of a block") + truncated;
      return true;
    }
    if (!take_head(start, head)) return true;
    const std::size_t payload = load<std::uint32_t>(head + 4);
    const bool is_end = std::string_view(head, 4) == end_block;
    const bool whole = need_or_cut(block_head_size + payload + checksum_size);
    const char* const body = buffer_.begin() + block_head_size;
    if (!whole) {
      cut_ = fault_;
      fault_.clear();
      const std::size_t have = buffer_.size() - block_head_size;
      if (cut_.empty()) cut_ = describe(start + buffer_.size()) + ": the file ends inside a block" + truncated;
      // Records before the cut are delivered although their checksum is missing.
      buffer_.consume(body);
      end_ = body + (is_end ? 0 : std::min(have, payload));
      inside_block_ = true;
      return true;
    }
    if (load<std::uint64_t>(body + payload) != checksum({body, payload})) {
      fault_ =
          describe(start) + ": a block of " + std::to_string(payload) + " bytes does not match its checksum" + damaged;
      end_ = buffer_.begin();
      return true;
    }
    if (is_end) return last_block(start, {body, payload});
    buffer_.consume(body);
    end_ = body + payload;
    inside_block_ = true;
    return true;
  }

  /// The records of the current block were read. False: not as many as its header says.
  bool leave_block() {
    inside_block_ = false;
    if (records_ != block_first_ + block_records_) {
      fault_ = describe(offset_of(end_)) + ": found " + std::to_string(records_ - block_first_) +
               " records in a block, expected " + std::to_string(block_records_) +
               "; the program that wrote the file must be corrected";
      return false;
    }
    buffer_.consume(end_ + checksum_size);
    end_ = buffer_.begin();
    return true;
  }

  /// The header of the block at that offset; false: it sets the fault.
  bool take_head(std::uint64_t start, const char* head) {
    if (load<std::uint32_t>(head + 28) != static_cast<std::uint32_t>(checksum({head, 28}))) {
      fault_ = describe(start) + ": the header of a block does not match its checksum" + damaged;
      return false;
    }
    const std::string_view type(head, 4);
    const std::size_t payload = load<std::uint32_t>(head + 4);
    if (type != data_block && type != end_block) {
      fault_ = describe(start) + ": found a block of type " + in_quotes(type) +
               ", expected DATA or END.; use a newer version of this program";
      return false;
    }
    if (payload > largest_payload) {
      fault_ = describe(start) + ": found a block of " + std::to_string(payload) + " bytes, expected at most " +
               std::to_string(largest_payload) + "; the program that wrote the file must be corrected";
      return false;
    }
    const auto first = load<std::uint64_t>(head + 8);
    if (first != records_) {
      fault_ = describe(start) + ": found record " + std::to_string(first) +
               " at the start of a block, expected record " + std::to_string(records_) +
               ": blocks are missing or repeated" + damaged;
      return false;
    }
    block_first_ = first;
    block_records_ = load<std::uint32_t>(head + 24);
    time_ = static_cast<std::uint64_t>(load<std::int64_t>(head + 16));
    return true;
  }

  bool last_block(std::uint64_t start, std::string_view payload) {
    end_ = buffer_.begin();
    const std::uint64_t notes = payload.size() < 8 ? 0 : load<std::uint64_t>(payload.data());
    if (payload.size() < 8 || notes != notes_) {
      fault_ = describe(start) + ": the end mark counts " + std::to_string(notes) + " notes, expected " +
               std::to_string(notes_) + damaged;
      return true;
    }
    buffer_.consume(payload.data() + payload.size() + checksum_size);
    static_cast<void>(need_or_cut(magic.size()));
    end_ = buffer_.begin();
    if (buffer_.size() > 0) {
      const std::string_view rest(buffer_.begin(), std::min(buffer_.size(), magic.size()));
      fault_ = describe(buffer_.offset()) + ": found ";
      fault_ += rest == magic ? "a second trace" : "more bytes, " + in_quotes(rest) + ",";
      fault_ += " after the end mark, expected one trace in a file; split the file here";
      return true;
    }
    if (!fault_.empty()) return true;
    ended_ = true;
    return false;
  }

  /// As need; damage below (zstd) becomes the fault.
  bool need_or_cut(std::size_t count) {
    try {
      return need(count);
    } catch (const InputError& error) {
      fault_ = error.what();
      return false;
    }
  }

  /// One line that is a note in the text format, too.
  static bool is_note(Body line) noexcept {
    if (line.find('\n') != Body::npos || line.find('\0') != Body::npos) return false;
    const Body words = trimmed(line);
    return words.empty() || words.front() == '%' || words.front() == '#';
  }

  /// The note whose size comes next; none: it sets the fault, ends the block, or has to wait for the records before it.
  std::optional<Body> take_note(Cursor cursor, const char*& at, bool behind_records) {
    const std::uint64_t size = cursor.varint();
    if (!cursor.good() || cursor.at() > end_ || size > static_cast<std::uint64_t>(end_ - cursor.at())) {
      overrun(at);
      at = end_;
      return std::nullopt;
    }
    const Body note(cursor.at(), static_cast<std::size_t>(size));
    if (behind_records && lines_.replaces(note)) return std::nullopt;
    const std::string wrong =
        is_note(note) ? lines_.take(note)
                      : "found " + in_quotes(note.substr(0, 16)) +
                            " as a note, expected one line of text that is empty or begins with % or #; the program "
                            "that wrote the file must be corrected";
    if (wrong.empty()) return note;
    fault_ = describe(offset_of(at)) + ": " + wrong;
    return std::nullopt;
  }

  /// Adds the note whose size comes next to the batch, behind `count` records. False: the batch ends here.
  [[gnu::noinline]] bool take_note(Cursor cursor, const char*& at, Batch& batch, std::size_t count) {
    const std::optional<Body> note = take_note(cursor, at, count > 0);
    if (!note) return false;
    batch.notes.push_back({count, *note});
    ++notes_;
    at = note->data() + note->size();
    return true;
  }

  /// Decodes entries of the current block; returns the number of records.
  std::size_t parse(Batch& batch, std::size_t most) override {
    resize_records(batch, most);
    Event* event = batch.events.data();
    Body* body = batch.bodies.data();
    std::uint64_t* place = batch.places.data();
    const Event* const first = event;
    const Event* const last = event + most;
    const char* at = buffer_.begin();
    const char* const end = end_;
    const std::uint64_t offset = buffer_.offset();
    const char* const start = at;
    std::uint64_t time = time_;
    Limits limits{lines_.process_count(), lines_.communicator_count()};
    while (at < end) {
      Cursor cursor(at);
      const std::uint64_t process = cursor.varint();
      Problem problem = Problem::none;
      if (process - 1 >= limits.processes) [[unlikely]] {
        if (process == 0) {
          const char* note = at;  // of its own: the other one stays in a register
          const bool taken = batch.notes.size() < batch_size &&
                             take_note(cursor, note, batch, static_cast<std::size_t>(event - first));
          at = note;
          if (!taken) break;
          limits = {lines_.process_count(), lines_.communicator_count()};
          continue;
        }
        problem = Problem::process;
      }
      if (event == last) [[unlikely]]
        break;
      *event = Event{};
      const std::uint64_t next = time + static_cast<std::uint64_t>(cursor.signed_varint());
      event->time = Time(static_cast<std::int64_t>(next));
      event->process = static_cast<ProcessIndex>(process - 1);
      const char* const fields = cursor.at();
      std::uint64_t text_size = 0;
      const unsigned kind = read_fields(cursor, limits, *event, text_size, problem);
      if (!fits(cursor, text_size, kind, end)) [[unlikely]] {
        overrun(at);
        at = end;
        break;
      }
      if (problem != Problem::none || !cursor.good()) [[unlikely]] {
        fault_ = describe(offset_of(at)) + ": " + explain(problem);
        break;
      }
      *body++ = Body(fields, static_cast<std::size_t>(cursor.at() - fields));
      *place++ = offset + static_cast<std::uint64_t>(at - start);
      ++event;
      time = next;
      at = cursor.at();
    }
    const auto count = static_cast<std::size_t>(event - first);
    time_ = time;
    records_ += count;
    buffer_.consume(at);
    resize_records(batch, count);
    return count;
  }

  /// Skips what follows the fields of a record. False: it reaches beyond the end.
  [[gnu::always_inline]] static bool fits(Cursor& cursor, std::uint64_t text_size, unsigned kind, const char* end) {
    if (cursor.at() > end || text_size > static_cast<std::uint64_t>(end - cursor.at())) return false;
    cursor.skip(static_cast<std::size_t>(text_size));
    if ((kind & has_recorded) == 0) [[likely]]
      return true;
    cursor.skip(sizeof(std::int64_t));
    return cursor.at() <= end;
  }

  /// An entry that reaches beyond its block: expected where the file was cut.
  void overrun(const char* at) {
    if (!cut_.empty()) return;
    fault_ = describe(offset_of(at)) +
             ": a record reaches beyond the end of its block; the program that wrote the file must be corrected";
  }

  static std::string explain(Problem problem) {
    std::string message;
    switch (problem) {
      case Problem::none:
        message = "found a number of more than 64 bits, expected at most ten bytes";
        break;
      case Problem::kind:
        message = "found an unknown kind of record, expected kinds and flags of version 1";
        break;
      case Problem::process:
        message = "found a process that is not defined, expected its line \"%process\" before its first use";
        break;
      case Problem::communicator:
        message = "found a communicator that is not defined, expected its line \"%group\" before its first use";
        break;
      case Problem::operation:
        message = "found an unknown collective operation, expected a number from 0 to 16";
        break;
      case Problem::root:
        message = "found a root out of range, expected a rank of 32 bits";
        break;
    }
    return message + "; the program that wrote the file must be corrected";
  }

  static constexpr const char* truncated =
      ", expected more; everything before was read, the file is truncated or still being written";
  static constexpr const char* damaged = "; everything before was read, the file is damaged, write or copy it again";

  bool inside_block_ = false;  ///< end_ is the end of a payload
  bool ended_ = false;
  std::uint64_t block_first_ = 0;
  std::uint32_t block_records_ = 0;
  std::uint64_t time_ = 0;     ///< of the last record, modulo 2^64
  std::uint64_t records_ = 0;  ///< decoded so far
  std::uint64_t notes_ = 0;
  std::string cut_;  ///< the fault behind the records of an incomplete block
};

}  // namespace

std::unique_ptr<Reader> binary_source(std::string name, std::unique_ptr<ByteSource> bytes, ClockOf clock_of) {
  return std::make_unique<BinarySource>(std::move(name), std::move(bytes), clock_of);
}

}  // namespace clc::formats
