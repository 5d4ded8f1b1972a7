#include <exception>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "common/put.hpp"
#include "threads/crew.hpp"
#include "threads/handover.hpp"
#include "threads/threads.hpp"

namespace clc::formats {

namespace {

/// A batch that owns its bytes.
struct Block {
  Batch batch;
  std::vector<char> bytes;
  bool more = true;
  std::exception_ptr error;  ///< thrown instead of the batch
  std::uint64_t bytes_read = 0;

  /// Bodies and notes move in.
  void keep() {
    std::size_t size = 0;
    for (const Body body : batch.bodies) size += body.size();
    for (const Batch::Note& note : batch.notes) size += note.line.size();
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

class ThreadedSource final : public Source {
 public:
  ThreadedSource(std::unique_ptr<Source> inner, Reader& reader, std::shared_ptr<Interrupt> interrupt,
                 std::shared_ptr<Threads> threads)
      : inner_(std::move(inner)),
        interrupt_(std::move(interrupt)),
        threads_(std::move(threads)),
        bytes_read_(inner_->bytes_read()),
        bytes_total_(inner_->bytes_total()) {
    reader.on_definitions([this] { wait_for_clock(); });
    threads_->crew().set_wake([this] { blocks_.wake(); });
  }
  ThreadedSource(const ThreadedSource&) = delete;
  ThreadedSource& operator=(const ThreadedSource&) = delete;
  ~ThreadedSource() override {
    threads_->crew().set_wake({});
    blocks_.stop();
    interrupt_->raise();
    if (thread_.joinable()) thread_.join();
  }

  [[nodiscard]] const Definitions& definitions() const noexcept override { return inner_->definitions(); }
  [[nodiscard]] const BodyDecoder& decoder() const noexcept override { return inner_->decoder(); }
  [[nodiscard]] std::string describe(std::uint64_t place) const override { return inner_->describe(place); }
  [[nodiscard]] std::uint64_t bytes_read() const noexcept override {
    return alone_ ? inner_->bytes_read() : bytes_read_;
  }
  [[nodiscard]] std::uint64_t bytes_total() const noexcept override { return bytes_total_; }
  [[nodiscard]] std::vector<std::string> warnings() const override { return inner_->warnings(); }
  [[nodiscard]] std::vector<std::string> remarks() const override { return inner_->remarks(); }

  bool read(Batch& batch) override {
    if (!thread_.joinable() && !alone_) start();
    if (alone_) return inner_->read(batch);
    if (block_ != nullptr) blocks_.emptied();
    while ((block_ = blocks_.to_empty()) == nullptr) {
      threads_->crew().rethrow();
      blocks_.grant();
    }
    std::swap(batch, block_->batch);
    bytes_read_ = block_->bytes_read;
    if (block_->error) std::rethrow_exception(block_->error);
    return block_->more;
  }

 private:
  void start() {
    try {
      thread_ = std::thread([this] { work(); });
    } catch (const std::system_error&) {  // no thread is to be had
      alone_ = true;
    }
  }

  /// In the thread that reads.
  void work() noexcept {
    for (bool more = true; more;) {
      Block* const block = blocks_.to_fill();
      if (block == nullptr) return;
      try {
        more = block->more = inner_->read(block->batch);
        block->keep();
      } catch (const Interrupt::Raised&) {
        return;
      } catch (...) {
        more = false;
        block->error = std::current_exception();
      }
      block->bytes_read = inner_->bytes_read();
      blocks_.filled();
    }
  }
  /// Nobody looks at the definitions while they change.
  void wait_for_clock() {
    if (!alone_ && !blocks_.ask()) throw Interrupt::Raised();
  }

  std::unique_ptr<Source> inner_;
  std::shared_ptr<Interrupt> interrupt_;
  std::shared_ptr<Threads> threads_;
  Handover<Block, 3> blocks_;
  Block* block_ = nullptr;  ///< the bodies of the last batch point into it
  std::uint64_t bytes_read_;
  std::uint64_t bytes_total_;
  bool alone_ = false;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Source> threaded(std::unique_ptr<Source> inner, Reader& reader, std::shared_ptr<Interrupt> interrupt,
                                 std::shared_ptr<Threads> threads) {
  return std::make_unique<ThreadedSource>(std::move(inner), reader, std::move(interrupt), std::move(threads));
}

}  // namespace clc::formats
