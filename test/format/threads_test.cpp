// Reading and writing in threads of their own: the same as without, also when one side fails or stops early.
#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <thread>

#include "clc/error.hpp"
#include "clc/io/batch.hpp"
#include "clc/io/format.hpp"
#include "support.hpp"
#include "threads/crew.hpp"
#include "threads/handover.hpp"

using namespace clc;
using namespace format_test;

namespace {

struct Both {
  SourceOptions source;
  SinkOptions sink;
};

Both with(unsigned count, Format format) {
  Both both{{}, as(format)};
  both.source.threads = both.sink.threads = std::make_shared<Threads>(count);
  return both;
}

/// Gives what it takes, and the processes it knew at that time.
class Tally final : public EventSink {
 public:
  explicit Tally(const Definitions& definitions) : definitions_(definitions) {}
  void events(std::span<const Corrected> run) override {
    for (const Corrected& record : run)
      text += std::to_string(record.time.ticks()) + ' ' + definitions_.processes().at(record.process).name + ' ' +
              std::to_string(definitions_.communicators().size()) + std::string(record.body) + '\n';
  }
  void note(Body line) override { text.append(line).append("\n"); }
  std::string text;

 private:
  const Definitions& definitions_;
};

/// What a reader sees of each batch with the definitions as they are then.
std::string told(const std::string& path, unsigned count) {
  SourceOptions options;
  options.threads = std::make_shared<Threads>(count);
  const OpenedSource opened = open_source(path, options);
  Tally tally(opened.source->definitions());
  Batch batch;
  bool more = true;
  try {
    while (more) {
      more = opened.source->read(batch);
      for (const Batch::Note& note : batch.notes) tally.note(note.line);
      for (std::size_t i = 0; i < batch.events.size(); ++i) {
        const Event& event = batch.events[i];
        const Corrected record{event.time, event.time, event.process, batch.bodies[i]};
        tally.events({&record, 1});
        tally.text += opened.source->describe(batch.places[i]) + '\n';
      }
    }
  } catch (const InputError& error) {
    tally.text += error.what();
  }
  return tally.text + std::to_string(opened.source->bytes_read());
}

/// A trace longer than what waits between the threads, with a definition every `every` records.
std::string long_text(int records, int every) {
  std::string text = "%clc-trace 1\n%process 0 a\n";
  for (int i = 0; i < records; ++i) {
    if (i % every == every - 1)
      text += "%process " + std::to_string(i) + " p\n%process 0 a" + std::to_string(i) + "\n%group " +
              std::to_string(i) + " 0\n";
    text += std::to_string(i) + " 0 E f" + std::to_string(i) + '\n';
  }
  return text;
}

/// Definitions between all records, then none for long, and that again: the thread that reads rests and goes on.
std::string text_in_phases() {
  std::string text = "%clc-trace 1\n%process 0 a\n";
  int time = 0;
  for (int phase = 0; phase < 5; ++phase) {
    const bool calm = phase % 2 == 1;
    for (int i = 0; i < (calm ? 150'000 : 100); ++i) {
      if (!calm) text += "%process 0 a" + std::to_string(time) + '\n';
      text += std::to_string(time++) + " 0 E f\n";
    }
  }
  return text;
}

}  // namespace

TEST_CASE("threads: slots come out in order, and no more are filled than there are") {
  formats::Handover<int, 3> slots;
  std::atomic<int> filled{0};
  std::atomic<bool> drained{false};
  std::thread filling([&] {
    for (int i = 0; i < 1000; ++i) {
      int* const slot = slots.to_fill();
      if (slot == nullptr) return;
      *slot = i;
      ++filled;
      slots.filled();
    }
    drained = slots.drained();
  });
  bool in_order = true;
  bool bounded = true;
  for (int i = 0; i < 1000; ++i) {
    const int* const slot = slots.to_empty();
    if (slot == nullptr) break;
    in_order = in_order && *slot == i;
    bounded = bounded && filled <= i + 3;
    slots.emptied();
  }
  filling.join();
  CHECK(in_order);
  CHECK(bounded);
  CHECK(drained);
}

TEST_CASE("threads: stop ends every wait") {
  for (int side = 0; side < 4; ++side) {
    formats::Handover<int, 2> other;
    bool went_on = true;
    if (side < 2) {
      REQUIRE(other.to_fill() != nullptr);
      other.filled();
      REQUIRE(other.to_fill() != nullptr);
      other.filled();
    }
    std::thread waiting([&] {
      if (side == 0) went_on = other.to_fill() != nullptr;
      if (side == 1) went_on = other.drained();
      if (side == 2) went_on = other.ask();
      if (side == 3) went_on = other.to_empty() != nullptr;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    other.stop();
    waiting.join();
    CHECK_FALSE(went_on);
  }
}

/// Whether the other thread sleeps already cannot be seen: what depends on it is tried until it does, as once says.
template <class Once>
void until_it_sleeps(Once once) {
  bool slept = false;
  for (int tries = 0; tries < 1000 && !slept; ++tries) slept = once();
  CHECK(slept);
}

TEST_CASE("threads: who sleeps is woken for several slots at once, or when somebody waits for the last") {
  until_it_sleeps([] {
    formats::Handover<int, 4, 2> slots;
    std::atomic<int> emptied{0};
    std::thread emptying([&] {
      while (slots.to_empty() != nullptr) {
        ++emptied;
        slots.emptied();
      }
    });
    const auto fill = [&] {
      if (slots.to_fill() != nullptr) slots.filled();
    };
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    fill();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const bool slept = emptied == 0;
    fill();
    while (slept && emptied < 2) std::this_thread::yield();
    fill();
    CHECK(slots.drained());
    CHECK(emptied == 3);
    slots.stop();
    emptying.join();
    return slept;
  });
}

TEST_CASE("threads: who sleeps is woken for the last slots when nothing more comes") {
  until_it_sleeps([] {
    formats::Handover<int, 4, 2> slots;
    std::atomic<int> emptied{0};
    std::thread emptying([&] {
      if (slots.to_empty() == nullptr) return;
      ++emptied;
      slots.emptied();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (slots.to_fill() != nullptr) slots.filled();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const bool slept = emptied == 0;
    slots.no_more();
    emptying.join();
    CHECK(emptied == 1);
    return slept;
  });
}

TEST_CASE("threads: who fills a full ring goes on when several slots are empty") {
  until_it_sleeps([] {
    formats::Handover<int, 4, 2> slots;
    std::atomic<int> filled{0};
    std::thread filling([&] {
      while (slots.to_fill() != nullptr) {
        ++filled;
        slots.filled();
      }
    });
    const auto empty = [&] {
      if (slots.to_empty() != nullptr) slots.emptied();
    };
    while (filled < 4) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    empty();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const bool slept = filled == 4;
    empty();
    while (slept && filled < 6) std::this_thread::yield();
    slots.stop();
    filling.join();
    return slept;
  });
}

TEST_CASE("threads: who asks goes on when all is empty and it is granted") {
  formats::Handover<int, 2> slots;
  std::atomic<bool> granted{false};
  const auto fill = [&] {
    if (slots.to_fill() != nullptr) slots.filled();
  };
  std::thread filling([&] {
    fill();
    granted = slots.ask();
    fill();
  });
  REQUIRE(slots.to_empty() != nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK_FALSE(granted);
  slots.emptied();
  CHECK(slots.to_empty() == nullptr);  // it asks
  CHECK_FALSE(granted);
  slots.grant();
  CHECK(slots.to_empty() != nullptr);
  CHECK(granted);
  filling.join();
  slots.emptied();
  slots.wake();
  CHECK(slots.to_empty() == nullptr);
}

TEST_CASE("threads: a reader sees the same records, places and definitions from a thread") {
  const Folder folder;
  for (const int every : {1, 7, 5000}) {
    write_file("t", long_text(every == 1 ? 300 : 20000, every));
    CHECK(told("t", 3) == told("t", 1));
  }
  write_file("t", text_in_phases());
  CHECK((told("t", 3) == told("t", 1)));
  write_file("t", long_text(20000, 6000) + "what is this\n");
  CHECK(told("t", 3) == told("t", 1));
  write_file("t", long_text(20000, 6000) + "7 0 E early\n8 0 E lost\n%process 9 lost\n");
  CHECK(told("t", 3) == told("t", 1));
  write_file("t", random_text(4711, 15000));
  CHECK(told("t", 3) == told("t", 1));
}

TEST_CASE("threads: definitions change only when the sink has written what it was given") {
  const Folder folder;
  write_file("t", long_text(20000, 900));
  REQUIRE(copy_trace("t", "b", as(Format::binary), {}).empty());
  write_file("phases", text_in_phases());
  for (const char* name : {"t", "b", "phases"})
    for (const unsigned count : {2U, 3U}) {
      SourceOptions options;
      options.threads = std::make_shared<Threads>(count);
      const OpenedSource opened = open_source(name, options);
      const Definitions& definitions = opened.source->definitions();
      std::size_t known = definitions.processes().size();
      int drained = 0;
      options.threads->crew().set_drain([&] { ++drained; });
      bool changed = false;
      Batch batch;
      for (bool more = true; more;) {
        const int before = drained;
        more = opened.source->read(batch);
        changed = changed || (definitions.processes().size() != known && drained == before);
        known = definitions.processes().size();
      }
      options.threads->crew().set_drain({});
      CHECK(drained > 20);
      CHECK_FALSE(changed);
    }
}

TEST_CASE("threads: copies are the same with any number of them") {
  const Folder folder;
  write_file("t", random_text(42, in_depth() ? 15000 : 5000));
  for (const Format format : {Format::text, Format::binary, Format::paje, Format::chrome})
    for (const std::optional<int> level : {std::optional<int>(), std::optional(1), std::optional(4)}) {
      std::string expected;
      for (const unsigned count : {1U, 2U, 3U}) {
        Both both = with(count, format);
        both.sink.zstd_level = level;
        REQUIRE(copy_trace("t", "out", both.sink, both.source).empty());
        if (count == 1) expected = read_file("out");
        CHECK((read_file("out") == expected));
      }
    }
}

TEST_CASE("threads: a source that nobody reads to its end does not wait for more input") {
  const Folder folder;
  const std::string text = long_text(200, 1000);
  for (const bool begun : {false, true}) {
    const Pipe pipe;
    pipe.write(text);
    const Both both = with(3, Format::text);
    const OpenedSource opened = open_source(pipe.read_path(), both.source);
    Batch batch;
    if (begun) {
      while (batch.events.empty()) REQUIRE(opened.source->read(batch));
      CHECK(batch.bodies[0] == " 0 E f0");
    }
  }
}

TEST_CASE("threads: what cannot be written ends a read that waits for input") {
  const Folder folder;
  const Pipe pipe;
  pipe.write(long_text(200, 1000));
  const Both both = with(3, Format::text);
  const OpenedSource opened = open_source(pipe.read_path(), both.source);
  const std::unique_ptr<Sink> sink = open_sink("/dev/full", opened.source->definitions(), both.sink);
  Batch batch;
  const auto copy = [&] {
    const std::string body(300'000, 'x');
    while (opened.source->read(batch))
      for (const Event& event : batch.events) {
        const Corrected record{event.time, event.time, event.process, body};
        sink->events({&record, 1});
      }
  };
  CHECK_THROWS_AS(copy(), OutputError);
}

TEST_CASE("threads: output that is not closed leaves nothing behind") {
  const Folder folder;
  const Definitions definitions;
  const Both both = with(3, Format::text);
  {
    const std::unique_ptr<Sink> sink = open_sink("out", definitions, both.sink);
    for (int i = 0; i < 100; ++i) sink->note("# " + std::string(100'000, 'x'));
  }
  CHECK(folder.files().empty());
}

TEST_CASE("threads: definitions in two threads may share the members of their communicators") {
  const Members shared{0, 1, 2};
  std::array<Definitions, 2> definitions;
  for (Definitions& own : definitions)
    for (std::uint64_t number = 0; number < 3; ++number) own.add_process(number, "");
  const auto work = [&](Definitions& own) {
    for (int round = 0; round < 20; ++round)
      for (std::uint64_t number = 0; number < 1000; ++number)
        own.add_communicator(number, round % 2 == 0 ? shared : Members{1, 0});
  };
  std::thread other(work, std::ref(definitions[0]));
  work(definitions[1]);
  other.join();
  for (const Definitions& own : definitions) {
    CHECK(own.communicators().size() == 1000);
    CHECK(own.memory() < 1'000'000);
  }
}
