// One JSON object: an array of events in the order of the output, then what is known of the trace.
//
// A process has a thread with its corrected times and, with `keep_original`, another one with the recorded times.
// Slices are pairs of B and E; both ends of a message stand in a slice of their own without length, so that its arrow
// begins and ends at their times, whatever is around them.
//
// Memory  A few bytes for each open slice of a process (at most `deepest`), and the ends of messages that wait for the
//         other one.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "bytes/output_buffer.hpp"
#include "chrome/chrome.hpp"
#include "chrome/json.hpp"
#include "clc/io/record.hpp"
#include "common/message_numbers.hpp"
#include "common/numbers.hpp"
#include "common/put.hpp"

namespace clc::formats {

namespace {

using chrome::most_in_string;
using chrome::put_string;
__extension__ using Wide = __int128;

class ChromeSink final : public Sink {
 public:
  ChromeSink(std::unique_ptr<ByteSink> bytes, const Definitions& definitions, const SinkOptions& options)
      : out_(std::move(bytes)),
        definitions_(definitions),
        decoder_(*options.decoder),
        both_(options.keep_original),
        provenance_(options.provenance.empty() ? std::string() : options.provenance.front()) {}

  void events(std::span<const Corrected> run) override {
    begin();
    for (const Corrected& corrected : run) {
      const Record record = decoder_.decode(corrected.body);
      Lane lane;
      lane.process = corrected.process;
      lane.time = corrected.time;
      lane.recorded = record.recorded.value_or(corrected.recorded);
      if (!shift_known_) settle_shift(lane.recorded);
      if (corrected.process >= processes_.size()) {
        require_process(definitions_, corrected.process);
        processes_.resize(corrected.process + std::size_t{1});
      }
      if (!processes_[corrected.process].named) name(corrected.process);
      correction(lane);
      write(lane, record);
    }
  }

  void note(Body /*line*/) override {}

  void flush() override {
    begin();
    out_.flush();
  }

  void close() override {
    begin();
    for (ProcessIndex p = 0; p < definitions_.processes().size(); ++p) {
      if (p >= processes_.size()) processes_.resize(p + std::size_t{1});
      if (!processes_[p].named) name(p);
    }
    char* to = room(most_in_string(provenance_.size()));
    to = put(to, "\n],\n\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"ticksPerSecond\":");
    to = put(to, definitions_.resolution.per_second());
    to = put(to, ",\"shiftInTicks\":");
    if (shift_ < 0) *to++ = '-';
    to = put_wide(to, shift_ < 0 ? -shift_ : shift_);
    if (!provenance_.empty()) {
      to = put(to, ",\"provenance\":");
      to = put_string(to, provenance_);
    }
    out_.commit(put(to, "}}\n"));
    out_.close();
  }

 private:
  static constexpr std::size_t deepest = std::size_t{1} << 12;
  static constexpr std::size_t usual_room = 512;

  enum class Slice : std::uint8_t { function, collective };
  struct State {
    bool named = false;
    std::vector<Slice> open;
    std::uint64_t too_deep = 0;  ///< entered beyond `deepest`, not left
    bool counted = false;        ///< there is a correction
    Ticks correction = 0;        ///< as last written
  };
  /// Where an event goes.
  struct Lane {
    ProcessIndex process = 0;
    Time time;
    Time recorded;
  };

  /// Times below 0 and beyond 2^52 ticks lose precision or are lost in viewers, which count in microseconds as
  /// floating-point numbers: such a trace begins at one hour. If recorded times are written, too, it begins at one day,
  /// as some clocks may be behind by hours; there a double still knows nanoseconds. Times that are before 0 even so are
  /// negative, which keeps their distances.
  void settle_shift(Time first) {
    shift_known_ = true;
    constexpr std::int64_t largest = std::int64_t{1} << 52;
    if (first.ticks() >= 0 && first.ticks() < largest) return;
    const std::int64_t seconds = both_ ? 86400 : 3600;
    const std::int64_t begin =
        seconds * std::min<std::int64_t>(definitions_.resolution.per_second(), largest / seconds);
    shift_ = Wide{first.ticks()} - begin;
  }

  void begin() {
    if (begun_) return;
    begun_ = true;
    out_.append("{\"traceEvents\":[");
  }

  [[nodiscard]] char* room(std::size_t more = 0) { return out_.reserve(usual_room + more); }

  // ---- parts of an event ----

  /// {"ph":"B","pid":1,"tid":1,"ts":0.5
  char* start(char* to, char phase, const Lane& lane, bool recorded) {
    to = head(to, phase, lane.process, recorded);
    to = put(to, ",\"ts\":");
    return put_time(to, recorded ? lane.recorded : lane.time);
  }
  char* head(char* to, char phase, ProcessIndex process, bool recorded) {
    if (any_) *to++ = ',';
    any_ = true;
    to = put(to, "\n{\"ph\":\"");
    *to++ = phase;
    to = put(to, "\",\"pid\":");
    const std::uint64_t number = 2 * std::uint64_t{process} + 1;
    to = put(to, number);
    to = put(to, ",\"tid\":");
    return put(to, number + (recorded ? 1U : 0U));
  }
  void finish(char* to) {
    *to++ = '}';
    out_.commit(to);
  }
  char* put_named(char* to, std::string_view text) {
    to = put(to, ",\"name\":");
    return put_string(to, text);
  }
  /// Microseconds, exact where a tick is a picosecond or a power of ten of it; else cut to picoseconds.
  char* put_time(char* to, Time time) const { return put_signed(to, Wide{time.ticks()} - shift_); }
  char* put_microseconds(char* to, Wide size) const {
    const Wide per_second = definitions_.resolution.per_second();
    size *= 1'000'000;
    to = put_wide(to, size / per_second);
    Wide rest = size % per_second;
    if (rest == 0) return to;
    *to++ = '.';
    for (int i = 0; i < 6 && rest != 0; ++i) {
      rest *= 10;
      *to++ = static_cast<char>('0' + static_cast<int>(rest / per_second));
      rest %= per_second;
    }
    return to;
  }
  static char* put_wide(char* to, Wide number) {
    constexpr std::uint64_t low = 1'000'000'000'000'000'000U;
    const auto high = static_cast<std::uint64_t>(number / low);
    const auto rest = static_cast<std::uint64_t>(number % low);
    if (high == 0) return put(to, rest);
    to = put(to, high);
    std::array<char, longest_number> digits{};
    const char* const end = put(digits.data(), rest);
    for (auto missing = 18 - (end - digits.data()); missing > 0; --missing) *to++ = '0';
    return put(to, std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
  }
  char* put_signed(char* to, Wide ticks) const {
    if (ticks < 0) *to++ = '-';
    return put_microseconds(to, ticks < 0 ? -ticks : ticks);
  }

  // ---- events ----

  void name(ProcessIndex process) {
    processes_[process].named = true;
    const Process& known = definitions_.processes()[process];
    const std::string number = std::to_string(known.number);
    metadata(process, false, "process_name", known.name.empty() ? number : known.name);
    metadata(process, false, "thread_name", both_ ? "corrected" : known.name.empty() ? number : known.name);
    if (both_) metadata(process, true, "thread_name", "recorded");
    char* to = head(room(), 'M', process, false);
    to = put_named(to, "process_sort_index");
    to = put(to, ",\"args\":{\"sort_index\":");
    to = put(to, std::uint64_t{process});
    finish(put(to, "}"));
    const NodeIndex node = known.node;
    if (node != no_node) metadata(process, false, "process_labels", definitions_.nodes()[node], "labels");
  }
  void metadata(ProcessIndex process, bool recorded, std::string_view what, std::string_view text,
                std::string_view key = "name") {
    char* to = head(room(most_in_string(text.size())), 'M', process, recorded);
    to = put_named(to, what);
    to = put(to, ",\"args\":{");
    to = put_string(to, key);
    *to++ = ':';
    to = put_string(to, text);
    finish(put(to, "}"));
  }

  /// The first one, and those that differ from the last by more than a thousandth.
  void correction(const Lane& lane) {
    State& state = processes_[lane.process];
    const Ticks now = lane.time - lane.recorded;
    if (state.counted) {
      const Wide change = Wide{now} - state.correction;
      const Wide size = std::max(Wide{now < 0 ? -Wide{now} : Wide{now}},
                                 state.correction < 0 ? -Wide{state.correction} : Wide{state.correction});
      if ((change < 0 ? -change : change) * 1000 <= size) return;
    }
    state.counted = true;
    state.correction = now;
    char* to = start(room(), 'C', lane, false);
    to = put_named(to, "correction");
    to = put(to, ",\"args\":{\"us\":");
    to = put_signed(to, now);
    finish(put(to, "}"));
  }

  void write(const Lane& lane, const Record& record) {
    State& state = processes_[lane.process];
    switch (record.kind) {
      case Kind::enter:
        return open(lane, state, Slice::function, record.text.empty() ? "?" : record.text);
      case Kind::leave:
        return close(lane, state, Slice::function, record);
      case Kind::collective_begin:
        return open(lane, state, Slice::collective, "collective operation");
      case Kind::collective_end:
        return close(lane, state, Slice::collective, record);
      case Kind::send:
      case Kind::receive:
        return message(lane, record);
      case Kind::other:
        return instant(lane, record.text.empty() ? "I" : record.text);
    }
  }

  template <class Each>
  void on_each_clock(Each each) {
    each(false);
    if (both_) each(true);
  }

  void open(const Lane& lane, State& state, Slice slice, std::string_view text) {
    if (state.open.size() == deepest) {
      ++state.too_deep;
      return instant(lane, text);
    }
    state.open.push_back(slice);
    on_each_clock(
        [&](bool recorded) { finish(put_named(start(room(most_in_string(text.size())), 'B', lane, recorded), text)); });
  }

  /// Slices nest: what was opened inside of it and is not closed ends with it, and its own end is an instant.
  void close(const Lane& lane, State& state, Slice slice, const Record& record) {
    if (state.too_deep > 0) {
      --state.too_deep;
      return instant(lane, "leave");
    }
    const auto found = std::find(state.open.rbegin(), state.open.rend(), slice);
    if (found == state.open.rend())
      return instant(lane, slice == Slice::function ? std::string_view("leave") : info(record.event.operation).name);
    const auto count = found - state.open.rbegin() + 1;
    for (auto i = count; i > 0; --i) {
      on_each_clock([&](bool recorded) {
        char* to = start(room(), 'E', lane, recorded);
        if (i == 1 && slice == Slice::collective) to = put_collective(to, record.event);
        finish(to);
      });
      state.open.pop_back();
    }
  }
  char* put_collective(char* to, const Event& event) const {
    to = put(to, ",\"args\":{\"operation\":");
    to = put_string(to, info(event.operation).name);
    to = put(to, ",\"communicator\":");
    to = put(to, communicator_number(definitions_, event.communicator));
    if (event.root != no_rank) {
      to = put(to, ",\"root\":");
      to = put(to, std::uint64_t{event.root});
    }
    to = put(to, ",\"sent_bytes\":");
    to = put(to, event.bytes);
    to = put(to, ",\"received_bytes\":");
    to = put(to, event.received);
    return put(to, "}");
  }

  void message(const Lane& lane, const Record& record) {
    Event event = record.event;
    const bool send = record.kind == Kind::send;
    event.role = send ? Role::send : Role::receive;
    const MessageNumbers::End corrected = numbers_.end(event, lane.process, lane.time);
    MessageNumbers::End before;
    if (both_) before = recorded_numbers_.end(event, lane.process, lane.recorded);
    on_each_clock([&](bool recorded) {
      const MessageNumbers::End& end = recorded ? before : corrected;
      const Time time = recorded ? lane.recorded : lane.time;
      const Ticks delay = send ? end.first - time : time - end.first;
      const bool backwards = end.second && delay < 0;
      char* to = start(room(), 'B', lane, recorded);
      to = put_named(to, backwards ? (send ? "send (after its receive)" : "receive (before its send)")
                                   : (send ? "send" : "receive"));
      to = put(to, ",\"args\":{\"communicator\":");
      to = put(to, communicator_number(definitions_, event.communicator));
      if (event.peer != no_process) {
        to = put(to, send ? ",\"receiver\":" : ",\"sender\":");
        to = put(to, process_number(definitions_, event.peer));
      }
      to = put(to, ",\"tag\":");
      to = put(to, event.tag);
      to = put(to, ",\"bytes\":");
      to = put(to, event.bytes);
      if (end.second) {
        to = put(to, ",\"delay_us\":");
        to = put_signed(to, delay);
      }
      finish(put(to, "}"));
      // Numbers of the two clocks do not meet.
      to = start(room(), send ? 's' : 'f', lane, recorded);
      to = put(to, ",\"cat\":\"message\",\"name\":\"message\",\"id\":");
      to = put(to, both_ ? 2 * end.number + (recorded ? 1U : 0U) : end.number);
      finish(put(to, send ? "" : ",\"bp\":\"e\""));
      finish(start(room(), 'E', lane, recorded));
    });
  }

  void instant(const Lane& lane, std::string_view text) {
    on_each_clock([&](bool recorded) {
      char* to = start(room(most_in_string(text.size())), 'i', lane, recorded);
      finish(put_named(put(to, ",\"s\":\"t\""), text));
    });
  }

  OutputBuffer out_;
  const Definitions& definitions_;
  const BodyDecoder& decoder_;
  bool both_;  ///< recorded times, too
  std::string provenance_;
  std::vector<State> processes_;
  MessageNumbers numbers_;
  MessageNumbers recorded_numbers_;
  Wide shift_ = 0;  ///< ticks that were taken from all times
  bool shift_known_ = false;
  bool begun_ = false;
  bool any_ = false;  ///< there is an event
};

}  // namespace

std::unique_ptr<Sink> chrome_sink(std::unique_ptr<ByteSink> bytes, const Definitions& definitions,
                                  const SinkOptions& options) {
  return std::make_unique<ChromeSink>(std::move(bytes), definitions, options);
}

}  // namespace clc::formats
