#include <cstddef>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "clc/io/batch.hpp"
#include "common/decorator.hpp"
#include "common/put.hpp"
#include "threads/read_ahead.hpp"
#include "threads/threads.hpp"

namespace clc::formats {

namespace {

/// A batch that owns its bytes.
struct Records {
  Batch batch;
  std::vector<char> bytes;
  bool more = true;

  /// Bodies and notes move in.
  void keep() {
    std::size_t size = 0;
    for (const Body body : batch.bodies) size += body.size();
    for (const Batch::Note& note : batch.notes) size += note.line.size();
    if (size == 0) return;
    if (bytes.size() < size) bytes = std::vector<char>(size + size / 4);
    char* to = bytes.data();
    for (Body& body : batch.bodies) to = take(body, to);
    for (Batch::Note& note : batch.notes) to = take(note.line, to);
  }

 private:
  static char* take(Body& body, char* to) noexcept {
    const Body from = std::exchange(body, Body(to, body.size()));
    return put(to, from);
  }
};

/// slots, least: see ReadAhead. More than one at once is only for input that never pauses.
template <std::size_t slots, std::size_t least>
class ThreadedSource final : public Decorator {
 public:
  ThreadedSource(std::unique_ptr<Source> decorated, const OnDefinitions& on_definitions,
                 std::shared_ptr<Interrupt> interrupt, std::shared_ptr<Threads> threads)
      : Decorator(std::move(decorated)),
        bytes_total_(inner().bytes_total()),
        ahead_([this](Records& block) { return fill(block); }, [this] { return inner().bytes_read(); },
               std::move(interrupt), std::move(threads)) {
    // Nobody looks at the definitions while they change.
    on_definitions([this] { ahead_.wait_for_other(); });
  }

  [[nodiscard]] std::uint64_t bytes_read() const noexcept override { return ahead_.consumed(); }
  [[nodiscard]] std::uint64_t bytes_total() const noexcept override { return bytes_total_; }

  bool read(Batch& batch) override {
    ahead_.give_back();  // the bodies of the last batch pointed into it
    if (!ahead_.start()) return inner().read(batch);
    auto& block = ahead_.next();
    std::swap(batch, block.content.batch);
    if (block.error) std::rethrow_exception(block.error);
    return block.content.more;
  }

 private:
  /// In the thread that reads.
  bool fill(Records& block) {
    block.more = inner().read(block.batch);
    block.keep();
    return block.more;
  }

  std::uint64_t bytes_total_;
  ReadAhead<Records, slots, least> ahead_;
};

}  // namespace

std::unique_ptr<Source> threaded(std::unique_ptr<Source> inner, bool apart, const OnDefinitions& on_definitions,
                                 std::shared_ptr<Interrupt> interrupt, std::shared_ptr<Threads> threads) {
  if (!threads) return inner;
  if (!apart) {
    on_definitions([threads] { threads->crew().drain(); });
    return inner;
  }
  if (interrupt)
    return std::make_unique<ThreadedSource<3, 1>>(std::move(inner), on_definitions, std::move(interrupt),
                                                  std::move(threads));
  return std::make_unique<ThreadedSource<6, 3>>(std::move(inner), on_definitions, nullptr, std::move(threads));
}

}  // namespace clc::formats
