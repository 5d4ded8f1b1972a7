#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "threads/threads.hpp"
#include "threads/write_behind.hpp"
#include "trace/group_sink.hpp"

namespace clc::formats {

namespace {

/// Events and notes that came one run or line at a time, with bytes of their own.
class Copied final : public Leaving {
 public:
  void add(std::span<const Corrected> run) {
    events_.insert(events_.end(), run.begin(), run.end());
    for (const Corrected& event : run) bytes_.append(event.body);
  }
  void add(Body note) { notes_.push_back({events_.size(), std::string(note)}); }
  [[nodiscard]] bool empty() const noexcept { return events_.empty() && notes_.empty(); }
  [[nodiscard]] bool full() const noexcept {
    return events_.size() + notes_.size() >= most_entries || bytes_.size() >= most_bytes;
  }
  void clear() noexcept {
    events_.clear();
    notes_.clear();
    bytes_.clear();
  }

  void write(EventSink& sink) override {
    const char* at = bytes_.data();
    for (Corrected& event : events_) {
      event.body = Body(at, event.body.size());
      at += event.body.size();
    }
    std::span<const Corrected> rest(events_);
    std::size_t written = 0;
    const auto write_to = [&](std::size_t before) {
      if (before > written) sink.events(rest.subspan(written, before - written));
      written = before;
    };
    for (const Note& note : notes_) {
      write_to(note.before);
      sink.note(note.line);
    }
    write_to(rest.size());
  }

 private:
  static constexpr std::size_t most_entries = 2048;
  static constexpr std::size_t most_bytes = std::size_t{1} << 16;
  struct Note {
    std::size_t before;  // index of an event
    std::string line;
  };

  std::vector<Corrected> events_;
  std::vector<Note> notes_;
  std::string bytes_;
};

class ThreadedSink final : public Sink, public GroupSink {
 public:
  ThreadedSink(std::unique_ptr<Sink> inner, std::shared_ptr<Threads> threads)
      : inner_(std::move(inner)),
        threads_(std::move(threads)),
        behind_([this](Leaving* leaving) { leaving->write(*inner_); }, threads_) {
    threads_->crew().set_drain([this] { drain_or_throw(); });
  }
  ThreadedSink(const ThreadedSink&) = delete;
  ThreadedSink& operator=(const ThreadedSink&) = delete;
  ~ThreadedSink() override { threads_->crew().set_drain({}); }

  [[nodiscard]] Order order() const noexcept override { return inner_->order(); }
  void leave(Leaving& leaving) override {
    hand_over_copied();
    hand_over(leaving);
  }
  [[nodiscard]] std::size_t held() const noexcept override { return most_held; }
  void drain() noexcept override { static_cast<void>(behind_.wait()); }
  void events(std::span<const Corrected> run) override {
    copied().add(run);
    if (copied().full()) hand_over_copied();
  }
  void note(Body line) override {
    copied().add(line);
    if (copied().full()) hand_over_copied();
  }
  void flush() override {
    drain_or_throw();
    inner_->flush();
  }
  void close() override {
    drain_or_throw();
    inner_->close();
  }
  [[nodiscard]] std::string damage() const override { return inner_->damage(); }
  [[nodiscard]] std::vector<std::string> warnings() const override { return inner_->warnings(); }

 private:
  static constexpr std::size_t most_held = 8;  // some hundred KiB

  [[nodiscard]] Copied& copied() noexcept { return copied_[at_]; }
  void hand_over_copied() {
    if (copied().empty()) return;
    hand_over(copied());
    // The oldest, which is no longer held.
    at_ = (at_ + 1) % copied_.size();
    copied().clear();
  }
  void hand_over(Leaving& leaving) {
    // Where definitions change again and again, to wake the thread for each would take longer than to write.
    if (std::exchange(drained_, false) || !behind_.start()) return leaving.write(*inner_);
    behind_.hand_over([&leaving](Leaving*& slot) { slot = &leaving; });
  }
  /// Waits until all is written; then the thread has nothing to do.
  void drain_or_throw() {
    hand_over_copied();
    behind_.drain();
    drained_ = true;
  }

  std::unique_ptr<Sink> inner_;
  std::shared_ptr<Threads> threads_;
  std::array<Copied, most_held + 1> copied_;
  std::size_t at_ = 0;
  bool drained_ = false;  // nothing was handed over since: the thread has nothing to do
  WriteBehind<Leaving*, most_held, most_held / 2> behind_;
};

}  // namespace

std::unique_ptr<Sink> threaded(std::unique_ptr<Sink> inner, std::shared_ptr<Threads> threads) {
  return std::make_unique<ThreadedSink>(std::move(inner), std::move(threads));
}

}  // namespace clc::formats
