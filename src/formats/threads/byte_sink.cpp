#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "threads/crew.hpp"
#include "threads/handover.hpp"
#include "threads/threads.hpp"
#include "threads/worker.hpp"

namespace clc::formats {

namespace {

class ThreadedByteSink final : public ByteSink {
 public:
  ThreadedByteSink(std::unique_ptr<ByteSink> inner, std::shared_ptr<Threads> threads)
      : inner_(std::move(inner)), threads_(std::move(threads)) {}
  ThreadedByteSink(const ThreadedByteSink&) = delete;
  ThreadedByteSink& operator=(const ThreadedByteSink&) = delete;
  ~ThreadedByteSink() override {
    blocks_.stop();
    worker_.join();
  }

  void write(std::string_view bytes) override {
    if (!worker_.start([this] { work(); })) return inner_->write(bytes);
    std::vector<char>* const block = blocks_.to_fill();
    if (block == nullptr) threads_->crew().rethrow();
    block->assign(bytes.begin(), bytes.end());
    blocks_.filled();
  }
  void flush() override {
    drain();
    inner_->flush();
  }
  void close() override {
    drain();
    inner_->close();
  }

 private:
  /// Waits until all is written; then the thread has nothing to do.
  void drain() {
    if (worker_.started() && !blocks_.drained()) threads_->crew().rethrow();
  }

  /// In the thread that writes.
  void work() noexcept {
    while (const std::vector<char>* const block = blocks_.to_empty()) {
      try {
        inner_->write({block->data(), block->size()});
      } catch (...) {
        threads_->crew().fail(std::current_exception());
        blocks_.stop();
        return;
      }
      blocks_.emptied();
    }
  }

  std::unique_ptr<ByteSink> inner_;
  std::shared_ptr<Threads> threads_;
  Handover<std::vector<char>, 2> blocks_;
  Worker worker_;
};

}  // namespace

std::unique_ptr<ByteSink> threaded(std::unique_ptr<ByteSink> inner, std::shared_ptr<Threads> threads) {
  return std::make_unique<ThreadedByteSink>(std::move(inner), std::move(threads));
}

}  // namespace clc::formats
